/* exp in Q16.16: every input with a nonzero result against MPFR, and the rule outside. */
#include <mpfr.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../fixed/attest_q16.h"

static void every_input(void **unused) {
  mpfr_t exact, rounded;
  int32_t last = 65536;
  (void)unused;
  mpfr_init2(exact, 100);
  mpfr_init2(rounded, 100);
  for (int32_t x = 0; x >= -772300; x--) {
    mpfr_set_si_2exp(exact, x, -16, MPFR_RNDN);
    mpfr_exp(exact, exact, MPFR_RNDN);
    mpfr_mul_2ui(exact, exact, 16, MPFR_RNDN);
    mpfr_round(rounded, exact); /* halves do not occur */
    const int32_t got = attest_q16_exp(x);
    if (got != mpfr_get_si(rounded, MPFR_RNDN))
      fail_msg("exp(%ld): got %ld, right is %ld", (long)x, (long)got,
               mpfr_get_si(rounded, MPFR_RNDN));
    if (got > last) fail_msg("exp(%ld) is above exp of the next", (long)x);
    last = got;
  }
  mpfr_clear(exact);
  mpfr_clear(rounded);
  mpfr_free_cache();
}

static void borders(void **unused) {
  (void)unused;
  assert_int_equal(attest_q16_exp(0), 65536);
  assert_int_equal(attest_q16_exp(1), 65536);
  assert_int_equal(attest_q16_exp(INT32_MAX), 65536);
  assert_int_equal(attest_q16_exp(-772243), 1);
  assert_int_equal(attest_q16_exp(-772244), 0);
  assert_int_equal(attest_q16_exp(-1048576), 0);
  assert_int_equal(attest_q16_exp(INT32_MIN), 0);
  assert_int_equal(attest_q16_exp(-129660), 9062); /* nearest to a midpoint */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_input), cmocka_unit_test(borders)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
