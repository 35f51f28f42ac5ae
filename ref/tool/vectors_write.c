#include "vectors_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const attest_dtype dtypes[ATTEST_FORMATS] = {
    [ATTEST_FORMAT_F64] = ATTEST_DT_F64, [ATTEST_FORMAT_F32] = ATTEST_DT_F32,
    [ATTEST_FORMAT_F16] = ATTEST_DT_F16, [ATTEST_FORMAT_BF16] = ATTEST_DT_BF16,
    [ATTEST_FORMAT_Q16] = ATTEST_DT_I32};

const char *attest_case_format_name(size_t format) {
  return format == ATTEST_FORMAT_Q16 ? "q16" : attest_dtype_name(dtypes[format]);
}

enum { NAME = 160 };

/* "CASE/what_suffix.npy"; without suffix "CASE/what.npy". */
static const char *file_name(char text[NAME], const attest_case *c, const char *what,
                             const char *suffix) {
  snprintf(text, NAME, "%s/%s%s%s.npy", c->name, what, suffix[0] != '\0' ? "_" : "", suffix);
  return text;
}

/* --- inputs ------------------------------------------------------------------------------ */

/* The words of c->options, as attest run would take them. */
static int take_words(const attest_case *c, attest_options *options, attest_fault *fault) {
  static const struct option table[] = {ATTEST_SCORE_OPTIONS, {NULL, 0, NULL, 0}};
  char text[256], *next = text;

  snprintf(text, sizeof text, "%s", c->options == NULL ? "" : c->options);
  while (next != NULL && *next != '\0') {
    const struct option *found = table;
    char *word = next, *value;
    next = strchr(word, ' ');
    if (next != NULL)
      *next++ = '\0';
    value = strchr(word, '=');
    if (value != NULL)
      *value++ = '\0';
    while (found->name != NULL && strcmp(word, "--") > 0 && strcmp(word + 2, found->name) != 0)
      found++;
    if (found->name == NULL)
      return ATTEST_FAIL(fault, "%s: no option '%s'", c->name, word);
    if (value == NULL && found->has_arg == required_argument) {
      value = next;
      next = value != NULL ? strchr(value, ' ') : NULL;
      if (next != NULL)
        *next++ = '\0';
    }
    if (attest_options_take(options, found->val, value, fault) != 0)
      return -1;
  }
  return 0;
}

int attest_case_options(const attest_case *c, const attest_folder *folder,
                        const attest_array arrays[ATTEST_CASE_ARRAYS], attest_options *options,
                        char *memory[ATTEST_CASE_ARRAYS], attest_fault *fault) {
  const char **const places[ATTEST_CASE_ARRAYS] = {
      &options->q,      &options->k,      &options->v,    &options->past_k,
      &options->past_v, &options->kv_len, &options->mask, &options->mask};

  attest_options_start(options);
  options->oracle = 1;
  options->dtype_given = 1;
  options->dtype = ATTEST_DT_F64;
  options->bf16 = c->dtype == ATTEST_DT_BF16;
  for (int i = 0; i < ATTEST_CASE_ARRAYS; i++) {
    char name[NAME];
    if (arrays[i].data == NULL)
      continue;
    memory[i] = attest_folder_name(
        folder, file_name(name, c, attest_case_array_name((attest_case_array)i), ""), fault);
    if (memory[i] == NULL)
      return -1;
    *places[i] = memory[i];
  }
  return take_words(c, options, fault);
}

int attest_case_write_inputs(const attest_case *c, attest_folder *folder,
                             const attest_array arrays[ATTEST_CASE_ARRAYS],
                             attest_fault *fault) {
  char name[NAME];

  for (int i = 0; i < ATTEST_CASE_ARRAYS; i++)
    if (arrays[i].data != NULL &&
        attest_folder_write_array(
            folder, file_name(name, c, attest_case_array_name((attest_case_array)i), ""),
            &arrays[i], fault) != 0)
      return -1;
  return 0;
}

/* --- answers ----------------------------------------------------------------------------- */

int attest_case_q16(const double *values, size_t count, int32_t *raw) {
  for (size_t i = 0; i < count; i++) {
    const double x = values[i] * 65536;
    if (x != x)
      return -1;
    raw[i] = x >= INT32_MAX ? INT32_MAX : x <= INT32_MIN ? INT32_MIN : (int32_t)x;
  }
  return 0;
}

/* An array of numbers that are already rounded to the format. */
static int write_numbers(attest_folder *folder, const char *name, size_t format, int ndim,
                         const size_t *dims, const double *values, attest_fault *fault) {
  attest_array array;
  int result;

  if (format == ATTEST_FORMAT_Q16) {
    if (attest_array_create(&array, ATTEST_DT_I32, ndim, dims, name, ATTEST_TEXT(fault)) != 0)
      return -1;
    if (attest_case_q16(values, array.count, array.data) != 0) {
      /* Q16.16 has no NaN: such a case has no answer in it. */
      attest_array_free(&array);
      return 0;
    }
  } else if (attest_array_from_f64(&array, dtypes[format], ndim, dims, values, name,
                                   ATTEST_TEXT(fault)) != 0) {
    return -1;
  }
  result = attest_folder_write_array(folder, name, &array, fault);
  attest_array_free(&array);
  return result;
}

/* NAME_lower.npy and NAME_upper.npy around f64 values. */
static int write_ends(const attest_case *c, attest_folder *folder, const char *what, int ndim,
                      const size_t *dims, const double *values, const uint8_t *exact,
                      attest_fault *fault) {
  char name[NAME];
  size_t count;
  double *ends;
  int result;

  if (attest_array_count(ndim, dims, &count) != 0)
    return ATTEST_FAIL(fault, "%s: too large", what);
  ends = attest_allocate(count, sizeof *ends, what, fault);
  if (ends == NULL)
    return -1;
  for (size_t i = 0; i < count; i++)
    ends[i] = attest_answer_lower(values[i], exact[i]);
  result = write_numbers(folder, file_name(name, c, what, "lower"), ATTEST_FORMAT_F64, ndim, dims,
                         ends, fault);
  for (size_t i = 0; i < count; i++)
    ends[i] = attest_answer_upper(values[i], exact[i]);
  if (result == 0)
    result = write_numbers(folder, file_name(name, c, what, "upper"), ATTEST_FORMAT_F64, ndim,
                           dims, ends, fault);
  free(ends);
  return result;
}

/* The command that asks for the same answers again. */
static void command_text(const attest_case *c, const attest_array arrays[ATTEST_CASE_ARRAYS],
                         char *text, size_t size) {
  const char *lengths = arrays[ATTEST_CASE_KV_LEN].data != NULL ? " --kv-len kv_len.npy" : "";
  const char *past = arrays[ATTEST_CASE_PAST_K].data != NULL
                         ? " --past-k past_k.npy --past-v past_v.npy"
                         : "";
  const char *mask = arrays[ATTEST_CASE_MASK].data != NULL   ? " --mask mask.npy"
                     : arrays[ATTEST_CASE_BIAS].data != NULL ? " --mask bias.npy"
                                                             : "";

  snprintf(text, size,
           "attest run -q q.npy -k k.npy -v v.npy%s%s%s%s%s%s --engine oracle --dtype f64"
           " -o got.npy",
           past, lengths, mask, c->options != NULL ? " " : "",
           c->options != NULL ? c->options : "", c->dtype == ATTEST_DT_BF16 ? " --bf16" : "");
}

static void set_size(json_t *object, const char *key, size_t value) {
  json_object_set_new(object, key, json_integer((json_int_t)value));
}

static void set_real(json_t *object, const char *key, double value) {
  char text[64];

  snprintf(text, sizeof text, "%a", value);
  json_object_set_new(object, key, json_string(text));
}

/* The key lengths, and the offsets of the causal rule and the window, of every batch. */
static void set_lengths(json_t *object, const attest_shape *s) {
  json_t *lengths = json_array(), *offsets = json_array();

  for (size_t b = 0; b < s->batch; b++) {
    const int64_t keys = (int64_t)(s->key_lengths != NULL ? s->key_lengths[b] : s->kv_len);
    json_array_append_new(lengths, json_integer(keys));
    json_array_append_new(offsets, json_integer(s->offset +
                                                (s->align_end ? keys - (int64_t)s->q_len : 0)));
  }
  json_object_set_new(object, "key_lengths", lengths);
  json_object_set_new(object, "offsets", offsets);
}

static int write_problem(const attest_case *c, attest_folder *folder,
                         const attest_array arrays[ATTEST_CASE_ARRAYS],
                         const attest_problem *problem, attest_fault *fault) {
  const attest_shape *s = &problem->shape;
  json_t *object = json_object();
  char text[512];
  int result;

  json_object_set_new(object, "name", json_string(c->name));
  json_object_set_new(object, "input", json_string(attest_dtype_name(c->dtype)));
  json_object_set_new(object, "layout", json_string(c->rows_first ? "B,S,H*D" : "B,H,S,D"));
  set_size(object, "batch", s->batch);
  set_size(object, "q_heads", s->q_heads);
  set_size(object, "kv_heads", s->kv_heads);
  set_size(object, "q_len", s->q_len);
  set_size(object, "kv_len", s->kv_len);
  set_size(object, "past", arrays[ATTEST_CASE_PAST_K].data == NULL
                               ? 0
                               : arrays[ATTEST_CASE_PAST_K].dims[c->rows_first ? 1 : 2]);
  set_size(object, "width", s->width);
  set_size(object, "value_width", s->value_width);
  /* null: exactly 1/sqrt(width), which need not be a double */
  if (s->scale_given)
    set_real(object, "scale", s->scale);
  else
    json_object_set_new(object, "scale", json_null());
  set_real(object, "softcap", s->softcap);
  json_object_set_new(object, "causal", json_boolean(s->causal));
  json_object_set_new(object, "window",
                      s->window ? json_pack("[I,I]", (json_int_t)s->left, (json_int_t)s->right)
                                : json_null());
  set_lengths(object, s);
  command_text(c, arrays, text, sizeof text);
  json_object_set_new(object, "command", json_string(text));
  snprintf(text, sizeof text, "%s/problem.json", c->name);
  result = attest_folder_write_json(folder, text, object, fault);
  json_decref(object);
  return result;
}

int attest_case_write_answers(const attest_case *c, attest_folder *folder,
                              const attest_array arrays[ATTEST_CASE_ARRAYS],
                              const attest_problem *p, const attest_case_answers *a,
                              attest_fault *fault) {
  const struct {
    const char *name;
    int ndim;
    const size_t *dims;
  } kinds[ATTEST_ANSWER_KINDS] = {{"out", p->out_ndim, p->out_dims},
                                  {"weights", p->weights_ndim, p->weights_dims},
                                  {"lse_e", p->lse_ndim, p->lse_dims},
                                  {"lse_2", p->lse_ndim, p->lse_dims}};
  char name[NAME];

  for (size_t kind = 0; kind < ATTEST_ANSWER_KINDS; kind++) {
    const double *f64 = a->value[kind][ATTEST_FORMAT_F64];
    for (size_t format = 0; format < ATTEST_FORMATS; format++)
      if (a->value[kind][format] != NULL &&
          write_numbers(folder, file_name(name, c, kinds[kind].name,
                                          attest_case_format_name(format)),
                        format, kinds[kind].ndim, kinds[kind].dims, a->value[kind][format],
                        fault) != 0)
        return -1;
    if (a->ends && kind != ATTEST_ANSWER_WEIGHTS && f64 != NULL &&
        write_ends(c, folder, kinds[kind].name, kinds[kind].ndim, kinds[kind].dims, f64,
                   kind == ATTEST_ANSWER_OUT ? a->out_exact : a->lse_exact, fault) != 0)
      return -1;
  }
  return write_problem(c, folder, arrays, p, fault);
}
