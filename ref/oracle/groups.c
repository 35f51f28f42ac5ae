#include "groups.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>

#include "groups_dot.h"

/* The exact parts of the score of a key. */
static void set_score(const attest_groups *groups, const attest_exact_query *query, size_t index,
                      attest_score *score) {
  const attest_row_view *row = groups->row;
  const attest_row_key *key = &row->keys[index];
  mpfr_init2(score->a, 2);
  score->key = index;
  score->b = key->bias;
  score->softcap = row->softcap;
  if (key->infinite) {
    mpfr_set_inf(score->a, key->infinite);
    return;
  }
  attest_exact_dot(query, key->k, score->a);
  if (row->scale_given) attest_exact_multiply(score->a, row->scale);
  if (groups->root != 0 && !(row->softcap > 0)) {
    mpfr_t bias;
    mpfr_init2(bias, 128);
    mpfr_set_d(bias, key->bias, MPFR_RNDN);
    mpfr_mul_ui(bias, bias, groups->root, MPFR_RNDN);
    attest_exact_add(score->a, bias);
    mpfr_clear(bias);
    score->b = 0;
  }
}

/* With softcap and a of 0 or +-infinity a score is dyadic: b, or b +- softcap. */
static int dyadic(const attest_score *x) { return x->softcap > 0 && !mpfr_regular_p(x->a); }

static int compare_dyadic(const attest_score *x, const attest_score *y) {
  mpfr_t term[4], sum;
  mpfr_ptr list[4];
  int sign;
  for (int t = 0; t < 4; t++) {
    mpfr_init2(term[t], DBL_MANT_DIG);
    list[t] = term[t];
  }
  mpfr_init2(sum, DBL_MANT_DIG);
  mpfr_set_d(term[0], x->b, MPFR_RNDN);
  mpfr_set_d(term[1], -y->b, MPFR_RNDN);
  mpfr_set_d(term[2], mpfr_sgn(x->a) * x->softcap, MPFR_RNDN);
  mpfr_set_d(term[3], -mpfr_sgn(y->a) * y->softcap, MPFR_RNDN);
  mpfr_sum(sum, list, 4, MPFR_RNDN);
  sign = mpfr_sgn(sum);
  mpfr_clear(sum);
  for (int t = 0; t < 4; t++) mpfr_clear(term[t]);
  return sign;
}

/* An order in which equal scores, and only they, are equal; dyadic ones come first. */
static int order_of(const attest_score *x, const attest_score *y) {
  int order;
  if (dyadic(x) != dyadic(y)) return dyadic(x) ? -1 : 1;
  if (dyadic(x)) return compare_dyadic(x, y);
  order = mpfr_cmp(x->a, y->a);
  if (order != 0) return order;
  return x->b < y->b ? -1 : x->b > y->b;
}

static int compare(const void *left, const void *right) {
  const attest_score *x = left, *y = right;
  const int order = order_of(x, y);
  if (order != 0) return order;
  return x->key < y->key ? -1 : x->key > y->key;
}

/* The integer root of n where there is one, else 0. */
static unsigned long integer_root(unsigned long n) {
  unsigned long r = 1;
  while (r * r < n) r++;
  return r * r == n ? r : 0;
}

static void find_leader(attest_groups *groups) {
  groups->leader = 0;
  for (size_t g = 1; g < groups->count; g++)
    if (attest_groups_leads(groups, g, groups->leader)) groups->leader = g;
}

int attest_groups_start(attest_groups *groups, const attest_row_view *row) {
  const size_t n = row->count;
  attest_exact_query query;
  groups->row = row;
  groups->radicand = row->scale_given ? 1 : (unsigned long)row->width;
  groups->root = integer_root(groups->radicand);
  if (n >= SIZE_MAX / sizeof *groups->scores) return 0;
  groups->scores = malloc(n * sizeof *groups->scores);
  groups->first = malloc((n + 1) * sizeof *groups->first);
  groups->group = malloc(n * sizeof *groups->group);
  if (!groups->scores || !groups->first || !groups->group ||
      !attest_exact_query_start(&query, row->q, row->width)) {
    free(groups->scores);
    free(groups->first);
    free(groups->group);
    return 0;
  }
  groups->algebraic = 1;
  for (size_t j = 0; j < n; j++) {
    set_score(groups, &query, j, &groups->scores[j]);
    if (row->softcap > 0 && mpfr_regular_p(groups->scores[j].a)) groups->algebraic = 0;
  }
  attest_exact_query_end(&query);
  qsort(groups->scores, n, sizeof *groups->scores, compare);
  groups->count = 0;
  for (size_t at = 0; at < n; at++) {
    if (at == 0 || order_of(&groups->scores[at - 1], &groups->scores[at]) != 0)
      groups->first[groups->count++] = at;
    groups->group[groups->scores[at].key] = groups->count - 1;
  }
  groups->first[groups->count] = n;
  find_leader(groups);
  return 1;
}

void attest_groups_end(attest_groups *groups) {
  for (size_t j = 0; j < groups->row->count; j++) mpfr_clear(groups->scores[j].a);
  free(groups->scores);
  free(groups->first);
  free(groups->group);
}

size_t attest_groups_size(const attest_groups *groups, size_t g) {
  return groups->first[g + 1] - groups->first[g];
}
