/* Of GMP what the tests of fixed/ call. E-ACSL has declarations of its own under GMP's names, so these
   have others; gmp.c hands them on. */
#ifndef EACSL_GMP_H
#define EACSL_GMP_H

#include <stddef.h>

typedef struct {
  int allocated, size;
  unsigned long *limbs;
} eacsl_number; /* as large as __mpz_struct */

#define mpz_init eacsl_mpz_init
#define mpz_inits eacsl_mpz_inits
#define mpz_clear eacsl_mpz_clear
#define mpz_clears eacsl_mpz_clears
#define mpz_set_si eacsl_mpz_set_si
#define mpz_set_ui eacsl_mpz_set_ui
#define mpz_get_ui eacsl_mpz_get_ui
#define mpz_cmp eacsl_mpz_cmp
#define mpz_cmp_ui eacsl_mpz_cmp_ui
#define mpz_sgn eacsl_mpz_sgn
#define mpz_odd_p eacsl_mpz_odd_p
#define mpz_abs eacsl_mpz_abs
#define mpz_neg eacsl_mpz_neg
#define mpz_add eacsl_mpz_add
#define mpz_add_ui eacsl_mpz_add_ui
#define mpz_sub_ui eacsl_mpz_sub_ui
#define mpz_mul_si eacsl_mpz_mul_si
#define mpz_mul_ui eacsl_mpz_mul_ui
#define mpz_mul_2exp eacsl_mpz_mul_2exp
#define mpz_fdiv_q_2exp eacsl_mpz_fdiv_q_2exp
#define mpz_fdiv_q_ui eacsl_mpz_fdiv_q_ui
#define mpz_fdiv_qr eacsl_mpz_fdiv_qr

typedef eacsl_number mpz_t[1];
typedef eacsl_number *mpz_ptr;
typedef unsigned long mp_bitcnt_t;

void mpz_init(mpz_ptr);
void mpz_inits(mpz_ptr, ...);
void mpz_clear(mpz_ptr);
void mpz_clears(mpz_ptr, ...);
void mpz_set_si(mpz_ptr, long);
void mpz_set_ui(mpz_ptr, unsigned long);
unsigned long mpz_get_ui(const eacsl_number *);
int mpz_cmp(const eacsl_number *, const eacsl_number *);
int mpz_cmp_ui(const eacsl_number *, unsigned long);
int mpz_sgn(const eacsl_number *);
int mpz_odd_p(const eacsl_number *);
void mpz_abs(mpz_ptr, const eacsl_number *);
void mpz_neg(mpz_ptr, const eacsl_number *);
void mpz_add(mpz_ptr, const eacsl_number *, const eacsl_number *);
void mpz_add_ui(mpz_ptr, const eacsl_number *, unsigned long);
void mpz_sub_ui(mpz_ptr, const eacsl_number *, unsigned long);
void mpz_mul_si(mpz_ptr, const eacsl_number *, long);
void mpz_mul_ui(mpz_ptr, const eacsl_number *, unsigned long);
void mpz_mul_2exp(mpz_ptr, const eacsl_number *, unsigned long);
void mpz_fdiv_q_2exp(mpz_ptr, const eacsl_number *, unsigned long);
unsigned long mpz_fdiv_q_ui(mpz_ptr, const eacsl_number *, unsigned long);
void mpz_fdiv_qr(mpz_ptr, mpz_ptr, const eacsl_number *, const eacsl_number *);

#endif
