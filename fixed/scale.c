#include "attest_q16.h"
#include "bits.h"

/* log2(e)^2 = SQUARE_HIGH 2^-40 + SQUARE_LOW 2^-72, cut off after the last bit. */
#define SQUARE_HIGH 2288489396307U
#define SQUARE_LOW 4081315091U

/* log2(e) = LOG_HIGH 2^-31 + LOG_LOW 2^-63, likewise. */
#define LOG_HIGH 3098164009U
#define LOG_LOW 1545072827U

/* floor(sqrt(x)), by halving the interval that holds it. */
/*@ assigns \nothing;
    ensures \result * \result <= x < (\result + 1) * (\result + 1);
*/
static uint32_t square_root(uint64_t x) {
  uint64_t least = 0, beyond = ATTEST_Q16_WORD;
  /*@ loop invariant least < beyond <= 4294967296;
      loop invariant below: least * least <= x;
      loop invariant above: x < beyond * beyond;
      loop assigns least, beyond;
      loop variant beyond - least; */
  while (beyond - least > 1U) {
    const uint64_t middle = least + (beyond - least) / 2U;
    //@ assert square: 0 <= middle * middle <= 4294967295 * 4294967295;
    if (middle * middle <= x)
      least = middle;
    else
      beyond = middle;
  }
  //@ assert next: beyond == least + 1;
  return (uint32_t)least;
}

/* The square of scale * log2(e) is log2(e)^2 / width. Times 2^72 and divided by width * 4^quarters,
   brought to between 533 and 2128, it is an x from 2^62 to 2^64, whose root has 32 bits:
   scale * log2(e) = sqrt(x) 2^(quarters - 36). To nearest: up if x > (root + 1/2)^2, that is, from
   root^2 + root + 1 on; the quarter in between is never met by a width, as the test shows. */
attest_q16_scale attest_q16_default_scale(uint32_t width) {
  attest_q16_scale scale = {0, -32};
  if (width == 0 || width > ATTEST_Q16_MAX_WIDTH) return scale;
  uint64_t divisor = width;
  int32_t quarters = 0;
  /*@ loop invariant 1 <= divisor <= 2128 && 0 <= quarters <= 6;
      loop invariant divisor < 533 || quarters <= 5;
      loop invariant quarters == 0 || quarters == 1 && divisor >= 4 ||
        quarters == 2 && divisor >= 16 || quarters == 3 && divisor >= 64 ||
        quarters == 4 && divisor >= 256 || quarters == 5 && divisor >= 1024;
      loop assigns divisor, quarters;
      loop variant 533 - divisor; */
  while (divisor < 533U) {
    divisor *= 4U;
    quarters++;
  }
  const uint64_t upper = SQUARE_HIGH / divisor;
  const uint64_t lower = (SQUARE_HIGH % divisor * ATTEST_Q16_WORD + SQUARE_LOW) / divisor;
  //@ assert upper: upper <= 4293601119;
  //@ assert lower: lower <= 4294967296;
  const uint64_t x = upper * ATTEST_Q16_WORD + lower;
  const uint32_t root = square_root(x);
  const uint64_t rest = x - (uint64_t)root * root;
  scale.mantissa = rest > root && root < 4294967295U ? root + 1U : root;
  scale.exponent = quarters - 36;
  return scale;
}

attest_q16_scale attest_q16_scale_of(uint32_t mantissa, int32_t exponent) {
  attest_q16_scale scale = {0, -32};
  if (mantissa == 0 || exponent < -96) return scale;
  scale.exponent = 0;
  if (exponent > 32) return scale;
  /*@ loop invariant 0 <= shift <= 31 && -96 - shift <= exponent <= 32;
      loop assigns shift, mantissa, exponent;
      loop variant 31 - shift; */
  for (uint32_t shift = 0; shift < 31U && mantissa < 2147483648U; shift++) {
    mantissa *= 2U;
    exponent--;
  }
  //@ assert product: 0 <= mantissa * 1545072827 <= 4294967295 * 1545072827;
  //@ assert sum: 0 <= mantissa * 3098164009 <= 4294967295 * 3098164009;
  const uint64_t lower = (uint64_t)mantissa * LOG_LOW / ATTEST_Q16_WORD;
  const uint64_t product = (uint64_t)mantissa * LOG_HIGH + lower; /* times 2^(exponent - 31) */
  const int large = product >= 9223372036854775808U;
  uint64_t rounded = ((large ? product / 2U : product) / 1073741824U + 1U) / 2U;
  if (large) exponent++;
  if (rounded > 4294967295U) {
    rounded /= 2U;
    exponent++;
  }
  if (exponent < -64) {
    scale.exponent = -64;
    return scale;
  }
  scale.mantissa = (uint32_t)rounded;
  scale.exponent = exponent;
  return scale;
}
