/* Decoding with a cache: append, attend, append, attend; every step's row has the bits of the same
   row of the whole causal problem, whichever engine computes either. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "trial.h"

enum { KV_HEADS = 2, Q_HEADS = 4, LENGTH = 137, WIDTH = 5, VALUES = 3 };

/* A cache is one array a kv head, of LENGTH rows. */
static void steps(unsigned seed, attest_engine engine, size_t chunk, int window) {
  uint64_t state = seed;
  problem p;
  result whole, step;
  real *k = reals((size_t)KV_HEADS * LENGTH * WIDTH);
  real *v = reals((size_t)KV_HEADS * LENGTH * VALUES);
  size_t at = 0;
  problem_dense(&p, &state, 1, Q_HEADS, KV_HEADS, LENGTH, LENGTH, WIDTH, VALUES);
  p.shape.causal = 1;
  p.shape.window = window;
  p.shape.left = 20;
  p.shape.right = -1;
  result_make(&p, &whole);
  assert_int_equal(run(&p, ATTEST_NAIVE, 1, &whole), ATTEST_OK);
  memset(k, 0xff, (size_t)KV_HEADS * LENGTH * WIDTH * sizeof(real));
  memset(v, 0xff, (size_t)KV_HEADS * LENGTH * VALUES * sizeof(real));
  while (at < LENGTH) {
    const size_t now = LENGTH - at < chunk ? LENGTH - at : chunk;
    problem part = p;
    size_t held = 0;
    for (size_t h = 0; h < KV_HEADS; h++) {
      size_t rows = at, also = at;
      assert_int_equal(attest_append(k + h * LENGTH * WIDTH, LENGTH, WIDTH, &rows,
                                     p.k + h * p.shape.k.head + at * WIDTH, now), ATTEST_OK);
      assert_int_equal(attest_append(v + h * LENGTH * VALUES, LENGTH, VALUES, &also,
                                     p.v + h * p.shape.v.head + at * VALUES, now), ATTEST_OK);
      assert_int_equal(rows, at + now);
      assert_int_equal(also, at + now);
      held = rows;
    }
    part.shape.q_len = now;
    part.shape.kv_len = held;
    part.shape.offset = (int64_t)(held - now);
    part.in.q = p.q + at * WIDTH;
    part.in.k = k;
    part.in.v = v;
    part.shape.out.row = VALUES;
    part.shape.out.head = now * VALUES;
    part.out_count = Q_HEADS * now * VALUES;
    result_make(&part, &step);
    assert_int_equal(run(&part, engine, 16, &step), ATTEST_OK);
    for (size_t h = 0; h < Q_HEADS; h++)
      for (size_t i = 0; i < now; i++) {
        assert_true(same_bits(out_at(&part, &step, 0, h, i), out_at(&p, &whole, 0, h, at + i),
                              VALUES));
        assert_true(same_bits(lse_at(&part, &step, 0, h, i), lse_at(&p, &whole, 0, h, at + i), 1));
        assert_true(same_bits(weights_at(&part, &step, 0, h, i),
                              weights_at(&p, &whole, 0, h, at + i), held));
      }
    result_free(&step);
    at += now;
  }
  free(k);
  free(v);
  problem_free(&p);
  result_free(&whole);
}

static void one_row_at_a_time(void **unused) {
  (void)unused;
  for (int engine = 0; engine < ENGINES; engine++) steps(51, (attest_engine)engine, 1, 0);
}

static void in_chunks(void **unused) {
  static const size_t chunks[] = {2, 7, 64, 65, LENGTH};
  (void)unused;
  for (int engine = 0; engine < ENGINES; engine++)
    for (size_t n = 0; n < sizeof chunks / sizeof chunks[0]; n++)
      steps(52 + (unsigned)n, (attest_engine)engine, chunks[n], 0);
}

static void with_window(void **unused) {
  (void)unused;
  for (int engine = 0; engine < ENGINES; engine++) steps(60, (attest_engine)engine, 3, 1);
}

static void append(void **unused) {
  real cache[12], rows[12];
  size_t len = 0;
  (void)unused;
  for (size_t n = 0; n < 12; n++) rows[n] = (real)n;
  pattern(cache, 12);
  assert_int_equal(attest_append(cache, 4, 3, &len, rows, 0), ATTEST_OK);
  assert_int_equal(len, 0);
  assert_true(is_pattern(cache, 12));
  assert_int_equal(attest_append(cache, 4, 3, &len, rows, 1), ATTEST_OK);
  assert_int_equal(len, 1);
  assert_true(same_bits(cache, rows, 3) && is_pattern(cache + 3, 9));
  assert_int_equal(attest_append(cache, 4, 3, &len, rows + 3, 2), ATTEST_OK);
  assert_int_equal(len, 3);
  assert_true(same_bits(cache, rows, 9) && is_pattern(cache + 9, 3));
  assert_int_equal(attest_append(cache, 4, 3, &len, rows + 9, 1), ATTEST_OK);
  assert_int_equal(len, 4);
  assert_true(same_bits(cache, rows, 12));
  assert_int_equal(attest_append(cache, 4, 3, &len, rows, 0), ATTEST_OK);
  assert_int_equal(attest_append(cache, 4, 3, &len, rows, 1), ATTEST_LIMIT);
  assert_int_equal(len, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_row_at_a_time),
    cmocka_unit_test(in_chunks),
    cmocka_unit_test(with_window),
    cmocka_unit_test(append),
  };
  return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
