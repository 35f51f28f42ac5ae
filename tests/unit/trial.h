/* Whole problems for the tests of ref/: generated from integers, in arrays with gaps, run by any
   engine with scratch full of NaN and outputs full of a pattern. */
#ifndef TESTS_TRIAL_H
#define TESTS_TRIAL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest.h"
#include "random.h"

enum {
  WITH_SCALE = 1,
  WITH_SOFTCAP = 2,
  WITH_MASK = 4,
  WITH_BIAS = 8,
  WITH_CAUSAL = 16,
  WITH_WINDOW = 32,
  WITH_LENGTHS = 64,
  WITH_GAPS = 128,
  WITH_ALL = 255,
  MOST_BATCHES = 4,
  ENGINES = 3
};

static const char *const engine_names[ENGINES] = {"naive", "tiled", "decode"};

typedef struct {
  attest_shape shape;
  attest_arrays in; /* the inputs below; outputs are run()'s */
  real *q, *k, *v, *bias;
  uint8_t *mask;
  size_t q_count, k_count, v_count, out_count, bias_count, mask_count;
  size_t lengths[MOST_BATCHES];
} problem;

typedef struct {
  real *out, *weights, *lse;
  size_t out_count, weights_count, lse_count;
} result;

static inline void *memory(size_t bytes) {
  void *p = malloc(bytes > 0 ? bytes : 1);
  if (!p) {
    fputs("out of memory\n", stderr);
    abort();
  }
  return p;
}

static inline real *reals(size_t count) { return memory(count * sizeof(real)); }

static inline attest_bits bits_of(real x) {
  attest_bits bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline real real_of(attest_bits bits) {
  real x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* What outputs hold before a run: no number that a test would compute. */
static inline void pattern(void *at, size_t count) { memset(at, 0xA5, count * sizeof(real)); }

static inline int is_pattern(const real *at, size_t count) {
  const unsigned char *bytes = (const unsigned char *)at;
  for (size_t n = 0; n < count * sizeof(real); n++)
    if (bytes[n] != 0xA5) return 0;
  return 1;
}

/* Elements from the first to the last; 0 where there are none. */
static inline size_t extent(const attest_shape *s, size_t heads, size_t rows, size_t width,
                            attest_strides at) {
  if (s->batch == 0 || heads == 0 || rows == 0) return 0;
  return (s->batch - 1) * at.batch + (heads - 1) * at.head + (rows - 1) * at.row + width;
}

static inline size_t mask_extent(const attest_shape *s, attest_mask_strides at) {
  if (s->batch == 0 || s->q_len == 0 || s->kv_len == 0) return 0;
  return (s->batch - 1) * at.batch + (s->q_heads - 1) * at.head + (s->q_len - 1) * at.row +
         (s->kv_len - 1) * at.key + 1;
}

/* Strides of (B, H, S, D) or (B, S, H, D) with up to `most` unused elements a dimension. */
static inline attest_strides gapped(uint64_t *state, size_t heads, size_t rows, size_t width,
                                    size_t most) {
  attest_strides at;
  if (below(state, 2)) {
    at.row = width + below(state, most + 1);
    at.head = rows * at.row + below(state, most + 1);
    at.batch = heads * at.head + below(state, most + 1);
  } else {
    at.head = width + below(state, most + 1);
    at.row = heads * at.head + below(state, most + 1);
    at.batch = rows * at.row + below(state, most + 1);
  }
  return at;
}

/* Every dimension either broadcast, by a stride of 0, or not. */
static inline attest_mask_strides broadcast(uint64_t *state, const attest_shape *s, size_t most) {
  const unsigned keep = (unsigned)below(state, 16);
  attest_mask_strides at = {0, 0, 0, 0};
  size_t next = 1 + below(state, most + 1);
  if (keep & 1) {
    at.key = next;
    next = s->kv_len * at.key + below(state, most + 1);
  }
  if (keep & 2) {
    at.row = next;
    next = s->q_len * at.row + below(state, most + 1);
  }
  if (keep & 4) {
    at.head = next;
    next = s->q_heads * at.head + below(state, most + 1);
  }
  if (keep & 8) at.batch = next;
  return at;
}

/* Room for the inputs that the shape and its strides call for, NaN until filled. */
static inline void problem_allocate(problem *p, int mask, int bias) {
  const attest_shape *s = &p->shape;
  p->q_count = extent(s, s->q_heads, s->q_len, s->width, s->q);
  p->k_count = extent(s, s->kv_heads, s->kv_len, s->width, s->k);
  p->v_count = extent(s, s->kv_heads, s->kv_len, s->value_width, s->v);
  p->out_count = extent(s, s->q_heads, s->q_len, s->value_width, s->out);
  p->mask_count = mask ? mask_extent(s, s->mask) : 0;
  p->bias_count = bias ? mask_extent(s, s->bias) : 0;
  p->q = reals(p->q_count);
  p->k = reals(p->k_count);
  p->v = reals(p->v_count);
  p->mask = mask ? memory(p->mask_count) : NULL;
  p->bias = bias ? reals(p->bias_count) : NULL;
  memset(p->q, 0xff, p->q_count * sizeof(real));
  memset(p->k, 0xff, p->k_count * sizeof(real));
  memset(p->v, 0xff, p->v_count * sizeof(real));
  if (mask) memset(p->mask, 1, p->mask_count);
  if (bias) memset(p->bias, 0xff, p->bias_count * sizeof(real));
  memset(&p->in, 0, sizeof p->in);
  p->in.q = p->q;
  p->in.k = p->k;
  p->in.v = p->v;
  p->in.mask = p->mask;
  p->in.bias = p->bias;
}

static inline void problem_free(problem *p) {
  free(p->q);
  free(p->k);
  free(p->v);
  free(p->mask);
  free(p->bias);
}

/* The rows of a tensor, drawn from [-2^e, 2^e]; the gaps stay NaN. */
static inline void fill(real *to, uint64_t *state, size_t batches, size_t heads, size_t rows,
                        size_t width, attest_strides at, int e) {
  for (size_t b = 0; b < batches; b++)
    for (size_t h = 0; h < heads; h++)
      for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < width; c++)
          to[b * at.batch + h * at.head + r * at.row + c] = spread(state, e);
}

/* A dense problem (B, H, S, D) with inputs in [-2, 2]. */
static inline void problem_dense(problem *p, uint64_t *state, size_t batch, size_t q_heads,
                                 size_t kv_heads, size_t q_len, size_t kv_len, size_t width,
                                 size_t value_width) {
  memset(p, 0, sizeof *p);
  p->shape.batch = batch;
  p->shape.q_heads = q_heads;
  p->shape.kv_heads = kv_heads;
  p->shape.q_len = q_len;
  p->shape.kv_len = kv_len;
  p->shape.width = width;
  p->shape.value_width = value_width;
  if (attest_layout_bhsd(&p->shape) != ATTEST_OK) abort();
  problem_allocate(p, 0, 0);
  fill(p->q, state, batch, q_heads, q_len, width, p->shape.q, 1);
  fill(p->k, state, batch, kv_heads, kv_len, width, p->shape.k, 1);
  fill(p->v, state, batch, kv_heads, kv_len, value_width, p->shape.v, 1);
}

/* Adds a dense mask (all visible) or bias (all 0) to a dense problem. */
static inline void problem_mask(problem *p) {
  const attest_mask_strides dense = {p->shape.q_heads * p->shape.q_len * p->shape.kv_len,
                                     p->shape.q_len * p->shape.kv_len, p->shape.kv_len, 1};
  p->shape.mask = dense;
  p->mask_count = mask_extent(&p->shape, dense);
  p->mask = memory(p->mask_count);
  memset(p->mask, 1, p->mask_count);
  p->in.mask = p->mask;
}

static inline void problem_bias(problem *p) {
  const attest_mask_strides dense = {p->shape.q_heads * p->shape.q_len * p->shape.kv_len,
                                     p->shape.q_len * p->shape.kv_len, p->shape.kv_len, 1};
  p->shape.bias = dense;
  p->bias_count = mask_extent(&p->shape, dense);
  p->bias = reals(p->bias_count);
  for (size_t n = 0; n < p->bias_count; n++) p->bias[n] = 0;
  p->in.bias = p->bias;
}

/* A random problem of at most 3 batches, 6 query heads and the given sizes. Inputs lie in [-2, 2],
   biases in [-8, 8] or are -inf; scores then stay within 4 sqrt(width) scaled by at most 1 (scale
   given: at most 2/width), plus 8. */
static inline void problem_random(problem *p, uint64_t *state, size_t most_queries,
                                  size_t most_keys, size_t most_width, unsigned options) {
  memset(p, 0, sizeof *p);
  attest_shape *s = &p->shape;
  const size_t gap = options & WITH_GAPS ? 3 : 0;
  s->batch = 1 + below(state, 3);
  s->kv_heads = 1 + below(state, 2);
  s->q_heads = s->kv_heads * (1 + below(state, 3));
  s->q_len = 1 + below(state, most_queries);
  s->kv_len = below(state, 16) == 0 ? 0 : 1 + below(state, most_keys);
  s->width = 1 + below(state, most_width);
  s->value_width = 1 + below(state, most_width);
  s->q = gapped(state, s->q_heads, s->q_len, s->width, gap);
  s->k = gapped(state, s->kv_heads, s->kv_len, s->width, gap);
  s->v = gapped(state, s->kv_heads, s->kv_len, s->value_width, gap);
  s->out = gapped(state, s->q_heads, s->q_len, s->value_width, gap);
  s->mask = broadcast(state, s, gap);
  s->bias = broadcast(state, s, gap);
  if (options & WITH_SCALE) {
    s->scale_given = 1;
    s->scale = ((double)below(state, 513) - 256) / (128 * (double)s->width);
  }
  if (options & WITH_SOFTCAP) s->softcap = (double)(1 + below(state, 400)) / 16;
  if (options & WITH_CAUSAL) s->causal = 1;
  if (options & WITH_WINDOW) {
    s->window = 1;
    s->left = (int64_t)below(state, most_keys + 2) - 1;
    s->right = (int64_t)below(state, most_keys + 2) - 1;
  }
  if (options & (WITH_CAUSAL | WITH_WINDOW)) {
    s->offset = (int64_t)below(state, 2 * most_keys + 1) - (int64_t)most_keys;
    if (below(state, 3) == 0) s->offset = 0;
    s->align_end = (int)below(state, 2);
  }
  if (options & WITH_LENGTHS) {
    for (size_t b = 0; b < s->batch; b++) p->lengths[b] = below(state, s->kv_len + 1);
    s->key_lengths = p->lengths;
  }
  problem_allocate(p, (options & WITH_MASK) != 0, (options & WITH_BIAS) != 0);
  fill(p->q, state, s->batch, s->q_heads, s->q_len, s->width, s->q, 1);
  fill(p->k, state, s->batch, s->kv_heads, s->kv_len, s->width, s->k, 1);
  fill(p->v, state, s->batch, s->kv_heads, s->kv_len, s->value_width, s->v, 1);
  for (size_t n = 0; n < p->mask_count; n++) p->mask[n] = (uint8_t)(below(state, 4) * 85);
  for (size_t n = 0; n < p->bias_count; n++)
    p->bias[n] = below(state, 5) == 0 ? -(real)INFINITY : spread(state, 3);
}

/* Whether key j is visible to row i, from the definition and with no arithmetic of ref/. */
static inline int visible(const problem *p, size_t b, size_t h, size_t i, size_t j) {
  const attest_shape *s = &p->shape;
  const int64_t length = (int64_t)(s->key_lengths ? s->key_lengths[b] : s->kv_len);
  const int64_t key = (int64_t)j;
  int64_t at = (int64_t)i + s->offset;
  if (s->align_end) at += length - (int64_t)s->q_len;
  if (key >= length) return 0;
  if (s->causal && key > at) return 0;
  if (s->window && s->left >= 0 && key < at - s->left) return 0;
  if (s->window && s->right >= 0 && key > at + s->right) return 0;
  if (p->mask && p->mask[b * s->mask.batch + h * s->mask.head + i * s->mask.row +
                         j * s->mask.key] == 0)
    return 0;
  if (p->bias && p->bias[b * s->bias.batch + h * s->bias.head + i * s->bias.row +
                         j * s->bias.key] == -(real)INFINITY)
    return 0;
  return 1;
}

static inline real *out_at(const problem *p, const result *r, size_t b, size_t h, size_t i) {
  return r->out + b * p->shape.out.batch + h * p->shape.out.head + i * p->shape.out.row;
}

static inline real *weights_at(const problem *p, const result *r, size_t b, size_t h, size_t i) {
  return r->weights + ((b * p->shape.q_heads + h) * p->shape.q_len + i) * p->shape.kv_len;
}

static inline real *lse_at(const problem *p, const result *r, size_t b, size_t h, size_t i) {
  return r->lse + (b * p->shape.q_heads + h) * p->shape.q_len + i;
}

static inline void result_make(const problem *p, result *r) {
  r->out_count = p->out_count;
  r->lse_count = p->shape.batch * p->shape.q_heads * p->shape.q_len;
  r->weights_count = r->lse_count * p->shape.kv_len;
  r->out = reals(r->out_count);
  r->lse = reals(r->lse_count);
  r->weights = reals(r->weights_count);
}

static inline void result_free(result *r) {
  free(r->out);
  free(r->weights);
  free(r->lse);
}

/* Runs one engine with exactly the scratch it asks for, after writing the pattern to the outputs
   and NaN to the scratch. */
static inline attest_status run(const problem *p, attest_engine engine, size_t tile, result *r) {
  const size_t need = attest_scratch(&p->shape, engine, tile);
  real *scratch = reals(need);
  attest_arrays a = p->in;
  attest_status status;
  memset(scratch, 0xff, need * sizeof(real));
  pattern(r->out, r->out_count);
  pattern(r->weights, r->weights_count);
  pattern(r->lse, r->lse_count);
  a.out = r->out;
  a.weights = r->weights;
  a.lse = r->lse;
  status = attest_attention(&p->shape, &a, engine, tile, scratch, need);
  free(scratch);
  return status;
}

static inline int same_bits(const real *a, const real *b, size_t count) {
  return memcmp(a, b, count * sizeof(real)) == 0;
}

/* All three outputs, the gaps between rows included. */
static inline int same_result(const result *a, const result *b) {
  return same_bits(a->out, b->out, a->out_count) &&
         same_bits(a->weights, b->weights, a->weights_count) &&
         same_bits(a->lse, b->lse, a->lse_count);
}

static inline void describe(const problem *p, char *text, size_t size) {
  const attest_shape *s = &p->shape;
  snprintf(text, size,
           "B %zu H %zu/%zu S %zu/%zu D %zu/%zu scale %d %.17g softcap %g causal %d window %d "
           "%ld,%ld offset %ld end %d lengths %d mask %d bias %d",
           s->batch, s->q_heads, s->kv_heads, s->q_len, s->kv_len, s->width, s->value_width,
           s->scale_given, s->scale, s->softcap, s->causal, s->window, (long)s->left,
           (long)s->right, (long)s->offset, s->align_end, s->key_lengths != NULL,
           p->mask != NULL, p->bias != NULL);
}

#endif
