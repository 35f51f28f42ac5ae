/* The functions of attest.h for one format; included there twice, with ATTEST_API_REAL float and
   names ending in _f32, and with double and _f64. Not to be included alone. */

/* The arrays of a problem. mask, bias, weights and lse may be NULL.
   q (B, q_heads, q_len, width), k (B, kv_heads, kv_len, width), v (B, kv_heads, kv_len, value_width),
   out (B, q_heads, q_len, value_width), each with the strides of the shape;
   mask: a byte for each query and key, nonzero = visible; bias: added to the scores, -inf hides;
   weights (B, q_heads, q_len, kv_len) and lse (B, q_heads, q_len), dense: the softmax weights and
   the natural logarithm of the sum of exp(s_ij) over the visible keys. */
typedef struct {
  const ATTEST_API_REAL *q, *k, *v, *bias;
  const uint8_t *mask;
  ATTEST_API_REAL *out, *weights, *lse;
} ATTEST_API(attest_arrays);

/* Elements of scratch that attest_attention needs; 0 where the shape or the engine is refused. */
size_t ATTEST_API(attest_scratch)(const attest_shape *shape, attest_engine engine, size_t tile);

/* Attention for every batch and head. tile: keys in one tile (ATTEST_TILED; otherwise any value from
   1 to ATTEST_MAX_TILE); it changes no bit of the result under the condition in README. scratch:
   at least attest_scratch elements; a multiple of 64 bytes as its address is faster. Outputs must
   not overlap inputs, scratch or each other. On any status other than ATTEST_OK nothing is written. */
attest_status ATTEST_API(attest_attention)(const attest_shape *shape,
                                           const ATTEST_API(attest_arrays) *arrays,
                                           attest_engine engine, size_t tile,
                                           ATTEST_API_REAL *scratch, size_t scratch_count);

/* A part of the keys of one query row: attention without the final division, to be merged with
   other parts (split keys, flash decoding). The weight of key j so far is 2^(y_j - exponent) with
   y_j = s_ij * log2(e); sum is their sum and acc[0 .. value_width-1] their weighted values. */
typedef struct {
  ATTEST_API_REAL exponent; /* an integer, or -inf where no score was above -inf */
  ATTEST_API_REAL sum;
  int seen; /* nonzero: some key was visible */
} ATTEST_API(attest_partial);

/* Keys first <= j < last of head `head` of batch `batch`, query row i, as a partial result. Takes
   the scratch of ATTEST_NAIVE. Errors as attest_attention; indices beyond the shape: ATTEST_LIMIT. */
attest_status ATTEST_API(attest_part)(const attest_shape *shape,
                                      const ATTEST_API(attest_arrays) *arrays, size_t batch,
                                      size_t head, size_t i, size_t first, size_t last,
                                      ATTEST_API(attest_partial) *part, ATTEST_API_REAL *acc,
                                      ATTEST_API_REAL *scratch, size_t scratch_count);

/* into := into merged with other. A part that saw nothing, as one of all zeros, changes nothing.
   Rescaling by powers of two rounds only on underflow, the additions round once each. */
void ATTEST_API(attest_merge)(ATTEST_API(attest_partial) *into, ATTEST_API_REAL *into_acc,
                              const ATTEST_API(attest_partial) *other,
                              const ATTEST_API_REAL *other_acc, size_t value_width);

/* The output row (value_width) and, where lse is not NULL, the log-sum-exp of a partial result.
   out may be acc itself. */
void ATTEST_API(attest_finish)(const ATTEST_API(attest_partial) *part, const ATTEST_API_REAL *acc,
                               size_t value_width, ATTEST_API_REAL *out, ATTEST_API_REAL *lse);

/* Appends `count` rows of `width` elements to a dense cache of `capacity` rows that holds *len, and
   adds to *len. ATTEST_LIMIT, and nothing written, where they do not fit. A decode step is: append
   the new key and value rows, then attest_attention with ATTEST_DECODE, kv_len = *len and
   offset = *len - q_len. */
attest_status ATTEST_API(attest_append)(ATTEST_API_REAL *cache, size_t capacity, size_t width,
                                        size_t *len, const ATTEST_API_REAL *rows, size_t count);

/* Elements of scratch that attest_layer needs; 0 where the shape is refused. */
size_t ATTEST_API(attest_layer_scratch)(const attest_layer_shape *shape, attest_engine engine,
                                        size_t tile);

/* A layer as described at attest_layer_shape. out (len, out). Errors as attest_attention. */
attest_status ATTEST_API(attest_layer)(const attest_layer_shape *shape, const ATTEST_API_REAL *x,
                                       const ATTEST_API_REAL *wq, const ATTEST_API_REAL *wk,
                                       const ATTEST_API_REAL *wv, const ATTEST_API_REAL *wo,
                                       ATTEST_API_REAL *out, attest_engine engine, size_t tile,
                                       ATTEST_API_REAL *scratch, size_t scratch_count);
