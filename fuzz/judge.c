#include "judge.h"

#include <math.h>
#include <stdlib.h>

/* Rows of a head. */
typedef struct {
  size_t batch, head, first, count;
} rows;

/* Zero where there is no answer, or one that the oracle calls undecided. */
static int climb(const fuzz_problem *p, rows r, attest_format format, attest_rung lowest,
                 fuzz_truth *t) {
  const attest_oracle_options options = {format, ATTEST_BASE_E, lowest};
  attest_oracle_result result = {{t->out, t->out_box, NULL}, {t->weights, t->weight_box, NULL},
                                 {t->lse, t->lse_box, NULL}, {0}};
  attest_status refusal;
  const attest_oracle_status status = attest_oracle_rows(
      &p->shape, &p->f64, r.batch, r.head, r.first, r.count, &options, &result, &refusal);
  if (status == ATTEST_ORACLE_REFUSED && refusal != ATTEST_NUMBER)
    fuzz_fail(p, "the oracle refuses: %s", attest_status_text(refusal));
  return status == ATTEST_ORACLE_OK && result.decided[ATTEST_RUNG_UNDECIDED] == 0;
}

/* The answer from double-double on. The f64 rung below it needs the bounds of its own arithmetic, which
   often take intervals: one input in 8 is asked from there too, and what is decided must be the same. */
static void ask(const fuzz_problem *p, rows r, attest_format format, fuzz_truth *t) {
  static fuzz_truth low;
  if (r.count == 0) return;
  if (!climb(p, r, format, ATTEST_RUNG_WIDE, t) || p->draw % 8 != 0) return;
  if (climb(p, r, format, ATTEST_RUNG_F64, &low) &&
      !(fuzz_same(low.out, t->out, r.count * p->shape.value_width) &&
        fuzz_same(low.weights, t->weights, r.count * p->shape.kv_len) &&
        fuzz_same(low.lse, t->lse, r.count)))
    fuzz_fail(p, "the oracle answers rows %zu to %zu of head %zu, batch %zu otherwise from its f64 rung",
              r.first, r.first + r.count - 1, r.head, r.batch);
}

void fuzz_ask(const fuzz_problem *p, size_t batch, size_t head, attest_format format,
              fuzz_truth *truth) {
  const rows all = {batch, head, 0, p->shape.q_len};
  ask(p, all, format, truth);
}

void fuzz_ask_row(const fuzz_problem *p, size_t batch, size_t head, size_t i, attest_format format,
                  fuzz_truth *truth) {
  const rows one = {batch, head, i, 1};
  ask(p, one, format, truth);
}

/* The oracle finds visible keys by ref/'s own arithmetic on offsets and windows. */
static void check_visible(const fuzz_row *r) {
  size_t visible = 0;
  for (size_t j = 0; j < r->p->shape.kv_len; j++)
    visible += fuzz_visible(r->p, r->batch, r->head, r->i, j) == 1;
  for (size_t n = 0; n < r->view.count; n++)
    if (fuzz_visible(r->p, r->batch, r->head, r->i, r->view.keys[n].index) != 1)
      fuzz_fail(r->p, "the oracle's row %zu, head %zu, batch %zu sees hidden key %zu", r->i, r->head,
                r->batch, r->view.keys[n].index);
  if (visible != r->view.count + r->view.dropped)
    fuzz_fail(r->p, "the oracle's row %zu, head %zu, batch %zu sees %zu keys, not %zu", r->i, r->head,
              r->batch, r->view.count + r->view.dropped, visible);
}

void fuzz_row_start(fuzz_row *r, const fuzz_problem *p, const fuzz_truth *truth, size_t batch,
                    size_t head, size_t i) {
  const attest_format format = p->wide ? ATTEST_FORMAT_F64 : ATTEST_FORMAT_F32;
  r->p = p;
  r->truth = truth;
  r->batch = batch;
  r->head = head;
  r->i = i;
  r->view = attest_row_at(&p->shape, &p->f64, batch, head, i, r->keys);
  check_visible(r);
  r->facts = NULL;
  r->allowance = NULL;
  r->silent = 0;
  if (r->view.kind != ATTEST_ROW_FINITE) return;
  r->claim = attest_claim_engine(format, format);
  r->facts = attest_facts_start(&r->view);
  r->allowance = r->facts ? attest_allowance_start(r->facts, &r->claim, 0) : NULL;
  if (!r->allowance) abort();
  r->silent = !(attest_allowance_row_sum(r->allowance) < INFINITY);
}

void fuzz_row_end(fuzz_row *r) {
  attest_allowance_end(r->allowance);
  attest_facts_end(r->facts);
}

double fuzz_off(double got, attest_enclosure box) {
  const double away = got - box.high, off = fabs(away - box.low);
  return fmax(off - 0x1p-51 * (fabs(away) + fabs(box.low)) - box.radius, 0);
}

static void fail(const fuzz_row *r, const char *engine, const char *part, size_t n, double got,
                 const char *want) {
  fuzz_fail(r->p, "%s: %s %zu of row %zu, head %zu, batch %zu is %a, not %s", engine, part, n, r->i,
            r->head, r->batch, got, want);
}

/* Far from the ends of the format, where a whole bound may be used by one underflow or one score that
   stops at the largest number. */
static int ordinary(const fuzz_problem *p, double x) {
  const int reach = p->wide ? 900 : 100;
  return fabs(x) > ldexp(1, -reach) && fabs(x) < ldexp(1, reach);
}

/* A number within the allowance of the exact one. An allowance as large as `spread` says nothing, and all of
   it may be used: only one well below has a share that tells something. */
static void near(const fuzz_row *r, const char *engine, const char *part, size_t n, double got,
                 attest_enclosure box, double allowed, double spread) {
  if (!(allowed < INFINITY) || !(box.radius < INFINITY)) return;
  if (got - got != 0) fail(r, engine, part, n, got, "finite");
  if (fuzz_off(got, box) > allowed)
    fuzz_fail(r->p, "%s: %s %zu of row %zu, head %zu, batch %zu is %a, exact %a + %a, off by %g of the"
              " bound %a", engine, part, n, r->i, r->head, r->batch, got, box.high,
              box.low, fuzz_off(got, box) / allowed, allowed);
  if (ordinary(r->p, box.high) && allowed <= spread * 0x1p-8)
    fuzz_ratio(engine, part, fuzz_off(got, box), allowed);
}

static void judge_outputs(fuzz_row *r, const char *engine, const double *out) {
  for (size_t c = 0; c < r->view.value_width; c++) {
    const size_t at = r->i * r->view.value_width + c;
    double rule;
    if (r->view.kind == ATTEST_ROW_EMPTY) {
      if (out[c] != 0 || signbit(out[c])) fail(r, engine, "output", c, out[c], "+0");
    } else if (r->view.kind == ATTEST_ROW_NAN) {
      if (out[c] == out[c]) fail(r, engine, "output", c, out[c], "NaN");
    } else if (r->silent) {
      continue;
    } else if (attest_row_column_rule(&r->view, c, &rule)) {
      /* an infinite value whose weight has become 0 gives NaN */
      if (out[c] == out[c] && out[c] != rule)
        fail(r, engine, "output", c, out[c], "the infinity among the values, or NaN");
    } else {
      const attest_enclosure box = r->truth->out_box[at];
      double spread;
      const double allowed = attest_allowance_output(r->allowance, c, box, &spread);
      near(r, engine, "output", c, out[c], box, allowed, spread);
    }
  }
}

/* |sum of x - 1|, the rounding of each addition caught by a two-sum. */
static double off_one(const double *x, size_t count) {
  double sum = -1, rest = 0;
  for (size_t j = 0; j < count; j++) {
    const double s = sum + x[j], part = s - sum;
    rest += (sum - (s - part)) + (x[j] - part);
    sum = s;
  }
  return fabs(sum + rest);
}

static void judge_weights(fuzz_row *r, const char *engine, const double *w) {
  const size_t keys = r->p->shape.kv_len;
  size_t next = 0;
  for (size_t j = 0; j < keys; j++) {
    const size_t at = r->i * keys + j;
    const int counts = r->view.kind == ATTEST_ROW_FINITE && next < r->view.count &&
                       r->view.keys[next].index == j;
    if (fuzz_visible(r->p, r->batch, r->head, r->i, j) != 1) {
      if (w[j] != 0 || signbit(w[j])) fail(r, engine, "weight", j, w[j], "+0: its key is hidden");
    } else if (r->view.kind == ATTEST_ROW_NAN) {
      if (w[j] == w[j]) fail(r, engine, "weight", j, w[j], "NaN");
    } else if (counts) {
      near(r, engine, "weight", j, w[j], r->truth->weight_box[at],
           attest_allowance_weight(r->allowance, next), 1);
    } else if (!r->silent && w[j] != 0) {
      fail(r, engine, "weight", j, w[j], "0: its score is -inf");
    }
    next += (size_t)counts;
  }
  if (r->view.kind == ATTEST_ROW_FINITE && !r->silent) fuzz_judge_sum(r, engine, w);
}

void fuzz_judge_sum(fuzz_row *r, const char *engine, const double *w) {
  const double off = off_one(w, r->p->shape.kv_len);
  const double allowed = attest_allowance_row_sum(r->allowance);
  if (!(off <= allowed))
    fuzz_fail(r->p, "%s: the weights of row %zu, head %zu, batch %zu are off a sum of 1 by %a, bound %a",
              engine, r->i, r->head, r->batch, off, allowed);
  fuzz_ratio(engine, "sum", off, allowed);
}

static void judge_lse(fuzz_row *r, const char *engine, double lse) {
  const attest_enclosure box = r->truth->lse_box[r->i];
  if (r->view.kind == ATTEST_ROW_EMPTY) {
    if (lse != -(double)INFINITY) fail(r, engine, "lse", 0, lse, "-inf");
  } else if (r->view.kind == ATTEST_ROW_NAN) {
    if (lse == lse) fail(r, engine, "lse", 0, lse, "NaN");
  } else if (!r->silent && fabs(r->truth->lse[r->i]) < INFINITY) {
    near(r, engine, "lse", 0, lse, box,
         attest_allowance_lse(r->allowance, ATTEST_BASE_E, box), 1);
  }
}

void fuzz_judge(fuzz_row *r, const char *engine, const double *out, const double *weights,
                const double *lse) {
  judge_outputs(r, engine, out);
  if (weights) judge_weights(r, engine, weights);
  if (lse) judge_lse(r, engine, *lse);
}

void fuzz_against_oracle(const fuzz_problem *p) {
  static fuzz_result results[FUZZ_ENGINES];
  static fuzz_truth truth;
  static fuzz_row row;
  const attest_shape *s = &p->shape;
  for (int e = 0; e < FUZZ_ENGINES; e++)
    if (!fuzz_run(p, (attest_engine)e, &results[e])) return;
  for (size_t b = 0; b < s->batch; b++)
    for (size_t h = 0; h < s->q_heads; h++) {
      fuzz_ask(p, b, h, p->wide ? ATTEST_FORMAT_F64 : ATTEST_FORMAT_F32, &truth);
      for (size_t i = 0; i < s->q_len; i++) {
        fuzz_row_start(&row, p, &truth, b, h, i);
        for (int e = 0; e < FUZZ_ENGINES; e++)
          fuzz_judge(&row, fuzz_engine_names[e], fuzz_out(p, &results[e], b, h, i),
                     fuzz_weights(p, &results[e], b, h, i), fuzz_lse(p, &results[e], b, h, i));
        fuzz_row_end(&row);
      }
    }
}
