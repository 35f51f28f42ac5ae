/* Hidden things stay hidden: for one row, everything that it may not see (keys, values and biases hidden
   from it, other queries, other heads and batches) is replaced by NaN, infinities and noise, and not one
   bit of the row's results moves; all nests, parts of the keys, fixed/, and the oracle's answers. */
#include <math.h>
#include <string.h>

#include "engines.h"
#include "fence.h"
#ifndef FUZZ_WITHOUT_ORACLE
#include "judge.h"
#endif
#include "target.h"

const fuzz_format fuzz_target_format = FUZZ_EITHER;

typedef struct {
  size_t b, h, i;
} place;

static uint64_t mixed(unsigned seed, size_t n) {
  const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t w = (seed + UINT64_C(1)) * odd + n * UINT64_C(0xbf58476d1ce4e5b9);
  w = (w ^ w >> 32) * odd;
  return w ^ w >> 29;
}

/* Half of it any bits at all. */
static double noise(unsigned seed, size_t n, int wide) {
  static const double kinds[] = {NAN, INFINITY, -INFINITY, 0x1.fffffep127, -0x1.fffffep127, 0x1.93e594p99,
                                 -3.5, 0, 0x1p-149};
  const uint64_t w = mixed(seed, n);
  return w >> 63 ? fuzz_from_bits(w * 3, wide) : kinds[w % (sizeof kinds / sizeof *kinds)];
}

static void set(fuzz_problem *p, double *wide, float *narrow, size_t n, unsigned seed) {
  wide[n] = noise(seed, n, p->wide);
  if (!p->wide) narrow[n] = (float)wide[n];
}

static void disturb_rows(fuzz_problem *p, place at, unsigned seed) {
  const attest_shape *s = &p->shape;
  const size_t kv_head = at.h / (s->q_heads / s->kv_heads);
  for (size_t b = 0; b < s->batch; b++) {
    for (size_t h = 0; h < s->q_heads; h++)
      for (size_t i = 0; i < s->q_len; i++)
        for (size_t c = 0; c < s->width && (b != at.b || h != at.h || i != at.i); c++)
          set(p, p->q64, p->q32, b * s->q.batch + h * s->q.head + i * s->q.row + c, seed);
    for (size_t h = 0; h < s->kv_heads; h++)
      for (size_t j = 0; j < s->kv_len; j++) {
        if (b == at.b && h == kv_head && fuzz_visible(p, b, at.h, at.i, j) == 1) continue;
        for (size_t c = 0; c < s->width; c++)
          set(p, p->k64, p->k32, b * s->k.batch + h * s->k.head + j * s->k.row + c, seed);
        for (size_t c = 0; c < s->value_width; c++)
          set(p, p->v64, p->v32, b * s->v.batch + h * s->v.head + j * s->v.row + c, seed + 1);
      }
  }
}

/* Biases that the row does not read, or reads for keys hidden by something else. */
static void disturb_bias(fuzz_problem *p, place at, unsigned seed) {
  static uint8_t needed[FUZZ_ELEMENTS];
  const attest_shape *s = &p->shape;
  memset(needed, 0, sizeof needed);
  for (size_t j = 0; j < s->kv_len; j++)
    if (fuzz_visible(p, at.b, at.h, at.i, j) != 0)
      needed[fuzz_cell(s->bias, at.b, at.h, at.i, j)] = 1;
  for (size_t n = 0; n < p->layout.count[FUZZ_BIAS]; n++)
    if (!needed[n]) set(p, p->bias64, p->bias32, n, seed + 2);
}

static void compare(const fuzz_problem *p, const char *what, place at, const double *a,
                    const double *b, size_t count) {
  for (size_t n = 0; n < count; n++)
    if (!fuzz_same(a + n, b + n, 1))
      fuzz_fail(p, "%s: element %zu of row %zu, head %zu, batch %zu moves with what is hidden: %a, then %a",
                what, n, at.i, at.h, at.b, a[n], b[n]);
}

/* A part of the row's keys, or all of it: its sums, its exponent, and whether it saw a key. */
static size_t part(const fuzz_problem *p, place at, size_t first, size_t last, double *x) {
  static float scratch32[FUZZ_LONG], acc32[FUZZ_WIDTH];
  static double scratch64[FUZZ_LONG];
  const size_t width = p->shape.value_width;
  attest_partial_f32 part32;
  attest_partial_f64 part64;
  const attest_status status =
      p->wide ? attest_part_f64(&p->shape, &p->f64, at.b, at.h, at.i, first, last, &part64, x,
                                scratch64, FUZZ_LONG)
              : attest_part_f32(&p->shape, &p->f32, at.b, at.h, at.i, first, last, &part32, acc32,
                                scratch32, FUZZ_LONG);
  if (status != ATTEST_OK) fuzz_fail(p, "attest_part: %s", attest_status_text(status));
  for (size_t c = 0; c < width && !p->wide; c++) x[c] = (double)acc32[c];
  x[width] = p->wide ? part64.sum : (double)part32.sum;
  x[width + 1] = p->wide ? part64.exponent : (double)part32.exponent;
  x[width + 2] = p->wide ? part64.seen != 0 : part32.seen != 0;
  return width + 3;
}

/* Cut after each key that a bit of the input names. */
static void check_parts(const fuzz_problem *p, const fuzz_problem *other, place at) {
  double before[FUZZ_WIDTH + 3], after[FUZZ_WIDTH + 3];
  const size_t keys = p->shape.kv_len;
  size_t first = 0;
  for (size_t last = 1; last <= keys; last++) {
    if (last < keys && !(p->draw >> last % 32 & 1)) continue;
    const size_t count = part(p, at, first, last, before);
    part(other, at, first, last, after);
    compare(p, "a part", at, before, after, count);
    first = last;
  }
}

static void check_nests(fuzz_problem *p, fuzz_problem *other, place at) {
  static fuzz_result before[FUZZ_ENGINES], after;
  for (int e = 0; e < FUZZ_ENGINES; e++) {
    const char *const name = fuzz_engine_names[e];
    if (!fuzz_run(p, (attest_engine)e, &before[e])) return;
    fuzz_run(other, (attest_engine)e, &after);
    compare(p, name, at, fuzz_out(p, &before[e], at.b, at.h, at.i),
            fuzz_out(p, &after, at.b, at.h, at.i), p->shape.value_width);
    compare(p, name, at, fuzz_weights(p, &before[e], at.b, at.h, at.i),
            fuzz_weights(p, &after, at.b, at.h, at.i), p->shape.kv_len);
    compare(p, name, at, fuzz_lse(p, &before[e], at.b, at.h, at.i),
            fuzz_lse(p, &after, at.b, at.h, at.i), 1);
  }
  check_parts(p, other, at);
}

#ifndef FUZZ_WITHOUT_ORACLE
static void check_oracle(const fuzz_problem *p, const fuzz_problem *other, place at) {
  static fuzz_truth a, b;
  const attest_format format = p->wide ? ATTEST_FORMAT_F64 : ATTEST_FORMAT_F32;
  fuzz_ask_row(p, at.b, at.h, at.i, format, &a);
  fuzz_ask_row(other, at.b, at.h, at.i, format, &b);
  compare(p, "oracle", at, a.out, b.out, p->shape.value_width);
  compare(p, "oracle", at, a.weights, b.weights, p->shape.kv_len);
  compare(p, "oracle", at, a.lse, b.lse, 1);
}
#endif

/* --- fixed/ --------------------------------------------------------------------------------- */

enum { SCRATCH = ATTEST_Q16_TILED_SCRATCH(130, FUZZ_WIDTH) + 3 * FUZZ_LONG };

static int32_t noise_q16(unsigned seed, size_t n) {
  static const int32_t kinds[] = {INT32_MAX, INT32_MIN, 0, 1, -65536, 123456789};
  const uint64_t w = mixed(seed, n);
  int32_t any;
  memcpy(&any, &w, sizeof any);
  return w >> 63 ? any : kinds[w % (sizeof kinds / sizeof *kinds)];
}

static void disturb_q16(fuzz_q16 *p, uint32_t head, uint32_t row, unsigned seed) {
  const attest_q16_shape *s = &p->shape;
  const uint32_t kv_head = head / (s->q_heads / s->kv_heads);
  for (uint32_t h = 0; h < s->kv_heads; h++)
    for (uint32_t j = 0; j < s->kv_len; j++) {
      if (h == kv_head && fuzz_visible_q16(p, head, row, j)) continue;
      for (uint32_t c = 0; c < s->width; c++)
        p->k[h * s->k.head + j * s->k.row + c] = noise_q16(seed, h * s->k.head + j * s->k.row + c);
      for (uint32_t c = 0; c < s->value_width; c++)
        p->v[h * s->v.head + j * s->v.row + c] = noise_q16(seed + 1, h * s->v.head + j * s->v.row + c);
    }
}

/* The row's outputs and weights, naive or tiled. */
static int run_q16(fuzz_q16 *p, int tiled, int32_t *out, int32_t *weights) {
  static uint64_t scratch[SCRATCH];
  attest_q16_status status;
  p->arrays.out = out;
  p->arrays.weights = weights;
  memset(scratch, 0xa5, sizeof scratch);
  fuzz_forget(scratch, sizeof scratch);
  status = tiled ? attest_q16_tiled(&p->shape, &p->arrays, p->tile, scratch, SCRATCH)
                 : attest_q16_naive(&p->shape, &p->arrays, scratch, SCRATCH);
  if (status != fuzz_status_q16(p))
    fuzz_fail(NULL, "q16, %s: status %d, not %d", tiled ? "tiled" : "naive", (int)status,
              (int)fuzz_status_q16(p));
  return status == ATTEST_Q16_OK;
}

static void check_q16(const uint8_t *data, size_t size) {
  static fuzz_q16 p;
  static int32_t out[2][2][FUZZ_ELEMENTS], weights[2][2][FUZZ_ELEMENTS];
  const attest_q16_shape *s = &p.shape;
  uint32_t head, row;
  fuzz_decode_q16(&p, data, size);
  if (s->q_len == 0) return;
  head = p.extra[0] % s->q_heads;
  row = p.extra[1] % s->q_len;
  for (int after = 0; after < 2; after++) {
    if (after) disturb_q16(&p, head, row, p.draw);
    for (int tiled = 0; tiled < 2; tiled++)
      if (!run_q16(&p, tiled, out[after][tiled], weights[after][tiled])) return;
  }
  for (int tiled = 0; tiled < 2; tiled++) {
    const size_t o = head * s->out.head + row * s->out.row;
    const size_t w = ((size_t)head * s->q_len + row) * s->kv_len;
    if (memcmp(out[0][tiled] + o, out[1][tiled] + o, s->value_width * sizeof(int32_t)) != 0 ||
        memcmp(weights[0][tiled] + w, weights[1][tiled] + w, s->kv_len * sizeof(int32_t)) != 0)
      fuzz_fail(NULL, "q16, %s: row %u of head %u moves with what is hidden", tiled ? "tiled" : "naive",
                (unsigned)row, (unsigned)head);
  }
}

/* --- exactly what may be seen --------------------------------------------------------------- */

/* Of at most FUZZ_LONG equal scores each has a weight, in fixed/ over 900 units. */
static void check_seen_q16(fuzz_q16 *p) {
  static int32_t out[FUZZ_ELEMENTS], weights[FUZZ_ELEMENTS];
  const attest_q16_shape *s = &p->shape;
  for (int tiled = 0; tiled < 2; tiled++) {
    if (!run_q16(p, tiled, out, weights)) return;
    for (uint32_t h = 0; h < s->q_heads; h++)
      for (uint32_t i = 0; i < s->q_len; i++)
        for (uint32_t j = 0; j < s->kv_len; j++)
          if ((weights[(h * s->q_len + i) * s->kv_len + j] > 0) != fuzz_visible_q16(p, h, i, j))
            fuzz_fail(NULL, "q16, %s: row %u of head %u %s key %u: causal %d window %d %ld,%ld"
                      " offset %ld", tiled ? "tiled" : "naive", (unsigned)i, (unsigned)h,
                      fuzz_visible_q16(p, h, i, j) ? "does not see" : "sees", (unsigned)j, s->causal,
                      s->window, (long)s->left, (long)s->right, (long)s->offset);
  }
}

static void check_seen(fuzz_problem *p) {
  static fuzz_result r;
  const attest_shape *s = &p->shape;
  for (int e = 0; e < FUZZ_ENGINES; e++) {
    if (!fuzz_run(p, (attest_engine)e, &r)) return;
    for (size_t b = 0; b < s->batch; b++)
      for (size_t h = 0; h < s->q_heads; h++)
        for (size_t i = 0; i < s->q_len; i++)
          for (size_t j = 0; j < s->kv_len; j++)
            if ((fuzz_weights(p, &r, b, h, i)[j] > 0) != (fuzz_visible(p, b, h, i, j) == 1))
              fuzz_fail(p, "%s: row %zu of head %zu, batch %zu %s key %zu", fuzz_engine_names[e], i, h,
                        b, fuzz_visible(p, b, h, i, j) == 1 ? "does not see" : "sees", j);
  }
}

/* Queries and keys of 0, so that no score is above another; a bias stays only where it hides. */
static void make_equal(fuzz_problem *p, fuzz_q16 *fixed) {
  memset(p->q64, 0, p->layout.count[FUZZ_Q] * sizeof *p->q64);
  memset(p->k64, 0, p->layout.count[FUZZ_K] * sizeof *p->k64);
  if (!p->wide) {
    memset(p->q32, 0, p->layout.count[FUZZ_Q] * sizeof *p->q32);
    memset(p->k32, 0, p->layout.count[FUZZ_K] * sizeof *p->k32);
  }
  for (size_t n = 0; n < p->layout.count[FUZZ_BIAS]; n++)
    if (p->bias64[n] != -(double)INFINITY) {
      p->bias64[n] = 0;
      if (!p->wide) p->bias32[n] = 0;
    }
  memset(fixed->q, 0, (size_t)fixed->shape.q_heads * fixed->shape.q_len * fixed->shape.width *
                          sizeof *fixed->q);
}

/* The window given, and those that end at and just beyond the row's own place, with a causal limit and
   without. */
static void check_windows(const uint8_t *data, size_t size) {
  static fuzz_problem p;
  static fuzz_q16 fixed;
  static const int sides[][2] = {{-1, 0}, {-1, 1}, {-1, 2}, {0, -1}, {1, 0}, {2, 1}};
  fuzz_decode(&p, data, size, FUZZ_EITHER);
  fuzz_decode_q16(&fixed, data, size);
  make_equal(&p, &fixed);
  check_seen(&p);
  check_seen_q16(&fixed);
  p.shape.window = fixed.shape.window = 1;
  for (size_t n = 0; n < sizeof sides / sizeof *sides; n++) {
    p.shape.left = fixed.shape.left = sides[n][0];
    p.shape.right = fixed.shape.right = sides[n][1];
    p.shape.causal = fixed.shape.causal = n % 2 == p.extra[0] % 2;
    check_seen(&p);
    check_seen_q16(&fixed);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_problem p, other;
  place at;
  fuzz_decode(&p, data, size, FUZZ_EITHER);
  fuzz_decode(&other, data, size, FUZZ_EITHER);
  check_q16(data, size);
  check_windows(data, size);
  if (p.shape.q_len == 0) return 0;
  at.b = p.extra[0] / 8 % p.shape.batch;
  at.h = p.extra[0] % p.shape.q_heads;
  at.i = p.extra[1] % p.shape.q_len;
  disturb_bias(&other, at, p.draw);
  disturb_rows(&other, at, p.draw);
  check_nests(&p, &other, at);
#ifndef FUZZ_WITHOUT_ORACLE
  check_oracle(&p, &other, at);
#endif
  return 0;
}
