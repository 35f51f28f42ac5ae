/* The elementary functions against MPFR: 2^f on [-1/2, 1/2], log and tanh of the float reference, float
   and double, within the ULPS that their headers state, and attest_q16_exp, correctly rounded for every
   int32. The input is words of 8 bytes, each asked of every function. */
#include "exp.h"

#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "../fixed/attest_q16.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  for (size_t at = 0; at + 8 <= size; at += 8) {
    uint64_t w = 0;
    uint32_t low;
    int32_t x;
    for (int n = 8; n-- > 0;) w = w << 8 | data[at + (size_t)n];
    check_float(w);
    low = (uint32_t)w;
    memcpy(&x, &low, sizeof x);
    check_q16(x);
    check_q16(-(int32_t)(low % 772245)); /* where the result is not 0 */
  }
  return 0;
}
