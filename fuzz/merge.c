/* Split keys: each row in parts cut at places from the input, merged in order or in reverse, within the
   stated bound of the exact result; the whole row as one part has the bits of the naive nest, and
   merging an empty part changes none. */
#include <string.h>

#include "judge.h"
#include "target.h"

const fuzz_format fuzz_target_format = FUZZ_EITHER;

/* A partial result of either format, as doubles. */
typedef struct {
  attest_partial_f32 part32;
  attest_partial_f64 part64;
  float acc32[FUZZ_WIDTH];
  double acc64[FUZZ_WIDTH];
} piece;

static void take(const fuzz_problem *p, size_t b, size_t h, size_t i, size_t first, size_t last,
                 piece *x) {
  static float scratch32[FUZZ_LONG];
  static double scratch64[FUZZ_LONG];
  const attest_status status =
      p->wide ? attest_part_f64(&p->shape, &p->f64, b, h, i, first, last, &x->part64, x->acc64,
                                scratch64, FUZZ_LONG)
              : attest_part_f32(&p->shape, &p->f32, b, h, i, first, last, &x->part32, x->acc32,
                                scratch32, FUZZ_LONG);
  if (status != ATTEST_OK) fuzz_fail(p, "attest_part: %s", attest_status_text(status));
}

static void merge(const fuzz_problem *p, piece *into, const piece *other) {
  const size_t width = p->shape.value_width;
  if (p->wide)
    attest_merge_f64(&into->part64, into->acc64, &other->part64, other->acc64, width);
  else
    attest_merge_f32(&into->part32, into->acc32, &other->part32, other->acc32, width);
}

static void finish(const fuzz_problem *p, const piece *x, double *out, double *lse) {
  const size_t width = p->shape.value_width;
  float out32[FUZZ_WIDTH], lse32;
  if (p->wide) {
    attest_finish_f64(&x->part64, x->acc64, width, out, lse);
    return;
  }
  attest_finish_f32(&x->part32, x->acc32, width, out32, &lse32);
  for (size_t c = 0; c < width; c++) out[c] = (double)out32[c];
  *lse = (double)lse32;
}

/* Whether key j begins a part, from the bits of the input. */
static int cut(const fuzz_problem *p, size_t j) {
  return (p->extra[0] | p->extra[1] << 8) >> j % 16 & 1;
}

static void check_row(const fuzz_problem *p, const fuzz_truth *truth, fuzz_result *naive, size_t b,
                      size_t h, size_t i) {
  static fuzz_row row;
  piece whole, none, total, next;
  double out[FUZZ_WIDTH], lse;
  const size_t keys = p->shape.kv_len, width = p->shape.value_width;
  size_t first = 0;
  memset(&total, 0, sizeof total);
  take(p, b, h, i, 0, keys, &whole);
  take(p, b, h, i, keys, keys, &none);
  merge(p, &whole, &none);
  merge(p, &none, &whole);
  for (int n = 0; n < 2; n++) {
    finish(p, n ? &none : &whole, out, &lse);
    if (!fuzz_same(out, fuzz_out(p, naive, b, h, i), width) ||
        !fuzz_same(&lse, fuzz_lse(p, naive, b, h, i), 1))
      fuzz_fail(p, "row %zu, head %zu, batch %zu as one part, merged %s an empty one, is not the naive "
                "nest's", i, h, b, n ? "into" : "with");
  }
  for (size_t j = 1; j <= keys; j++) {
    if (j < keys && !cut(p, j)) continue;
    take(p, b, h, i, first, j, &next);
    first = j;
    if (p->tile % 2) {
      merge(p, &next, &total);
      total = next;
    } else {
      merge(p, &total, &next);
    }
  }
  finish(p, &total, out, &lse);
  fuzz_row_start(&row, p, truth, b, h, i);
  fuzz_judge(&row, "merged", out, NULL, &lse);
  fuzz_row_end(&row);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_problem p;
  static fuzz_truth truth;
  static fuzz_result naive;
  const attest_shape *s = &p.shape;
  fuzz_decode(&p, data, size, FUZZ_EITHER);
  if (!fuzz_run(&p, ATTEST_NAIVE, &naive)) return 0;
  for (size_t b = 0; b < s->batch; b++)
    for (size_t h = 0; h < s->q_heads; h++) {
      fuzz_ask(&p, b, h, p.wide ? ATTEST_FORMAT_F64 : ATTEST_FORMAT_F32, &truth);
      for (size_t i = 0; i < s->q_len; i++) check_row(&p, &truth, &naive, b, h, i);
    }
  return 0;
}
