/* What attest check judges: arrays of another implementation, and the arithmetic it claims. */
#ifndef ATTEST_CHECK_SUBJECT_H
#define ATTEST_CHECK_SUBJECT_H

#include "oracle/bound.h"
#include "problem.h"

/* The claim as given on the command line; what is not given follows from the output's format. */
typedef struct attest_claimed {
  int engine; /* nonzero: the project's own, with `accum` alone (Q16: fixed/); zero: any other kernel */
  int input_given, accum_given, weight_given;
  attest_format input, accum, weight;
  double exp_ulps;
  size_t tile; /* keys between two changes of the running maximum; 0: none */
} attest_claimed;

/* The arrays that can be judged; sums of rows of weights are judged along with the weights. */
enum { ATTEST_PART_OUT, ATTEST_PART_WEIGHTS, ATTEST_PART_LSE, ATTEST_SUBJECTS };
enum { ATTEST_PART_SUMS = ATTEST_SUBJECTS, ATTEST_PARTS };

/* "output", "weights", "log-sum-exp", "row sums". */
const char *attest_part_name(int part);

typedef struct attest_subject {
  const char *file; /* NULL: not given */
  attest_format format;
  double *got;      /* laid out as the problem's own output */
  attest_claim claim;
  int fixed; /* claims to be what fixed/ computes: attest_bound_q16_* are its allowances, not `claim` */
} attest_subject;

/* "f32", ... */
const char *attest_format_name(attest_format format);

/* Reads files[part], checks the shape against the problem's, and turns the claim into the claims of
   the subjects. *claimed is completed. 0, or -1 with *fault set; to be freed in any case. */
int attest_subjects_load(attest_subject subjects[ATTEST_SUBJECTS],
                         const char *const files[ATTEST_SUBJECTS], int bf16,
                         const attest_problem *problem, attest_claimed *claimed,
                         attest_fault *fault);
void attest_subjects_free(attest_subject subjects[ATTEST_SUBJECTS]);

/* Whether every element of q, k, v and bias is a number of the format. */
int attest_inputs_fit(const attest_problem *problem, attest_format format);

/* The claim in words, without a stop. */
enum { ATTEST_CLAIM_TEXT = 240 };
void attest_claim_words(const attest_claimed *claimed, const attest_problem *problem,
                        attest_format output, char text[ATTEST_CLAIM_TEXT]);

#endif
