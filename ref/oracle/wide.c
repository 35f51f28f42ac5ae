/* A row in double-double arithmetic, as the formulas say: scores, weights relative to the largest
   score, their sum, and one column at a time. proofs/double_double.md derives the radius; names of
   its terms are the names here. */
#include <float.h>
#include <stdlib.h>

#include "double_double.h"
#include "wide.h"

/* Queries, keys, scale, dot products and biases beyond LARGEST are not for this rung. A column of
   values is multiplied by RESCALE or divided by it where its largest is not between the two. */
#define LARGEST 0x1p480
#define SMALLEST 0x1p-400
#define RESCALE 0x1p600

/* A key whose score is certainly below the largest by more than 660 has a weight of at most FAINT,
   and counts as 0. FAR is one less than -660, for what the test itself rounds. */
#define FAR (-661.0)
#define FAINT 0x1p-952

/* No weight may be less certain than this. */
#define ETA_LARGEST 0x1p-24

/* Covers what underflows on the way to an eta. */
#define ETA_LEAST 0x1p-1000

/* The radius is itself computed in double, from terms none of which is negative: this covers its
   roundings (fewer than 2^26 in a row) and the terms of second order. */
#define INFLATION (1 + 0x1p-20)

/* A key whose score is certainly below the largest by more than 750 has a weight below 2^-1080. One
   less than -750, as for FAR. */
#define VANISHING (-751.0)

enum { LANES = ATTEST_DD_LANES };

/* One number for each key, and from there to a multiple of LANES zeros (while weights are computed:
   some number). */
struct attest_wide {
  const attest_row_view *row;
  int fit;                 /* zero: nothing is known but what needs no arithmetic */
  attest_dd reference;     /* the largest score, as computed */
  attest_dd_sum sum;       /* of the weights */
  double shift;            /* sum of the keys' shift */
  attest_dd_vector weight; /* e^(score - reference), 0 if faint; before that the score */
  double *eta;    /* bound of the weight's relative error, before that the score's error; of a faint
                     key a bound of the score above the reference: it is negative */
  double *shift_of; /* how far the weight may be off: weight * eta, or FAINT */
  double *column;   /* the values of one column, rescaled */
};

static const attest_enclosure unknown = {0, 0, INFINITY};

static attest_enclosure exactly(double x) {
  const attest_enclosure e = {x == 0 ? 0 : x, 0, 0}; /* never -0 */
  return e;
}

static int within(const double *x, size_t count, double limit) {
  for (size_t i = 0; i < count; i++)
    if (!(fabs(x[i]) <= limit)) return 0;
  return 1;
}

static size_t padded(size_t count) { return (count + LANES - 1) / LANES * LANES; }

static void halve(attest_dd_vector *x, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const attest_dd half = attest_dd_split(x->high[i]);
    x->upper[i] = half.h;
    x->lower[i] = half.l;
  }
}

/* Dot products with the query, into weight, and their errors, into eta. Zero: not fit, or (*failed)
   not enough memory. Elements of k need no look: what is too large for the arithmetic makes the
   error infinite or NaN. */
static int dots(attest_wide *wide, int *failed) {
  const attest_row_view *row = wide->row;
  const size_t width = padded(row->width);
  double *memory = calloc(4 * width, sizeof *memory), *last;
  attest_dd_vector q;
  int fit = 1;

  if (!memory) {
    *failed = 1;
    return 0;
  }
  q.high = memory;
  q.low = NULL;
  q.upper = memory + width;
  q.lower = memory + 2 * width;
  last = memory + 3 * width; /* a copy of a key with zeros behind it, where that matters */
  for (size_t i = 0; i < row->width; i++) q.high[i] = row->q[i];
  halve(&q, width);
  q.narrow = attest_dd_narrow(q.high, width);
  for (size_t j = 0; j < row->count; j++) {
    const double *k = row->keys[j].k;
    attest_dd_sum dot;
    if (width > row->width) {
      for (size_t i = 0; i < row->width; i++) last[i] = k[i];
      k = last;
    }
    dot = attest_dd_dot(&q, k, width);
    wide->weight.high[j] = dot.value.h;
    wide->weight.low[j] = dot.value.l;
    wide->eta[j] = dot.error;
    if (!(fabs(dot.value.h) <= LARGEST && dot.error <= LARGEST)) {
      fit = 0;
      break;
    }
  }
  free(memory);
  return fit;
}

/* From dot products to scores, no larger than 2^961. */
static void scale_all(attest_wide *wide, attest_dd scale, double scale_error) {
  const double tiny = (double)wide->row->width * ATTEST_DD_TINY;
  double *high = wide->weight.high, *low = wide->weight.low;

  for (size_t j = 0; j < wide->row->count; j++) {
    const attest_dd dot = {high[j], low[j]};
    const attest_dd s = attest_dd_mul(dot, scale);
    high[j] = s.h;
    low[j] = s.l;
    wide->eta[j] = fabs(scale.h) * (wide->eta[j] + tiny) + scale_error * fabs(s.h);
  }
}

/* Zero: not fit. */
static int add_bias(attest_wide *wide) {
  for (size_t j = 0; j < wide->row->count; j++) {
    const double bias = wide->row->keys[j].bias;
    attest_dd s;
    if (bias == 0) continue;
    if (!(bias <= LARGEST)) return 0;
    s.h = wide->weight.high[j];
    s.l = wide->weight.low[j];
    /* A lower bias is raised: if the key is faint all the same then it is faint, and if not then
       the error of a score of this size makes the row unfit. */
    s = attest_dd_add_d(s, bias < -LARGEST ? -LARGEST : bias);
    wide->weight.high[j] = s.h;
    wide->weight.low[j] = s.l;
    wide->eta[j] += ATTEST_DD_ADD * fabs(s.h);
  }
  return 1;
}

static attest_dd largest(const attest_wide *wide) {
  const double *high = wide->weight.high, *low = wide->weight.low;
  attest_dd top = {high[0], low[0]};

  for (size_t j = 1; j < wide->row->count; j++)
    if (top.h < high[j] || (top.h == high[j] && top.l < low[j])) {
      top.h = high[j];
      top.l = low[j];
    }
  return top;
}

/* LANES keys from score to weight. Zero: not fit. */
static int weigh(attest_wide *wide, size_t first) {
  double *high = wide->weight.high + first, *low = wide->weight.low + first;
  double *eta = wide->eta + first, *shift = wide->shift_of + first;
  const attest_dd minus = attest_dd_neg(wide->reference);
  double above[LANES];
  int unfit = 0;

  for (int n = 0; n < LANES; n++) {
    const attest_dd s = {high[n], low[n]};
    const attest_dd t = attest_dd_add(s, minus);
    const double error = eta[n] + (ATTEST_DD_ADD * fabs(t.h) + ETA_LEAST);
    above[n] = t.h * (1 - 0x1p-50) + INFLATION * error;
    eta[n] = t.h != 0 ? error + ATTEST_DD_EXP : error;
    high[n] = above[n] < FAR ? 0 : t.h;
    low[n] = above[n] < FAR ? 0 : t.l;
    unfit |= !(above[n] < FAR) & !(error <= ETA_LARGEST / 2);
  }
  if (unfit) return 0;
  attest_dd_exp_lanes(high, low);
  for (int n = 0; n < LANES; n++) {
    const int faint = above[n] < FAR;
    high[n] = faint ? 0 : high[n];
    low[n] = faint ? 0 : low[n];
    shift[n] = faint ? FAINT : high[n] * eta[n];
    eta[n] = faint ? above[n] : eta[n];
  }
  return 1;
}

/* Scores, weights and their sum. Zero: not fit. */
static int prepare(attest_wide *wide, int *failed) {
  const attest_row_view *row = wide->row;
  const size_t count = row->count, all = padded(count);
  attest_dd scale = {row->scale, 0};
  double scale_error = ATTEST_DD_MUL;

  if (row->softcap > 0 || !within(row->q, row->width, LARGEST)) return 0;
  if (!row->scale_given) {
    scale = attest_dd_rsqrt((double)row->width);
    scale_error += ATTEST_DD_RSQRT;
  }
  if (!(fabs(scale.h) <= LARGEST) || !dots(wide, failed)) return 0;
  scale_all(wide, scale, scale_error);
  if (!add_bias(wide)) return 0;
  wide->reference = largest(wide);
  for (size_t j = count; j < all; j++) {
    wide->weight.high[j] = wide->reference.h;
    wide->weight.low[j] = wide->reference.l;
    wide->eta[j] = 0;
  }
  for (size_t j = 0; j < all; j += LANES)
    if (!weigh(wide, j)) return 0;
  for (size_t j = count; j < all; j++)
    wide->weight.high[j] = wide->weight.low[j] = wide->shift_of[j] = wide->column[j] = 0;
  halve(&wide->weight, all);
  for (size_t j = 0; j < count; j++) {
    wide->shift += wide->shift_of[j];
    wide->column[j] = 1;
  }
  wide->sum = attest_dd_dot(&wide->weight, wide->column, all);
  return 1;
}

attest_wide *attest_wide_start(const attest_row_view *row) {
  const size_t count = row->count;
  attest_wide *wide;
  int failed = 0;

  if (count == 0 || count > SIZE_MAX / 2 / (7 * sizeof(double))) return NULL;
  wide = calloc(1, sizeof *wide);
  if (!wide) return NULL;
  wide->row = row;
  wide->weight.high = malloc(7 * padded(count) * sizeof(double));
  if (wide->weight.high) {
    wide->weight.low = wide->weight.high + padded(count);
    wide->weight.upper = wide->weight.low + padded(count);
    wide->weight.lower = wide->weight.upper + padded(count);
    wide->eta = wide->weight.lower + padded(count);
    wide->shift_of = wide->eta + padded(count);
    wide->column = wide->shift_of + padded(count);
    wide->fit = prepare(wide, &failed);
  }
  if (!wide->weight.high || failed) {
    attest_wide_end(wide);
    return NULL;
  }
  return wide;
}

void attest_wide_end(attest_wide *wide) {
  if (!wide) return;
  free(wide->weight.high);
  free(wide);
}

/* The weighted average of wide->column, the largest of them, `peak`, from SMALLEST to LARGEST. */
static attest_enclosure average(const attest_wide *wide, double peak) {
  const size_t count = wide->row->count;
  const attest_dd_sum n = attest_dd_dot(&wide->weight, wide->column, padded(count));
  const attest_dd o = attest_dd_div(n.value, wide->sum.value);
  const double size = fabs(o.h);
  attest_enclosure e;
  double part[LANES] = {0}, e1 = 0;

  for (size_t j = 0; j < padded(count); j += LANES)
    for (size_t i = 0; i < LANES; i++)
      part[i] += wide->shift_of[j + i] * fabs(wide->column[j + i] - o.h);
  for (size_t i = 0; i < LANES; i++) e1 += part[i];
  e1 += 0x1p-52 * size * wide->shift;
  e.high = o.h;
  e.low = o.l;
  e.radius = (e1 + n.error + wide->sum.error * size) / wide->sum.value.h;
  e.radius = INFLATION * (e.radius + ATTEST_DD_DIV * size
                          + (double)count * (2 * ATTEST_DD_TINY + 0x1p-1060 * peak));
  return e;
}

/* e times a power of two: exact but for what overflows or falls under the smallest double. */
static attest_enclosure rescaled(attest_enclosure e, double power) {
  e.high *= power;
  e.low *= power;
  e.radius = e.radius * power * INFLATION + 0x1p-1073;
  return fabs(e.high) <= DBL_MAX ? e : unknown;
}

attest_enclosure attest_wide_output(attest_wide *wide, size_t c) {
  const attest_row_view *row = wide->row;
  const double first = row->keys[0].v[c];
  double peak = 0, power = 1;
  int same = 1;

  for (size_t j = 0; j < row->count; j++) {
    const double v = row->keys[j].v[c];
    if (!(fabs(v) <= DBL_MAX)) return unknown;
    if (fabs(v) > peak) peak = fabs(v);
    if (v != first) same = 0;
    wide->column[j] = v;
  }
  if (same) return exactly(first); /* the weights sum to one, whatever they are */
  if (!wide->fit) return unknown;
  if (peak > LARGEST) power = 1 / RESCALE;
  if (peak < SMALLEST) power = RESCALE;
  if (power == 1) return average(wide, peak);
  for (size_t j = 0; j < row->count; j++) wide->column[j] *= power;
  return rescaled(average(wide, peak * power), 1 / power);
}

attest_enclosure attest_wide_weight(attest_wide *wide, size_t index) {
  const attest_dd sum = wide->sum.value;
  attest_enclosure e = {FAINT, 0, FAINT};
  attest_dd x, w;

  if (wide->row->count == 1) return exactly(1);
  if (!wide->fit) return unknown;
  if (wide->weight.high[index] == 0) return e;
  /* Away from where the division loses bits. */
  x.h = wide->weight.high[index] * 0x1p500;
  x.l = wide->weight.low[index] * 0x1p500;
  w = attest_dd_div(x, sum);
  e.high = w.h;
  e.low = w.l;
  e.radius = wide->eta[index] * (fabs(1 - w.h * 0x1p-500) + 0x1p-52)
             + (wide->shift + wide->sum.error) / sum.h + ATTEST_DD_DIV;
  e.radius = INFLATION * e.radius * w.h;
  return rescaled(e, 0x1p-500);
}

int attest_wide_vanishes(attest_wide *wide, size_t index) {
  return wide->fit && wide->eta[index] < VANISHING;
}

attest_enclosure attest_wide_lse(attest_wide *wide, attest_log_base base) {
  const attest_dd sum = wide->sum.value;
  attest_enclosure e;
  attest_dd y;

  if (!wide->fit) return unknown;
  y = attest_dd_add(wide->reference, attest_dd_log(sum));
  e.radius = (wide->shift + wide->sum.error) / sum.h;
  if (sum.h != 1 || sum.l != 0) e.radius += ATTEST_DD_LOG + ATTEST_DD_ADD * fabs(y.h);
  if (base == ATTEST_BASE_2) {
    y = attest_dd_mul(y, attest_dd_log2_e);
    e.radius = 1.5 * e.radius + ATTEST_DD_MUL * fabs(y.h) + ATTEST_DD_TINY;
  }
  e.high = y.h;
  e.low = y.l;
  e.radius *= INFLATION;
  return e;
}
