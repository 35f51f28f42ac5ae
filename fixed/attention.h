/* From a whole problem to its heads: contracts of the functions of attest_q16.h. */
#ifndef ATTEST_Q16_ATTENTION_H
#define ATTEST_Q16_ATTENTION_H

#include "heads_theory.h"

/*@ logic integer attest_q16_cells(integer heads, integer rows, integer keys) =
      heads * (rows * keys);
    logic integer attest_q16_weights_whole(attest_q16_shape s) =
      attest_q16_cells(s.q_heads, s.q_len, s.kv_len);

    // where a head begins
    logic integer attest_q16_start(integer head, attest_q16_strides s) = head * s.head;

    // that head's rows lie in the tensor
    predicate attest_q16_inside(integer head, integer heads, integer rows, integer width,
                                attest_q16_strides s) =
      0 <= attest_q16_start(head, s) &&
      attest_q16_start(head, s) + attest_q16_extent(rows, s.row, width) <=
        attest_q16_whole(heads, rows, width, s);

    predicate attest_q16_counts_ok(attest_q16_shape s) =
      1 <= s.kv_heads <= s.q_heads <= 65536 && attest_q16_groups(s.q_heads, s.kv_heads) &&
      s.q_len <= 65536 && s.kv_len <= 65536 && s.key_length <= s.kv_len &&
      1 <= s.width <= 1024 && 1 <= s.value_width <= 1024;

    predicate attest_q16_reach_ok(attest_q16_shape s) =
      -268435456 <= s.offset <= 268435456 &&
      (s.window != 0 ==> -1 <= s.left <= 268435456 && -1 <= s.right <= 268435456);

    predicate attest_q16_out_apart(attest_q16_shape s) =
      (s.q_len <= 1 || s.value_width <= s.out.row) &&
      (attest_q16_nested(s.value_width, s.q_len, s.out.row, s.q_heads, s.out.head) ||
       attest_q16_nested(s.value_width, s.q_heads, s.out.head, s.q_len, s.out.row));

    predicate attest_q16_problem_ok(attest_q16_shape s, attest_q16_arrays a) =
      attest_q16_counts_ok(s) && attest_q16_reach_ok(s) && attest_q16_scale_ok(s.scale) &&
      (s.q_len >= 1 ==>
        attest_q16_tensor_fits(s.q_heads, s.q_len, s.width, s.q) &&
        attest_q16_tensor_fits(s.q_heads, s.q_len, s.value_width, s.out) &&
        attest_q16_out_apart(s)) &&
      (s.kv_len >= 1 ==>
        attest_q16_tensor_fits(s.kv_heads, s.kv_len, s.width, s.k) &&
        attest_q16_tensor_fits(s.kv_heads, s.kv_len, s.value_width, s.v)) &&
      (s.q_len >= 1 && s.kv_len >= 1 && a.mask != \null ==>
        attest_q16_tensor_fits(s.q_heads, s.q_len, s.kv_len, s.mask)) &&
      (a.weights != \null ==> attest_q16_fits(attest_q16_weights_whole(s)));

    predicate attest_q16_readable{L}(attest_q16_shape s, attest_q16_arrays a) =
      \valid_read(a.q + (0 .. attest_q16_whole(s.q_heads, s.q_len, s.width, s.q) - 1)) &&
      \valid_read(a.k + (0 .. attest_q16_whole(s.kv_heads, s.kv_len, s.width, s.k) - 1)) &&
      \valid_read(a.v + (0 .. attest_q16_whole(s.kv_heads, s.kv_len, s.value_width, s.v) - 1)) &&
      (s.kv_len >= 1 && a.mask != \null ==> \valid_read(
        a.mask + (0 .. attest_q16_whole(s.q_heads, s.q_len, s.kv_len, s.mask) - 1)));

    predicate attest_q16_writable{L}(attest_q16_shape s, attest_q16_arrays a) =
      \valid(a.out + (0 .. attest_q16_whole(s.q_heads, s.q_len, s.value_width, s.out) - 1)) &&
      (a.weights != \null ==> \valid(a.weights + (0 .. attest_q16_weights_whole(s) - 1)));

    // n elements that are in none of the inputs
    predicate attest_q16_not_in_inputs{L}(attest_q16_shape s, attest_q16_arrays a, int32_t *p,
                                          integer n) =
      \separated(p + (0 .. n - 1),
        a.q + (0 .. attest_q16_whole(s.q_heads, s.q_len, s.width, s.q) - 1)) &&
      \separated(p + (0 .. n - 1),
        a.k + (0 .. attest_q16_whole(s.kv_heads, s.kv_len, s.width, s.k) - 1)) &&
      \separated(p + (0 .. n - 1),
        a.v + (0 .. attest_q16_whole(s.kv_heads, s.kv_len, s.value_width, s.v) - 1));

    // outputs overlap neither inputs nor each other
    predicate attest_q16_arrays_apart{L}(attest_q16_shape s, attest_q16_arrays a) =
      attest_q16_not_in_inputs(s, a, a.out,
        attest_q16_whole(s.q_heads, s.q_len, s.value_width, s.out)) &&
      (a.weights != \null ==>
        attest_q16_not_in_inputs(s, a, a.weights, attest_q16_weights_whole(s)) &&
        \separated(a.weights + (0 .. attest_q16_weights_whole(s) - 1),
          a.out + (0 .. attest_q16_whole(s.q_heads, s.q_len, s.value_width, s.out) - 1)));

    // what a shape says is not in the outputs
    predicate attest_q16_shape_apart{L}(attest_q16_shape *s, attest_q16_arrays *a) =
      \separated(s,
        a->out + (0 .. attest_q16_whole(s->q_heads, s->q_len, s->value_width, s->out) - 1)) &&
      (a->weights != \null ==>
        \separated(s, a->weights + (0 .. attest_q16_weights_whole(*s) - 1)));

    predicate attest_q16_ready{L}(attest_q16_shape *s, attest_q16_arrays *a) =
      attest_q16_problem_ok(*s, *a) && attest_q16_readable(*s, *a) &&
      attest_q16_writable(*s, *a) && attest_q16_arrays_apart(*s, *a) && attest_q16_shape_apart(s, a);

    // what a problem reads and writes is there
    predicate attest_q16_given(attest_q16_shape s, attest_q16_arrays a) =
      (s.q_len >= 1 ==> a.q != \null && a.out != \null) &&
      (s.kv_len >= 1 ==> a.k != \null && a.v != \null);
*/

/* What is wrong with a problem, its scratch memory aside. */
/*@ requires \valid_read(s) && \valid_read(a);
    assigns \nothing;
    ensures \result == ATTEST_Q16_OK ==> attest_q16_problem_ok(*s, *a);
    ensures given: \result == ATTEST_Q16_OK ==> attest_q16_given(*s, *a);
*/
attest_q16_status attest_q16_check(const attest_q16_shape *s, const attest_q16_arrays *a);

/* Query head `head` with the key and value head it reads. */
/*@ requires \valid_read(s) && \valid_read(a);
    requires attest_q16_problem_ok(*s, *a) && s->q_len >= 1 && head < s->q_heads;
    requires attest_q16_readable(*s, *a) && attest_q16_writable(*s, *a);
    assigns \nothing;
    ensures sizes: attest_q16_sizes(\result);
    ensures inputs: attest_q16_inputs(\result);
    ensures outputs: attest_q16_outputs(\result);
    ensures is: attest_q16_is_head(*s, *a, head, \result);
    ensures \result.q_len == s->q_len && \result.kv_len == s->kv_len &&
      \result.width == s->width && \result.value_width == s->value_width &&
      \result.q_row == s->q.row && \result.k_row == s->k.row &&
      \result.v_row == s->v.row && \result.out_row == s->out.row;
    ensures q: \result.q == a->q + attest_q16_start(head, s->q);
    ensures q_inside: attest_q16_inside(head, s->q_heads, s->q_len, s->width, s->q);
    ensures k: s->kv_len >= 1 ==> \let head_k = attest_q16_kv_head(head, s->q_heads, s->kv_heads);
      \result.k == a->k + attest_q16_start(head_k, s->k) &&
      attest_q16_inside(head_k, s->kv_heads, s->kv_len, s->width, s->k);
    ensures v: s->kv_len >= 1 ==> \let head_v = attest_q16_kv_head(head, s->q_heads, s->kv_heads);
      \result.v == a->v + attest_q16_start(head_v, s->v) &&
      attest_q16_inside(head_v, s->kv_heads, s->kv_len, s->value_width, s->v);
    ensures out: \result.out == a->out + attest_q16_start(head, s->out);
    ensures out_inside: attest_q16_inside(head, s->q_heads, s->q_len, s->value_width, s->out);
    ensures no_weights: a->weights == \null ==> \result.weights == \null;
    ensures weights: a->weights != \null ==>
      \result.weights == a->weights + attest_q16_cells(head, s->q_len, s->kv_len) &&
      0 <= attest_q16_cells(head, s->q_len, s->kv_len) &&
      attest_q16_cells(head, s->q_len, s->kv_len) +
        attest_q16_extent(s->q_len, s->kv_len, s->kv_len) <= attest_q16_weights_whole(*s);
*/
attest_q16_head attest_q16_head_at(const attest_q16_shape *s, const attest_q16_arrays *a,
                                   uint32_t head);

/* Tiles of `tile` keys, or the naive nest where that is 0. */
/*@ requires \valid_read(s) && \valid_read(a);
    requires attest_q16_problem_ok(*s, *a) && s->q_len >= 1 && attest_q16_given(*s, *a) ==>
      attest_q16_ready(s, a);
    requires tile <= 65536 && (words != \null ==> \valid(words + (0 .. count - 1)));
    assigns words[0 .. count - 1],
      a->out[0 .. attest_q16_whole(s->q_heads, s->q_len, s->value_width, s->out) - 1],
      a->weights[0 .. attest_q16_weights_whole(*s) - 1];
    ensures done: \result == ATTEST_Q16_OK ==>
      attest_q16_heads_done{Pre, Post}(\old(*s), \old(*a), \old(s->q_heads));
    ensures same: \result == ATTEST_Q16_OK ==>
      attest_q16_heads_same{Pre, Post}(\old(*s), \old(*a));
    ensures hold: \result == ATTEST_Q16_OK ==>
      attest_q16_heads_hold(\old(*s), \old(*a), \old(s->q_heads));
*/
attest_q16_status attest_q16_run(const attest_q16_shape *s, const attest_q16_arrays *a,
                                 uint32_t tile, uint64_t *words, uint32_t count);

/*@ requires shape == \null || \valid_read(shape);
    requires arrays == \null || \valid_read(arrays);
    requires shape != \null && arrays != \null && attest_q16_problem_ok(*shape, *arrays) &&
      shape->q_len >= 1 && attest_q16_given(*shape, *arrays) ==> attest_q16_ready(shape, arrays);
    requires scratch != \null ==> \valid(scratch + (0 .. scratch_count - 1));
    assigns scratch[0 .. scratch_count - 1],
      arrays->out[0 .. attest_q16_whole(shape->q_heads, shape->q_len, shape->value_width,
                                        shape->out) - 1],
      arrays->weights[0 .. attest_q16_weights_whole(*shape) - 1];
    ensures done: \result == ATTEST_Q16_OK ==>
      attest_q16_heads_done{Pre, Post}(\old(*shape), \old(*arrays), \old(shape->q_heads));
    ensures same: \result == ATTEST_Q16_OK ==>
      attest_q16_heads_same{Pre, Post}(\old(*shape), \old(*arrays));
    ensures hold: \result == ATTEST_Q16_OK ==>
      attest_q16_heads_hold(\old(*shape), \old(*arrays), \old(shape->q_heads));
    ensures null: shape == \null || arrays == \null ==> \result == ATTEST_Q16_NULL;
*/
attest_q16_status attest_q16_naive(const attest_q16_shape *shape, const attest_q16_arrays *arrays,
                                   uint64_t *scratch, uint32_t scratch_count);

/*@ requires shape == \null || \valid_read(shape);
    requires arrays == \null || \valid_read(arrays);
    requires shape != \null && arrays != \null && attest_q16_problem_ok(*shape, *arrays) &&
      shape->q_len >= 1 && attest_q16_given(*shape, *arrays) ==> attest_q16_ready(shape, arrays);
    requires scratch != \null ==> \valid(scratch + (0 .. scratch_count - 1));
    assigns scratch[0 .. scratch_count - 1],
      arrays->out[0 .. attest_q16_whole(shape->q_heads, shape->q_len, shape->value_width,
                                        shape->out) - 1],
      arrays->weights[0 .. attest_q16_weights_whole(*shape) - 1];
    ensures done: \result == ATTEST_Q16_OK ==>
      attest_q16_heads_done{Pre, Post}(\old(*shape), \old(*arrays), \old(shape->q_heads));
    ensures same: \result == ATTEST_Q16_OK ==>
      attest_q16_heads_same{Pre, Post}(\old(*shape), \old(*arrays));
    ensures hold: \result == ATTEST_Q16_OK ==>
      attest_q16_heads_hold(\old(*shape), \old(*arrays), \old(shape->q_heads));
    ensures null: shape == \null || arrays == \null ==> \result == ATTEST_Q16_NULL;
*/
attest_q16_status attest_q16_tiled(const attest_q16_shape *shape, const attest_q16_arrays *arrays,
                                   uint32_t tile, uint64_t *scratch, uint32_t scratch_count);

#endif
