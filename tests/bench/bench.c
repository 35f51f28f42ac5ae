/* Speed of the float reference on one core, in processor time. Prints a line `format what seconds
   hash-of-output` for each measurement (peak: GFLOP/s instead of seconds), for tests/bench/run.
   An argument is the number of keys in a tile. */
#define _POSIX_C_SOURCE 200112L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attest.h"

enum { /* of the register row in the measurement of the peak */
#if defined(__AVX512F__)
  PEAK_BYTES = 16 * 64
#elif defined(__AVX__)
  PEAK_BYTES = 8 * 32
#else
  PEAK_BYTES = 8 * 16
#endif
};

static volatile double half = 0.5; /* unknown to the compiler */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double least(double a, double b) { return a < b ? a : b; }

static void *take(size_t bytes) {
  void *p = NULL;
  if (posix_memalign(&p, 64, bytes) != 0) exit(2);
  memset(p, 0, bytes);
  return p;
}

/* Uniform in [-2, 2), a multiple of 2^-20. */
static double noise(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 42) / 1048576.0 - 2;
}

static uint64_t hash(const void *data, size_t bytes) {
  const unsigned char *at = data;
  uint64_t h = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < bytes; i++) h = (h ^ at[i]) * UINT64_C(1099511628211);
  return h;
}

/* Causal, the last query aligned with the last key. */
static attest_shape shape_of(size_t heads, size_t q_len, size_t kv_len) {
  attest_shape s;
  memset(&s, 0, sizeof s);
  s.batch = 1;
  s.q_heads = s.kv_heads = heads;
  s.q_len = q_len;
  s.kv_len = kv_len;
  s.width = s.value_width = 64;
  s.causal = s.align_end = 1;
  if (attest_layout_bhsd(&s) != ATTEST_OK) exit(2);
  return s;
}

#define FORMAT "f32"
#define REAL float
#define NAME(name) name##_f32
#include "bench_real.h"
#undef FORMAT
#undef REAL
#undef NAME
#define FORMAT "f64"
#define REAL double
#define NAME(name) name##_f64
#include "bench_real.h"

int main(int argc, char **argv) {
  const size_t tile = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : ATTEST_DEFAULT_TILE;
  if (argc > 2 && strcmp(argv[2], "f64") == 0) return bench_f64(tile), 0;
  bench_f32(tile);
  if (argc <= 2) bench_f64(tile);
  return 0;
}
