#include "vectors_answer.h"

#include "row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int allocate(const attest_problem *p, attest_case_answers *a, attest_fault *fault) {
  const attest_shape *s = &p->shape;
  const size_t rows = s->batch * s->q_heads * s->q_len;
  const size_t counts[ATTEST_ANSWER_KINDS] = {rows * s->value_width, rows * s->kv_len, rows, rows};

  for (size_t kind = 0; kind < ATTEST_ANSWER_KINDS; kind++)
    for (size_t format = 0; format < ATTEST_FORMATS; format++) {
      if (!a->wanted[kind][format])
        continue;
      a->value[kind][format] = attest_allocate(counts[kind], sizeof(double), "answers", fault);
      if (a->value[kind][format] == NULL)
        return -1;
    }
  a->out_exact = attest_allocate(rows * s->value_width, 1, "answers", fault);
  a->lse_exact = attest_allocate(rows, 1, "answers", fault);
  return a->out_exact != NULL && a->lse_exact != NULL ? 0 : -1;
}

/* Everything in one format and log-sum-exp base. */
static int ask(const attest_problem *problem, size_t format, attest_log_base base, size_t threads,
               attest_case_answers *a, attest_fault *fault) {
  const attest_oracle_options options = {(attest_format)format, base, ATTEST_RUNG_F64};
  attest_certified_arrays arrays;

  memset(&arrays, 0, sizeof arrays);
  if (base == ATTEST_BASE_2) {
    arrays.lse = a->value[ATTEST_ANSWER_LSE_2][format];
  } else {
    arrays.out = a->value[ATTEST_ANSWER_OUT][format];
    arrays.weights = a->value[ATTEST_ANSWER_WEIGHTS][format];
    arrays.lse = a->value[ATTEST_ANSWER_LSE_E][format];
  }
  if (arrays.out == NULL && arrays.weights == NULL && arrays.lse == NULL)
    return 0;
  if (attest_certify(problem, attest_slice_all(problem), &options, threads, &arrays, NULL,
                     fault) != 0)
    return -1;
  if (arrays.decided[ATTEST_RUNG_UNDECIDED] != 0)
    return ATTEST_FAIL(fault, "the oracle does not decide the rounding of an element");
  return 0;
}

static int column_is_exact(const attest_row_view *row, size_t c) {
  double unused;

  if (row->kind != ATTEST_ROW_FINITE || attest_row_column_rule(row, c, &unused))
    return 1;
  for (size_t j = 1; j < row->count; j++)
    if (row->keys[j].v[c] != row->keys[0].v[c])
      return 0;
  return 1;
}

static int find_exact(const attest_problem *problem, attest_case_answers *a,
                      attest_fault *fault) {
  const attest_shape *s = &problem->shape;
  const attest_arrays_f64 arrays = attest_exact_inputs(problem);
  attest_row_key *keys =
      attest_allocate(attest_row_capacity(s), sizeof *keys, "answers", fault);

  if (keys == NULL)
    return -1;
  for (size_t b = 0; b < s->batch; b++)
    for (size_t h = 0; h < s->q_heads; h++)
      for (size_t i = 0; i < s->q_len; i++) {
        const attest_row_view row = attest_row_at(s, &arrays, b, h, i, keys);
        uint8_t *out = a->out_exact + b * s->out.batch + h * s->out.head + i * s->out.row;
        a->lse_exact[(b * s->q_heads + h) * s->q_len + i] = row.kind != ATTEST_ROW_FINITE;
        for (size_t c = 0; c < s->value_width; c++)
          out[c] = (uint8_t)column_is_exact(&row, c);
      }
  free(keys);
  return 0;
}

int attest_case_answer(const attest_problem *problem, size_t threads, int (*stop)(void),
                       attest_case_answers *answers, attest_fault *fault) {
  if (allocate(problem, answers, fault) != 0 || find_exact(problem, answers, fault) != 0)
    return -1;
  for (size_t format = 0; format < ATTEST_FORMATS; format++) {
    if (ask(problem, format, ATTEST_BASE_E, threads, answers, fault) != 0 ||
        ask(problem, format, ATTEST_BASE_2, threads, answers, fault) != 0)
      return -1;
    if (stop() != 0)
      return ATTEST_FAIL(fault, "interrupted");
  }
  return 0;
}

double attest_answer_lower(double x, int exact) {
  return exact || x != x ? x : nextafter(x, -INFINITY);
}

double attest_answer_upper(double x, int exact) {
  return exact || x != x ? x : nextafter(x, INFINITY);
}

void attest_case_answers_free(attest_case_answers *a) {
  for (size_t kind = 0; kind < ATTEST_ANSWER_KINDS; kind++)
    for (size_t format = 0; format < ATTEST_FORMATS; format++)
      free(a->value[kind][format]);
  free(a->out_exact);
  free(a->lse_exact);
  memset(a, 0, sizeof *a);
}
