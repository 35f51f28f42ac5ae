/* The answers to a case: everything the oracle says about it, in every format. */
#ifndef ATTEST_VECTORS_ANSWER_H
#define ATTEST_VECTORS_ANSWER_H

#include "certify.h"

enum { ATTEST_FORMATS = ATTEST_FORMAT_Q16 + 1 };

typedef enum attest_answer_kind {
  ATTEST_ANSWER_OUT,
  ATTEST_ANSWER_WEIGHTS,
  ATTEST_ANSWER_LSE_E,
  ATTEST_ANSWER_LSE_2,
  ATTEST_ANSWER_KINDS
} attest_answer_kind;

typedef struct attest_case_answers {
  /* Set before: which are wanted, and whether the ends of out and lse are. */
  int wanted[ATTEST_ANSWER_KINDS][ATTEST_FORMATS];
  int ends;

  /* Rounded numbers, shaped as the problem says; NULL where not wanted. */
  double *value[ATTEST_ANSWER_KINDS][ATTEST_FORMATS];

  /* Beside out and beside lse: nonzero where the f64 value is the exact one because of what the row
     is, whatever decides it: it sees nothing, is NaN or infinite, or (out alone) all values that
     count in the column are equal. */
  uint8_t *out_exact, *lse_exact;
} attest_case_answers;

/* Asks the oracle about a problem read with options->oracle. threads: as of attest_certify. stop:
   asked now and then; nonzero ends the work. Returns 0, or -1 with *fault set, also where an
   element stays undecided. The answers are to be freed in any case. */
int attest_case_answer(const attest_problem *problem, size_t threads, int (*stop)(void),
                       attest_case_answers *answers, attest_fault *fault);

/* The largest double below x and the smallest one above: between them lies every number that
   rounds to x. x itself where it is exact or not a number. */
double attest_answer_lower(double x, int exact);
double attest_answer_upper(double x, int exact);

void attest_case_answers_free(attest_case_answers *answers);

#endif
