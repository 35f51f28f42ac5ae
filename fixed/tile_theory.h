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

#endif
