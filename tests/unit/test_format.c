/* Rounding to each format, against MPFR: numbers of two doubles, near and on midpoints, at the ends of
   the ranges; and what an enclosure decides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <mpfr.h>

#include "format.h"
#include "random.h"

static const attest_format formats[] = {ATTEST_FORMAT_F64, ATTEST_FORMAT_F32, ATTEST_FORMAT_F16,
                                        ATTEST_FORMAT_BF16, ATTEST_FORMAT_Q16};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/* high + low rounded by MPFR, which has each format's precision and exponents itself. */
static double expected(attest_format format, double high, double low) {
  static const int precision[] = {53, 24, 11, 8}, lowest[] = {-1073, -148, -23, -132},
                   highest[] = {1024, 128, 16, 128};
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_t exact, x;
  double result;

  if (high == 0 && low == 0) return 0; /* an exact zero is +0 */
  mpfr_init2(exact, 2400);
  mpfr_set_d(exact, high, MPFR_RNDN);
  mpfr_add_d(exact, exact, low, MPFR_RNDN);
  if (format == ATTEST_FORMAT_Q16) {
    mpfr_mul_2ui(exact, exact, 16, MPFR_RNDN);
    mpfr_rint(exact, exact, MPFR_RNDN); /* to even */
    result = mpfr_get_d(exact, MPFR_RNDN);
    mpfr_clear(exact);
    if (result > 2147483647) result = 2147483647;
    if (result < -2147483648.0) result = -2147483648.0;
    return result / 65536 + 0;
  }
  mpfr_init2(x, precision[format]);
  mpfr_set_emin(lowest[format]);
  mpfr_set_emax(highest[format]);
  {
    int t = mpfr_set(x, exact, MPFR_RNDN);
    t = mpfr_check_range(x, t, MPFR_RNDN);
    mpfr_subnormalize(x, t, MPFR_RNDN);
  }
  result = mpfr_get_d(x, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  mpfr_clear(x);
  mpfr_clear(exact);
  return result;
}

static void same(double got, double want, attest_format format, double high, double low) {
  if (got == want && !signbit(got) == !signbit(want)) return;
  fail_msg("format %d: %a + %a gives %a, not %a", (int)format, high, low, got, want);
}

/* A number of any size, often with few bits, so that midpoints are met. */
static double any(uint64_t *state, int low, int high) {
  const uint64_t bits = draw(state);
  const int keep = (int)below(state, 54);
  const int exponent = low + (int)below(state, (size_t)(high - low + 1));
  double x = (double)((bits >> 11) >> keep << keep) * 0x1p-53;
  x = ldexp(x, exponent);
  return bits & 1 ? -x : x;
}

static void test_nearest(void **unused) {
  uint64_t state = 7;
  (void)unused;
  for (int f = 0; f < FORMATS; f++)
    for (int n = 0; n < 60000; n++) {
      static const int ranges[][2] = {{-1080, 1023}, {-155, -120}, {-30, 20}, {100, 129}, {-3, 3},
                                      {-28, -10}, {10, 17}};
      const int *range = ranges[n % 7];
      const double high = any(&state, range[0], range[1]);
      double low = 0;
      if (n % 3 != 0) low = ldexp(any(&state, -40, 0), high == 0 ? -1000 : ilogb(high) - 53);
      {
        /* the two must be apart: |low| at most half an ulp of high */
        const double sum = high + low, rest = low - (sum - high);
        same(attest_format_nearest(formats[f], sum, rest), expected(formats[f], sum, rest),
             formats[f], sum, rest);
      }
    }
}

static void test_ends(void **unused) {
  (void)unused;
  for (int f = 0; f < FORMATS; f++) {
    const attest_format format = formats[f];
    const attest_arithmetic a = attest_arithmetic_of(format);
    const double numbers[] = {a.largest, -a.largest, a.tiny, a.tiny / 2, a.tiny * 1.5,
                              -a.tiny / 2, 32768, -32768, 65504, 65520, 0x1.ffp127};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
      for (int k = -1; k <= 1; k++) {
        const double low = k * fabs(numbers[i]) * 0x1p-60;
        if (!(fabs(numbers[i]) <= DBL_MAX)) continue;
        same(attest_format_nearest(format, numbers[i], low), expected(format, numbers[i], low),
             format, numbers[i], low);
      }
  }
  same(attest_format_nearest(ATTEST_FORMAT_Q16, -0x1p-20, 0), 0, ATTEST_FORMAT_Q16, -0x1p-20, 0);
  same(attest_format_nearest(ATTEST_FORMAT_F16, -0x1p-30, 0), -0.0, ATTEST_FORMAT_F16, -0x1p-30, 0);
  assert_true(isnan(attest_format_nearest(ATTEST_FORMAT_F32, NAN, 0)));
}

/* What is decided is what every number of the enclosure rounds to. */
static void test_decide(void **unused) {
  uint64_t state = 11;
  size_t decided = 0, open = 0;
  (void)unused;
  for (int f = 0; f < FORMATS; f++)
    for (int n = 0; n < 40000; n++) {
      const double high = any(&state, -20, 10);
      const double low = n % 2 ? 0 : ldexp(any(&state, -30, 0), high == 0 ? -1000 : ilogb(high) - 54);
      const double radius = ldexp(fabs(any(&state, 0, 0)), -(int)below(&state, 90));
      const attest_enclosure e = {high, low, radius};
      double value;
      mpfr_t end;
      if (!attest_format_decide(formats[f], e, &value)) {
        open++;
        continue;
      }
      decided++;
      mpfr_init2(end, 2400);
      for (int side = -1; side <= 1; side++) {
        double first, rest;
        mpfr_set_d(end, high, MPFR_RNDN);
        mpfr_add_d(end, end, low, MPFR_RNDN);
        mpfr_add_d(end, end, side * radius, MPFR_RNDN);
        first = mpfr_get_d(end, MPFR_RNDN);
        mpfr_sub_d(end, end, first, MPFR_RNDN);
        rest = mpfr_get_d(end, MPFR_RNDN);
        if (radius == 0 && first == 0) continue;
        same(value, expected(formats[f], first, rest), formats[f], first, rest);
      }
      mpfr_clear(end);
    }
  assert_true(decided > 10000 && open > 10000);
}

static void test_zero(void **unused) {
  const attest_enclosure exact = {-0.0, 0, 0}, around = {0, 0, 0x1p-1000}, nothing = {1, 0, INFINITY};
  double value = 1;
  (void)unused;
  assert_true(attest_format_decide(ATTEST_FORMAT_F32, exact, &value));
  assert_true(value == 0 && !signbit(value));
  assert_false(attest_format_decide(ATTEST_FORMAT_F32, around, &value));
  assert_true(attest_format_decide(ATTEST_FORMAT_Q16, around, &value));
  assert_false(attest_format_decide(ATTEST_FORMAT_F32, nothing, &value));
}

static void test_ulp(void **unused) {
  (void)unused;
  assert_true(attest_format_ulp(ATTEST_FORMAT_F32, 1) == 0x1p-23);
  assert_true(attest_format_ulp(ATTEST_FORMAT_F32, nextafter(1, 0)) == 0x1p-24);
  assert_true(attest_format_ulp(ATTEST_FORMAT_F32, 0) == 0x1p-149);
  assert_true(attest_format_ulp(ATTEST_FORMAT_F16, -65504) == 32);
  assert_true(attest_format_ulp(ATTEST_FORMAT_BF16, 3) == 0x1p-6);
  assert_true(attest_format_ulp(ATTEST_FORMAT_Q16, 20000) == 0x1p-16);
  assert_true(attest_format_ulp(ATTEST_FORMAT_F64, DBL_MAX) == 0x1p971);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nearest), cmocka_unit_test(test_ends), cmocka_unit_test(test_decide),
      cmocka_unit_test(test_zero),    cmocka_unit_test(test_ulp),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
