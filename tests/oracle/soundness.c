/* Enclosures against the truth: random elements, their enclosures by each rung of the ladder and by
   intervals of RUNG_BITS bits, and the true value in intervals four times as precise.

     soundness [ELEMENTS]

   A line for each kind of enclosure: 'ok NAME: ...' or 'FAIL NAME: ...', with how many elements it
   was asked about, how many true values lay outside, how many enclosures said nothing (radius
   infinite), and the largest share of a radius that was used. The truth comes from the intervals
   too: that these are right is what arb.c is for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "oracle/exact.h"
#include "oracle/oracle.h"
#include "problem.h"

enum { ELEMENTS = 20000, RUNG_BITS = 128, TRUE_BITS = 4 * RUNG_BITS, LAST_BITS = 8192 };
enum { EXACT_BITS = 2400, SOURCES = ATTEST_RUNGS + 1, PLAIN = ATTEST_RUNGS };

typedef struct {
  size_t elements, outside, silent;
  double used;
} tally;

static const char *const names[SOURCES] = {"rule", "f64", "double-double", "interval",
                                           "exact", "undecided", "plain intervals"};
static tally tallies[SOURCES];
static size_t asked;

typedef struct {
  enum { OUTPUT, WEIGHT, LSE } of;
  size_t index; /* column, or index in view->keys */
  attest_log_base base;
} element;

static void enclose(attest_exact *exact, element e, mpfr_prec_t bits, mpfi_ptr x) {
  if (e.of == OUTPUT)
    attest_exact_output_at(exact, e.index, bits, x);
  else if (e.of == WEIGHT)
    attest_exact_weight_at(exact, e.index, bits, x);
  else
    attest_exact_lse_at(exact, e.base, bits, x);
}

static int disjoint(mpfi_srcptr x, mpfi_srcptr y) {
  return mpfr_less_p(&x->right, &y->left) || mpfr_less_p(&y->right, &x->left);
}

/* How far the middle of x is from that of `box`, over half the width of `box`. */
static double share(mpfi_srcptr x, mpfi_srcptr box) {
  mpfr_t middle, center, radius;
  double result;
  mpfr_init2(middle, EXACT_BITS);
  mpfr_init2(center, EXACT_BITS);
  mpfr_init2(radius, EXACT_BITS);
  mpfi_mid(middle, x);
  mpfi_mid(center, box);
  mpfi_diam_abs(radius, box);
  mpfr_div_2ui(radius, radius, 1, MPFR_RNDN);
  mpfr_sub(middle, middle, center, MPFR_RNDN);
  mpfr_div(middle, middle, radius, MPFR_RNDN);
  result = mpfr_zero_p(radius) ? 0 : fabs(mpfr_get_d(middle, MPFR_RNDN));
  mpfr_clear(radius);
  mpfr_clear(center);
  mpfr_clear(middle);
  return result;
}

/* Whether the element can be outside of `box`: the precision grows while the truth is neither seen
   inside nor outside, as it is where they touch. */
static void check(attest_exact *exact, element e, mpfi_srcptr box, size_t source) {
  tally *t = &tallies[source];
  mpfi_t truth;
  asked++;
  t->elements++;
  if (mpfr_inf_p(&box->left) || mpfr_inf_p(&box->right)) {
    t->silent++;
    return;
  }
  mpfi_init2(truth, TRUE_BITS);
  for (mpfr_prec_t bits = TRUE_BITS; bits <= LAST_BITS; bits *= 4) {
    mpfi_set_prec(truth, bits);
    enclose(exact, e, bits, truth);
    if (mpfi_is_inside(truth, box) > 0) break;
    if (disjoint(truth, box)) {
      t->outside++;
      if (t->outside <= 5)
        printf("  %s: kind %d, index %zu, base %d: %.17g outside [%.17g, %.17g]\n", names[source],
               (int)e.of, e.index, (int)e.base, mpfi_get_d(truth),
               mpfr_get_d(&box->left, MPFR_RNDN), mpfr_get_d(&box->right, MPFR_RNDN));
      break;
    }
  }
  if (share(truth, box) > t->used) t->used = share(truth, box);
  mpfi_clear(truth);
}

static void check_enclosure(attest_exact *exact, element e, attest_enclosure c, int rung) {
  mpfi_t box;
  mpfi_init2(box, EXACT_BITS);
  mpfi_set_d(box, c.high);
  mpfi_add_d(box, box, c.low);
  mpfr_sub_d(&box->left, &box->left, c.radius, MPFR_RNDD);
  mpfr_add_d(&box->right, &box->right, c.radius, MPFR_RNDU);
  check(exact, e, box, (size_t)rung);
  mpfi_clear(box);
}

static void check_plain(attest_exact *exact, element e) {
  mpfi_t box;
  mpfi_init2(box, RUNG_BITS);
  enclose(exact, e, RUNG_BITS, box);
  check(exact, e, box, PLAIN);
  mpfi_clear(box);
}

static void check_intervals(attest_exact *exact, const attest_row_view *view) {
  element e = {OUTPUT, 0, ATTEST_BASE_E};
  for (e.index = 0; e.index < view->value_width; e.index++) check_plain(exact, e);
  e.of = WEIGHT;
  for (e.index = 0; e.index < view->count; e.index++) check_plain(exact, e);
  e.of = LSE;
  e.index = 0;
  check_plain(exact, e);
  e.base = ATTEST_BASE_2;
  check_plain(exact, e);
}

/* 0: refused. */
static int check_ladder(attest_exact *exact, const attest_row_view *view, const problem *p,
                        size_t i, attest_oracle_options options) {
  static double out[PROBLEM_VALUES], weights[PROBLEM_KEYS], lse[1];
  static uint8_t rungs[3][PROBLEM_KEYS];
  static attest_enclosure boxes[3][PROBLEM_KEYS];
  attest_oracle_result result = {{out, boxes[0], rungs[0]}, {weights, boxes[1], rungs[1]},
                                 {lse, boxes[2], rungs[2]}, {0}};
  attest_status refusal;
  element e = {OUTPUT, 0, options.lse_base};
  if (attest_oracle_rows(&p->shape, &p->arrays, 0, 0, i, 1, &options, &result, &refusal) !=
      ATTEST_ORACLE_OK)
    return 0;
  for (e.index = 0; e.index < view->value_width; e.index++)
    check_enclosure(exact, e, boxes[0][e.index], rungs[0][e.index]);
  e.of = WEIGHT;
  for (e.index = 0; e.index < view->count; e.index++) {
    const size_t j = view->keys[e.index].index;
    check_enclosure(exact, e, boxes[1][j], rungs[1][j]);
  }
  e.of = LSE;
  e.index = 0;
  check_enclosure(exact, e, boxes[2][0], rungs[2][0]);
  return 1;
}

int main(int argc, char **argv) {
  static const attest_rung firsts[] = {ATTEST_RUNG_F64, ATTEST_RUNG_WIDE, ATTEST_RUNG_INTERVAL};
  const size_t elements = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : ELEMENTS;
  static problem p;
  static attest_row_key memory[PROBLEM_KEYS];
  uint64_t state = 7046029254386353131u;
  size_t refused = 0, wrong = 0;
  while (asked < elements) {
    problem_make(&p, &state);
    for (size_t i = 0; i < p.shape.q_len; i++) {
      const attest_row_view view = attest_row_at(&p.shape, &p.arrays, 0, 0, i, memory);
      attest_exact *exact;
      if (view.kind != ATTEST_ROW_FINITE) continue;
      exact = attest_exact_start(&view);
      if (!exact) return 1;
      check_intervals(exact, &view);
      for (int f = 0; f < 3; f++) {
        const attest_oracle_options options = {(attest_format)problem_below(&state, 5),
                                               (attest_log_base)problem_below(&state, 2),
                                               firsts[f]};
        refused += !check_ladder(exact, &view, &p, i, options);
      }
      attest_exact_end(exact);
    }
  }
  for (int n = 0; n < SOURCES; n++) {
    const tally t = tallies[n];
    if (t.elements == 0) continue;
    printf("%s soundness, %s: %zu elements, %zu outside, %zu without a bound, "
           "at most %.3g of the radius used\n",
           t.outside ? "FAIL" : "ok", names[n], t.elements, t.outside, t.silent, t.used);
    wrong += t.outside;
  }
  printf("%s soundness, problems: %zu rows refused\n", refused ? "FAIL" : "ok", refused);
  mpfr_free_cache();
  return wrong || refused ? 1 : 0;
}
