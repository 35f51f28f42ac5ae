/* Elements of a row as intervals, at any precision. */
#include "exact_memory.h"
#include "exact_state.h"

static void fill(const attest_exact *exact, attest_level *at) {
  const attest_groups *groups = &exact->groups;
  mpfi_t term;
  mpfi_init2(term, at->bits);
  mpfi_set_ui(at->rest, 0);
  for (size_t g = 0; g < groups->count; g++) {
    if (g == groups->leader) {
      mpfi_set_ui(at->weight[g], 1);
      continue;
    }
    attest_groups_difference(groups, g, groups->leader, at->weight[g]);
    mpfi_exp(at->weight[g], at->weight[g]);
    mpfi_mul_ui(term, at->weight[g], attest_groups_size(groups, g));
    mpfi_add(at->rest, at->rest, term);
  }
  mpfi_add_ui(at->total, at->rest, attest_groups_size(groups, groups->leader));
  mpfi_clear(term);
}

static const attest_level *level_at(attest_exact *exact, mpfr_prec_t bits) {
  const size_t count = exact->groups.count;
  attest_level *at;
  for (at = exact->levels; at; at = at->next)
    if (at->bits == bits) return at;
  at = attest_exact_take(1, sizeof *at);
  at->weight = attest_exact_take(count, sizeof *at->weight);
  at->bits = bits;
  for (size_t g = 0; g < count; g++) mpfi_init2(at->weight[g], bits);
  mpfi_init2(at->rest, bits);
  mpfi_init2(at->total, bits);
  fill(exact, at);
  at->next = exact->levels;
  exact->levels = at;
  return at;
}

void attest_levels_end(attest_exact *exact) {
  const size_t count = exact->groups.count;
  while (exact->levels) {
    attest_level *const done = exact->levels;
    exact->levels = done->next;
    for (size_t g = 0; g < count; g++) mpfi_clear(done->weight[g]);
    mpfi_clear(done->rest);
    mpfi_clear(done->total);
    attest_exact_give(done->weight, count, sizeof *done->weight);
    attest_exact_give(done, 1, sizeof *done);
  }
}

size_t attest_exact_values(attest_exact *exact, size_t g, size_t c) {
  const attest_groups *groups = &exact->groups;
  const size_t first = groups->first[g], n = attest_groups_size(groups, g);
  for (size_t t = 0; t < n; t++)
    mpfr_set_d(exact->terms[t], exact->row->keys[groups->scores[first + t].key].v[c], MPFR_RNDN);
  return n;
}

static void set_output(attest_exact *exact, size_t c, mpfr_prec_t bits, mpfi_ptr result) {
  const attest_level *const at = level_at(exact, bits);
  mpfi_t term;
  mpfi_init2(term, bits);
  mpfi_set_ui(result, 0);
  for (size_t g = 0; g < exact->groups.count; g++) {
    const size_t n = attest_exact_values(exact, g, c);
    mpfr_sum(&term->left, exact->list, n, MPFR_RNDD);
    mpfr_sum(&term->right, exact->list, n, MPFR_RNDU);
    mpfi_mul(term, term, at->weight[g]);
    mpfi_add(result, result, term);
  }
  mpfi_div(result, result, at->total);
  mpfi_clear(term);
}

static void set_weight(attest_exact *exact, size_t index, mpfr_prec_t bits, mpfi_ptr result) {
  const attest_level *const at = level_at(exact, bits);
  mpfi_div(result, at->weight[exact->groups.group[index]], at->total);
}

void attest_exact_group_score(const attest_exact *exact, size_t g, mpfi_ptr result) {
  mpfr_t zero;
  mpfr_init2(zero, ATTEST_COUNT_BITS);
  mpfr_set_zero(zero, 1);
  attest_groups_score(&exact->groups, g, zero, result);
  mpfr_clear(zero);
}

void attest_exact_add_log(attest_exact *exact, mpfr_prec_t bits, mpfi_ptr result) {
  const attest_level *const at = level_at(exact, bits);
  mpfi_t log;
  mpfi_init2(log, bits);
  if (attest_groups_size(&exact->groups, exact->groups.leader) == 1)
    mpfi_log1p(log, at->rest);
  else
    mpfi_log(log, at->total);
  mpfi_add(result, result, log);
  mpfi_clear(log);
}

static void divide_by_log2(mpfi_ptr x) {
  mpfi_t log2;
  mpfi_init2(log2, mpfi_get_prec(x));
  mpfi_const_log2(log2);
  mpfi_div(x, x, log2);
  mpfi_clear(log2);
}

static void set_lse(attest_exact *exact, attest_log_base base, mpfr_prec_t bits, mpfi_ptr result) {
  attest_exact_group_score(exact, exact->groups.leader, result);
  attest_exact_add_log(exact, bits, result);
  if (base == ATTEST_BASE_2) divide_by_log2(result);
}

void attest_exact_enclose(attest_exact *exact, attest_element e, mpfr_prec_t bits,
                          mpfi_ptr result) {
  switch (e.of) {
    case ATTEST_OUTPUT: set_output(exact, e.index, bits, result); break;
    case ATTEST_WEIGHT: set_weight(exact, e.index, bits, result); break;
    case ATTEST_LSE: set_lse(exact, e.base, bits, result); break;
  }
  if (mpfi_nan_p(result)) {
    mpfr_set_inf(&result->left, -1);
    mpfr_set_inf(&result->right, 1);
  }
}
