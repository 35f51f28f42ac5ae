/* Softmax alone in Q16.16: row sums, attention's weights bit for bit, MPFR within the derived bound. */
#include "test_q16_problem.h"

#include <math.h>

#include "bound.h"

enum { FEW = 4, MANY = 65536 };

static void expect_shares(const int32_t *weights, uint32_t count) {
  int64_t sum = 0;
  for (uint32_t j = 0; j < count; j++) {
    assert_in_range(weights[j], 0, 65536);
    sum += weights[j];
  }
  assert_int_equal(sum, 65536);
}

/* Rows of all sizes: the weights that attention gives for the query 1 and the scores as keys of width 1. */
static void attention(void **unused) {
  static const int32_t limits[] = {3, 65536, 65536 * 9, 65536 * 1000, INT32_MAX};
  uint64_t state = 71;
  (void)unused;
  for (int n = 0; n < 2000; n++) {
    const uint32_t keys = 1 + (uint32_t)(next(&state) % (n % 50 == 0 ? 5000 : 60));
    int32_t *weights = malloc(keys * sizeof *weights);
    problem p;
    result r;
    assert_non_null(weights);
    problem_make(&p, &state, 1, 1, 1, keys, 1, 1, limits[n % 5], 65536);
    p.q[0] = 65536;
    result_make(&p, &r);
    run(&p, 0, &r);
    assert_int_equal(attest_q16_softmax(p.k, keys, weights), ATTEST_Q16_OK);
    assert_memory_equal(weights, r.weights, keys * sizeof *weights);
    expect_shares(weights, keys);
    result_free(&r);
    problem_free(&p);
    free(weights);
  }
}

static void accuracy(void **unused) {
  static const int32_t limits[] = {65536, 65536 * 5, 65536 * 20, INT32_MAX};
  uint64_t state = 73;
  (void)unused;
  for (int n = 0; n < 200; n++) {
    const uint32_t keys = 1 + (uint32_t)(next(&state) % 200);
    int32_t weights[200];
    mpfr_t exact[200];
    problem p;
    problem_make(&p, &state, 1, 1, 1, keys, 1, 1, limits[n % 4], 65536);
    p.q[0] = 65536;
    for (uint32_t j = 0; j < keys; j++) mpfr_init2(exact[j], EXACT_BITS);
    exact_weights(&p, 0, 0, exact);
    assert_int_equal(attest_q16_softmax(p.k, keys, weights), ATTEST_Q16_OK);
    for (uint32_t j = 0; j < keys; j++) {
      mpfr_sub_d(exact[j], exact[j], weights[j] / 65536.0, MPFR_RNDN);
      assert_true(fabs(mpfr_get_d(exact[j], MPFR_RNDA)) <= attest_bound_q16_weight(keys));
      mpfr_clear(exact[j]);
    }
    problem_free(&p);
  }
}

/* Numbers that can be told by hand. */
static void by_hand(void **unused) {
  const int32_t alike[FEW] = {-7, -7, -7, -7}, far[FEW] = {0, INT32_MIN, INT32_MAX, 0};
  const int32_t steps[2] = {45426, 0}; /* log 2, so that the first has two thirds: 43690.67 */
  int32_t weights[FEW];
  (void)unused;
  assert_int_equal(attest_q16_softmax(alike, FEW, weights), ATTEST_Q16_OK);
  for (int j = 0; j < FEW; j++) assert_int_equal(weights[j], 16384);
  assert_int_equal(attest_q16_softmax(alike, 1, weights), ATTEST_Q16_OK);
  assert_int_equal(weights[0], 65536);
  assert_int_equal(attest_q16_softmax(far, FEW, weights), ATTEST_Q16_OK);
  for (int j = 0; j < FEW; j++) assert_int_equal(weights[j], j == 2 ? 65536 : 0);
  assert_int_equal(attest_q16_softmax(steps, 2, weights), ATTEST_Q16_OK);
  assert_int_equal(weights[0], 43691);
  assert_int_equal(weights[1], 21845);
}

/* As many scores as are allowed, and what is beyond them stays. */
static void most(void **unused) {
  int32_t *scores = malloc(MANY * sizeof *scores), *weights = malloc((MANY + 1) * sizeof *weights);
  (void)unused;
  assert_non_null(scores);
  assert_non_null(weights);
  weights[MANY] = -1;
  for (uint32_t j = 0; j < MANY; j++) scores[j] = INT32_MAX;
  assert_int_equal(attest_q16_softmax(scores, MANY, weights), ATTEST_Q16_OK);
  for (uint32_t j = 0; j < MANY; j++) assert_int_equal(weights[j], 1);
  for (uint32_t j = 0; j < MANY; j++) scores[j] = INT32_MIN + (int32_t)(j % 2 * 20000);
  assert_int_equal(attest_q16_softmax(scores, MANY, weights), ATTEST_Q16_OK);
  expect_shares(weights, MANY);
  assert_int_equal(weights[MANY], -1);
  free(scores);
  free(weights);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(attention), cmocka_unit_test(accuracy),
                                     cmocka_unit_test(by_hand), cmocka_unit_test(most)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  mpfr_free_cache();
  return failed;
}
