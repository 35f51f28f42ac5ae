/* attest: a verified reference for attention. Public interface of ref/.

   One head, query row i, key row j, all indices from 0 (README, "What is computed"):

     s_ij = scale * <q_i, k_j>                   scale defaults to 1/sqrt(width)
     s_ij = softcap * tanh(s_ij / softcap)       where softcap > 0
     s_ij = s_ij + bias_ij                       where a bias is given
     w_ij = exp(s_ij) / sum of exp(s_ij') over the keys j' visible to i
     o_i  = sum of w_ij * v_j

   Hidden keys are absent: their weight is exactly 0 and their key and value rows may hold anything,
   NaN included. A row that sees nothing has o = 0, w = 0 and log-sum-exp -inf. A score of NaN or +inf
   makes the row NaN, a score of -inf has weight 0; a visible value of NaN or infinity does to its
   output column what IEEE arithmetic makes of it. Every function is reentrant: no
   allocation, no globals; the caller passes scratch memory. */
#ifndef ATTEST_H
#define ATTEST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits. Sizes above them are refused with ATTEST_LIMIT. */
enum {
  ATTEST_MAX_KEYS = 4194304,    /* kv_len and q_len: 2^22 */
  ATTEST_MAX_WIDTH = 4096,      /* width and value_width */
  ATTEST_MAX_HEADS = 65536,
  ATTEST_MAX_BATCH = 1048576,
  ATTEST_MAX_TILE = 65536,      /* keys in one tile */
  ATTEST_DEFAULT_TILE = 128,    /* a fast one; tests/bench */
  ATTEST_MAX_REACH = 1073741824 /* |offset|, left and right of a window: 2^30 */
};

typedef enum {
  ATTEST_OK = 0,
  ATTEST_NULL,       /* a required pointer is missing */
  ATTEST_SHAPE,      /* a width or a number of heads is 0, or output rows overlap */
  ATTEST_LIMIT,      /* a size is above the limits, or an array exceeds the address space */
  ATTEST_HEADS,      /* q_heads is not a multiple of kv_heads */
  ATTEST_NUMBER,     /* scale or softcap is not finite, or softcap is negative */
  ATTEST_REACH,      /* offset or window beyond ATTEST_MAX_REACH, or a key length above kv_len */
  ATTEST_ENGINE,     /* no such engine, or a tile of 0 or above ATTEST_MAX_TILE keys */
  ATTEST_SCRATCH,    /* the scratch memory is smaller than attest_scratch says */
  ATTEST_ENVIRONMENT /* the arithmetic is not IEEE 754 to nearest: see attest_selftest */
} attest_status;

/* One line of English for a status; never NULL. */
const char *attest_status_text(attest_status status);

/* The three loop nests. They give the same bits under the condition in README, "The same bits".
   ATTEST_NAIVE:  a row at a time, scores in O(kv_len) scratch; the code to read first.
   ATTEST_TILED:  a block of query rows side by side against tiles of keys, running maximum and sum
                  (FlashAttention, arXiv:2205.14135); scratch independent of kv_len.
   ATTEST_DECODE: one query row against tiles of keys, for few query rows; scratch likewise. */
typedef enum { ATTEST_NAIVE = 0, ATTEST_TILED = 1, ATTEST_DECODE = 2 } attest_engine;

/* Distance in elements between consecutive batches, heads and rows of a tensor. The elements of a
   row are adjacent. Inputs may use 0 to repeat; the strides of an output must nest, in any order. */
typedef struct {
  size_t batch, head, row;
} attest_strides;

/* The same for a mask or bias, which broadcasts like NumPy by a stride of 0. Heads are query heads. */
typedef struct {
  size_t batch, head, row, key;
} attest_mask_strides;

/* A problem without its data. Zero-initialise, set the sizes, then call attest_layout_bhsd or
   attest_layout_bshd for the strides, or set those too. */
typedef struct {
  size_t batch, q_heads, kv_heads; /* query head h reads kv head h / (q_heads / kv_heads) */
  size_t q_len, kv_len;            /* either may be 0 */
  size_t width, value_width;       /* of a query and key row; of a value and output row */
  attest_strides q, k, v, out;
  attest_mask_strides mask, bias;

  int scale_given; /* nonzero: scale below; zero: 1/sqrt(width) */
  double scale;
  double softcap; /* 0: none */

  /* Key j is visible to query i only if j < key length of the batch and, with
     p = i + offset: j <= p if causal; p - left <= j <= p + right if window (-1: open). */
  int causal;
  int window;
  int64_t left, right;
  int64_t offset;              /* 0: top-left; kv_len - q_len: bottom-right; length of the past */
  int align_end;               /* nonzero: offset counts from key length - q_len instead of 0 */
  const size_t *key_lengths;   /* one for each batch, at most kv_len; NULL: kv_len */
} attest_shape;

/* Dense strides of q, k, v and out for arrays (B, H, S, D), and for (B, S, H*D). ATTEST_NULL, or
   ATTEST_LIMIT and nothing changed. */
attest_status attest_layout_bhsd(attest_shape *shape);
attest_status attest_layout_bshd(attest_shape *shape);

/* A layer: X (len, model) times wq (model, heads*width), wk (model, kv_heads*width),
   wv (model, kv_heads*value_width); attention of every head; heads concatenated, times
   wo (heads*value_width, out). All arrays dense; model and out at most 2^20. wo NULL: out receives
   the concatenated heads. */
typedef struct {
  size_t len, model, heads, kv_heads, width, value_width, out;
  int scale_given;
  double scale, softcap;
  int causal, window;
  int64_t left, right, offset;
} attest_layer_shape;

/* Checks at run time what no macro sees: rounding to nearest, subnormals kept, no contraction, no
   excess precision, sums in order, true division, in float and double. ATTEST_OK or
   ATTEST_ENVIRONMENT. */
attest_status attest_selftest_f32(void);
attest_status attest_selftest_f64(void);

#define ATTEST_API_REAL float
#define ATTEST_API(name) name##_f32
#include "attest_real.h"
#undef ATTEST_API_REAL
#undef ATTEST_API
#define ATTEST_API_REAL double
#define ATTEST_API(name) name##_f64
#include "attest_real.h"
#undef ATTEST_API_REAL
#undef ATTEST_API

#ifdef __cplusplus
}
#endif
#endif
