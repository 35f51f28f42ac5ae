/* One pass over the keys in Q16.16: against naive, the range of the values, and MPFR. */
#include "test_q16_problem.h"

enum { WIDEST = 8 };

static void stream_row(const problem *p, uint32_t i, int32_t *out) {
  attest_q16_stream stream;
  attest_q16_column columns[WIDEST];
  const attest_q16_shape *s = &p->shape;
  assert_int_equal(attest_q16_stream_start(&stream, columns, s->value_width), ATTEST_Q16_OK);
  for (uint32_t j = 0; j < s->kv_len; j++)
    if (visible(p, 0, i, j))
      assert_int_equal(attest_q16_stream_add(&stream, columns, q_row(p, 0, i), k_row(p, 0, j),
                                             s->width, v_row(p, 0, j), s->value_width, s->scale),
                       ATTEST_Q16_OK);
  assert_int_equal(attest_q16_stream_output(&stream, columns, s->value_width, out), ATTEST_Q16_OK);
}

static void random_rows(void **unused) {
  static const int32_t limits[] = {65536, 262144, 4194304, INT32_MAX};
  uint64_t state = 61;
  (void)unused;
  for (int n = 0; n < 600; n++) {
    problem p;
    result r;
    problem_make(&p, &state, 1, 1, 3, (uint32_t)(next(&state) % 100),
                 1 + (uint32_t)(next(&state) % 30), 1 + (uint32_t)(next(&state) % WIDEST),
                 limits[next(&state) % 4], limits[next(&state) % 4]);
    p.shape.causal = (int)(next(&state) % 2);
    p.shape.offset = number(&state, 40);
    result_make(&p, &r);
    run(&p, 0, &r);
    for (uint32_t i = 0; i < 3; i++) {
      int32_t *naive = r.out + i * p.shape.value_width, out[WIDEST];
      stream_row(&p, i, out);
      for (uint32_t c = 0; c < p.shape.value_width; c++) {
        const int64_t off = (int64_t)out[c] - naive[c];
        assert_true(off >= -1 && off <= 1);
        naive[c] = out[c];
      }
    }
    expect_sound(&p, &r); /* of the streamed outputs */
    result_free(&r);
    problem_free(&p);
  }
}

/* Equal values come back as they are, however the maximum moves. */
static void constant(void **unused) {
  static const int32_t values[] = {INT32_MIN, -524288, -1, 0, 1, 65536, INT32_MAX};
  uint64_t state = 67;
  (void)unused;
  for (size_t n = 0; n < sizeof values / sizeof *values; n++)
    for (int32_t step = -70000; step <= 70000; step += 7000) {
      problem p;
      int32_t out;
      problem_make(&p, &state, 1, 1, 1, 500, 1, 1, 1, 1);
      p.q[0] = 65536;
      for (int32_t j = 0; j < 500; j++) {
        p.k[j] = j * step;
        p.v[j] = values[n];
      }
      stream_row(&p, 0, &out);
      assert_int_equal(out, values[n]);
      problem_free(&p);
    }
}

/* The stated bound: 1 ulp for up to 4096 keys and |v| <= 8, rising scores above all. */
static void accuracy(void **unused) {
  enum { KEYS = 4096, EIGHT = 524288 };
  uint64_t state = 71;
  double worst = 0;
  (void)unused;
  for (int n = 0; n < 60; n++) {
    problem p;
    int32_t out;
    problem_make(&p, &state, 1, 1, 1, n % 10 == 0 ? KEYS : 300, 1, 1, 1, EIGHT);
    const int32_t step = 1 << n % 18;
    p.q[0] = 65536;
    for (uint32_t j = 0; j < p.shape.kv_len; j++) {
      p.k[j] = (int32_t)j * step + number(&state, 30000);
      if (n % 3 == 0) p.v[j] = j % 2 ? EIGHT : -EIGHT;
    }
    stream_row(&p, 0, &out);
    const double error = row_error(&p, 0, 0, &out);
    if (error > worst) worst = error;
    assert_true(error <= 1);
    problem_free(&p);
  }
  print_message("    worst %.4f ulp\n", worst);
}

static void limits(void **unused) {
  attest_q16_stream stream;
  attest_q16_column column;
  const int32_t one = 65536, end = INT32_MAX;
  int32_t out;
  const attest_q16_scale scale = attest_q16_default_scale(1), bad = {1, -16};
  (void)unused;
  assert_int_equal(attest_q16_stream_start(NULL, &column, 1), ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_stream_start(&stream, &column, 1025), ATTEST_Q16_LIMIT);
  assert_int_equal(attest_q16_stream_start(&stream, &column, 1), ATTEST_Q16_OK);
  assert_int_equal(attest_q16_stream_output(&stream, &column, 1, &out), ATTEST_Q16_OK);
  assert_int_equal(out, 0);
  assert_int_equal(attest_q16_stream_add(&stream, &column, &one, &one, 0, &end, 1, scale),
                   ATTEST_Q16_SHAPE);
  assert_int_equal(attest_q16_stream_add(&stream, &column, &one, &one, 1025, &end, 1, scale),
                   ATTEST_Q16_LIMIT);
  assert_int_equal(attest_q16_stream_add(&stream, &column, &one, &one, 1, &end, 1, bad),
                   ATTEST_Q16_SCALE);
  assert_int_equal(attest_q16_stream_add(&stream, &column, &one, NULL, 1, &end, 1, scale),
                   ATTEST_Q16_NULL);
  for (uint32_t n = 0; n < ATTEST_Q16_MAX_KEYS; n++)
    assert_int_equal(attest_q16_stream_add(&stream, &column, &one, &one, 1, &end, 1, scale),
                     ATTEST_Q16_OK);
  assert_int_equal(attest_q16_stream_add(&stream, &column, &one, &one, 1, &end, 1, scale),
                   ATTEST_Q16_LIMIT);
  assert_int_equal(attest_q16_stream_output(&stream, &column, 1, &out), ATTEST_Q16_OK);
  assert_int_equal(out, INT32_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_rows), cmocka_unit_test(constant),
                                     cmocka_unit_test(accuracy), cmocka_unit_test(limits)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  mpfr_free_cache();
  return failed;
}
