/* An attention problem from files: shape, arrays in the working format, and what the outputs look
   like. */
#ifndef ATTEST_PROBLEM_H
#define ATTEST_PROBLEM_H

#include "options.h"
#include "tensor.h"

typedef struct attest_problem {
  attest_shape shape;
  attest_dtype dtype; /* of the outputs; ATTEST_DT_I32 is Q16.16 */
  attest_dtype stored; /* of q as it was read */
  int wide;           /* the arrays are double instead of float: for f64 and the oracle */
  attest_tensor q, k, v, bias;
  uint8_t *mask;
  size_t *key_lengths;

  /* Shapes of the outputs: out as q with the value width; weights (B, H, Sq, Skv), lse
     (B, H, Sq), without B and H for 2-D input. */
  int out_ndim, weights_ndim, lse_ndim;
  size_t out_dims[4], weights_dims[4], lse_dims[3];
} attest_problem;

/* Reads and checks everything the options name. Returns 0, or -1 with *fault set and *problem
   empty. */
int attest_problem_load(attest_problem *problem, const attest_options *options,
                        attest_fault *fault);

void attest_problem_free(attest_problem *problem);

/* The format of the outputs where none is asked for: that of the array, or f64 for integers. */
attest_dtype attest_default_dtype(attest_dtype input);

#endif
