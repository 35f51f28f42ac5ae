/* Results of one row against the exact answer and what a claim allows: errors from intervals, so
   that what is called wrong is wrong. */
#ifndef TESTS_BOUND_CHECK_H
#define TESTS_BOUND_CHECK_H

#include <float.h>
#include <math.h>
#include <mpfi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/allowance.h"
#include "oracle/exact.h"

enum { CHECK_BITS = 256, CHECK_MOST_BITS = 16384 };
enum { CHECK_OUT, CHECK_WEIGHT, CHECK_SUM, CHECK_LSE, CHECK_PARTS };

typedef struct {
  size_t asked[CHECK_PARTS], silent[CHECK_PARTS], wrong; /* silent: nothing was promised */
  double used[CHECK_PARTS]; /* the largest share of an allowance that an error was */
  const char *about;        /* printed with what is wrong */
} check_tally;

typedef struct {
  attest_row_view view;
  attest_row_key *memory;
  attest_facts *facts;
  attest_exact *exact;
  size_t keys; /* of the shape */
} check_row;

/* `facts` becomes NULL where the row needs no arithmetic and there is nothing to check. */
static void check_open(check_row *r, const attest_shape *s, const attest_arrays_f64 *a,
                       size_t i) {
  r->facts = NULL;
  r->exact = NULL;
  r->memory = malloc(attest_row_capacity(s) * sizeof *r->memory);
  if (!r->memory) abort();
  r->view = attest_row_at(s, a, 0, 0, i, r->memory);
  r->keys = s->kv_len;
  if (r->view.kind != ATTEST_ROW_FINITE) return;
  r->facts = attest_facts_start(&r->view);
  r->exact = attest_exact_start(&r->view);
  if (!r->facts || !r->exact) abort();
}

static void check_close(check_row *r) {
  if (r->facts) {
    attest_exact_end(r->exact);
    attest_facts_end(r->facts);
  }
  free(r->memory);
}

typedef struct {
  int part;
  size_t index; /* column, or number of the key in the view */
  attest_log_base base;
} check_element;

static void check_exact(check_row *r, check_element e, mpfr_prec_t bits, mpfi_ptr x) {
  mpfi_set_prec(x, bits);
  if (e.part == CHECK_OUT)
    attest_exact_output_at(r->exact, e.index, bits, x);
  else if (e.part == CHECK_WEIGHT)
    attest_exact_weight_at(r->exact, e.index, bits, x);
  else
    attest_exact_lse_at(r->exact, e.base, bits, x);
}

/* A double or two near the exact element. */
static attest_enclosure check_near(check_row *r, check_element e) {
  attest_enclosure c = {0, 0, 0};
  mpfi_t x;
  mpfi_init2(x, CHECK_BITS);
  check_exact(r, e, CHECK_BITS, x);
  c.high = mpfi_get_d(x);
  mpfi_sub_d(x, x, c.high);
  mpfi_abs(x, x);
  c.radius = mpfr_get_d(&x->right, MPFR_RNDU);
  mpfi_clear(x);
  return c;
}

static void check_count(check_tally *t, check_element e, double got, double share, int wrong) {
  if (share > t->used[e.part]) t->used[e.part] = share;
  if (!wrong) return;
  t->wrong++;
  if (t->wrong <= 10)
    printf("%s: part %d, index %zu: %a is off by %g of its allowance\n", t->about ? t->about : "",
           e.part, e.index, got, share);
}

static void check_one(check_tally *t, check_row *r, check_element e, double got, double allowed) {
  mpfi_t x;
  t->asked[e.part]++;
  if (!(allowed < INFINITY)) {
    t->silent[e.part]++;
    return;
  }
  if (!(fabs(got) <= DBL_MAX)) {
    check_count(t, e, got, INFINITY, 1);
    return;
  }
  mpfi_init2(x, CHECK_BITS);
  for (mpfr_prec_t bits = CHECK_BITS; bits <= CHECK_MOST_BITS; bits *= 4) {
    check_exact(r, e, bits, x);
    mpfi_sub_d(x, x, got);
    mpfi_abs(x, x);
    if (mpfr_cmp_d(&x->right, allowed) <= 0 || mpfr_cmp_d(&x->left, allowed) > 0) break;
  }
  check_count(t, e, got, allowed > 0 ? mpfr_get_d(&x->left, MPFR_RNDN) / allowed : 0,
              !(mpfr_cmp_d(&x->right, allowed) <= 0));
  mpfi_clear(x);
}

static void check_sum(check_tally *t, check_row *r, const double *weights, double allowed) {
  const check_element e = {CHECK_SUM, 0, ATTEST_BASE_E};
  mpfr_t sum;
  double off;
  t->asked[CHECK_SUM]++;
  if (!(allowed < INFINITY)) {
    t->silent[CHECK_SUM]++;
    return;
  }
  mpfr_init2(sum, 4096);
  mpfr_set_si(sum, -1, MPFR_RNDN);
  for (size_t j = 0; j < r->keys; j++) mpfr_add_d(sum, sum, weights[j], MPFR_RNDN);
  off = mpfr_number_p(sum) ? fabs(mpfr_get_d(sum, MPFR_RNDN)) : INFINITY;
  check_count(t, e, off, off / allowed, !(off <= allowed));
  mpfr_clear(sum);
}

/* out: the row's columns; weights (or NULL): one for each key of the shape; lse: NULL or a number.
   every: which keys' weights are looked at. */
static void check_results(check_tally *t, check_row *r, const attest_claim *claim, size_t tile,
                          const double *out, const double *weights, const double *lse,
                          attest_log_base base, size_t every) {
  attest_allowance *const a = attest_allowance_start(r->facts, claim, tile);
  check_element e = {CHECK_OUT, 0, base};
  if (!a) abort();
  for (e.index = 0; e.index < r->view.value_width; e.index++)
    check_one(t, r, e, out[e.index], attest_allowance_output(a, e.index, check_near(r, e), NULL));
  if (weights) {
    e.part = CHECK_WEIGHT;
    for (e.index = 0; e.index < r->view.count; e.index += every)
      check_one(t, r, e, weights[r->view.keys[e.index].index],
                attest_allowance_weight(a, e.index));
    check_sum(t, r, weights, attest_allowance_row_sum(a));
  }
  if (lse) {
    e.part = CHECK_LSE;
    e.index = 0;
    check_one(t, r, e, *lse, attest_allowance_lse(a, base, check_near(r, e)));
  }
  attest_allowance_end(a);
}

#endif
