/* Logarithm and tanh: what has an exact answer, and the stated bound at random. tests/exhaustive
   tries every float. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "bound.h"
#include "exp2.h"
#include "log.h"
#include "tanh.h"
#include "trial.h"

static const real infinite = (real)INFINITY;

static int is_nan(real x) { return x != x; }

static void log_specials(void **unused) {
  (void)unused;
  assert_true(bits_of(attest_log(1)) == 0);
  assert_true(attest_log(0) == -infinite && attest_log(-(real)0) == -infinite);
  assert_true(attest_log(infinite) == infinite);
  assert_true(is_nan(attest_log(-infinite)) && is_nan(attest_log(-1)));
  assert_true(is_nan(attest_log(-real_of(1))) && is_nan(attest_log(-ATTEST_MAX)));
  assert_true(is_nan(attest_log((real)NAN)) && is_nan(attest_log(-(real)NAN)));
}

static void expect_log(real x) {
  const long double want = logl(x);
  const long double error = fabsl(attest_log(x) - want);
  if (!(error <= fabsl(want) * ATTEST_LOG_ERROR)) fail_msg("log(%a): %Lg", (double)x, error);
}

static void log_values(void **unused) {
  uint64_t state = 21;
  (void)unused;
  for (int e = -(ATTEST_EXPONENT_BIAS + ATTEST_FRACTION_BITS) + 1; e <= ATTEST_EXPONENT_BIAS; e++) {
    expect_log(power(e));
    if (e > ATTEST_EXPONENT_BIAS - 2) continue;
    for (int n = 0; n < 100; n++) {
      const real x = spread(&state, e);
      if (x != 0) expect_log(x < 0 ? -x : x);
    }
  }
  for (attest_bits n = 1; n < 3000; n++) {
    expect_log(real_of(bits_of(1) + n));
    expect_log(real_of(bits_of(1) - n));
    expect_log(real_of(bits_of((real)1.375) + n - 1500));
    expect_log(real_of(n));
  }
  expect_log(ATTEST_MAX);
}

/* At m = 1.375 both ways to split x keep the bound. The bits are those of the upper, m - 1 = 3/8: for
   x = 2.75 the lower one gives another last bit in float, 02f848. */
static void log_seam(void **unused) {
  (void)unused;
#ifdef ATTEST_F64
  assert_true(attest_log(2.75) == 0x1.02f84700434a8p+0);
#else
  assert_true(attest_log(2.75f) == 0x1.02f846p+0f);
#endif
}

static void tanh_specials(void **unused) {
  (void)unused;
  assert_true(bits_of(attest_tanh(0)) == bits_of(0));
  assert_true(bits_of(attest_tanh(-(real)0)) == bits_of(-(real)0));
  assert_true(attest_tanh(infinite) == 1 && attest_tanh(-infinite) == -1);
  assert_true(attest_tanh(ATTEST_MAX) == 1 && attest_tanh(-ATTEST_MAX) == -1);
  assert_true(is_nan(attest_tanh((real)NAN)) && is_nan(attest_tanh(-(real)NAN)));
  for (attest_bits n = 1; n < 100; n++) {
    assert_true(attest_tanh(real_of(n)) == real_of(n));
    assert_true(attest_tanh(-real_of(n)) == -real_of(n));
  }
}

static void expect_tanh(real x) {
  const long double want = tanhl(x);
  const real got = attest_tanh(x);
  const long double error = fabsl(got - want);
  if (!(error <= fabsl(want) * ATTEST_TANH_ERROR)) fail_msg("tanh(%a): %Lg", (double)x, error);
  assert_true(got >= -1 && got <= 1);
  assert_true(bits_of(attest_tanh(-x)) == bits_of(-got));
}

static void tanh_values(void **unused) {
  static const real seams[] = {ATTEST_TANH_SMALL, ATTEST_TANH_MIDDLE, ATTEST_TANH_LARGE};
  uint64_t state = 22;
  (void)unused;
  for (int e = -100; e <= 10; e++)
    for (int n = 0; n < 300; n++) expect_tanh(spread(&state, e));
  for (int seam = 0; seam < 3; seam++)
    for (attest_bits n = 0; n < 2000; n++) expect_tanh(real_of(bits_of(seams[seam]) + n - 1000));
  for (int n = 0; n < 20000; n++) expect_tanh((real)n / 1000);
}

/* ref/oracle/bound.c has the errors of the float functions a second time: it is compiled as double. */
static void same_errors_in_the_bound(void **unused) {
#ifdef ATTEST_F64
  const attest_format format = ATTEST_FORMAT_F64;
#else
  const attest_format format = ATTEST_FORMAT_F32;
#endif
  const attest_claim claim = attest_claim_engine(format, format);
  const double u = claim.accum.u, tanh_error = (double)ATTEST_TANH_ERROR;
  (void)unused;
  assert_true(claim.exp_error == (double)ATTEST_EXP2_ERROR);
  assert_true(claim.log_error == (double)ATTEST_LOG_ERROR);
  /* three roundings and twice the error of tanh */
  assert_true(claim.cap_error >= 3 * u + 2 * tanh_error);
  assert_true(claim.cap_error <= (3 * u + 2 * tanh_error) * (1 + 0x1p-20));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(log_specials),
    cmocka_unit_test(log_values),
    cmocka_unit_test(log_seam),
    cmocka_unit_test(tanh_specials),
    cmocka_unit_test(tanh_values),
    cmocka_unit_test(same_errors_in_the_bound),
  };
  return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
