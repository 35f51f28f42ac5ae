/* What a tile of ref/lanes.h holds, for the pass `exact`: queries, scores, weights and sums, lane by lane. No
   code. */
#ifndef ATTEST_PROOFS_LANES_H
#define ATTEST_PROOFS_LANES_H

#include "../../ref/attest.h"
#include "../../ref/real.h"

#ifdef ATTEST_EXACT

/*@ // element (t, r) of a tile
    logic attest_number attest_at{L}(real *s, integer t, integer r) = s[t * ATTEST_LANES + r];

    // The numbers of lane r and key t of a tile that begins with row i and key j. They have names since
    // the provers look for terms, and do not find sums as they find names.
    predicate attest_lane_sees(integer i, integer r, integer j, integer t) =
      attest_sees(i + r, j + t);
    logic attest_number attest_lane_q(integer i, integer r, integer c) = attest_q(i + r, c);
    logic attest_number attest_lane_k(integer j, integer t, integer c) = attest_k(j + t, c);
    logic attest_number attest_lane_dot(integer i, integer r, integer j, integer t, integer n) =
      attest_dot_of(i + r, j + t, n);

    // lanes 0 to count - 1 hold the queries of their rows
    predicate attest_lanes_queries{L}(real *qt, integer width, integer i, integer count) =
      \forall integer c, r; 0 <= c < width && 0 <= r < count ==>
        attest_at(qt, c, r) == attest_lane_q(i, r, c);

    // k holds key t of the tile, if one of the rows sees it
    predicate attest_key_held{L}(real *k, integer width, integer i, integer count, integer j,
                                 integer t) =
      \forall integer r, c; 0 <= r < count && attest_lane_sees(i, r, j, t) && 0 <= c < width ==>
        k[c] == attest_lane_k(j, t, c);

    // row t of an array; the rows of k are keys first to first + keys - 1, those that a row sees
    logic attest_number attest_row_at{L}(real *k, integer k_row, integer t, integer c) =
      k[attest_place(t, k_row) + c];
    predicate attest_keys_held{L}(real *k, integer k_row, integer first, integer keys,
                                  integer width, integer i, integer count, integer j) =
      \forall integer r, t, c; 0 <= r < count && first <= t < first + keys &&
        attest_lane_sees(i, r, j, t) && 0 <= c < width ==>
          attest_row_at(k, k_row, t - first, c) == attest_lane_k(j, t, c);

    // dot products times a factor, of keys 0 to keys - 1 but those from last[r] on
    predicate attest_lanes_dots{L}(real *s, integer keys, int32_t *last, attest_number factor,
                                   integer width, integer i, integer count, integer j) =
      \forall integer t, r; 0 <= t < keys && 0 <= r < count && t < last[r] &&
        attest_lane_sees(i, r, j, t) ==>
          attest_at(s, t, r) == attest_times(factor, attest_lane_dot(i, r, j, t, width));

    // what is written is none of the rows of an array
    predicate attest_rows_apart(real *s, integer n, real *k, integer k_row, integer keys,
                                integer width) =
      \forall integer t; 0 <= t < keys ==> \let p = attest_place(t, k_row);
        \separated(s + (0 .. n - 1), k + (p .. p + width - 1));

    // What key t adds to a lane: its weight against the reference e[r], 0 where position, mask or bias
    // hide it; and what keys 0 to n - 1 add to column c. Lanes are counted from g, columns from b.
    logic attest_number attest_lane_weight{L}(int32_t *first, int32_t *last, real *e, integer i,
                                              integer g, integer r, integer j, integer t) =
      first[g + r] <= t < last[g + r] ? attest_term(i + (g + r), j + t, e[g + r]) : 0.0;
    logic attest_number attest_lane_v(integer j, integer t, integer b, integer c) =
      attest_v(j + t, b + c);
    logic attest_number attest_lane_moment{L}(int32_t *first, int32_t *last, real *e, integer i,
                                              integer g, integer r, integer b, integer c,
                                              integer j, integer n) =
      attest_moment(i + (g + r), b + c, j + first[g + r],
                    j + (n < last[g + r] ? n : last[g + r]), e[g + r]);

    // lanes g to h - 1 hold the weights of keys 0 to keys - 1
    predicate attest_lanes_weigh{L}(real *p, integer keys, int32_t *first, int32_t *last, real *e,
                                    integer i, integer g, integer h, integer j) =
      \forall integer t, r; 0 <= t < keys && g <= r < h ==>
        attest_at(p, t, r) == attest_lane_weight(first, last, e, i, 0, r, j, t);

    // so do lanes 0 to count - 1, of keys that one of those sees by position, or that comes before one,
    // which go through the softmax with the lane
    predicate attest_tile_weighs{L}(real *p, integer keys, int32_t *first, int32_t *last, real *e,
                                    integer i, integer count, integer j) =
      \forall integer t, r, n; 0 <= t < keys && 0 <= r < count && 0 <= n < ATTEST_LANES &&
        n / ATTEST_SOFT == r / ATTEST_SOFT && t < last[n] ==>
          attest_at(p, t, r) == attest_lane_weight(first, last, e, i, 0, r, j, t);

    // column c of lane r rescaled, and what the keys add to it
    logic attest_number attest_lane_sum{L}(real *acc, real *factor, int32_t *first, int32_t *last,
                                           real *e, integer i, integer r, integer c, integer j,
                                           integer keys) =
      attest_times(attest_at(acc, c, r), factor[r]) +
      attest_lane_moment(first, last, e, i, 0, r, 0, c, j, keys);

    // what is seen of a tile of keys lies within it, and where nothing is nothing is rescaled
    predicate attest_lanes_spans{L}(int32_t *first, int32_t *last, real *factor, integer keys,
                                    integer count) =
      count <= ATTEST_LANES &&
      (\forall integer r; 0 <= r < ATTEST_LANES ==> 0 <= first[r] && 0 <= last[r] <= keys) &&
      (\forall integer r; 0 <= r < count && last[r] <= 0 ==> factor[r] == 1.0);

    // the rows of v are the values of the keys, of those that a row sees
    predicate attest_values_held{L}(real *v, integer v_row, integer keys, integer width, integer i,
                                    integer count, integer j) =
      \forall integer r, t, c; 0 <= r < count && 0 <= t < keys && attest_lane_sees(i, r, j, t) &&
        0 <= c < width ==> attest_row_at(v, v_row, t, c) == attest_lane_v(j, t, 0, c);

    // element (c, r) divided by the sum of its lane, 0 where that has seen nothing
    predicate attest_lane_divided{Old, New}(real *acc, real *sum, int *seen, integer c, integer r) =
      (\at(seen[r], New) != 0 && 0.0 < \at(sum[r], Old) ==>
        attest_times(\at(sum[r], Old), \at(attest_at(acc, c, r), New)) ==
        \at(attest_at(acc, c, r), Old)) &&
      (\at(seen[r], New) == 0 ==> attest_zero(\at(attest_at(acc, c, r), New)));

    // one of n lanes sees key t of a tile by position, or a later one
    predicate attest_reached{L}(int32_t *last, integer n, integer t) =
      \exists integer r; 0 <= r < n && t < last[r];

    // one of the lanes that go through the softmax with lane r does
    predicate attest_looked_at{L}(int32_t *last, integer r, integer t) =
      attest_reached(last + r / ATTEST_SOFT * ATTEST_SOFT, ATTEST_SOFT, t);
*/

/*@ ghost
  // the next column of a dot product
  /@ assigns \nothing;
     ensures \forall integer r, t; attest_lane_dot(i, r, j, t, c + 1) ==
       attest_lane_dot(i, r, j, t, c) + attest_times(attest_lane_q(i, r, c), attest_lane_k(j, t, c));
     ensures \forall integer r, t; attest_zero(attest_lane_dot(i, r, j, t, 0)); @/
  static inline void attest_lane_dot_next(size_t i, size_t j, size_t c) {}

  /@ assigns \nothing;
     ensures \forall integer t;
       attest_reached(last, r + 1, t) <==> attest_reached(last, r, t) || t < last[r]; @/
  static inline void attest_reached_next(const int32_t *last, size_t r) {}

  /@ assigns \nothing;
     ensures \forall attest_number x; attest_times(x, 1.0) == x; @/
  static inline void attest_times_one(void) {}

  // the next key of a sum
  /@ assigns \nothing;
     ensures \forall integer r, c; attest_lane_moment(first, last, e, i, g, r, b, c, j, t + 1) ==
       attest_lane_moment(first, last, e, i, g, r, b, c, j, t) +
       attest_times(attest_lane_weight(first, last, e, i, g, r, j, t), attest_lane_v(j, t, b, c)); @/
  static inline void attest_lane_moment_next(const int32_t *first, const int32_t *last,
                                             const real *e, size_t i, size_t g, size_t b, size_t j,
                                             size_t t) {
    /@ assert sum: \forall integer r, c; first[g + r] <= t ==>
         attest_moment(i + (g + r), b + c, j + first[g + r], j + t + 1, e[g + r]) ==
         attest_moment(i + (g + r), b + c, j + first[g + r], j + t, e[g + r]) +
         attest_times(attest_term(i + (g + r), j + t, e[g + r]), attest_v(j + t, b + c)); @/
    /@ assert next: \forall integer r, c; t < last[g + r] ==>
         attest_lane_moment(first, last, e, i, g, r, b, c, j, t + 1) ==
         attest_moment(i + (g + r), b + c, j + first[g + r], j + t + 1, e[g + r]); @/
    /@ assert now: \forall integer r, c; t < last[g + r] ==>
         attest_lane_moment(first, last, e, i, g, r, b, c, j, t) ==
         attest_moment(i + (g + r), b + c, j + first[g + r], j + t, e[g + r]); @/
    /@ assert term: \forall integer r, c; first[g + r] <= t < last[g + r] ==>
         attest_times(attest_lane_weight(first, last, e, i, g, r, j, t),
                      attest_lane_v(j, t, b, c)) ==
         attest_times(attest_term(i + (g + r), j + t, e[g + r]), attest_v(j + t, b + c)); @/
    /@ assert seen: \forall integer r, c; first[g + r] <= t < last[g + r] ==>
         attest_lane_moment(first, last, e, i, g, r, b, c, j, t + 1) ==
         attest_lane_moment(first, last, e, i, g, r, b, c, j, t) +
         attest_times(attest_lane_weight(first, last, e, i, g, r, j, t),
                      attest_lane_v(j, t, b, c)); @/
    /@ assert early: \forall integer r, c; t < first[g + r] ==>
         attest_zero(attest_lane_moment(first, last, e, i, g, r, b, c, j, t + 1)) &&
         attest_zero(attest_lane_moment(first, last, e, i, g, r, b, c, j, t)); @/
    /@ assert late: \forall integer r, c; last[g + r] <= t ==>
         attest_lane_moment(first, last, e, i, g, r, b, c, j, t + 1) ==
         attest_lane_moment(first, last, e, i, g, r, b, c, j, t); @/
    /@ assert hidden: \forall integer r, c; !(first[g + r] <= t < last[g + r]) ==>
         attest_zero(attest_times(attest_lane_weight(first, last, e, i, g, r, j, t),
                                  attest_lane_v(j, t, b, c))); @/
  }

  // a lane does not add what it does not see
  /@ assigns \nothing;
     ensures weight == attest_lane_weight(first, last, e, i, g, r, j, t) &&
       (attest_lane_sees(i, g + r, j, t) ==> x == attest_lane_v(j, t, b, c)) ==>
         attest_times(weight, x) == attest_times(attest_lane_weight(first, last, e, i, g, r, j, t),
                                                 attest_lane_v(j, t, b, c)); @/
  static inline void attest_lane_unseen(const int32_t *first, const int32_t *last, const real *e,
                                        size_t i, size_t g, size_t r, size_t j, size_t t, size_t b,
                                        size_t c, real weight, real x) {}

  // some of the keys
  /@ requires first + n <= keys <= ATTEST_MAX_TILE;
     assigns \nothing;
     ensures attest_keys_held(k, k_row, 0, keys, width, i, count, j) ==>
       attest_keys_held(k + attest_place(first, k_row), k_row, first, n, width, i, count, j); @/
  static inline void attest_keys_from(const real *k, size_t k_row, size_t keys, size_t width,
                                      size_t i, size_t count, size_t j, size_t first, size_t n) {
    attest_places_sum(first, n, k_row);
    /@ assert same: \forall integer t, c; first <= t < first + n ==>
         attest_row_at(k + attest_place(first, k_row), k_row, t - first, c) ==
         attest_row_at(k, k_row, t, c); @/
  }

  /@ requires first < keys <= ATTEST_MAX_TILE;
     assigns \nothing;
     ensures attest_keys_held(k, k_row, 0, keys, width, i, count, j) ==>
       attest_key_held(k + attest_place(first, k_row), width, i, count, j, first); @/
  static inline void attest_key_from(const real *k, size_t k_row, size_t keys, size_t width,
                                     size_t i, size_t count, size_t j, size_t first) {
    /@ assert same: \forall integer c;
         k[attest_place(first, k_row) + c] == attest_row_at(k, k_row, first, c); @/
  }
*/

#endif
#endif
