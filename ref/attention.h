/* A whole problem: checked, then head after head through one of the nests. */
#ifndef ATTEST_ATTENTION_H
#define ATTEST_ATTENTION_H

#include "attest.h"
#include "decode.h"
#include "head.h"
#include "tiled.h"

/*@ // elements from the first to the last of a tensor, where it has any
    logic integer attest_extent4(integer batch, integer heads, integer rows, integer width,
                                 attest_strides s) =
      (batch - 1) * s.batch + (heads - 1) * s.head + (rows - 1) * s.row + width;

    logic integer attest_mask_extent4(integer batch, integer heads, integer rows, integer keys,
                                      attest_mask_strides s) =
      (batch - 1) * s.batch + (heads - 1) * s.head + (rows - 1) * s.row + (keys - 1) * s.key + 1;

    // it fits, and no term of its extent is negative
    predicate attest_tensor_fits(integer batch, integer heads, integer rows, integer width,
                                 attest_strides s) =
      0 <= (batch - 1) * s.batch && 0 <= (heads - 1) * s.head && 0 <= (rows - 1) * s.row &&
      attest_fits(attest_extent4(batch, heads, rows, width, s));

    predicate attest_mask_fits(integer batch, integer heads, integer rows, integer keys,
                               attest_mask_strides s) =
      0 <= (batch - 1) * s.batch && 0 <= (heads - 1) * s.head && 0 <= (rows - 1) * s.row &&
      0 <= (keys - 1) * s.key && attest_fits(attest_mask_extent4(batch, heads, rows, keys, s));

    logic integer attest_q_extent(attest_shape s) =
      attest_extent4(s.batch, s.q_heads, s.q_len, s.width, s.q);
    logic integer attest_k_extent(attest_shape s) =
      attest_extent4(s.batch, s.kv_heads, s.kv_len, s.width, s.k);
    logic integer attest_v_extent(attest_shape s) =
      attest_extent4(s.batch, s.kv_heads, s.kv_len, s.value_width, s.v);
    logic integer attest_out_extent(attest_shape s) =
      attest_extent4(s.batch, s.q_heads, s.q_len, s.value_width, s.out);
    logic integer attest_masks_extent(attest_shape s, attest_mask_strides m) =
      attest_mask_extent4(s.batch, s.q_heads, s.q_len, s.kv_len, m);
    // every query row of every head, and every weight
    logic integer attest_rows_extent(attest_shape s) =
      (s.batch * s.q_heads - 1) * s.q_len + s.q_len;
    logic integer attest_weights_extent(attest_shape s) =
      (s.batch * s.q_heads - 1) * (s.q_len * s.kv_len) + s.q_len * s.kv_len;

    predicate attest_counts_ok(attest_shape s) =
      s.batch <= ATTEST_MAX_BATCH && 1 <= s.kv_heads <= s.q_heads <= ATTEST_MAX_HEADS &&
      s.q_len <= ATTEST_MAX_KEYS && s.kv_len <= ATTEST_MAX_KEYS &&
      1 <= s.width <= ATTEST_MAX_WIDTH && 1 <= s.value_width <= ATTEST_MAX_WIDTH &&
      s.q_heads % s.kv_heads == 0;

    predicate attest_reach_ok(attest_shape s) =
      -ATTEST_MAX_REACH <= s.offset <= ATTEST_MAX_REACH &&
      (s.window != 0 ==> -1 <= s.left <= ATTEST_MAX_REACH && -1 <= s.right <= ATTEST_MAX_REACH);

    predicate attest_some_rows(attest_shape s) = s.batch >= 1 && s.q_len >= 1;

    predicate attest_extents_ok(attest_shape s) =
      attest_tensor_fits(s.batch, s.q_heads, s.q_len, s.width, s.q) &&
      attest_tensor_fits(s.batch, s.q_heads, s.q_len, s.value_width, s.out) &&
      (s.kv_len >= 1 ==>
        attest_tensor_fits(s.batch, s.kv_heads, s.kv_len, s.width, s.k) &&
        attest_tensor_fits(s.batch, s.kv_heads, s.kv_len, s.value_width, s.v));

    predicate attest_optional_ok(attest_shape s, attest_arrays a) =
      (s.kv_len >= 1 && a.mask != \null ==>
        attest_mask_fits(s.batch, s.q_heads, s.q_len, s.kv_len, s.mask)) &&
      (s.kv_len >= 1 && a.bias != \null ==>
        attest_mask_fits(s.batch, s.q_heads, s.q_len, s.kv_len, s.bias)) &&
      0 <= (s.batch - 1) * s.q_heads && attest_fits(s.batch * s.q_heads) &&
      0 <= (s.batch * s.q_heads - 1) * s.q_len && attest_fits(attest_rows_extent(s)) &&
      0 <= s.q_len * s.kv_len && attest_fits(s.q_len * s.kv_len) &&
      0 <= (s.batch * s.q_heads - 1) * (s.q_len * s.kv_len) &&
      (a.weights != \null ==> attest_fits(attest_weights_extent(s)));

    // what attest_check establishes
    predicate attest_problem_ok(attest_shape s, attest_arrays a) =
      attest_counts_ok(s) && attest_reach_ok(s) &&
      (attest_some_rows(s) ==> attest_extents_ok(s) && attest_optional_ok(s, a));

    predicate attest_lengths_readable{L}(attest_shape s) =
      s.key_lengths != \null ==> \valid_read(s.key_lengths + (0 .. s.batch - 1));

    predicate attest_lengths_ok{L}(attest_shape s) =
      s.key_lengths != \null ==>
        \forall integer b; 0 <= b < s.batch ==> s.key_lengths[b] <= s.kv_len;

    predicate attest_readable{L}(attest_shape s, attest_arrays a) =
      \valid_read(a.q + (0 .. attest_q_extent(s) - 1)) &&
      (s.kv_len >= 1 ==> \valid_read(a.k + (0 .. attest_k_extent(s) - 1)) &&
                         \valid_read(a.v + (0 .. attest_v_extent(s) - 1))) &&
      (s.kv_len >= 1 && a.mask != \null ==>
        \valid_read(a.mask + (0 .. attest_masks_extent(s, s.mask) - 1))) &&
      (s.kv_len >= 1 && a.bias != \null ==>
        \valid_read(a.bias + (0 .. attest_masks_extent(s, s.bias) - 1)));

    predicate attest_writable{L}(attest_shape s, attest_arrays a) =
      (a.out != \null ==> \valid(a.out + (0 .. attest_out_extent(s) - 1))) &&
      (a.weights != \null ==> \valid(a.weights + (0 .. attest_weights_extent(s) - 1))) &&
      (a.lse != \null ==> \valid(a.lse + (0 .. attest_rows_extent(s) - 1)));

    // what a problem with rows reads is there, and what it writes as well
    predicate attest_inputs_given(attest_shape s, attest_arrays a) =
      a.q != \null && (s.kv_len >= 1 ==> a.k != \null && a.v != \null);
    predicate attest_given(attest_shape s, attest_arrays a) =
      attest_inputs_given(s, a) && a.out != \null;
*/

/* The key and value head that query head `head` reads. */
/*@ requires 1 <= kv_heads <= q_heads && q_heads % kv_heads == 0 && head < q_heads;
    assigns \nothing;
    ensures \result == head / (q_heads / kv_heads);
    ensures \result < kv_heads;
*/
static inline size_t attest_kv_head(size_t head, size_t q_heads, size_t kv_heads) {
  const size_t group = q_heads / kv_heads;
  //@ assert whole: q_heads == group * kv_heads;
  //@ assert some: group >= 1;
  const size_t kv_head = head / group;
  //@ assert below: kv_head * group <= head < kv_heads * group;
  return kv_head;
}

/* The checks of attest_attention on shape and arrays, all but those on engine and scratch. */
/*@ requires attest_lengths_readable(s);
    assigns \nothing;
    ensures \result == ATTEST_OK ==> attest_problem_ok(s, a) && attest_lengths_ok(s);
*/
attest_status attest_check(const attest_shape s, const attest_arrays a);

/* The head of query head `head` in batch `batch`. */
/*@ requires attest_counts_ok(s) && attest_reach_ok(s) && attest_some_rows(s);
    requires attest_extents_ok(s) && attest_optional_ok(s, a);
    requires attest_readable(s, a) && attest_writable(s, a);
    requires attest_lengths_readable(s) && attest_lengths_ok(s);
    requires batch < s.batch && head < s.q_heads;
    assigns \nothing;
    ensures sizes: attest_sizes(\result);
    ensures inputs: attest_inputs(\result);
    ensures outputs: a.out != \null ==> attest_outputs(\result);
    ensures \result.q_len == s.q_len && \result.kv_len == s.kv_len &&
            \result.width == s.width && \result.value_width == s.value_width &&
            \result.out_row == s.out.row;
    ensures rows: attest_extent(\result.q_len, \result.out_row, \result.value_width) ==
              (s.q_len - 1) * s.out.row + s.value_width;
    ensures cells: attest_extent(\result.q_len, \result.kv_len, \result.kv_len) ==
              s.q_len * s.kv_len;
    ensures out: a.out != \null ==>
      \result.out == a.out + (batch * s.out.batch + head * s.out.head) &&
      0 <= batch * s.out.batch + head * s.out.head &&
      batch * s.out.batch + head * s.out.head + ((s.q_len - 1) * s.out.row + s.value_width) <=
        attest_out_extent(s);
    ensures some_out: (s.q_len - 1) * s.out.row + s.value_width <= attest_out_extent(s);
    ensures no_out: a.out == \null ==> \result.out == \null;
    ensures weights: a.weights != \null ==>
      \result.weights == a.weights + (batch * s.q_heads + head) * (s.q_len * s.kv_len) &&
      0 <= (batch * s.q_heads + head) * (s.q_len * s.kv_len) &&
      (batch * s.q_heads + head) * (s.q_len * s.kv_len) + s.q_len * s.kv_len <=
        attest_weights_extent(s);
    ensures some_weights: s.q_len * s.kv_len <= attest_weights_extent(s);
    ensures no_weights: a.weights == \null ==> \result.weights == \null;
    ensures lse: a.lse != \null ==>
      \result.lse == a.lse + (batch * s.q_heads + head) * s.q_len &&
      0 <= (batch * s.q_heads + head) * s.q_len &&
      (batch * s.q_heads + head) * s.q_len + s.q_len <= attest_rows_extent(s);
    ensures some_lse: s.q_len <= attest_rows_extent(s);
    ensures no_lse: a.lse == \null ==> \result.lse == \null;
*/
attest_head attest_head_at(const attest_shape s, const attest_arrays a, size_t batch, size_t head);

/* Scale, softcap and change of base as the nests use them: every rounding from double to real that
   is not part of a score happens here. The log2(e) is the double nearest to it. */
/*@ assigns \nothing; */
attest_rule attest_rule_of(const attest_shape s);

/* attest_scratch and attest_attention, by value. */

/*@ requires attest_lengths_readable(s);
    assigns \nothing;
    ensures \result <= 8388608;
*/
size_t attest_scratch_of(const attest_shape s, attest_engine engine, size_t tile);

/*@ requires attest_lengths_readable(s);
    requires attest_some_rows(s) && attest_problem_ok(s, a) && attest_given(s, a) ==>
      attest_readable(s, a) && attest_writable(s, a);
    requires \valid(scratch + (0 .. scratch_count - 1));
    assigns scratch[0 .. scratch_count - 1],
      a.out[0 .. attest_out_extent(s) - 1],
      a.weights[0 .. attest_weights_extent(s) - 1],
      a.lse[0 .. attest_rows_extent(s) - 1];
    ensures given: \result == ATTEST_OK && attest_some_rows(s) ==> attest_given(s, a);
*/
attest_status attest_run(const attest_shape s, const attest_arrays a, attest_engine engine,
                         size_t tile, real *scratch, size_t scratch_count);

/*@ requires shape == \null || \valid_read(shape);
    requires shape != \null ==> attest_lengths_readable(*shape);
    assigns \nothing;
*/
size_t attest_scratch(const attest_shape *shape, attest_engine engine, size_t tile);

/*@ requires shape == \null || \valid_read(shape);
    requires arrays == \null || \valid_read(arrays);
    requires shape != \null ==> attest_lengths_readable(*shape);
    requires shape != \null && arrays != \null && attest_some_rows(*shape) &&
      attest_problem_ok(*shape, *arrays) && attest_given(*shape, *arrays) ==>
        attest_readable(*shape, *arrays) && attest_writable(*shape, *arrays);
    requires scratch == \null || \valid(scratch + (0 .. scratch_count - 1));
    assigns scratch[0 .. scratch_count - 1],
      arrays->out[0 .. attest_out_extent(*shape) - 1],
      arrays->weights[0 .. attest_weights_extent(*shape) - 1],
      arrays->lse[0 .. attest_rows_extent(*shape) - 1];
    ensures null: shape == \null || arrays == \null || scratch == \null ==>
      \result == ATTEST_NULL;
    ensures given: \result == ATTEST_OK && attest_some_rows(*shape) ==>
      attest_given(*shape, *arrays);
*/
attest_status attest_attention(const attest_shape *shape, const attest_arrays *arrays,
                               attest_engine engine, size_t tile, real *scratch,
                               size_t scratch_count);

#endif
