/* Of MPFR what the tests of fixed/ call: its functions, on a type of the same size. */
#ifndef EACSL_MPFR_H
#define EACSL_MPFR_H

#include <gmp.h>

typedef struct {
  long precision;
  int sign;
  long exponent;
  unsigned long *limbs;
} eacsl_float; /* as __mpfr_struct */

typedef eacsl_float mpfr_t[1];
typedef eacsl_float *mpfr_ptr;

enum { MPFR_RNDN, MPFR_RNDZ, MPFR_RNDU, MPFR_RNDD };

void mpfr_init2(mpfr_ptr, long);
void mpfr_inits2(long, mpfr_ptr, ...);
void mpfr_clear(mpfr_ptr);
void mpfr_clears(mpfr_ptr, ...);
void mpfr_free_cache(void);
void mpfr_set_inf(mpfr_ptr, int);
int mpfr_set(mpfr_ptr, const eacsl_float *, int);
int mpfr_set_si(mpfr_ptr, long, int);
int mpfr_set_ui(mpfr_ptr, unsigned long, int);
int mpfr_set_si_2exp(mpfr_ptr, long, long, int);
int mpfr_set_z_2exp(mpfr_ptr, const eacsl_number *, long, int);
double mpfr_get_d(const eacsl_float *, int);
long mpfr_get_si(const eacsl_float *, int);
int mpfr_cmp_d(const eacsl_float *, double);
int mpfr_cmp_ui(const eacsl_float *, unsigned long);
int mpfr_abs(mpfr_ptr, const eacsl_float *, int);
int mpfr_max(mpfr_ptr, const eacsl_float *, const eacsl_float *, int);
int mpfr_round(mpfr_ptr, const eacsl_float *);
int mpfr_add(mpfr_ptr, const eacsl_float *, const eacsl_float *, int);
int mpfr_add_ui(mpfr_ptr, const eacsl_float *, unsigned long, int);
int mpfr_sub(mpfr_ptr, const eacsl_float *, const eacsl_float *, int);
int mpfr_sub_si(mpfr_ptr, const eacsl_float *, long, int);
int mpfr_sub_ui(mpfr_ptr, const eacsl_float *, unsigned long, int);
int mpfr_mul_si(mpfr_ptr, const eacsl_float *, long, int);
int mpfr_mul_ui(mpfr_ptr, const eacsl_float *, unsigned long, int);
int mpfr_mul_2si(mpfr_ptr, const eacsl_float *, long, int);
int mpfr_mul_2ui(mpfr_ptr, const eacsl_float *, unsigned long, int);
int mpfr_div(mpfr_ptr, const eacsl_float *, const eacsl_float *, int);
int mpfr_div_2ui(mpfr_ptr, const eacsl_float *, unsigned long, int);
int mpfr_sqrt_ui(mpfr_ptr, unsigned long, int);
int mpfr_exp(mpfr_ptr, const eacsl_float *, int);
int mpfr_exp2(mpfr_ptr, const eacsl_float *, int);
int mpfr_log2(mpfr_ptr, const eacsl_float *, int);

#endif
