#include "check_rows.h"

#include "engine.h"
#include "oracle/allowance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t attest_check_columns(const attest_check *check, int part) {
  return part == ATTEST_PART_OUT       ? check->problem->shape.value_width
         : part == ATTEST_PART_WEIGHTS ? check->problem->shape.kv_len
                                       : 1;
}

size_t attest_check_index(const attest_check *check, int part, attest_place at) {
  const attest_shape *s = &check->problem->shape;

  if (part == ATTEST_PART_OUT)
    return at.batch * s->out.batch + at.head * s->out.head + at.row * s->out.row + at.column;
  return ((at.batch * s->q_heads + at.head) * s->q_len + at.row) *
             attest_check_columns(check, part) +
         at.column;
}

/* --- memory --------------------------------------------------------------------------------- */

int attest_row_judge_start(attest_row_judge *j, const attest_check *check, attest_fault *fault) {
  const size_t most = (size_t)1 << 19, block = 64;
  size_t columns = 0;

  memset(j, 0, sizeof *j);
  j->check = check;
  for (int i = 0; i < ATTEST_SUBJECTS; i++)
    if (check->subjects[i].got != NULL)
      columns += attest_check_columns(check, i);
  j->strip = columns * block <= most ? block : most / columns + 1;
  j->keys = attest_allocate(attest_row_capacity(&check->problem->shape), sizeof *j->keys, "check",
                            fault);
  j->allowances = attest_allocate(check->problem->shape.value_width, sizeof *j->allowances,
                                  "check", fault);
  j->spreads =
      attest_allocate(check->problem->shape.value_width, sizeof *j->spreads, "check", fault);
  if (j->keys == NULL || j->allowances == NULL || j->spreads == NULL)
    return -1;
  for (int i = 0; i < ATTEST_SUBJECTS; i++) {
    const size_t count = j->strip * attest_check_columns(check, i);
    if (check->subjects[i].got == NULL)
      continue;
    j->values[i] = attest_allocate(count, sizeof *j->values[i], "check", fault);
    j->enclosures[i] = attest_allocate(count, sizeof *j->enclosures[i], "check", fault);
    if (j->values[i] == NULL || j->enclosures[i] == NULL)
      return -1;
  }
  return 0;
}

void attest_row_judge_end(attest_row_judge *j) {
  free(j->keys);
  free(j->allowances);
  free(j->spreads);
  for (int i = 0; i < ATTEST_SUBJECTS; i++) {
    free(j->values[i]);
    free(j->enclosures[i]);
  }
  memset(j, 0, sizeof *j);
}

/* --- one row -------------------------------------------------------------------------------- */

typedef struct row {
  const attest_row_judge *judge;
  attest_rows_result *result;
  attest_row_view view;
  size_t batch, head, i, strip_row;
  attest_facts *facts;                           /* of a row of kind FINITE, else NULL */
  attest_allowance *allowances[ATTEST_SUBJECTS]; /* the same may serve several parts */
} row;

/* 0, or -1 where memory is short. */
static int start_allowances(row *r) {
  const attest_check *check = r->judge->check;

  if (r->view.kind != ATTEST_ROW_FINITE)
    return 0;
  r->facts = attest_facts_start(&r->view);
  if (r->facts == NULL)
    return -1;
  for (int i = 0; i < ATTEST_SUBJECTS; i++) {
    const attest_subject *s = &check->subjects[i];
    /* The claims of two parts differ in nothing but the format of the output. */
    for (int other = 0; other < i && s->got != NULL; other++)
      if (r->allowances[other] != NULL && check->subjects[other].format == s->format)
        r->allowances[i] = r->allowances[other];
    if (s->got == NULL || s->fixed || r->allowances[i] != NULL)
      continue;
    r->allowances[i] = attest_allowance_start(r->facts, &s->claim, check->tile);
    if (r->allowances[i] == NULL)
      return -1;
  }
  return 0;
}

static void end_allowances(row *r) {
  for (int i = 0; i < ATTEST_SUBJECTS; i++) {
    attest_allowance *a = r->allowances[i];
    for (int other = i + 1; other < ATTEST_SUBJECTS; other++)
      if (r->allowances[other] == a)
        r->allowances[other] = NULL;
    attest_allowance_end(a);
  }
  attest_facts_end(r->facts);
}

/* Judges one element; hidden: a key that is absent. */
static void judge(const row *r, int part, size_t column, const attest_expected *e, double got,
                  int hidden) {
  const attest_place at = {r->batch, r->head, r->i, column};
  const attest_judged judged = attest_judge(e, got);

  attest_tally_add(&r->result->tallies[part], at, e, got, &judged);
  if (part < ATTEST_SUBJECTS)
    attest_map_add(&r->result->maps[part], r->i, column, &judged, hidden);
}

/* What the oracle says of an element; the demand is completed by the caller. */
static attest_expected expected(const row *r, int part, size_t column, double *got) {
  const attest_check *check = r->judge->check;
  const attest_place at = {r->batch, r->head, r->i, column};
  const size_t from = r->strip_row * attest_check_columns(check, part) + column;
  attest_expected e = {ATTEST_DEMAND_EQUAL, ATTEST_FORMAT_F64, 0, {0, 0, 0}, 0, 0};

  e.format = check->subjects[part].format;
  e.value = r->judge->values[part][from];
  e.enclosure = r->judge->enclosures[part][from];
  *got = check->subjects[part].got[attest_check_index(check, part, at)];
  return e;
}

/* Whether all values of a column are the same: then no error of a weight can show in it. */
static int constant(const attest_row_view *view, size_t c) {
  for (size_t j = 1; j < view->count; j++)
    if (view->keys[j].v[c] != view->keys[0].v[c])
      return 0;
  return 1;
}

/* What fixed/ promises of a column, and the distance of its smallest from its largest value. */
static double allow_fixed(const attest_row_view *view, size_t c, double *spread) {
  double least = view->keys[0].v[c], most = least;

  for (size_t j = 1; j < view->count; j++) {
    least = fmin(least, view->keys[j].v[c]);
    most = fmax(most, view->keys[j].v[c]);
  }
  *spread = most - least;
  return attest_bound_q16_output((double)view->count, *spread);
}

/* Allowances and spreads of all columns: the largest distance of a visible value from the output, 0
   where all values are the same. An allowance of NaN: an infinite or NaN value decides instead. */
static void allow_output(const row *r) {
  const attest_row_judge *j = r->judge;
  const size_t width = j->check->problem->shape.value_width;
  double rule;

  for (size_t c = 0; c < width; c++) {
    const attest_enclosure exact = j->enclosures[ATTEST_PART_OUT][r->strip_row * width + c];
    j->allowances[c] = NAN;
    j->spreads[c] = 0;
    /* What is enclosed is a number; the column need not be searched for others. */
    if (!(exact.radius < INFINITY) && attest_row_column_rule(&r->view, c, &rule))
      continue;
    if (j->check->subjects[ATTEST_PART_OUT].fixed)
      j->allowances[c] = allow_fixed(&r->view, c, &j->spreads[c]);
    else
      j->allowances[c] = attest_allowance_output(r->allowances[ATTEST_PART_OUT], c, exact,
                                                 &j->spreads[c]);
    if (constant(&r->view, c))
      j->spreads[c] = 0;
  }
}

/* Whether some allowance of a row reaches the widest spread of its columns. That of a narrower
   column alone says little: where two values happen to be alike, any arithmetic reaches it. */
static int ill_conditioned(const row *r) {
  const attest_row_judge *j = r->judge;
  const size_t width = j->check->problem->shape.value_width;
  double widest = 0;

  for (size_t c = 0; c < width; c++)
    if (j->spreads[c] > widest)
      widest = j->spreads[c];
  for (size_t c = 0; c < width; c++)
    if (widest > 0 && j->allowances[c] >= widest)
      return 1;
  return 0;
}

static void judge_output(const row *r) {
  const attest_row_judge *j = r->judge;
  const int finite = r->view.kind == ATTEST_ROW_FINITE;
  double got;
  int ill;

  ill = finite && ill_conditioned(r);
  for (size_t c = 0; c < j->check->problem->shape.value_width; c++) {
    attest_expected e = expected(r, ATTEST_PART_OUT, c, &got);
    if (r->view.kind == ATTEST_ROW_EMPTY && j->check->empty_nan) {
      e.value = NAN;
    } else if (finite && isnan(j->allowances[c])) {
      /* An infinite value whose weight became 0 on the way gives NaN. */
      e.demand = ATTEST_DEMAND_EQUAL_OR_NAN;
    } else if (finite) {
      e.demand = ATTEST_DEMAND_NEAR;
      e.allowance = j->allowances[c];
      e.vacuous = ill && j->spreads[c] > 0 && j->allowances[c] >= j->spreads[c];
    }
    judge(r, ATTEST_PART_OUT, c, &e, got, 0);
  }
}

/* The exact sum of numbers: *high + *low is off by at most *radius (two-sums, whose rests are added
   up in double). */
static void exact_sum(const double *x, size_t count, double *high, double *low, double *radius) {
  double sum = 0, rests = 0, size = 0;

  for (size_t j = 0; j < count; j++) {
    const double s = sum + x[j], part = s - sum;
    const double rest = (sum - (s - part)) + (x[j] - part);
    sum = s;
    rests += rest;
    size += fabs(rest);
  }
  *high = sum;
  *low = rests;
  *radius = (double)count * 0x1p-52 * size;
}

/* A row of weights sums to 1. The rest of the sum goes to the other side of the comparison, so that
   nothing is rounded. */
static void judge_sum(const row *r) {
  const attest_check *check = r->judge->check;
  const attest_place at = {r->batch, r->head, r->i, 0};
  const double *weights = check->subjects[ATTEST_PART_WEIGHTS].got +
                          attest_check_index(check, ATTEST_PART_WEIGHTS, at);
  attest_expected e = {ATTEST_DEMAND_NEAR, ATTEST_FORMAT_F64, 1, {1, 0, 0}, 0, 0};
  double sum, rest;

  exact_sum(weights, check->problem->shape.kv_len, &sum, &rest, &e.enclosure.radius);
  if (isfinite(sum))
    e.enclosure.low = -rest;
  else
    e.enclosure.radius = 0;
  e.format = check->subjects[ATTEST_PART_WEIGHTS].format;
  if (!check->subjects[ATTEST_PART_WEIGHTS].fixed) /* whose rows sum to exactly 1 */
    e.allowance = attest_allowance_row_sum(r->allowances[ATTEST_PART_WEIGHTS]);
  judge(r, ATTEST_PART_SUMS, 0, &e, sum, 0);
}

/* Of the key number `index` of the view. */
static double allow_weight(const row *r, size_t index) {
  if (r->judge->check->subjects[ATTEST_PART_WEIGHTS].fixed)
    return attest_bound_q16_weight((double)r->view.count);
  return attest_allowance_weight(r->allowances[ATTEST_PART_WEIGHTS], index);
}

static double allow_lse(const row *r, attest_enclosure exact) {
  return attest_allowance_lse(r->allowances[ATTEST_PART_LSE], r->judge->check->lse_base, exact);
}

static void judge_weights(const row *r) {
  const attest_check *check = r->judge->check;
  const int finite = r->view.kind == ATTEST_ROW_FINITE;
  /* nothing promised: the row may have become NaN */
  const int fixed = check->subjects[ATTEST_PART_WEIGHTS].fixed;
  const int nothing = finite && !fixed &&
                      isinf(attest_allowance_row_sum(r->allowances[ATTEST_PART_WEIGHTS]));
  size_t next = 0;
  double got;

  for (size_t j = 0; j < check->problem->shape.kv_len; j++) {
    attest_expected e = expected(r, ATTEST_PART_WEIGHTS, j, &got);
    const int counts = finite && next < r->view.count && r->view.keys[next].index == j;
    if (counts) {
      e.demand = ATTEST_DEMAND_NEAR;
      e.allowance = allow_weight(r, next);
      next++;
      /* A weight is from 0 to 1, and 1 where it is the only one. */
      e.vacuous = !(e.allowance < 1) && r->view.count > 1;
    } else if (r->view.kind == ATTEST_ROW_NAN ||
               (r->view.kind == ATTEST_ROW_EMPTY && check->empty_nan) || nothing) {
      /* Divided by NaN, or 0 by 0, a hidden key's weight becomes NaN too. */
      e.demand = ATTEST_DEMAND_EQUAL_OR_NAN;
    }
    judge(r, ATTEST_PART_WEIGHTS, j, &e, got, !counts && e.value == 0);
  }
  if (finite)
    judge_sum(r);
}

static void judge_lse(const row *r) {
  double got;
  attest_expected e = expected(r, ATTEST_PART_LSE, 0, &got);

  if (r->view.kind == ATTEST_ROW_FINITE) {
    e.demand = ATTEST_DEMAND_NEAR;
    e.allowance = allow_lse(r, e.enclosure);
  }
  judge(r, ATTEST_PART_LSE, 0, &e, got, 0);
}

/* --- a strip -------------------------------------------------------------------------------- */

/* Asks for each format once; parts of the same format share the work. From row `at` of the strip on; which
   rungs decided is added to `decided`, unless that is NULL. */
static int ask(const attest_row_judge *j, size_t batch, size_t head, size_t first, size_t count,
               size_t at, attest_rung rung, size_t *decided, attest_fault *fault) {
  const attest_check *check = j->check;
  int asked[ATTEST_SUBJECTS] = {0};

  for (int i = 0; i < ATTEST_SUBJECTS; i++) {
    attest_oracle_options options = {ATTEST_FORMAT_F64, check->lse_base, rung};
    attest_oracle_result r = {0};
    attest_answers *const places[] = {&r.out, &r.weights, &r.lse};
    attest_oracle_status status;
    attest_status refusal = ATTEST_OK;
    if (check->subjects[i].got == NULL || asked[i])
      continue;
    options.format = check->subjects[i].format;
    for (int other = i; other < ATTEST_SUBJECTS; other++)
      if (check->subjects[other].got != NULL &&
          check->subjects[other].format == options.format) {
        asked[other] = 1;
        places[other]->value = j->values[other] + at * attest_check_columns(check, other);
        places[other]->enclosure = j->enclosures[other] + at * attest_check_columns(check, other);
      }
    status = attest_oracle_rows(&check->problem->shape, &check->inputs, batch, head, first, count,
                                &options, &r, &refusal);
    if (status == ATTEST_ORACLE_MEMORY)
      return ATTEST_FAIL(fault, "oracle: not enough memory");
    if (status != ATTEST_ORACLE_OK)
      return attest_engine_fail(refusal, fault);
    for (int k = 0; k < ATTEST_RUNGS && decided != NULL; k++)
      decided[k] += r.decided[k];
  }
  return 0;
}

/* Whether the width of an element's enclosure makes up much of what passes: it is subtracted from the
   distance, and grows into the allowance, which holds for every number of the enclosure. */
static int wide(attest_enclosure e, double growth, double allowance) {
  return e.radius * (1 + growth) > 0x1p-10 * allowance;
}

static int any_wide(const row *r) {
  const attest_row_judge *j = r->judge;
  const attest_check *check = j->check;
  const attest_enclosure *e = j->enclosures[ATTEST_PART_OUT] +
                              r->strip_row * attest_check_columns(check, ATTEST_PART_OUT);
  const double growth = check->subjects[ATTEST_PART_OUT].fixed
                            ? 0
                            : attest_allowance_growth(r->allowances[ATTEST_PART_OUT]);

  for (size_t c = 0; c < check->problem->shape.value_width; c++)
    if (wide(e[c], growth, j->allowances[c]))
      return 1;
  if (check->subjects[ATTEST_PART_LSE].got != NULL) {
    const attest_enclosure lse = j->enclosures[ATTEST_PART_LSE][r->strip_row];
    if (wide(lse, 0, allow_lse(r, lse)))
      return 1;
  }
  if (check->subjects[ATTEST_PART_WEIGHTS].got == NULL)
    return 0;
  e = j->enclosures[ATTEST_PART_WEIGHTS] +
      r->strip_row * attest_check_columns(check, ATTEST_PART_WEIGHTS);
  for (size_t n = 0; n < r->view.count; n++)
    if (wide(e[r->view.keys[n].index], 0, allow_weight(r, n)))
      return 1;
  return 0;
}

/* The first rung that is sure of the rounding is taken for all of a row's elements, and may know little
   more than that. What passes must not hang on it: enclosures that are wide beside the allowance are asked
   for again, higher up, as far as that goes. */
static int sharpen(const row *r, attest_fault *fault) {
  static const attest_rung higher[] = {ATTEST_RUNG_WIDE, ATTEST_RUNG_INTERVAL};

  allow_output(r);
  for (size_t n = 0; n < sizeof higher / sizeof *higher && any_wide(r); n++) {
    if (ask(r->judge, r->batch, r->head, r->i, 1, r->strip_row, higher[n], NULL, fault) != 0)
      return -1;
    allow_output(r);
  }
  return 0;
}

int attest_row_judge_run(attest_row_judge *j, size_t batch, size_t head, size_t first,
                         size_t count, attest_rows_result *result, attest_fault *fault) {
  const attest_check *check = j->check;
  size_t rows;

  for (size_t done = 0; done < count; done += rows) {
    rows = count - done < j->strip ? count - done : j->strip;
    if (ask(j, batch, head, first + done, rows, 0, ATTEST_RUNG_F64, result->decided, fault) != 0)
      return -1;
    for (size_t i = 0; i < rows; i++) {
      row r = {0};
      int failed;
      r.judge = j;
      r.result = result;
      r.batch = batch;
      r.head = head;
      r.i = first + done + i;
      r.strip_row = i;
      r.view = attest_row_at(&check->problem->shape, &check->inputs, batch, head, r.i, j->keys);
      failed = start_allowances(&r);
      if (failed)
        ATTEST_FAIL(fault, "check: not enough memory for a row");
      else if (r.view.kind == ATTEST_ROW_FINITE)
        failed = sharpen(&r, fault);
      if (!failed) {
        judge_output(&r);
        if (check->subjects[ATTEST_PART_WEIGHTS].got != NULL)
          judge_weights(&r);
        if (check->subjects[ATTEST_PART_LSE].got != NULL)
          judge_lse(&r);
      }
      end_allowances(&r);
      if (failed)
        return -1;
    }
  }
  return 0;
}
