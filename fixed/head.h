/* One head as the loop nests see it, and which keys a query row may see. */
#ifndef ATTEST_Q16_HEAD_H
#define ATTEST_Q16_HEAD_H

#include "attest_q16.h"
#include "dot.h"
#include "score.h"

/* Pointers to the first element of one head, and distances in elements between rows. Keys at and
   beyond key_length are hidden from every row. Row i may see only the keys i + low <= j < i + high;
   the mask may hide more. */
typedef struct {
  const int32_t *q, *k, *v;
  const uint8_t *mask;
  int32_t *out, *weights;
  uint32_t q_len, kv_len, key_length;
  uint32_t width, value_width;
  uint32_t q_row, k_row, v_row, out_row, mask_row;
  int32_t low, high;
  attest_q16_scale scale;
} attest_q16_head;

/*@ // elements from the first of row 0 to the last of row rows - 1
    logic integer attest_q16_extent(integer rows, integer stride, integer width) =
      rows <= 0 ? 0 : (rows - 1) * stride + width;

    predicate attest_q16_fits(integer elements) = elements <= 4294967295;

    predicate attest_q16_counts(attest_q16_head h) =
      h.q_len <= 65536 && h.kv_len <= 65536 && h.key_length <= h.kv_len &&
      1 <= h.width <= 1024 && 1 <= h.value_width <= 1024 &&
      -1073741824 <= h.low <= 1073741824 && -1073741824 <= h.high <= 1073741824 &&
      attest_q16_scale_ok(h.scale);

    predicate attest_q16_extents(attest_q16_head h) =
      attest_q16_fits(attest_q16_extent(h.q_len, h.q_row, h.width)) &&
      attest_q16_fits(attest_q16_extent(h.kv_len, h.k_row, h.width)) &&
      attest_q16_fits(attest_q16_extent(h.kv_len, h.v_row, h.value_width)) &&
      attest_q16_fits(attest_q16_extent(h.q_len, h.out_row, h.value_width)) &&
      (h.mask != \null ==> attest_q16_fits(attest_q16_extent(h.q_len, h.mask_row, h.kv_len))) &&
      (h.weights != \null ==> attest_q16_fits(attest_q16_extent(h.q_len, h.kv_len, h.kv_len)));

    predicate attest_q16_sizes(attest_q16_head h) = attest_q16_counts(h) && attest_q16_extents(h);

    predicate attest_q16_mask_readable{L}(attest_q16_head h) =
      h.mask != \null ==>
        \valid_read(h.mask + (0 .. attest_q16_extent(h.q_len, h.mask_row, h.kv_len) - 1));

    predicate attest_q16_inputs{L}(attest_q16_head h) =
      \valid_read(h.q + (0 .. attest_q16_extent(h.q_len, h.q_row, h.width) - 1)) &&
      \valid_read(h.k + (0 .. attest_q16_extent(h.kv_len, h.k_row, h.width) - 1)) &&
      \valid_read(h.v + (0 .. attest_q16_extent(h.kv_len, h.v_row, h.value_width) - 1)) &&
      attest_q16_mask_readable(h);

    predicate attest_q16_outputs{L}(attest_q16_head h) =
      \valid(h.out + (0 .. attest_q16_extent(h.q_len, h.out_row, h.value_width) - 1)) &&
      (h.weights != \null ==>
        \valid(h.weights + (0 .. attest_q16_extent(h.q_len, h.kv_len, h.kv_len) - 1)));

    // weights are written while q is still read
    predicate attest_q16_apart{L}(attest_q16_head h) =
      h.weights != \null ==>
        \separated(h.weights + (0 .. attest_q16_extent(h.q_len, h.kv_len, h.kv_len) - 1),
                   h.q + (0 .. attest_q16_extent(h.q_len, h.q_row, h.width) - 1));

    // what a head says is not in its outputs
    predicate attest_q16_head_apart{L}(attest_q16_head *h) =
      \separated(h, h->out + (0 .. attest_q16_extent(h->q_len, h->out_row, h->value_width) - 1)) &&
      (h->weights != \null ==> \separated(h,
        h->weights + (0 .. attest_q16_extent(h->q_len, h->kv_len, h->kv_len) - 1)));

    logic integer attest_q16_clamp(integer x, integer top) = x < 0 ? 0 : (x > top ? top : x);

    // where the last value row begins
    logic integer attest_q16_furthest(attest_q16_head h) =
      attest_q16_extent(h.kv_len, h.v_row, 0);

    // where row i may see by position
    logic integer attest_q16_first(attest_q16_head h, integer i) =
      attest_q16_clamp(i + h.low, h.key_length);
    logic integer attest_q16_last(attest_q16_head h, integer i) =
      attest_q16_clamp(i + h.high, h.key_length);
*/

/*@ ghost
  // the solvers do not find this by themselves among many other products
  /@ requires 1 <= n;
     assigns \nothing;
     ensures 0 <= x <= n * x; @/
  static inline void attest_q16_product_grows(uint32_t n, uint64_t x) {}

  /@ requires 0 <= a <= b;
     assigns \nothing;
     ensures 0 <= a * c <= b * c; @/
  static inline void attest_q16_products_order(uint32_t a, uint32_t b, uint32_t c) {}

  // where the last of some rows begins
  /@ requires attest_q16_fits(attest_q16_extent(rows, stride, width));
     assigns \nothing;
     ensures \result == attest_q16_extent(rows, stride, 0);
     ensures rows >= 1 ==> \result == (rows - 1) * stride;
     ensures rows >= 1 ==> \result + width == attest_q16_extent(rows, stride, width); @/
  static inline uint32_t attest_q16_last_start(uint32_t rows, uint32_t stride, uint32_t width) {
    if (rows == 0U) return 0U;
    /@ assert product: 0 <= (rows - 1) * stride; @/
    return (rows - 1U) * stride;
  }
*/

/* The one product of two variables in every address. */
/*@ requires i < rows && attest_q16_fits((rows - 1) * stride);
    assigns \nothing;
    ensures \result == i * stride;
    ensures \result <= (rows - 1) * stride;
*/
static inline uint32_t attest_q16_row(uint32_t i, uint32_t stride) /*@ ghost (uint32_t rows) */ {
  //@ assert i * stride <= (rows - 1) * stride;
  return i * stride;
}

/* The first key row i may see by position alone, or the one after the last. */
/*@ requires i <= 65536 && length <= 65536 && -1073741824 <= bound <= 1073741824;
    assigns \nothing;
    ensures \result == attest_q16_clamp(i + bound, length);
*/
static inline uint32_t attest_q16_bound(uint32_t i, int32_t bound, uint32_t length) {
  const int32_t at = (int32_t)i + bound;
  if (at <= 0) return 0;
  return (uint32_t)at < length ? (uint32_t)at : length;
}

/* Keys first <= j < last. */
typedef struct {
  uint32_t first, last;
} attest_q16_span;

/*@ requires \valid_read(h) && attest_q16_counts(*h) && i < h->q_len;
    assigns \nothing;
    ensures \result.first == attest_q16_first(*h, i);
    ensures \result.last == \max(attest_q16_first(*h, i), attest_q16_last(*h, i));
    ensures \result.first <= \result.last <= h->kv_len;
*/
static inline attest_q16_span attest_q16_span_of(const attest_q16_head *h, uint32_t i) {
  attest_q16_span span;
  span.first = attest_q16_bound(i, h->low, h->key_length);
  span.last = attest_q16_bound(i, h->high, h->key_length);
  if (span.last < span.first) span.last = span.first;
  return span;
}

/* Whether the mask hides key j from row i. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_mask_readable(*h);
    requires i < h->q_len && j < h->kv_len;
    assigns \nothing;
    ensures \result != 0 <==> h->mask != \null && h->mask[i * h->mask_row + j] == 0;
*/
static inline int attest_q16_masked(const attest_q16_head *h, uint32_t i, uint32_t j) {
  if (!h->mask) return 0;
  const uint32_t row = attest_q16_row(i, h->mask_row) /*@ ghost (h->q_len) */;
  return h->mask[row + j] == 0;
}

/* The largest magnitude in query row i. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h) && i < h->q_len;
    assigns \nothing;
    ensures most: \result <= 2147483648;
    ensures within: attest_q16_within(h->q + i * h->q_row, h->width, \result);
*/
static inline uint32_t attest_q16_peak_of(const attest_q16_head *h, uint32_t i) {
  const uint32_t row = attest_q16_row(i, h->q_row) /*@ ghost (h->q_len) */;
  return attest_q16_peak(h->q + row, h->width);
}

/* The score of key j for row i. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h);
    requires i < h->q_len && j < h->kv_len && peak <= 2147483648;
    requires attest_q16_within(h->q + i * h->q_row, h->width, peak);
    assigns \nothing;
    ensures attest_q16_score_ok(\result);
    ensures whole: \result.whole == attest_q16_score_whole(
      attest_q16_dot_product(h->q + i * h->q_row, h->k + j * h->k_row, h->width),
      h->scale.mantissa, h->scale.exponent);
    ensures fraction: \result.fraction == attest_q16_score_fraction(
      attest_q16_dot_product(h->q + i * h->q_row, h->k + j * h->k_row, h->width),
      h->scale.mantissa, h->scale.exponent);
*/
static inline attest_q16_score attest_q16_score_at(const attest_q16_head *h, uint32_t i,
                                                   uint32_t j, uint32_t peak) {
  const uint32_t q = attest_q16_row(i, h->q_row) /*@ ghost (h->q_len) */;
  const uint32_t k = attest_q16_row(j, h->k_row) /*@ ghost (h->kv_len) */;
  return attest_q16_score_of(attest_q16_dot_of(h->q + q, h->k + k, h->width, peak), h->scale);
}

#endif
