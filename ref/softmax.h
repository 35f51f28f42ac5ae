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
/*@ assigns \nothing;
    ATTEST_EXACTLY(ensures attest_nearest(y) <= \result && exponent <= \result;
                   ensures attest_whole(exponent) ==> attest_whole(\result);)
*/
static inline real attest_raise(real exponent, real y) {
  const real n = attest_round(y);
  return n > exponent ? n : exponent;
}

/* The weight 2^(y - exponent) of a key, before the division, for an exponent that y has raised;
   never negative, exactly 0 for a score of -inf and where round(y) - exponent < -126 (f64: -1022). */
/*@ assigns \nothing;
    ATTEST_EXACTLY(ensures -ATTEST_MAX <= y && attest_whole(exponent) && attest_nearest(y) <= exponent
                     ==> \result == attest_two_to(y, exponent);)
*/
static inline real attest_weight(real y, real exponent) {
  const real n = attest_round(y);
  //@ ghost ATTEST_EXACTLY(attest_two_factors(y, n, exponent));
  const real fraction = attest_exp2_fraction(y - n), power = attest_pow2_down(n - exponent);
  //@ ghost ATTEST_EXACTLY(attest_named_product(fraction, power));
  const real p = fraction * power;
  return y < -ATTEST_MAX ? 0 : p;
}

/* attest_weight bit for bit, in fewer steps, against an exponent for which attest_near holds. The two
   numbers that the others return depend on the exponent alone; -inf, where every score is NaN or -inf,
   does as well as 0. The score is cut off where the weight has become 0, which bounds it, so neither
   the rounding nor the power needs a test. */
/*@ assigns \nothing; */
static inline int attest_near(real exponent) {
  return exponent < ATTEST_NEAR && (exponent > -ATTEST_NEAR || exponent < -ATTEST_MAX);
}
/*@ assigns \nothing; */
static inline real attest_near_low(real exponent) {
  return (exponent < -ATTEST_MAX ? 0 : exponent) - ATTEST_EXPONENT_BIAS;
}
/*@ assigns \nothing; */
static inline attest_bits attest_near_fields(real exponent) {
  return attest_low_bits(ATTEST_ROUNDING - attest_near_low(exponent));
}
/*@ assigns \nothing; */
static inline real attest_near_cut(real y, real low) { return low > y ? low : y; } /* NaN stays */
/*@ assigns \nothing; */
static inline real attest_near_weight(real y, real low, attest_bits fields) {
  const real t = attest_near_cut(y, low);
  const real moved = t + ATTEST_ROUNDING;
  return attest_exp2_fraction(t - (moved - ATTEST_ROUNDING)) *
         attest_from_fields(attest_low_bits(moved), fields);
}

/* attest_near_weight of four scores. */
/*@ assigns \nothing; */
static inline attest_four attest_near_weights(attest_four y, real low, attest_bits fields) {
  attest_four t, moved, f, p;
  t.a = attest_near_cut(y.a, low);
  t.b = attest_near_cut(y.b, low);
  t.c = attest_near_cut(y.c, low);
  t.d = attest_near_cut(y.d, low);
  moved.a = t.a + ATTEST_ROUNDING;
  moved.b = t.b + ATTEST_ROUNDING;
  moved.c = t.c + ATTEST_ROUNDING;
  moved.d = t.d + ATTEST_ROUNDING;
  f.a = t.a - (moved.a - ATTEST_ROUNDING);
  f.b = t.b - (moved.b - ATTEST_ROUNDING);
  f.c = t.c - (moved.c - ATTEST_ROUNDING);
  f.d = t.d - (moved.d - ATTEST_ROUNDING);
  p = attest_exp2_fractions(f);
  p.a = p.a * attest_from_fields(attest_low_bits(moved.a), fields);
  p.b = p.b * attest_from_fields(attest_low_bits(moved.b), fields);
  p.c = p.c * attest_from_fields(attest_low_bits(moved.c), fields);
  p.d = p.d * attest_from_fields(attest_low_bits(moved.d), fields);
  return p;
}

/* a / sum, with NaN in its one stored pattern (x86 makes the other sign by default). */
/*@ assigns \nothing;
    ATTEST_EXACTLY(ensures \result == a / sum;)
*/
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
