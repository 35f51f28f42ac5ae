/* The natural logarithm of the float reference: log-sum-exp needs it, once a row.

   x = 2^e m with m in [11/16, 11/8], z = m - 1 exactly, log x = e log 2 + log(1 + z), and
   log(1 + z) = z - z^2/2 + z^3 S(z) with a polynomial S. Where e log 2 and z nearly cancel the
   rounding error of their sum would be too much, so it is kept and added back. No libm. */
#ifndef ATTEST_LOG_H
#define ATTEST_LOG_H

#include "exp2.h"

/* S, highest degree first, by Sollya fpminimax for z in [-5/16, 3/8]. The bounds hold for
   every positive finite x, are derived in proofs/functions.md and compared with this file by
   proofs/gappa/run:
   ERROR  relative error of attest_log against log x
   ULPS   the same in ulps of log x */
#ifdef ATTEST_F64
enum { ATTEST_LOG_SERIES_TERMS = 21 };
static const real attest_log_series[ATTEST_LOG_SERIES_TERMS] = {
  0x1.5e9f71cf79ee4p-5, -0x1.2f4ba781ec38cp-4, 0x1.d41eb9887107ap-5, -0x1.62659b9b6b39p-5,
  0x1.952eeb64a3479p-5, -0x1.cdd9b0c0f68bfp-5, 0x1.e605d15d25061p-5, -0x1.ff892ccad7ac2p-5,
  0x1.10df06768ddefp-4, -0x1.2494762f6ac3p-4, 0x1.3b16af26468efp-4, -0x1.55554f37078b2p-4,
  0x1.745cf9e149625p-4, -0x1.9999994f9b3e4p-4, 0x1.c71c727c5f654p-4, -0x1.0000000184748p-3,
  0x1.2492492348e31p-3, -0x1.555555554ffbep-3, 0x1.999999999c026p-3, -0x1.0000000000033p-2,
  0x1.5555555555548p-2
};
#define ATTEST_LOG_ERROR 0x1.cp-53
#define ATTEST_LOG_ULPS 0x1.cp-1
#define ATTEST_SMALLEST_NORMAL DBL_MIN
#else
enum { ATTEST_LOG_SERIES_TERMS = 10 };
static const real attest_log_series[ATTEST_LOG_SERIES_TERMS] = {
  -0x1.56411ep-4f, 0x1.e50b0cp-4f, -0x1.a9bdcep-4f, 0x1.b978b6p-4f, -0x1.fdd74cp-4f,
  0x1.24f2c2p-3f, -0x1.55623ap-3f, 0x1.99973p-3f, -0x1.ffffcep-3f, 0x1.555558p-2f
};
#define ATTEST_LOG_ERROR 0x1.cp-24f
#define ATTEST_LOG_ULPS 0x1.cp-1f
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

  /* e and m, read from the bits (trusted as in attest_pow2; no bits can make what follows
     undefined). A subnormal x has no leading one where the others have it; scaling gives it one. */
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
  if (number.value > (real)1.375) {
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
