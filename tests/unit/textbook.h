/* Attention as a textbook writes it, in long double and row by row, and how far ref/ may be from
   it. Shares no code with ref/: the exponential, tanh and logarithm are libm's. For finite inputs
   whose scores stay far from overflow. */
#ifndef TESTS_TEXTBOOK_H
#define TESTS_TEXTBOOK_H

#include <float.h>

#include "log.h"
#include "trial.h"
#include "tanh.h"

typedef long double wide;

typedef struct {
  size_t seen;                  /* visible keys */
  wide *score, *reach;          /* s_ij; allowance of s_ij */
  wide *weight, *weight_allow;  /* kv_len of each */
  wide *out, *out_allow;        /* value_width of each */
  wide lse, lse_allow;
  wide highest, lowest;         /* visible scores in base 2 */
  wide largest, smallest;       /* |v| of visible values; smallest: of those that are not 0 */
  unsigned char *visible;
} book;

static inline wide *wides(size_t count) { return memory(count * sizeof(wide)); }

static inline void book_make(const attest_shape *s, book *k) {
  k->score = wides(s->kv_len);
  k->reach = wides(s->kv_len);
  k->weight = wides(s->kv_len);
  k->weight_allow = wides(s->kv_len);
  k->out = wides(s->value_width);
  k->out_allow = wides(s->value_width);
  k->visible = memory(s->kv_len);
}

static inline void book_free(book *k) {
  free(k->score);
  free(k->reach);
  free(k->weight);
  free(k->weight_allow);
  free(k->out);
  free(k->out_allow);
  free(k->visible);
}

/* How far the results of ref/ may be from the exact ones, for every engine, for parts merged in any
   order, and so for any order of the sums. To be replaced by the project's one bound function when
   that is there.

   u is the unit roundoff of real, n the number of visible keys, d the width, s the exact score.
   Terms of second order are covered by the factor `more`, which needs d u and n u below 2^-9.

   Score (natural units; what ref/ rounds, in order):
     dot product of d terms                     d u scale sum|q k|     (Jeannerod and Rump 2013)
     scale as a real: sqrt, division, log2(e),
       product, and for float the last one      4 u |scale q.k|
     scale times dot                              u |scale q.k|
     softcap, c as a real and division: tanh is 1-Lipschitz, and |d/dc (c tanh(s/c))| <= |tanh|
                                                  u |scale q.k| + u |capped|
     tanh, and its product with c               (TANH_ERROR + u) |capped|
     sum with the bias                            u |s|
     log2(e) as a real, and the product         2 u |s|
     the dot product's underflow                d 2^-149 scale (double: 2^-1074)
   reach[j] is their sum. The weight 2^f adds EXP2_ERROR:
     eta[j] = reach[j] + EXP2_ERROR,  H = max eta over the visible keys
   Splitting 2^y = 2^f 2^n is exact.

   Output: with p the exact weights and p' the computed ones before any sum, p'[j] / p[j] lies
   within e^(+-eta[j]) up to a common factor, so the mean o' under p' differs from o by
     |o' - o| <= E1 = e^H sum p[j] |v[j] - o| (e^eta[j] - 1),  and never by more than max v - min v.
   Numerator, denominator and division add
     (n + 1) u (S + |o| + E1),  S = sum p'|v| / sum p' <= min(max|v|, e^(2H) sum p |v|)
   and 2 u (|o| + E1) for what is left of the quotient.
   Underflow: a weight below 2^-126 of the largest counts as 0, and products p v and rescaled sums
   round at 2^-150 (at most twice for each key); the sum of the weights is at least 2^-1/2:
     4 n (2^-125 max|v| + 2^-149)               (double: 2^-1021, 2^-1074)

   Weights:  p (e^(eta + H) (1 + (n + 2) u) - 1) + 2^-125, and never more than 1.
   Log-sum-exp = M ln 2 + log sum:  H + 2 n u + (LOG_ERROR + 4 u) (|s|max + log n + 1).

   The textbook's own error obeys the same bound with u = 2^-64: at most 2^-10 of it. */
static inline void book_allow(const problem *p, size_t b, size_t h, book *k) {
  const attest_shape *s = &p->shape;
  const size_t kv_head = h / (s->q_heads / s->kv_heads);
  const wide u = sizeof(real) == sizeof(float) ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
  const wide least = sizeof(real) == sizeof(float) ? 0x1p-149L : 0x1p-1074L;
  const wide faint = sizeof(real) == sizeof(float) ? 0x1p-125L : 0x1p-1021L;
  const wide n = (wide)k->seen;
  const wide more = 1 + 4 * ((wide)s->width + n + 16) * u + 0x1p-9L;
  wide top = 0, magnitude = 0;
  for (size_t j = 0; j < s->kv_len; j++) {
    if (!k->visible[j]) continue;
    const wide eta = (k->reach[j] + ATTEST_EXP2_ERROR) * more;
    k->reach[j] = eta;
    if (eta > top) top = eta;
    if (fabsl(k->score[j]) > magnitude) magnitude = fabsl(k->score[j]);
  }
  const wide wild = top > 20 ? 0 : 1; /* 0: e^H would say nothing; only the caps remain */
  const wide blow = wild > 0 ? expl(top) : 1;
  for (size_t c = 0; c < s->value_width; c++) {
    wide drift = 0, mean = 0, low = INFINITY, high = -INFINITY;
    for (size_t j = 0; j < s->kv_len; j++) {
      if (!k->visible[j]) continue;
      const wide v = p->v[b * s->v.batch + kv_head * s->v.head + j * s->v.row + c];
      if (wild > 0) drift += blow * k->weight[j] * fabsl(v - k->out[c]) * expm1l(k->reach[j]);
      mean += k->weight[j] * fabsl(v);
      if (v < low) low = v;
      if (v > high) high = v;
    }
    k->out_allow[c] = 0;
    if (k->seen == 0) continue;
    if (wild <= 0 || drift > high - low) drift = high - low;
    const wide size = fabsl(k->out[c]) + drift;
    wide share = blow * blow * mean;
    if (wild <= 0 || share > k->largest) share = k->largest;
    k->out_allow[c] = more * (drift + (n + 1) * u * (share + size) + 2 * u * size +
                              4 * n * (faint * k->largest + least));
  }
  for (size_t j = 0; j < s->kv_len; j++) {
    k->weight_allow[j] = 0;
    if (!k->visible[j]) continue;
    wide allow = 1;
    if (wild > 0)
      allow = more * (k->weight[j] * (expm1l(k->reach[j] + top) + blow * blow * (n + 2) * u) +
                      faint);
    k->weight_allow[j] = allow < 1 ? allow : 1;
  }
  k->lse_allow = more * (top + 2 * n * u +
                         (ATTEST_LOG_ERROR + 4 * u) * (magnitude + logl(n > 0 ? n : 1) + 1));
}

/* Row i of head h of batch b. */
static inline void book_row(const problem *p, size_t b, size_t h, size_t i, book *k) {
  const attest_shape *s = &p->shape;
  const size_t kv_head = h / (s->q_heads / s->kv_heads);
  const wide scale = s->scale_given ? (wide)s->scale : 1 / sqrtl((wide)s->width);
  const wide u = sizeof(real) == sizeof(float) ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
  const wide least = sizeof(real) == sizeof(float) ? 0x1p-149L : 0x1p-1074L;
  const real *q = p->q + b * s->q.batch + h * s->q.head + i * s->q.row;
  wide top = -INFINITY, bottom = INFINITY, sum = 0;
  k->seen = 0;
  k->largest = 0;
  k->smallest = INFINITY;
  for (size_t j = 0; j < s->kv_len; j++) {
    const real *key = p->k + b * s->k.batch + kv_head * s->k.head + j * s->k.row;
    const real *value = p->v + b * s->v.batch + kv_head * s->v.head + j * s->v.row;
    wide dot = 0, size = 0, score, reach;
    k->visible[j] = (unsigned char)visible(p, b, h, i, j);
    k->score[j] = -INFINITY;
    k->weight[j] = 0;
    if (!k->visible[j]) continue;
    for (size_t c = 0; c < s->width; c++) {
      dot += (wide)q[c] * key[c];
      size += fabsl((wide)q[c] * key[c]);
    }
    score = scale * dot;
    reach = fabsl(scale) * ((wide)s->width * (u * size + least)) + 5 * u * fabsl(score);
    if (s->softcap > 0) {
      reach += u * fabsl(score);
      score = (wide)s->softcap * tanhl(score / (wide)s->softcap);
      reach += (2 * u + ATTEST_TANH_ERROR) * fabsl(score);
    }
    if (p->bias) {
      score += p->bias[b * s->bias.batch + h * s->bias.head + i * s->bias.row + j * s->bias.key];
      reach += u * fabsl(score);
    }
    reach += 2 * u * fabsl(score);
    k->score[j] = score;
    k->reach[j] = reach;
    k->seen++;
    if (score > top) top = score;
    if (score < bottom) bottom = score;
    for (size_t c = 0; c < s->value_width; c++) {
      const wide v = fabsl((wide)value[c]);
      if (v > k->largest) k->largest = v;
      if (v > 0 && v < k->smallest) k->smallest = v;
    }
  }
  for (size_t j = 0; j < s->kv_len; j++)
    if (k->visible[j]) sum += expl(k->score[j] - top);
  for (size_t c = 0; c < s->value_width; c++) k->out[c] = 0;
  for (size_t j = 0; j < s->kv_len; j++) {
    const real *value = p->v + b * s->v.batch + kv_head * s->v.head + j * s->v.row;
    if (!k->visible[j]) continue;
    k->weight[j] = expl(k->score[j] - top) / sum;
    for (size_t c = 0; c < s->value_width; c++) k->out[c] += k->weight[j] * value[c];
  }
  k->lse = k->seen > 0 ? top + logl(sum) : -(wide)INFINITY;
  k->highest = top * 1.44269504088896340736L;
  k->lowest = bottom * 1.44269504088896340736L;
  book_allow(p, b, h, k);
}

/* The condition under which all engines give the same bits: with R the largest minus the smallest
   rounded score, R <= 125, nonzero |v| >= 2^(R - 125), and n sqrt(2) max|v| < 2^127 (double: 1021,
   1021, 1023). Scores are the textbook's here, so R is taken 2 larger than they say. */
static inline int book_same_bits(const book *k) {
  const wide limit = sizeof(real) == sizeof(float) ? 125 : 1021;
  if (k->seen == 0) return 1;
  const wide range = rintl(k->highest) - rintl(k->lowest) + 2;
  if (!(range <= limit) || fabsl(k->highest) > 1e6L || fabsl(k->lowest) > 1e6L) return 0;
  if (k->smallest < exp2l(range - limit)) return 0;
  return (wide)k->seen * 1.5L * k->largest < exp2l(limit + 2);
}

/* The first of what differs between a row of a result and the textbook, or NULL. */
static inline const char *book_differs(const problem *p, const book *k, const result *r, size_t b,
                                       size_t h, size_t i) {
  const real *out = out_at(p, r, b, h, i), *weights = weights_at(p, r, b, h, i);
  const real lse = *lse_at(p, r, b, h, i);
  for (size_t c = 0; c < p->shape.value_width; c++) {
    if (k->seen == 0 && bits_of(out[c]) != 0) return "output of an empty row";
    if (!(fabsl(out[c] - k->out[c]) <= k->out_allow[c])) return "output";
  }
  for (size_t j = 0; j < p->shape.kv_len; j++) {
    if (!k->visible[j] && bits_of(weights[j]) != 0) return "weight of a hidden key";
    if (!(fabsl(weights[j] - k->weight[j]) <= k->weight_allow[j])) return "weight";
  }
  if (k->seen == 0 ? lse != -(real)INFINITY : !(fabsl(lse - k->lse) <= k->lse_allow)) return "lse";
  return NULL;
}

#endif
