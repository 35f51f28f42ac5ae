/* attest in Q16.16: attention with integers only. Public interface of fixed/.

   Freestanding C99: no allocation, no globals, no floating point, no 128-bit integers, and the same
   bits on 8-, 16-, 32- and 64-bit machines. Numbers are int32_t in units of 2^-16; every int32_t is
   a legal input.

     s_ij = scale * <q_i, k_j>        the dot product exact, times scale * log2(e) rounded once
     w_ij = exp(s_ij) / sum of exp(s_ij') over the keys j' visible to i
     o_i  = sum of w_ij * v_j         one division and one rounding, to nearest, ties to even

   Hidden keys are absent: their weight is exactly 0 and their rows may hold anything. A row that
   sees nothing has o = 0 and w = 0. An output lies between the smallest and the largest visible
   value of its column; the weights of a row that sees a key sum to exactly 65536. How far outputs
   are from the exact ones: proofs/fixed.md. */
#ifndef ATTEST_Q16_H
#define ATTEST_Q16_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits. Sizes above them are refused with ATTEST_Q16_LIMIT. */
#define ATTEST_Q16_MAX_KEYS 65536U     /* kv_len and q_len */
#define ATTEST_Q16_MAX_WIDTH 1024U     /* width and value_width */
#define ATTEST_Q16_MAX_HEADS 65536U
#define ATTEST_Q16_MAX_REACH 268435456 /* |offset|, left and right of a window: 2^28 */

typedef enum {
  ATTEST_Q16_OK = 0,
  ATTEST_Q16_NULL,   /* a required pointer is missing */
  ATTEST_Q16_SHAPE,  /* a width or number of heads is 0, q_heads is no multiple of kv_heads, or
                        rows of out overlap */
  ATTEST_Q16_LIMIT,  /* a size is above the limits, or an array has 2^32 or more elements */
  ATTEST_Q16_SCALE,  /* the exponent of the scale is outside -64 .. -17 */
  ATTEST_Q16_REACH,  /* offset or window beyond ATTEST_Q16_MAX_REACH, or key_length above kv_len */
  ATTEST_Q16_SCRATCH, /* the scratch memory is too small, or a tile of 0 keys */
  ATTEST_Q16_FULL    /* the cache has no room for another key */
} attest_q16_status;

/* scale * log2(e) = mantissa * 2^exponent, exponent in -64 .. -17. Multiplying by log2(e) once lets
   the softmax run in base 2. Zero is mantissa 0; negative scales do not exist. */
typedef struct {
  uint32_t mantissa;
  int32_t exponent;
} attest_q16_scale;

/* Scale 1/sqrt(width), 1 <= width <= ATTEST_Q16_MAX_WIDTH, correctly rounded to 32 bits. For other
   widths the scale is 0. */
/*@ assigns \nothing;
    ensures -64 <= \result.exponent <= -17;
*/
attest_q16_scale attest_q16_default_scale(uint32_t width);

/* Scale mantissa * 2^exponent, such as 0.125 from (1, -3), with scale * log2(e) within 0.501 units
   of 32 bits of the product. A product below 2^-33 becomes 0; one of 2^15 or more has an exponent
   that the functions below refuse with ATTEST_Q16_SCALE. */
/*@ assigns \nothing;
    ensures \result.exponent >= -64;
*/
attest_q16_scale attest_q16_scale_of(uint32_t mantissa, int32_t exponent);

/* exp(x / 65536) * 65536 for x <= 0, correctly rounded for every x (0 below -772243); 65536 for
   x > 0. */
/*@ assigns \nothing;
    ensures range: 0 <= \result <= 65536;
    ensures positive: x >= 0 ==> \result == 65536;
    ensures far: x < -772243 ==> \result == 0;
*/
int32_t attest_q16_exp(int32_t x);

/* Softmax of a row: weights[j] = exp(scores[j]) / sum of exp(scores[j']), both in units of 2^-16. The
   weights are in 0 .. 65536 and sum to exactly 65536; how far each is from the exact one:
   proofs/fixed.md. They must not overlap the scores. No memory beside them: each exponential is
   taken twice. ATTEST_Q16_LIMIT for more than ATTEST_Q16_MAX_KEYS scores; nothing is written for 0. */
attest_q16_status attest_q16_softmax(const int32_t *scores, uint32_t count, int32_t *weights);

/* Distance in elements between consecutive heads and rows. The elements of a row are adjacent.
   Inputs may use 0 to repeat. */
typedef struct {
  uint32_t head, row;
} attest_q16_strides;

/* A problem without its data. Zero-initialise, set sizes and scale, then call attest_q16_layout for
   the strides, or set those too. */
typedef struct {
  uint32_t q_heads, kv_heads;  /* query head h reads kv head h / (q_heads / kv_heads) */
  uint32_t q_len, kv_len;      /* either may be 0 */
  uint32_t width, value_width; /* of a query and key row; of a value and output row */
  uint32_t key_length;         /* keys at and beyond are hidden; at most kv_len */
  attest_q16_strides q, k, v, out;
  attest_q16_strides mask;     /* 0 broadcasts; the keys of a row are adjacent */
  attest_q16_scale scale;

  /* With p = i + offset, key j is visible to query i only if j <= p where causal, and
     p - left <= j <= p + right where window (-1: open). */
  int causal, window;
  int32_t left, right;
  int32_t offset; /* 0: top-left; kv_len - q_len: bottom-right; length of the past */
} attest_q16_shape;

/* Dense strides for arrays (heads, len, width), a mask (q_heads, q_len, kv_len), key_length kv_len,
   and the default scale. ATTEST_Q16_NULL, or ATTEST_Q16_LIMIT for sizes above the limits. */
/*@ requires shape == \null || \valid(shape);
    assigns *shape;
*/
attest_q16_status attest_q16_layout(attest_q16_shape *shape);

/* q, out: q_heads heads of q_len rows. k, v: kv_heads heads of kv_len rows. mask: bytes, nonzero is
   visible, or NULL. weights: dense (q_heads, q_len, kv_len) in units of 2^-16, or NULL. Outputs
   must not overlap inputs or each other. */
typedef struct {
  const int32_t *q, *k, *v;
  const uint8_t *mask;
  int32_t *out, *weights;
} attest_q16_arrays;

/* Elements of scratch memory, uint64_t each, as constant expressions. Scratch is never NULL. */
#define ATTEST_Q16_NAIVE_SCRATCH(kv_len) ((uint32_t)3 * (kv_len))
#define ATTEST_Q16_TILED_SCRATCH(tile, value_width) ((tile) + (uint32_t)4 * (value_width))

/* Attention, a row at a time: the scores of a row, their maximum, the weights, the sums. The code
   to read first. */
attest_q16_status attest_q16_naive(const attest_q16_shape *shape, const attest_q16_arrays *arrays,
                                   uint64_t *scratch, uint32_t scratch_count);

/* The same bits in memory that does not grow with kv_len: the maximum of a row first, then sums
   over tiles of `tile` keys, which takes every dot product twice (three times where weights are
   asked for). */
attest_q16_status attest_q16_tiled(const attest_q16_shape *shape, const attest_q16_arrays *arrays,
                                   uint32_t tile, uint64_t *scratch, uint32_t scratch_count);

/* Keys and values of the tokens so far: k (kv_heads, capacity, width), v (kv_heads, capacity,
   value_width), `length` rows of each head in use. */
typedef struct {
  int32_t *k, *v;
  uint32_t kv_heads, capacity, length;
  uint32_t width, value_width;
} attest_q16_cache;

/* Appends one token: k (kv_heads, width) and v (kv_heads, value_width), which become row `length` of
   each head; the other rows stay. They must not be in the cache. ATTEST_Q16_FULL and nothing changed
   when length is capacity. */
attest_q16_status attest_q16_append(attest_q16_cache *cache, const int32_t *k, const int32_t *v);

/* One query row q (q_heads, width) for the token appended last, against all of the cache, or its
   last left + 1 tokens where left >= 0: out (q_heads, value_width), which must not overlap q or the
   cache. The same bits as the last row of causal attention over the whole sequence. Scratch as for
   attest_q16_tiled.

   With a mask, or weights wanted, the same step is attest_q16_tiled with arrays.k and .v those of the
   cache and a shape of q_len 1 and kv_len capacity, its key_length then set to length (and offset to
   length - 1 where there is a window). */
attest_q16_status attest_q16_decode(const attest_q16_cache *cache, const int32_t *q,
                                    uint32_t q_heads, attest_q16_scale scale, int32_t left,
                                    int32_t *out, uint32_t tile, uint64_t *scratch,
                                    uint32_t scratch_count);

/* One pass over keys that come one at a time and are not kept: a running maximum, and sums that are
   scaled down when it rises. Memory: one column for each value element, whatever the number of
   keys. Not the same bits as above: proofs/fixed.md bounds the difference. Results lie between the
   smallest and largest value seen. */
typedef struct {
  uint64_t high;
  uint32_t low;         /* sum of weights times values: high 2^32 + low */
  uint32_t least, most; /* of the values, plus 2^31 */
} attest_q16_column;

typedef struct {
  uint64_t top;   /* running maximum; 0 before the first key */
  uint64_t total; /* sum of weights */
  uint32_t keys;
} attest_q16_stream;

/* No key seen. */
attest_q16_status attest_q16_stream_start(attest_q16_stream *stream, attest_q16_column *columns,
                                          uint32_t value_width);

/* Takes in key row k and value row v for query row q. ATTEST_Q16_LIMIT after ATTEST_Q16_MAX_KEYS
   keys. */
attest_q16_status attest_q16_stream_add(attest_q16_stream *stream, attest_q16_column *columns,
                                        const int32_t *q, const int32_t *k, uint32_t width,
                                        const int32_t *v, uint32_t value_width,
                                        attest_q16_scale scale);

/* The output row of the keys so far; zeros if there were none. More keys may follow. */
attest_q16_status attest_q16_stream_output(const attest_q16_stream *stream,
                                           const attest_q16_column *columns, uint32_t value_width,
                                           int32_t *out);

#ifdef __cplusplus
}
#endif
#endif
