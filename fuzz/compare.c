#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "engines.h"
#ifndef FUZZ_WITHOUT_ORACLE
#include "oracle/allowance.h"
#endif

static int promised(const fuzz_problem *p, size_t b, size_t h, size_t i, size_t column) {
  return p->wide ? fuzz_same_bits_f64(&p->shape, &p->f64, b, h, i, column)
                 : fuzz_same_bits_f32(&p->shape, &p->f32, b, h, i, column);
}

static void differ(const fuzz_problem *p, size_t b, size_t h, size_t i, const char *what,
                   const char *part, size_t n, const double *x, const double *y) {
  fuzz_fail(p, "%s and naive differ in %s %zu of row %zu, head %zu, batch %zu: %a and %a", what,
            part, n, i, h, b, *y, *x);
}

/* The first element that differs. */
static size_t first(const double *x, const double *y, size_t count) {
  size_t n = 0;
  while (n + 1 < count && fuzz_same(x + n, y + n, 1)) n++;
  return n;
}

#ifndef FUZZ_WITHOUT_ORACLE
/* Two results within the bound of one number are within twice the bound of each other. What the bound
   asks to know of the exact result is taken from above. */
typedef struct {
  const fuzz_problem *p;
  size_t b, h, i;
  const char *what;
  attest_row_view view;
  attest_row_key keys[FUZZ_LONG];
  attest_allowance *allowance; /* NULL: nothing is promised */
} outside;

static void within(const outside *o, const char *part, size_t n, double allowed, const double *x,
                   const double *y) {
  if (fuzz_same(x, y, 1) || !(allowed < INFINITY)) return;
  if (!(fabs(*x - *y) <= 2 * allowed * (1 + 0x1p-40)))
    fuzz_fail(o->p, "%s and naive are apart in %s %zu of row %zu, head %zu, batch %zu: %a and %a, "
              "bound %a", o->what, part, n, o->i, o->h, o->b, *y, *x, allowed);
}

static void outputs(outside *o, const double *x, const double *y) {
  for (size_t c = 0; c < o->view.value_width; c++) {
    attest_enclosure e = {0, 0, 0};
    double rule;
    if (attest_row_column_rule(&o->view, c, &rule)) { /* infinite or NaN, one way or the other */
      if (x[c] - x[c] == 0 || y[c] - y[c] == 0)
        fuzz_fail(o->p, "%s: column %zu of row %zu has values that are not finite, and gives %a, "
                  "naive %a", o->what, c, o->i, y[c], x[c]);
      continue;
    }
    for (size_t j = 0; j < o->view.count; j++)
      e.radius = fmax(e.radius, fabs(o->view.keys[j].v[c]));
    within(o, "output", c, attest_allowance_output(o->allowance, c, e, NULL), x + c, y + c);
  }
}

/* |lse| at most. */
static double size_of_lse(const outside *o) {
  const attest_shape *s = &o->p->shape;
  const double scale = s->scale_given ? fabs(s->scale) : 1;
  double most = 0;
  for (size_t j = 0; j < o->view.count; j++) {
    double score = 0;
    for (size_t c = 0; c < s->width; c++) score += fabs(o->view.q[c] * o->view.keys[j].k[c]);
    score *= scale;
    if (s->softcap > 0 && score > s->softcap) score = s->softcap;
    most = fmax(most, score + fabs(o->view.keys[j].bias));
  }
  return most * (1 + 0x1p-40) + 5; /* log 70 < 5 */
}

static void check_outside(outside *o, fuzz_result *a, fuzz_result *b) {
  static const attest_format formats[] = {ATTEST_FORMAT_F32, ATTEST_FORMAT_F64};
  const fuzz_problem *p = o->p;
  const attest_format format = formats[p->wide];
  const attest_claim claim = attest_claim_engine(format, format);
  const double *const x = fuzz_weights(p, a, o->b, o->h, o->i);
  const double *const y = fuzz_weights(p, b, o->b, o->h, o->i);
  attest_facts *facts;
  attest_enclosure e = {0, 0, 0};
  o->view = attest_row_at(&p->shape, &p->f64, o->b, o->h, o->i, o->keys);
  if (o->view.kind != ATTEST_ROW_FINITE || o->view.dropped > 0) return;
  facts = attest_facts_start(&o->view);
  o->allowance = facts ? attest_allowance_start(facts, &claim, 0) : NULL;
  if (!o->allowance) abort();
  if (attest_allowance_row_sum(o->allowance) < INFINITY) {
    outputs(o, fuzz_out(p, a, o->b, o->h, o->i), fuzz_out(p, b, o->b, o->h, o->i));
    for (size_t n = 0; n < o->view.count; n++) {
      const size_t j = o->view.keys[n].index;
      within(o, "weight", j, attest_allowance_weight(o->allowance, n), x + j, y + j);
    }
    e.radius = size_of_lse(o);
    within(o, "log-sum-exp", 0, attest_allowance_lse(o->allowance, ATTEST_BASE_E, e),
           fuzz_lse(p, a, o->b, o->h, o->i), fuzz_lse(p, b, o->b, o->h, o->i));
  }
  attest_allowance_end(o->allowance);
  attest_facts_end(facts);
}
#endif

void fuzz_compare_row(const fuzz_problem *p, fuzz_result *a, fuzz_result *b, size_t batch,
                      size_t head, size_t i, const char *what) {
  const size_t width = p->shape.value_width, keys = p->shape.kv_len;
  const double *const out = fuzz_out(p, a, batch, head, i), *got = fuzz_out(p, b, batch, head, i);
  const double *const w = fuzz_weights(p, a, batch, head, i);
  const double *const weights = fuzz_weights(p, b, batch, head, i);
  const double *const lse = fuzz_lse(p, a, batch, head, i), *l = fuzz_lse(p, b, batch, head, i);
  const int same_weights = fuzz_same(w, weights, keys), same_lse = fuzz_same(lse, l, 1);
  if (same_weights && same_lse && fuzz_same(out, got, width)) return;
  if (promised(p, batch, head, i, width)) {
    const size_t n = first(w, weights, keys);
    if (!same_weights) differ(p, batch, head, i, what, "weight", n, w + n, weights + n);
    if (!same_lse) differ(p, batch, head, i, what, "log-sum-exp", 0, lse, l);
  }
  for (size_t c = 0; c < width; c++)
    if (!fuzz_same(out + c, got + c, 1) && promised(p, batch, head, i, c))
      differ(p, batch, head, i, what, "output", c, out + c, got + c);
  for (size_t j = 0; j < keys; j++)
    if (fuzz_visible(p, batch, head, i, j) != 1 && (weights[j] != 0 || signbit(weights[j])))
      differ(p, batch, head, i, what, "the weight of hidden key", j, w + j, weights + j);
#ifndef FUZZ_WITHOUT_ORACLE
  /* Intervals may be needed, and take milliseconds: for one input in 16. (The oracle targets hold every
     nest against the bound each time.) */
  if (p->draw % 16 == 0) {
    static outside o;
    o.p = p;
    o.b = batch;
    o.h = head;
    o.i = i;
    o.what = what;
    check_outside(&o, a, b);
  }
#endif
}

void fuzz_compare(const fuzz_problem *p, fuzz_result *a, fuzz_result *b, const char *what) {
  const attest_shape *s = &p->shape;
  if (fuzz_same_results(p, a, b)) return;
  for (size_t n = 0; n < s->batch; n++)
    for (size_t h = 0; h < s->q_heads; h++)
      for (size_t i = 0; i < s->q_len; i++) fuzz_compare_row(p, a, b, n, h, i, what);
}
