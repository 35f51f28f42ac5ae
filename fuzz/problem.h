/* From bytes to an attention problem: every sequence of bytes is one, and small changes of the bytes
   are small changes of it. First a header, a byte or four a field, then the elements of q, k, v and
   bias, a word of 4 bytes (float) or 8 (double) each, then the mask, a bit each; what is missing at
   the end reads as 0. */
#ifndef FUZZ_PROBLEM_H
#define FUZZ_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include "../fixed/attest_q16.h"
#include "attest.h"

enum {
  FUZZ_LONG = 70,       /* the longest sequence: beyond the 64 lanes of the tiled nest */
  FUZZ_ELEMENTS = 576,  /* of q, k, v, out, weights, mask and bias each, at most */
  FUZZ_WIDTH = 24,      /* the widest row */
  FUZZ_BATCHES = 2
};

/* Header fields by the place of their byte. */
enum {
  FUZZ_FORMAT,          /* bit 0: double instead of float; bit 1: arrays (B, S, H, D) */
  FUZZ_QUERIES,
  FUZZ_KEYS,
  FUZZ_KEY_WIDTH,
  FUZZ_VALUE_WIDTH,
  FUZZ_HEADS,
  FUZZ_SCALE,           /* what kind of number; so is the softcap */
  FUZZ_SOFTCAP,
  FUZZ_REACH,           /* bits: causal, window, offset, align_end, key lengths, mask, bias */
  FUZZ_OFFSET,
  FUZZ_LEFT,
  FUZZ_RIGHT,
  FUZZ_LENGTHS,         /* one for each batch */
  FUZZ_BROADCAST = FUZZ_LENGTHS + FUZZ_BATCHES, /* bits: dimensions of mask and bias to keep */
  FUZZ_TILE,
  FUZZ_EXTRA,           /* two bytes for the target */
  FUZZ_KINDS = FUZZ_EXTRA + 2, /* of the elements of q, k, v and bias */
  FUZZ_SCALE_WORD = FUZZ_KINDS + 4,
  FUZZ_CAP_WORD = FUZZ_SCALE_WORD + 4,
  FUZZ_HEADER = FUZZ_CAP_WORD + 4
};

/* Tensors with elements. */
enum { FUZZ_Q, FUZZ_K, FUZZ_V, FUZZ_BIAS, FUZZ_TENSORS };

/* Where the elements stand in the bytes. */
typedef struct {
  size_t word;                                        /* bytes of an element */
  size_t at[FUZZ_TENSORS], count[FUZZ_TENSORS];
  size_t row[FUZZ_TENSORS];                           /* elements of a row */
  size_t mask_at, mask_count;                         /* bytes before it; bits */
  size_t total;                                       /* bytes */
} fuzz_layout;

typedef struct {
  attest_shape shape;
  int wide;              /* double instead of float */
  size_t tile;           /* 1 .. 130 */
  unsigned extra[2];
  unsigned draw;         /* a hash of the bytes: what takes long is checked for a share of the inputs */
  fuzz_layout layout;
  size_t lengths[FUZZ_BATCHES];
  attest_arrays_f64 f64; /* inputs; each number of a float problem is a float */
  attest_arrays_f32 f32; /* the same, where the problem is not wide */
  double q64[FUZZ_ELEMENTS], k64[FUZZ_ELEMENTS], v64[FUZZ_ELEMENTS], bias64[FUZZ_ELEMENTS];
  float q32[FUZZ_ELEMENTS], k32[FUZZ_ELEMENTS], v32[FUZZ_ELEMENTS], bias32[FUZZ_ELEMENTS];
  uint8_t mask[FUZZ_ELEMENTS];
} fuzz_problem;

/* What a problem's format may be. */
typedef enum { FUZZ_NARROW = 0, FUZZ_WIDE = 1, FUZZ_EITHER } fuzz_format;

/* *p must stay where it is: shape and arrays point into it. */
void fuzz_decode(fuzz_problem *p, const uint8_t *data, size_t size, fuzz_format format);

/* The double, or else float, with these bits. */
double fuzz_from_bits(uint64_t w, int wide);

/* The layout alone. */
fuzz_layout fuzz_layout_of(const uint8_t *data, size_t size, fuzz_format format);

/* The same bytes as a problem of fixed/: no bias, softcap or batch, and integers from the words. */
typedef struct {
  attest_q16_shape shape;
  attest_q16_arrays arrays; /* inputs */
  uint32_t tile;
  unsigned extra[2], draw;
  int32_t q[FUZZ_ELEMENTS], k[FUZZ_ELEMENTS], v[FUZZ_ELEMENTS];
  uint8_t mask[FUZZ_ELEMENTS];
} fuzz_q16;
void fuzz_decode_q16(fuzz_q16 *p, const uint8_t *data, size_t size);

/* What fixed/ must say to it, from the limits in attest_q16.h alone. */
attest_q16_status fuzz_status_q16(const fuzz_q16 *p);

/* Whether key j is visible to row i, from the text of README alone; -1: the bias hides it, and
   nothing else. */
int fuzz_visible(const fuzz_problem *p, size_t batch, size_t head, size_t i, size_t j);
int fuzz_visible_q16(const fuzz_q16 *p, size_t head, size_t i, size_t j);

/* Index in the bias (mask) of what a row and key read. */
size_t fuzz_cell(attest_mask_strides at, size_t batch, size_t head, size_t i, size_t j);

/* Prints one line, the shape of the problem (NULL: none) at its end, and aborts. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
void fuzz_fail(const fuzz_problem *p, const char *format, ...);

#endif
