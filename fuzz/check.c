/* The judgement of `attest check`: what an engine of ref/ computes passes under its own claim; a result
   moved to another number within its allowance passes, and one moved beyond it fails, as does one that
   is no longer finite; nothing else changes. */
#include "check_rows.h"

#include <math.h>
#include <string.h>

#include "fence.h"
#include "judge.h"
#include "target.h"

const fuzz_format fuzz_target_format = FUZZ_EITHER;

/* The tallies of all parts of one row. */
static void judge_row(const attest_check *check, size_t b, size_t h, size_t i,
                      attest_rows_result *result) {
  attest_row_judge judge;
  attest_fault fault;
  memset(result, 0, sizeof *result);
  if (attest_row_judge_start(&judge, check, &fault) != 0 ||
      attest_row_judge_run(&judge, b, h, i, 1, result, &fault) != 0)
    fuzz_fail(NULL, "check gives up on row %zu", i);
  attest_row_judge_end(&judge);
}

static size_t failing(const attest_rows_result *result, int part) {
  return result->tallies[part].failing;
}

static attest_check check_of(const fuzz_problem *p, attest_problem *problem, fuzz_result *r) {
  const attest_format format = p->wide ? ATTEST_FORMAT_F64 : ATTEST_FORMAT_F32;
  double *const got[ATTEST_SUBJECTS] = {r->out, r->weights, r->lse};
  attest_check check;
  memset(problem, 0, sizeof *problem);
  memset(&check, 0, sizeof check);
  problem->shape = p->shape;
  check.problem = problem;
  check.inputs = p->f64;
  for (int n = 0; n < ATTEST_SUBJECTS; n++) {
    check.subjects[n].file = "fuzz";
    check.subjects[n].format = format;
    check.subjects[n].got = got[n];
    check.subjects[n].claim = attest_claim_engine(format, format);
  }
  return check;
}

/* One element, and how far it may be from the exact one. */
typedef struct {
  int part;
  double *at;
  attest_enclosure exact;
  double allowed;
} element;

/* The element that the input chooses among those for which something is promised. 0: none. */
static int choose(fuzz_row *row, const fuzz_truth *truth, fuzz_result *r, element *e) {
  const fuzz_problem *p = row->p;
  const size_t c = p->extra[1] / 4 % p->shape.value_width, key = p->extra[1] / 4 % row->view.count;
  const size_t j = row->view.keys[key].index;
  double rule, growth = 0;
  e->part = (int)(p->extra[1] % 3);
  switch (e->part) {
    case ATTEST_PART_OUT:
      if (attest_row_column_rule(&row->view, c, &rule)) return 0;
      e->at = fuzz_out(p, r, row->batch, row->head, row->i) + c;
      e->exact = truth->out_box[c];
      e->allowed = attest_allowance_output(row->allowance, c, e->exact, NULL);
      break;
    case ATTEST_PART_WEIGHTS:
      e->at = fuzz_weights(p, r, row->batch, row->head, row->i) + j;
      e->exact = truth->weight_box[j];
      e->allowed = attest_allowance_weight(row->allowance, key);
      break;
    default:
      if (!(fabs(truth->lse[0]) < INFINITY)) return 0;
      e->at = fuzz_lse(p, r, row->batch, row->head, row->i);
      e->exact = truth->lse_box[0];
      e->allowed = attest_allowance_lse(row->allowance, ATTEST_BASE_E, e->exact);
      break;
  }
  /* where the width of this enclosure makes up a part of the allowance, that of another has another */
  if (e->part == ATTEST_PART_OUT) growth = attest_allowance_growth(row->allowance);
  return e->allowed < INFINITY && e->exact.radius * (1 + growth) <= 0x1p-9 * e->allowed;
}

/* Puts a number there and tells whether check fails the element's part; the other parts must stay as
   they are, but for the sum of the row, which sees every weight. */
static int fails_with(const attest_check *check, const fuzz_row *row, const element *e, double x) {
  attest_rows_result result;
  const double kept = *e->at;
  *e->at = x;
  judge_row(check, row->batch, row->head, row->i, &result);
  *e->at = kept;
  for (int part = 0; part < ATTEST_SUBJECTS; part++)
    if (part != e->part && failing(&result, part) > 0)
      fuzz_fail(row->p, "check: a change of part %d fails part %d", e->part, part);
  return failing(&result, e->part) > 0;
}

static void move(const attest_check *check, const fuzz_row *row, const element *e, double sign,
                 double share) {
  /* in double, so off by half an ulp of the sum: where that matters nothing is asked */
  const double x = e->exact.high + sign * share * e->allowed;
  const double off = fuzz_off(x, e->exact), rest = 0x1p-50 * (fabs(x) + fabs(e->exact.high));
  if (!(fabs(x) < INFINITY)) return;
  if (off + 2 * e->exact.radius + rest < e->allowed && fails_with(check, row, e, x))
    fuzz_fail(row->p, "check: part %d fails at %g of its allowance %a (%a, exact %a)", e->part,
              off / e->allowed, e->allowed, x, e->exact.high);
  if (off > e->allowed + 2 * e->exact.radius + rest && !fails_with(check, row, e, x))
    fuzz_fail(row->p, "check: part %d passes at %g times its allowance %a (%a, exact %a)", e->part,
              off / e->allowed, e->allowed, x, e->exact.high);
}

static void check_row(const fuzz_problem *p, const attest_check *check, fuzz_result *r, size_t b,
                      size_t h, size_t i) {
  static const double shares[] = {0.5, 0.99, 1.01, 1.5, 4, 1e6};
  static fuzz_truth truth;
  static fuzz_row row;
  attest_rows_result result;
  element e;
  judge_row(check, b, h, i, &result);
  for (int part = 0; part < ATTEST_PARTS; part++)
    if (failing(&result, part) > 0)
      fuzz_fail(p, "check: part %d of row %zu, head %zu, batch %zu of ref/ itself fails, off by %g of "
                "its allowance", part, i, h, b, result.tallies[part].worst.judged.ratio);
  fuzz_ask_row(p, b, h, i, p->wide ? ATTEST_FORMAT_F64 : ATTEST_FORMAT_F32, &truth);
  fuzz_row_start(&row, p, &truth, b, h, i);
  if (row.facts && !row.silent && choose(&row, &truth, r, &e)) {
    const double sign = p->extra[0] / 8 % 2 ? 1 : -1;
    move(check, &row, &e, sign, shares[p->extra[0] % 8 % (sizeof shares / sizeof *shares)]);
    if (!fails_with(check, &row, &e, NAN) || !fails_with(check, &row, &e, sign * (double)INFINITY))
      fuzz_fail(p, "check: part %d passes as NaN or infinity", e.part);
  }
  fuzz_row_end(&row);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_problem p;
  static fuzz_result r;
  attest_problem problem;
  attest_check check;
  size_t n;
  fuzz_decode(&p, data, size, FUZZ_EITHER);
  if (p.shape.q_len == 0 || !fuzz_run(&p, (attest_engine)(p.tile % FUZZ_ENGINES), &r)) return 0;
  fuzz_open(&r, sizeof r);
  check = check_of(&p, &problem, &r);
  n = p.extra[0] / 16;
  check_row(&p, &check, &r, n % p.shape.batch, n % p.shape.q_heads, n % p.shape.q_len);
  return 0;
}
