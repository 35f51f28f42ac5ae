/* Arrays of floats as an engine takes them, with their heads found. */
#ifndef ATTEST_TENSOR_H
#define ATTEST_TENSOR_H

#include "cli.h"

/* What `wide` may be: the elements are float, double, or double with int32 files taken as Q16.16, so
   that each of their elements counts 2^-16. */
enum { ATTEST_NARROW = 0, ATTEST_WIDE = 1, ATTEST_WIDE_Q16 = 2 };

/* An array read from a file and converted: double where wide, float otherwise. */
typedef struct attest_tensor {
  const char *name; /* the file, for messages */
  int ndim;
  size_t dims[ATTEST_ARRAY_MAX_DIMS];
  size_t count;
  void *data;

  /* by attest_tensor_heads */
  size_t batch, heads, len, width;
  attest_strides strides;
} attest_tensor;

/* Bytes of an element. */
size_t attest_real_size(int wide);

/* Reads a file of at least min_dims and at most max_dims dimensions; with bf16, uint16 elements
   are bf16 numbers, and without they are refused, since nothing tells the two apart. */
int attest_tensor_read(const char *spec, int bf16, int min_dims, int max_dims, attest_array *raw,
                       attest_fault *fault);

/* Turns a raw array into a tensor. The raw array is freed in any case, so that only one copy of
   each input stays. */
int attest_tensor_convert(attest_tensor *tensor, const char *name, attest_array *raw, int wide,
                          attest_fault *fault);

/* Both in one. */
int attest_tensor_load(attest_tensor *tensor, const char *spec, int bf16, int wide, int min_dims,
                       int max_dims, attest_fault *fault);

/* Finds batch, heads, rows, width and strides: (S, D); (B, S, heads*D); or (B, H, S, D), where H
   must be heads if that is not 0. option: what sets heads, for messages. */
int attest_tensor_heads(attest_tensor *tensor, size_t heads, const char *option,
                        attest_fault *fault);

/* Makes *now the rows of *past followed by those of *now, for every batch and head, as a new
   dense (B, H, S, D) array, and frees *past. Batch, heads and width must be equal. ndim and dims
   of *now keep what its file said. */
int attest_tensor_append(attest_tensor *past, attest_tensor *now, int wide, attest_fault *fault);

void attest_tensor_free(attest_tensor *tensor);

#endif
