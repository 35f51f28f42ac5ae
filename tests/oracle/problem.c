#include "problem.h"

#include <math.h>
#include <string.h>

uint64_t problem_draw(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

size_t problem_below(uint64_t *state, size_t bound) {
  return (size_t)((problem_draw(state) >> 11) % bound);
}

/* The kinds of numbers a tensor is filled with: the first two make equal scores, the last three
   numbers no sum of doubles can hold. */
enum { INTEGERS, BRAIN, SINGLE, DOUBLE, LARGE, TINY, WILD, KINDS };

static double element(uint64_t *state, size_t kind) {
  /* In [-2, 2], of 53 bits. */
  const double x = ldexp((double)(problem_draw(state) >> 10) - 0x1p53, -52);
  switch (kind) {
    case INTEGERS: return (double)problem_below(state, 5) - 2;
    case BRAIN: return ldexp(rint(ldexp(x, 6)), -6);
    case SINGLE: return (float)x;
    case LARGE: return 30 * x;
    case TINY: return ldexp(x, -1060);
    case WILD: return ldexp(x, (int)problem_below(state, 80) - 40);
    default: return x;
  }
}

static void fill(uint64_t *state, size_t kind, double *x, size_t count) {
  for (size_t n = 0; n < count; n++) x[n] = element(state, kind);
}

static size_t common_kind(uint64_t *state) { return problem_below(state, LARGE); }

static void choose_bias(problem *p, uint64_t *state) {
  const size_t style = problem_below(state, 6);
  const size_t count = p->shape.q_len * p->shape.kv_len;
  if (style > 3) return;
  p->arrays.bias = p->bias;
  p->shape.bias.row = p->shape.kv_len;
  p->shape.bias.key = 1;
  for (size_t n = 0; n < count; n++) {
    p->bias[n] = style == 0   ? (problem_below(state, 4) ? 0.0 : -HUGE_VAL)
                 : style == 1 ? (problem_below(state, 3) ? 0.25 : -0x1.fffffep127)
                              : element(state, style == 2 ? INTEGERS : SINGLE);
    if (style == 2 && problem_below(state, 4) == 0) p->bias[n] = -1e4;
  }
}

static void choose_mask(problem *p, uint64_t *state) {
  const size_t count = p->shape.q_len * p->shape.kv_len;
  if (problem_below(state, 3)) return;
  p->arrays.mask = p->mask;
  p->shape.mask.row = p->shape.kv_len;
  p->shape.mask.key = 1;
  for (size_t n = 0; n < count; n++) p->mask[n] = problem_below(state, 4) != 0;
}

static void choose_reach(attest_shape *s, uint64_t *state) {
  s->causal = problem_below(state, 3) == 0;
  s->window = problem_below(state, 4) == 0;
  s->left = (int64_t)problem_below(state, 12) - 1;
  s->right = (int64_t)problem_below(state, 12) - 1;
  s->offset = (int64_t)problem_below(state, s->kv_len + 2);
}

static void choose_scale(attest_shape *s, uint64_t *state) {
  static const double scales[] = {1, 0.125, 0.1, -0.3, 0, 3, 1e-3};
  static const double caps[] = {30, 2, 50, 0.1};
  s->scale_given = problem_below(state, 2) == 0;
  s->scale = scales[problem_below(state, sizeof scales / sizeof *scales)];
  if (problem_below(state, 4) == 0) s->softcap = caps[problem_below(state, 4)];
}

/* Makes neighbouring keys alike, and the means of their values one number, the middle of two of
   some format: a tie where each key is seen with its neighbour. A last key may be left alone, far
   below the others. */
static void make_pairs(problem *p, uint64_t *state) {
  static const int fraction_bits[] = {52, 23, 10, 7, 16};
  const attest_shape *s = &p->shape;
  const size_t format = problem_below(state, 5), n = s->kv_len;
  const double ulp = ldexp(1, -fraction_bits[format]);
  for (size_t j = 0; j + 1 < n; j += 2) {
    memcpy(p->k + (j + 1) * s->width, p->k + j * s->width, s->width * sizeof *p->k);
    for (size_t c = 0; c < s->value_width; c++) {
      const double d = (double)problem_below(state, 8) * ulp;
      double *const v = p->v + j * s->value_width + c;
      v[0] = 1 + ulp * (double)(c + 1) + d;
      v[s->value_width] = 1 + ulp * (double)c - d;
    }
    for (size_t i = 0; p->arrays.bias && i < s->q_len; i++)
      p->bias[i * n + j + 1] = p->bias[i * n + j];
  }
  if (n % 2 == 1 && p->arrays.bias)
    for (size_t i = 0; i < s->q_len; i++) p->bias[i * n + n - 1] = -1e6;
}

void problem_make(problem *p, uint64_t *state) {
  attest_shape *s = &p->shape;
  const size_t kind = problem_below(state, KINDS);
  memset(p, 0, sizeof *p);
  s->batch = s->q_heads = s->kv_heads = 1;
  s->q_len = 1 + problem_below(state, PROBLEM_ROWS);
  s->kv_len = 1 + problem_below(state, problem_below(state, 3) ? PROBLEM_KEYS : 4);
  s->width = 1 + problem_below(state, PROBLEM_WIDTH);
  s->value_width = 1 + problem_below(state, PROBLEM_VALUES);
  attest_layout_bhsd(s);
  choose_scale(s, state);
  choose_reach(s, state);
  p->key_length = s->kv_len - (problem_below(state, 4) == 0 ? problem_below(state, s->kv_len) : 0);
  s->key_lengths = &p->key_length;
  fill(state, kind, p->q, s->q_len * s->width);
  fill(state, problem_below(state, 4) ? kind : common_kind(state), p->k, s->kv_len * s->width);
  fill(state, problem_below(state, 4) ? common_kind(state) : kind, p->v,
       s->kv_len * s->value_width);
  choose_bias(p, state);
  if (problem_below(state, 4) == 0) {
    make_pairs(p, state);
    if (problem_below(state, 2)) {
      s->causal = s->window = 0;
      p->key_length = s->kv_len;
    }
  } else {
    choose_mask(p, state);
  }
  p->arrays.q = p->q;
  p->arrays.k = p->k;
  p->arrays.v = p->v;
}

int problem_visible(const problem *p, size_t i, size_t j) {
  const attest_shape *s = &p->shape;
  const int64_t at = (int64_t)i + s->offset, key = (int64_t)j;
  if (j >= p->key_length) return 0;
  if (s->causal && key > at) return 0;
  if (s->window && s->left >= 0 && key < at - s->left) return 0;
  if (s->window && s->right >= 0 && key > at + s->right) return 0;
  if (p->arrays.mask && !p->mask[i * s->kv_len + j]) return 0;
  return !(p->arrays.bias && p->bias[i * s->kv_len + j] == -HUGE_VAL);
}
