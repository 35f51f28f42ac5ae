/* The naive nest: a row at a time, every score of the row kept. What the other nests must match. */
#ifndef ATTEST_NAIVE_H
#define ATTEST_NAIVE_H

#include "head.h"
#include "score.h"

/* Row i against the keys begin <= j < end: scores into y[begin .. end-1] (-inf: hidden), then the
   partial result. */
/*@ requires attest_sizes(h) && attest_inputs(h);
    requires i < h.q_len && begin <= end <= h.kv_len;
    requires \valid(part) && \valid(acc + (0 .. h.value_width - 1));
    requires \valid(y + (0 .. h.kv_len - 1));
    assigns *part, acc[0 .. h.value_width - 1], y[0 .. h.kv_len - 1];
    ATTEST_EXACTLY(behavior numbers:
      assumes attest_holds(h, i) && attest_holds_scores(h, rule, i);
      assumes attest_apart(h, i, y, h.kv_len) && attest_apart(h, i, acc, h.value_width);
      assumes \separated(part, y + (0 .. h.kv_len - 1), acc + (0 .. h.value_width - 1));
      ensures row: attest_part_of(part->exponent, part->sum, part->seen, acc, h.value_width, i,
                                  begin, end);)
*/
void attest_naive_part(const attest_head h, attest_rule rule, size_t i, size_t begin, size_t end,
                       attest_partial *part, real *acc, real *y);

/* Every row of a head. y: kv_len reals of scratch. */
/*@ requires attest_sizes(h) && attest_inputs(h) && attest_outputs(h);
    requires \valid(y + (0 .. h.kv_len - 1));
    assigns y[0 .. h.kv_len - 1], h.out[0 .. attest_extent(h.q_len, h.out_row, h.value_width) - 1],
            h.weights[0 .. attest_extent(h.q_len, h.kv_len, h.kv_len) - 1], h.lse[0 .. h.q_len - 1];
*/
void attest_naive_head(const attest_head h, attest_rule rule, real *y);

#endif
