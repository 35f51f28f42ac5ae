#include "naive.h"

#include "dot.h"
#include "finish.h"
#include "softmax.h"

/* Scores of row i into y, -inf where hidden; returns whether any key was visible. */
/*@ requires attest_sizes(h) && attest_inputs(h);
    requires i < h.q_len && begin <= end <= h.kv_len;
    requires \valid(y + (0 .. h.kv_len - 1));
    assigns y[0 .. h.kv_len - 1];
*/
static int score_row(const attest_head h, attest_rule rule, size_t i, size_t begin, size_t end,
                     real *y) {
  int seen = 0;
  const real *q = h.q + attest_row(i, h.q_row) /*@ ghost (h.q_len) */;
  /*@ loop invariant begin <= j <= end;
      loop assigns j, seen, y[0 .. h.kv_len - 1];
      loop variant end - j; */
  for (size_t j = begin; j < end; j++) {
    if (attest_masked(h, i, j)) {
      y[j] = ATTEST_HIDDEN;
    } else {
      const real *k = h.k + attest_row(j, h.k_row) /*@ ghost (h.kv_len) */;
      y[j] = attest_score_at(h, rule, i, j, attest_dot(q, k, h.width));
      seen = 1;
    }
  }
  return seen;
}

void attest_naive_part(const attest_head h, attest_rule rule, size_t i, size_t begin, size_t end,
                       attest_partial *part, real *acc, real *y) {
  const int seen = score_row(h, rule, i, begin, end, y);

  real exponent = ATTEST_HIDDEN;
  /*@ loop invariant begin <= j <= end;
      loop assigns j, exponent;
      loop variant end - j; */
  for (size_t j = begin; j < end; j++) exponent = attest_raise(exponent, y[j]);

  /*@ loop invariant 0 <= c <= h.value_width;
      loop assigns c, acc[0 .. h.value_width - 1];
      loop variant h.value_width - c; */
  for (size_t c = 0; c < h.value_width; c++) acc[c] = 0;

  real sum = 0;
  /*@ loop invariant begin <= j <= end;
      loop assigns j, sum, acc[0 .. h.value_width - 1];
      loop variant end - j; */
  for (size_t j = begin; j < end; j++) {
    if (attest_masked(h, i, j)) continue; /* absent: its value row may hold anything */
    const real p = attest_weight(y[j], exponent);
    sum += p;
    const real *v = h.v + attest_row(j, h.v_row) /*@ ghost (h.kv_len) */;
    /*@ loop invariant 0 <= c <= h.value_width;
        loop assigns c, acc[0 .. h.value_width - 1];
        loop variant h.value_width - c; */
    for (size_t c = 0; c < h.value_width; c++) acc[c] += p * v[c];
  }
  part->exponent = exponent;
  part->sum = sum;
  part->seen = seen;
}

/* The weights of row i from its scores. Hidden keys are asked for again rather than told by a
   score of -inf, since in a row of NaN their weight is still 0. */
/*@ requires attest_sizes(h) && attest_inputs(h);
    requires i < h.q_len && begin <= end <= h.kv_len;
    requires \valid_read(y + (0 .. h.kv_len - 1)) && \valid(weights + (0 .. h.kv_len - 1));
    assigns weights[0 .. h.kv_len - 1];
*/
static void weigh_row(const attest_head h, size_t i, size_t begin, size_t end, const real *y,
                      real exponent, real sum, real *weights) {
  /*@ loop invariant 0 <= j <= h.kv_len;
      loop assigns j, weights[0 .. h.kv_len - 1];
      loop variant h.kv_len - j; */
  for (size_t j = 0; j < h.kv_len; j++) {
    weights[j] = 0;
    if (j >= begin && j < end && !attest_masked(h, i, j))
      weights[j] = attest_quotient(attest_weight(y[j], exponent), sum);
  }
}

void attest_naive_head(const attest_head h, attest_rule rule, real *y) {
  /*@ loop invariant 0 <= i <= h.q_len;
      loop assigns i, y[0 .. h.kv_len - 1],
                   h.out[0 .. attest_extent(h.q_len, h.out_row, h.value_width) - 1],
                   h.weights[0 .. attest_extent(h.q_len, h.kv_len, h.kv_len) - 1], h.lse[0 .. h.q_len - 1];
      loop variant h.q_len - i; */
  for (size_t i = 0; i < h.q_len; i++) {
    const size_t begin = attest_bound(i, h.low, h.key_length);
    const size_t high = attest_bound(i, h.high, h.key_length);
    const size_t end = high > begin ? high : begin;
    real *out = h.out + attest_row(i, h.out_row) /*@ ghost (h.q_len) */;
    attest_partial part;
    attest_naive_part(h, rule, i, begin, end, &part, out, y);
    /*@ loop invariant 0 <= c <= h.value_width;
        loop assigns c, out[0 .. h.value_width - 1];
        loop variant h.value_width - c; */
    for (size_t c = 0; c < h.value_width; c++)
      out[c] = attest_output(out[c], part.sum, part.seen);
    if (h.lse) h.lse[i] = attest_log_sum_exp(part.exponent, part.sum, part.seen);
    if (h.weights) {
      real *weights = h.weights + attest_row(i, h.kv_len) /*@ ghost (h.q_len) */;
      weigh_row(h, i, begin, end, y, part.exponent, part.sum, weights);
    }
  }
}
