/* The tiled nest: FlashAttention's loop order on a lane block of query rows. */
#ifndef ATTEST_TILED_H
#define ATTEST_TILED_H

#include "head.h"

/* Every row of a head. */
/*@ requires attest_sizes(h) && attest_inputs(h) && attest_outputs(h);
    requires 1 <= tile <= ATTEST_MAX_TILE;
    requires \valid(scratch + (0 .. attest_tiled_scratch(h.width, h.value_width, tile) - 1));
    assigns scratch[0 .. attest_tiled_scratch(h.width, h.value_width, tile) - 1],
            h.out[0 .. attest_extent(h.q_len, h.out_row, h.value_width) - 1],
            h.weights[0 .. attest_extent(h.q_len, h.kv_len, h.kv_len) - 1],
            h.lse[0 .. h.q_len - 1];
*/
void attest_tiled_head(const attest_head h, attest_rule rule, size_t tile, real *scratch);

#endif
