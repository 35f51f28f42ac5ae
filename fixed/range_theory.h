/* What follows for every row from row_theory.h: outputs lie between visible values, weights are in
   [0, 65536], 0 where hidden, and sum to 65536 (proofs/fixed.md). No code. The steps are in
   range_proof.h, so that their lemmas are in no other proof. */
#ifndef ATTEST_Q16_RANGE_THEORY_H
#define ATTEST_Q16_RANGE_THEORY_H

#include "row_theory.h"

/*@ // the smallest and the largest visible value of column c among keys j < n
    logic integer attest_q16_row_least{L}(attest_q16_head h, integer i, integer c, integer n) =
      n <= 0 ? 2147483647 :
      attest_q16_seen(h, i, n - 1) == 0 ? attest_q16_row_least(h, i, c, n - 1) :
        \min(attest_q16_row_least(h, i, c, n - 1), attest_q16_value_at(h, n - 1, c));
    logic integer attest_q16_row_most{L}(attest_q16_head h, integer i, integer c, integer n) =
      n <= 0 ? -2147483648 :
      attest_q16_seen(h, i, n - 1) == 0 ? attest_q16_row_most(h, i, c, n - 1) :
        \max(attest_q16_row_most(h, i, c, n - 1), attest_q16_value_at(h, n - 1, c));

    // the sum of the weights of keys j < n as they are given out
    logic integer attest_q16_given_sum{L}(attest_q16_head h, integer i, integer n) =
      n <= 0 ? 0 : attest_q16_given_sum(h, i, n - 1) + attest_q16_given_weight(h, i, n - 1);

    // weights of row i in [0, 65536], 0 where hidden; if a key is visible, weights that sum to 65536
    // and outputs between the smallest and the largest visible value
    predicate attest_q16_row_between{L}(attest_q16_head h, integer i) =
      (\forall integer j; 0 <= j < h.kv_len ==> 0 <= attest_q16_given_weight(h, i, j) <= 65536) &&
      (\forall integer j; 0 <= j < h.kv_len && attest_q16_seen(h, i, j) == 0 ==>
        attest_q16_given_weight(h, i, j) == 0) &&
      (\forall integer j; 0 <= j < h.kv_len && attest_q16_seen(h, i, j) != 0 ==>
        attest_q16_given_sum(h, i, h.kv_len) == 65536) &&
      (\forall integer j, c; 0 <= j < h.kv_len && 0 <= c < h.value_width &&
        attest_q16_seen(h, i, j) != 0 ==>
        attest_q16_row_least(h, i, c, h.kv_len) <= attest_q16_output_at(h, i, c) <=
          attest_q16_row_most(h, i, c, h.kv_len));

    // the sum of the first n weights of row i in the array of weights
    logic integer attest_q16_share_sum{L}(attest_q16_head h, integer i, integer n) =
      n <= 0 ? 0 : attest_q16_share_sum(h, i, n - 1) + attest_q16_share_of(h, i, n - 1);

    // the same of the arrays
    predicate attest_q16_weights_hold{L}(attest_q16_head h, integer i) =
      (\forall integer j; 0 <= j < h.kv_len ==> 0 <= attest_q16_share_of(h, i, j) <= 65536) &&
      (\forall integer j; 0 <= j < h.kv_len && attest_q16_seen(h, i, j) == 0 ==>
        attest_q16_share_of(h, i, j) == 0) &&
      (\forall integer j; 0 <= j < h.kv_len && attest_q16_seen(h, i, j) != 0 ==>
        attest_q16_share_sum(h, i, h.kv_len) == 65536);
    predicate attest_q16_outputs_hold{L}(attest_q16_head h, integer i) =
      \forall integer j, c; 0 <= j < h.kv_len && 0 <= c < h.value_width &&
        attest_q16_seen(h, i, j) != 0 ==>
        attest_q16_row_least(h, i, c, h.kv_len) <= attest_q16_out_at(h, i, c) <=
          attest_q16_row_most(h, i, c, h.kv_len);
    predicate attest_q16_rows_hold{L}(attest_q16_head h) =
      \forall integer i; 0 <= i < h.q_len ==> attest_q16_outputs_hold(h, i) &&
        (h.weights != \null ==> attest_q16_weights_hold(h, i));
*/

/*@ ghost
  // all rows, when they are done
  /@ requires attest_q16_sizes(h) && attest_q16_inputs(h);
     requires outputs: \forall integer i, c; 0 <= i < h.q_len && 0 <= c < h.value_width ==>
       attest_q16_out_at(h, i, c) == attest_q16_output_at(h, i, c);
     requires weights: h.weights != \null ==>
       \forall integer i, j; 0 <= i < h.q_len && 0 <= j < h.kv_len ==>
       attest_q16_share_of(h, i, j) == attest_q16_given_weight(h, i, j);
     assigns \nothing;
     ensures attest_q16_rows_hold(h); @/
  void attest_q16_all_rows_hold(attest_q16_head h);
*/

#endif
