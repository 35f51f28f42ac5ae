#include <float.h>
#include <math.h>

#include "exact_state.h"

/* From the first to the last bit that doubles can have, so that differences of theirs are exact. */
enum { DOUBLE_BITS = 2240 };

attest_enclosure attest_exact_box(mpfi_srcptr x) {
  const mpfr_prec_t bits = mpfi_get_prec(x) + DOUBLE_BITS;
  attest_enclosure result;
  mpfr_t middle, gap;
  double radius;
  mpfr_init2(middle, bits);
  mpfr_init2(gap, bits);
  mpfi_mid(middle, x);
  result.high = mpfr_get_d(middle, MPFR_RNDN) + 0;
  result.low = 0;
  result.radius = HUGE_VAL;
  if (!(fabs(result.high) <= DBL_MAX)) {
    result.high = mpfr_sgn(middle) < 0 ? -DBL_MAX : DBL_MAX;
  } else if (mpfr_number_p(middle)) {
    mpfr_sub_d(gap, middle, result.high, MPFR_RNDN);
    result.low = mpfr_get_d(gap, MPFR_RNDN) + 0;
    mpfr_sub_d(gap, &x->right, result.high, MPFR_RNDU);
    mpfr_sub_d(gap, gap, result.low, MPFR_RNDU);
    radius = mpfr_get_d(gap, MPFR_RNDU);
    mpfr_d_sub(gap, result.high, &x->left, MPFR_RNDU);
    mpfr_add_d(gap, gap, result.low, MPFR_RNDU);
    result.radius = mpfr_get_d(gap, MPFR_RNDU);
    if (radius > result.radius) result.radius = radius;
  }
  mpfr_clear(gap);
  mpfr_clear(middle);
  return result;
}
