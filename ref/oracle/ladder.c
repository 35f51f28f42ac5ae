#define ATTEST_F64
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "allowance.h"
#include "attention.h"
#include "exact.h"
#include "tiled.h"
#include "wide.h"

/* Rows of one head on their way up, with what the lowest rung made of them. */
typedef struct {
  const attest_shape *shape;
  const attest_arrays_f64 *arrays;
  const attest_oracle_options *options;
  attest_oracle_result *result;
  attest_head head;     /* its rows are the ones asked for */
  size_t batch, head_index, first;
  double *memory;       /* of the f64 rung: scratch, values, and: */
  double *out, *lse, *weights;
  size_t columns;       /* of a row of out: value_width, or twice that with mean absolute values */
  attest_row_key *keys; /* of the row at hand */
  /* Bounds for every row and key of the head that is at hand; infinite where input is. */
  double key_norm, value;
  attest_claim claim; /* of the f64 rung */
} ladder;

/* The row at hand, with the rungs it has needed so far. */
typedef struct {
  ladder *l;
  size_t i; /* from `first` */
  int rough; /* the f64 rung has been tried with the rough bound, which the finer one improves little;
                all input in reach is finite */
  attest_row_view view;
  int viewed;
  attest_facts *facts;
  attest_allowance *allowance;
  attest_wide *wide;
  attest_exact *exact;
  int failed; /* not enough memory */
} climb;

/* Where an element's answer goes. */
static void answer(attest_oracle_result *r, const attest_answers *a, size_t at, double value,
                   attest_enclosure enclosure, attest_rung rung) {
  a->value[at] = value;
  if (a->enclosure != NULL) a->enclosure[at] = enclosure;
  if (a->rung != NULL) a->rung[at] = (uint8_t)rung;
  r->decided[rung]++;
}

/* An element that no arithmetic is needed for. */
static void answer_rule(ladder *l, const attest_answers *a, size_t at, double value) {
  attest_enclosure e = {value, 0, 0};
  if (!(fabs(value) < INFINITY)) e.radius = INFINITY;
  if (l->options->format == ATTEST_FORMAT_Q16 && value == value)
    value = attest_format_nearest(ATTEST_FORMAT_Q16, value < -65536  ? -65536
                                                     : value > 65536 ? 65536
                                                                     : value, 0);
  answer(l->result, a, at, value, e, ATTEST_RUNG_RULE);
}

static int try_answer(ladder *l, const attest_answers *a, size_t at, attest_enclosure e,
                      attest_rung rung) {
  double value;
  if (!attest_format_decide(l->options->format, e, &value)) return 0;
  answer(l->result, a, at, value, e, rung);
  return 1;
}

static void take_certified(ladder *l, const attest_answers *a, size_t at, attest_certified c) {
  answer(l->result, a, at, c.value, c.enclosure, c.rung);
}

/* The keys the rows may see by position: from the first row's first to the last row's last. */
static void span(const ladder *l, size_t count, size_t *begin, size_t *end) {
  *begin = attest_bound(0, l->head.low, l->head.key_length);
  *end = attest_bound(count - 1, l->head.high, l->head.key_length);
  if (*end < *begin) *end = *begin;
}

/* The f64 rung: the tiled nest on the rows asked for. Where there is room in a row for twice the
   values, the absolute values stand beside them, so that the nest also gives each element's mean
   absolute value, by which its error is bounded far better than by the largest value. */
static int run_f64(ladder *l, size_t count) {
  attest_shape s = *l->shape;
  const size_t weights = l->result->weights.value != NULL ? s.kv_len : 0;
  const size_t width = s.value_width, twice = 2 * width;
  const size_t columns = twice <= ATTEST_MAX_WIDTH ? twice : width;
  attest_head h = l->head;
  size_t scratch, begin, end, values;

  span(l, count, &begin, &end);
  /* scratch is asked for as if this head were the whole problem, in the layout it has here */
  s.batch = s.q_heads = s.kv_heads = 1;
  s.value_width = columns;
  s.out.row = columns;
  s.key_lengths = NULL;
  scratch = attest_scratch_of(s, ATTEST_TILED, ATTEST_DEFAULT_TILE);
  if (scratch == 0) return -1;
  /* the limits of attest.h keep these products far below SIZE_MAX / 8 */
  values = columns == twice ? end * columns : 0;
  l->memory = malloc((scratch + values + count * (columns + 1)) * sizeof(double));
  if (l->memory == NULL) return -1;
  if (weights > 0) {
    l->weights = count > SIZE_MAX / sizeof(double) / weights
                     ? NULL : malloc(count * weights * sizeof(double));
    if (l->weights == NULL) return -1;
  }
  if (columns == twice) {
    double *both = l->memory + scratch;
    for (size_t j = begin; j < end; j++)
      for (size_t c = 0; c < width; c++) {
        both[j * columns + c] = h.v[j * h.v_row + c];
        both[j * columns + width + c] = fabs(h.v[j * h.v_row + c]);
      }
    h.v = both;
    h.v_row = columns;
    h.value_width = columns;
  }
  h.out = l->memory + scratch + values;
  h.lse = h.out + count * columns;
  h.weights = l->weights;
  h.out_row = columns;
  l->out = h.out;
  l->lse = h.lse;
  l->columns = columns;
  attest_tiled_head(h, attest_rule_of(s), ATTEST_DEFAULT_TILE, l->memory);
  return 0;
}

static double norm(const double *x, size_t width) {
  double sum = 0;
  for (size_t c = 0; c < width; c++) sum += x[c] * x[c];
  /* squares that underflow are missed: each element is then below 2^-511 */
  return sqrt(sum) * (1 + 0x1p-40) + 0x1p-505;
}

static double larger(double a, double b) { return a > b ? a : b; }

/* Sizes of keys and values; infinite or NaN where one of them is not finite. */
static void measure(ladder *l, size_t count) {
  const attest_head h = l->head;
  double keys = 0, values = 0, unfit = 0;
  size_t begin, end;

  span(l, count, &begin, &end);
  for (size_t j = begin; j < end; j++) {
    const double *v = h.v + j * h.v_row;
    const double size = norm(h.k + j * h.k_row, h.width);
    keys = larger(size, keys);
    unfit += size * 0; /* NaN for an infinity or NaN, which no later number can hide */
    for (size_t c = 0; c < h.value_width; c++) {
      values = larger(fabs(v[c]), values);
      unfit += v[c] * 0;
    }
  }
  l->key_norm = keys + unfit;
  l->value = values + unfit;
}

/* Largest |bias| of a row that is not -inf; infinite or NaN biases make it so. */
static double bias_size(const attest_head h, size_t i, size_t begin, size_t end) {
  double largest = 0, unfit = 0;
  if (h.bias == NULL) return 0;
  for (size_t j = begin; j < end; j++) {
    const double b = h.bias[i * h.bias_row + j * h.bias_key];
    if (b < -DBL_MAX) continue;
    largest = larger(fabs(b), largest);
    unfit += b * 0;
  }
  return largest + unfit;
}

/* One bound for all of a row from sizes of its parts alone: every score is taken as the largest, and
   every |v_j - o| as twice the largest value. 0 where input is not finite. */
static int rough(const ladder *l, size_t i, attest_row_error *row, attest_score_error *e) {
  const attest_head h = l->head;
  const attest_rule rule = attest_rule_of(*l->shape);
  const size_t begin = attest_bound(i, h.low, h.key_length);
  const size_t end = attest_bound(i, h.high, h.key_length);
  attest_bound_problem problem;
  attest_score_size size;

  if (end <= begin) return 0;
  problem.width = h.width;
  problem.scale = fabs(rule.scale) * (1 + 0x1p-50);
  problem.softcap = rule.softcap;
  problem.biased = h.bias != NULL;
  size.products = norm(h.q + i * h.q_row, h.width) * l->key_norm * (1 + 0x1p-50);
  size.elements = 0; /* nothing is rounded before the products */
  size.meets = 0;    /* infinite input is not judged here */
  size.raw = problem.scale * size.products * (1 + 0x1p-50);
  size.bias = bias_size(h, i, begin, end);
  size.score = rule.softcap > 0 && rule.softcap < size.raw ? rule.softcap : size.raw;
  size.score = (size.score + size.bias) * (1 + 0x1p-50);
  size.signed_score = size.score;
  if (!(size.score < ATTEST_MAX) || !(size.products < ATTEST_MAX)) return 0;
  *e = attest_bound_score(&l->claim, &problem, size, size.score, 0);
  attest_bound_row_start(row);
  attest_bound_row_add(row, *e, 1, 0);
  row->keys = (double)(end - begin);
  return !row->broken && e->up <= 0x1p-24;
}

/* A bound for every element of a row from the largest value alone, then from the row's largest mean
   absolute value and output, which are known to within the first. |v_j - o| is at most |v_j| + |o|. */
static double rough_radius(const ladder *l, const attest_row_error *row, attest_score_error e,
                           size_t i) {
  const size_t width = l->head.value_width;
  const double *out = l->out + i * l->columns;
  const double moved = attest_bound_share_error(e, 1, 0) / row->kept;
  attest_column_size column;
  double radius;

  column.largest = column.output = column.mean = l->value;
  column.spread = 2 * l->value;
  column.moved = moved * column.spread;
  radius = attest_bound_output(&l->claim, row, 0, column);
  if (l->columns == width) return radius;
  column.output = column.mean = 0;
  for (size_t c = 0; c < width; c++) {
    column.output = larger(fabs(out[c]), column.output);
    column.mean = larger(out[width + c], column.mean);
  }
  column.output += radius;
  column.mean += radius;
  column.moved = moved * (column.mean + column.output) * (1 + 0x1p-50);
  return attest_bound_output(&l->claim, row, 0, column);
}

static const attest_row_view *view(climb *c) {
  if (!c->viewed) {
    ladder *l = c->l;
    c->view = (c->rough ? attest_row_at_finite : attest_row_at)(
        l->shape, l->arrays, l->batch, l->head_index, l->first + c->i, l->keys);
    c->viewed = 1;
  }
  return &c->view;
}

static attest_allowance *allowance(climb *c) {
  if (c->allowance == NULL) {
    if (c->facts == NULL) c->facts = attest_facts_start(view(c));
    if (c->facts != NULL) c->allowance = attest_allowance_start(c->facts, &c->l->claim, 0);
    if (c->allowance == NULL) c->failed = 1;
  }
  return c->allowance;
}

static attest_wide *wide(climb *c) {
  if (c->wide == NULL) c->wide = attest_wide_start(view(c));
  if (c->wide == NULL) c->failed = 1;
  return c->wide;
}

static attest_exact *exact(climb *c) {
  if (c->exact == NULL) c->exact = attest_exact_start(view(c));
  if (c->exact == NULL) c->failed = 1;
  return c->exact;
}

static int starts_at(const ladder *l, attest_rung rung) { return l->options->first <= rung; }

/* Whether the f64 rung takes part. It never decides a rounding to f64. */
static int has_f64(const ladder *l) {
  return starts_at(l, ATTEST_RUNG_F64) && l->options->format != ATTEST_FORMAT_F64;
}

static attest_enclosure around(double x, double radius) {
  const attest_enclosure e = {x, 0, radius};
  return e;
}

/* Column c of a row of kind FINITE. */
static void climb_output(climb *c, size_t column) {
  ladder *l = c->l;
  const attest_answers *a = &l->result->out;
  const size_t at = c->i * l->head.value_width + column;
  double value;

  if (attest_row_column_rule(view(c), column, &value)) {
    answer_rule(l, a, at, value);
    return;
  }
  if (has_f64(l) && !c->rough && allowance(c)) {
    const double out = l->out[c->i * l->columns + column];
    double largest = 0, radius;
    for (size_t j = 0; j < c->view.count; j++)
      largest = larger(fabs(c->view.keys[j].v[column]), largest);
    /* The answer is a mean of the values: it lies within largest of 0, and so of a first enclosure
       that the allowance for it then narrows. */
    radius = attest_allowance_output(c->allowance, column, around(0, largest), NULL);
    if (fabs(out) <= DBL_MAX && radius < largest)
      radius = attest_allowance_output(c->allowance, column, around(out, radius), NULL);
    if (try_answer(l, a, at, around(out, radius), ATTEST_RUNG_F64)) return;
  }
  if (starts_at(l, ATTEST_RUNG_WIDE) && wide(c) &&
      try_answer(l, a, at, attest_wide_output(c->wide, column), ATTEST_RUNG_WIDE))
    return;
  if (exact(c)) take_certified(l, a, at, attest_exact_output(c->exact, column, l->options->format));
}

static void climb_weight(climb *c, size_t index) {
  ladder *l = c->l;
  const attest_answers *a = &l->result->weights;
  const size_t at = c->i * l->head.kv_len + c->view.keys[index].index;

  if (has_f64(l) && allowance(c) &&
      try_answer(l, a, at,
                 around(l->weights[at], attest_allowance_weight(c->allowance, index)),
                 ATTEST_RUNG_F64))
    return;
  if (starts_at(l, ATTEST_RUNG_WIDE) && wide(c)) {
    if (attest_wide_vanishes(c->wide, index)) { /* between 0 and 2^-1080: +0 in every format */
      answer(l->result, a, at, 0, around(0, 0x1p-1074), ATTEST_RUNG_WIDE);
      return;
    }
    if (try_answer(l, a, at, attest_wide_weight(c->wide, index), ATTEST_RUNG_WIDE)) return;
  }
  if (exact(c)) take_certified(l, a, at, attest_exact_weight(c->exact, index, l->options->format));
}

/* Log-sum-exp of the f64 rung in the base asked for, and a first radius: |lse| is not known before
   the bound, but 2 |computed| + 1 is enough where the bound comes out below half of |computed| + 1
   (proofs/oracle.md, section 10). */
static attest_enclosure lse_f64(const ladder *l, size_t i) {
  const double natural = l->lse[i];
  const int base_2 = l->options->lse_base == ATTEST_BASE_2;
  const attest_enclosure e = {base_2 ? natural / 0x1.62e42fefa39efp-1 : natural, 0,
                              fabs(natural) + 1};
  return e;
}

static void climb_lse(climb *c) {
  ladder *l = c->l;
  const attest_answers *a = &l->result->lse;
  const attest_log_base base = l->options->lse_base;

  view(c);
  if (has_f64(l) && allowance(c)) {
    attest_enclosure e = lse_f64(l, c->i);
    const double radius = attest_allowance_lse(c->allowance, base, e);
    const int fits = radius < e.radius / 2;
    e.radius = radius;
    if (fits && try_answer(l, a, c->i, e, ATTEST_RUNG_F64)) return;
  }
  if (starts_at(l, ATTEST_RUNG_WIDE) && wide(c) &&
      try_answer(l, a, c->i, attest_wide_lse(c->wide, base), ATTEST_RUNG_WIDE))
    return;
  if (exact(c)) take_certified(l, a, c->i, attest_exact_lse(c->exact, base, l->options->format));
}

/* All of a row whose kind says it all. */
static void answer_kind(climb *c, attest_row_kind kind) {
  ladder *l = c->l;
  const double value = kind == ATTEST_ROW_NAN ? NAN : 0;
  const size_t width = l->head.value_width, keys = l->head.kv_len;

  if (l->result->out.value != NULL)
    for (size_t k = 0; k < width; k++) answer_rule(l, &l->result->out, c->i * width + k, value);
  if (l->result->lse.value != NULL)
    answer_rule(l, &l->result->lse, c->i, kind == ATTEST_ROW_NAN ? (double)NAN : -INFINITY);
  if (l->result->weights.value == NULL) return;
  for (size_t j = 0; j < keys; j++) answer_rule(l, &l->result->weights, c->i * keys + j, 0);
  if (kind != ATTEST_ROW_NAN) return;
  /* hidden keys weigh 0 even here */
  for (size_t j = 0; j < c->view.count; j++) {
    l->result->decided[ATTEST_RUNG_RULE]--;
    answer_rule(l, &l->result->weights, c->i * keys + c->view.keys[j].index, NAN);
  }
  for (size_t j = 0; j < c->view.dropped; j++) {
    l->result->decided[ATTEST_RUNG_RULE]--;
    answer_rule(l, &l->result->weights, c->i * keys + c->view.drop[j].index, NAN);
  }
}

static void climb_weights(climb *c) {
  ladder *l = c->l;
  const size_t keys = l->head.kv_len;
  size_t next = 0;

  for (size_t j = 0; j < keys; j++) {
    if (next < c->view.count && c->view.keys[next].index == j)
      climb_weight(c, next++);
    else
      answer_rule(l, &l->result->weights, c->i * keys + j, 0);
  }
}

/* Log-sum-exp by the rough bound; 0 where that leaves it open. */
static int rough_lse(ladder *l, size_t i, const attest_row_error *row) {
  attest_enclosure e = lse_f64(l, i);
  const double size = fabs(l->lse[i]) + e.radius;
  const double radius = l->options->lse_base == ATTEST_BASE_2
                            ? attest_bound_lse_base_2(&l->claim, row, 0, size)
                            : attest_bound_lse(&l->claim, row, 0, size);
  const int fits = radius < e.radius / 2;
  e.radius = radius;
  return fits && try_answer(l, &l->result->lse, i, e, ATTEST_RUNG_F64);
}

static void end_climb(climb *c) {
  attest_allowance_end(c->allowance);
  attest_facts_end(c->facts);
  attest_wide_end(c->wide);
  if (c->exact != NULL) attest_exact_end(c->exact);
}

/* A row by the f64 rung and the rough bound; what that leaves open climbs on. 0, or -1 where memory
   is short. */
static int answer_row(ladder *l, size_t i) {
  const size_t width = l->head.value_width;
  attest_oracle_result *r = l->result;
  attest_row_error row;
  attest_score_error e = {0, 0, 0};
  climb c = {0};
  int sure;
  double radius;

  c.l = l;
  c.i = i;
  sure = has_f64(l) && r->weights.value == NULL && l->lse[i] > -INFINITY &&
         l->value < INFINITY && rough(l, i, &row, &e);
  if (!sure && view(&c)->kind != ATTEST_ROW_FINITE) {
    answer_kind(&c, c.view.kind);
    return 0;
  }
  c.rough = sure;
  radius = sure ? rough_radius(l, &row, e, i) : INFINITY;
  for (size_t k = 0; r->out.value != NULL && k < width && !c.failed; k++) {
    const size_t at = i * width + k;
    if (!sure || !try_answer(l, &r->out, at, around(l->out[i * l->columns + k], radius),
                             ATTEST_RUNG_F64))
      climb_output(&c, k);
  }
  if (r->lse.value != NULL && !c.failed && (!sure || !rough_lse(l, i, &row))) climb_lse(&c);
  if (r->weights.value != NULL && !c.failed) climb_weights(&c);
  end_climb(&c);
  return c.failed ? -1 : 0;
}

/* The head with its rows starting at `first`. */
static attest_head rows_from(attest_head h, size_t first, size_t count) {
  h.q += first * h.q_row;
  if (h.mask != NULL) h.mask += first * h.mask_row;
  if (h.bias != NULL) h.bias += first * h.bias_row;
  h.low += (int64_t)first;
  h.high += (int64_t)first;
  h.q_len = count;
  return h;
}

attest_oracle_status attest_oracle_rows(const attest_shape *shape,
                                        const attest_arrays_f64 *arrays, size_t batch,
                                        size_t head, size_t first, size_t count,
                                        const attest_oracle_options *options,
                                        attest_oracle_result *result, attest_status *refusal) {
  attest_arrays_f64 inputs;
  ladder l = {0};
  int failed = 0;

  *refusal = ATTEST_NULL;
  if (!shape || !arrays || !options || !result) return ATTEST_ORACLE_REFUSED;
  inputs = *arrays;
  inputs.out = inputs.weights = inputs.lse = NULL;
  *refusal = attest_check(*shape, inputs);
  if (*refusal == ATTEST_OK && (batch >= shape->batch || head >= shape->q_heads ||
                                first > shape->q_len || count > shape->q_len - first))
    *refusal = ATTEST_LIMIT;
  if (*refusal == ATTEST_OK && shape->q_len > 0 &&
      (!arrays->q || (shape->kv_len > 0 && (!arrays->k || !arrays->v))))
    *refusal = ATTEST_NULL;
  if (*refusal == ATTEST_OK) *refusal = attest_selftest();
  if (*refusal != ATTEST_OK) return ATTEST_ORACLE_REFUSED;
  if (count == 0) return ATTEST_ORACLE_OK;

  l.shape = shape;
  l.arrays = &inputs;
  l.options = options;
  l.result = result;
  l.batch = batch;
  l.head_index = head;
  l.first = first;
  l.claim = attest_claim_engine(ATTEST_FORMAT_F64, ATTEST_FORMAT_F64);
  l.head = rows_from(attest_head_at(*shape, inputs, batch, head), first, count);
  l.keys = malloc(attest_row_capacity(shape) * sizeof *l.keys);
  if (l.keys == NULL || (has_f64(&l) && run_f64(&l, count) != 0)) {
    free(l.keys);
    free(l.memory);
    free(l.weights);
    return ATTEST_ORACLE_MEMORY;
  }
  if (has_f64(&l)) measure(&l, count);
  for (size_t i = 0; i < count && !failed; i++) failed = answer_row(&l, i) != 0;
  free(l.memory);
  free(l.weights);
  free(l.keys);
  return failed ? ATTEST_ORACLE_MEMORY : ATTEST_ORACLE_OK;
}
