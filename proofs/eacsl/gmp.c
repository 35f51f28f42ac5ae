/* What include/gmp.h declares, by GMP. */
#include <gmp.h>
#include <stdarg.h>

void eacsl_mpz_init(mpz_ptr a) { mpz_init(a); }
void eacsl_mpz_inits(mpz_ptr first, ...) {
  va_list more;
  va_start(more, first);
  for (mpz_ptr x = first; x; x = va_arg(more, mpz_ptr)) mpz_init(x);
  va_end(more);
}

void eacsl_mpz_clear(mpz_ptr a) { mpz_clear(a); }
void eacsl_mpz_clears(mpz_ptr first, ...) {
  va_list more;
  va_start(more, first);
  for (mpz_ptr x = first; x; x = va_arg(more, mpz_ptr)) mpz_clear(x);
  va_end(more);
}

void eacsl_mpz_set_si(mpz_ptr a, long b) { mpz_set_si(a, b); }
void eacsl_mpz_set_ui(mpz_ptr a, unsigned long b) { mpz_set_ui(a, b); }
unsigned long eacsl_mpz_get_ui(mpz_srcptr a) { return mpz_get_ui(a); }
int eacsl_mpz_cmp(mpz_srcptr a, mpz_srcptr b) { return mpz_cmp(a, b); }
int eacsl_mpz_cmp_ui(mpz_srcptr a, unsigned long b) { return mpz_cmp_ui(a, b); }
int eacsl_mpz_sgn(mpz_srcptr a) { return mpz_sgn(a); }
int eacsl_mpz_odd_p(mpz_srcptr a) { return mpz_odd_p(a); }
void eacsl_mpz_abs(mpz_ptr a, mpz_srcptr b) { mpz_abs(a, b); }
void eacsl_mpz_neg(mpz_ptr a, mpz_srcptr b) { mpz_neg(a, b); }
void eacsl_mpz_add(mpz_ptr a, mpz_srcptr b, mpz_srcptr c) { mpz_add(a, b, c); }
void eacsl_mpz_add_ui(mpz_ptr a, mpz_srcptr b, unsigned long c) { mpz_add_ui(a, b, c); }
void eacsl_mpz_sub_ui(mpz_ptr a, mpz_srcptr b, unsigned long c) { mpz_sub_ui(a, b, c); }
void eacsl_mpz_mul_si(mpz_ptr a, mpz_srcptr b, long c) { mpz_mul_si(a, b, c); }
void eacsl_mpz_mul_ui(mpz_ptr a, mpz_srcptr b, unsigned long c) { mpz_mul_ui(a, b, c); }
void eacsl_mpz_mul_2exp(mpz_ptr a, mpz_srcptr b, unsigned long c) { mpz_mul_2exp(a, b, c); }
void eacsl_mpz_fdiv_q_2exp(mpz_ptr a, mpz_srcptr b, unsigned long c) { mpz_fdiv_q_2exp(a, b, c); }
unsigned long eacsl_mpz_fdiv_q_ui(mpz_ptr a, mpz_srcptr b, unsigned long c) { return mpz_fdiv_q_ui(a, b, c); }
void eacsl_mpz_fdiv_qr(mpz_ptr a, mpz_ptr b, mpz_srcptr c, mpz_srcptr d) { mpz_fdiv_qr(a, b, c, d); }
