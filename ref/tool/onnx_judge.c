#include "onnx_judge.h"

#include "half.h"
#include "oracle/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements of one call of the oracle. */
enum { CHUNK = 1 << 16 };

static attest_format format_of(attest_dtype dtype) {
  return dtype == ATTEST_DT_F64   ? ATTEST_FORMAT_F64
         : dtype == ATTEST_DT_F32 ? ATTEST_FORMAT_F32
         : dtype == ATTEST_DT_F16 ? ATTEST_FORMAT_F16
                                  : ATTEST_FORMAT_BF16;
}

/* --- distances --------------------------------------------------------------------------- */

/* How many positive numbers of dtype are not above |x|. */
static uint64_t rank(attest_dtype dtype, double x) {
  const double magnitude = fabs(x);
  uint16_t half = 0;
  uint32_t single = 0;
  uint64_t bits;

  switch (dtype) {
  case ATTEST_DT_F64:
    memcpy(&bits, &magnitude, sizeof bits);
    return bits;
  case ATTEST_DT_F32:
    attest_f32_bits_from_f64(magnitude, &single);
    return single;
  case ATTEST_DT_F16:
    attest_f16_from_f64(magnitude, &half);
    return half;
  default:
    attest_bf16_from_f64(magnitude, &half);
    return half;
  }
}

uint64_t attest_onnx_ulps(attest_dtype dtype, double a, double b) {
  const uint64_t from = rank(dtype, a), to = rank(dtype, b);

  if (isnan(a) || isnan(b))
    return isnan(a) && isnan(b) ? 0 : ATTEST_ONNX_FAR;
  if (isinf(a) || isinf(b))
    return a == b ? 0 : ATTEST_ONNX_FAR;
  if ((a < 0) != (b < 0))
    return from + to;
  return from > to ? from - to : to - from;
}

static int close_enough(attest_dtype dtype, double got, double exact, uint64_t ulps) {
  if (ulps <= 1)
    return 1;
  return ulps != ATTEST_ONNX_FAR && dtype != ATTEST_DT_F32 &&
         fabs(got - exact) <= ATTEST_ONNX_ATOL + ATTEST_ONNX_RTOL * fabs(exact);
}

/* --- the worst element ------------------------------------------------------------------- */

typedef struct place {
  size_t batch, head, row, column;
} place;

typedef struct worst {
  int any, wrong;
  uint64_t ulps;
  place at;
  double got, exact;
} worst;

static size_t index_of(const attest_onnx_problem *p, int output, place at) {
  const attest_shape *s = &p->shape;
  const size_t columns = output == ATTEST_ONNX_Y ? s->value_width : s->kv_len;

  if (output == ATTEST_ONNX_Y && p->flat)
    return ((at.batch * s->q_len + at.row) * s->q_heads + at.head) * columns + at.column;
  return ((at.batch * s->q_heads + at.head) * s->q_len + at.row) * columns + at.column;
}

static void compare(const attest_onnx_problem *p, int output, const attest_array *got, place at,
                    double exact, worst *w) {
  uint64_t ulps;
  double value = 0;
  int wrong;

  attest_array_get(got, index_of(p, output, at), &value);
  ulps = attest_onnx_ulps(p->dtype, value, exact);
  wrong = !close_enough(p->dtype, value, exact, ulps);
  if (w->any && (wrong < w->wrong || (wrong == w->wrong && ulps <= w->ulps)))
    return;
  w->any = 1;
  w->wrong = wrong;
  w->ulps = ulps;
  w->at = at;
  w->got = value;
  w->exact = exact;
}

enum { NUMBER_TEXT = 64, INDEX_TEXT = 96 };

/* 20 digits of an enclosed number, and its radius where that shows in them. */
static void enclosed_text(attest_enclosure e, double value, char text[NUMBER_TEXT]) {
  mpfr_t exact;

  if (!isfinite(e.radius)) {
    snprintf(text, NUMBER_TEXT, "%.20g", value);
    return;
  }
  mpfr_init2(exact, 192);
  mpfr_set_d(exact, e.high, MPFR_RNDN);
  mpfr_add_d(exact, exact, e.low, MPFR_RNDN);
  if (e.radius > fabs(e.high) * 0x1p-68)
    mpfr_snprintf(text, NUMBER_TEXT, "%.20Rg +- %.2g", exact, e.radius);
  else
    mpfr_snprintf(text, NUMBER_TEXT, "%.20Rg", exact);
  mpfr_clear(exact);
}

static void index_text(int ndim, const size_t *dims, size_t index, char text[INDEX_TEXT]) {
  size_t position[4] = {0}, used = 0;

  for (int i = ndim - 1; i >= 0; i--) {
    position[i] = index % dims[i];
    index /= dims[i];
  }
  for (int i = 0; i < ndim; i++)
    used += (size_t)snprintf(text + used, INDEX_TEXT - used, i == 0 ? "[%zu" : ", %zu",
                             position[i]);
  snprintf(text + used, INDEX_TEXT - used, "]");
}

static int got_digits(attest_dtype dtype) {
  return dtype == ATTEST_DT_F64 ? 17 : dtype == ATTEST_DT_F32 ? 9 : dtype == ATTEST_DT_F16 ? 5 : 4;
}

/* --- Y and the weights ------------------------------------------------------------------- */

/* One call of the oracle; values and enclosures of Y, or of the weights. */
static int ask(const attest_onnx_problem *p, int output, place at, size_t count,
               attest_oracle_options options, double *values, attest_enclosure *enclosures,
               attest_fault *fault) {
  attest_oracle_result result;
  attest_answers *answers = output == ATTEST_ONNX_Y ? &result.out : &result.weights;
  attest_status refusal = ATTEST_OK;

  memset(&result, 0, sizeof result);
  answers->value = values;
  answers->enclosure = enclosures;
  switch (attest_oracle_rows(&p->shape, &p->arrays, at.batch, at.head, at.row, count, &options,
                             &result, &refusal)) {
  case ATTEST_ORACLE_OK:
    return 0;
  case ATTEST_ORACLE_MEMORY:
    return ATTEST_FAIL(fault, "not enough memory");
  default:
    ATTEST_FAIL(fault, "%s", attest_status_text(refusal));
    return ATTEST_ONNX_UNSUPPORTED;
  }
}

static int ask_all(const attest_onnx_problem *p, int output, const attest_array *got, worst *w,
                   attest_progress *progress, attest_fault *fault) {
  const attest_shape *s = &p->shape;
  const attest_oracle_options options = {format_of(p->dtype), ATTEST_BASE_E, ATTEST_RUNG_F64};
  const size_t columns = output == ATTEST_ONNX_Y ? s->value_width : s->kv_len;
  const size_t chunk = columns > CHUNK ? 1 : CHUNK / (columns == 0 ? 1 : columns);
  const size_t most = chunk < s->q_len ? chunk : s->q_len;
  const double total = (double)s->batch * (double)s->q_heads * (double)s->q_len;
  double *values = attest_allocate(most * columns, sizeof *values, "oracle", fault);
  double done = 0;
  int result = values == NULL ? -1 : 0;
  place at = {0};

  for (at.batch = 0; result == 0 && at.batch < s->batch; at.batch++)
    for (at.head = 0; result == 0 && at.head < s->q_heads; at.head++)
      for (size_t first = 0; result == 0 && first < s->q_len; first += chunk) {
        const size_t count = s->q_len - first < chunk ? s->q_len - first : chunk;
        at.row = first;
        result = ask(p, output, at, count, options, values, NULL, fault);
        for (size_t i = 0; result == 0 && i < count * columns; i++) {
          const place here = {at.batch, at.head, first + i / columns, i % columns};
          compare(p, output, got, here, values[i], w);
        }
        done += (double)count;
        attest_progress_step(progress, done, total);
      }
  free(values);
  return result;
}

/* The number behind one element, as narrow as double-double arithmetic makes it. */
static int ask_one(const attest_onnx_problem *p, int output, place at, attest_enclosure *e,
                   double *value, attest_fault *fault) {
  const size_t columns = output == ATTEST_ONNX_Y ? p->shape.value_width : p->shape.kv_len;
  const attest_oracle_options options = {ATTEST_FORMAT_F64, ATTEST_BASE_E, ATTEST_RUNG_WIDE};
  double *values = attest_allocate(columns, sizeof *values, "oracle", fault);
  attest_enclosure *all = attest_allocate(columns, sizeof *all, "oracle", fault);
  int result = -1;

  if (values != NULL && all != NULL)
    result = ask(p, output, at, 1, options, values, all, fault);
  if (result == 0) {
    *e = all[at.column];
    *value = values[at.column];
  }
  free(values);
  free(all);
  return result;
}

/* --- scores ------------------------------------------------------------------------------ */

static void score_all(const attest_onnx_problem *p, attest_onnx_scorer *scorer,
                     const attest_array *got, worst *w, attest_progress *progress) {
  const attest_shape *s = &p->shape;
  const attest_format format = format_of(p->dtype);
  const double total = (double)s->batch * (double)s->q_heads * (double)s->q_len;
  double done = 0;
  place at;

  for (at.batch = 0; at.batch < s->batch; at.batch++)
    for (at.head = 0; at.head < s->q_heads; at.head++)
      for (at.row = 0; at.row < s->q_len; at.row++) {
        for (at.column = 0; at.column < s->kv_len; at.column++)
          compare(p, ATTEST_ONNX_QK, got, at,
                  attest_onnx_score(scorer, at.batch, at.head, at.row, at.column, format, NULL),
                  w);
        attest_progress_step(progress, ++done, total);
      }
}

/* --- verdicts ---------------------------------------------------------------------------- */

static int same_shape(const attest_array *got, int ndim, const size_t *dims) {
  int same = got->ndim == ndim;

  for (int i = 0; same && i < ndim; i++)
    same = got->dims[i] == dims[i];
  return same;
}

static void judge_bits(const attest_array *want, const attest_array *got,
                       attest_onnx_verdict *verdict) {
  const size_t size = attest_dtype_size(want->dtype);
  const unsigned char *a = want->data, *b = got->data;
  char where[INDEX_TEXT];
  double have = 0, need = 0;
  size_t i = 0;

  while (i < want->count && memcmp(a + i * size, b + i * size, size) == 0)
    i++;
  if (i == want->count)
    return;
  verdict->pass = 0;
  verdict->ulps = ATTEST_ONNX_FAR;
  attest_array_get(got, i, &have);
  attest_array_get(want, i, &need);
  index_text(want->ndim, want->dims, i, where);
  attest_error(verdict->text, sizeof verdict->text, "at %s: got %.*g, the input has %.*g", where,
               got_digits(want->dtype), have, got_digits(want->dtype), need);
}

static int judge_numbers(const attest_onnx_problem *p, int output, const attest_array *got,
                         int describe, attest_onnx_verdict *verdict, attest_progress *progress,
                         attest_fault *fault) {
  const int scores = output == ATTEST_ONNX_QK && p->mode != ATTEST_ONNX_WEIGHTS;
  attest_onnx_scorer *scorer = NULL;
  attest_status refusal = ATTEST_OK;
  worst w = {0};
  int result = 0;

  if (scores) {
    scorer = attest_onnx_scorer_start(&p->shape, &p->arrays, p->mode, &refusal);
    if (scorer == NULL && refusal == ATTEST_OK)
      return ATTEST_FAIL(fault, "not enough memory");
    if (scorer == NULL) {
      ATTEST_FAIL(fault, "%s", attest_status_text(refusal));
      return ATTEST_ONNX_UNSUPPORTED;
    }
    score_all(p, scorer, got, &w, progress);
  } else {
    result = ask_all(p, output, got, &w, progress, fault);
  }
  verdict->pass = !w.wrong;
  verdict->ulps = w.ulps;
  if (result == 0 && w.any && (describe || w.wrong)) {
    attest_enclosure e = {w.exact, 0, HUGE_VAL};
    char where[INDEX_TEXT], exact[NUMBER_TEXT];
    double value = w.exact;
    if (scores)
      attest_onnx_score(scorer, w.at.batch, w.at.head, w.at.row, w.at.column, ATTEST_FORMAT_F64,
                        &e);
    else
      result = ask_one(p, output, w.at, &e, &value, fault);
    enclosed_text(e, value, exact);
    index_text(got->ndim, got->dims, index_of(p, output, w.at), where);
    attest_error(verdict->text, sizeof verdict->text, "at %s: got %.*g, exact %s", where,
                 got_digits(p->dtype), w.got, exact);
  }
  attest_onnx_scorer_end(scorer);
  return result;
}

int attest_onnx_judge(const attest_onnx_problem *problem, int output, const attest_array *got,
                      int describe, attest_onnx_verdict *verdict, attest_progress *progress,
                      attest_fault *fault) {
  char have[ATTEST_SHAPE_TEXT], need[ATTEST_SHAPE_TEXT];
  size_t dims[4];
  attest_dtype dtype;
  const int ndim = attest_onnx_output_shape(problem, output, dims, &dtype);

  memset(verdict, 0, sizeof *verdict);
  verdict->output = output;
  verdict->pass = 1;
  if (got->dtype != dtype || !same_shape(got, ndim, dims)) {
    verdict->pass = 0;
    verdict->ulps = ATTEST_ONNX_FAR;
    attest_error(verdict->text, sizeof verdict->text, "is %s %s, not %s %s",
                 attest_dtype_name(got->dtype), attest_shape_text(got->ndim, got->dims, have),
                 attest_dtype_name(dtype), attest_shape_text(ndim, dims, need));
    return 0;
  }
  if (output == ATTEST_ONNX_PRESENT_KEY || output == ATTEST_ONNX_PRESENT_VALUE) {
    judge_bits(&problem->present[output - ATTEST_ONNX_PRESENT_KEY], got, verdict);
    return 0;
  }
  return judge_numbers(problem, output, got, describe, verdict, progress, fault);
}
