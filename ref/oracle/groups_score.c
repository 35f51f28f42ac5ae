/* Scores of groups and their differences as intervals, and compared with a number. */
#include "groups.h"
#include "groups_dot.h"

/* x := x / root, and with softcap / softcap. */
static void divide_by_root(const attest_groups *groups, mpfi_ptr x) {
  if (groups->root == 0) {
    mpfi_t root;
    mpfi_init2(root, mpfi_get_prec(x));
    mpfi_set_ui(root, groups->radicand);
    mpfi_sqrt(root, root);
    mpfi_div(x, x, root);
    mpfi_clear(root);
  } else if (groups->root != 1) {
    mpfi_div_ui(x, x, groups->root);
  }
  if (groups->row->softcap > 0) mpfi_div_d(x, x, groups->row->softcap);
}

/* result := x - y, which need not have its precision. */
static void subtract(mpfi_ptr result, mpfr_srcptr x, mpfr_srcptr y) {
  mpfr_sub(&result->left, x, y, MPFR_RNDD);
  mpfr_sub(&result->right, x, y, MPFR_RNDU);
}

/* result := exp(-2 a / root / softcap), or of -a where `negate`. */
static void decay(const attest_groups *groups, mpfr_srcptr a, int negate, mpfi_ptr result) {
  mpfi_set_fr(result, a);
  divide_by_root(groups, result);
  mpfi_mul_si(result, result, negate ? 2 : -2);
  mpfi_exp(result, result);
}

/* result := tanh(p) - tanh(q) where high > low are both >= 0 or both <= 0, p and q their quotients
   by root and softcap; in the second case those of -low and -high, which have the same difference.
   With E(x) = exp(-2 x) it is 2 E(q) (1 - E(p - q)) / ((1 + E(p)) (1 + E(q))): nothing cancels or
   overflows. */
static void tanh_same_sign(const attest_groups *groups, mpfr_srcptr high, mpfr_srcptr low,
                           mpfi_ptr result) {
  const int negate = mpfr_sgn(high) <= 0;
  const mpfr_prec_t bits = mpfi_get_prec(result);
  mpfi_t nearer, farther;
  mpfi_init2(nearer, bits);
  mpfi_init2(farther, bits);
  decay(groups, negate ? high : low, negate, nearer);
  decay(groups, negate ? low : high, negate, farther);
  subtract(result, high, low);
  divide_by_root(groups, result);
  mpfi_mul_si(result, result, -2);
  mpfi_expm1(result, result);
  mpfi_neg(result, result);
  mpfi_mul(result, result, nearer);
  mpfi_mul_2ui(result, result, 1);
  mpfi_add_ui(nearer, nearer, 1);
  mpfi_add_ui(farther, farther, 1);
  mpfi_div(result, result, nearer);
  mpfi_div(result, result, farther);
  mpfi_clear(farther);
  mpfi_clear(nearer);
}

static void tanh_of(const attest_groups *groups, mpfr_srcptr a, mpfi_ptr result) {
  mpfi_set_fr(result, a);
  divide_by_root(groups, result);
  mpfi_tanh(result, result);
}

/* result := softcap * (tanh of x - tanh of y) */
static void capped_difference(const attest_groups *groups, mpfr_srcptr x, mpfr_srcptr y,
                              mpfi_ptr result) {
  const int order = mpfr_cmp(x, y);
  if (order == 0) {
    mpfi_set_ui(result, 0);
    return;
  }
  if (mpfr_sgn(x) * mpfr_sgn(y) >= 0) {
    tanh_same_sign(groups, order > 0 ? x : y, order > 0 ? y : x, result);
    if (order < 0) mpfi_neg(result, result);
  } else {
    mpfi_t other;
    mpfi_init2(other, mpfi_get_prec(result));
    tanh_of(groups, x, result);
    tanh_of(groups, y, other);
    mpfi_sub(result, result, other);
    mpfi_clear(other);
  }
  mpfi_mul_d(result, result, groups->row->softcap);
}

/* result += b - r, where that is not 0. */
static void add_bias(double b, mpfr_srcptr r, mpfi_ptr result) {
  mpfr_t bias;
  mpfi_t difference;
  mpfr_init2(bias, 53);
  mpfr_set_d(bias, b, MPFR_RNDN);
  if (!mpfr_equal_p(bias, r)) {
    mpfi_init2(difference, mpfi_get_prec(result));
    subtract(difference, bias, r);
    mpfi_add(result, result, difference);
    mpfi_clear(difference);
  }
  mpfr_clear(bias);
}

void attest_groups_difference(const attest_groups *groups, size_t g, size_t h, mpfi_ptr result) {
  const attest_score *x = &groups->scores[groups->first[g]];
  const attest_score *y = &groups->scores[groups->first[h]];
  if (groups->row->softcap > 0) {
    capped_difference(groups, x->a, y->a, result);
  } else {
    subtract(result, x->a, y->a);
    divide_by_root(groups, result);
  }
  if (x->b != y->b) {
    mpfr_t b;
    mpfr_init2(b, 53);
    mpfr_set_d(b, y->b, MPFR_RNDN);
    add_bias(x->b, b, result);
    mpfr_clear(b);
  }
}

/* result := root * r, exactly; without softcap and with a rational root only. */
static void init_times_root(const attest_groups *groups, mpfr_srcptr r, mpfr_ptr result) {
  mpfr_init2(result, mpfr_get_prec(r) + 64);
  mpfr_mul_ui(result, r, groups->root, MPFR_RNDN);
}

void attest_groups_score(const attest_groups *groups, size_t g, mpfr_srcptr r, mpfi_ptr result) {
  const attest_score *x = &groups->scores[groups->first[g]];
  if (groups->row->softcap > 0) {
    tanh_of(groups, x->a, result);
    mpfi_mul_d(result, result, groups->row->softcap);
    add_bias(x->b, r, result);
  } else if (groups->root != 0) {
    mpfr_t target;
    init_times_root(groups, r, target);
    subtract(result, x->a, target);
    divide_by_root(groups, result);
    mpfr_clear(target);
  } else {
    mpfi_set_fr(result, x->a);
    divide_by_root(groups, result);
    add_bias(x->b, r, result);
  }
}

int attest_groups_leads(const attest_groups *groups, size_t g, size_t h) {
  int leads = -1;
  for (mpfr_prec_t bits = 128; leads < 0; bits *= 2) {
    mpfi_t difference;
    mpfi_init2(difference, bits);
    attest_groups_difference(groups, g, h, difference);
    if (mpfr_cmp_si(&difference->right, 0) <= 0)
      leads = 0;
    else if (mpfr_cmp_si_2exp(&difference->left, -1, ATTEST_LEAD_EXPONENT) >= 0)
      leads = 1;
    mpfi_clear(difference);
  }
  return leads;
}

int attest_groups_score_is(const attest_groups *groups, size_t g, mpfr_srcptr r) {
  const attest_score *x = &groups->scores[groups->first[g]];
  mpfr_t target;
  int equal;
  if (groups->row->softcap > 0 || groups->root == 0) {
    if (mpfr_inf_p(x->a)) {
      mpfr_init2(target, 53);
      mpfr_set_d(target, groups->row->softcap, MPFR_RNDN);
      if (mpfr_sgn(x->a) < 0) mpfr_neg(target, target, MPFR_RNDN);
    } else if (mpfr_zero_p(x->a)) {
      mpfr_init2(target, 2);
      mpfr_set_zero(target, 1);
    } else {
      return 0;
    }
    {
      mpfr_t bias;
      mpfr_init2(bias, 53);
      mpfr_set_d(bias, x->b, MPFR_RNDN);
      attest_exact_add(target, bias);
      mpfr_clear(bias);
    }
    equal = mpfr_equal_p(target, r);
  } else {
    init_times_root(groups, r, target);
    equal = mpfr_equal_p(x->a, target);
  }
  mpfr_clear(target);
  return equal;
}
