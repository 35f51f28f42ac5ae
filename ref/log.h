/* The natural logarithm of the float reference: log-sum-exp needs it, once a row.

   x = 2^e m with m in [2/3, 4/3], z = m - 1 exactly, log x = e log 2 + log(1 + z), and
   log(1 + z) = z - z^2/2 + z^3 S(z) with a polynomial S. Where e log 2 and z nearly cancel the
   rounding error of their sum would be too much, so it is kept and added back. No libm. */
#ifndef ATTEST_LOG_H
#define ATTEST_LOG_H

#include "exp2.h"

/* S, highest degree first, by Sollya fpminimax for z in [-1/3, 1/3]. The bounds hold for
   every positive finite x, are derived in proofs/functions.md and compared with this file by
   proofs/gappa/run:
   ERROR  relative error of attest_log against log x
   ULPS   the same in ulps of log x */
#ifdef ATTEST_F64
enum { ATTEST_LOG_SERIES_TERMS = 21 };
static const real attest_log_series[ATTEST_LOG_SERIES_TERMS] = {
  0x1.60250bd98d54cp-4, -0x1.5b5137882c0e5p-4, 0x1.0be319cbb4592p-5, -0x1.3373974ec9f3bp-5,
  0x1.c676d6030788cp-5, -0x1.d896dab55a5d8p-5, 0x1.df1d76eeb4c9ep-5, -0x1.fe28fcd32f554p-5,
  0x1.112cadf2d05fp-4, -0x1.24a24a389016p-4, 0x1.3b1241c19e2b7p-4, -0x1.5554a004daa1p-4,
  0x1.745d23e12e418p-4, -0x1.99999eb6d725cp-4, 0x1.c71c7180ae193p-4, -0x1.ffffffe9c7eedp-4,
  0x1.2492492506767p-3, -0x1.555555556f082p-3, 0x1.9999999998d64p-3, -0x1.ffffffffffe8bp-3,
  0x1.5555555555559p-2
};
#define ATTEST_LOG_ERROR 0x1.8p-53
#define ATTEST_LOG_ULPS 0x1.ep-1
#define ATTEST_FOUR_THIRDS 0x1.5555555555555p0
#define ATTEST_SMALLEST_NORMAL DBL_MIN
#else
enum { ATTEST_LOG_SERIES_TERMS = 10 };
static const real attest_log_series[ATTEST_LOG_SERIES_TERMS] = {
  -0x1.e39bf4p-4f, 0x1.f84914p-4f, -0x1.82c05ap-4f, 0x1.b4f472p-4f, -0x1.00d85cp-3f,
  0x1.252192p-3f, -0x1.554de6p-3f, 0x1.9995aep-3f, -0x1.00000cp-2f, 0x1.55555ap-2f
};
#define ATTEST_LOG_ERROR 0x1.8p-24f
#define ATTEST_LOG_ULPS 0x1.ep-1f
#define ATTEST_FOUR_THIRDS 0x1.555556p0f
#define ATTEST_SMALLEST_NORMAL FLT_MIN
#endif

/* log x for every x: log of a zero is -inf, log inf is inf, negative x and NaN give NaN. At most
   ATTEST_LOG_ULPS ulp; log 1 is exactly +0. */
/*@ assigns \nothing; */
static inline real attest_log(real x) {
  union {
    attest_bits bits;
    real value;
  } number;
  real exponent = 0;
  real z, square, series, small, sum, lost;
  int i;

  if (!(x > 0)) return x == 0 ? -1 / (x * x) : (x - x) / (x - x);
  if (!(x <= ATTEST_MAX)) return x;

  /* e and m. A subnormal x has no leading one where the others have it; scaling gives it one. */
  if (x < ATTEST_SMALLEST_NORMAL) {
    x *= ATTEST_INTEGERS;
    exponent = -(real)ATTEST_FRACTION_BITS;
  }
  number.value = x;
  exponent += (real)(attest_signed)(number.bits / ATTEST_EXPONENT_UNIT);
  exponent -= (real)ATTEST_EXPONENT_BIAS;
  number.bits = number.bits % ATTEST_EXPONENT_UNIT
                + (attest_bits)ATTEST_EXPONENT_BIAS * ATTEST_EXPONENT_UNIT;
  z = number.value - 1; /* m in [1, 2) */
  if (number.value > ATTEST_FOUR_THIRDS) {
    z = (real)0.5 * number.value - 1;
    exponent += 1;
  }

  series = attest_log_series[0];
  /*@ loop invariant 1 <= i <= ATTEST_LOG_SERIES_TERMS;
      loop assigns i, series;
      loop variant ATTEST_LOG_SERIES_TERMS - i; */
  for (i = 1; i < ATTEST_LOG_SERIES_TERMS; i++) series = series * z + attest_log_series[i];
  square = z * z;
  small = (real)0.5 * square - z * square * series; /* z - log(1 + z) */

  /* e LN2_HIGH is exact, and no smaller than z unless it is 0: so `lost` is exactly what the
     rounding of the sum lost (Dekker's fast two-sum). */
  sum = exponent * ATTEST_LN2_HIGH + z;
  lost = z - (sum - exponent * ATTEST_LN2_HIGH);
  return sum + (lost - (small - exponent * ATTEST_LN2_LOW));
}

#endif
