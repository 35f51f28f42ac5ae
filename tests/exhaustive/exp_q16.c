/* attest_q16_exp for every input with a nonzero result, and the kernel under it, against MPFR.

     exp_q16

   cc -O2 -std=c99 exp_q16.c ../../fixed/exp.c ../../fixed/power.c -lmpfr -lgmp

   Prints how many inputs were tried, the range of the error of attest_q16_power over the fractions
   that exp meets, and how near the nearest input is to a rounding midpoint, in ulp. Fails if a
   result is not the correctly rounded one. */
#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>

#include "../../fixed/attest_q16.h"
#include "../../fixed/power.h"

enum { LAST = 772244, BITS = 160 };

int main(void) {
  mpfr_t exact, work;
  long wrong = 0;
  double least = 0, most = 0, nearest = 1;
  int32_t nearest_at = 0;
  mpfr_init2(exact, BITS);
  mpfr_init2(work, BITS);
  for (int32_t x = 0; x >= -LAST; x--) {
    mpfr_set_si(exact, x, MPFR_RNDN);
    mpfr_div_2ui(exact, exact, 16, MPFR_RNDN);
    /* What the kernel is asked for: 2^-(fraction / 2^32), the fraction as exp.c takes it. */
    const uint64_t below = (uint64_t)-(int64_t)x * 1901360723U;
    const uint32_t fraction = (uint32_t)(((uint64_t)-(int64_t)x << 16) + (below >> 16));
    mpfr_set_ui(work, fraction, MPFR_RNDN);
    mpfr_div_2ui(work, work, 32, MPFR_RNDN);
    mpfr_ui_sub(work, 32, work, MPFR_RNDN);
    mpfr_exp2(work, work, MPFR_RNDN);
    mpfr_ui_sub(work, attest_q16_power(fraction), work, MPFR_RNDN);
    const double error = mpfr_get_d(work, MPFR_RNDN);
    if (error < least) least = error;
    if (error > most) most = error;

    mpfr_exp(exact, exact, MPFR_RNDN);
    mpfr_mul_2ui(exact, exact, 16, MPFR_RNDN);
    mpfr_round(work, exact); /* halves do not occur */
    const int32_t right = (int32_t)mpfr_get_si(work, MPFR_RNDN);
    if (attest_q16_exp(x) != right) {
      printf("FAIL exp(%ld): got %ld, right is %ld\n", (long)x, (long)attest_q16_exp(x),
             (long)right);
      wrong++;
    }
    mpfr_sub(work, exact, work, MPFR_RNDN);
    mpfr_abs(work, work, MPFR_RNDN);
    mpfr_d_sub(work, 0.5, work, MPFR_RNDN);
    if (mpfr_cmp_d(work, nearest) < 0) {
      nearest = mpfr_get_d(work, MPFR_RNDN);
      nearest_at = x;
    }
  }
  printf("exp: %d inputs, %ld wrong; power off by %.4f to %.4f; nearest to a midpoint: %ld, "
         "%.3g ulp\n", LAST + 1, wrong, least, most, (long)nearest_at, nearest);
  mpfr_clear(exact);
  mpfr_clear(work);
  mpfr_free_cache();
  return wrong == 0 && most < 4 && least > -4 ? 0 : 1;
}
