/* On what side of a breakpoint an element lies (proofs/oracle.md, 3 to 6). */
#include <float.h>

#include "exact_memory.h"
#include "exact_state.h"
#include "tie.h"

/* Every coefficient is exact with this many bits: a multiple of 2^-1075 below 2^1048. */
enum { SUM_BITS = 2240 };

/* The coefficients c_g of the sign of output - r. */
static void output_coefficients(attest_exact *exact, size_t c, mpfr_srcptr r, mpfr_t *coefficient) {
  for (size_t g = 0; g < exact->groups.count; g++) {
    const size_t n = attest_exact_values(exact, g, c);
    mpfr_set_prec(exact->terms[n], mpfr_get_prec(r) + ATTEST_COUNT_BITS);
    mpfr_mul_ui(exact->terms[n], r, n, MPFR_RNDN);
    mpfr_neg(exact->terms[n], exact->terms[n], MPFR_RNDN);
    mpfr_sum(coefficient[g], exact->list, n + 1, MPFR_RNDN);
    mpfr_set_prec(exact->terms[n], DBL_MANT_DIG);
  }
}

/* Those of weight - r. */
static void weight_coefficients(const attest_exact *exact, size_t index, mpfr_srcptr r,
                                mpfr_t *coefficient) {
  const size_t own = exact->groups.group[index];
  for (size_t g = 0; g < exact->groups.count; g++) {
    mpfr_mul_ui(coefficient[g], r, attest_groups_size(&exact->groups, g), MPFR_RNDN);
    mpfr_ui_sub(coefficient[g], g == own, coefficient[g], MPFR_RNDN);
  }
}

static int quotient_side(attest_exact *exact, attest_element e, mpfr_srcptr r) {
  const size_t count = exact->groups.count;
  mpfr_t *coefficient = attest_exact_take(count, sizeof *coefficient);
  int side;
  for (size_t g = 0; g < count; g++) mpfr_init2(coefficient[g], SUM_BITS);
  if (e.of == ATTEST_OUTPUT)
    output_coefficients(exact, e.index, r, coefficient);
  else
    weight_coefficients(exact, e.index, r, coefficient);
  side = attest_tie_sign(&exact->groups, (const mpfr_t *)coefficient, ATTEST_SOFTCAP_BITS);
  for (size_t g = 0; g < count; g++) mpfr_clear(coefficient[g]);
  attest_exact_give(coefficient, count, sizeof *coefficient);
  return side;
}

/* Whether group g alone would have log-sum-exp r exactly: then every other key makes it greater. */
static int reaches(const attest_exact *exact, size_t g, attest_log_base base, mpfr_srcptr r) {
  const size_t n = attest_groups_size(&exact->groups, g);
  mpfr_t power;
  int result;
  if (base == ATTEST_BASE_E) return n == 1 && attest_groups_score_is(&exact->groups, g, r);
  mpfr_init2(power, ATTEST_COUNT_BITS);
  mpfr_set_zero(power, 1);
  result = mpfr_integer_p(r) && mpfr_cmp_ui(r, ATTEST_COUNT_BITS) < 0 &&
           attest_groups_score_is(&exact->groups, g, power);
  if (result) {
    mpfr_exp2(power, r, MPFR_RNDN);
    result = mpfr_cmp_ui(power, n) == 0;
  }
  mpfr_clear(power);
  return result;
}

static int lse_side(attest_exact *exact, attest_element e, mpfr_srcptr r) {
  const attest_groups *groups = &exact->groups;
  int side = ATTEST_SIGN_UNKNOWN;
  for (size_t g = 0; g < groups->count; g++)
    if (reaches(exact, g, e.base, r)) return groups->count > 1;
  for (mpfr_prec_t bits = ATTEST_FIRST_BITS; side == ATTEST_SIGN_UNKNOWN; bits *= 2) {
    mpfi_t x;
    if (!groups->algebraic && bits > ATTEST_SOFTCAP_BITS) break;
    mpfi_init2(x, bits);
    if (e.base == ATTEST_BASE_E) {
      attest_groups_score(groups, groups->leader, r, x);
      attest_exact_add_log(exact, bits, x);
    } else {
      attest_exact_enclose(exact, e, bits, x);
      mpfi_sub_fr(x, x, r);
    }
    if (mpfr_sgn(&x->left) > 0) side = 1;
    if (mpfr_sgn(&x->right) < 0) side = -1;
    mpfi_clear(x);
  }
  return side;
}

int attest_exact_side(attest_exact *exact, attest_element e, mpfr_srcptr r) {
  return e.of == ATTEST_LSE ? lse_side(exact, e, r) : quotient_side(exact, e, r);
}
