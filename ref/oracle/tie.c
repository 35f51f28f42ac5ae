#include "tie.h"

#include "exact_memory.h"

/* The group of the largest score among those whose coefficient is not 0; the number of groups
   where there is none. */
static size_t leader_of(const attest_groups *groups, const mpfr_t *c) {
  size_t leader = groups->count;
  for (size_t g = 0; g < groups->count; g++)
    if (!mpfr_zero_p(c[g]) && (leader == groups->count || attest_groups_leads(groups, g, leader)))
      leader = g;
  return leader;
}

static int sign_of(mpfi_srcptr x) {
  if (mpfi_nan_p(x)) return ATTEST_SIGN_UNKNOWN;
  if (mpfr_sgn(&x->left) > 0) return 1;
  if (mpfr_sgn(&x->right) < 0) return -1;
  return ATTEST_SIGN_UNKNOWN;
}

/* D exp(-s) with s the leader's score, enclosed in two ways: as it stands, and as the sum of c_g
   plus the sum of c_g (exp(s_g - s) - 1), which is the sharper where the scores lie close together
   and the coefficients cancel. `sum` encloses the sum of c_g. */
static int sign_at(const attest_groups *groups, const mpfr_t *c, size_t leader, mpfr_ptr *list,
                   mpfr_prec_t bits) {
  mpfi_t plain, shifted, difference, term;
  int sign;
  mpfi_init2(plain, bits);
  mpfi_init2(shifted, bits);
  mpfi_init2(difference, bits);
  mpfi_init2(term, bits);
  mpfi_set_fr(plain, c[leader]);
  mpfr_sum(&shifted->left, list, groups->count, MPFR_RNDD);
  mpfr_sum(&shifted->right, list, groups->count, MPFR_RNDU);
  for (size_t g = 0; g < groups->count; g++) {
    if (g == leader || mpfr_zero_p(c[g])) continue;
    attest_groups_difference(groups, g, leader, difference);
    mpfi_exp(term, difference);
    mpfi_mul_fr(term, term, c[g]);
    mpfi_add(plain, plain, term);
    mpfi_expm1(term, difference);
    mpfi_mul_fr(term, term, c[g]);
    mpfi_add(shifted, shifted, term);
  }
  sign = sign_of(plain);
  if (sign == ATTEST_SIGN_UNKNOWN) sign = sign_of(shifted);
  mpfi_clear(term);
  mpfi_clear(difference);
  mpfi_clear(shifted);
  mpfi_clear(plain);
  return sign;
}

int attest_tie_sign(const attest_groups *groups, const mpfr_t *c, mpfr_prec_t limit) {
  const size_t leader = leader_of(groups, c);
  mpfr_ptr *list;
  int sign = ATTEST_SIGN_UNKNOWN;
  if (leader == groups->count) return 0;
  list = attest_exact_take(groups->count, sizeof *list);
  for (size_t g = 0; g < groups->count; g++) list[g] = (mpfr_ptr)&c[g][0];
  for (mpfr_prec_t bits = 128; sign == ATTEST_SIGN_UNKNOWN; bits *= 2) {
    if (!groups->algebraic && bits > limit) break;
    sign = sign_at(groups, c, leader, list, bits);
  }
  attest_exact_give(list, groups->count, sizeof *list);
  return sign;
}
