/* The two loop nests: all query rows of one head. */
#ifndef ATTEST_Q16_NESTS_H
#define ATTEST_Q16_NESTS_H

#include "range_theory.h"

/* words: 3 kv_len. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h);
    requires attest_q16_inputs(*h) && attest_q16_outputs(*h) && attest_q16_head_apart(h);
    requires attest_q16_outputs_elsewhere(*h) && attest_q16_out_rows_apart(*h);
    requires \valid(words + (0 .. 3 * h->kv_len - 1));
    assigns words[0 .. 3 * h->kv_len - 1],
      h->out[0 .. attest_q16_extent(h->q_len, h->out_row, h->value_width) - 1],
      h->weights[0 .. attest_q16_extent(h->q_len, h->kv_len, h->kv_len) - 1];
    ensures done: attest_q16_head_done{Pre, Post}(\at(*h, Pre));
    ensures gaps: attest_q16_gaps_kept{Pre, Post}(\at(*h, Pre));
    ensures same: attest_q16_same_rows{Pre, Post}(\at(*h, Pre));
    ensures hold: attest_q16_rows_hold(\at(*h, Pre));
*/
void attest_q16_naive_head(const attest_q16_head *h, uint64_t *words);

/* words: tile + 4 value_width. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h);
    requires attest_q16_inputs(*h) && attest_q16_outputs(*h) && attest_q16_head_apart(h);
    requires attest_q16_outputs_elsewhere(*h) && attest_q16_out_rows_apart(*h);
    requires 1 <= tile <= 65536 && \valid(words + (0 .. tile + 4 * h->value_width - 1));
    assigns words[0 .. tile + 4 * h->value_width - 1],
      h->out[0 .. attest_q16_extent(h->q_len, h->out_row, h->value_width) - 1],
      h->weights[0 .. attest_q16_extent(h->q_len, h->kv_len, h->kv_len) - 1];
    ensures done: attest_q16_head_done{Pre, Post}(\at(*h, Pre));
    ensures gaps: attest_q16_gaps_kept{Pre, Post}(\at(*h, Pre));
    ensures same: attest_q16_same_rows{Pre, Post}(\at(*h, Pre));
    ensures hold: attest_q16_rows_hold(\at(*h, Pre));
*/
void attest_q16_tiled_head(const attest_q16_head *h, uint32_t tile, uint64_t *words);

#endif
