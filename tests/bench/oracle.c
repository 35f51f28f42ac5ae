/* Speed of the oracle on one core and one thread: the certified answer in float against the f64
   tiled nest on the same problem, and each rung of the ladder alone on a smaller one.

     oracle          the table; exit 1 where certified costs more than 4 times the nest
     oracle seconds  only the seconds of the interval rung on the smaller problem, for the
                     comparison with mpmath (tests/bench/oracle_mpmath.py) */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "oracle.h"

enum { LONG = 1024, SHORT = 128, WIDTH = 64, ROUNDS = 15 };
static const double target = 4;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *take(size_t size) {
  void *memory = malloc(size);
  if (memory == NULL) {
    fprintf(stderr, "not enough memory\n");
    exit(2);
  }
  return memory;
}

/* About normal, and every one a float: a sum of four uniform numbers of 16 bits. */
static double noise(uint64_t *state) {
  double sum = 0;
  for (int n = 0; n < 4; n++) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    sum += (double)(*state >> 48) - 32767.5;
  }
  return (double)(float)(sum / 37837);
}

static attest_shape problem(size_t length) {
  attest_shape s;
  memset(&s, 0, sizeof s);
  s.batch = s.q_heads = s.kv_heads = 1;
  s.q_len = s.kv_len = length;
  s.width = s.value_width = WIDTH;
  s.causal = 1;
  attest_layout_bhsd(&s);
  return s;
}

/* Seconds of the oracle on the whole problem, the best of several. */
static double certify(const attest_shape *s, const attest_arrays_f64 *arrays, attest_rung first,
                      int rounds, double *out, size_t decided[ATTEST_RUNGS]) {
  const attest_oracle_options options = {ATTEST_FORMAT_F32, ATTEST_BASE_E, first};
  double best = 1e9;
  for (int n = 0; n < rounds; n++) {
    attest_oracle_result result;
    attest_status refusal;
    const double begin = now();
    memset(&result, 0, sizeof result);
    result.out.value = out;
    if (attest_oracle_rows(s, arrays, 0, 0, 0, s->q_len, &options, &result, &refusal) !=
        ATTEST_ORACLE_OK)
      exit(2);
    if (now() - begin < best) best = now() - begin;
    memcpy(decided, result.decided, sizeof result.decided);
  }
  return best;
}

static double nest(const attest_shape *s, const attest_arrays_f64 *arrays) {
  const size_t size = attest_scratch_f64(s, ATTEST_TILED, ATTEST_DEFAULT_TILE);
  double *scratch = take(size * sizeof *scratch), best = 1e9;
  for (int n = 0; n < ROUNDS; n++) {
    const double begin = now();
    if (attest_attention_f64(s, arrays, ATTEST_TILED, ATTEST_DEFAULT_TILE, scratch, size) !=
        ATTEST_OK)
      exit(2);
    if (now() - begin < best) best = now() - begin;
  }
  free(scratch);
  return best;
}

int main(int argc, char **argv) {
  static const char *const names[] = {"", "certified, from the f64 rung", "certified, double-double",
                                      "certified, intervals"};
  const attest_shape large = problem(LONG), small = problem(SHORT);
  const size_t count = LONG * WIDTH;
  double *memory = take(5 * count * sizeof *memory);
  double *out = memory + 3 * count, *again = out + count;
  attest_arrays_f64 arrays;
  uint64_t state = 1;
  size_t decided[ATTEST_RUNGS];
  double base, seconds;

  memset(&arrays, 0, sizeof arrays);
  for (size_t i = 0; i < 3 * count; i++) memory[i] = noise(&state);
  arrays.q = memory;
  arrays.k = memory + count;
  arrays.v = memory + 2 * count;
  arrays.out = again;

  if (argc > 1 && strcmp(argv[1], "seconds") == 0) {
    printf("%.6f\n", certify(&small, &arrays, ATTEST_RUNG_INTERVAL, 3, out, decided));
    free(memory);
    return 0;
  }
  base = nest(&large, &arrays);
  seconds = certify(&large, &arrays, ATTEST_RUNG_F64, ROUNDS, out, decided);
  printf("T = %d, d = %d, causal, one head, one thread\n", LONG, WIDTH);
  printf("  %-30s %9.3f ms\n", "tiled nest, f64", 1e3 * base);
  printf("  %-30s %9.3f ms  %6.2f times the nest\n", "certified float", 1e3 * seconds,
         seconds / base);
  printf("  of %zu elements, the f64 rung decided all but %zu, double-double all but %zu\n", count,
         count - decided[ATTEST_RUNG_F64],
         count - decided[ATTEST_RUNG_F64] - decided[ATTEST_RUNG_WIDE]);
  printf("T = %d\n", SHORT);
  for (int rung = ATTEST_RUNG_F64; rung <= ATTEST_RUNG_INTERVAL; rung++) {
    double *to = rung == ATTEST_RUNG_F64 ? out : again;
    const double took = certify(&small, &arrays, (attest_rung)rung, 3, to, decided);
    printf("  %-30s %9.3f ms\n", names[rung], 1e3 * took);
    if (memcmp(out, to, SHORT * WIDTH * sizeof *out) != 0) {
      printf("the rungs disagree\n");
      return 1;
    }
  }
  free(memory);
  if (seconds / base > target) {
    printf("missed: %.2f times the nest, at most %.0f wanted\n", seconds / base, target);
    return 1;
  }
  return 0;
}
