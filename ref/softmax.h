/* The softmax in base 2 around an integer, so that a later, larger maximum costs a multiplication
   by a power of two and no rounding (Milakov and Gimelshein, arXiv:1805.02867, in base 2). */
#ifndef ATTEST_SOFTMAX_H
#define ATTEST_SOFTMAX_H

#include <math.h>

#include "exp2.h"
#include "log.h"
#include "real.h"
#include "score.h"

/* exponent where the running maximum of the rounded scores stands after a score y. NaN is passed
   over here; the weight of its key is NaN. */
/*@ assigns \nothing; */
static inline real attest_raise(real exponent, real y) {
  const real n = attest_round(y);
  return n > exponent ? n : exponent;
}

/* The weight 2^(y - exponent) of a key, before the division, for an exponent that y has raised;
   never negative, exactly 0 for a score of -inf and where round(y) - exponent < -126 (f64: -1022). */
/*@ assigns \nothing; */
static inline real attest_weight(real y, real exponent) {
  const real n = attest_round(y);
  const real p = attest_exp2_fraction(y - n) * attest_pow2_down(n - exponent);
  return y < -ATTEST_MAX ? 0 : p;
}

/* a / sum, with NaN in its one stored pattern (x86 makes the other sign by default). */
/*@ assigns \nothing; */
static inline real attest_quotient(real a, real sum) {
  const real share = a / sum;
  return share == share ? share : (real)NAN;
}

/* Log-sum-exp, natural, of a row whose weights against `exponent` add up to sum. */
/*@ assigns \nothing; */
static inline real attest_log_sum(real exponent, real sum) {
  const real lse = exponent * ATTEST_LN2_HIGH + (exponent * ATTEST_LN2_LOW + attest_log(sum));
  return lse == lse ? lse : (real)NAN;
}

#endif
