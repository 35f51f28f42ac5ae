#include "half.h"

#include <string.h>

enum {
  F64_FRACTION = 52,
  F64_BIAS = 1023
};

static const uint64_t f64_nan = UINT64_C(0x7ff8000000000000);
static const uint64_t f64_infinity = UINT64_C(0x7ff0000000000000);

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double value_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* A narrow format: `fraction` stored significand bits below `exponent` exponent bits. */
static double widen(uint32_t bits, int fraction, int exponent) {
  const int bias = (1 << (exponent - 1)) - 1;
  const uint32_t all_ones = (UINT32_C(1) << exponent) - 1;
  const uint64_t sign = (uint64_t)((bits >> (fraction + exponent)) & 1) << 63;
  const uint32_t stored = (bits >> fraction) & all_ones;
  uint64_t significand = bits & ((UINT32_C(1) << fraction) - 1);
  int power;

  if (stored == all_ones)
    return value_of(significand != 0 ? f64_nan : sign | f64_infinity);
  if (stored == 0) {
    if (significand == 0)
      return value_of(sign);
    /* Every subnormal of the narrow formats is a normal binary64 number. */
    power = 1 - bias;
    while ((significand >> fraction) == 0) {
      significand <<= 1;
      power--;
    }
    significand &= (UINT64_C(1) << fraction) - 1;
  } else {
    power = (int)stored - bias;
  }
  return value_of(sign | (uint64_t)(power + F64_BIAS) << F64_FRACTION |
                  significand << (F64_FRACTION - fraction));
}

static int narrow(double x, int fraction, int exponent, uint32_t *out) {
  const uint64_t bits = bits_of(x);
  const int bias = (1 << (exponent - 1)) - 1;
  const uint32_t infinity = ((UINT32_C(1) << exponent) - 1) << fraction;
  const uint32_t sign = (uint32_t)(bits >> 63) << (fraction + exponent);
  const uint64_t magnitude = bits & ~(UINT64_C(1) << 63);
  uint64_t significand, kept, rest, half;
  int power, target, shift;

  if (magnitude >= f64_infinity) {
    *out = magnitude > f64_infinity ? infinity | UINT32_C(1) << (fraction - 1) : sign | infinity;
    return 0;
  }
  /* A binary64 subnormal lies far below half of the least number of every narrow format. */
  if ((magnitude >> F64_FRACTION) == 0) {
    *out = sign;
    return 0;
  }
  power = (int)(magnitude >> F64_FRACTION) - F64_BIAS;
  if (power > bias) {
    *out = sign | infinity;
    return -1;
  }
  significand = (magnitude & ((UINT64_C(1) << F64_FRACTION) - 1)) | UINT64_C(1) << F64_FRACTION;
  target = power < 1 - bias ? 1 - bias : power;
  shift = F64_FRACTION - fraction + (target - power);
  /* Here 2^(shift-1), half a unit, is at least 2^53 and so above every significand. */
  if (shift > F64_FRACTION + 1) {
    *out = sign;
    return 0;
  }
  kept = significand >> shift;
  rest = significand & ((UINT64_C(1) << shift) - 1);
  half = UINT64_C(1) << (shift - 1);
  if (rest > half || (rest == half && (kept & 1) != 0))
    kept++;
  /* The leading bit of a normal significand adds the missing 1 to the exponent field, and a
     carry out of the fraction moves to the next binade; neither needs a case of its own. */
  *out = ((uint32_t)(target + bias - 1) << fraction) + (uint32_t)kept;
  if (*out >= infinity) {
    *out = sign | infinity;
    return -1;
  }
  *out |= sign;
  return 0;
}

double attest_f64_from_f16(uint16_t bits) { return widen(bits, 10, 5); }

double attest_f64_from_bf16(uint16_t bits) { return widen(bits, 7, 8); }

double attest_f64_from_f32_bits(uint32_t bits) { return widen(bits, 23, 8); }

int attest_f16_from_f64(double x, uint16_t *bits) {
  uint32_t wide;
  const int status = narrow(x, 10, 5, &wide);
  *bits = (uint16_t)wide;
  return status;
}

int attest_bf16_from_f64(double x, uint16_t *bits) {
  uint32_t wide;
  const int status = narrow(x, 7, 8, &wide);
  *bits = (uint16_t)wide;
  return status;
}

int attest_f32_bits_from_f64(double x, uint32_t *bits) { return narrow(x, 23, 8, bits); }

double attest_f64_canonical(double x) { return x != x ? value_of(f64_nan) : x; }
