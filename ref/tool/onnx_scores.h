/* Scores of single keys, correctly rounded: what qk_matmul_output shows before the softmax. */
#ifndef ATTEST_ONNX_SCORES_H
#define ATTEST_ONNX_SCORES_H

#include "attest.h"
#include "oracle/format.h"

/* qk_matmul_output_mode. A hidden key has a score like any other in the first two, and -inf in
   ATTEST_ONNX_BIASED; there a NaN score, or +inf at a hidden key, gives NaN, since the mask is
   added. */
typedef enum attest_onnx_mode {
  ATTEST_ONNX_RAW = 0,    /* scale * <q, k> */
  ATTEST_ONNX_CAPPED = 1, /* after softcap */
  ATTEST_ONNX_BIASED = 2, /* after softcap and all masks */
  ATTEST_ONNX_WEIGHTS = 3 /* after the softmax: not for this file but the oracle */
} attest_onnx_mode;

typedef struct attest_onnx_scorer attest_onnx_scorer;

/* shape and arrays must outlive it. NULL: *refusal says why, as attest_attention would, or is
   ATTEST_OK where there is not enough memory. */
attest_onnx_scorer *attest_onnx_scorer_start(const attest_shape *shape,
                                             const attest_arrays_f64 *arrays,
                                             attest_onnx_mode mode, attest_status *refusal);
void attest_onnx_scorer_end(attest_onnx_scorer *scorer);

/* The score of key j for query row i, rounded to format. *enclosure: the number before rounding,
   of radius infinity for NaN and infinities; may be NULL. */
double attest_onnx_score(attest_onnx_scorer *scorer, size_t batch, size_t head, size_t i,
                         size_t j, attest_format format, attest_enclosure *enclosure);

#endif
