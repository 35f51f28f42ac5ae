/* The kernels of the tiled nest. ATTEST_LANES query rows stand side by side, one in each lane, and
   every lane takes exactly the scalar steps of the naive nest in the same order; a compiler turns
   the lane loops into vector instructions without reassociating anything.

   Layout of a tile: element (row of the array, lane) at [row * ATTEST_LANES + lane], where the rows
   are keys (scores and weights), or columns of a query or value row. */
#ifndef ATTEST_LANES_H
#define ATTEST_LANES_H

#include "ahead.h"
#include "attest.h"
#include "real.h"
#include "rows.h"

/*@ predicate attest_tile_sizes(integer keys, integer width) =
      1 <= keys <= ATTEST_MAX_TILE && 1 <= width <= ATTEST_MAX_WIDTH;
*/

/* Lanes that go through the softmax together: gcc does not make vectors of a shorter loop. */
enum { ATTEST_SOFT = 32 };

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

/* `count` query rows into lanes: qt[c * LANES + r] = q[r * q_row + c]; the other lanes 0. */
/*@ requires 1 <= count <= ATTEST_LANES && 1 <= width <= ATTEST_MAX_WIDTH;
    requires attest_fits((count - 1) * q_row);
    requires \valid_read(q + (0 .. attest_extent(count, q_row, width) - 1));
    requires \valid(qt + (0 .. width * ATTEST_LANES - 1));
    assigns qt[0 .. width * ATTEST_LANES - 1];
*/
void attest_lanes_load(const real *q, size_t q_row, size_t count, size_t width, real *qt);

/* The first `count` lanes to output rows: out[r * out_row + c] = acc[c * LANES + r]. */
#define attest_lanes_store ATTEST_NEST(attest_lanes_store)
/*@ requires 1 <= count <= ATTEST_LANES && 1 <= width <= ATTEST_MAX_WIDTH;
    requires attest_fits((count - 1) * out_row);
    requires \valid_read(acc + (0 .. width * ATTEST_LANES - 1));
    requires \valid(out + (0 .. attest_extent(count, out_row, width) - 1));
    assigns out[0 .. attest_extent(count, out_row, width) - 1];
*/
void attest_lanes_store(const real *acc, size_t count, size_t width, real *out, size_t out_row);

/* Dot products of every lane with every key of a tile, times factor (at most 1 in size, so that
   nothing overflows): s[j * LANES + r] = factor * <q_r, k_j>. Lane r need not see key last[r] of the tile and beyond; s
   may keep what it was there. On the way, row j of ahead is asked for with key j. */
/*@ requires attest_tile_sizes(keys, width) && attest_fits((keys - 1) * k_row);
    requires attest_ahead_ok(ahead);
    requires \valid_read(qt + (0 .. width * ATTEST_LANES - 1));
    requires \valid_read(k + (0 .. attest_extent(keys, k_row, width) - 1));
    requires \valid_read(last + (0 .. ATTEST_LANES - 1));
    requires \valid(s + (0 .. keys * ATTEST_LANES - 1));
    ATTEST_EXACTLY(requires row <= ATTEST_MAX_KEYS && key <= ATTEST_MAX_KEYS;)
    assigns s[0 .. keys * ATTEST_LANES - 1];
    ATTEST_EXACTLY(behavior numbers:
      assumes attest_lanes_queries(qt, width, row, count) && count <= ATTEST_LANES;
      assumes attest_keys_held(k, k_row, 0, keys, width, row, count, key);
      assumes \separated(s + (0 .. keys * ATTEST_LANES - 1), qt + (0 .. width * ATTEST_LANES - 1));
      assumes attest_rows_apart(s, keys * ATTEST_LANES, k, k_row, keys, width);
      ensures scores: attest_lanes_dots(s, keys, last, factor, width, row, count, key);)
*/
void attest_lanes_scores(const real *restrict qt, const real *restrict k, size_t k_row,
                         size_t keys, size_t width, real factor, const int32_t *restrict last,
                         const attest_ahead ahead, real *restrict s)
    /*@ ghost (size_t row, size_t count, size_t key) */;

/* s := -inf at the keys a lane may not see: lane r sees key j of the tile where
   first[r] <= j < last[r]. What is at and beyond last[r] may stay as it was where the functions below
   do not look at it. */
/*@ requires 1 <= keys <= ATTEST_MAX_TILE;
    requires \valid(s + (0 .. keys * ATTEST_LANES - 1));
    requires \valid_read(first + (0 .. ATTEST_LANES - 1));
    requires \valid_read(last + (0 .. ATTEST_LANES - 1));
    assigns s[0 .. keys * ATTEST_LANES - 1];
    ATTEST_EXACTLY(
      ensures seen: \forall integer t, r; 0 <= t < keys && 0 <= r < ATTEST_LANES &&
        first[r] <= t < last[r] ==> attest_at(s, t, r) == \old(attest_at(s, t, r));
      ensures hidden: \forall integer t, r; 0 <= t < keys && 0 <= r < ATTEST_LANES &&
        !(first[r] <= t < last[r]) && attest_looked_at(last, r, t) ==>
          attest_at(s, t, r) == -1.0e40;)
*/
void attest_lanes_hide(real *restrict s, size_t keys, const int32_t *restrict first,
                       const int32_t *restrict last);

/* Scores to weights, in place. exponent is raised where a score calls for it, sum is rescaled and
   gains the new weights, and factor is the power of two by which acc must be rescaled. Keys at and
   beyond last[r] count as hidden, and may be left as they are. */
/*@ requires 1 <= keys <= ATTEST_MAX_TILE;
    requires \valid_read(last + (0 .. ATTEST_LANES - 1));
    requires \valid(s + (0 .. keys * ATTEST_LANES - 1));
    requires \valid(exponent + (0 .. ATTEST_LANES - 1));
    requires \valid(sum + (0 .. ATTEST_LANES - 1));
    requires \valid(factor + (0 .. ATTEST_LANES - 1));
    assigns s[0 .. keys * ATTEST_LANES - 1], exponent[0 .. ATTEST_LANES - 1],
            sum[0 .. ATTEST_LANES - 1], factor[0 .. ATTEST_LANES - 1];
*/
void attest_lanes_weights(real *restrict s, size_t keys, real *restrict exponent,
                          real *restrict sum, real *restrict factor,
                          const int32_t *restrict last);

/* acc[c * LANES + r] := factor[r] * acc + sum over the keys of p[j * LANES + r] * v[j * v_row + c],
   left to right. A hidden key has weight 0 and changes no sum where its values are finite, since
   sums begin at +0 and so are never -0. Where some are not, attest_lanes_add_seen, which is slower,
   passes over the keys of a negative weight. Keys at and beyond last[r] may be left out of lane r. */
/*@ requires attest_tile_sizes(keys, width) && attest_fits((keys - 1) * v_row);
    requires \valid_read(p + (0 .. keys * ATTEST_LANES - 1));
    requires \valid_read(v + (0 .. attest_extent(keys, v_row, width) - 1));
    requires \valid(acc + (0 .. width * ATTEST_LANES - 1));
    requires \valid_read(factor + (0 .. ATTEST_LANES - 1));
    requires \valid_read(last + (0 .. ATTEST_LANES - 1));
    assigns acc[0 .. width * ATTEST_LANES - 1];
    ATTEST_EXACTLY(behavior numbers:
      assumes attest_lanes_spans(first, last, factor, keys, count);
      assumes attest_tile_weighs(p, keys, first, last, e, row, count, key);
      assumes attest_values_held(v, v_row, keys, width, row, count, key);
      assumes \separated(acc + (0 .. width * ATTEST_LANES - 1), p + (0 .. keys * ATTEST_LANES - 1),
                         factor + (0 .. ATTEST_LANES - 1));
      assumes \separated(acc + (0 .. width * ATTEST_LANES - 1), e + (0 .. ATTEST_LANES - 1));
      assumes attest_rows_apart(acc, width * ATTEST_LANES, v, v_row, keys, width);
      ensures sums: \forall integer c, r; 0 <= c < width && 0 <= r < count ==>
        attest_at(acc, c, r) == \at(attest_lane_sum(acc, factor, first, last, e, row, r, c, key, keys), Pre);)
*/
void attest_lanes_add(const real *restrict p, const real *restrict v, size_t v_row, size_t keys,
                      size_t width, real *restrict acc, const real *restrict factor,
                      const int32_t *restrict last)
    /*@ ghost (const int32_t *first, const real *e, size_t row, size_t count, size_t key) */;

/*@ requires attest_tile_sizes(keys, width) && attest_fits((keys - 1) * v_row);
    requires \valid_read(p + (0 .. keys * ATTEST_LANES - 1));
    requires \valid_read(v + (0 .. attest_extent(keys, v_row, width) - 1));
    requires \valid(acc + (0 .. width * ATTEST_LANES - 1));
    requires \valid_read(factor + (0 .. ATTEST_LANES - 1));
    assigns acc[0 .. width * ATTEST_LANES - 1];
*/
void attest_lanes_add_seen(const real *restrict p, const real *restrict v, size_t v_row,
                           size_t keys, size_t width, real *restrict acc,
                           const real *restrict factor);

/* Whether every value of a tile is finite. */
/*@ requires attest_tile_sizes(keys, width) && attest_fits((keys - 1) * v_row);
    requires \valid_read(v + (0 .. attest_extent(keys, v_row, width) - 1));
    assigns \nothing;
*/
int attest_lanes_finite(const real *v, size_t v_row, size_t keys, size_t width);

/* acc := acc / sum, the outputs; 0 in lanes that have seen no key. */
/*@ requires 1 <= width <= ATTEST_MAX_WIDTH;
    requires \valid(acc + (0 .. width * ATTEST_LANES - 1));
    requires \valid_read(sum + (0 .. ATTEST_LANES - 1));
    requires \valid_read(seen + (0 .. ATTEST_LANES - 1));
    ATTEST_EXACTLY(requires \separated(acc + (0 .. width * ATTEST_LANES - 1),
                                       sum + (0 .. ATTEST_LANES - 1));)
    assigns acc[0 .. width * ATTEST_LANES - 1];
    ATTEST_EXACTLY(ensures outputs: \forall integer c, r; 0 <= c < width && 0 <= r < ATTEST_LANES
      ==> attest_lane_divided{Pre, Here}(acc, sum, seen, c, r);)
*/
void attest_lanes_divide(real *restrict acc, size_t width, const real *restrict sum,
                         const int *restrict seen);

#endif
