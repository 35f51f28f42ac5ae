#include "vectors_random.h"

static uint64_t rotate(uint64_t x, int count) { return x << count | x >> (64 - count); }

static uint64_t splitmix(uint64_t *state) {
  uint64_t z;

  *state += UINT64_C(0x9e3779b97f4a7c15);
  z = *state;
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

attest_random attest_random_start(uint64_t seed, const char *name) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
  attest_random random;

  for (const char *c = name; *c != '\0'; c++)
    hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
  /* Mixed before they meet: seeds and hashes that differ in the same bits must not cancel. */
  hash ^= splitmix(&seed);
  for (int i = 0; i < 4; i++)
    random.state[i] = splitmix(&hash);
  return random;
}

uint64_t attest_random_next(attest_random *random) {
  uint64_t *s = random->state;
  const uint64_t result = rotate(s[1] * 5, 7) * 9;
  const uint64_t t = s[1] << 17;

  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

double attest_random_scaled(int64_t n, int e) {
  double x = (double)n;

  for (; e > 0; e--)
    x *= 2;
  for (; e < 0; e++)
    x *= 0.5;
  return x;
}

double attest_random_uniform(attest_random *random) {
  const int64_t n = (int64_t)(attest_random_next(random) >> 10);

  return attest_random_scaled(n - (INT64_C(1) << 53), -53);
}

double attest_random_normal(attest_random *random) {
  int64_t sum = -6 * (INT64_C(1) << 32);

  for (int i = 0; i < 6; i++) {
    const uint64_t draw = attest_random_next(random);
    sum += (int64_t)(draw & UINT32_MAX) + (int64_t)(draw >> 32);
  }
  return attest_random_scaled(sum, -32);
}
