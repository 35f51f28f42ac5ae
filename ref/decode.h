/* The decode nest: one query row against tiles of keys, for few query rows and a long cache. Several
   keys at a time for the scores, and the value columns for the sums; each keeps the naive order. */
#ifndef ATTEST_DECODE_H
#define ATTEST_DECODE_H

#include "head.h"

/* Every row of a head. scratch: the scores of a tile. */
/*@ requires attest_sizes(h) && attest_inputs(h) && attest_outputs(h);
    requires \valid(scratch + (0 .. ATTEST_LANES - 1));
    assigns scratch[0 .. ATTEST_LANES - 1],
            h.out[0 .. attest_extent(h.q_len, h.out_row, h.value_width) - 1],
            h.weights[0 .. attest_extent(h.q_len, h.kv_len, h.kv_len) - 1],
            h.lse[0 .. h.q_len - 1];
*/
void attest_decode_head(const attest_head h, attest_rule rule, real *scratch);

#endif
