/* From dot product to score: order and count of the roundings, saturation, softcap, bias. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "attention.h"
#include "score.h"
#include "trial.h"

static const real infinite = (real)INFINITY;
static const real log2e = (real)1.4426950408889634074;

static attest_rule rule_for(double scale, double softcap) {
  attest_shape s;
  memset(&s, 0, sizeof s);
  s.width = 4;
  s.scale_given = 1;
  s.scale = scale;
  s.softcap = softcap;
  return attest_rule_of(s);
}

static int is_nan(real x) { return x != x; }

/* The one stated sequence: scale in double, times log2(e) in double, each rounded to real once. */
static void rule(void **unused) {
  attest_shape s;
  (void)unused;
  memset(&s, 0, sizeof s);
  for (size_t width = 1; width <= ATTEST_MAX_WIDTH; width++) {
    s.width = width;
    const double scale = 1.0 / sqrt((double)width);
    const attest_rule r = attest_rule_of(s);
    assert_true(bits_of(r.scale) == bits_of((real)scale));
    assert_true(bits_of(r.scale2) == bits_of((real)(scale * 1.4426950408889634074)));
    assert_true(bits_of(r.softcap) == 0);
  }
  s.scale = 123; /* not given */
  assert_true(attest_rule_of(s).scale == (real)(1.0 / 64));
  s.scale_given = 1;
  s.softcap = 30;
  assert_true(attest_rule_of(s).scale == 123 && attest_rule_of(s).softcap == 30);
  s.scale = 0;
  assert_true(attest_rule_of(s).scale == 0 && attest_rule_of(s).scale2 == 0);
}

static void saturation(void **unused) {
  (void)unused;
  assert_true(attest_saturate(infinite, 1) == ATTEST_MAX);
  assert_true(attest_saturate(-infinite, -1) == -ATTEST_MAX);
  assert_true(attest_saturate(infinite, ATTEST_MAX) == ATTEST_MAX);
  assert_true(attest_saturate(-infinite, -ATTEST_MAX) == -ATTEST_MAX);
  assert_true(attest_saturate(infinite, infinite) == infinite);
  assert_true(attest_saturate(-infinite, -infinite) == -infinite);
  assert_true(attest_saturate(infinite, (real)NAN) == infinite);
  assert_true(is_nan(attest_saturate((real)NAN, 1)));
  assert_true(is_nan(attest_saturate((real)NAN, infinite)));
  assert_true(attest_saturate(3, 2) == 3 && attest_saturate(-ATTEST_MAX, 0) == -ATTEST_MAX);
}

/* Without softcap: one product, infinite only where the dot product is. */
static void scale_alone(void **unused) {
  const attest_rule steep = rule_for(1e20, 0), one = rule_for(1, 0);
  uint64_t state = 31;
  (void)unused;
  for (int n = 0; n < 1000; n++) {
    const real dot = spread(&state, 10);
    assert_true(bits_of(attest_score(dot, one)) == bits_of(one.scale2 * dot));
  }
  assert_true(attest_score(ATTEST_MAX / 2, steep) == ATTEST_MAX);
  assert_true(attest_score(-ATTEST_MAX / 2, steep) == -ATTEST_MAX);
  assert_true(attest_score(infinite, one) == infinite);
  assert_true(attest_score(-infinite, steep) == -infinite);
  assert_true(is_nan(attest_score((real)NAN, one)));
  assert_true(is_nan(attest_score(infinite, rule_for(0, 0))));
  assert_true(attest_score(infinite, rule_for(-1, 0)) == -infinite);
}

static void softcap(void **unused) {
  static const double caps[] = {0.5, 1, 20, 30, 50, 1e6};
  uint64_t state = 32;
  (void)unused;
  for (size_t c = 0; c < sizeof caps / sizeof caps[0]; c++) {
    const attest_rule r = rule_for(0.25, caps[c]);
    const real cap = (real)caps[c];
    for (int n = 0; n < 2000; n++) {
      const real dot = spread(&state, n % 30);
      const real y = attest_score(dot, r);
      const real scaled = (real)0.25 * dot;
      assert_true(bits_of(y) == bits_of(cap * attest_tanh(scaled / cap) * log2e));
      assert_true(bits_of(attest_score(-dot, r)) == bits_of(-y));
      assert_true(y <= cap * log2e && y >= -cap * log2e);
    }
    /* at its ends: finite, however large the dot product */
    assert_true(attest_score(ATTEST_MAX, r) == cap * log2e);
    assert_true(attest_score(-ATTEST_MAX, r) == -cap * log2e);
    assert_true(attest_score(infinite, r) == cap * log2e);
    assert_true(attest_score(-infinite, r) == -cap * log2e);
    assert_true(is_nan(attest_score((real)NAN, r)));
  }
  /* a cap so large that its product with log2(e) overflows still gives a number */
  assert_true(attest_score(ATTEST_MAX, rule_for(1, (double)ATTEST_MAX)) <= ATTEST_MAX);
  assert_true(attest_score(ATTEST_MAX, rule_for(1e20, (double)ATTEST_MAX)) <= ATTEST_MAX);
}

/* scale, softcap, bias, change of base: each a rounding of its own, in that order. */
static void bias(void **unused) {
  uint64_t state = 33;
  (void)unused;
  for (int n = 0; n < 2000; n++) {
    const real dot = spread(&state, 6), added = spread(&state, 4);
    const real plain = (real)0.25 * dot;
    const real capped = 5 * attest_tanh(plain / 5);
    const real y = attest_score_biased(dot, added, rule_for(0.25, 0));
    const real z = attest_score_biased(dot, added, rule_for(0.25, 5));
    const real sum = plain + added, capped_sum = capped + added;
    assert_true(bits_of(y) == bits_of(sum * log2e));
    assert_true(bits_of(z) == bits_of(capped_sum * log2e));
  }
}

static void bias_extremes(void **unused) {
  const attest_rule one = rule_for(1, 0), capped = rule_for(1, 30);
  (void)unused;
  /* a mask by the most negative number: a number, and the same whatever the score beside it */
  assert_true(attest_score_biased(3, -ATTEST_MAX, one) == -ATTEST_MAX);
  assert_true(attest_score_biased(-ATTEST_MAX, -ATTEST_MAX, one) == -ATTEST_MAX);
  assert_true(attest_score_biased(ATTEST_MAX, ATTEST_MAX, one) == ATTEST_MAX);
  assert_true(attest_score_biased(ATTEST_MAX, -ATTEST_MAX, one) == 0);
  assert_true(attest_score_biased(3, -ATTEST_MAX, capped) == -ATTEST_MAX);
  assert_true(attest_score_biased(ATTEST_MAX, ATTEST_MAX, rule_for(1e20, 0)) == ATTEST_MAX);
  /* not finite: passed on */
  assert_true(attest_score_biased(1, infinite, one) == infinite);
  assert_true(attest_score_biased(infinite, 1, one) == infinite);
  assert_true(attest_score_biased(-infinite, 1, one) == -infinite);
  assert_true(is_nan(attest_score_biased(-infinite, infinite, one)));
  assert_true(is_nan(attest_score_biased(1, (real)NAN, one)));
  assert_true(is_nan(attest_score_biased((real)NAN, 1, one)));
  assert_true(attest_score_biased(infinite, 1, capped) == 31 * log2e);
}

/* The same rules through a whole problem: a bias of -MAX beside one visible key of weight 1. */
static void large_negative_mask(void **unused) {
  uint64_t state = 34;
  (void)unused;
  for (int engine = 0; engine < ENGINES; engine++)
    for (size_t tile = 1; tile <= 7; tile++)
      for (size_t kept = 0; kept < 6; kept++) {
        problem p;
        result r;
        problem_dense(&p, &state, 1, 1, 1, 2, 6, 3, 2);
        problem_bias(&p);
        for (size_t n = 0; n < p.q_count; n++) p.q[n] = 0; /* scores 0: the kept weight is 2^0 */
        for (size_t n = 0; n < 12; n++) p.bias[n] = n % 6 == kept ? 0 : -ATTEST_MAX;
        result_make(&p, &r);
        assert_int_equal(run(&p, (attest_engine)engine, tile, &r), ATTEST_OK);
        for (size_t i = 0; i < 2; i++)
          for (size_t c = 0; c < 2; c++)
            assert_true(bits_of(r.out[2 * i + c]) == bits_of(p.v[2 * kept + c]));
        /* every key so masked: they are equals, not hidden */
        for (size_t n = 0; n < 12; n++) p.bias[n] = -ATTEST_MAX;
        assert_int_equal(run(&p, (attest_engine)engine, tile, &r), ATTEST_OK);
        for (size_t n = 0; n < 12; n++) assert_true(r.weights[n] == (real)1 / 6);
        problem_free(&p);
        result_free(&r);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rule),
    cmocka_unit_test(saturation),
    cmocka_unit_test(scale_alone),
    cmocka_unit_test(softcap),
    cmocka_unit_test(bias),
    cmocka_unit_test(bias_extremes),
    cmocka_unit_test(large_negative_mask),
  };
  return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
