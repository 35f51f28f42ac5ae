#define ATTEST_F64
#include "row.h"

#include <float.h>
#include <math.h>

#include "attention.h"
#include "head.h"

size_t attest_row_capacity(const attest_shape *shape) {
  return shape->kv_len == 0 ? 1 : shape->kv_len;
}

static int finite(double x) { return fabs(x) <= DBL_MAX; }

static int all_finite(const double *x, size_t width) {
  int all = 1;
  for (size_t c = 0; c < width; c++) all &= finite(x[c]);
  return all;
}

/* <q, k> where it is not finite: an infinity or NaN; else 0. Finite products and their sum are exact
   here and never overflow. */
static double dot_rule(const double *q, const double *k, size_t width) {
  double sum = 0;
  if (all_finite(k, width) && all_finite(q, width)) return 0;
  for (size_t c = 0; c < width; c++)
    if (!finite(q[c]) || !finite(k[c])) sum += q[c] * k[c];
  return finite(sum) ? 0 : sum;
}

/* What the score of a key is where input is not finite: its infinity or NaN; else 0, and where a
   softcap has made an infinity finite, *infinite its sign. */
static double score_rule(const attest_row_view *row, const double *k, double bias,
                         int *infinite) {
  double s = dot_rule(row->q, k, row->width);

  *infinite = 0;
  if (s != 0) s *= row->scale_given ? row->scale : 1;
  if (s == s && s != 0 && row->softcap > 0) {
    *infinite = s > 0 ? 1 : -1;
    s = 0;
  }
  return finite(bias) ? s : s + bias;
}

/* Where the caller knows that everything in reach is finite, the elements need not be looked at. */
static attest_row_view row_at(const attest_shape *shape, const attest_arrays_f64 *arrays,
                              size_t batch, size_t head, size_t i, int known_finite,
                              attest_row_key *memory) {
  const attest_head h = attest_head_at(*shape, *arrays, batch, head);
  const size_t begin = attest_bound(i, h.low, h.key_length);
  const size_t end = attest_bound(i, h.high, h.key_length);
  attest_row_view row;

  row.kind = ATTEST_ROW_FINITE;
  row.count = 0;
  row.keys = memory;
  row.dropped = 0;
  row.drop = memory + attest_row_capacity(shape);
  row.q = h.q + i * h.q_row;
  row.width = h.width;
  row.value_width = h.value_width;
  row.scale_given = shape->scale_given;
  row.scale = shape->scale;
  row.softcap = shape->softcap;
  row.biased = h.bias != NULL;
  for (size_t j = begin; j < end; j++) {
    attest_row_key key;
    double rule = 0;
    if (attest_masked(h, i, j)) continue;
    key.index = j;
    key.k = h.k + j * h.k_row;
    key.v = h.v + j * h.v_row;
    key.bias = h.bias ? h.bias[i * h.bias_row + j * h.bias_key] : 0;
    key.infinite = 0;
    if (!known_finite) rule = score_rule(&row, key.k, key.bias, &key.infinite);
    if (rule != rule || rule > 0) row.kind = ATTEST_ROW_NAN;
    if (rule != 0) {
      row.drop--;
      *row.drop = key;
      row.dropped++;
    } else {
      row.keys[row.count++] = key;
    }
  }
  if (row.count == 0 && row.kind == ATTEST_ROW_FINITE)
    row.kind = row.dropped > 0 ? ATTEST_ROW_NAN : ATTEST_ROW_EMPTY;
  return row;
}

attest_row_view attest_row_at(const attest_shape *shape, const attest_arrays_f64 *arrays,
                              size_t batch, size_t head, size_t i, attest_row_key *memory) {
  return row_at(shape, arrays, batch, head, i, 0, memory);
}

attest_row_view attest_row_at_finite(const attest_shape *shape, const attest_arrays_f64 *arrays,
                                     size_t batch, size_t head, size_t i,
                                     attest_row_key *memory) {
  return row_at(shape, arrays, batch, head, i, 1, memory);
}

int attest_row_column_rule(const attest_row_view *row, size_t c, double *value) {
  double sum = 0;

  for (size_t j = 0; j < row->count; j++)
    if (!finite(row->keys[j].v[c])) sum += row->keys[j].v[c];
  for (size_t j = 0; j < row->dropped; j++)
    if (!finite(row->drop[j].v[c])) sum = NAN;
  *value = sum == sum ? sum : NAN;
  return !finite(sum);
}
