#include "vectors_header.h"

#include "half.h"
#include "vectors_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "attest_vectors.h";

static const char intro[] =
    "/* Golden vectors for attention in Q16.16: `attest vectors --c-header`, seed %" PRIu64 ".\n"
    "\n"
    "   Numbers are raw Q16.16 (int32, 65536 is 1). Inputs are exact; each output is the exact\n"
    "   result rounded once, to nearest, ties to even, so rows of weights need not add up to\n"
    "   65536. A row that sees no key has out and weights 0 and a log-sum-exp of -infinity, here\n"
    "   the least int32. Arrays are dense: q (q_heads, q_len, width), k (kv_heads, kv_len,\n"
    "   width), v (kv_heads, kv_len, value_width), out (q_heads, q_len, value_width), weights\n"
    "   (q_heads, q_len, kv_len), lse_e and lse_2 (q_heads, q_len), the log-sum-exp to base e\n"
    "   and 2. Query head h reads kv head h / (q_heads / kv_heads). Key j is visible to query i\n"
    "   if, with p = i + offset, j <= p (causal), p - left <= j <= p + right (window; -1 is\n"
    "   open) and mask[i][j] is not 0 (mask is 0 where there is none).\n"
    "\n"
    "   out_f32 and so on are the same results rounded to IEEE 754 binary32, as bits; with\n"
    "   ATTEST_VECTORS_NO_FLOAT they are left out. ATTEST_VECTORS_CONST (static const) may be\n"
    "   defined to place the arrays and the table elsewhere. Needs <stdint.h> alone. */\n"
    "#ifndef ATTEST_VECTORS_H\n"
    "#define ATTEST_VECTORS_H\n"
    "\n"
    "#include <stdint.h>\n"
    "\n"
    "#ifndef ATTEST_VECTORS_CONST\n"
    "#define ATTEST_VECTORS_CONST static const\n"
    "#endif\n"
    "\n"
    "typedef struct {\n"
    "  const char *name;\n"
    "  uint16_t q_heads, kv_heads, q_len, kv_len, width, value_width;\n"
    "  int32_t scale; /* 0: exactly 1 / sqrt(width) */\n"
    "  uint8_t causal, window;\n"
    "  int16_t left, right, offset;\n"
    "  const uint8_t *mask; /* (q_len, kv_len), the same for all heads */\n"
    "  const int32_t *q, *k, *v, *out, *weights, *lse_e, *lse_2;\n"
    "#ifndef ATTEST_VECTORS_NO_FLOAT\n"
    "  const uint32_t *out_f32, *weights_f32, *lse_e_f32, *lse_2_f32;\n"
    "#endif\n"
    "} attest_vector;\n";

int attest_header_start(attest_vectors_header *h, attest_folder *folder, uint64_t seed,
                        attest_fault *fault) {
  memset(h, 0, sizeof *h);
  h->file = attest_folder_create(folder, name, fault);
  if (h->file == NULL)
    return -1;
  fprintf(h->file, intro, seed);
  return 0;
}

static void open_array(attest_vectors_header *h, const char *type, const attest_case *c,
                       const char *what, size_t count) {
  fprintf(h->file, "ATTEST_VECTORS_CONST %s attest_%s_%s[%zu] = {", type, c->name, what, count);
}

/* Breaks the line before entry i of an array where it gets long. */
static void separate(attest_vectors_header *h, size_t i, size_t per_line) {
  fputs(i % per_line == 0 ? "\n  " : " ", h->file);
}

static int put_q16(attest_vectors_header *h, const attest_case *c, const char *what,
                   const double *values, size_t count, attest_fault *fault) {
  int32_t *raw = attest_allocate(count, sizeof *raw, name, fault);

  if (raw == NULL)
    return -1;
  if (attest_case_q16(values, count, raw) != 0) {
    free(raw);
    return ATTEST_FAIL(fault, "%s: %s is NaN", c->name, what);
  }
  open_array(h, "int32_t", c, what, count);
  for (size_t i = 0; i < count; i++) {
    separate(h, i, 8);
    /* -2147483648 is no constant of int32_t in C. */
    if (raw[i] == INT32_MIN)
      fputs("(-2147483647 - 1),", h->file);
    else
      fprintf(h->file, "%" PRId32 ",", raw[i]);
  }
  fputs("};\n", h->file);
  h->bytes += 4 * count;
  free(raw);
  return 0;
}

/* An input, which must be a number of Q16.16. */
static int put_input(attest_vectors_header *h, const attest_case *c, const char *what,
                     const attest_array *array, attest_fault *fault) {
  double *values = attest_allocate(array->count, sizeof *values, name, fault);
  int result;

  if (values == NULL)
    return -1;
  result = attest_array_to_f64(array, values, name, ATTEST_TEXT(fault));
  for (size_t i = 0; i < array->count && result == 0; i++) {
    const double x = values[i] * 65536;
    if (!(x >= INT32_MIN && x <= INT32_MAX && x == (double)(int32_t)x))
      result = ATTEST_FAIL(fault, "%s: element %zu of %s is not in Q16.16", c->name, i, what);
  }
  if (result == 0)
    result = put_q16(h, c, what, values, array->count, fault);
  free(values);
  return result;
}

static void put_f32(attest_vectors_header *h, const attest_case *c, const char *what,
                    const double *values, size_t count) {
  open_array(h, "uint32_t", c, what, count);
  for (size_t i = 0; i < count; i++) {
    uint32_t bits;
    attest_f32_bits_from_f64(values[i], &bits);
    separate(h, i, 7);
    fprintf(h->file, "0x%08" PRIx32 ",", bits);
  }
  fputs("};\n", h->file);
  h->bytes += 4 * count;
}

static void put_mask(attest_vectors_header *h, const attest_case *c, const attest_array *mask) {
  open_array(h, "uint8_t", c, "mask", mask->count);
  for (size_t i = 0; i < mask->count; i++) {
    separate(h, i, 24);
    fprintf(h->file, "%d,", ((const uint8_t *)mask->data)[i]);
  }
  fputs("};\n", h->file);
  h->bytes += mask->count;
}

/* The line of the table for a case. */
static char *table_row(const attest_case *c, const attest_problem *p, int mask,
                       attest_fault *fault) {
  const attest_shape *s = &p->shape;
  const long long offset =
      (long long)s->offset +
      (s->align_end ? (long long)s->kv_len - (long long)s->q_len : 0);
  const size_t size = 1024;
  char *text = attest_allocate(size, 1, name, fault);
  int used;

  if (text == NULL)
    return NULL;
  used = snprintf(text, size, "  {\"%s\", %zu, %zu, %zu, %zu, %zu, %zu, %ld, %d, %d, %d, %d, %lld,",
                  c->name, s->q_heads, s->kv_heads, s->q_len, s->kv_len, s->width,
                  s->value_width, s->scale_given ? (long)(s->scale * 65536) : 0L, s->causal,
                  s->window, (int)s->left, (int)s->right, offset);
  if (mask)
    used += snprintf(text + used, size - (size_t)used, "\n   attest_%s_mask,", c->name);
  else
    used += snprintf(text + used, size - (size_t)used, "\n   0,");
  snprintf(text + used, size - (size_t)used,
           " ATTEST_VECTOR_ARRAYS(%s)},\n", c->name);
  return text;
}

int attest_header_add(attest_vectors_header *h, const attest_case *c,
                      const attest_array arrays[ATTEST_CASE_ARRAYS],
                      const attest_problem *p, const attest_case_answers *a,
                      attest_fault *fault) {
  static const char *const kinds[ATTEST_ANSWER_KINDS] = {"out", "weights", "lse_e", "lse_2"};
  const attest_shape *s = &p->shape;
  const size_t rows = s->q_heads * s->q_len;
  const size_t counts[ATTEST_ANSWER_KINDS] = {rows * s->value_width, rows * s->kv_len, rows, rows};
  const int mask = arrays[ATTEST_CASE_MASK].data != NULL;

  if (h->count == ATTEST_HEADER_CASES)
    return ATTEST_FAIL(fault, "%s: more than %d cases", name, (int)ATTEST_HEADER_CASES);
  fprintf(h->file, "\n/* %s: %s */\n", c->name, c->note);
  for (int i = ATTEST_CASE_Q; i <= ATTEST_CASE_V; i++)
    if (put_input(h, c, attest_case_array_name((attest_case_array)i), &arrays[i], fault) != 0)
      return -1;
  if (mask)
    put_mask(h, c, &arrays[ATTEST_CASE_MASK]);
  for (size_t kind = 0; kind < ATTEST_ANSWER_KINDS; kind++)
    if (put_q16(h, c, kinds[kind], a->value[kind][ATTEST_FORMAT_Q16], counts[kind], fault) != 0)
      return -1;
  fputs("#ifndef ATTEST_VECTORS_NO_FLOAT\n", h->file);
  for (size_t kind = 0; kind < ATTEST_ANSWER_KINDS; kind++) {
    char what[32];
    snprintf(what, sizeof what, "%s_f32", kinds[kind]);
    put_f32(h, c, what, a->value[kind][ATTEST_FORMAT_F32], counts[kind]);
  }
  fputs("#endif\n", h->file);
  h->rows[h->count] = table_row(c, p, mask, fault);
  if (h->rows[h->count] == NULL)
    return -1;
  h->count++;
  return 0;
}

int attest_header_finish(attest_vectors_header *h, attest_fault *fault) {
  FILE *file = h->file;

  fputs("\n#ifndef ATTEST_VECTORS_NO_FLOAT\n"
        "#define ATTEST_VECTOR_FLOATS(name) \\\n"
        "  , attest_##name##_out_f32, attest_##name##_weights_f32, attest_##name##_lse_e_f32, \\\n"
        "  attest_##name##_lse_2_f32\n"
        "#else\n"
        "#define ATTEST_VECTOR_FLOATS(name)\n"
        "#endif\n"
        "#define ATTEST_VECTOR_ARRAYS(name) \\\n"
        "  attest_##name##_q, attest_##name##_k, attest_##name##_v, attest_##name##_out, \\\n"
        "  attest_##name##_weights, attest_##name##_lse_e, attest_##name##_lse_2 \\\n"
        "  ATTEST_VECTOR_FLOATS(name)\n",
        file);
  fprintf(file,
          "\n/* %zu bytes of data. */\n"
          "#define ATTEST_VECTORS %zu\n"
          "ATTEST_VECTORS_CONST attest_vector attest_vectors[ATTEST_VECTORS] = {\n",
          h->bytes, h->count);
  for (size_t i = 0; i < h->count; i++)
    fputs(h->rows[i], file);
  fputs("};\n\n#undef ATTEST_VECTOR_ARRAYS\n#undef ATTEST_VECTOR_FLOATS\n\n#endif\n", file);
  h->file = NULL;
  return attest_folder_close(name, file, fault);
}

void attest_header_end(attest_vectors_header *h) {
  if (h->file != NULL)
    fclose(h->file);
  for (size_t i = 0; i < h->count; i++)
    free(h->rows[i]);
  memset(h, 0, sizeof *h);
}
