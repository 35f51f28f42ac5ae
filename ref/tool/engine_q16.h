/* Runs fixed/ on a problem from files. */
#ifndef ATTEST_ENGINE_Q16_H
#define ATTEST_ENGINE_Q16_H

#include "problem.h"
#include "progress.h"

/* Attention in Q16.16 for the whole problem, read with ATTEST_WIDE_Q16: inputs are rounded to Q16.16,
   nearest even. out and weights receive the numbers that the results stand for; weights may be NULL.
   Errors: an input that Q16.16 does not hold, softcap, a mask of numbers other than 0 and -inf, a
   scale that is negative or out of range, sizes above the limits of fixed/. */
int attest_engine_q16(const attest_problem *problem, size_t tile, double *out, double *weights,
                      attest_progress *progress, attest_fault *fault);

/* Whether the bounds of proofs/fixed.md hold for the problem: 0, or -1 with softcap, a scale or sizes
   beyond the limits of fixed/. */
int attest_engine_q16_check(const attest_problem *problem, attest_fault *fault);

#endif
