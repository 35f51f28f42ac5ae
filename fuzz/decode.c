/* Decoding a token at a time, with a cache, against prefill: a causal row of the whole sequence has the
   bits of its decoding step, by every nest, and in fixed/. */
#include <string.h>

#include "engines.h"
#include "fence.h"
#include "target.h"

const fuzz_format fuzz_target_format = FUZZ_EITHER;

/* Makes the problem one of as many queries as keys, causal, with no mask or bias; a window may stay. */
static void make_sequence(fuzz_problem *p) {
  attest_shape *s = &p->shape;
  const int wide = p->wide, causal_window = s->window;
  const int64_t left = s->left;
  attest_shape t;
  memset(&t, 0, sizeof t);
  t.batch = 1;
  t.q_heads = s->q_heads;
  t.kv_heads = s->kv_heads;
  t.width = s->width;
  t.value_width = s->value_width;
  t.q_len = t.kv_len = s->q_len < s->kv_len ? s->q_len : s->kv_len;
  t.scale_given = s->scale_given;
  t.scale = s->scale;
  t.softcap = s->softcap;
  t.causal = 1;
  t.window = causal_window;
  t.left = left;
  t.right = -1;
  attest_layout_bhsd(&t);
  *s = t;
  p->wide = wide;
  p->f32.mask = p->f64.mask = NULL;
  p->f32.bias = NULL;
  p->f64.bias = NULL;
}

/* Row `token` of each head of a tensor, one after the other, and the caches of each head. */
static void step_inputs(const fuzz_problem *p, size_t token, fuzz_problem *step) {
  const attest_shape *s = &p->shape;
  attest_shape *t = &step->shape;
  fuzz_open(step, sizeof *step);
  *t = *s;
  step->wide = p->wide;
  step->tile = p->tile;
  step->draw = p->draw;
  t->q_len = 1;
  t->kv_len = token + 1;
  t->offset = (int64_t)token;
  attest_layout_bhsd(t);
  t->k.head = s->k.head; /* the cache has room for the whole sequence */
  t->v.head = s->v.head;
  memset(&step->f32, 0, sizeof step->f32);
  memset(&step->f64, 0, sizeof step->f64);
  for (size_t h = 0; h < s->q_heads; h++) {
    const size_t from = h * s->q.head + token * s->q.row, to = h * s->width;
    memcpy(step->q64 + to, p->q64 + from, s->width * sizeof *p->q64);
    if (!p->wide) memcpy(step->q32 + to, p->q32 + from, s->width * sizeof *p->q32);
  }
  for (size_t h = 0; h < s->kv_heads; h++) {
    const size_t k = h * s->k.head, v = h * s->v.head, keys = s->kv_len;
    size_t length = token;
    attest_append_f64(step->k64 + k, keys, s->width, &length, p->k64 + k + token * s->k.row, 1);
    length = token;
    attest_append_f64(step->v64 + v, keys, s->value_width, &length, p->v64 + v + token * s->v.row,
                      1);
    if (p->wide) continue;
    length = token;
    attest_append_f32(step->k32 + k, keys, s->width, &length, p->k32 + k + token * s->k.row, 1);
    length = token;
    attest_append_f32(step->v32 + v, keys, s->value_width, &length, p->v32 + v + token * s->v.row,
                      1);
  }
  step->f32.q = step->q32;
  step->f32.k = step->k32;
  step->f32.v = step->v32;
  step->f64.q = step->q64;
  step->f64.k = step->k64;
  step->f64.v = step->v64;
}

/* The part of row `token` in a prefill's result, as if it were a step's. */
static void row_of(const fuzz_problem *p, fuzz_result *all, size_t token, fuzz_result *row) {
  const attest_shape *s = &p->shape;
  for (size_t h = 0; h < s->q_heads; h++) {
    memcpy(row->out + h * s->value_width, fuzz_out(p, all, 0, h, token),
           s->value_width * sizeof *row->out);
    memcpy(row->weights + h * (token + 1), fuzz_weights(p, all, 0, h, token),
           (token + 1) * sizeof *row->weights);
    row->lse[h] = *fuzz_lse(p, all, 0, h, token);
  }
}

static void check_ref(fuzz_problem *p) {
  static fuzz_problem step;
  static fuzz_result naive, tiled, want, got;
  make_sequence(p);
  if (!fuzz_run(p, ATTEST_NAIVE, &naive) || !fuzz_run(p, ATTEST_TILED, &tiled)) return;
  for (size_t token = 0; token < p->shape.q_len; token++) {
    step_inputs(p, token, &step);
    fuzz_open(&want, sizeof want);
    row_of(p, &naive, token, &want);
    for (int e = 0; e < FUZZ_ENGINES; e++) {
      fuzz_run(&step, (attest_engine)e, &got);
      fuzz_compare(&step, &want, &got, "a decoding step");
    }
    fuzz_open(&got, sizeof got);
    row_of(p, &tiled, token, &got);
    fuzz_compare(&step, &want, &got, "a row of tiled prefill");
  }
}

static void check_fixed(const uint8_t *data, size_t size) {
  enum { SCRATCH = ATTEST_Q16_TILED_SCRATCH(130, FUZZ_WIDTH) + 3 * FUZZ_LONG };
  static fuzz_q16 p;
  static int32_t all[FUZZ_ELEMENTS], out[FUZZ_ELEMENTS], keys[FUZZ_ELEMENTS], values[FUZZ_ELEMENTS];
  static int32_t q[8 * FUZZ_WIDTH], k[8 * FUZZ_WIDTH], v[8 * FUZZ_WIDTH];
  static uint64_t scratch[SCRATCH];
  attest_q16_shape *s = &p.shape;
  attest_q16_cache cache;
  attest_q16_strides from_q, from_k, from_v;
  attest_q16_status status;
  fuzz_decode_q16(&p, data, size);
  from_q = s->q;
  from_k = s->k;
  from_v = s->v;
  s->q_len = s->kv_len = s->key_length = s->q_len < s->kv_len ? s->q_len : s->kv_len;
  s->causal = 1;
  s->offset = 0;
  s->right = -1;
  if (!s->window) s->left = -1;
  s->window = s->left >= 0;
  s->out.row = s->value_width;
  s->out.head = s->q_len * s->value_width;
  p.arrays.mask = NULL;
  p.arrays.out = all;
  status = attest_q16_naive(s, &p.arrays, scratch, SCRATCH);
  if (status != fuzz_status_q16(&p))
    fuzz_fail(NULL, "q16: prefill gives status %d, not %d", (int)status, (int)fuzz_status_q16(&p));
  if (s->kv_len == 0) return;
  cache.k = keys;
  cache.v = values;
  cache.kv_heads = s->kv_heads;
  cache.capacity = s->kv_len;
  cache.length = 0;
  cache.width = s->width;
  cache.value_width = s->value_width;
  for (uint32_t t = 0; t < s->kv_len; t++) {
    for (uint32_t h = 0; h < s->kv_heads; h++) {
      memcpy(k + h * s->width, p.k + h * from_k.head + t * from_k.row, s->width * sizeof *k);
      memcpy(v + h * s->value_width, p.v + h * from_v.head + t * from_v.row,
             s->value_width * sizeof *v);
    }
    for (uint32_t h = 0; h < s->q_heads; h++)
      memcpy(q + h * s->width, p.q + h * from_q.head + t * from_q.row, s->width * sizeof *q);
    if (attest_q16_append(&cache, k, v) != ATTEST_Q16_OK)
      fuzz_fail(NULL, "q16: token %u is not appended", (unsigned)t);
    memset(scratch, 0xa5, sizeof scratch);
    fuzz_forget(scratch, sizeof scratch);
    status = attest_q16_decode(&cache, q, s->q_heads, s->scale, s->left, out, p.tile, scratch,
                               SCRATCH);
    if (status != fuzz_status_q16(&p))
      fuzz_fail(NULL, "q16: decoding token %u gives status %d", (unsigned)t, (int)status);
    if (status != ATTEST_Q16_OK) return;
    for (uint32_t h = 0; h < s->q_heads; h++)
      if (memcmp(out + h * s->value_width, all + h * s->out.head + t * s->out.row,
                 s->value_width * sizeof *out) != 0)
        fuzz_fail(NULL, "q16: token %u of head %u is not the row of prefill", (unsigned)t,
                  (unsigned)h);
  }
  if (attest_q16_append(&cache, k, v) != ATTEST_Q16_FULL)
    fuzz_fail(NULL, "q16: a full cache takes another token");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_problem p;
  fuzz_decode(&p, data, size, FUZZ_EITHER);
  check_ref(&p);
  check_fixed(data, size);
  return 0;
}
