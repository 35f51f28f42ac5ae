/* Elements of output rows, written by functions that are there for their proofs. */
#ifndef ATTEST_Q16_ROWS_H
#define ATTEST_Q16_ROWS_H

#include "row_theory.h"

/* Writes an element of an output. What the rows of a head are stays the same. */
/*@ requires \valid(at) && attest_q16_elsewhere(h, at, 1);
    assigns *at;
    ensures *at == x;
    ensures same: attest_q16_same_rows{Pre, Here}(h);
    ensures scores: attest_q16_same_scores{Pre, Here}(h);
*/
static inline void attest_q16_write(int32_t *at, int32_t x) /*@ ghost (attest_q16_head h) */ {
  *at = x;
  //@ assert apart: attest_q16_elsewhere(h, at, 1);
  //@ ghost attest_q16_row_starts(h.q_len, h.q_row);
  //@ ghost attest_q16_row_starts(h.kv_len, h.k_row);
  //@ ghost attest_q16_row_starts(h.kv_len, h.v_row);
  /*@ ghost
    /@ assert queries: \forall integer i, c; 0 <= i < h.q_len && 0 <= c < h.width ==>
         attest_q16_query_at{Pre}(h, i, c) == attest_q16_query_at{Here}(h, i, c); @/
    /@ assert keys: \forall integer j, c; 0 <= j < h.kv_len && 0 <= c < h.width ==>
         attest_q16_key_at{Pre}(h, j, c) == attest_q16_key_at{Here}(h, j, c); @/
    /@ assert values: \forall integer j, c; 0 <= j < h.kv_len && 0 <= c < h.value_width ==>
         attest_q16_value_at{Pre}(h, j, c) == attest_q16_value_at{Here}(h, j, c); @/
    /@ loop invariant 0 <= c <= h.width;
       loop invariant dots: \forall integer i, j; 0 <= i < h.q_len && 0 <= j < h.kv_len ==>
         attest_q16_dot_to{Pre}(h, i, j, c) == attest_q16_dot_to{Here}(h, i, j, c);
       loop assigns c;
       loop variant h.width - c; @/
    for (uint32_t c = 0; c < h.width; c++) {
      /@ assert queries: \forall integer i; 0 <= i < h.q_len ==>
           attest_q16_query_at{Pre}(h, i, c) == attest_q16_query_at{Here}(h, i, c); @/
      /@ assert keys: \forall integer j; 0 <= j < h.kv_len ==>
           attest_q16_key_at{Pre}(h, j, c) == attest_q16_key_at{Here}(h, j, c); @/
      /@ assert products: \forall integer i, j; 0 <= i < h.q_len && 0 <= j < h.kv_len ==>
           attest_q16_product_at{Pre}(h, i, j, c) == attest_q16_product_at{Here}(h, i, j, c); @/
    }
    /@ assert dots: \forall integer i, j; 0 <= i < h.q_len && 0 <= j < h.kv_len ==>
         attest_q16_dot_at{Pre}(h, i, j) == attest_q16_dot_at{Here}(h, i, j); @/
    /@ assert scores: \forall integer i, j; 0 <= i < h.q_len && 0 <= j < h.kv_len ==>
         attest_q16_whole_at{Pre}(h, i, j) == attest_q16_whole_at{Here}(h, i, j) &&
         attest_q16_fraction_at{Pre}(h, i, j) == attest_q16_fraction_at{Here}(h, i, j); @/
    /@ assert wholes: \forall integer i, j; 0 <= i < h.q_len && 0 <= j < h.kv_len ==>
         attest_q16_seen_whole{Pre}(h, i, j) == attest_q16_seen_whole{Here}(h, i, j); @/
    /@ loop invariant 0 <= n <= h.kv_len;
       loop invariant tops: \forall integer i; 0 <= i < h.q_len ==>
         attest_q16_row_top{Pre}(h, i, n) == attest_q16_row_top{Here}(h, i, n);
       loop assigns n;
       loop variant h.kv_len - n; @/
    for (uint32_t n = 0; n < h.kv_len; n++) {}
    /@ assert tops: attest_q16_same_scores{Pre, Here}(h); @/
    /@ assert weights: \forall integer i, j; 0 <= i < h.q_len && 0 <= j < h.kv_len ==>
         attest_q16_weight_in{Pre}(h, i, j) == attest_q16_weight_in{Here}(h, i, j); @/
    /@ loop invariant 0 <= n <= h.kv_len;
       loop invariant totals: \forall integer i, m; 0 <= i < h.q_len && 0 <= m <= n ==>
         attest_q16_row_total{Pre}(h, i, m) == attest_q16_row_total{Here}(h, i, m);
       loop assigns n;
       loop variant h.kv_len - n; @/
    for (uint32_t n = 0; n < h.kv_len; n++) {}
    /@ assert totals: attest_q16_same_weights{Pre, Here}(h); @/
    /@ loop invariant 0 <= n <= h.kv_len;
       loop invariant sums: \forall integer i, c; 0 <= i < h.q_len && 0 <= c < h.value_width ==>
         attest_q16_row_weighted{Pre}(h, i, c, n) == attest_q16_row_weighted{Here}(h, i, c, n);
       loop assigns n;
       loop variant h.kv_len - n; @/
    for (uint32_t n = 0; n < h.kv_len; n++) {
      /@ assert values: \forall integer c; 0 <= c < h.value_width ==>
           attest_q16_value_at{Pre}(h, n, c) == attest_q16_value_at{Here}(h, n, c); @/
      /@ assert parts: \forall integer i, c; 0 <= i < h.q_len && 0 <= c < h.value_width ==>
           attest_q16_part_at{Pre}(h, i, c, n) == attest_q16_part_at{Here}(h, i, c, n); @/
    }
    /@ assert sums: attest_q16_same_sums{Pre, Here}(h); @/
  */
}

/* The output row of no key. */
/*@ requires \valid(out + (0 .. width - 1)) && attest_q16_elsewhere(h, out, width);
    assigns out[0 .. width - 1];
    ensures zero: \forall integer c; 0 <= c < width ==> out[c] == 0;
    ensures same: attest_q16_same_rows{Pre, Here}(h);
    ensures scores: attest_q16_same_scores{Pre, Here}(h);
*/
static inline void attest_q16_clear_row(int32_t *out, uint32_t width)
    /*@ ghost (attest_q16_head h) */ {
  /*@ loop invariant 0 <= c <= width;
      loop invariant zero: \forall integer d; 0 <= d < c ==> out[d] == 0;
      loop invariant same: attest_q16_same_rows{Pre, Here}(h);
      loop invariant scores: attest_q16_same_scores{Pre, Here}(h);
      loop assigns c, out[0 .. width - 1];
      loop variant width - c; */
  for (uint32_t c = 0; c < width; c++) attest_q16_write(out + c, 0) /*@ ghost (h) */;
}

/*@ logic integer attest_q16_row_sum{L}(int32_t *weights, integer n) =
      n <= 0 ? 0 : attest_q16_row_sum(weights, n - 1) + weights[n - 1];
*/

/* Writes weight j of a row. */
/*@ requires j < 65536 && \valid(weights + (0 .. j));
    requires -65536 <= attest_q16_row_sum(weights, j) <= 65536;
    requires attest_q16_elsewhere(h, weights + j, 1);
    assigns weights[j];
    ensures weights[j] == weight;
    ensures attest_q16_row_sum(weights, j + 1) == \old(attest_q16_row_sum(weights, j)) + weight;
    ensures same: attest_q16_same_rows{Pre, Here}(h);
*/
static inline void attest_q16_append_weight(int32_t *weights, uint32_t j, int32_t weight)
    /*@ ghost (attest_q16_head h) */ {
  attest_q16_write(weights + j, weight) /*@ ghost (h) */;
  /*@ ghost
    // the weights before are the same, so their sum is
    /@ loop invariant 0 <= k <= j;
       loop invariant attest_q16_row_sum{Here}(weights, k) == attest_q16_row_sum{Pre}(weights, k);
       loop assigns k;
       loop variant j - k; @/
    for (uint32_t k = 0; k < j; k++) {
      /@ assert attest_q16_row_sum{Here}(weights, k + 1) ==
           attest_q16_row_sum{Here}(weights, k) + weights[k]; @/
      /@ assert attest_q16_row_sum{Pre}(weights, k + 1) ==
           attest_q16_row_sum{Pre}(weights, k) + \at(weights[k], Here); @/
    }
  */
}

/* Where row i of the weights begins; NULL where none are asked for. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && i < h->q_len;
    assigns \nothing;
    ensures none: h->weights == \null ==> \result == \null;
    ensures some: h->weights != \null ==> \result == h->weights + attest_q16_place(i, h->kv_len);
    ensures inside: h->weights != \null ==> 0 <= attest_q16_place(i, h->kv_len) &&
      attest_q16_place(i, h->kv_len) + h->kv_len <=
        attest_q16_extent(h->q_len, h->kv_len, h->kv_len);
*/
static inline int32_t *attest_q16_weights_row(const attest_q16_head *h, uint32_t i) {
  if (!h->weights) return h->weights;
  //@ ghost attest_q16_place_is(i, h->kv_len);
  return h->weights + attest_q16_row(i, h->kv_len) /*@ ghost (h->q_len) */;
}

/* Where row i of the output begins. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && i < h->q_len;
    assigns \nothing;
    ensures \result == h->out + attest_q16_place(i, h->out_row);
    ensures inside: 0 <= attest_q16_place(i, h->out_row) &&
      attest_q16_place(i, h->out_row) + h->value_width <=
        attest_q16_extent(h->q_len, h->out_row, h->value_width);
*/
static inline int32_t *attest_q16_out_row(const attest_q16_head *h, uint32_t i) {
  //@ ghost attest_q16_place_is(i, h->out_row);
  return h->out + attest_q16_row(i, h->out_row) /*@ ghost (h->q_len) */;
}

#endif
