/* Random numbers from integers alone, so that every machine and run tries the same values. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include "real.h"

/* Marsaglia's 64-bit xorshift; *state is never 0. */
static inline uint64_t draw(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* 0 .. bound - 1 */
static inline size_t below(uint64_t *state, size_t bound) {
  return (size_t)((draw(state) >> 11) % bound);
}

/* 2^e, by multiplications that are exact. */
static inline real power(int e) {
  real x = 1;
  for (; e > 0; e--) x *= 2;
  for (; e < 0; e++) x *= (real)0.5;
  return x;
}

/* A real of full precision in [-2^e, 2^e]: the integer has no more bits than a significand. */
static inline real spread(uint64_t *state, int e) {
  const int64_t one = INT64_C(1) << ATTEST_FRACTION_BITS;
  const int64_t n = (int64_t)((draw(state) >> 4) % (uint64_t)(2 * one + 1)) - one;
  return (real)n * power(e - ATTEST_FRACTION_BITS);
}

#endif
