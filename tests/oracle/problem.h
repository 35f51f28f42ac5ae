/* Random attention problems of one head, the same on every machine: small ones, with every scale,
   mask, bias and softcap, with many equal scores, and with scores too far apart or too close for
   ordinary arithmetic. */
#ifndef TESTS_ORACLE_PROBLEM_H
#define TESTS_ORACLE_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include "attest.h"

enum { PROBLEM_ROWS = 3, PROBLEM_KEYS = 40, PROBLEM_WIDTH = 25, PROBLEM_VALUES = 6 };

typedef struct {
  attest_shape shape;
  attest_arrays_f64 arrays;
  size_t key_length;
  double q[PROBLEM_ROWS * PROBLEM_WIDTH], k[PROBLEM_KEYS * PROBLEM_WIDTH];
  double v[PROBLEM_KEYS * PROBLEM_VALUES], bias[PROBLEM_ROWS * PROBLEM_KEYS];
  uint8_t mask[PROBLEM_ROWS * PROBLEM_KEYS];
} problem;

/* Marsaglia's 64-bit xorshift; *state is never 0. */
uint64_t problem_draw(uint64_t *state);
size_t problem_below(uint64_t *state, size_t bound);

/* Fills *p, whose shape and arrays point into it: it must not be moved. */
void problem_make(problem *p, uint64_t *state);

/* Whether key j is visible to row i, straight from the text of README. */
int problem_visible(const problem *p, size_t i, size_t j);

#endif
