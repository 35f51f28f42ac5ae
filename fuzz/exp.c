/* The elementary functions against MPFR: 2^f on [-1/2, 1/2], log and tanh of the float reference, float
   and double, within the ULPS that their headers state, and attest_q16_exp, correctly rounded for every
   int32. The input is words of 8 bytes, each asked of every function. All together, as they are and smaller,
   they are the scores of attest_q16_softmax: a row that sums to one, and attention's bits. */
#include "exp.h"

#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "../fixed/attest_q16.h"
#include "divide.h"
#include "power.h"
#include "problem.h"
#include "ratio.h"
#include "target.h"

enum { BITS = 160 };

typedef int evaluate(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
static evaluate *const exact[FUZZ_FUNCTIONS] = {mpfr_exp2, mpfr_log, mpfr_tanh};
static const char *const names[FUZZ_FUNCTIONS] = {"exp2", "log", "tanh"};

/* |got - exact| in ulps of the exact value, in a format of `digits` bits and least exponent `least`. */
static double ulps(mpfr_srcptr value, double got, int digits, long least) {
  mpfr_t error;
  long k = mpfr_zero_p(value) ? least : (long)mpfr_get_exp(value) - 1;
  double result;
  if (k < least) k = least;
  mpfr_init2(error, BITS);
  mpfr_sub_d(error, value, got, MPFR_RNDN);
  mpfr_mul_2si(error, error, digits - 1 - k, MPFR_RNDN);
  result = fabs(mpfr_get_d(error, MPFR_RNDA));
  mpfr_clear(error);
  return result;
}

static void check(int wide, int function, double x, double got) {
  const double allowed = wide ? fuzz_ulps_f64[function] : fuzz_ulps_f32[function];
  mpfr_t value;
  double off;
  if (got != got) {
    if (x == x && !(function == FUZZ_LOG && x < 0))
      fuzz_fail(NULL, "%s(%a) is NaN", names[function], x);
    return;
  }
  mpfr_init2(value, BITS);
  mpfr_set_d(value, x, MPFR_RNDN);
  exact[function](value, value, MPFR_RNDN);
  if (mpfr_nan_p(value)) fuzz_fail(NULL, "%s(%a) is %a, not NaN", names[function], x, got);
  if (!mpfr_number_p(value)) {
    if (got != mpfr_get_d(value, MPFR_RNDN))
      fuzz_fail(NULL, "%s(%a) is %a, not infinite", names[function], x, got);
  } else {
    off = ulps(value, got, wide ? 53 : 24, wide ? -1022 : -126);
    if (!(off <= allowed))
      fuzz_fail(NULL, "%s(%a) is %a, off by %g ulp, bound %g", names[function], x, got, off,
                allowed);
    fuzz_ratio(wide ? "f64" : "f32", names[function], off, allowed);
  }
  mpfr_clear(value);
}

static void check_float(uint64_t w) {
  const uint32_t narrow = (uint32_t)(w >> 32);
  float x32;
  double x64;
  memcpy(&x32, &narrow, sizeof x32);
  memcpy(&x64, &w, sizeof x64);
  for (int function = 0; function < FUZZ_FUNCTIONS; function++) {
    /* 2^f is asked of fractions alone */
    const float a = function == FUZZ_EXP2 && !(fabsf(x32) <= 0.5f) ? x32 - rintf(x32) : x32;
    const double b = function == FUZZ_EXP2 && !(fabs(x64) <= 0.5) ? x64 - rint(x64) : x64;
    check(0, function, (double)a, (double)fuzz_apply_f32(function, a));
    check(1, function, b, fuzz_apply_f64(function, b));
  }
}

static void check_q16(int32_t x) {
  const int32_t got = attest_q16_exp(x);
  int32_t want = 65536;
  mpfr_t value;
  if (x < 0) {
    mpfr_init2(value, BITS);
    mpfr_set_si(value, x, MPFR_RNDN);
    mpfr_div_2ui(value, value, 16, MPFR_RNDN);
    mpfr_exp(value, value, MPFR_RNDN);
    mpfr_mul_2ui(value, value, 16, MPFR_RNDN);
    want = (int32_t)mpfr_get_si(value, MPFR_RNDN); /* halves do not occur */
    mpfr_clear(value);
  }
  if (got != want)
    fuzz_fail(NULL, "attest_q16_exp(%ld) is %ld, not %ld", (long)x, (long)got, (long)want);
}

/* attest_q16_power is off by less than 4; the 32 roots of its table are the nearest numbers, but for the
   first, which is one less. */
static void check_q16_power(uint32_t fraction) {
  const uint32_t got = attest_q16_power(fraction);
  const double allowed = fraction == 0 ? 1 : fraction % 134217728 == 0 ? 0.5 : 4;
  mpfr_t value;
  double off;
  mpfr_init2(value, BITS);
  mpfr_set_ui_2exp(value, fraction, -32, MPFR_RNDN);
  mpfr_ui_sub(value, 32, value, MPFR_RNDN);
  mpfr_exp2(value, value, MPFR_RNDN);
  mpfr_sub_ui(value, value, got, MPFR_RNDN);
  off = fabs(mpfr_get_d(value, MPFR_RNDN));
  if (!(off <= allowed))
    fuzz_fail(NULL, "attest_q16_power(%lu) is %lu, off by %g", (unsigned long)fraction,
              (unsigned long)got, off);
  mpfr_clear(value);
}

static double power(int e, int least) { return e < least ? 0 : ldexp(1, e > 0 ? 0 : e); }

static void check_power(int e) {
  const double got32 = (double)fuzz_power_f32((float)e), got64 = fuzz_power_f64((double)e);
  if (got32 != power(e, -126) || got64 != power(e, -1022))
    fuzz_fail(NULL, "2^%d is %a as float, %a as double", e, got32, got64);
}

#define LOG2_E 1.4426950408889634

/* |mantissa 2^exponent - exact| in units of the last of 32 bits of the exact value; a double has 21 more. */
static double units(attest_q16_scale got, double value) {
  return fabs(ldexp((double)got.mantissa, got.exponent) - value) / ldexp(1, ilogb(value) - 31);
}

#define OF_DOUBLE 0x1p-19 /* what the double adds */

static void check_scale_of(uint32_t mantissa, int32_t exponent) {
  const attest_q16_scale got = attest_q16_scale_of(mantissa, exponent);
  const double value = ldexp((double)mantissa, exponent) * LOG2_E, small = 0x1p-33;
  int good;
  if (value >= 32768 * (1 + 0x1p-30))
    good = got.exponent > -17;
  else if (value < small * (1 - 0x1p-30))
    good = got.mantissa == 0;
  else
    good = (value < small && got.mantissa == 0) || units(got, value) <= 0.501 + OF_DOUBLE;
  if (!good || got.exponent < -64)
    fuzz_fail(NULL, "attest_q16_scale_of(%lu, %ld) is %lu 2^%ld", (unsigned long)mantissa,
              (long)exponent, (unsigned long)got.mantissa, (long)got.exponent);
}

static void check_default_scale(uint32_t width) {
  const attest_q16_scale got = attest_q16_default_scale(width);
  const int good = width == 0 || width > ATTEST_Q16_MAX_WIDTH
                       ? got.mantissa == 0
                       : units(got, LOG2_E / sqrt((double)width)) <= 0.5 + OF_DOUBLE;
  if (!good)
    fuzz_fail(NULL, "attest_q16_default_scale(%lu) is %lu 2^%ld", (unsigned long)width,
              (unsigned long)got.mantissa, (long)got.exponent);
}

/* (quotient * total + rest) / total, rest < total <= 2^55, to nearest, ties to even. */
static void check_divide(uint64_t total, uint32_t quotient, uint64_t rest) {
  const attest_q16_divisor d = attest_q16_divisor_of(total);
  const uint64_t upper = total >> 32, lower = total & 0xffffffff;
  const uint64_t low = lower * quotient + (rest & 0xffffffff);
  const int up = rest > total - rest || (rest == total - rest && quotient % 2 == 1);
  attest_q16_sum sum;
  uint32_t got;
  sum.low = low & 0xffffffff;
  sum.high = upper * quotient + (rest >> 32) + (low >> 32);
  got = attest_q16_divide(sum, &d);
  if (got != quotient + (up ? 1 : 0))
    fuzz_fail(NULL, "%lu + %llu / %llu is %lu", (unsigned long)quotient, (unsigned long long)rest,
              (unsigned long long)total, (unsigned long)got);
}

/* Quotients beyond 32 bits are the largest. */
static void check_overflow(uint64_t total, uint64_t high, uint64_t low) {
  const attest_q16_divisor d = attest_q16_divisor_of(total);
  const attest_q16_sum sum = {high, low};
  if (attest_q16_divide(sum, &d) != UINT32_MAX)
    fuzz_fail(NULL, "a quotient beyond 32 bits, by %llu, is not the largest",
              (unsigned long long)total);
}

/* Totals of every size; rests around the half, and others. */
static void check_divisions(uint64_t w) {
  const uint64_t bits = (w >> 9) >> w % 55, total = bits > 0 ? bits : 1;
  const uint32_t quotient = (uint32_t)(w >> 13) % UINT32_MAX;
  check_divide(total, quotient, 0);
  check_divide(total, quotient, total / 2);
  check_divide(total, quotient, (total - 1) / 2);
  check_divide(total, quotient, total - 1);
  check_divide(total, quotient, w % total);
  check_overflow(total, total, w % UINT32_MAX);
  check_overflow(total, total + (w >> 9), w % UINT32_MAX);
}

enum { SCORES = 64 };

static void check_softmax(const int32_t *scores, uint32_t count) {
  static const int32_t one = 65536, zeros[SCORES];
  static uint64_t scratch[ATTEST_Q16_NAIVE_SCRATCH(SCORES)];
  int32_t weights[SCORES], expected[SCORES], out;
  attest_q16_shape shape;
  attest_q16_arrays arrays = {&one, scores, zeros, NULL, &out, expected};
  int64_t sum = 0;
  memset(&shape, 0, sizeof shape);
  shape.q_heads = shape.kv_heads = shape.q_len = shape.width = shape.value_width = 1;
  shape.kv_len = count;
  if (attest_q16_layout(&shape) != ATTEST_Q16_OK ||
      attest_q16_naive(&shape, &arrays, scratch, 3 * SCORES) != ATTEST_Q16_OK ||
      attest_q16_softmax(scores, count, weights) != ATTEST_Q16_OK)
    fuzz_fail(NULL, "%lu scores are refused", (unsigned long)count);
  for (uint32_t j = 0; j < count; j++) {
    sum += weights[j];
    if (weights[j] < 0 || weights[j] != expected[j])
      fuzz_fail(NULL, "softmax: weight %lu of %lu is %ld, attention's is %ld", (unsigned long)j,
                (unsigned long)count, (long)weights[j], (long)expected[j]);
  }
  if (sum != 65536) fuzz_fail(NULL, "softmax: a row sums to %lld", (long long)sum);
}

static void check_softmaxes(const uint8_t *data, size_t size) {
  int32_t scores[SCORES];
  const uint32_t count = size / 4 < SCORES ? (uint32_t)(size / 4) : SCORES;
  if (count == 0) return;
  memcpy(scores, data, 4 * count);
  for (int n = 0; n < 4; n++) {
    check_softmax(scores, count);
    for (uint32_t j = 0; j < count; j++) scores[j] /= n < 2 ? 64 : 32; /* 2^31, 2^25, 2^19, 2^14 */
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_softmaxes(data, size);
  for (size_t at = 0; at + 8 <= size; at += 8) {
    uint64_t w = 0;
    uint32_t low;
    int32_t x;
    for (int n = 8; n-- > 0;) w = w << 8 | data[at + (size_t)n];
    check_float(w);
    low = (uint32_t)w;
    memcpy(&x, &low, sizeof x);
    check_power((int)(w % 2200) - 2190);
    check_power((int)(w % 150) - 140);
    check_scale_of(low, (int32_t)(w >> 32 & 255) - 150);
    check_default_scale((uint32_t)(w >> 40) % (ATTEST_Q16_MAX_WIDTH + 64));
    check_divisions(w);
    check_q16_power(low);
    check_q16_power(low - low % 134217728);
    check_q16(x);
    check_q16(-(int32_t)(low % 772245)); /* where the result is not 0 */
  }
  return 0;
}
