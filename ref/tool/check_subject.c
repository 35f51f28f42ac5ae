#include "check_subject.h"

#include "certify.h"
#include "engine_q16.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *attest_part_name(int part) {
  static const char *const names[] = {"output", "weights", "log-sum-exp", "row sums"};

  return names[part];
}

const char *attest_format_name(attest_format format) {
  static const char *const names[] = {"f64", "f32", "f16", "bf16", "q16"};

  return names[format];
}

/* --- reading -------------------------------------------------------------------------------- */

/* The shape that the problem gives to a part. */
static int shape_of(const attest_problem *p, int part, const size_t **dims) {
  *dims = part == ATTEST_PART_OUT       ? p->out_dims
          : part == ATTEST_PART_WEIGHTS ? p->weights_dims
                                        : p->lse_dims;
  return part == ATTEST_PART_OUT       ? p->out_ndim
         : part == ATTEST_PART_WEIGHTS ? p->weights_ndim
                                       : p->lse_ndim;
}

static int fits(const attest_array *raw, const attest_problem *p, int part, const char *file,
                attest_fault *fault) {
  char have[ATTEST_SHAPE_TEXT], need[ATTEST_SHAPE_TEXT];
  const size_t *dims;
  const int ndim = shape_of(p, part, &dims);
  int same = raw->ndim == ndim;

  for (int i = 0; same && i < ndim; i++)
    same = raw->dims[i] == dims[i];
  if (!same)
    return ATTEST_FAIL(fault, "%s: is %s, but the %s of this problem is %s", file,
                       attest_shape_text(raw->ndim, raw->dims, have), attest_part_name(part),
                       attest_shape_text(ndim, dims, need));
  if (raw->dtype == ATTEST_DT_I32 && part == ATTEST_PART_LSE)
    return ATTEST_FAIL(fault, "%s: has int32 elements; log-sum-exps are floats", file);
  if (raw->dtype > ATTEST_DT_BF16 && raw->dtype != ATTEST_DT_I32)
    return ATTEST_FAIL(fault, "%s: has %s elements, floats or int32 (Q16.16) are needed", file,
                       attest_dtype_name(raw->dtype));
  return 0;
}

static int load(attest_subject *s, const attest_problem *p, int part, int bf16,
                attest_fault *fault) {
  attest_array raw;
  int result = -1;

  if (attest_tensor_read(s->file, bf16, 1, ATTEST_ARRAY_MAX_DIMS, &raw, fault) != 0)
    return -1;
  if (fits(&raw, p, part, s->file, fault) == 0) {
    s->format = attest_format_of(raw.dtype);
    s->got = attest_allocate(raw.count, sizeof *s->got, s->file, fault);
    if (s->got != NULL)
      result = attest_array_to_f64(&raw, s->got, s->file, ATTEST_TEXT(fault));
    for (size_t i = 0; result == 0 && raw.dtype == ATTEST_DT_I32 && i < raw.count; i++)
      s->got[i] /= 65536;
  }
  attest_array_free(&raw);
  return result;
}

/* --- the claim ------------------------------------------------------------------------------ */

/* -1 where every element is a number of the format, 0 where some are rounded, and 1 more than the
   index of the first that overflows where one does. */
static int64_t lost(const attest_tensor *t, attest_format format) {
  const double *data = t->data;
  int64_t result = -1;

  for (size_t i = 0; data != NULL && i < t->count; i++) {
    const double near = attest_format_nearest(format, data[i], 0);
    if (near == data[i] || isnan(data[i]))
      continue;
    if (isinf(near))
      return (int64_t)i + 1;
    result = 0;
  }
  return result;
}

int attest_inputs_fit(const attest_problem *p, attest_format format) {
  const attest_tensor *const inputs[] = {&p->q, &p->k, &p->v, &p->bias};

  for (int i = 0; i < 4; i++)
    if (lost(inputs[i], format) != -1)
      return 0;
  return 1;
}

static int check_range(const attest_problem *p, attest_format format, attest_fault *fault) {
  const attest_tensor *const inputs[] = {&p->q, &p->k, &p->v, &p->bias};

  for (int i = 0; i < 4; i++) {
    const int64_t at = lost(inputs[i], format);
    if (at > 0)
      return ATTEST_FAIL(fault, "%s: element %lld = %.9g overflows %s (--input)", inputs[i]->name,
                         (long long)at - 1, ((const double *)inputs[i]->data)[at - 1],
                         attest_format_name(format));
  }
  return 0;
}

/* The claim of fixed/, whose inputs and results are all Q16.16. */
static int claim_fixed(attest_subject subjects[ATTEST_SUBJECTS], const attest_problem *p,
                       attest_fault *fault) {
  const attest_tensor *const inputs[] = {&p->q, &p->k, &p->v};
  const double *bias = p->bias.data;

  if (subjects[ATTEST_PART_LSE].got != NULL)
    return ATTEST_FAIL(fault, "--got-lse: Q16.16 attention gives none");
  for (int i = 0; i < ATTEST_PART_LSE; i++) {
    if (subjects[i].got != NULL && subjects[i].format != ATTEST_FORMAT_Q16)
      return ATTEST_FAIL(fault, "%s: has %s elements; --accum q16 is about int32 (Q16.16)",
                         subjects[i].file, attest_format_name(subjects[i].format));
    subjects[i].fixed = 1;
  }
  for (int i = 0; i < 3; i++)
    if (lost(inputs[i], ATTEST_FORMAT_Q16) != -1)
      return ATTEST_FAIL(fault, "%s: is not exact in Q16.16", inputs[i]->name);
  for (size_t i = 0; bias != NULL && i < p->bias.count; i++)
    if (bias[i] != 0 && !(bias[i] < 0 && isinf(bias[i])))
      return ATTEST_FAIL(fault, "%s: holds %g; Q16.16 has masks of 0 and -inf only", p->bias.name,
                         bias[i]);
  return attest_engine_q16_check(p, fault);
}

static int complete(attest_claimed *c, const attest_problem *p, attest_format output,
                    attest_fault *fault) {
  double most; /* half of what would make the error as large as the exponential itself */

  if (!c->accum_given)
    c->accum = output == ATTEST_FORMAT_F64 ? ATTEST_FORMAT_F64 : ATTEST_FORMAT_F32;
  most = 0.25 / attest_arithmetic_of(c->accum).u;
  if (!c->weight_given)
    c->weight = c->accum;
  if (c->engine && c->accum != ATTEST_FORMAT_F64 && c->accum != ATTEST_FORMAT_F32)
    return ATTEST_FAIL(fault, "--accum: %s, but --claim attest works in f32 or f64",
                       attest_format_name(c->accum));
  if (!c->engine && c->exp_ulps > most)
    return ATTEST_FAIL(fault, "--exp-ulp: %g is too large for %s, the limit is %g", c->exp_ulps,
                       attest_format_name(c->accum), most);
  return c->input_given ? check_range(p, c->input, fault) : 0;
}

static attest_claim claim_of(const attest_claimed *c, const attest_problem *p,
                             attest_format output) {
  /* What a format holds exactly is not rounded on its way into it; f64 holds every input. */
  const int rounds = c->input_given && !attest_inputs_fit(p, c->input);

  if (c->engine)
    return attest_claim_engine(c->accum, output);
  return attest_claim_kernel(rounds ? c->input : ATTEST_FORMAT_F64, c->accum, c->weight, output,
                             c->exp_ulps);
}

void attest_claim_words(const attest_claimed *c, const attest_problem *p, attest_format output,
                        char text[ATTEST_CLAIM_TEXT]) {
  char input[80], tile[60];

  if (c->engine) {
    snprintf(text, ATTEST_CLAIM_TEXT, "the engine of attest in %s, output %s",
             attest_format_name(c->accum), attest_format_name(output));
    return;
  }
  if (!c->input_given)
    snprintf(input, sizeof input, "inputs as stored (q: %s)", attest_dtype_name(p->stored));
  else
    snprintf(input, sizeof input, "inputs %s %s",
             attest_inputs_fit(p, c->input) ? "exact in" : "rounded to",
             attest_format_name(c->input));
  if (c->tile == 0)
    snprintf(tile, sizeof tile, "maximum found first");
  else
    snprintf(tile, sizeof tile, "running maximum over tiles of %zu keys", c->tile);
  snprintf(text, ATTEST_CLAIM_TEXT,
           "%s, accumulators %s, weights %s, exp within %g ulp, %s, output %s", input,
           attest_format_name(c->accum), attest_format_name(c->weight), c->exp_ulps, tile,
           attest_format_name(output));
}

int attest_subjects_load(attest_subject subjects[ATTEST_SUBJECTS],
                         const char *const files[ATTEST_SUBJECTS], int bf16,
                         const attest_problem *problem, attest_claimed *claimed,
                         attest_fault *fault) {
  memset(subjects, 0, ATTEST_SUBJECTS * sizeof *subjects);
  for (int i = 0; i < ATTEST_SUBJECTS; i++) {
    subjects[i].file = files[i];
    if (files[i] != NULL && load(&subjects[i], problem, i, bf16, fault) != 0)
      return -1;
  }
  if (claimed->accum == ATTEST_FORMAT_Q16)
    return claim_fixed(subjects, problem, fault);
  for (int i = 0; i < ATTEST_SUBJECTS; i++)
    if (files[i] != NULL && subjects[i].format == ATTEST_FORMAT_Q16)
      return ATTEST_FAIL(fault, "%s: has int32 elements; those of Q16.16 can be held against "
                         "--claim attest --accum q16", files[i]);
  if (complete(claimed, problem, subjects[ATTEST_PART_OUT].format, fault) != 0)
    return -1;
  for (int i = 0; i < ATTEST_SUBJECTS; i++)
    if (files[i] != NULL)
      subjects[i].claim = claim_of(claimed, problem, subjects[i].format);
  return 0;
}

void attest_subjects_free(attest_subject subjects[ATTEST_SUBJECTS]) {
  for (int i = 0; i < ATTEST_SUBJECTS; i++) {
    free(subjects[i].got);
    subjects[i].got = NULL;
  }
}
