/* How far an implementation of attention may be from the exact answer: the one place where every
   allowance of the project comes from. The formulas, with their proofs, are those of
   proofs/bounds.md, whose section numbers stand beside the functions.

   All arguments are upper bounds of what they name; every function grows with each of its
   arguments, so an upper bound may be rough. Results are computed to nearest and then enlarged by
   ATTEST_BOUND_SLACK, which covers the rounding of up to 2^24 operations on numbers that are never
   subtracted from each other, and a result with an output's rounding by ATTEST_BOUND_TINY, for what
   underflows on the way. An infinite result makes no promise. */
#ifndef ATTEST_ORACLE_BOUND_H
#define ATTEST_ORACLE_BOUND_H

#include <stddef.h>

#include "format.h"

#define ATTEST_BOUND_SLACK (1 + 0x1p-24)
#define ATTEST_BOUND_TINY 0x1p-1069

/* The arithmetic an implementation claims (section 1). u = 0 in input, weight or output: no
   rounding to a format of its own there. */
typedef struct {
  attest_arithmetic input;  /* q, k, v and bias are rounded to it first */
  attest_arithmetic accum;  /* of products, sums, scores, exponentials and the division */
  attest_arithmetic weight; /* of the weights as they multiply V */
  attest_arithmetic output; /* of the results */
  double element_error; /* relative error of an element of q or k before it is multiplied */
  double scale_error;   /* relative error of the product with the scale, the constant included */
  double plain_error;   /* the same with the change of base included; without softcap and bias */
  double cap_error;     /* relative error of softcap * tanh(s / softcap) against an exact s */
  double bias_error;    /* relative error of a bias, once rounded on input, as it is added */
  double base_error;    /* relative error of the change of base, or of none */
  double shift_error;   /* error of s_j - m, relative to |s_j| + |m| */
  double exp_error;     /* relative error of the exponential */
  double log_error;     /* relative error of the logarithm */
  double flush;         /* a weight below this, against a largest one of about 1, may become 0 */
  double top;           /* the largest weight before the division is at most this, ... */
  int saturates;        /* scores stop at largest * ln 2 instead of becoming infinite */
} attest_claim;

/* ref/ in float or double, any nest; f32 rounds the inputs to float first. output: the format the
   result is rounded to once more, or that of the engine. */
attest_claim attest_claim_engine(attest_format accum, attest_format output);

/* Any other: scale on either side or both, softmax in base e or 2, maximum subtracted, online or
   not, weights divided before or after; fused or not, sums in any order, subnormal numbers kept or
   flushed.
   weight: as accum where the weights are not rounded again. exp_ulps: the error of its exponential
   in ulps of accum. */
attest_claim attest_claim_kernel(attest_format input, attest_format accum, attest_format weight,
                                 attest_format output, double exp_ulps);

/* What the whole problem has in common. */
typedef struct {
  size_t width;
  double scale;   /* |scale| */
  double softcap; /* 0: none */
  int biased;
} attest_bound_problem;

/* Sizes of one score. */
typedef struct {
  double products; /* sum over c of |q_c k_jc| */
  double elements; /* sum over c of |q_c| + |k_jc| */
  double raw;      /* |scale * <q, k_j>| */
  double score;    /* |s_j| */
  double signed_score; /* s_j itself, to nearest */
  double bias;
  double meets; /* of the finite elements that multiply an infinite one the smallest |.|; 0: none does */
} attest_score_size;

/* Section 2: by how much the natural logarithm of a weight may be too large and too small. */
typedef struct {
  double up, low;
  int broken; /* the dot product may overflow: nothing is promised about the row */
} attest_score_error;

/* m: |largest score of the row|; rescales: how often a running maximum may change (0: never, or
   exactly, as in ref/). */
attest_score_error attest_bound_score(const attest_claim *claim,
                                      const attest_bound_problem *problem,
                                      attest_score_size size, double m, double rescales);

/* Section 3: what the errors of all scores of a row do to its weights, added up key by key. */
typedef struct {
  double keys;
  double lost, gained; /* sum p_j (1 - e^-low_j) and sum p_j (e^up_j - 1) */
  double kept;         /* a LOWER bound of sum p_j e^-low_j */
  double widest;       /* the largest error of a score */
  int broken;
} attest_row_error;

/* weight: p_j; log_weight: its logarithm, to within 2^-20 (1 + 2^-32 |log_weight|). */
void attest_bound_row_start(attest_row_error *row);
void attest_bound_row_add(attest_row_error *row, attest_score_error e, double weight,
                          double log_weight);

/* Whether the largest computed weight is sure to be about 1 (4.2): 0 where a maximum of size m, rounded
   when it is multiplied late, may make it another number. Nothing is promised about such a row. */
int attest_bound_steady(const attest_claim *claim, double m);

/* Shares of key j, before the division by row->kept: the most that its weight can differ by, and
   the most that it can be. */
double attest_bound_share_error(attest_score_error e, double weight, double log_weight);
double attest_bound_share(attest_score_error e, double weight, double log_weight);

/* Section 4: one element of the output. */
typedef struct {
  double moved;   /* sum of share errors times |v_j - o|, over kept; at most `spread` */
  double mean;    /* sum of shares times |v_j|, over kept; at most `largest` */
  double largest; /* max |v_j| */
  double spread;  /* max |v_j - o| */
  double output;  /* |o| */
} attest_column_size;

double attest_bound_output(const attest_claim *claim, const attest_row_error *row,
                           double rescales, attest_column_size column);

/* Section 5: a weight as stored (weight: w_j), and how far the exact sum of a row of stored weights
   may be from 1. */
double attest_bound_weight(const attest_claim *claim, const attest_row_error *row,
                           double rescales, attest_score_error e, double weight,
                           double log_weight);
double attest_bound_row_sum(const attest_claim *claim, const attest_row_error *row,
                            double rescales);

/* Section 6: log-sum-exp, natural; lse: |lse|. In base 2, converted from the natural one. */
double attest_bound_lse(const attest_claim *claim, const attest_row_error *row, double rescales,
                        double lse);
double attest_bound_lse_base_2(const attest_claim *claim, const attest_row_error *row,
                               double rescales, double lse);

/* fixed/: naive, tiled and decode (proofs/fixed.md). keys: the visible ones; spread: largest minus
   smallest visible value of the column. An output, the same in one pass (section "Streaming"), and a weight
   as given out; the exact sum of a row of weights is 1. */
double attest_bound_q16_output(double keys, double spread);
double attest_bound_q16_stream(double keys, double spread);
double attest_bound_q16_weight(double keys);

#endif
