/* Q16.16 problems for the tests, who sees whom by the definition, and the exact result by MPFR. */
#ifndef TEST_Q16_PROBLEM_H
#define TEST_Q16_PROBLEM_H

#include <gmp.h>
#include <mpfr.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../fixed/attest_q16.h"

typedef struct {
  attest_q16_shape shape;
  int32_t *q, *k, *v;
  uint8_t *mask; /* NULL: none */
} problem;

static inline uint64_t next(uint64_t *state) { /* xorshift64* */
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 2685821657736338717U;
}

/* Uniform in [-limit, limit]; any int32 where limit is INT32_MAX. */
static inline int32_t number(uint64_t *state, int32_t limit) {
  const uint32_t bits = (uint32_t)(next(state) >> 32);
  if (limit == INT32_MAX) return (int32_t)((int64_t)bits - 2147483648);
  return (int32_t)((int64_t)(bits % (2 * (uint32_t)limit + 1)) - limit);
}

static inline int32_t *numbers(uint64_t *state, size_t count, int32_t limit) {
  int32_t *x = malloc((count + 1) * sizeof *x);
  assert_non_null(x);
  for (size_t n = 0; n < count; n++) x[n] = number(state, limit);
  return x;
}

/* Dense arrays of random numbers; no mask. */
static inline void problem_make(problem *p, uint64_t *state, uint32_t heads, uint32_t kv_heads,
                                uint32_t q_len, uint32_t kv_len, uint32_t width,
                                uint32_t value_width, int32_t score_limit, int32_t value_limit) {
  memset(p, 0, sizeof *p);
  p->shape.q_heads = heads;
  p->shape.kv_heads = kv_heads;
  p->shape.q_len = q_len;
  p->shape.kv_len = kv_len;
  p->shape.width = width;
  p->shape.value_width = value_width;
  assert_int_equal(attest_q16_layout(&p->shape), ATTEST_Q16_OK);
  p->q = numbers(state, (size_t)heads * q_len * width, score_limit);
  p->k = numbers(state, (size_t)kv_heads * kv_len * width, score_limit);
  p->v = numbers(state, (size_t)kv_heads * kv_len * value_width, value_limit);
}

static inline void problem_free(problem *p) {
  free(p->q);
  free(p->k);
  free(p->v);
  free(p->mask);
}

static inline const int32_t *q_row(const problem *p, uint32_t h, uint32_t i) {
  return p->q + (size_t)h * p->shape.q.head + (size_t)i * p->shape.q.row;
}

static inline uint32_t kv_of(const problem *p, uint32_t h) {
  return h / (p->shape.q_heads / p->shape.kv_heads);
}

static inline const int32_t *k_row(const problem *p, uint32_t h, uint32_t j) {
  return p->k + (size_t)kv_of(p, h) * p->shape.k.head + (size_t)j * p->shape.k.row;
}

static inline const int32_t *v_row(const problem *p, uint32_t h, uint32_t j) {
  return p->v + (size_t)kv_of(p, h) * p->shape.v.head + (size_t)j * p->shape.v.row;
}

static inline int visible(const problem *p, uint32_t h, uint32_t i, uint32_t j) {
  const attest_q16_shape *s = &p->shape;
  const int64_t at = (int64_t)i + s->offset;
  if (j >= s->key_length) return 0;
  if (s->causal && (int64_t)j > at) return 0;
  if (s->window && s->left >= 0 && (int64_t)j < at - s->left) return 0;
  if (s->window && s->right >= 0 && (int64_t)j > at + s->right) return 0;
  return !p->mask || p->mask[(size_t)h * s->mask.head + (size_t)i * s->mask.row + j];
}

typedef struct {
  size_t out_count, weights_count;
  int32_t *out, *weights;
} result;

static inline void result_make(const problem *p, result *r) {
  const attest_q16_shape *s = &p->shape;
  r->out_count = (size_t)s->q_heads * s->q_len * s->value_width;
  r->weights_count = (size_t)s->q_heads * s->q_len * s->kv_len;
  r->out = malloc((r->out_count + 1) * sizeof *r->out);
  r->weights = malloc((r->weights_count + 1) * sizeof *r->weights);
  assert_non_null(r->out);
  assert_non_null(r->weights);
  memset(r->out, 85, r->out_count * sizeof *r->out);
  memset(r->weights, 85, r->weights_count * sizeof *r->weights);
}

static inline void result_free(result *r) {
  free(r->out);
  free(r->weights);
}

/* tile 0: naive. */
static inline void run(const problem *p, uint32_t tile, result *r) {
  attest_q16_arrays a = {p->q, p->k, p->v, p->mask, r->out, r->weights};
  const uint32_t count = tile == 0 ? ATTEST_Q16_NAIVE_SCRATCH(p->shape.kv_len)
                                   : ATTEST_Q16_TILED_SCRATCH(tile, p->shape.value_width);
  uint64_t *scratch = malloc((count + 1) * sizeof *scratch);
  assert_non_null(scratch);
  memset(scratch, 170, count * sizeof *scratch);
  if (tile == 0)
    assert_int_equal(attest_q16_naive(&p->shape, &a, scratch, count), ATTEST_Q16_OK);
  else
    assert_int_equal(attest_q16_tiled(&p->shape, &a, tile, scratch, count), ATTEST_Q16_OK);
  free(scratch);
}

static inline void expect_equal(const result *a, const result *b) {
  assert_int_equal(a->out_count, b->out_count);
  assert_memory_equal(a->out, b->out, a->out_count * sizeof *a->out);
  assert_memory_equal(a->weights, b->weights, a->weights_count * sizeof *a->weights);
}

/* Row sums, hidden weights, empty rows, outputs between the smallest and largest visible value. */
static inline void expect_sound(const problem *p, const result *r) {
  const attest_q16_shape *s = &p->shape;
  for (uint32_t h = 0; h < s->q_heads; h++)
    for (uint32_t i = 0; i < s->q_len; i++) {
      const size_t row = (size_t)h * s->q_len + i;
      const int32_t *w = r->weights + row * s->kv_len;
      int64_t sum = 0;
      int seen = 0;
      for (uint32_t j = 0; j < s->kv_len; j++) {
        if (visible(p, h, i, j)) {
          seen = 1;
          assert_in_range(w[j], 0, 65536);
        } else {
          assert_int_equal(w[j], 0);
        }
        sum += w[j];
      }
      assert_int_equal(sum, seen ? 65536 : 0);
      for (uint32_t c = 0; c < s->value_width; c++) {
        const int32_t out = r->out[row * s->value_width + c];
        int32_t least = INT32_MAX, most = INT32_MIN;
        for (uint32_t j = 0; j < s->kv_len; j++)
          if (visible(p, h, i, j)) {
            const int32_t v = v_row(p, h, j)[c];
            if (v < least) least = v;
            if (v > most) most = v;
          }
        if (!seen)
          assert_int_equal(out, 0);
        else
          assert_true(least <= out && out <= most);
      }
    }
}

/* Dot product of two rows, in units of 2^-32. */
static inline void exact_dot(mpz_t dot, const int32_t *a, const int32_t *b, uint32_t width) {
  mpz_t term;
  mpz_init(term);
  mpz_set_ui(dot, 0);
  for (uint32_t c = 0; c < width; c++) {
    mpz_set_si(term, a[c]);
    mpz_mul_si(term, term, b[c]);
    mpz_add(dot, dot, term);
  }
  mpz_clear(term);
}

enum { EXACT_BITS = 256 };

/* Weights of row i of head h, with the scale exactly 1/sqrt(width), into w[0 .. kv_len), which the
   caller has initialised; 0 where hidden. Returns whether any key is visible. */
static inline int exact_weights(const problem *p, uint32_t h, uint32_t i, mpfr_t *w) {
  const attest_q16_shape *s = &p->shape;
  mpz_t dot;
  mpfr_t scale, top, sum;
  int seen = 0;
  mpz_init(dot);
  mpfr_inits2(EXACT_BITS, scale, top, sum, (mpfr_ptr)0);
  mpfr_sqrt_ui(scale, s->width, MPFR_RNDN);
  mpfr_set_inf(top, -1);
  for (uint32_t j = 0; j < s->kv_len; j++) {
    if (!visible(p, h, i, j)) continue;
    exact_dot(dot, q_row(p, h, i), k_row(p, h, j), s->width);
    mpfr_set_z_2exp(w[j], dot, -32, MPFR_RNDN);
    mpfr_div(w[j], w[j], scale, MPFR_RNDN);
    mpfr_max(top, top, w[j], MPFR_RNDN);
    seen = 1;
  }
  mpfr_set_ui(sum, 0, MPFR_RNDN);
  for (uint32_t j = 0; j < s->kv_len; j++) {
    if (!visible(p, h, i, j)) {
      mpfr_set_ui(w[j], 0, MPFR_RNDN);
      continue;
    }
    mpfr_sub(w[j], w[j], top, MPFR_RNDN);
    mpfr_exp(w[j], w[j], MPFR_RNDN);
    mpfr_add(sum, sum, w[j], MPFR_RNDN);
  }
  for (uint32_t j = 0; seen && j < s->kv_len; j++) mpfr_div(w[j], w[j], sum, MPFR_RNDN);
  mpz_clear(dot);
  mpfr_clears(scale, top, sum, (mpfr_ptr)0);
  return seen;
}

/* The largest |out - exact| of one row, in ulp; `out` is its output row. */
static inline double row_error(const problem *p, uint32_t h, uint32_t i, const int32_t *out) {
  const attest_q16_shape *s = &p->shape;
  mpfr_t *w = malloc((s->kv_len + 1) * sizeof *w);
  mpfr_t sum, term;
  double worst = 0;
  assert_non_null(w);
  for (uint32_t j = 0; j < s->kv_len; j++) mpfr_init2(w[j], EXACT_BITS);
  mpfr_inits2(EXACT_BITS, sum, term, (mpfr_ptr)0);
  exact_weights(p, h, i, w);
  for (uint32_t c = 0; c < s->value_width; c++) {
    mpfr_set_si(sum, out[c], MPFR_RNDN);
    for (uint32_t j = 0; j < s->kv_len; j++) {
      mpfr_mul_si(term, w[j], v_row(p, h, j)[c], MPFR_RNDN);
      mpfr_sub(sum, sum, term, MPFR_RNDN);
    }
    mpfr_abs(sum, sum, MPFR_RNDU);
    if (mpfr_get_d(sum, MPFR_RNDU) > worst) worst = mpfr_get_d(sum, MPFR_RNDU);
  }
  for (uint32_t j = 0; j < s->kv_len; j++) mpfr_clear(w[j]);
  mpfr_clears(sum, term, (mpfr_ptr)0);
  free(w);
  return worst;
}

#endif
