/* The hyperbolic tangent of the float reference, for softcap: y -> c tanh(y / c). No libm. */
#ifndef ATTEST_TANH_H
#define ATTEST_TANH_H

#include "exp2.h"

/* tanh a = a + a s T(s), s = a^2, for a in [0, 0.6875], and
   e^r - 1 = r + r^2 E(r) for r in [-0.35, 0.35]; highest degree first, by Sollya fpminimax.
   From SMALL down tanh x rounds to x or its neighbour; from LARGE up it is 1 within the bound.
   The bounds hold for every finite x, are derived in proofs/functions.md and compared with this
   file by proofs/gappa/run:
   ERROR  relative error of attest_tanh against tanh x
   ULPS   the same in ulps of tanh x */
#ifdef ATTEST_F64
enum { ATTEST_TANH_SERIES_TERMS = 13 };
static const real attest_tanh_series[ATTEST_TANH_SERIES_TERMS] = {
  -0x1.df8223b2824ccp-20, 0x1.5f12b649cf404p-17, -0x1.259e229613bbp-15, 0x1.8cc0446d620bbp-14,
  -0x1.f39d669e6841cp-13, 0x1.35370b327c553p-11, -0x1.7da0203e39e6ap-10, 0x1.d6d3969882805p-9,
  -0x1.226e33f8a3e19p-7, 0x1.664f48777b03dp-6, -0x1.ba1ba1b9e45ddp-5, 0x1.1111111110c9cp-3,
  -0x1.5555555555551p-2
};
enum { ATTEST_EXPM1_SERIES_TERMS = 11 };
static const real attest_expm1_series[ATTEST_EXPM1_SERIES_TERMS] = {
  0x1.261024a5791ccp-29, 0x1.af7170fe31deap-26, 0x1.27dfd4a2f5034p-22, 0x1.71ddecfb8c406p-19,
  0x1.a01a04897c8bbp-16, 0x1.a01a01b4bbc12p-13, 0x1.6c16c16b51401p-10, 0x1.111111110e93dp-7,
  0x1.555555555584fp-5, 0x1.555555555555cp-3, 0x1.fffffffffffffp-2
};
#define ATTEST_TANH_ERROR 0x1.ep-53
#define ATTEST_TANH_ULPS 0x1.ep-1
#define ATTEST_TANH_SMALL 0x1p-28
#define ATTEST_TANH_MIDDLE 0x1.6p-1
#define ATTEST_TANH_LARGE 20
#define ATTEST_TWO_LOG2E 0x1.71547652b82fep1
#else
enum { ATTEST_TANH_SERIES_TERMS = 6 };
static const real attest_tanh_series[ATTEST_TANH_SERIES_TERMS] = {
  0x1.eb286ep-10f, -0x1.01045cp-7f, 0x1.60fc9cp-6f, -0x1.b9a79p-5f, 0x1.110ea8p-3f,
  -0x1.55554cp-2f
};
enum { ATTEST_EXPM1_SERIES_TERMS = 6 };
static const real attest_expm1_series[ATTEST_EXPM1_SERIES_TERMS] = {
  0x1.a26ebp-13f, 0x1.6d592ap-10f, 0x1.110ffp-7f, 0x1.5554dep-5f, 0x1.555556p-3f, 0x1p-1f
};
#define ATTEST_TANH_ERROR 0x1.ep-24f
#define ATTEST_TANH_ULPS 0x1.ep-1f
#define ATTEST_TANH_SMALL 0x1p-13f
#define ATTEST_TANH_MIDDLE 0x1.6p-1f
#define ATTEST_TANH_LARGE 10
#define ATTEST_TWO_LOG2E 0x1.715476p1f
#endif

/* tanh a for a in [SMALL, MIDDLE). */
/*@ assigns \nothing; */
static inline real attest_tanh_near(real a) {
  real square = a * a;
  real series = attest_tanh_series[0];
  int i;
  /*@ loop invariant 1 <= i <= ATTEST_TANH_SERIES_TERMS;
      loop assigns i, series;
      loop variant ATTEST_TANH_SERIES_TERMS - i; */
  for (i = 1; i < ATTEST_TANH_SERIES_TERMS; i++) {
    series = series * square + attest_tanh_series[i];
  }
  return a + a * (square * series);
}

/* tanh a for a in [MIDDLE, LARGE): 1 - 2 / (e^2a + 1). With 2a = n log 2 + r, e^r = 1 + t and
   N = 2^-n this is 1 - 2 N / ((1 + N) + t). The sum below the line and the last difference each
   keep what their rounding lost, so that only the division and the final sum round visibly. */
/*@ assigns \nothing; */
static inline real attest_tanh_far(real a) {
  real n = attest_round(ATTEST_TWO_LOG2E * a);
  real power = attest_pow2(-n);
  real high = 2 * a - n * ATTEST_LN2_HIGH; /* exact */
  real low = n * ATTEST_LN2_LOW;
  real r = high - low;
  real series = attest_expm1_series[0];
  real t, base, divisor, divisor_lost, quotient, difference, difference_lost;
  int i;
  /*@ loop invariant 1 <= i <= ATTEST_EXPM1_SERIES_TERMS;
      loop assigns i, series;
      loop variant ATTEST_EXPM1_SERIES_TERMS - i; */
  for (i = 1; i < ATTEST_EXPM1_SERIES_TERMS; i++) series = series * r + attest_expm1_series[i];
  t = high + (r * r * series - low);

  base = 1 + power;
  divisor = base + t;
  divisor_lost = t - (divisor - base);
  quotient = 2 * power / divisor;
  difference = 1 - quotient;
  difference_lost = (1 - difference) - quotient;
  return difference + (difference_lost + quotient * (divisor_lost / divisor));
}

/* tanh x for every x: odd, -0 and NaN come back unchanged, +-inf give +-1. At most
   ATTEST_TANH_ULPS ulp. */
/*@ assigns \nothing; */
static inline real attest_tanh(real x) {
  real a = x < 0 ? -x : x;
  real t;
  if (!(a >= ATTEST_TANH_SMALL)) return x;
  if (a < ATTEST_TANH_MIDDLE) {
    t = attest_tanh_near(a);
  } else if (a < ATTEST_TANH_LARGE) {
    t = attest_tanh_far(a);
  } else {
    t = 1;
  }
  return x < 0 ? -t : t;
}

#endif
