/* One head as the loop nests see it, and which keys a query row may see. */
#ifndef ATTEST_HEAD_H
#define ATTEST_HEAD_H

#include "attest.h"
#include "real.h"
#include "rows.h"

/* Pointers to the first element of one head of one batch, and distances in elements between rows.
   Keys at and beyond key_length are hidden from every row. Row i may see only the keys
   i + low <= j < i + high; mask and bias may hide more. */
typedef struct {
  const real *q, *k, *v, *bias;
  const uint8_t *mask;
  real *out, *weights, *lse;
  size_t q_len, kv_len, key_length;
  size_t width, value_width;
  size_t q_row, k_row, v_row, out_row;
  size_t mask_row, mask_key, bias_row, bias_key;
  int64_t low, high;
} attest_head;

/* How a dot product becomes y, the score in base 2, and whether only a mask or bias can tell. */
typedef struct {
  real scale;   /* as asked for, rounded to real */
  real scale2;  /* scale * log2(e), rounded once from double */
  real softcap; /* 0: none */
} attest_rule;

/*@ logic integer attest_clamp(integer x, integer top) = x < 0 ? 0 : (x > top ? top : x);

    // reals of the tiled nest's scratch: transposed queries, accumulators, and one tile of scores
    logic integer attest_tiled_scratch(integer width, integer value_width, integer tile) =
      (width + value_width + tile) * ATTEST_LANES;

    predicate attest_sizes(attest_head h) =
      h.q_len <= ATTEST_MAX_KEYS && h.kv_len <= ATTEST_MAX_KEYS && h.key_length <= h.kv_len &&
      1 <= h.width <= ATTEST_MAX_WIDTH && 1 <= h.value_width <= ATTEST_MAX_WIDTH &&
      -4294967296 <= h.low <= 4294967296 && -4294967296 <= h.high <= 4294967296 &&
      attest_fits(attest_extent(h.q_len, h.q_row, h.width)) &&
      attest_fits(attest_extent(h.kv_len, h.k_row, h.width)) &&
      attest_fits(attest_extent(h.kv_len, h.v_row, h.value_width)) &&
      attest_fits(attest_extent(h.q_len, h.out_row, h.value_width)) &&
      (h.mask != \null ==>
        attest_fits(attest_mask_extent(h.q_len, h.mask_row, h.kv_len, h.mask_key))) &&
      (h.bias != \null ==>
        attest_fits(attest_mask_extent(h.q_len, h.bias_row, h.kv_len, h.bias_key)));

    predicate attest_masks{L}(attest_head h) =
      (h.mask != \null ==> \valid_read(
        h.mask + (0 .. attest_mask_extent(h.q_len, h.mask_row, h.kv_len, h.mask_key) - 1))) &&
      (h.bias != \null ==> \valid_read(
        h.bias + (0 .. attest_mask_extent(h.q_len, h.bias_row, h.kv_len, h.bias_key) - 1)));

    predicate attest_inputs{L}(attest_head h) =
      \valid_read(h.q + (0 .. attest_extent(h.q_len, h.q_row, h.width) - 1)) &&
      \valid_read(h.k + (0 .. attest_extent(h.kv_len, h.k_row, h.width) - 1)) &&
      \valid_read(h.v + (0 .. attest_extent(h.kv_len, h.v_row, h.value_width) - 1)) &&
      attest_masks(h);

    predicate attest_outputs{L}(attest_head h) =
      \valid(h.out + (0 .. attest_extent(h.q_len, h.out_row, h.value_width) - 1)) &&
      (h.weights != \null ==> 
        \valid(h.weights + (0 .. attest_extent(h.q_len, h.kv_len, h.kv_len) - 1))) &&
      (h.lse != \null ==> \valid(h.lse + (0 .. h.q_len - 1)));
*/

#ifdef ATTEST_EXACT
/*@ // the keys a row may see by position
    logic integer attest_first(attest_head h, integer i) = attest_clamp(i + h.low, h.key_length);
    logic integer attest_last(attest_head h, integer i) =
      \let high = attest_clamp(i + h.high, h.key_length);
      high > attest_first(h, i) ? high : attest_first(h, i);

    // the mask does not hide key j from row i; its bias
    predicate attest_mask_shows{L}(attest_head h, integer i, integer j) =
      h.mask != \null ==>
        h.mask[attest_place(i, h.mask_row) + attest_place(j, h.mask_key)] != 0;
    logic attest_number attest_bias_at{L}(attest_head h, integer i, integer j) =
      h.bias[attest_place(i, h.bias_row) + attest_place(j, h.bias_key)];
*/
#endif

/* The first key row i may see by position alone. */
/*@ requires i <= ATTEST_MAX_KEYS && length <= ATTEST_MAX_KEYS;
    requires -4294967296 <= bound <= 4294967296;
    assigns \nothing;
    ensures \result == attest_clamp(i + bound, length);
*/
static inline size_t attest_bound(size_t i, int64_t bound, size_t length) {
  const int64_t at = (int64_t)i + bound;
  if (at <= 0) return 0;
  return at < (int64_t)length ? (size_t)at : length;
}

/* Whether mask or bias hide key j from row i. */
/*@ requires attest_sizes(h) && attest_masks(h);
    requires i < h.q_len && j < h.kv_len;
    assigns \nothing;
    ATTEST_EXACTLY(ensures \result == 0 <==> attest_mask_shows(h, i, j) &&
                     (h.bias != \null ==> -ATTEST_MAX <= attest_bias_at(h, i, j));)
*/
static inline int attest_masked(const attest_head h, size_t i, size_t j) {
  if (h.mask) {
    const size_t row = attest_row(i, h.mask_row) /*@ ghost (h.q_len) */;
    const size_t key = attest_row(j, h.mask_key) /*@ ghost (h.kv_len) */;
    if (!h.mask[row + key]) return 1;
  }
  if (h.bias) {
    const size_t row = attest_row(i, h.bias_row) /*@ ghost (h.q_len) */;
    const size_t key = attest_row(j, h.bias_key) /*@ ghost (h.kv_len) */;
    if (h.bias[row + key] < -ATTEST_MAX) return 1;
  }
  return 0;
}

#endif
