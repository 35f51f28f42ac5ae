/* The proof of attest_q16_all_rows_hold (range_theory.h). No code; nothing includes it. */
#ifndef ATTEST_Q16_RANGE_PROOF_H
#define ATTEST_Q16_RANGE_PROOF_H

#include "range_theory.h"

/*@ // steps to what a rounded quotient is between
    predicate attest_q16_over(integer v, integer d, integer lo) = d * lo <= v;
    predicate attest_q16_under(integer v, integer d, integer hi) = v <= d * hi;

    // q is v / d to nearest, a half up
    predicate attest_q16_half_up(integer v, integer d, integer q) =
      q * (2 * d) <= 2 * v + d < q * (2 * d) + 2 * d;
    predicate attest_q16_half(integer v, integer d, integer q) = q * (2 * d) == 2 * v + d;

    lemma attest_q16_times_less: \forall integer a, b, d; 1 <= d && a < b ==> a * d + d <= b * d;

    lemma attest_q16_quotient_is: \forall integer x, d; 0 <= x && 1 <= d ==>
      x / d * d <= x < x / d * d + d;

    lemma attest_q16_no_rest: \forall integer x, d; 0 <= x && 1 <= d && x % d == 0 ==>
      x / d * d == x;

    lemma attest_q16_least: \forall integer v, d, lo, q; 1 <= d && attest_q16_over(v, d, lo) &&
      attest_q16_half_up(v, d, q) ==> lo <= q;

    lemma attest_q16_most: \forall integer v, d, hi, q; 1 <= d && attest_q16_under(v, d, hi) &&
      attest_q16_half_up(v, d, q) ==> q <= hi;

    lemma attest_q16_tie: \forall integer v, d, lo, q; 1 <= d && attest_q16_over(v, d, lo) &&
      attest_q16_half(v, d, q) ==> lo < q;

    logic integer attest_q16_floor_of(integer v, integer d) = (2 * v + d) / (2 * d);

    lemma attest_q16_even_is: \forall integer v, d; 1 <= d && 0 <= v ==>
      attest_q16_even_quotient(v, d) == attest_q16_floor_of(v, d) ||
      (attest_q16_even_quotient(v, d) == attest_q16_floor_of(v, d) - 1 &&
       attest_q16_half(v, d, attest_q16_floor_of(v, d)));

    lemma attest_q16_floor_is: \forall integer v, d; 1 <= d && 0 <= v ==>
      attest_q16_half_up(v, d, attest_q16_floor_of(v, d));

    lemma attest_q16_even_least: \forall integer v, d, lo; 1 <= d && 0 <= v &&
      attest_q16_over(v, d, lo) ==> lo <= attest_q16_even_quotient(v, d);

    lemma attest_q16_even_most: \forall integer v, d, hi; 1 <= d && 0 <= v &&
      attest_q16_under(v, d, hi) ==> attest_q16_even_quotient(v, d) <= hi;
*/

/*@ ghost
  /@ requires attest_q16_counts(h);
     assigns \nothing;
     ensures least: \forall integer j; 0 <= j < h.kv_len && attest_q16_seen(h, i, j) != 0 ==>
       attest_q16_row_least(h, i, c, h.kv_len) <= attest_q16_value_at(h, j, c);
     ensures most: \forall integer j; 0 <= j < h.kv_len && attest_q16_seen(h, i, j) != 0 ==>
       attest_q16_value_at(h, j, c) <= attest_q16_row_most(h, i, c, h.kv_len);
     ensures range: -2147483648 <= attest_q16_row_least(h, i, c, h.kv_len) <= 2147483647 &&
       -2147483648 <= attest_q16_row_most(h, i, c, h.kv_len) <= 2147483647; @/
  static inline void attest_q16_values_between(attest_q16_head h, uint32_t i, uint32_t c) {
    /@ loop invariant 0 <= n <= h.kv_len;
       loop invariant least: \forall integer j; 0 <= j < n && attest_q16_seen(h, i, j) != 0 ==>
         attest_q16_row_least(h, i, c, n) <= attest_q16_value_at(h, j, c);
       loop invariant most: \forall integer j; 0 <= j < n && attest_q16_seen(h, i, j) != 0 ==>
         attest_q16_value_at(h, j, c) <= attest_q16_row_most(h, i, c, n);
       loop invariant range: -2147483648 <= attest_q16_row_least(h, i, c, n) <= 2147483647 &&
         -2147483648 <= attest_q16_row_most(h, i, c, n) <= 2147483647;
       loop assigns n;
       loop variant h.kv_len - n; @/
    for (uint32_t n = 0; n < h.kv_len; n++) {
      /@ assert value: -2147483648 <= attest_q16_value_at(h, n, c) <= 2147483647; @/
    }
  }

  // what key n adds to a column, between the same weight times the least and the largest value
  /@ requires attest_q16_seen(h, i, n) != 0 ==>
       attest_q16_row_least(h, i, c, h.kv_len) <= attest_q16_value_at(h, n, c) <=
         attest_q16_row_most(h, i, c, h.kv_len);
     requires 0 <= attest_q16_weight_in(h, i, n) <= 549755813888;
     requires -2147483648 <= attest_q16_row_least(h, i, c, h.kv_len);
     assigns \nothing;
     ensures sign: 0 <= attest_q16_part_at(h, i, c, n);
     ensures least: attest_q16_times_of(attest_q16_weight_in(h, i, n),
       attest_q16_row_least(h, i, c, h.kv_len) + 2147483648) <= attest_q16_part_at(h, i, c, n);
     ensures most: attest_q16_part_at(h, i, c, n) <= attest_q16_times_of(
       attest_q16_weight_in(h, i, n), attest_q16_row_most(h, i, c, h.kv_len) + 2147483648); @/
  static inline void attest_q16_part_between(attest_q16_head h, uint32_t i, uint32_t c,
                                             uint32_t n) {
    attest_q16_times_order();
    attest_q16_times_is();
    /@ assert zero: attest_q16_times_of(attest_q16_weight_in(h, i, n), 0) == 0; @/
    /@ assert hidden: attest_q16_seen(h, i, n) == 0 ==> attest_q16_weight_in(h, i, n) == 0; @/
    /@ assert none: attest_q16_weight_in(h, i, n) == 0 ==>
         \forall integer x; attest_q16_times_of(attest_q16_weight_in(h, i, n), x) == 0; @/
  }

  // the same for the sum over all keys
  /@ requires attest_q16_sizes(h) && attest_q16_inputs(h) && i < h.q_len && c < h.value_width;
     assigns \nothing;
     ensures least: attest_q16_times_of(attest_q16_row_total(h, i, h.kv_len),
       attest_q16_row_least(h, i, c, h.kv_len) + 2147483648) <=
         attest_q16_row_weighted(h, i, c, h.kv_len);
     ensures most: attest_q16_row_weighted(h, i, c, h.kv_len) <= attest_q16_times_of(
       attest_q16_row_total(h, i, h.kv_len),
       attest_q16_row_most(h, i, c, h.kv_len) + 2147483648);
     ensures total: 0 <= attest_q16_row_total(h, i, h.kv_len) <= 36028797018963968;
     ensures sign: 0 <= attest_q16_row_weighted(h, i, c, h.kv_len); @/
  static inline void attest_q16_sum_between(attest_q16_head h, uint32_t i, uint32_t c) {
    attest_q16_weights_bound(h, i);
    attest_q16_values_between(h, i, c);
    /@ loop invariant 0 <= n <= h.kv_len;
       loop invariant 0 <= attest_q16_row_total(h, i, n) <= n * 549755813888;
       loop invariant sign: 0 <= attest_q16_row_weighted(h, i, c, n);
       loop invariant least: attest_q16_times_of(attest_q16_row_total(h, i, n),
         attest_q16_row_least(h, i, c, h.kv_len) + 2147483648) <=
           attest_q16_row_weighted(h, i, c, n);
       loop invariant most: attest_q16_row_weighted(h, i, c, n) <= attest_q16_times_of(
         attest_q16_row_total(h, i, n), attest_q16_row_most(h, i, c, h.kv_len) + 2147483648);
       loop assigns n;
       loop variant h.kv_len - n; @/
    for (uint32_t n = 0; n < h.kv_len; n++) {
      attest_q16_part_between(h, i, c, n);
      attest_q16_times_sums();
      /@ assert total: attest_q16_row_total(h, i, n + 1) ==
           attest_q16_row_total(h, i, n) + attest_q16_weight_in(h, i, n); @/
      /@ assert sums: \forall integer x; attest_q16_times_of(attest_q16_row_total(h, i, n + 1), x) ==
           attest_q16_times_of(attest_q16_row_total(h, i, n), x) +
           attest_q16_times_of(attest_q16_weight_in(h, i, n), x); @/
    }
  }

  // the weight of a key that has the largest whole part
  /@ assigns \nothing;
     ensures \forall integer whole, f; 0 <= f <= 4294967295 ==>
       512 <= attest_q16_mass_at(whole, f, whole); @/
  static inline void attest_q16_top_masses(void) {
    attest_q16_mantissas_bound();
    attest_q16_twos();
    /@ assert mass: \forall integer whole, f; attest_q16_mass_at(whole, f, whole) ==
         attest_q16_mantissa_at(f) * 128 / attest_q16_two(0) * 256; @/
  }

  // a visible key gives a row a total of at least 512
  /@ requires attest_q16_sizes(h) && attest_q16_inputs(h) && i < h.q_len;
     assigns \nothing;
     ensures some: \forall integer j; 0 <= j < h.kv_len && attest_q16_seen(h, i, j) != 0 ==>
       512 <= attest_q16_row_total(h, i, h.kv_len);
     ensures total: 0 <= attest_q16_row_total(h, i, h.kv_len) <= 36028797018963968; @/
  static inline void attest_q16_total_least(attest_q16_head h, uint32_t i) {
    attest_q16_top_masses();
    attest_q16_weights_bound(h, i);
    /@ loop invariant 0 <= n <= h.kv_len;
       loop invariant least: 0 <= attest_q16_row_top(h, i, n);
       loop invariant among: \forall integer j; 0 <= j < n && attest_q16_seen(h, i, j) != 0 ==>
         1 <= attest_q16_row_top(h, i, n);
       loop invariant top: 1 <= attest_q16_row_top(h, i, n) ==>
         \exists integer j; 0 <= j < n && attest_q16_seen(h, i, j) != 0 &&
           attest_q16_whole_at(h, i, j) == attest_q16_row_top(h, i, n) &&
           0 <= attest_q16_fraction_at(h, i, j) <= 4294967295;
       loop assigns n;
       loop variant h.kv_len - n; @/
    for (uint32_t n = 0; n < h.kv_len; n++) attest_q16_score_bound(h, i, n);
    /@ assert top: \forall integer j; attest_q16_seen(h, i, j) != 0 ==>
         attest_q16_weight_in(h, i, j) == attest_q16_mass_at(attest_q16_whole_at(h, i, j),
           attest_q16_fraction_at(h, i, j), attest_q16_row_top(h, i, h.kv_len)); @/
    /@ assert at_top: \forall integer j; attest_q16_seen(h, i, j) != 0 &&
         attest_q16_whole_at(h, i, j) == attest_q16_row_top(h, i, h.kv_len) ==>
         attest_q16_weight_in(h, i, j) == attest_q16_mass_at(attest_q16_whole_at(h, i, j),
           attest_q16_fraction_at(h, i, j), attest_q16_whole_at(h, i, j)); @/
    /@ assert large: 1 <= attest_q16_row_top(h, i, h.kv_len) ==>
         \exists integer j; 0 <= j < h.kv_len && attest_q16_weight_in(h, i, j) >= 512; @/
    /@ loop invariant 0 <= n <= h.kv_len;
       loop invariant 0 <= attest_q16_row_total(h, i, n) <= n * 549755813888;
       loop invariant \forall integer j; 0 <= j < n ==>
         attest_q16_weight_in(h, i, j) <= attest_q16_row_total(h, i, n);
       loop assigns n;
       loop variant h.kv_len - n; @/
    for (uint32_t n = 0; n < h.kv_len; n++) {}
    /@ assert total: 1 <= attest_q16_row_top(h, i, h.kv_len) ==>
         512 <= attest_q16_row_total(h, i, h.kv_len); @/
  }

  // an output is between the smallest and the largest visible value
  /@ requires attest_q16_sizes(h) && attest_q16_inputs(h) && i < h.q_len && c < h.value_width;
     assigns \nothing;
     ensures between: \forall integer j; 0 <= j < h.kv_len && attest_q16_seen(h, i, j) != 0 ==>
       attest_q16_row_least(h, i, c, h.kv_len) <= attest_q16_output_at(h, i, c) <=
         attest_q16_row_most(h, i, c, h.kv_len); @/
  static inline void attest_q16_output_between(attest_q16_head h, uint32_t i, uint32_t c) {
    attest_q16_total_least(h, i);
    attest_q16_sum_between(h, i, c);
    attest_q16_times_is();
    /@ assert least: attest_q16_over(attest_q16_row_weighted(h, i, c, h.kv_len),
         attest_q16_row_total(h, i, h.kv_len),
         attest_q16_row_least(h, i, c, h.kv_len) + 2147483648); @/
    /@ assert most: attest_q16_under(attest_q16_row_weighted(h, i, c, h.kv_len),
         attest_q16_row_total(h, i, h.kv_len),
         attest_q16_row_most(h, i, c, h.kv_len) + 2147483648); @/
    /@ assert lower: 1 <= attest_q16_row_total(h, i, h.kv_len) ==>
         attest_q16_row_least(h, i, c, h.kv_len) + 2147483648 <=
         attest_q16_even_quotient(attest_q16_row_weighted(h, i, c, h.kv_len),
                                  attest_q16_row_total(h, i, h.kv_len)); @/
    /@ assert upper: 1 <= attest_q16_row_total(h, i, h.kv_len) ==>
         attest_q16_even_quotient(attest_q16_row_weighted(h, i, c, h.kv_len),
                                  attest_q16_row_total(h, i, h.kv_len)) <=
         attest_q16_row_most(h, i, c, h.kv_len) + 2147483648; @/
    /@ assert output: 1 <= attest_q16_row_total(h, i, h.kv_len) ==>
         attest_q16_row_least(h, i, c, h.kv_len) <= attest_q16_output_at(h, i, c) <=
           attest_q16_row_most(h, i, c, h.kv_len); @/
  }

  // shares grow with their part, for every part and total
  /@ requires total <= 36028797018963968;
     assigns \nothing;
     ensures \forall integer b; a <= b <= 36028797018963968 ==>
       0 <= attest_q16_share_at(a, total) <= attest_q16_share_at(b, total) <= 65536; @/
  static inline void attest_q16_shares_from(uint64_t a, uint64_t total) {
    /@ loop invariant a <= n && (n <= 36028797018963969 || n == a);
       loop invariant \forall integer b; a <= b < n ==>
         0 <= attest_q16_share_at(a, total) <= attest_q16_share_at(b, total) <= 65536;
       loop assigns n;
       loop variant 36028797018963969 - n; @/
    for (uint64_t n = a; n < 36028797018963969U; n++) attest_q16_shares_grow(a, n, total);
  }

  /@ requires total <= 36028797018963968;
     assigns \nothing;
     ensures \forall integer a, b; 0 <= a <= b <= 36028797018963968 ==>
       0 <= attest_q16_share_at(a, total) <= attest_q16_share_at(b, total) <= 65536; @/
  static inline void attest_q16_shares_all(uint64_t total) {
    /@ loop invariant 0 <= n <= 36028797018963969;
       loop invariant \forall integer a, b; 0 <= a < n && a <= b <= 36028797018963968 ==>
         0 <= attest_q16_share_at(a, total) <= attest_q16_share_at(b, total) <= 65536;
       loop assigns n;
       loop variant 36028797018963969 - n; @/
    for (uint64_t n = 0; n < 36028797018963969U; n++) attest_q16_shares_from(n, total);
  }

  /@ assigns \nothing;
     ensures \forall integer a, b, total; 0 <= a <= b <= 36028797018963968 &&
       0 <= total <= 36028797018963968 ==>
       0 <= attest_q16_share_at(a, total) <= attest_q16_share_at(b, total) <= 65536; @/
  static inline void attest_q16_all_shares_grow(void) {
    /@ loop invariant 0 <= n <= 36028797018963969;
       loop invariant \forall integer a, b, total; 0 <= a <= b <= 36028797018963968 &&
         0 <= total < n ==>
         0 <= attest_q16_share_at(a, total) <= attest_q16_share_at(b, total) <= 65536;
       loop assigns n;
       loop variant 36028797018963969 - n; @/
    for (uint64_t n = 0; n < 36028797018963969U; n++) attest_q16_shares_all(n);
  }

  // totals grow with the number of keys
  /@ requires attest_q16_sizes(h) && attest_q16_inputs(h) && i < h.q_len;
     assigns \nothing;
     ensures \forall integer n; 0 <= n < h.kv_len ==>
       0 <= attest_q16_row_total(h, i, n) <= attest_q16_row_total(h, i, n + 1);
     ensures \forall integer n; 0 <= n <= h.kv_len ==>
       0 <= attest_q16_row_total(h, i, n) <= attest_q16_row_total(h, i, h.kv_len) <=
         36028797018963968; @/
  static inline void attest_q16_totals_bound(attest_q16_head h, uint32_t i) {
    attest_q16_weights_bound(h, i);
    /@ loop invariant 0 <= n <= h.kv_len;
       loop invariant 0 <= attest_q16_row_total(h, i, n) <= n * 549755813888;
       loop invariant \forall integer m; 0 <= m < n ==>
         0 <= attest_q16_row_total(h, i, m) <= attest_q16_row_total(h, i, m + 1);
       loop invariant \forall integer m; 0 <= m <= n ==>
         0 <= attest_q16_row_total(h, i, m) <= attest_q16_row_total(h, i, n);
       loop assigns n;
       loop variant h.kv_len - n; @/
    for (uint32_t n = 0; n < h.kv_len; n++) {
      /@ assert total: attest_q16_row_total(h, i, n + 1) ==
           attest_q16_row_total(h, i, n) + attest_q16_weight_in(h, i, n); @/
    }
  }

  // weights as they are given out
  /@ requires attest_q16_sizes(h) && attest_q16_inputs(h) && i < h.q_len;
     assigns \nothing;
     ensures range: \forall integer j; 0 <= j < h.kv_len ==>
       0 <= attest_q16_given_weight(h, i, j) <= 65536;
     ensures hidden: \forall integer j; 0 <= j < h.kv_len && attest_q16_seen(h, i, j) == 0 ==>
       attest_q16_given_weight(h, i, j) == 0;
     ensures sum: attest_q16_given_sum(h, i, h.kv_len) == attest_q16_share_at(
       attest_q16_row_total(h, i, h.kv_len), attest_q16_row_total(h, i, h.kv_len)); @/
  static inline void attest_q16_given_bound(attest_q16_head h, uint32_t i) {
    attest_q16_weights_bound(h, i);
    attest_q16_totals_bound(h, i);
    attest_q16_all_shares_grow();
    /@ loop invariant 0 <= n <= h.kv_len;
       loop invariant range: \forall integer j; 0 <= j < n ==>
         0 <= attest_q16_given_weight(h, i, j) <= 65536;
       loop invariant hidden: \forall integer j; 0 <= j < n && attest_q16_seen(h, i, j) == 0 ==>
         attest_q16_given_weight(h, i, j) == 0;
       loop invariant sum: attest_q16_given_sum(h, i, n) == attest_q16_share_at(
         attest_q16_row_total(h, i, n), attest_q16_row_total(h, i, h.kv_len));
       loop assigns n;
       loop variant h.kv_len - n; @/
    for (uint32_t n = 0; n < h.kv_len; n++) {
      /@ assert total: attest_q16_row_total(h, i, n + 1) ==
           attest_q16_row_total(h, i, n) + attest_q16_weight_in(h, i, n); @/
    }
  }

  // what attest_q16_output_at and attest_q16_given_weight are between
  /@ requires attest_q16_sizes(h) && attest_q16_inputs(h) && i < h.q_len;
     assigns \nothing;
     ensures attest_q16_row_between(h, i); @/
  static inline void attest_q16_one_row_between(attest_q16_head h, uint32_t i) {
    attest_q16_given_bound(h, i);
    attest_q16_total_least(h, i);
    /@ assert one: \forall integer j; 0 <= j < h.kv_len && attest_q16_seen(h, i, j) != 0 ==>
         attest_q16_given_sum(h, i, h.kv_len) == 65536; @/
    /@ loop invariant 0 <= n <= h.value_width;
       loop invariant between: \forall integer j, c; 0 <= j < h.kv_len && 0 <= c < n &&
         attest_q16_seen(h, i, j) != 0 ==>
         attest_q16_row_least(h, i, c, h.kv_len) <= attest_q16_output_at(h, i, c) <=
           attest_q16_row_most(h, i, c, h.kv_len);
       loop assigns n;
       loop variant h.value_width - n; @/
    for (uint32_t n = 0; n < h.value_width; n++) attest_q16_output_between(h, i, n);
  }

  /@ requires attest_q16_sizes(h) && attest_q16_inputs(h) && i < h.q_len;
     requires outputs: \forall integer c; 0 <= c < h.value_width ==>
       attest_q16_out_at(h, i, c) == attest_q16_output_at(h, i, c);
     requires weights: h.weights != \null ==> \forall integer j; 0 <= j < h.kv_len ==>
       attest_q16_share_of(h, i, j) == attest_q16_given_weight(h, i, j);
     assigns \nothing;
     ensures outputs: attest_q16_outputs_hold(h, i);
     ensures weights: h.weights != \null ==> attest_q16_weights_hold(h, i); @/
  static inline void attest_q16_one_row_holds(attest_q16_head h, uint32_t i) {
    attest_q16_one_row_between(h, i);
    /@ loop invariant 0 <= n <= h.kv_len;
       loop invariant sum: h.weights != \null ==>
         attest_q16_share_sum(h, i, n) == attest_q16_given_sum(h, i, n);
       loop assigns n;
       loop variant h.kv_len - n; @/
    for (uint32_t n = 0; n < h.kv_len; n++) {
      /@ assert share: h.weights != \null ==>
           attest_q16_share_of(h, i, n) == attest_q16_given_weight(h, i, n); @/
    }
  }

  void attest_q16_all_rows_hold(attest_q16_head h) {
    /@ loop invariant 0 <= n <= h.q_len;
       loop invariant outputs: \forall integer i; 0 <= i < n ==> attest_q16_outputs_hold(h, i);
       loop invariant weights: h.weights != \null ==>
         \forall integer i; 0 <= i < n ==> attest_q16_weights_hold(h, i);
       loop assigns n;
       loop variant h.q_len - n; @/
    for (uint32_t n = 0; n < h.q_len; n++) attest_q16_one_row_holds(h, n);
  }
*/

#endif
