/* Random and adversarial problems, attention in ref/ and in kernels that use all that a claim
   allows: no error may exceed its allowance. */
#ifndef TESTS_BOUND_SOUND_H
#define TESTS_BOUND_SOUND_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "attest.h"
#include "bound_check.h"
#include "random.h"

enum { SOUND_ROWS = 2, SOUND_KEYS = 400, SOUND_WIDTH = 256, SOUND_VALUES = 3 };

typedef struct {
  attest_shape shape;
  attest_arrays_f64 arrays;
  double q[SOUND_ROWS * SOUND_WIDTH], k[SOUND_KEYS * SOUND_WIDTH], v[SOUND_KEYS * SOUND_VALUES];
  double bias[SOUND_ROWS * SOUND_KEYS];
  uint8_t mask[SOUND_ROWS * SOUND_KEYS];
} sound_problem;

static double any(uint64_t *s) { return spread(s, 0); }
static double pick(uint64_t *s, const double *from, size_t n) { return from[below(s, n)]; }
#define PICK(s, list) pick(s, list, sizeof list / sizeof *list)

/* top: the largest number of the inputs' format. */
static double sound_element(uint64_t *s, size_t kind, double top) {
  const double x = any(s);
  const int n = (int)below(s, 80);
  switch (kind) {
    case 0: return n % 5 - 2;
    case 1: return 1 + 0.5 * x;
    case 2: return ldexp(x, n - 40);
    case 3: return sqrt(top) * x / 16;
    case 4: return ldexp(x, top > 1e39 ? -1040 : -130);
    case 5: return 10 * x;
    case 6: return n % 6 ? 0 : 100 * x;
    default: return x;
  }
}

static double sound_value(uint64_t *s, size_t kind, double top, size_t keys) {
  const double x = any(s);
  const int n = (int)below(s, 60);
  switch (kind) {
    case 0: return 0x1.234568p20 + x;
    case 1: return top / (double)(2 * keys) * x;
    case 2: return top * x;
    case 3: return ldexp(x, top > 1e39 ? -1060 : -140);
    case 4: return 1.7;
    case 5: return ldexp(x, n - 30);
    case 6: return n % 2 ? 1 : -1;
    default: return x;
  }
}

static void sound_bias(sound_problem *p, uint64_t *s, double top) {
  const size_t kind = below(s, 10), count = p->shape.q_len * p->shape.kv_len;
  p->arrays.bias = NULL;
  if (kind > 5) return;
  p->arrays.bias = p->bias;
  p->shape.bias.row = p->shape.kv_len;
  p->shape.bias.key = 1;
  for (size_t n = 0; n < count; n++) {
    const double x = any(s);
    const size_t m = below(s, 6);
    p->bias[n] = kind == 0   ? (m % 3 ? x : -top)
                 : kind == 1 ? (m % 3 ? x : -INFINITY)
                 : kind == 2 ? 1e30
                 : kind == 3 ? -0.9 * top
                 : kind == 4 ? (m % 2 ? -1e4 : 1e4 * x)
                             : top * x;
  }
}

/* top: the largest number of the inputs' format; fine: numbers of 53 bits, else of 24. */
static void sound_make(sound_problem *p, uint64_t *s, double top, int fine) {
  static const double scales[] = {1, 0.1, -0.3, 0, 3, 1e-42, 1e-38, 1e30, 10, 1e-3};
  static const double caps[] = {30, 0.1, 1e-20, 1e-35, 1e30, 2e38, 1e37, 3.3e38, 1, 50};
  attest_shape *h = &p->shape;
  const int plain = below(s, 3) == 0;
  const size_t kq = plain ? 8 : below(s, 9), kk = below(s, 3) ? kq : below(s, 9);
  const size_t kv = below(s, 12), style = below(s, 12);
  memset(h, 0, sizeof *h);
  memset(&p->arrays, 0, sizeof p->arrays);
  h->batch = h->q_heads = h->kv_heads = 1;
  h->q_len = 1 + below(s, SOUND_ROWS);
  h->kv_len = 1 + below(s, below(s, 20) ? 32 : SOUND_KEYS);
  h->width = 1 + below(s, below(s, 8) ? 24 : SOUND_WIDTH);
  h->value_width = 1 + below(s, SOUND_VALUES);
  attest_layout_bhsd(h);
  h->scale_given = !plain && below(s, 2) == 0;
  h->scale = PICK(s, scales);
  if (below(s, 3) == 0) h->softcap = PICK(s, caps);
  h->causal = below(s, 4) == 0;
  h->offset = (int64_t)below(s, h->kv_len);
  for (size_t n = 0; n < h->q_len * h->width; n++) p->q[n] = sound_element(s, kq, top);
  for (size_t n = 0; n < h->kv_len * h->width; n++) p->k[n] = sound_element(s, kk, top);
  for (size_t n = 0; n < h->kv_len * h->value_width; n++)
    p->v[n] = sound_value(s, kv, top, h->kv_len);
  /* Rising scores, so that the maximum grows with every key, or all scores equal. */
  for (size_t j = 0; j < h->kv_len && style < 2; j++)
    for (size_t c = 0; c < h->width; c++)
      p->k[j * h->width + c] = style ? p->q[c] : p->q[c] * (double)j / 8;
  for (size_t n = 0; n < h->q_len * h->kv_len; n++) p->mask[n] = below(s, 4) != 0;
  if (below(s, 5) == 0) {
    p->arrays.mask = p->mask;
    h->mask.row = h->kv_len;
    h->mask.key = 1;
  }
  p->arrays.q = p->q;
  p->arrays.k = p->k;
  p->arrays.v = p->v;
  sound_bias(p, s, top);
  if (fine) return;
  for (size_t n = 0; n < h->q_len * h->width; n++) p->q[n] = (float)p->q[n];
  for (size_t n = 0; n < h->kv_len * h->width; n++) p->k[n] = (float)p->k[n];
  for (size_t n = 0; n < h->kv_len * h->value_width; n++) p->v[n] = (float)p->v[n];
  for (size_t n = 0; n < h->q_len * h->kv_len; n++) p->bias[n] = (float)p->bias[n];
}

/* ref/ */

typedef struct {
  double out[SOUND_ROWS * SOUND_VALUES], weights[SOUND_ROWS * SOUND_KEYS], lse[SOUND_ROWS];
} sound_results;

static void to_float(float *to, const double *from, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] = (float)from[i];
}
static void to_double(double *to, const float *from, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] = (double)from[i];
}

/* Keys in parts, merged: in place of a nest of its own. */
enum { SOUND_MERGED = 3 };

static int merged_f32(const attest_shape *h, const attest_arrays_f32 *a, float *scratch,
                      size_t count) {
  float acc[SOUND_VALUES], other[SOUND_VALUES];
  const size_t step = 1 + h->kv_len / 5;
  for (size_t i = 0; i < h->q_len; i++) {
    attest_partial_f32 into = {0, 0, 0}, part;
    for (size_t at = 0; at < h->kv_len; at += step) {
      const size_t end = at + step < h->kv_len ? at + step : h->kv_len;
      if (attest_part_f32(h, a, 0, 0, i, at, end, &part, other, scratch, count) != ATTEST_OK)
        return 0;
      attest_merge_f32(&into, acc, &part, other, h->value_width);
    }
    if (!into.seen) memset(acc, 0, sizeof acc);
    attest_finish_f32(&into, acc, h->value_width, a->out + i * h->value_width, a->lse + i);
  }
  return 1;
}

static int run_f32(const sound_problem *p, int nest, size_t tile, sound_results *r) {
  static float q[SOUND_ROWS * SOUND_WIDTH], k[SOUND_KEYS * SOUND_WIDTH];
  static float v[SOUND_KEYS * SOUND_VALUES], bias[SOUND_ROWS * SOUND_KEYS];
  static float out[SOUND_ROWS * SOUND_VALUES], weights[SOUND_ROWS * SOUND_KEYS], lse[SOUND_ROWS];
  const attest_shape *h = &p->shape;
  const attest_engine engine = nest == SOUND_MERGED ? ATTEST_NAIVE : (attest_engine)nest;
  attest_arrays_f32 a = {0};
  size_t count = attest_scratch_f32(h, engine, tile);
  float *scratch;
  int ok;
  if (count < h->kv_len) count = h->kv_len;
  scratch = malloc(count * sizeof *scratch);
  if (!scratch) abort();
  to_float(q, p->q, h->q_len * h->width);
  to_float(k, p->k, h->kv_len * h->width);
  to_float(v, p->v, h->kv_len * h->value_width);
  to_float(bias, p->bias, h->q_len * h->kv_len);
  a.q = q;
  a.k = k;
  a.v = v;
  a.bias = p->arrays.bias ? bias : NULL;
  a.mask = p->arrays.mask;
  a.out = out;
  a.weights = weights;
  a.lse = lse;
  if (nest == SOUND_MERGED)
    ok = merged_f32(h, &a, scratch, count);
  else
    ok = attest_attention_f32(h, &a, engine, tile, scratch, count) == ATTEST_OK;
  free(scratch);
  to_double(r->out, out, h->q_len * h->value_width);
  to_double(r->weights, weights, h->q_len * h->kv_len);
  to_double(r->lse, lse, h->q_len);
  return ok;
}

static int run_f64(const sound_problem *p, int nest, size_t tile, sound_results *r) {
  const attest_shape *h = &p->shape;
  const attest_engine engine = nest == SOUND_MERGED ? ATTEST_DECODE : (attest_engine)nest;
  attest_arrays_f64 a = p->arrays;
  const size_t count = attest_scratch_f64(h, engine, tile);
  double *scratch = malloc((count + 1) * sizeof *scratch);
  int ok;
  if (!scratch) abort();
  a.out = r->out;
  a.weights = r->weights;
  a.lse = r->lse;
  ok = attest_attention_f64(h, &a, engine, tile, scratch, count) == ATTEST_OK;
  free(scratch);
  return ok;
}

static void sound_engine(check_tally *t, uint64_t *s, sound_problem *p, int wide) {
  static const attest_format narrow[] = {ATTEST_FORMAT_F32, ATTEST_FORMAT_F16, ATTEST_FORMAT_BF16};
  static sound_results r[4];
  const attest_shape *h = &p->shape;
  const size_t tile = 1 + below(s, 20);
  const attest_format accum = wide ? ATTEST_FORMAT_F64 : ATTEST_FORMAT_F32;
  const attest_format output = wide ? ATTEST_FORMAT_F64 : narrow[below(s, 3)];
  const attest_log_base base = (attest_log_base)below(s, 2);
  const attest_claim claim = attest_claim_engine(accum, output);
  for (int nest = 0; nest < 4; nest++) {
    sound_results *x = &r[nest];
    if (!(wide ? run_f64(p, nest, tile, x) : run_f32(p, nest, tile, x))) return;
    for (size_t i = 0; i < h->q_len; i++)
      if (base == ATTEST_BASE_2) x->lse[i] /= 0x1.62e42fefa39efp-1;
    for (size_t n = 0; n < h->q_len; n++) {
      if (!wide) x->lse[n] = (double)(float)x->lse[n];
      if (output != accum) x->lse[n] = attest_format_nearest(output, x->lse[n], 0);
    }
    for (size_t n = 0; output != accum && n < h->q_len * h->value_width; n++)
      x->out[n] = attest_format_nearest(output, x->out[n], 0);
    for (size_t n = 0; output != accum && n < h->q_len * h->kv_len; n++)
      x->weights[n] = attest_format_nearest(output, x->weights[n], 0);
  }
  for (size_t i = 0; i < h->q_len; i++) {
    check_row row;
    check_open(&row, h, &p->arrays, i);
    for (int nest = 0; row.facts && nest < 4; nest++) {
      const sound_results *x = &r[nest];
      /* The same bits need no second look. */
      if (nest > 0 && !memcmp(x->out, r[0].out, sizeof x->out) &&
          !memcmp(x->lse, r[0].lse, sizeof x->lse))
        continue;
      check_results(t, &row, &claim, 0, x->out + i * h->value_width,
                    nest == SOUND_MERGED && !wide ? NULL : x->weights + i * h->kv_len, x->lse + i,
                    base, 1);
    }
    check_close(&row);
  }
}

static void sound_report(const check_tally *t) {
  static const char *const parts[] = {"out", "weights", "sums", "lse"};
  for (int n = 0; n < CHECK_PARTS; n++) {
    print_message("%s, %s: %zu, nothing promised for %zu, at most %.2f of the allowance used\n",
                  t->about, parts[n], t->asked[n], t->silent[n], t->used[n]);
    assert_true(t->silent[n] < t->asked[n] - t->asked[n] / 4);
  }
  assert_true(t->wrong == 0);
}

static void sound_engines(uint64_t *s, size_t problems) {
  static sound_problem p;
  check_tally t = {{0}, {0}, 0, {0}, "f32 engine"}, u = {{0}, {0}, 0, {0}, "f64 engine"};
  for (size_t n = 0; n < problems; n++) {
    const int wide = n % 3 == 2;
    sound_make(&p, s, wide ? (double)DBL_MAX : (double)FLT_MAX, wide || below(s, 2));
    sound_engine(wide ? &u : &t, s, &p, wide);
  }
  sound_report(&t);
  sound_report(&u);
}

/* Kernels. Every operation is done in double and rounded to the accumulator's format. That rounds
   twice, which for the four operations gives the same as once (53 >= 2 * 24 + 2). */

typedef enum { SCALE_QUERY, SCALE_BOTH, SCALE_AFTER, SCALE_LATE, SCALES } kernel_scale;
typedef enum { ORDER_LEFT, ORDER_RIGHT, ORDER_PAIRS, ORDERS } kernel_order;

typedef struct {
  attest_format input, accum, weight, output;
  size_t tile; /* 0: the maximum first */
  kernel_scale scale;
  kernel_order order;
  int base_2, early; /* the change of base before the maximum is subtracted */
  int divided;       /* weights divided before they multiply V; with tile 0 */
  int flushes;
  int ulps;          /* of its exponential, beyond the rounding */
  uint64_t *seed;
} sound_kernel;

static double round_as(attest_format f, double x, int flushes) {
  const double y = f == ATTEST_FORMAT_F32   ? (double)(float)x
                   : f == ATTEST_FORMAT_F64 ? x
                                            : attest_format_nearest(f, x, 0);
  const attest_arithmetic a = attest_arithmetic_of(f);
  return flushes && f != ATTEST_FORMAT_F16 && fabs(y) < a.tiny / a.u / 2 ? 0 : y;
}

static double in(const sound_kernel *k, double x) {
  return round_as(k->accum, round_as(k->input, x, k->flushes), k->flushes);
}
static double op(const sound_kernel *k, double x) { return round_as(k->accum, x, k->flushes); }

static double kernel_sum(const sound_kernel *k, const double *x, size_t n) {
  double sum = 0;
  if (k->order == ORDER_PAIRS && n > 1)
    return op(k, kernel_sum(k, x, n / 2) + kernel_sum(k, x + n / 2, n - n / 2));
  for (size_t i = 0; i < n; i++) sum = op(k, sum + x[k->order == ORDER_LEFT ? i : n - 1 - i]);
  return sum;
}

/* e^x or 2^x for x <= 0, off by up to k->ulps more than its rounding, but never above 1. */
static double kernel_exp(const sound_kernel *k, double x) {
  double p = k->base_2 ? exp2(x) : exp(x);
  const double off = (double)below(k->seed, 3) - 1;
  if (!(x < 0)) return x == x ? 1 : x;
  p = op(k, p);
  p = op(k, p + off * k->ulps * attest_format_ulp(k->accum, p));
  return p > 1 ? 1 : p < 0 ? 0 : p;
}

static const double kernel_log2e = 1.4426950408889634;

static double kernel_score(const sound_kernel *k, const sound_problem *p, size_t i, size_t j,
                           double scale) {
  static double terms[SOUND_WIDTH];
  const attest_shape *h = &p->shape;
  const double half = op(k, sqrt(fabs(scale))), whole = op(k, scale);
  double x;
  for (size_t c = 0; c < h->width; c++) {
    double a = in(k, p->q[i * h->width + c]), b = in(k, p->k[j * h->width + c]);
    if (k->scale == SCALE_QUERY) a = op(k, a * whole);
    if (k->scale == SCALE_BOTH) {
      a = op(k, a * (scale < 0 ? -half : half));
      b = op(k, b * half);
    }
    terms[c] = op(k, a * b);
  }
  x = kernel_sum(k, terms, h->width);
  if (k->scale == SCALE_AFTER) x = op(k, x * whole);
  if (h->softcap > 0) {
    const double cap = op(k, h->softcap);
    x = op(k, cap * op(k, tanh(op(k, x / cap))));
  }
  if (k->base_2 && k->early) x = op(k, x * op(k, kernel_log2e));
  if (p->arrays.bias) {
    double b = in(k, p->bias[i * h->kv_len + j]);
    if (k->base_2 && k->early) b = op(k, b * op(k, kernel_log2e));
    x = op(k, x + b);
  }
  return x;
}

/* The exponential of s - m. */
static double kernel_weight(const sound_kernel *k, double s, double m, double scale) {
  double x = op(k, s - m);
  if (s == m) x = 0;
  if (k->scale == SCALE_LATE) {
    const double factor = k->base_2 ? op(k, scale * kernel_log2e) : op(k, scale);
    return kernel_exp(k, op(k, x * factor));
  }
  if (k->base_2 && !k->early) x = op(k, x * op(k, kernel_log2e));
  return kernel_exp(k, x);
}

static double kernel_lse(const sound_kernel *k, double m, double sum, double scale) {
  if (k->scale == SCALE_LATE) m = op(k, m * op(k, scale));
  if (k->base_2 && k->early)
    return op(k, op(k, m + op(k, log2(sum))) * op(k, 1 / kernel_log2e));
  return op(k, m + op(k, log(sum)));
}

/* Row i. The view tells which keys are visible, and no more. */
static void kernel_row(const sound_kernel *k, const sound_problem *p, size_t i,
                       const attest_row_view *view, double *out, double *weights, double *lse) {
  static double s[SOUND_KEYS], w[SOUND_KEYS], x[SOUND_KEYS];
  const attest_shape *h = &p->shape;
  const double scale = h->scale_given ? h->scale : 1 / sqrt((double)h->width);
  double m = -INFINITY, sum = 0, acc[SOUND_VALUES] = {0};
  const size_t n = view->count;
  size_t first = 0;

  memset(weights, 0, h->kv_len * sizeof *weights);
  for (size_t j = 0; j < n; j++) s[j] = kernel_score(k, p, i, view->keys[j].index, scale);
  while (first < n) {
    const size_t tile = view->keys[first].index / (k->tile ? k->tile : SOUND_KEYS + 1);
    size_t count = 0;
    double top = m, factor;
    for (; first + count < n; count++) {
      if (k->tile && view->keys[first + count].index / k->tile != tile) break;
      if (s[first + count] > top || s[first + count] != s[first + count]) top = s[first + count];
    }
    factor = m > -INFINITY ? kernel_weight(k, m, top, scale) : 0;
    m = top;
    for (size_t j = 0; j < count; j++) w[j] = kernel_weight(k, s[first + j], m, scale);
    sum = first ? op(k, op(k, sum * factor) + kernel_sum(k, w, count)) : kernel_sum(k, w, count);
    for (size_t j = 0; j < count && k->divided; j++) w[j] = op(k, w[j] / sum);
    for (size_t j = 0; j < count; j++) w[j] = round_as(k->weight, w[j], k->flushes);
    for (size_t c = 0; c < h->value_width; c++) {
      for (size_t j = 0; j < count; j++)
        x[j] = op(k, op(k, w[j]) * in(k, view->keys[first + j].v[c]));
      acc[c] = first ? op(k, op(k, acc[c] * factor) + kernel_sum(k, x, count))
                     : kernel_sum(k, x, count);
    }
    first += count;
  }
  for (size_t c = 0; c < h->value_width; c++)
    out[c] = round_as(k->output, k->divided ? acc[c] : op(k, acc[c] / sum), k->flushes);
  for (size_t j = 0; j < n; j++)
    weights[view->keys[j].index] =
        round_as(k->output, op(k, kernel_weight(k, s[j], m, scale) / sum), k->flushes);
  *lse = round_as(k->output, kernel_lse(k, m, sum, scale), k->flushes);
}

static sound_kernel any_kernel(uint64_t *s, const attest_shape *h, int biased) {
  static const attest_format formats[] = {ATTEST_FORMAT_F32, ATTEST_FORMAT_F16, ATTEST_FORMAT_BF16};
  static const size_t tiles[] = {0, 16, 64, 3};
  const double scale = h->scale_given ? h->scale : 1;
  sound_kernel k;
  k.input = formats[below(s, 2) ? 0 : below(s, 3)];
  k.accum = formats[below(s, 3) ? 0 : below(s, 3)];
  k.weight = below(s, 2) ? k.accum : formats[below(s, 3)];
  k.output = below(s, 2) ? k.accum : formats[below(s, 3)];
  k.tile = tiles[below(s, 4)];
  k.scale = (kernel_scale)below(s, SCALES);
  if (k.scale == SCALE_LATE && (h->softcap > 0 || biased || !(scale > 0))) k.scale = SCALE_AFTER;
  k.order = (kernel_order)below(s, ORDERS);
  k.base_2 = (int)below(s, 2);
  k.early = k.scale != SCALE_LATE && below(s, 2);
  k.divided = k.tile == 0 && below(s, 2);
  k.flushes = (int)below(s, 2);
  k.ulps = 1;
  k.seed = s;
  return k;
}

/* Rounds what the kernel is given to `to`, and keeps its range: what a format cannot hold is not
   promised anything, and refused by who asks. 0: it does not fit. */
static int fits(const double *x, size_t n, attest_format to) {
  for (size_t i = 0; i < n; i++)
    if (fabs(x[i]) < INFINITY && !(fabs(attest_format_nearest(to, x[i], 0)) < INFINITY)) return 0;
  return 1;
}

static int kernel_fits(const sound_problem *p, attest_format to) {
  const attest_shape *h = &p->shape;
  return fits(p->q, h->q_len * h->width, to) && fits(p->k, h->kv_len * h->width, to) &&
         fits(p->v, h->kv_len * h->value_width, to) &&
         (!p->arrays.bias || fits(p->bias, h->q_len * h->kv_len, to));
}

/* Whether the kernel's formats hold the numbers of the problem that are not inputs. */
static int kernel_numbers(const sound_problem *p, attest_format to) {
  const double x[2] = {p->shape.scale_given ? p->shape.scale : 1, p->shape.softcap};
  return fits(x, 2, to);
}

static void sound_kernels(uint64_t *s, size_t problems) {
  static sound_problem p;
  static double out[SOUND_VALUES], weights[SOUND_KEYS];
  double lse;
  check_tally t = {{0}, {0}, 0, {0}, "kernels"};
  for (size_t n = 0; n < problems; n++) {
    sound_kernel k;
    attest_claim claim;
    sound_make(&p, s, (double)FLT_MAX, (int)below(s, 2));
    k = any_kernel(s, &p.shape, p.arrays.bias != NULL);
    if (!kernel_fits(&p, k.input) || !kernel_fits(&p, k.accum))
      k.input = k.accum = ATTEST_FORMAT_F32;
    if (!kernel_fits(&p, k.input) || !kernel_numbers(&p, k.accum)) continue;
    /* An input is rounded on its way into the accumulator too, if that is narrower. */
    if (attest_arithmetic_of(k.accum).u > attest_arithmetic_of(k.input).u) k.input = k.accum;
    if (k.accum == ATTEST_FORMAT_F16) k.input = k.accum;
    claim = attest_claim_kernel(k.input, k.accum, k.weight, k.output, 2);
    for (size_t i = 0; i < p.shape.q_len; i++) {
      check_row row;
      check_open(&row, &p.shape, &p.arrays, i);
      if (row.facts) {
        kernel_row(&k, &p, i, &row.view, out, weights, &lse);
        check_results(&t, &row, &claim, k.tile, out, weights, &lse, ATTEST_BASE_E, 1);
      }
      check_close(&row);
    }
  }
  sound_report(&t);
}

#endif
