/* What a row of attention is, as functions of a head in logic, for the proofs (proofs/fixed.md).
   No code. */
#ifndef ATTEST_Q16_ROW_THEORY_H
#define ATTEST_Q16_ROW_THEORY_H

#include "divide.h"
#include "head.h"
#include "share.h"
#include "weight.h"

/*@ // 1 where row i may see key j
    logic integer attest_q16_seen{L}(attest_q16_head h, integer i, integer j) =
      j < attest_q16_first(h, i) ? 0 : j >= attest_q16_last(h, i) ? 0 :
      h.mask == \null ? 1 : h.mask[i * h.mask_row + j] == 0 ? 0 : 1;

    predicate attest_q16_hidden{L}(attest_q16_head h, integer i, integer j) =
      attest_q16_seen(h, i, j) == 0;

    logic integer attest_q16_query_at{L}(attest_q16_head h, integer i, integer c) =
      h.q[i * h.q_row + c];
    logic integer attest_q16_key_at{L}(attest_q16_head h, integer j, integer c) =
      h.k[j * h.k_row + c];
    logic integer attest_q16_value_at{L}(attest_q16_head h, integer j, integer c) =
      h.v[j * h.v_row + c];

    logic integer attest_q16_product_at{L}(attest_q16_head h, integer i, integer j, integer c) =
      attest_q16_query_at(h, i, c) * attest_q16_key_at(h, j, c);

    // of the first n elements of query row i and key row j
    logic integer attest_q16_dot_to{L}(attest_q16_head h, integer i, integer j, integer n) =
      n <= 0 ? 0 : attest_q16_dot_to(h, i, j, n - 1) + attest_q16_product_at(h, i, j, n - 1);
    logic integer attest_q16_dot_at{L}(attest_q16_head h, integer i, integer j) =
      attest_q16_dot_to(h, i, j, h.width);

    // the score of key j for row i, in two words
    logic integer attest_q16_whole_at{L}(attest_q16_head h, integer i, integer j) =
      attest_q16_score_whole(attest_q16_dot_at(h, i, j), h.scale.mantissa, h.scale.exponent);
    logic integer attest_q16_fraction_at{L}(attest_q16_head h, integer i, integer j) =
      attest_q16_score_fraction(attest_q16_dot_at(h, i, j), h.scale.mantissa, h.scale.exponent);

    logic integer attest_q16_seen_whole{L}(attest_q16_head h, integer i, integer j) =
      attest_q16_seen(h, i, j) == 0 ? 0 : attest_q16_whole_at(h, i, j);

    // the largest whole part among visible keys j < n, 0 if there are none
    logic integer attest_q16_row_top{L}(attest_q16_head h, integer i, integer n) =
      n <= 0 ? 0 :
        \max(attest_q16_row_top(h, i, n - 1), attest_q16_seen_whole(h, i, n - 1));

    // the weight of key j for row i in units of 2^-38, 0 where hidden
    logic integer attest_q16_weight_in{L}(attest_q16_head h, integer i, integer j) =
      attest_q16_seen(h, i, j) == 0 ? 0 :
        attest_q16_mass_at(attest_q16_whole_at(h, i, j), attest_q16_fraction_at(h, i, j),
                           attest_q16_row_top(h, i, h.kv_len));

    // the sum of the weights of keys j < n
    logic integer attest_q16_row_total{L}(attest_q16_head h, integer i, integer n) =
      n <= 0 ? 0 : attest_q16_row_total(h, i, n - 1) + attest_q16_weight_in(h, i, n - 1);

    // what key j adds to column c of row i: values are counted from -2^31
    logic integer attest_q16_part_at{L}(attest_q16_head h, integer i, integer c, integer j) =
      attest_q16_times_of(attest_q16_weight_in(h, i, j),
                          attest_q16_value_at(h, j, c) + 2147483648);

    // the sum of weights times values of keys j < n
    logic integer attest_q16_row_weighted{L}(attest_q16_head h, integer i, integer c, integer n) =
      n <= 0 ? 0 : attest_q16_row_weighted(h, i, c, n - 1) +
        attest_q16_part_at(h, i, c, n - 1);

    // column c of output row i
    logic integer attest_q16_output_at{L}(attest_q16_head h, integer i, integer c) =
      attest_q16_output_of(attest_q16_row_weighted(h, i, c, h.kv_len),
                           attest_q16_row_total(h, i, h.kv_len));

    // the weight of key j for row i as it is given out, in units of 2^-16
    logic integer attest_q16_given_weight{L}(attest_q16_head h, integer i, integer j) =
      attest_q16_share_at(attest_q16_row_total(h, i, j + 1),
                          attest_q16_row_total(h, i, h.kv_len)) -
      attest_q16_share_at(attest_q16_row_total(h, i, j), attest_q16_row_total(h, i, h.kv_len));

    // elements and rows are the same in two states
    predicate attest_q16_same_elements{K, L}(attest_q16_head h) =
      (\forall integer i, c; 0 <= i < h.q_len && 0 <= c < h.width ==>
        attest_q16_query_at{K}(h, i, c) == attest_q16_query_at{L}(h, i, c)) &&
      (\forall integer j, c; 0 <= j < h.kv_len && 0 <= c < h.width ==>
        attest_q16_key_at{K}(h, j, c) == attest_q16_key_at{L}(h, j, c)) &&
      (\forall integer j, c; 0 <= j < h.kv_len && 0 <= c < h.value_width ==>
        attest_q16_value_at{K}(h, j, c) == attest_q16_value_at{L}(h, j, c));

    predicate attest_q16_same_scores{K, L}(attest_q16_head h) =
      (\forall integer i, j; 0 <= i < h.q_len && 0 <= j < h.kv_len ==>
        attest_q16_whole_at{K}(h, i, j) == attest_q16_whole_at{L}(h, i, j) &&
        attest_q16_fraction_at{K}(h, i, j) == attest_q16_fraction_at{L}(h, i, j)) &&
      (\forall integer i; 0 <= i < h.q_len ==>
        attest_q16_row_top{K}(h, i, h.kv_len) == attest_q16_row_top{L}(h, i, h.kv_len));

    predicate attest_q16_same_weights{K, L}(attest_q16_head h) =
      (\forall integer i, j; 0 <= i < h.q_len && 0 <= j < h.kv_len ==>
        attest_q16_weight_in{K}(h, i, j) == attest_q16_weight_in{L}(h, i, j)) &&
      (\forall integer i, n; 0 <= i < h.q_len && 0 <= n <= h.kv_len ==>
        attest_q16_row_total{K}(h, i, n) == attest_q16_row_total{L}(h, i, n));

    predicate attest_q16_same_sums{K, L}(attest_q16_head h) =
      (\forall integer i, c; 0 <= i < h.q_len && 0 <= c < h.value_width ==>
        attest_q16_row_weighted{K}(h, i, c, h.kv_len) ==
        attest_q16_row_weighted{L}(h, i, c, h.kv_len));

    predicate attest_q16_same_rows{K, L}(attest_q16_head h) =
      attest_q16_same_weights{K, L}(h) && attest_q16_same_sums{K, L}(h);

    // n elements that are in no row of q, k and v
    predicate attest_q16_elsewhere{L}(attest_q16_head h, int32_t *p, integer n) =
      \separated(p + (0 .. n - 1), h.q + (0 .. attest_q16_extent(h.q_len, h.q_row, h.width) - 1)) &&
      \separated(p + (0 .. n - 1), h.k + (0 .. attest_q16_extent(h.kv_len, h.k_row, h.width) - 1)) &&
      \separated(p + (0 .. n - 1), h.v + (0 .. attest_q16_extent(h.kv_len, h.v_row, h.value_width) - 1));

    // the outputs of a head are in none of its inputs, nor in each other
    predicate attest_q16_outputs_elsewhere{L}(attest_q16_head h) =
      attest_q16_elsewhere(h, h.out, attest_q16_extent(h.q_len, h.out_row, h.value_width)) &&
      (h.weights != \null ==>
        attest_q16_elsewhere(h, h.weights, attest_q16_extent(h.q_len, h.kv_len, h.kv_len)) &&
        \separated(h.weights + (0 .. attest_q16_extent(h.q_len, h.kv_len, h.kv_len) - 1),
          h.out + (0 .. attest_q16_extent(h.q_len, h.out_row, h.value_width) - 1)));
*/

/*@ // where row i begins: i stride, which the solvers do not take apart by themselves
    logic integer attest_q16_place(integer i, integer stride) =
      i <= 0 ? 0 : attest_q16_place(i - 1, stride) + stride;

    // what stands in the outputs
    logic integer attest_q16_out_at{L}(attest_q16_head h, integer i, integer c) =
      h.out[attest_q16_place(i, h.out_row) + c];
    logic integer attest_q16_share_of{L}(attest_q16_head h, integer i, integer j) =
      h.weights[attest_q16_place(i, h.kv_len) + j];

    // row i of the outputs in state L is what inputs in state K make it
    predicate attest_q16_row_done{K, L}(attest_q16_head h, integer i) =
      (\forall integer c; 0 <= c < h.value_width ==>
        attest_q16_out_at{L}(h, i, c) == attest_q16_output_at{K}(h, i, c)) &&
      (h.weights != \null ==> \forall integer j; 0 <= j < h.kv_len ==>
        attest_q16_share_of{L}(h, i, j) == attest_q16_given_weight{K}(h, i, j));

    // so are rows 0 to n - 1
    predicate attest_q16_rows_done{K, L}(attest_q16_head h, integer n) =
      (\forall integer i, c; 0 <= i < n && 0 <= c < h.value_width ==>
        attest_q16_out_at{L}(h, i, c) == attest_q16_output_at{K}(h, i, c)) &&
      (h.weights != \null ==> \forall integer i, j; 0 <= i < n && 0 <= j < h.kv_len ==>
        attest_q16_share_of{L}(h, i, j) == attest_q16_given_weight{K}(h, i, j));

    predicate attest_q16_head_done{K, L}(attest_q16_head h) =
      attest_q16_rows_done{K, L}(h, h.q_len);

    // rows 0 to n - 1 of the outputs are the same in two states
    predicate attest_q16_rows_kept{K, L}(attest_q16_head h, integer n) =
      (\forall integer i, c; 0 <= i < n && 0 <= c < h.value_width ==>
        attest_q16_out_at{K}(h, i, c) == attest_q16_out_at{L}(h, i, c)) &&
      (h.weights != \null ==> \forall integer i, j; 0 <= i < n && 0 <= j < h.kv_len ==>
        attest_q16_share_of{K}(h, i, j) == attest_q16_share_of{L}(h, i, j));

    // element e of the output, counted from its first; and whether it is in none of its rows
    logic integer attest_q16_cell_at{L}(attest_q16_head h, integer e) = h.out[e];
    predicate attest_q16_between(attest_q16_head h, integer e) =
      \forall integer i; 0 <= i < h.q_len ==>
        e < attest_q16_place(i, h.out_row) ||
        attest_q16_place(i, h.out_row) + h.value_width <= e;

    // elements between output rows, where other heads may have theirs, are the same in two states
    predicate attest_q16_gaps_kept{K, L}(attest_q16_head h) =
      \forall integer e; attest_q16_between(h, e) &&
        0 <= e < attest_q16_extent(h.q_len, h.out_row, h.value_width) ==>
        attest_q16_cell_at{K}(h, e) == attest_q16_cell_at{L}(h, e);

    // an output row ends before the next begins
    predicate attest_q16_out_rows_apart(attest_q16_head h) =
      h.q_len <= 1 || h.value_width <= h.out_row;
*/

/*@ ghost
  /@ assigns \nothing;
     ensures is: attest_q16_place(i, stride) == i * stride;
     ensures apart: \forall integer t; 0 <= t < i ==>
       0 <= attest_q16_place(t, stride) &&
       attest_q16_place(t, stride) + stride <= attest_q16_place(i, stride); @/
  static inline void attest_q16_place_is(uint32_t i, uint32_t stride) {
    /@ loop invariant 0 <= n <= i;
       loop invariant 0 <= attest_q16_place(n, stride) == n * stride;
       loop invariant \forall integer t; 0 <= t < n ==>
         0 <= attest_q16_place(t, stride) &&
         attest_q16_place(t, stride) + stride <= attest_q16_place(n, stride);
       loop assigns n;
       loop variant i - n; @/
    for (uint32_t n = 0; n < i; n++) {}
  }
*/

/*@ ghost
  /@ assigns \nothing;
     ensures attest_q16_dot_product(q, k, n + 1) ==
       attest_q16_dot_product(q, k, n) + q[n] * k[n]; @/
  static inline void attest_q16_dot_step(const int32_t *q, const int32_t *k, uint32_t n) {}

  // the dot product of two rows, by their elements
  /@ requires q == h.q + i * h.q_row && k == h.k + j * h.k_row;
     assigns \nothing;
     ensures attest_q16_dot_at(h, i, j) == attest_q16_dot_product(q, k, h.width); @/
  static inline void attest_q16_dot_is(attest_q16_head h, uint32_t i, uint32_t j,
                                       const int32_t *q, const int32_t *k) {
    /@ loop invariant 0 <= n <= h.width;
       loop invariant attest_q16_dot_to(h, i, j, n) == attest_q16_dot_product(q, k, n);
       loop assigns n;
       loop variant h.width - n; @/
    for (uint32_t n = 0; n < h.width; n++) {
      attest_q16_dot_step(q, k, n);
      /@ assert product: attest_q16_product_at(h, i, j, n) == q[n] * k[n]; @/
    }
  }
*/

/*@ ghost
  /@ assigns \nothing;
     ensures inside: \forall integer i; 0 <= i < rows ==> 0 <= i * stride <= (rows - 1) * stride;
     ensures apart: \forall integer i; 0 <= i < rows ==> i * stride + stride <= rows * stride; @/
  static inline void attest_q16_row_starts(uint32_t rows, uint32_t stride) {
    /@ loop invariant 0 <= n <= rows;
       loop invariant \forall integer i; 0 <= i < n ==>
         0 <= i * stride && i * stride + stride <= n * stride;
       loop assigns n;
       loop variant rows - n; @/
    for (uint32_t n = 0; n < rows; n++) {
      /@ assert next: (n + 1) * stride == n * stride + stride; @/
      /@ assert least: 0 <= n * stride; @/
    }
    /@ assert last: (rows - 1) * stride == rows * stride - stride; @/
  }

  // keys outside the span add nothing
  /@ requires attest_q16_counts(h) && i < h.q_len;
     requires span.first == attest_q16_first(h, i);
     requires span.last == \max(attest_q16_first(h, i), attest_q16_last(h, i));
     assigns \nothing;
     ensures \forall integer n; 0 <= n <= span.first ==> attest_q16_row_top(h, i, n) == 0;
     ensures \forall integer n; span.last <= n <= h.kv_len ==>
       attest_q16_row_top(h, i, n) == attest_q16_row_top(h, i, span.last); @/
  static inline void attest_q16_top_ends(attest_q16_head h, uint32_t i, attest_q16_span span) {
    /@ loop invariant 0 <= n <= span.first;
       loop invariant \forall integer m; 0 <= m <= n ==> attest_q16_row_top(h, i, m) == 0;
       loop assigns n;
       loop variant span.first - n; @/
    for (uint32_t n = 0; n < span.first; n++) {
      /@ assert hidden: attest_q16_seen_whole(h, i, n) == 0; @/
    }
    /@ assert some: attest_q16_row_top(h, i, span.first) == 0; @/
    /@ loop invariant span.first <= n <= span.last;
       loop invariant 0 <= attest_q16_row_top(h, i, n);
       loop assigns n;
       loop variant span.last - n; @/
    for (uint32_t n = span.first; n < span.last; n++) {}
    /@ loop invariant span.last <= n <= h.kv_len;
       loop invariant \forall integer m; span.last <= m <= n ==>
         attest_q16_row_top(h, i, m) == attest_q16_row_top(h, i, span.last);
       loop assigns n;
       loop variant h.kv_len - n; @/
    for (uint32_t n = span.last; n < h.kv_len; n++) {
      /@ assert hidden: attest_q16_seen_whole(h, i, n) == 0; @/
    }
  }

  /@ requires attest_q16_counts(h) && i < h.q_len;
     requires span.first == attest_q16_first(h, i);
     requires span.last == \max(attest_q16_first(h, i), attest_q16_last(h, i));
     assigns \nothing;
     ensures \forall integer n; 0 <= n <= span.first ==> attest_q16_row_total(h, i, n) == 0;
     ensures \forall integer n; span.last <= n <= h.kv_len ==>
       attest_q16_row_total(h, i, n) == attest_q16_row_total(h, i, span.last); @/
  static inline void attest_q16_total_ends(attest_q16_head h, uint32_t i, attest_q16_span span) {
    /@ loop invariant 0 <= n <= span.first;
       loop invariant \forall integer m; 0 <= m <= n ==> attest_q16_row_total(h, i, m) == 0;
       loop assigns n;
       loop variant span.first - n; @/
    for (uint32_t n = 0; n < span.first; n++) {
      /@ assert hidden: attest_q16_weight_in(h, i, n) == 0; @/
    }
    /@ loop invariant span.last <= n <= h.kv_len;
       loop invariant \forall integer m; span.last <= m <= n ==>
         attest_q16_row_total(h, i, m) == attest_q16_row_total(h, i, span.last);
       loop assigns n;
       loop variant h.kv_len - n; @/
    for (uint32_t n = span.last; n < h.kv_len; n++) {
      /@ assert hidden: attest_q16_weight_in(h, i, n) == 0; @/
    }
  }

  /@ requires attest_q16_counts(h) && i < h.q_len;
     requires span.first == attest_q16_first(h, i);
     requires span.last == \max(attest_q16_first(h, i), attest_q16_last(h, i));
     assigns \nothing;
     ensures \forall integer c; attest_q16_row_weighted(h, i, c, span.first) == 0;
     ensures \forall integer c; attest_q16_row_weighted(h, i, c, h.kv_len) ==
       attest_q16_row_weighted(h, i, c, span.last); @/
  static inline void attest_q16_sum_ends(attest_q16_head h, uint32_t i, attest_q16_span span) {
    /@ loop invariant 0 <= n <= span.first;
       loop invariant \forall integer c; attest_q16_row_weighted(h, i, c, n) == 0;
       loop assigns n;
       loop variant span.first - n; @/
    for (uint32_t n = 0; n < span.first; n++) {
      /@ assert hidden: attest_q16_weight_in(h, i, n) == 0; @/
      /@ assert none: \forall integer c; attest_q16_part_at(h, i, c, n) == 0; @/
    }
    /@ loop invariant span.last <= n <= h.kv_len;
       loop invariant \forall integer c; attest_q16_row_weighted(h, i, c, n) ==
         attest_q16_row_weighted(h, i, c, span.last);
       loop assigns n;
       loop variant h.kv_len - n; @/
    for (uint32_t n = span.last; n < h.kv_len; n++) {
      /@ assert hidden: attest_q16_weight_in(h, i, n) == 0; @/
      /@ assert none: \forall integer c; attest_q16_part_at(h, i, c, n) == 0; @/
    }
  }

  /@ requires attest_q16_sizes(h) && attest_q16_inputs(h);
     requires i < h.q_len && j < h.kv_len;
     assigns \nothing;
     ensures whole: 1 <= attest_q16_whole_at(h, i, j) <= 9223372036854775807;
     ensures fraction: 0 <= attest_q16_fraction_at(h, i, j) <= 4294967295;
     ensures whole_is: attest_q16_whole_at(h, i, j) == attest_q16_score_whole(
       attest_q16_dot_product(h.q + i * h.q_row, h.k + j * h.k_row, h.width),
       h.scale.mantissa, h.scale.exponent);
     ensures fraction_is: attest_q16_fraction_at(h, i, j) == attest_q16_score_fraction(
       attest_q16_dot_product(h.q + i * h.q_row, h.k + j * h.k_row, h.width),
       h.scale.mantissa, h.scale.exponent);
     ensures dot: attest_q16_dot_at(h, i, j) ==
       attest_q16_dot_product(h.q + i * h.q_row, h.k + j * h.k_row, h.width); @/
  static inline void attest_q16_score_bound(attest_q16_head h, uint32_t i, uint32_t j) {
    /@ assert q_row: 0 <= i * h.q_row <= (h.q_len - 1) * h.q_row; @/
    /@ assert k_row: 0 <= j * h.k_row <= (h.kv_len - 1) * h.k_row; @/
    const uint32_t q = i * h.q_row, k = j * h.k_row;
    attest_q16_dot_is(h, i, j, h.q + q, h.k + k);
    attest_q16_whole_bound(h.q + q, h.k + k, h.width, h.scale.mantissa, h.scale.exponent);
  }

  /@ requires attest_q16_sizes(h) && attest_q16_inputs(h);
     requires i < h.q_len;
     assigns \nothing;
     ensures \forall integer j; 0 <= j < h.kv_len ==>
       0 <= attest_q16_weight_in(h, i, j) <= 549755813888; @/
  static inline void attest_q16_weights_bound(attest_q16_head h, uint32_t i) {
    attest_q16_masses_bound();
    /@ loop invariant 0 <= n <= h.kv_len;
       loop invariant \forall integer j; 0 <= j < n ==>
         0 <= attest_q16_weight_in(h, i, j) <= 549755813888;
       loop assigns n;
       loop variant h.kv_len - n; @/
    for (uint32_t n = 0; n < h.kv_len; n++) attest_q16_score_bound(h, i, n);
  }

  /@ requires attest_q16_sizes(h) && attest_q16_inputs(h);
     requires i < h.q_len && c < h.value_width && n < h.kv_len && lo <= hi;
     requires attest_q16_seen(h, i, n) != 0 ==>
       lo <= attest_q16_value_at(h, n, c) + 2147483648 <= hi;
     requires 0 <= attest_q16_weight_in(h, i, n) <= 549755813888;
     assigns \nothing;
     ensures attest_q16_times_of(attest_q16_weight_in(h, i, n), lo) <=
       attest_q16_part_at(h, i, c, n) <=
       attest_q16_times_of(attest_q16_weight_in(h, i, n), hi); @/
  static inline void attest_q16_part_within(attest_q16_head h, uint32_t i, uint32_t c,
                                            uint32_t n, uint32_t lo, uint32_t hi) {
    attest_q16_times_order();
    /@ assert part: attest_q16_part_at(h, i, c, n) == attest_q16_times_of(
         attest_q16_weight_in(h, i, n), attest_q16_value_at(h, n, c) + 2147483648); @/
    /@ assert hidden: attest_q16_seen(h, i, n) == 0 ==> attest_q16_weight_in(h, i, n) == 0; @/
    /@ assert none: attest_q16_seen(h, i, n) == 0 ==>
         attest_q16_times_of(attest_q16_weight_in(h, i, n), lo) == 0 &&
         attest_q16_times_of(attest_q16_weight_in(h, i, n), hi) == 0 &&
         attest_q16_part_at(h, i, c, n) == 0; @/
    /@ assert least: attest_q16_seen(h, i, n) != 0 ==>
         attest_q16_times_of(attest_q16_weight_in(h, i, n), lo) <=
         attest_q16_part_at(h, i, c, n); @/
    /@ assert most: attest_q16_seen(h, i, n) != 0 ==> attest_q16_part_at(h, i, c, n) <=
         attest_q16_times_of(attest_q16_weight_in(h, i, n), hi); @/
  }

  // the sums of column c where its visible values, plus 2^31, are between lo and hi
  /@ requires attest_q16_sizes(h) && attest_q16_inputs(h);
     requires i < h.q_len && c < h.value_width && lo <= hi;
     requires values: \forall integer j; 0 <= j < h.kv_len && attest_q16_seen(h, i, j) != 0 ==>
       lo <= attest_q16_value_at(h, j, c) + 2147483648 <= hi;
     assigns \nothing;
     ensures least: attest_q16_times_of(attest_q16_row_total(h, i, h.kv_len), lo) <=
       attest_q16_row_weighted(h, i, c, h.kv_len);
     ensures most: attest_q16_row_weighted(h, i, c, h.kv_len) <=
       attest_q16_times_of(attest_q16_row_total(h, i, h.kv_len), hi);
     ensures total: 0 <= attest_q16_row_total(h, i, h.kv_len) <= h.kv_len * 549755813888; @/
  static inline void attest_q16_sum_within(attest_q16_head h, uint32_t i, uint32_t c,
                                           uint32_t lo, uint32_t hi) {
    attest_q16_weights_bound(h, i);
    /@ loop invariant 0 <= n <= h.kv_len;
       loop invariant 0 <= attest_q16_row_total(h, i, n) <= n * 549755813888;
       loop invariant least: attest_q16_times_of(attest_q16_row_total(h, i, n), lo) <=
         attest_q16_row_weighted(h, i, c, n);
       loop invariant most: attest_q16_row_weighted(h, i, c, n) <=
         attest_q16_times_of(attest_q16_row_total(h, i, n), hi);
       loop assigns n;
       loop variant h.kv_len - n; @/
    for (uint32_t n = 0; n < h.kv_len; n++) {
      attest_q16_part_within(h, i, c, n, lo, hi);
      attest_q16_times_sums();
      /@ assert total: attest_q16_row_total(h, i, n + 1) ==
           attest_q16_row_total(h, i, n) + attest_q16_weight_in(h, i, n); @/
      /@ assert least: attest_q16_times_of(attest_q16_row_total(h, i, n + 1), lo) ==
           attest_q16_times_of(attest_q16_row_total(h, i, n), lo) +
           attest_q16_times_of(attest_q16_weight_in(h, i, n), lo); @/
      /@ assert most: attest_q16_times_of(attest_q16_row_total(h, i, n + 1), hi) ==
           attest_q16_times_of(attest_q16_row_total(h, i, n), hi) +
           attest_q16_times_of(attest_q16_weight_in(h, i, n), hi); @/
    }
  }

  /@ requires attest_q16_first(h, i) <= j < attest_q16_last(h, i);
     assigns \nothing;
     ensures attest_q16_seen(h, i, j) == 0 <==>
       h.mask != \null && h.mask[i * h.mask_row + j] == 0; @/
  static inline void attest_q16_seen_is(attest_q16_head h, uint32_t i, uint32_t j) {}

  /@ requires place == j * h.v_row && attest_q16_mass(weight) == attest_q16_weight_in(h, i, j);
     assigns \nothing;
     ensures \forall integer c; attest_q16_part_at(h, i, c, j) ==
       attest_q16_times_of(attest_q16_mass(weight), *(h.v + c + place) + 2147483648); @/
  static inline void attest_q16_part_is(attest_q16_head h, uint32_t i, uint32_t j,
                                        attest_q16_weight weight, uint32_t place) {
    /@ assert value: \forall integer c; attest_q16_value_at(h, j, c) == *(h.v + c + place); @/
  }
*/

#endif
