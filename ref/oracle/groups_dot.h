/* Dot products without any rounding: integers on common binary exponents (GMP). */
#ifndef ATTEST_ORACLE_GROUPS_DOT_H
#define ATTEST_ORACLE_GROUPS_DOT_H

#include <stddef.h>

#include <gmp.h>
#include <mpfr.h>

typedef struct {
  size_t width;
  mpz_t *q; /* q[c] / 2^exponent */
  long exponent;
} attest_exact_query;

/* Nonzero on success; 0: not enough memory. q (width), finite but where k is not read there. */
int attest_exact_query_start(attest_exact_query *query, const double *q, size_t width);
void attest_exact_query_end(attest_exact_query *query);

/* dot := <q, k>, its precision set to what it needs. q and k finite. */
void attest_exact_dot(const attest_exact_query *query, const double *k, mpfr_ptr dot);

/* x := x * y and x + y exactly, the precision of x set to what it needs. */
void attest_exact_multiply(mpfr_ptr x, double y);
void attest_exact_add(mpfr_ptr x, mpfr_srcptr y);

#endif
