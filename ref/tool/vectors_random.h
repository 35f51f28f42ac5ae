/* The generator of the golden vectors: xoshiro256** (Blackman and Vigna), seeded by splitmix64.
   Integers and exact operations only, so that every machine draws the same numbers. */
#ifndef ATTEST_VECTORS_RANDOM_H
#define ATTEST_VECTORS_RANDOM_H

#include <stdint.h>

typedef struct attest_random {
  uint64_t state[4];
} attest_random;

/* The stream of one array: seed and name alone decide it, so that a case does not change when
   others come or go. */
attest_random attest_random_start(uint64_t seed, const char *name);

uint64_t attest_random_next(attest_random *random);

/* n * 2^e, exact where a double has that number; |n| <= 2^53. */
double attest_random_scaled(int64_t n, int e);

/* A multiple of 2^-53 in [-1, 1). */
double attest_random_uniform(attest_random *random);

/* A multiple of 2^-32 in (-6, 6), near to a normal distribution of variance 1: twelve uniform
   numbers added. */
double attest_random_normal(attest_random *random);

#endif
