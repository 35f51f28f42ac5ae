/* Rounding to an integer, powers of two and 2^f. tests/exhaustive tries every float. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "exp2.h"
#include "trial.h"

/* Bits of 2^e for a normal e. */
static attest_bits power_bits(int e) {
  return (attest_bits)((attest_bits)(e + ATTEST_EXPONENT_BIAS) << ATTEST_FRACTION_BITS);
}

static void powers(void **unused) {
  const int least = 1 - ATTEST_EXPONENT_BIAS;
  (void)unused;
  for (int e = -5000; e <= 5000; e++) {
    const attest_bits want = e >= 0 ? power_bits(0) : e < least ? 0 : power_bits(e);
    assert_true(bits_of(attest_pow2((real)e)) == want);
  }
  assert_true(bits_of(attest_pow2(-(real)0)) == power_bits(0));
  assert_true(bits_of(attest_pow2(-ATTEST_MAX)) == 0);
  assert_true(bits_of(attest_pow2(ATTEST_MAX)) == power_bits(0));
  assert_true(bits_of(attest_pow2(-(real)INFINITY)) == 0);
  assert_true(bits_of(attest_pow2((real)INFINITY)) == power_bits(0));
  assert_true(bits_of(attest_pow2((real)NAN)) == 0);
  assert_true(bits_of(attest_pow2(-(real)NAN)) == 0);
}

/* Against rint in the current rounding, to nearest and ties to even; only a zero's sign is free. */
static void expect_round(real y) {
  const double want = rint((double)y);
  const real got = attest_round(y);
  if ((double)got != want) fail_msg("round(%a) is %a", (double)y, (double)got);
}

static void rounds(void **unused) {
  uint64_t state = 3;
  (void)unused;
  for (int n = -3000; n <= 3000; n++)
    for (int eighths = 0; eighths < 8; eighths++) expect_round((real)n + (real)eighths / 8);
  /* ties and their neighbours, up to where no fraction is left */
  for (int e = -4; e <= ATTEST_FRACTION_BITS + 3; e++)
    for (int n = 0; n < 300; n++) {
      real y = power(e) + spread(&state, e);
      attest_bits bits;
      y = (real)(floor((double)y) + 0.5);
      bits = bits_of(y);
      for (attest_bits near = 0; near < 5; near++) {
        expect_round(real_of(bits + near - 2));
        expect_round(-real_of(bits + near - 2));
      }
    }
  for (int e = -30; e < 120; e++)
    for (int n = 0; n < 100; n++) expect_round(spread(&state, e));
}

static void round_specials(void **unused) {
  const real inf = (real)INFINITY;
  const real least = real_of(1); /* the smallest subnormal */
  (void)unused;
  assert_true(attest_round(inf) == inf && attest_round(-inf) == -inf);
  assert_true(attest_round((real)NAN) != attest_round((real)NAN));
  assert_true(attest_round(ATTEST_MAX) == ATTEST_MAX && attest_round(-ATTEST_MAX) == -ATTEST_MAX);
  assert_true(attest_round(least) == 0 && attest_round(-least) == 0);
  assert_true(attest_round((real)0.5) == 0 && attest_round((real)1.5) == 2);
  assert_true(attest_round((real)2.5) == 2 && attest_round((real)-2.5) == -2);
  expect_round(ATTEST_INTEGERS);
  expect_round(ATTEST_INTEGERS - (real)0.5);
  expect_round(-ATTEST_INTEGERS + (real)0.5);
  expect_round(ATTEST_INTEGERS / 2 + (real)0.5);
  expect_round(ATTEST_INTEGERS + 1);
  expect_round(2 * ATTEST_INTEGERS + 2);
}

/* Within the stated bound of 2^f, on a grid and at random, and exactly 1 at 0. */
static void expect_fraction(real f) {
  const long double want = exp2l(f);
  const long double error = fabsl(attest_exp2_fraction(f) - want) / want;
  if (!(error <= ATTEST_EXP2_ERROR)) fail_msg("2^%a is off by %Lg", (double)f, error);
}

static void fractions(void **unused) {
  uint64_t state = 4;
  (void)unused;
  assert_true(attest_exp2_fraction(0) == 1 && attest_exp2_fraction(-(real)0) == 1);
  assert_true(attest_exp2_fraction((real)NAN) != attest_exp2_fraction((real)NAN));
  for (int n = -4096; n <= 4096; n++) expect_fraction((real)n / 8192);
  for (int n = 0; n < 200000; n++) expect_fraction(spread(&state, -1));
  for (int e = -200; e < -1; e++) expect_fraction(spread(&state, e));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(powers),
    cmocka_unit_test(rounds),
    cmocka_unit_test(round_specials),
    cmocka_unit_test(fractions),
  };
  return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
