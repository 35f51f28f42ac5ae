#include "decode.h"

#include "dot.h"
#include "finish.h"
#include "score.h"
#include "softmax.h"

/* Keys whose dot products are taken side by side: the sums of one wait for no other. */
enum { FEW = 4 };

/* Dot products of q with FEW keys, k_row apart. */
/*@ requires 1 <= width <= ATTEST_MAX_WIDTH && attest_fits((FEW - 1) * k_row);
    requires \valid_read(q + (0 .. width - 1));
    requires \valid_read(k + (0 .. attest_extent(FEW, k_row, width) - 1));
    requires \valid(s + (0 .. FEW - 1));
    assigns s[0 .. FEW - 1];
*/
static void dot_few(const real *q, const real *k, size_t k_row, size_t width, real *s) {
  real a[FEW];
  /*@ loop invariant 0 <= b <= FEW;
      loop assigns b, a[0 .. FEW - 1];
      loop variant FEW - b; */
  for (size_t b = 0; b < FEW; b++) a[b] = 0;
  /*@ loop invariant 0 <= c <= width;
      loop assigns c, a[0 .. FEW - 1];
      loop variant width - c; */
  for (size_t c = 0; c < width; c++) {
    /*@ loop invariant 0 <= b <= FEW;
        loop assigns b, a[0 .. FEW - 1];
        loop variant FEW - b; */
    for (size_t b = 0; b < FEW; b++)
      a[b] += q[c] * k[attest_row(b, k_row) /*@ ghost (FEW) */ + c];
  }
  /*@ loop invariant 0 <= b <= FEW;
      loop assigns b, s[0 .. FEW - 1];
      loop variant FEW - b; */
  for (size_t b = 0; b < FEW; b++) s[b] = a[b];
}

/* Scores of row i against `count` keys from key j on, into s[0 .. count-1]; -inf where hidden.
   Returns whether any key was visible. */
/*@ requires attest_sizes(h) && attest_inputs(h);
    requires i < h.q_len && 1 <= count <= ATTEST_LANES && j + count <= h.kv_len;
    requires \valid(s + (0 .. ATTEST_LANES - 1));
    assigns s[0 .. ATTEST_LANES - 1];
*/
static int score_keys(const attest_head h, attest_rule rule, size_t i, size_t j, size_t count,
                      real *s) {
  const real *q = h.q + attest_row(i, h.q_row) /*@ ghost (h.q_len) */;
  const real *k = h.k + attest_rows(j, h.k_row) /*@ ghost (count, h.kv_len) */;
  size_t n = 0;
  /*@ loop invariant 0 <= n <= count;
      loop assigns n, s[0 .. ATTEST_LANES - 1];
      loop variant count - n; */
  for (; count - n >= FEW; n += FEW)
    dot_few(q, k + attest_rows(n, h.k_row) /*@ ghost (FEW, count) */, h.k_row, h.width,
            s + n);
  /*@ loop invariant 0 <= n <= count;
      loop assigns n, s[0 .. ATTEST_LANES - 1];
      loop variant count - n; */
  for (; n < count; n++)
    s[n] = attest_dot(q, k + attest_row(n, h.k_row) /*@ ghost (count) */, h.width);
  int seen = 0;
  /*@ loop invariant 0 <= r <= count;
      loop assigns r, seen, s[0 .. ATTEST_LANES - 1];
      loop variant count - r; */
  for (size_t r = 0; r < count; r++) {
    if (attest_masked(h, i, j + r)) {
      s[r] = ATTEST_HIDDEN;
    } else {
      s[r] = attest_score_at(h, rule, i, j + r, s[r]);
      seen = 1;
    }
  }
  return seen;
}

/* Row i against the keys begin <= j < end: a partial result into *part and acc. */
/*@ requires attest_sizes(h) && attest_inputs(h);
    requires i < h.q_len && begin <= end <= h.kv_len;
    requires \valid(part) && \valid(acc + (0 .. h.value_width - 1));
    requires \valid(s + (0 .. ATTEST_LANES - 1));
    assigns *part, acc[0 .. h.value_width - 1], s[0 .. ATTEST_LANES - 1];
*/
static void decode_part(const attest_head h, attest_rule rule, size_t i, size_t begin, size_t end,
                        attest_partial *part, real *acc, real *s) {
  real exponent = ATTEST_HIDDEN, sum = 0;
  int seen = 0;
  /*@ loop invariant 0 <= c <= h.value_width;
      loop assigns c, acc[0 .. h.value_width - 1];
      loop variant h.value_width - c; */
  for (size_t c = 0; c < h.value_width; c++) acc[c] = 0;

  size_t j = begin;
  /*@ loop invariant begin <= j <= end;
      loop assigns j, exponent, sum, seen, acc[0 .. h.value_width - 1],
                   s[0 .. ATTEST_LANES - 1];
      loop variant end - j; */
  while (j < end) {
    const size_t count = end - j < ATTEST_LANES ? end - j : ATTEST_LANES;
    if (score_keys(h, rule, i, j, count, s)) seen = 1;
    real top = ATTEST_HIDDEN;
    /*@ loop invariant 0 <= r <= count;
        loop assigns r, top;
        loop variant count - r; */
    for (size_t r = 0; r < count; r++) top = s[r] > top ? s[r] : top;
    top = attest_raise(exponent, top); /* rounding keeps the order of scores */
    const real factor = attest_pow2(exponent - top);
    exponent = top;
    sum *= factor;
    /*@ loop invariant 0 <= c <= h.value_width;
        loop assigns c, acc[0 .. h.value_width - 1];
        loop variant h.value_width - c; */
    for (size_t c = 0; c < h.value_width; c++) acc[c] *= factor;
    /*@ loop invariant 0 <= r <= count;
        loop assigns r, sum, acc[0 .. h.value_width - 1];
        loop variant count - r; */
    for (size_t r = 0; r < count; r++) {
      if (attest_masked(h, i, j + r)) continue; /* as in the naive nest */
      const real p = attest_weight(s[r], exponent);
      sum += p;
      const real *v = h.v + attest_row(j + r, h.v_row) /*@ ghost (h.kv_len) */;
      /*@ loop invariant 0 <= c <= h.value_width;
          loop assigns c, acc[0 .. h.value_width - 1];
          loop variant h.value_width - c; */
      for (size_t c = 0; c < h.value_width; c++) acc[c] += p * v[c];
    }
    j += count;
  }
  part->exponent = exponent;
  part->sum = sum;
  part->seen = seen;
}

/* The weights of row i from its final exponent and sum: the scores once more. */
/*@ requires attest_sizes(h) && attest_inputs(h);
    requires i < h.q_len && begin <= end <= h.kv_len;
    requires \valid(weights + (0 .. h.kv_len - 1));
    requires \valid(s + (0 .. ATTEST_LANES - 1));
    assigns weights[0 .. h.kv_len - 1], s[0 .. ATTEST_LANES - 1];
*/
static void weigh_keys(const attest_head h, attest_rule rule, size_t i, size_t begin, size_t end,
                       real exponent, real sum, real *weights, real *s) {
  /*@ loop invariant 0 <= t <= h.kv_len;
      loop assigns t, weights[0 .. h.kv_len - 1];
      loop variant h.kv_len - t; */
  for (size_t t = 0; t < h.kv_len; t++) weights[t] = 0;
  size_t j = begin;
  /*@ loop invariant begin <= j <= end;
      loop assigns j, weights[0 .. h.kv_len - 1], s[0 .. ATTEST_LANES - 1];
      loop variant end - j; */
  while (j < end) {
    const size_t count = end - j < ATTEST_LANES ? end - j : ATTEST_LANES;
    score_keys(h, rule, i, j, count, s);
    /*@ loop invariant 0 <= r <= count;
        loop assigns r, weights[0 .. h.kv_len - 1];
        loop variant count - r; */
    for (size_t r = 0; r < count; r++) {
      if (!attest_masked(h, i, j + r))
        weights[j + r] = attest_quotient(attest_weight(s[r], exponent), sum);
    }
    j += count;
  }
}

void attest_decode_head(const attest_head h, attest_rule rule, real *scratch) {
  /*@ loop invariant 0 <= i <= h.q_len;
      loop assigns i, scratch[0 .. ATTEST_LANES - 1],
                   h.out[0 .. attest_extent(h.q_len, h.out_row, h.value_width) - 1],
                   h.weights[0 .. attest_extent(h.q_len, h.kv_len, h.kv_len) - 1],
                   h.lse[0 .. h.q_len - 1];
      loop variant h.q_len - i; */
  for (size_t i = 0; i < h.q_len; i++) {
    const size_t begin = attest_bound(i, h.low, h.key_length);
    const size_t high = attest_bound(i, h.high, h.key_length);
    const size_t end = high > begin ? high : begin;
    real *out = h.out + attest_row(i, h.out_row) /*@ ghost (h.q_len) */;
    attest_partial part;
    decode_part(h, rule, i, begin, end, &part, out, scratch);
    /*@ loop invariant 0 <= c <= h.value_width;
        loop assigns c, out[0 .. h.value_width - 1];
        loop variant h.value_width - c; */
    for (size_t c = 0; c < h.value_width; c++)
      out[c] = attest_output(out[c], part.sum, part.seen);
    if (h.lse) h.lse[i] = attest_log_sum_exp(part.exponent, part.sum, part.seen);
    if (h.weights) {
      real *weights = h.weights + attest_row(i, h.kv_len) /*@ ghost (h.q_len) */;
      weigh_keys(h, rule, i, begin, end, part.exponent, part.sum, weights, scratch);
    }
  }
}
