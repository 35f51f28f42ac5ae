/* From a dot product to y = <q, k> scale log2(e), a score in base 2. */
#ifndef ATTEST_Q16_SCORE_H
#define ATTEST_Q16_SCORE_H

#include "attest_q16.h"
#include "bits.h"
#include "dot.h"

/* y = (whole - 2^62) + fraction / 2^32. */
typedef struct {
  uint64_t whole;
  uint32_t fraction;
} attest_q16_score;

#define ATTEST_Q16_ZERO 4611686018427387904U /* whole of y = 0: 2^62 */

/* A dot product without its sign: upper * 65536 + lower. */
typedef struct {
  uint64_t upper;
  uint32_t lower;
  uint32_t negative;
} attest_q16_size;

/*@ predicate attest_q16_size_ok(attest_q16_size x) =
      x.upper <= 288230376151711744 && x.lower <= 65535;

    logic integer attest_q16_size_value(attest_q16_size x) = x.upper * 65536 + x.lower;

    predicate attest_q16_scale_ok(attest_q16_scale scale) = -64 <= scale.exponent <= -17;

    predicate attest_q16_score_ok(attest_q16_score y) =
      1 <= y.whole <= 9223372036854775807;
*/

/*@ requires attest_q16_dot_ok(dot);
    assigns \nothing;
    ensures attest_q16_size_ok(\result);
    ensures sign: \result.negative != 0 <==> attest_q16_dot_value(dot) < 0;
    ensures value: attest_q16_size_value(\result) ==
      attest_q16_magnitude(attest_q16_dot_value(dot));
*/
static inline attest_q16_size attest_q16_size_of(attest_q16_dot dot) {
  int64_t upper = dot.high + dot.low / 65536;
  int32_t lower = (int32_t)(dot.low % 65536);
  if (lower < 0) {
    lower += 65536;
    upper -= 1;
  }
  attest_q16_size size;
  size.negative = upper < 0 ? 1U : 0U;
  if (upper >= 0) {
    size.upper = (uint64_t)upper;
    size.lower = (uint32_t)lower;
  } else if (lower == 0) {
    size.upper = (uint64_t)-upper;
    size.lower = 0;
  } else {
    size.upper = (uint64_t)(-upper - 1);
    size.lower = 65536U - (uint32_t)lower;
  }
  return size;
}

/* |y| = whole + fraction / 2^32. */
typedef struct {
  uint64_t whole;
  uint32_t fraction;
} attest_q16_mixed;

/* size * scale, to nearest, halves away from 0. The product with the mantissa is below 2^106:
   2^48 top + 2^16 middle + a rest of 16 bits, which the scale's exponent, at most -17, drops. */
/*@ requires attest_q16_size_ok(size) && attest_q16_scale_ok(scale);
    assigns \nothing;
    ensures \result.whole <= 576460752303423488;
    ensures value: \result.whole * 4294967296 + \result.fraction ==
      attest_q16_nearest(attest_q16_size_value(size) * scale.mantissa, -scale.exponent);
*/
static inline attest_q16_mixed attest_q16_scaled(attest_q16_size size, attest_q16_scale scale) {
  const uint32_t mantissa = scale.mantissa;
  const uint32_t upper = (uint32_t)(size.upper / ATTEST_Q16_WORD);
  //@ assert upper: upper <= 67108864;
  //@ assert product_0: 0 <= size.lower * mantissa <= 65535 * 4294967295;
  const uint64_t carry = attest_q16_product(size.lower, mantissa) / 65536U;
  //@ assert product_1: 0 <= (size.upper % 4294967296) * mantissa <= 4294967295 * 4294967295;
  const uint64_t middle =
    attest_q16_product((uint32_t)(size.upper % ATTEST_Q16_WORD), mantissa) + carry;
  //@ assert product_2: 0 <= upper * mantissa <= 67108864 * 4294967295;
  uint64_t top = attest_q16_product(upper, mantissa) + middle / ATTEST_Q16_WORD;
  uint64_t bottom = middle % ATTEST_Q16_WORD;
  uint32_t drop = (uint32_t)(-17 - scale.exponent);
  //@ ghost const uint32_t shift = drop >= 32U ? 48U : 16U;
  /*@ assert size: attest_q16_size_value(size) * mantissa ==
        (size.upper * 65536 + size.lower) * mantissa; */
  /*@ assert words: top * 4294967296 + bottom ==
        (size.upper * 65536 + size.lower) * mantissa / 65536; */
  if (drop >= 32U) {
    bottom = top % ATTEST_Q16_WORD;
    top /= ATTEST_Q16_WORD;
    drop -= 32U;
  }
  //@ ghost attest_q16_twos();
  //@ ghost attest_q16_two_sum(16U, 32U);
  /*@ assert shifted: top * 4294967296 + bottom ==
        (size.upper * 65536 + size.lower) * mantissa / attest_q16_two(shift); */
  //@ ghost attest_q16_down_wide(size.upper, size.lower, mantissa, shift, drop);
  //@ ghost attest_q16_down_words(top, bottom, drop);
  /* One bit more than wanted is kept, then rounded away. */
  const uint64_t below =
    attest_q16_down64(top % ATTEST_Q16_WORD * ATTEST_Q16_WORD + bottom, drop) % ATTEST_Q16_WORD;
  const uint64_t above = attest_q16_down64(top, drop);
  const uint64_t fraction = above % 2U * 2147483648U + (below + 1U) / 2U;
  attest_q16_mixed y;
  y.whole = above / 2U + fraction / ATTEST_Q16_WORD;
  y.fraction = (uint32_t)(fraction % ATTEST_Q16_WORD);
  return y;
}

/*@ requires attest_q16_dot_ok(dot) && attest_q16_scale_ok(scale);
    assigns \nothing;
    ensures attest_q16_score_ok(\result);
    ensures whole: \result.whole ==
      attest_q16_score_whole(attest_q16_dot_value(dot), scale.mantissa, scale.exponent);
    ensures fraction: \result.fraction ==
      attest_q16_score_fraction(attest_q16_dot_value(dot), scale.mantissa, scale.exponent);
*/
static inline attest_q16_score attest_q16_score_here(attest_q16_dot dot, attest_q16_scale scale) {
  const attest_q16_size size = attest_q16_size_of(dot);
  const attest_q16_mixed y = attest_q16_scaled(size, scale);
  /*@ assert rounded:
        attest_q16_rounded(attest_q16_dot_value(dot), scale.mantissa, scale.exponent) ==
        (size.negative == 0 ? 1 : -1) * (y.whole * 4294967296 + y.fraction); */
  attest_q16_score score;
  if (size.negative == 0) {
    score.whole = ATTEST_Q16_ZERO + y.whole;
    score.fraction = y.fraction;
  } else if (y.fraction == 0) {
    score.whole = ATTEST_Q16_ZERO - y.whole;
    score.fraction = 0;
  } else {
    score.whole = ATTEST_Q16_ZERO - y.whole - 1U;
    score.fraction = 4294967295U - y.fraction + 1U;
  }
  return score;
}

/* The same by a function of its own, which takes parts of structures: those pass by registers. */
/*@ requires -72057594037927936 <= high <= 72057594037927936;
    requires -9223372036854775807 <= low <= 9223372036854775807;
    requires -64 <= exponent <= -17;
    assigns \nothing;
    ensures attest_q16_score_ok(\result);
    ensures whole: \result.whole ==
      attest_q16_score_whole(high * 65536 + low, mantissa, exponent);
    ensures fraction: \result.fraction ==
      attest_q16_score_fraction(high * 65536 + low, mantissa, exponent);
*/
attest_q16_score attest_q16_score_parts(int64_t high, int64_t low, uint32_t mantissa,
                                        int32_t exponent);

#if defined ATTEST_Q16_NARROW && !defined __AVR__
/*@ requires attest_q16_dot_ok(dot) && attest_q16_scale_ok(scale);
    assigns \nothing;
    ensures attest_q16_score_ok(\result);
    ensures whole: \result.whole ==
      attest_q16_score_whole(attest_q16_dot_value(dot), scale.mantissa, scale.exponent);
    ensures fraction: \result.fraction ==
      attest_q16_score_fraction(attest_q16_dot_value(dot), scale.mantissa, scale.exponent);
*/
static inline attest_q16_score attest_q16_score_apart(attest_q16_dot dot,
                                                      attest_q16_scale scale) {
  return attest_q16_score_parts(dot.high, dot.low, scale.mantissa, scale.exponent);
}

#define attest_q16_score_of attest_q16_score_apart
#else
#define attest_q16_score_of attest_q16_score_here
#endif

#endif
