/* Results held against the certified oracle and the stated bound. */
#ifndef FUZZ_JUDGE_H
#define FUZZ_JUDGE_H

#include "engines.h"
#include "oracle/allowance.h"
#include "ratio.h"

/* What the oracle says of all rows of a head. */
typedef struct {
  double out[FUZZ_ELEMENTS], weights[FUZZ_ELEMENTS], lse[FUZZ_LONG];
  attest_enclosure out_box[FUZZ_ELEMENTS], weight_box[FUZZ_ELEMENTS], lse_box[FUZZ_LONG];
} fuzz_truth;

void fuzz_ask(const fuzz_problem *p, size_t batch, size_t head, attest_format format,
              fuzz_truth *truth);

/* Of row i alone, in the place of row 0. */
void fuzz_ask_row(const fuzz_problem *p, size_t batch, size_t head, size_t i, attest_format format,
                  fuzz_truth *truth);

/* One row, its bound under the claim of the problem's engine, and the truth of its head. */
typedef struct {
  const fuzz_problem *p;
  const fuzz_truth *truth;
  size_t batch, head, i;
  attest_row_view view;
  attest_row_key keys[FUZZ_LONG + 1];
  attest_claim claim;
  attest_facts *facts; /* NULL: no arithmetic is needed */
  attest_allowance *allowance;
  int silent;          /* a dot product may overflow: nothing is promised */
} fuzz_row;

void fuzz_row_start(fuzz_row *row, const fuzz_problem *p, const fuzz_truth *truth, size_t batch,
                    size_t head, size_t i);
void fuzz_row_end(fuzz_row *row);

/* Fails unless the row's results are what they must be; weights or lse may be NULL. */
void fuzz_judge(fuzz_row *row, const char *engine, const double *out, const double *weights,
                const double *lse);

/* The sum of a row's weights alone; for a row of kind FINITE that is not silent. */
void fuzz_judge_sum(fuzz_row *row, const char *engine, const double *weights);

/* |got - x| for every x of the box is at least this. */
double fuzz_off(double got, attest_enclosure box);

/* The whole of oracle_f32.c and oracle_f64.c. */
void fuzz_against_oracle(const fuzz_problem *p);

#endif
