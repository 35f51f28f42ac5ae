#include "vectors_input.h"

#include "vectors_random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *attest_case_array_name(attest_case_array which) {
  static const char *const names[] = {"q",      "k",      "v",    "past_k",
                                      "past_v", "kv_len", "mask", "bias"};

  return names[which];
}

static attest_random stream(const attest_case *c, uint64_t seed, const char *array) {
  char name[128];

  snprintf(name, sizeof name, "%s/%s", c->name, array);
  return attest_random_start(seed, name);
}

static double draw(const attest_fill *f, size_t row, size_t column, size_t width,
                   attest_random *random) {
  const double unit = attest_random_scaled(1, f->exponent);
  int64_t n;

  switch (f->kind) {
  case ATTEST_FILL_NORMAL:
    return f->mean + unit * attest_random_normal(random);
  case ATTEST_FILL_UNIFORM:
    return f->mean + unit * attest_random_uniform(random);
  case ATTEST_FILL_GRID:
    n = (int64_t)(attest_random_next(random) >> (47 - f->exponent));
    return f->mean + attest_random_scaled(n, -16) - unit;
  case ATTEST_FILL_CONSTANT:
    return f->mean;
  case ATTEST_FILL_RAMP:
    return f->mean + unit * (double)row;
  case ATTEST_FILL_ONE_HOT:
    return column == row % width ? f->mean : 0;
  default:
    return (row % 2 == 0 ? f->mean : -f->mean) + unit * attest_random_uniform(random);
  }
}

static size_t key_length(const attest_case *c, const attest_case_size *size, size_t batch) {
  const size_t less = c->kv_len_step * batch;

  return less < size->kv_len ? size->kv_len - less : 0;
}

static int hidden(const attest_case *c, const attest_case_size *size, size_t batch, size_t key) {
  return (c->mask.kind == ATTEST_MASK_THIRD && c->mask.axes == ATTEST_AXIS_K && key % 3 == 2) ||
         key >= key_length(c, size, batch) ||
         (c->options != NULL && strcmp(c->options, "--causal") == 0 && size->past == 0 &&
          c->kv_len_step == 0 && key >= size->q_len);
}

static void poke(const attest_case *c, const attest_case_size *size, const attest_poke *p,
                 size_t batch, size_t rows, size_t width, double *head) {
  const double bad[3] = {NAN, INFINITY, -INFINITY};
  size_t seen = 0;

  for (size_t row = 0; row < rows; row++) {
    const int chosen = p->row < 0 ? row + (size_t)-p->row == rows : row == (size_t)p->row;
    double *at = head + row * width;
    if (p->kind == ATTEST_POKE_HIDDEN ? !hidden(c, size, batch, row) : !chosen)
      continue;
    for (size_t i = 0; i < (p->kind == ATTEST_POKE_ELEMENT ? 1 : width); i++)
      at[i] = p->kind == ATTEST_POKE_HIDDEN && p->value == 0 ? bad[seen % 3] : p->value;
    seen++;
  }
}

/* A dense array (batch, heads, rows, width). */
static double *fill(const attest_case *c, const attest_case_size *size, const attest_fill *f,
                    attest_case_array which, uint64_t seed, const size_t dims[4],
                    attest_fault *fault) {
  const char *name = attest_case_array_name(which);
  const size_t head = dims[2] * dims[3];
  double *values = attest_allocate(dims[0] * dims[1] * head, sizeof *values, name, fault);
  attest_random random = stream(c, seed, name);

  if (values == NULL)
    return NULL;
  for (size_t n = 0; n < dims[0] * dims[1]; n++) {
    for (size_t i = 0; i < head; i++)
      values[n * head + i] = draw(f, i / dims[3], i % dims[3], dims[3], &random);
    for (size_t i = 0; i < ATTEST_CASE_POKES; i++)
      if (c->pokes[i].kind != ATTEST_POKE_NONE && c->pokes[i].array == name[0])
        poke(c, size, &c->pokes[i], n / dims[1], dims[2], dims[3], values + n * head);
  }
  return values;
}

/* Rows first .. last - 1 of every head, in the format of the case. */
static int store(const attest_case *c, const double *values, const size_t dims[4], size_t first,
                 size_t last, attest_case_array which, attest_array *array,
                 attest_fault *fault) {
  const char *name = attest_case_array_name(which);
  const size_t part[4] = {dims[0], dims[1], last - first, dims[3]};
  const size_t rows_first[3] = {dims[0], dims[2], dims[3]};
  const size_t head = part[2] * part[3];
  double *copy = attest_allocate(dims[0] * dims[1] * head, sizeof *copy, name, fault);
  int result;

  if (copy == NULL)
    return -1;
  for (size_t n = 0; n < dims[0] * dims[1]; n++)
    memcpy(copy + n * head, values + (n * dims[2] + first) * dims[3], head * sizeof *copy);
  result = attest_array_from_f64(array, c->dtype, c->rows_first ? 3 : 4,
                                 c->rows_first ? rows_first : part, copy, name,
                                 ATTEST_TEXT(fault));
  free(copy);
  return result;
}

static int draw_tensor(const attest_case *c, const attest_case_size *size, const attest_fill *f,
                       attest_case_array which, uint64_t seed, size_t heads, size_t rows,
                       size_t width, attest_array arrays[ATTEST_CASE_ARRAYS],
                       attest_fault *fault) {
  const size_t dims[4] = {size->batch, c->rows_first ? 1 : heads, rows,
                          c->rows_first ? heads * width : width};
  const size_t past = which == ATTEST_CASE_Q ? 0 : size->past;
  double *values = fill(c, size, f, which, seed, dims, fault);
  int result = -1;

  if (values == NULL)
    return -1;
  if (store(c, values, dims, past, rows, which, &arrays[which], fault) == 0)
    result = 0;
  if (result == 0 && past > 0) {
    const attest_case_array before =
        which == ATTEST_CASE_K ? ATTEST_CASE_PAST_K : ATTEST_CASE_PAST_V;
    result = store(c, values, dims, 0, past, before, &arrays[before], fault);
  }
  free(values);
  return result;
}

static double mask_value(const attest_case_mask *m, const size_t at[4], size_t kv_len,
                         attest_random *random) {
  const size_t third = m->axes == ATTEST_AXIS_Q ? at[2] : at[3];
  const int quarter = attest_random_next(random) >> 62 == 0;
  const size_t reach = kv_len / 64 < 2 ? 2 : kv_len / 64;

  switch (m->kind) {
  case ATTEST_MASK_RANDOM:
    return !quarter;
  case ATTEST_MASK_EMPTY_ROW:
    return at[2] != 0 && !quarter;
  case ATTEST_MASK_BAND:
    return at[3] > at[2] || at[3] + reach <= at[2];
  case ATTEST_MASK_THIRD:
    return third % 3 != 2;
  case ATTEST_MASK_BIAS_HIDES:
    return quarter ? -INFINITY : attest_random_normal(random);
  case ATTEST_MASK_BIAS_LARGE:
    return quarter ? m->value : 0;
  case ATTEST_MASK_BIAS_EQUAL:
    return m->value;
  case ATTEST_MASK_BIAS_SLOPE:
    return m->value * (double)at[3] * attest_random_scaled(1, -(int)at[1]);
  default:
    return attest_random_normal(random);
  }
}

static int draw_mask(const attest_case *c, const attest_case_size *size, uint64_t seed,
                     attest_array arrays[ATTEST_CASE_ARRAYS], attest_fault *fault) {
  const attest_case_mask *m = &c->mask;
  const int is_bias = m->kind >= ATTEST_MASK_BIAS;
  const attest_case_array which = is_bias ? ATTEST_CASE_BIAS : ATTEST_CASE_MASK;
  const char *name = attest_case_array_name(which);
  const size_t full[4] = {size->batch, size->q_heads, size->q_len, size->kv_len};
  attest_random random = stream(c, seed, name);
  size_t dims[4], count;
  double *values;
  int result;

  for (int axis = 0; axis < 4; axis++)
    dims[axis] = (m->axes & ATTEST_AXIS_B >> axis) != 0 ? full[axis] : 1;
  count = dims[0] * dims[1] * dims[2] * dims[3];
  values = attest_allocate(count, sizeof *values, name, fault);
  if (values == NULL)
    return -1;
  for (size_t n = 0; n < count; n++) {
    size_t at[4], rest = n;
    for (int axis = 3; axis >= 0; axis--) {
      at[axis] = rest % dims[axis];
      rest /= dims[axis];
    }
    values[n] = mask_value(m, at, size->kv_len, &random);
  }
  result = attest_array_from_f64(&arrays[which], is_bias ? c->dtype : ATTEST_DT_BOOL, m->ndim,
                                 dims + 4 - m->ndim, values, name, ATTEST_TEXT(fault));
  free(values);
  return result;
}

static int set_lengths(const attest_case *c, const attest_case_size *size, attest_array *array,
                       attest_fault *fault) {
  if (attest_array_create(array, ATTEST_DT_I64, 1, &size->batch, "kv_len",
                          ATTEST_TEXT(fault)) != 0)
    return -1;
  for (size_t b = 0; b < size->batch; b++)
    ((int64_t *)array->data)[b] = (int64_t)key_length(c, size, b);
  return 0;
}

int attest_case_draw(const attest_case *c, const attest_case_size *size, uint64_t seed,
                     attest_array arrays[ATTEST_CASE_ARRAYS], attest_fault *fault) {
  memset(arrays, 0, ATTEST_CASE_ARRAYS * sizeof *arrays);
  if (draw_tensor(c, size, &c->q, ATTEST_CASE_Q, seed, size->q_heads, size->q_len, size->width,
                  arrays, fault) != 0 ||
      draw_tensor(c, size, &c->k, ATTEST_CASE_K, seed, size->kv_heads, size->kv_len, size->width,
                  arrays, fault) != 0 ||
      draw_tensor(c, size, &c->v, ATTEST_CASE_V, seed, size->kv_heads, size->kv_len,
                  size->value_width, arrays, fault) != 0)
    return -1;
  if (c->mask.kind != ATTEST_MASK_NONE && draw_mask(c, size, seed, arrays, fault) != 0)
    return -1;
  return c->kv_len_step != 0 ? set_lengths(c, size, &arrays[ATTEST_CASE_KV_LEN], fault) : 0;
}
