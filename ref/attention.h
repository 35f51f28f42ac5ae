/* A whole problem: checked, then head after head through one of the nests. */
#ifndef ATTEST_ATTENTION_H
#define ATTEST_ATTENTION_H

#include "attest.h"
#include "decode.h"
#include "head.h"
#include "tiled.h"

/*@ // elements from the first to the last of a tensor of b batches and h heads
    logic integer attest_extent4(integer b, integer sb, integer h, integer sh, integer rows,
                                 integer stride, integer width) =
      b <= 0 || h <= 0 || rows <= 0 ? 0
        : (b - 1) * sb + (h - 1) * sh + (rows - 1) * stride + width;

    logic integer attest_mask_extent4(integer b, integer sb, integer h, integer sh,
                                      integer rows, integer row, integer keys, integer key) =
      b <= 0 || h <= 0 || rows <= 0 || keys <= 0 ? 0
        : (b - 1) * sb + (h - 1) * sh + (rows - 1) * row + (keys - 1) * key + 1;

    logic integer attest_q_extent(attest_shape s) = attest_extent4(
      s.batch, s.q.batch, s.q_heads, s.q.head, s.q_len, s.q.row, s.width);
    logic integer attest_k_extent(attest_shape s) = attest_extent4(
      s.batch, s.k.batch, s.kv_heads, s.k.head, s.kv_len, s.k.row, s.width);
    logic integer attest_v_extent(attest_shape s) = attest_extent4(
      s.batch, s.v.batch, s.kv_heads, s.v.head, s.kv_len, s.v.row, s.value_width);
    logic integer attest_out_extent(attest_shape s) = attest_extent4(
      s.batch, s.out.batch, s.q_heads, s.out.head, s.q_len, s.out.row, s.value_width);
    logic integer attest_masks_extent(attest_shape s, attest_mask_strides m) =
      attest_mask_extent4(s.batch, m.batch, s.q_heads, m.head, s.q_len, m.row, s.kv_len, m.key);
    // every query row of every head, and every weight
    logic integer attest_rows_extent(attest_shape s) =
      attest_extent(s.batch * s.q_heads, s.q_len, s.q_len);
    logic integer attest_weights_extent(attest_shape s) =
      attest_extent(s.batch * s.q_heads, s.q_len * s.kv_len, s.q_len * s.kv_len);

    predicate attest_shape_ok(attest_shape s) =
      s.batch <= ATTEST_MAX_BATCH && 1 <= s.kv_heads <= s.q_heads <= ATTEST_MAX_HEADS &&
      s.q_len <= ATTEST_MAX_KEYS && s.kv_len <= ATTEST_MAX_KEYS &&
      1 <= s.width <= ATTEST_MAX_WIDTH && 1 <= s.value_width <= ATTEST_MAX_WIDTH &&
      s.q_heads % s.kv_heads == 0 &&
      -ATTEST_MAX_REACH <= s.offset <= ATTEST_MAX_REACH &&
      (s.window != 0 ==> -1 <= s.left <= ATTEST_MAX_REACH && -1 <= s.right <= ATTEST_MAX_REACH) &&
      attest_fits(attest_q_extent(s)) && attest_fits(attest_k_extent(s)) &&
      attest_fits(attest_v_extent(s)) && attest_fits(attest_out_extent(s));

    predicate attest_optional_ok(attest_shape s, attest_arrays a) =
      (a.mask != \null ==> attest_fits(attest_masks_extent(s, s.mask))) &&
      (a.bias != \null ==> attest_fits(attest_masks_extent(s, s.bias))) &&
      (a.weights != \null ==> attest_fits(attest_weights_extent(s))) &&
      attest_fits(attest_rows_extent(s));

    predicate attest_readable{L}(attest_shape s, attest_arrays a) =
      \valid_read(a.q + (0 .. attest_q_extent(s) - 1)) &&
      \valid_read(a.k + (0 .. attest_k_extent(s) - 1)) &&
      \valid_read(a.v + (0 .. attest_v_extent(s) - 1)) &&
      (a.mask != \null ==>
        \valid_read(a.mask + (0 .. attest_masks_extent(s, s.mask) - 1))) &&
      (a.bias != \null ==>
        \valid_read(a.bias + (0 .. attest_masks_extent(s, s.bias) - 1)));

    predicate attest_writable{L}(attest_shape s, attest_arrays a) =
      \valid(a.out + (0 .. attest_out_extent(s) - 1)) &&
      (a.weights != \null ==> \valid(a.weights + (0 .. attest_weights_extent(s) - 1))) &&
      (a.lse != \null ==> \valid(a.lse + (0 .. attest_rows_extent(s) - 1)));

    predicate attest_lengths_readable{L}(attest_shape s) =
      s.key_lengths != \null ==> \valid_read(s.key_lengths + (0 .. s.batch - 1));
*/

/* The checks of attest_attention on shape and arrays, all but those on engine and scratch. */
/*@ requires attest_lengths_readable(s);
    assigns \nothing;
    ensures \result == ATTEST_OK ==> attest_shape_ok(s) && attest_optional_ok(s, a);
    ensures \result == ATTEST_OK && s.key_lengths != \null ==>
      \forall integer b; 0 <= b < s.batch ==> s.key_lengths[b] <= s.kv_len;
*/
attest_status attest_check(const attest_shape s, const attest_arrays a);

/* The head of query head `head` in batch `batch`. */
/*@ requires attest_shape_ok(s) && attest_optional_ok(s, a);
    requires attest_readable(s, a) && attest_writable(s, a) && attest_lengths_readable(s);
    requires batch < s.batch && head < s.q_heads && s.q_len >= 1;
    requires s.key_lengths != \null ==> s.key_lengths[batch] <= s.kv_len;
    assigns \nothing;
    ensures attest_sizes(\result) && attest_inputs(\result) && attest_outputs(\result);
    ensures \result.q_len == s.q_len && \result.kv_len == s.kv_len &&
            \result.width == s.width && \result.value_width == s.value_width;
    ensures \result.out_row == s.out.row &&
            \result.out == a.out + (batch * s.out.batch + head * s.out.head);
    ensures (a.weights == \null && \result.weights == \null) || \result.weights ==
            a.weights + (batch * s.q_heads + head) * (s.q_len * s.kv_len);
    ensures (a.lse == \null && \result.lse == \null) || \result.lse ==
            a.lse + (batch * s.q_heads + head) * s.q_len;
*/
attest_head attest_head_at(const attest_shape s, const attest_arrays a, size_t batch, size_t head);

/* Scale, softcap and change of base as the nests use them: every rounding from double to real that
   is not part of a score happens here. The log2(e) is the double nearest to it. */
/*@ assigns \nothing; */
attest_rule attest_rule_of(const attest_shape s);

/*@ requires shape == \null || \valid_read(shape);
    requires shape != \null ==> attest_lengths_readable(*shape);
    assigns \nothing;
*/
size_t attest_scratch(const attest_shape *shape, attest_engine engine, size_t tile);

/*@ requires shape == \null || \valid_read(shape);
    requires arrays == \null || \valid_read(arrays);
    requires shape != \null ==> attest_lengths_readable(*shape);
    requires shape != \null && arrays != \null && attest_shape_ok(*shape) &&
      attest_optional_ok(*shape, *arrays) ==>
        attest_readable(*shape, *arrays) && attest_writable(*shape, *arrays);
    requires scratch == \null || \valid(scratch + (0 .. scratch_count - 1));
    assigns scratch[0 .. scratch_count - 1],
      arrays->out[0 .. attest_out_extent(*shape) - 1],
      arrays->weights[0 .. attest_weights_extent(*shape) - 1],
      arrays->lse[0 .. attest_rows_extent(*shape) - 1];
*/
attest_status attest_attention(const attest_shape *shape, const attest_arrays *arrays,
                               attest_engine engine, size_t tile, real *scratch,
                               size_t scratch_count);

#endif
