/* Scales, dot products and scores in Q16.16 against GMP and MPFR. */
#include "../../fixed/dot.h"
#include "../../fixed/score.h"
#include "../../fixed/weight.h"
#include "test_q16_problem.h"

/* mantissa of value rounded to 32 bits, value changed to it. */
static void expect_scale(attest_q16_scale scale, mpfr_t value) {
  mpfr_t rounded;
  mpfr_init2(rounded, 32);
  mpfr_set(rounded, value, MPFR_RNDN);
  mpfr_mul_2si(rounded, rounded, -scale.exponent, MPFR_RNDN);
  assert_true(mpfr_cmp_ui(rounded, scale.mantissa) == 0);
  assert_true(scale.mantissa >= 2147483648U);
  mpfr_clear(rounded);
}

static void log2_e(mpfr_t value) {
  mpfr_set_ui(value, 1, MPFR_RNDN);
  mpfr_exp(value, value, MPFR_RNDN);
  mpfr_log2(value, value, MPFR_RNDN);
}

static void default_scale(void **unused) {
  mpfr_t log, value, root;
  (void)unused;
  mpfr_inits2(200, log, value, root, (mpfr_ptr)0);
  log2_e(log);
  for (uint32_t width = 1; width <= ATTEST_Q16_MAX_WIDTH; width++) {
    mpfr_sqrt_ui(root, width, MPFR_RNDN);
    mpfr_div(value, log, root, MPFR_RNDN);
    expect_scale(attest_q16_default_scale(width), value);
  }
  assert_int_equal(attest_q16_default_scale(0).mantissa, 0);
  assert_int_equal(attest_q16_default_scale(1025).mantissa, 0);
  mpfr_clears(log, value, root, (mpfr_ptr)0);
}

static void given_scale(void **unused) {
  mpfr_t log, value;
  uint64_t state = 3;
  (void)unused;
  mpfr_inits2(200, log, value, (mpfr_ptr)0);
  log2_e(log);
  for (int n = 0; n < 20000; n++) {
    const uint32_t mantissa = (uint32_t)(next(&state) >> 32) >> next(&state) % 32 | 1U;
    const int32_t exponent = number(&state, 45) - 31;
    const attest_q16_scale scale = attest_q16_scale_of(mantissa, exponent);
    mpfr_mul_ui(value, log, mantissa, MPFR_RNDN);
    mpfr_mul_2si(value, value, exponent, MPFR_RNDN);
    if (scale.mantissa == 0) {
      assert_true(mpfr_cmp_d(value, 0x1.000001p-33) < 0);
    } else {
      mpfr_mul_2si(value, value, -scale.exponent, MPFR_RNDN);
      mpfr_sub_ui(value, value, scale.mantissa, MPFR_RNDN);
      assert_true(mpfr_cmp_d(value, 0.501) < 0 && mpfr_cmp_d(value, -0.501) > 0);
      assert_true(scale.mantissa >= 2147483648U && scale.exponent >= -64);
    }
  }
  assert_int_equal(attest_q16_scale_of(0, 5).mantissa, 0);
  assert_int_equal(attest_q16_scale_of(1, INT32_MIN).mantissa, 0);
  assert_true(attest_q16_scale_of(1, INT32_MAX).exponent > -17);
  assert_true(attest_q16_scale_of(1, 15).exponent > -17);
  assert_true(attest_q16_scale_of(1, 14).exponent == -17);
  /* 1/sqrt(64) either way */
  const attest_q16_scale eighth = attest_q16_scale_of(1, -3);
  assert_int_equal(eighth.mantissa, attest_q16_default_scale(64).mantissa);
  assert_int_equal(eighth.exponent, attest_q16_default_scale(64).exponent);
  mpfr_clears(log, value, (mpfr_ptr)0);
}

/* The dot product as it should be, and what came out. */
static void expect_dot(const int32_t *q, const int32_t *k, uint32_t width) {
  mpz_t want, got;
  mpz_inits(want, got, NULL);
  exact_dot(want, q, k, width);
  const attest_q16_dot dot = attest_q16_dot_of(q, k, width, attest_q16_peak(q, width));
  mpz_set_si(got, dot.high);
  mpz_mul_2exp(got, got, 16);
  if (dot.low >= 0)
    mpz_add_ui(got, got, (unsigned long)dot.low);
  else
    mpz_sub_ui(got, got, (unsigned long)-dot.low);
  assert_true(mpz_cmp(want, got) == 0);

  const attest_q16_size size = attest_q16_size_of(dot);
  mpz_set_ui(got, size.upper);
  mpz_mul_2exp(got, got, 16);
  mpz_add_ui(got, got, size.lower);
  if (size.negative) mpz_neg(got, got);
  assert_true(mpz_cmp(want, got) == 0);
  mpz_clears(want, got, NULL);
}

static void dot_products(void **unused) {
  static const int32_t ends[] = {INT32_MIN, INT32_MIN + 1, -65537, -65536, -65535, -1,       0,
                                 1,         65535,         65536,  65537,  INT32_MAX};
  const uint32_t count = sizeof ends / sizeof *ends;
  int32_t q[1024], k[1024];
  uint64_t state = 5;
  (void)unused;
  for (uint32_t a = 0; a < count; a++)
    for (uint32_t b = 0; b < count; b++) {
      for (uint32_t c = 0; c < 1024; c++) {
        q[c] = ends[a];
        k[c] = ends[b];
      }
      expect_dot(q, k, 1024);
      expect_dot(q, k, 1);
    }
  for (int n = 0; n < 3000; n++) {
    const uint32_t width = 1 + (uint32_t)(next(&state) % 1024);
    const int32_t limit = n % 3 == 0 ? INT32_MAX : n % 3 == 1 ? 4194304 : 65536;
    for (uint32_t c = 0; c < width; c++) {
      q[c] = number(&state, limit);
      k[c] = number(&state, n % 2 ? INT32_MAX : limit);
    }
    expect_dot(q, k, width);
  }
  /* the border between one accumulator and two */
  for (uint32_t width = 1; width <= 1024; width *= 2)
    for (int32_t off = -1; off <= 1; off++) {
      const int64_t peak = 4294967296 / width + off;
      for (uint32_t c = 0; c < width; c++) {
        q[c] = peak > INT32_MAX ? INT32_MIN : (int32_t)-peak;
        k[c] = INT32_MIN;
      }
      expect_dot(q, k, width);
    }
}

/* y of a dot product, rounded by GMP: to nearest, halves away from 0. */
static void expect_score(attest_q16_dot dot, attest_q16_scale scale) {
  mpz_t want, got, low;
  mpz_inits(want, got, low, NULL);
  mpz_set_si(want, dot.high);
  mpz_mul_2exp(want, want, 16);
  mpz_set_si(low, dot.low);
  mpz_add(want, want, low);
  mpz_mul_ui(want, want, scale.mantissa);
  const int negative = mpz_sgn(want) < 0;
  mpz_abs(want, want);
  mpz_set_ui(low, 1);
  mpz_mul_2exp(low, low, (mp_bitcnt_t)(-scale.exponent - 1));
  mpz_add(want, want, low);
  mpz_fdiv_q_2exp(want, want, (mp_bitcnt_t)-scale.exponent);
  if (negative) mpz_neg(want, want);

  const attest_q16_score y = attest_q16_score_of(dot, scale);
  mpz_set_ui(got, y.whole);
  mpz_sub_ui(got, got, ATTEST_Q16_ZERO);
  mpz_mul_2exp(got, got, 32);
  mpz_add_ui(got, got, y.fraction);
  assert_true(mpz_cmp(want, got) == 0);
  mpz_clears(want, got, low, NULL);
}

static void scores(void **unused) {
  uint64_t state = 7;
  (void)unused;
  for (int n = 0; n < 200000; n++) {
    attest_q16_dot dot;
    attest_q16_scale scale;
    scale.mantissa = n % 5 == 0 ? 4294967295U : (uint32_t)(next(&state) >> 32) >> next(&state) % 32;
    scale.exponent = -17 - (int32_t)(next(&state) % 48);
    dot.high = (int64_t)(next(&state) >> (8 + next(&state) % 55));
    dot.low = (int64_t)(next(&state) >> (1 + next(&state) % 62));
    if (n % 7 == 0) dot.high = 0;
    if (n % 11 == 0) dot.high = 72057594037927936;
    if (n % 13 == 0) dot.low = 0;
    if (n % 2) dot.high = -dot.high;
    if (n % 4 < 2) dot.low = -dot.low;
    expect_score(dot, scale);
  }
}

/* 2^fraction in Q1.23 is off by no more than its rounding and the kernel's error. */
static void mantissas(void **unused) {
  mpfr_t exact;
  uint64_t state = 9;
  (void)unused;
  mpfr_init2(exact, 100);
  for (int n = 0; n < 100000; n++) {
    const uint32_t fraction =
      n < 100 ? (uint32_t)n : n < 200 ? 4294967295U - (uint32_t)(n - 100) : (uint32_t)next(&state);
    mpfr_set_ui(exact, fraction, MPFR_RNDN);
    mpfr_div_2ui(exact, exact, 32, MPFR_RNDN);
    mpfr_add_ui(exact, exact, 23, MPFR_RNDN);
    mpfr_exp2(exact, exact, MPFR_RNDN);
    mpfr_sub_ui(exact, exact, attest_q16_mantissa(fraction), MPFR_RNDN);
    assert_true(mpfr_cmp_d(exact, 0.5 + 4 / 256.0) < 0 && mpfr_cmp_d(exact, -0.5 - 4 / 256.0) > 0);
  }
  assert_int_equal(attest_q16_mantissa(0), 8388608);
  mpfr_clear(exact);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(default_scale), cmocka_unit_test(given_scale),
                                     cmocka_unit_test(dot_products), cmocka_unit_test(scores),
                                     cmocka_unit_test(mantissas)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  mpfr_free_cache();
  return failed;
}
