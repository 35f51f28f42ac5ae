#include "groups_dot.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* x is a multiple of 2^(this); LONG_MAX for 0. */
static long last_place(double x) {
  int exponent;
  if (x == 0) return LONG_MAX;
  frexp(x, &exponent);
  return exponent - DBL_MANT_DIG;
}

static long lowest_place(const double *x, size_t width) {
  long lowest = LONG_MAX;
  for (size_t c = 0; c < width; c++) {
    const long place = last_place(x[c]);
    if (place < lowest) lowest = place;
  }
  return lowest == LONG_MAX ? 0 : lowest;
}

/* z := x / 2^exponent, which must be an integer. */
static void set_scaled(mpz_ptr z, double x, long exponent) {
  int e;
  const double significand = ldexp(frexp(x, &e), DBL_MANT_DIG);
  mpz_set_d(z, significand);
  if (x != 0) mpz_mul_2exp(z, z, (mp_bitcnt_t)(e - DBL_MANT_DIG - exponent));
}

enum { LEAST_BITS = 2 }; /* not 1, which MPFR before 4 refuses */

/* Drops the zeros at the end of x. */
static void trim(mpfr_ptr x) {
  const mpfr_prec_t needed = mpfr_min_prec(x);
  mpfr_prec_round(x, needed < LEAST_BITS ? LEAST_BITS : needed, MPFR_RNDN);
}

int attest_exact_query_start(attest_exact_query *query, const double *q, size_t width) {
  query->width = width;
  if (width > SIZE_MAX / sizeof *query->q) return 0;
  query->q = malloc(width * sizeof *query->q);
  if (!query->q) return 0;
  query->exponent = 0;
  for (size_t c = 0; c < width; c++) {
    mpz_init(query->q[c]);
    if (!isfinite(q[c])) query->exponent = LONG_MAX;
  }
  /* With infinite elements every dot product is infinite, and none is asked for. */
  if (query->exponent == LONG_MAX) return 1;
  query->exponent = lowest_place(q, width);
  for (size_t c = 0; c < width; c++) set_scaled(query->q[c], q[c], query->exponent);
  return 1;
}

void attest_exact_query_end(attest_exact_query *query) {
  for (size_t c = 0; c < query->width; c++) mpz_clear(query->q[c]);
  free(query->q);
}

void attest_exact_dot(const attest_exact_query *query, const double *k, mpfr_ptr dot) {
  const long place = lowest_place(k, query->width);
  mpz_t sum, element;
  mp_bitcnt_t zeros;
  size_t bits;
  mpz_init(sum);
  mpz_init(element);
  for (size_t c = 0; c < query->width; c++) {
    if (k[c] == 0) continue;
    set_scaled(element, k[c], place);
    mpz_addmul(sum, query->q[c], element);
  }
  zeros = mpz_sgn(sum) == 0 ? 0 : mpz_scan1(sum, 0);
  mpz_tdiv_q_2exp(sum, sum, zeros);
  bits = mpz_sizeinbase(sum, 2);
  mpfr_set_prec(dot, bits < LEAST_BITS ? LEAST_BITS : (mpfr_prec_t)bits);
  mpfr_set_z_2exp(dot, sum, query->exponent + place + (long)zeros, MPFR_RNDN);
  mpz_clear(element);
  mpz_clear(sum);
}

void attest_exact_multiply(mpfr_ptr x, double y) {
  mpfr_prec_round(x, mpfr_get_prec(x) + DBL_MANT_DIG, MPFR_RNDN);
  mpfr_mul_d(x, x, y, MPFR_RNDN);
  trim(x);
}

/* The exponent of the last bit of x that is set. */
static long last_bit(mpfr_srcptr x) { return mpfr_get_exp(x) - (long)mpfr_min_prec(x); }

void attest_exact_add(mpfr_ptr x, mpfr_srcptr y) {
  long top, low;
  if (mpfr_zero_p(y)) return;
  top = mpfr_get_exp(y);
  low = last_bit(y);
  if (!mpfr_zero_p(x)) {
    if (mpfr_get_exp(x) > top) top = mpfr_get_exp(x);
    if (last_bit(x) < low) low = last_bit(x);
  }
  mpfr_prec_round(x, top - low + 2, MPFR_RNDN);
  mpfr_add(x, x, y, MPFR_RNDN);
  trim(x);
}
