/* What the words stand for that a tiled row is summed in, for the proofs of tiled.c; and writes
   that are known to leave scores as they are. */
#ifndef ATTEST_Q16_TILE_THEORY_H
#define ATTEST_Q16_TILE_THEORY_H

#include "rows.h"
#include "sums.h"

/*@ // what a pointer to a head reads
    predicate attest_q16_head_is{L}(attest_q16_head *h, attest_q16_head g) =
      \valid_read(h) && *h == g;

    // the keys that row i may see by position
    predicate attest_q16_span_is(attest_q16_head h, integer i, attest_q16_span span) =
      span.first == attest_q16_first(h, i) &&
      span.last == \max(attest_q16_first(h, i), attest_q16_last(h, i));

    // no element of query row i is larger than the peak
    predicate attest_q16_row_within{L}(attest_q16_head h, integer i, integer peak) =
      attest_q16_within(h.q + i * h.q_row, h.width, peak);

    // four words a column, the halves of the near and of the far sum
    predicate attest_q16_sums_ok{L}(uint64_t *sums, integer from, integer to, integer keys) =
      \forall integer w; from <= w < to ==> sums[w] <= keys * 4294967295;

    predicate attest_q16_four_ok{L}(uint64_t *sums, integer keys) =
      sums[0] <= keys * 4294967295 && sums[1] <= keys * 4294967295 &&
      sums[2] <= keys * 4294967295 && sums[3] <= keys * 4294967295;

    // what the four words of a column are together
    logic integer attest_q16_four_sum{L}(uint64_t *sums) =
      256 * (sums[0] * 4294967296 + sums[1]) + sums[2] * 4294967296 + sums[3];

    // the sums of row i over keys j < n, columns from <= c < to
    predicate attest_q16_columns{L}(attest_q16_head h, integer i, uint64_t *sums, integer from,
                                    integer to, integer n) =
      \forall integer c; from <= c < to ==>
        attest_q16_four_sum(sums + 4 * c) == attest_q16_row_weighted(h, i, c, n);

    // the sums of row i over the keys of a tile stand in its terms
    predicate attest_q16_tile_listed{L}(attest_q16_head h, integer i, attest_q16_span tile,
                                        uint64_t *terms, integer capacity,
                                        attest_q16_terms list) =
      \forall integer c; 0 <= c < h.value_width ==>
        attest_q16_row_weighted(h, i, c, tile.last) ==
        attest_q16_row_weighted(h, i, c, tile.first) +
        attest_q16_joined(terms, capacity, list.near, list.far, h.v + c);
*/

/*@ ghost
  /@ requires attest_q16_seen(h, i, j) == 0;
     assigns \nothing;
     ensures attest_q16_seen_whole(h, i, j) == 0 && attest_q16_weight_in(h, i, j) == 0; @/
  static inline void attest_q16_hidden_is(attest_q16_head h, uint32_t i, uint32_t j) {}

  /@ requires attest_q16_seen(h, i, j) != 0;
     assigns \nothing;
     ensures whole: attest_q16_seen_whole(h, i, j) == attest_q16_whole_at(h, i, j);
     ensures weight: attest_q16_weight_in(h, i, j) == attest_q16_mass_at(
       attest_q16_whole_at(h, i, j), attest_q16_fraction_at(h, i, j),
       attest_q16_row_top(h, i, h.kv_len)); @/
  static inline void attest_q16_visible_is(attest_q16_head h, uint32_t i, uint32_t j) {}

  /@ requires columns <= 1024 && \forall integer w; 0 <= w < 4 * columns ==> sums[w] == 0;
     assigns \nothing;
     ensures \forall integer c; 0 <= c < columns ==> attest_q16_four_sum(sums + 4 * c) == 0; @/
  static inline void attest_q16_fours_zero(const uint64_t *sums, uint32_t columns) {
    /@ loop invariant 0 <= n <= columns;
       loop invariant \forall integer c; 0 <= c < n ==>
         attest_q16_four_sum(sums + 4 * c) == 0;
       loop assigns n;
       loop variant columns - n; @/
    for (uint32_t n = 0; n < columns; n++) {
      /@ assert sums[4 * n] == 0 && sums[4 * n + 1] == 0 && sums[4 * n + 2] == 0 &&
           sums[4 * n + 3] == 0; @/
    }
  }

  /@ requires attest_q16_sums_ok(sums, at, at + 4, keys);
     assigns \nothing;
     ensures attest_q16_four_ok(sums + at, keys); @/
  static inline void attest_q16_four_of(const uint64_t *sums, uint32_t at, uint32_t keys) {
    /@ assert sums[at] <= keys * 4294967295 && sums[at + 1] <= keys * 4294967295 &&
         sums[at + 2] <= keys * 4294967295 && sums[at + 3] <= keys * 4294967295; @/
  }

  /@ requires attest_q16_four_ok(sums + at, keys);
     assigns \nothing;
     ensures attest_q16_sums_ok(sums, at, at + 4, keys); @/
  static inline void attest_q16_four_in(const uint64_t *sums, uint32_t at, uint32_t keys) {
    /@ assert sums[at] <= keys * 4294967295 && sums[at + 1] <= keys * 4294967295 &&
         sums[at + 2] <= keys * 4294967295 && sums[at + 3] <= keys * 4294967295; @/
  }
*/

/*@ predicate attest_q16_same_head{K, L}(attest_q16_head h) =
      attest_q16_same_scores{K, L}(h) && attest_q16_same_rows{K, L}(h);
*/

/* attest_q16_write, of which scores stay the same as well: they are computed again. */
/*@ requires \valid(at) && attest_q16_elsewhere(h, at, 1);
    assigns *at;
    ensures *at == x;
    ensures same: attest_q16_same_head{Pre, Here}(h);
*/
static inline void attest_q16_write_kept(int32_t *at, int32_t x)
    /*@ ghost (attest_q16_head h) */ {
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
    ensures same: attest_q16_same_head{Pre, Here}(h);
*/
static inline void attest_q16_clear_row(int32_t *out, uint32_t width)
    /*@ ghost (attest_q16_head h) */ {
  /*@ loop invariant 0 <= c <= width;
      loop invariant zero: \forall integer d; 0 <= d < c ==> out[d] == 0;
      loop invariant same: attest_q16_same_head{Pre, Here}(h);
      loop assigns c, out[0 .. width - 1];
      loop variant width - c; */
  for (uint32_t c = 0; c < width; c++) attest_q16_write_kept(out + c, 0) /*@ ghost (h) */;
}

#endif
