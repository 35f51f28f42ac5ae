#define ATTEST_F64
#include "allowance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention.h"
#include "dot.h"
#include "exact.h"
#include "score.h"
#include "softmax.h"

/* A key's score and weight; weight from above, log_weight to within 2^-20, or where it is
   large 2^-52 of itself. */
typedef struct {
  attest_score_size size;
  double weight, log_weight;
} key_facts;

struct attest_facts {
  const attest_row_view *row;
  attest_bound_problem problem;
  key_facts *keys;
  double m; /* |largest score|, from above */
  attest_score_size drop; /* of the keys whose score is -inf: products and elements, the largest */
  int broken; /* a number is beyond double's range */
};

struct attest_allowance {
  const attest_facts *facts;
  const attest_claim *claim;
  double rescales;
  attest_row_error row;
  attest_score_error *error;
  double *share, *share_error;
};

static attest_rule rule_of(const attest_row_view *row) {
  attest_shape shape = {0};
  shape.width = row->width;
  shape.scale_given = row->scale_given;
  shape.scale = row->scale;
  shape.softcap = row->softcap;
  return attest_rule_of(shape);
}

/* Of a key with an infinite score the finite terms count: their sum must not overflow, or it could
   meet the infinity with the other sign. And so do the finite factors of the others: as 0 they would
   make NaN of it. */
static void finite_sizes(const attest_row_view *row, const attest_row_key *key,
                         attest_score_size *size) {
  size->products = size->elements = size->meets = 0;
  for (size_t c = 0; c < row->width; c++) {
    const double a = fabs(row->q[c]), b = fabs(key->k[c]), finite = a < b ? a : b;
    if (!(a < INFINITY) || !(b < INFINITY)) {
      if (finite < INFINITY && (size->meets == 0 || finite < size->meets)) size->meets = finite;
      continue;
    }
    size->products += a * b;
    size->elements += a + b;
  }
}

/* Sums over the width, at most 4096 terms: enlarged by 2^-40 they are upper bounds in any order.
   Several sums side by side do not wait for each other. */
static void product_sizes(const attest_row_view *row, const attest_row_key *key,
                          attest_score_size *size) {
  enum { SIDE = 4 };
  double products[SIDE] = {0}, elements[SIDE] = {0};
  size_t c = 0;

  size->products = size->elements = size->meets = 0;
  if (key->infinite) {
    finite_sizes(row, key, size);
    c = row->width;
  }
  for (; c + SIDE <= row->width; c += SIDE)
    for (size_t n = 0; n < SIDE; n++) {
      const double a = fabs(row->q[c + n]), b = fabs(key->k[c + n]);
      products[n] += a * b;
      elements[n] += a + b;
    }
  for (; c < row->width; c++) {
    products[0] += fabs(row->q[c] * key->k[c]);
    elements[0] += fabs(row->q[c]) + fabs(key->k[c]);
  }
  for (size_t n = 0; n < SIDE; n++) {
    size->products += products[n];
    size->elements += elements[n];
  }
  size->products = size->products * (1 + 0x1p-40) + 4096 * 0x1p-1074;
  size->elements *= 1 + 0x1p-40;
}

/* Sizes of one key from its scores as computed in double, y in base 2. What was lost on the way is
   at most d u scale times the sum of products, and a few roundings of the score itself. */
static double key_sizes(const attest_row_view *row, attest_rule rule, const attest_row_key *key,
                        attest_score_size *size) {
  /* `infinite` is the sign with the scale, which is multiplied below */
  const double dot = key->infinite ? key->infinite * (rule.scale < 0 ? -HUGE_VAL : HUGE_VAL)
                                   : attest_dot(row->q, key->k, row->width);
  double y, lost;

  product_sizes(row, key, size);
  lost = fabs(rule.scale) * size->products * 0x1p-39;
  size->raw = key->infinite ? rule.softcap : fabs(rule.scale * dot) * (1 + 0x1p-40) + lost;
  size->bias = fabs(key->bias);
  y = row->biased ? attest_score_biased(dot, key->bias, rule) : attest_score(dot, rule);
  size->signed_score = y / ATTEST_LOG2E;
  size->score = fabs(size->signed_score) * (1 + 0x1p-40) + lost + size->bias * 0x1p-48;
  return y;
}

/* The largest products and elements of the keys that are dropped, the smallest factor of an infinite
   element, and whether all are in range. */
static int drop_sizes(const attest_row_view *row, attest_score_size *drop) {
  memset(drop, 0, sizeof *drop);
  for (size_t n = 0; n < row->dropped; n++) {
    attest_score_size size;
    finite_sizes(row, &row->drop[n], &size);
    if (size.products > drop->products) drop->products = size.products;
    if (size.elements > drop->elements) drop->elements = size.elements;
    if (size.meets > 0 && (drop->meets == 0 || size.meets < drop->meets)) drop->meets = size.meets;
  }
  drop->products = drop->products * (1 + 0x1p-40) + 4096 * 0x1p-1074;
  drop->elements *= 1 + 0x1p-40;
  return drop->products < ATTEST_MAX;
}

/* Weights from the scores in base 2 that log_weight holds. */
static void weigh(attest_facts *facts) {
  const size_t n = facts->row->count;
  double exponent = -INFINITY, sum = 0, log_sum;

  for (size_t j = 0; j < n; j++) exponent = attest_raise(exponent, facts->keys[j].log_weight);
  for (size_t j = 0; j < n; j++) {
    facts->keys[j].weight = attest_weight(facts->keys[j].log_weight, exponent);
    sum += facts->keys[j].weight;
  }
  log_sum = attest_log(sum);
  for (size_t j = 0; j < n; j++) {
    key_facts *key = &facts->keys[j];
    key->weight = key->weight / sum * (1 + 0x1p-20) + 0x1p-1021;
    key->log_weight = (key->log_weight - exponent) / ATTEST_LOG2E - log_sum;
  }
}

/* Whether the f64 engine, which `weigh` repeats, is sure of the weights: its error of a weight is
   at most twice that of a score, and what the sum adds. */
static int sure(const attest_facts *facts) {
  const attest_claim claim = attest_claim_engine(ATTEST_FORMAT_F64, ATTEST_FORMAT_F64);
  for (size_t j = 0; j < facts->row->count; j++) {
    const attest_score_error e =
        attest_bound_score(&claim, &facts->problem, facts->keys[j].size, facts->m, 0);
    if (e.broken || !(e.up <= 0x1p-23)) return 0;
  }
  return 1;
}

/* The same from intervals. 1100 bits hold differences of any two doubles' scale. */
static int weigh_exactly(attest_facts *facts) {
  enum { BITS = 1100 };
  attest_exact *exact = attest_exact_start(facts->row);
  mpfi_t lse, x;

  if (exact == NULL) return -1;
  mpfi_init2(lse, BITS);
  mpfi_init2(x, BITS);
  attest_exact_lse_at(exact, ATTEST_BASE_E, BITS, lse);
  facts->m = 0;
  for (size_t j = 0; j < facts->row->count; j++) {
    key_facts *key = &facts->keys[j];
    attest_exact_score_at(exact, j, BITS, x);
    key->size.signed_score = mpfi_get_d(x);
    key->size.score = fabs(key->size.signed_score) * (1 + 0x1p-40);
    if (j == 0 || key->size.signed_score > facts->m) facts->m = key->size.signed_score;
    mpfi_sub(x, x, lse);
    key->log_weight = mpfi_get_d(x);
    mpfi_exp(x, x);
    key->weight = mpfr_get_d(&x->right, MPFR_RNDU);
  }
  facts->m = fabs(facts->m) * (1 + 0x1p-40);
  mpfi_clear(lse);
  mpfi_clear(x);
  attest_exact_end(exact);
  return 0;
}

attest_facts *attest_facts_start(const attest_row_view *row) {
  const attest_rule rule = rule_of(row);
  attest_facts *facts = malloc(sizeof *facts);

  if (facts == NULL) return NULL;
  facts->row = row;
  facts->problem.width = row->width;
  facts->problem.scale = fabs(rule.scale) * (1 + 0x1p-50);
  facts->problem.softcap = row->softcap;
  facts->problem.biased = row->biased;
  facts->m = 0;
  facts->broken = !drop_sizes(row, &facts->drop);
  facts->keys = malloc(row->count * sizeof *facts->keys);
  if (facts->keys == NULL) {
    free(facts);
    return NULL;
  }
  for (size_t j = 0; j < row->count; j++) {
    key_facts *key = &facts->keys[j];
    key->log_weight = key_sizes(row, rule, &row->keys[j], &key->size);
    if (!(key->size.products < ATTEST_MAX) || !(key->size.raw < ATTEST_MAX) ||
        !(key->size.score < ATTEST_MAX))
      facts->broken = 1;
    if (j == 0 || key->size.signed_score > facts->m) facts->m = key->size.signed_score;
  }
  facts->m = fabs(facts->m) * (1 + 0x1p-40);
  for (size_t j = 0; j < row->count; j++)
    if (facts->keys[j].size.signed_score >= 0 && facts->keys[j].size.score > facts->m)
      facts->m = facts->keys[j].size.score;
  if (!facts->broken && sure(facts)) {
    weigh(facts);
  } else if (!facts->broken && weigh_exactly(facts) != 0) {
    attest_facts_end(facts);
    return NULL;
  }
  return facts;
}

void attest_facts_end(attest_facts *facts) {
  if (facts == NULL) return;
  free(facts->keys);
  free(facts);
}

attest_allowance *attest_allowance_start(const attest_facts *facts, const attest_claim *claim,
                                         size_t tile) {
  const attest_row_view *row = facts->row;
  const size_t n = row->count;
  attest_allowance *a = malloc(sizeof *a);

  if (a == NULL) return NULL;
  a->facts = facts;
  a->claim = claim;
  a->rescales = 0;
  if (tile > 0)
    a->rescales = (double)(row->keys[n - 1].index / tile - row->keys[0].index / tile + 1);
  a->error = malloc(n * sizeof *a->error);
  a->share = malloc(n * sizeof *a->share);
  a->share_error = malloc(n * sizeof *a->share_error);
  if (a->error == NULL || a->share == NULL || a->share_error == NULL) {
    attest_allowance_end(a);
    return NULL;
  }
  attest_bound_row_start(&a->row);
  a->row.broken = facts->broken || !attest_bound_steady(claim, facts->m) ||
                  attest_bound_score(claim, &facts->problem, facts->drop, 0, 0).broken;
  for (size_t j = 0; j < n && !a->row.broken; j++) {
    const key_facts *key = &facts->keys[j];
    const attest_score_error e =
        attest_bound_score(claim, &facts->problem, key->size, facts->m, a->rescales);
    a->error[j] = e;
    a->share[j] = attest_bound_share(e, key->weight, key->log_weight);
    a->share_error[j] = attest_bound_share_error(e, key->weight, key->log_weight);
    attest_bound_row_add(&a->row, e, key->weight, key->log_weight);
  }
  return a;
}

void attest_allowance_end(attest_allowance *a) {
  if (a == NULL) return;
  free(a->error);
  free(a->share);
  free(a->share_error);
  free(a);
}

double attest_allowance_output(attest_allowance *a, size_t c, attest_enclosure exact,
                               double *spread) {
  const attest_row_view *row = a->facts->row;
  const double away = fabs(exact.low) + exact.radius;
  attest_column_size column = {0, 0, 0, 0, 0};

  for (size_t j = 0; j < row->count; j++) {
    const double v = row->keys[j].v[c];
    const double distance = (fabs(v - exact.high) + away) * (1 + 0x1p-50);
    if (distance > column.spread) column.spread = distance;
    if (fabs(v) > column.largest) column.largest = fabs(v);
    if (a->row.broken) continue;
    column.moved += a->share_error[j] * distance;
    column.mean += a->share[j] * fabs(v);
  }
  /* Each product may have underflowed by half the smallest number. */
  column.moved += (double)row->count * 0x1p-1074;
  column.mean += (double)row->count * 0x1p-1074;
  column.moved *= ATTEST_BOUND_SLACK / a->row.kept;
  column.mean *= ATTEST_BOUND_SLACK / a->row.kept;
  column.output = fabs(exact.high) + away;
  if (spread != NULL) *spread = column.spread;
  return attest_bound_output(a->claim, &a->row, a->rescales, column);
}

double attest_allowance_growth(const attest_allowance *a) {
  double moved = 0;
  if (a->row.broken) return 0;
  for (size_t j = 0; j < a->facts->row->count; j++) moved += a->share_error[j];
  return 2 * moved * (ATTEST_BOUND_SLACK / a->row.kept);
}

double attest_allowance_weight(attest_allowance *a, size_t index) {
  const key_facts *key = &a->facts->keys[index];
  if (a->row.broken) return INFINITY;
  return attest_bound_weight(a->claim, &a->row, a->rescales, a->error[index], key->weight,
                             key->log_weight);
}

double attest_allowance_row_sum(attest_allowance *a) {
  if (a->row.broken) return INFINITY;
  return attest_bound_row_sum(a->claim, &a->row, a->rescales);
}

double attest_allowance_lse(attest_allowance *a, attest_log_base base, attest_enclosure exact) {
  const double size = fabs(exact.high) + fabs(exact.low) + exact.radius;
  if (a->row.broken) return INFINITY;
  if (base == ATTEST_BASE_2)
    return attest_bound_lse_base_2(a->claim, &a->row, a->rescales, size * 0.6931471805599454);
  return attest_bound_lse(a->claim, &a->row, a->rescales, size);
}
