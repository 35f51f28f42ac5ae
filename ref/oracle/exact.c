#include "exact.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>

#include "exact_rank.h"
#include "exact_state.h"
#include "tie.h"

attest_exact *attest_exact_start(const attest_row_view *row) {
  attest_exact *exact = malloc(sizeof *exact);
  if (!exact) return NULL;
  if (!attest_groups_start(&exact->groups, row)) {
    free(exact);
    return NULL;
  }
  exact->row = row;
  exact->levels = NULL;
  exact->room = 1;
  for (size_t g = 0; g < exact->groups.count; g++)
    if (attest_groups_size(&exact->groups, g) >= exact->room)
      exact->room = attest_groups_size(&exact->groups, g) + 1;
  exact->terms = NULL;
  exact->list = NULL;
  if (exact->room <= SIZE_MAX / sizeof *exact->terms) {
    exact->terms = malloc(exact->room * sizeof *exact->terms);
    exact->list = malloc(exact->room * sizeof *exact->list);
  }
  if (!exact->terms || !exact->list) {
    free(exact->terms);
    free(exact->list);
    attest_groups_end(&exact->groups);
    free(exact);
    return NULL;
  }
  for (size_t t = 0; t < exact->room; t++) {
    mpfr_init2(exact->terms[t], DBL_MANT_DIG);
    exact->list[t] = exact->terms[t];
  }
  return exact;
}

void attest_exact_end(attest_exact *exact) {
  attest_levels_end(exact);
  for (size_t t = 0; t < exact->room; t++) mpfr_clear(exact->terms[t]);
  free(exact->terms);
  free(exact->list);
  attest_groups_end(&exact->groups);
  free(exact);
}

/* Decides an element whose enclosure x holds one breakpoint, that above `rank`. */
static void decide_break(attest_exact *exact, attest_element e, attest_format format, int64_t rank,
                         mpfi_ptr x, attest_certified *result) {
  mpfr_t r;
  int side;
  mpfr_init2(r, ATTEST_BREAK_BITS);
  attest_rank_break(format, rank, r);
  side = attest_exact_side(exact, e, r);
  result->rung = ATTEST_RUNG_EXACT;
  if (side == ATTEST_SIGN_UNKNOWN) {
    result->rung = ATTEST_RUNG_UNDECIDED;
  } else if (side == 0) {
    result->value = attest_rank_value(format, attest_rank(format, r));
    mpfi_set_prec(x, ATTEST_BREAK_BITS);
    mpfi_set_fr(x, r);
  } else {
    result->value = attest_rank_value(format, side > 0 ? rank + 1 : rank);
    mpfr_set(side > 0 ? &x->left : &x->right, r, side > 0 ? MPFR_RNDD : MPFR_RNDU);
  }
  mpfr_clear(r);
}

static attest_certified decide(attest_exact *exact, attest_element e, attest_format format) {
  attest_certified result = {0, {0, 0, 0}, ATTEST_RUNG_RULE};
  mpfi_t x;
  mpfi_init2(x, ATTEST_FIRST_BITS);
  for (mpfr_prec_t bits = ATTEST_FIRST_BITS; result.rung == ATTEST_RUNG_RULE; bits *= 2) {
    int64_t low, high;
    mpfi_set_prec(x, bits);
    attest_exact_enclose(exact, e, bits, x);
    low = attest_rank(format, &x->left);
    high = attest_rank(format, &x->right);
    if (low == high) {
      result.value = attest_rank_value(format, low);
      result.rung = ATTEST_RUNG_INTERVAL;
    } else if (low + 1 == high) {
      decide_break(exact, e, format, low, x, &result);
    } else if (!exact->groups.algebraic && bits >= ATTEST_SOFTCAP_BITS) {
      result.rung = ATTEST_RUNG_UNDECIDED;
    }
  }
  if (result.rung == ATTEST_RUNG_UNDECIDED) {
    mpfr_t middle;
    mpfr_init2(middle, mpfi_get_prec(x));
    mpfi_mid(middle, x);
    if (mpfr_nan_p(middle)) mpfr_set_zero(middle, 1);
    result.value = attest_rank_value(format, attest_rank(format, middle));
    mpfr_clear(middle);
  }
  result.enclosure = attest_exact_box(x);
  mpfi_clear(x);
  return result;
}

attest_certified attest_exact_output(attest_exact *exact, size_t c, attest_format format) {
  const attest_element e = {ATTEST_OUTPUT, c, ATTEST_BASE_E};
  return decide(exact, e, format);
}

attest_certified attest_exact_weight(attest_exact *exact, size_t index, attest_format format) {
  const attest_element e = {ATTEST_WEIGHT, index, ATTEST_BASE_E};
  return decide(exact, e, format);
}

attest_certified attest_exact_lse(attest_exact *exact, attest_log_base base, attest_format format) {
  const attest_element e = {ATTEST_LSE, 0, base};
  return decide(exact, e, format);
}

static void enclose_at(attest_exact *exact, attest_element e, mpfr_prec_t bits, mpfi_ptr result) {
  mpfi_t x;
  mpfi_init2(x, bits);
  attest_exact_enclose(exact, e, bits, x);
  mpfi_set(result, x);
  mpfi_clear(x);
}

void attest_exact_output_at(attest_exact *exact, size_t c, mpfr_prec_t bits, mpfi_ptr result) {
  const attest_element e = {ATTEST_OUTPUT, c, ATTEST_BASE_E};
  enclose_at(exact, e, bits, result);
}

void attest_exact_weight_at(attest_exact *exact, size_t index, mpfr_prec_t bits, mpfi_ptr result) {
  const attest_element e = {ATTEST_WEIGHT, index, ATTEST_BASE_E};
  enclose_at(exact, e, bits, result);
}

void attest_exact_lse_at(attest_exact *exact, attest_log_base base, mpfr_prec_t bits,
                         mpfi_ptr result) {
  const attest_element e = {ATTEST_LSE, 0, base};
  enclose_at(exact, e, bits, result);
}

void attest_exact_score_at(attest_exact *exact, size_t index, mpfr_prec_t bits, mpfi_ptr result) {
  mpfi_t x;
  mpfi_init2(x, bits);
  attest_exact_group_score(exact, exact->groups.group[index], x);
  mpfi_set(result, x);
  mpfi_clear(x);
}
