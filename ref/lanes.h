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

#ifdef ATTEST_EXACT
#include "../proofs/acsl/lanes.h"
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
