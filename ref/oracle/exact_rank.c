#include "exact_rank.h"

#include <math.h>

/* A floating-point format: digits of the significand, exponent of the least positive number, and
   the power of two that is already infinite. */
typedef struct {
  int digits, least, top;
} shape;

enum { Q16_POINT = 16, Q16_BITS = 31 };

static shape shape_of(attest_format format) {
  static const shape f64 = {53, -1074, 1024}, f32 = {24, -149, 128}, f16 = {11, -24, 16},
                     bf16 = {8, -133, 128};
  switch (format) {
    case ATTEST_FORMAT_F32: return f32;
    case ATTEST_FORMAT_F16: return f16;
    case ATTEST_FORMAT_BF16: return bf16;
    case ATTEST_FORMAT_F64:
    case ATTEST_FORMAT_Q16: break;
  }
  return f64;
}

/* Ranks from one power of two to the next. */
static int64_t binade(shape s) { return (int64_t)1 << (s.digits - 1); }

/* x / 2^exponent to the nearest integer, ties to even, where that is below 2^54. */
static int64_t scaled(mpfr_srcptr x, long exponent) {
  mpfr_t exact, whole;
  int64_t result;
  mpfr_init2(exact, mpfr_get_prec(x));
  mpfr_init2(whole, ATTEST_BREAK_BITS);
  mpfr_div_2si(exact, x, exponent, MPFR_RNDN);
  mpfr_rint(whole, exact, MPFR_RNDN);
  result = (int64_t)mpfr_get_d(whole, MPFR_RNDN);
  mpfr_clear(whole);
  mpfr_clear(exact);
  return result;
}

static int64_t rank_q16(mpfr_srcptr x) {
  const int64_t limit = (int64_t)1 << Q16_BITS;
  int64_t n;
  if (mpfr_zero_p(x)) return 0;
  if (mpfr_inf_p(x) || mpfr_get_exp(x) > Q16_BITS - Q16_POINT + 1)
    return mpfr_sgn(x) > 0 ? limit - 1 : -limit;
  n = scaled(x, -Q16_POINT);
  if (n >= limit) return limit - 1;
  return n < -limit ? -limit : n;
}

int64_t attest_rank(attest_format format, mpfr_srcptr x) {
  const shape s = shape_of(format);
  const int64_t infinite = (s.top + 2 - s.digits - s.least) * binade(s);
  int64_t k = infinite;
  if (format == ATTEST_FORMAT_Q16) return rank_q16(x);
  if (mpfr_zero_p(x)) return 0;
  if (!mpfr_inf_p(x) && mpfr_get_exp(x) <= s.top) {
    const long exponent = mpfr_get_exp(x) - s.digits;
    const long ulp = exponent > s.least ? exponent : s.least;
    const int64_t n = scaled(x, ulp);
    k = (n < 0 ? -n : n) + (ulp - s.least) * binade(s);
  }
  return mpfr_sgn(x) > 0 ? k : -1 - k;
}

/* Rank k >= 0 as significand * 2^*exponent. */
static int64_t parts(shape s, int64_t k, int *exponent) {
  const int64_t above = k / binade(s);
  *exponent = s.least;
  if (above == 0) return k;
  *exponent = s.least + (int)above - 1;
  return k % binade(s) + binade(s);
}

double attest_rank_value(attest_format format, int64_t rank) {
  const shape s = shape_of(format);
  const int64_t k = rank < 0 ? -1 - rank : rank;
  double size;
  int exponent;
  if (format == ATTEST_FORMAT_Q16) return ldexp((double)rank, -Q16_POINT);
  size = (double)parts(s, k, &exponent);
  /* ldexp of the power of two past the largest number is infinite only in f64. */
  size = exponent + s.digits > s.top ? HUGE_VAL : ldexp(size, exponent);
  return rank < 0 ? -size : size;
}

void attest_rank_break(attest_format format, int64_t rank, mpfr_ptr r) {
  const shape s = shape_of(format);
  int64_t lower;
  int exponent;
  if (format == ATTEST_FORMAT_Q16) {
    mpfr_set_d(r, (double)rank, MPFR_RNDN);
    mpfr_mul_2ui(r, r, 1, MPFR_RNDN);
    mpfr_add_ui(r, r, 1, MPFR_RNDN);
    mpfr_div_2ui(r, r, Q16_POINT + 1, MPFR_RNDN);
    return;
  }
  if (rank == -1) {
    mpfr_set_zero(r, 1);
    return;
  }
  lower = parts(s, rank < 0 ? -2 - rank : rank, &exponent);
  mpfr_set_d(r, (double)lower, MPFR_RNDN);
  mpfr_mul_2ui(r, r, 1, MPFR_RNDN);
  mpfr_add_ui(r, r, 1, MPFR_RNDN);
  mpfr_mul_2si(r, r, exponent - 1, MPFR_RNDN);
  if (rank < 0) mpfr_neg(r, r, MPFR_RNDN);
}
