/* The Attention operator of ONNX, opsets 23 to 25, as a problem of attest. */
#ifndef ATTEST_ONNX_NODE_H
#define ATTEST_ONNX_NODE_H

#include "cli.h"
#include "onnx_file.h"
#include "onnx_scores.h"

/* The operator's inputs and outputs by position. */
enum {
  ATTEST_ONNX_Q,
  ATTEST_ONNX_K,
  ATTEST_ONNX_V,
  ATTEST_ONNX_MASK,
  ATTEST_ONNX_PAST_KEY,
  ATTEST_ONNX_PAST_VALUE,
  ATTEST_ONNX_LENGTHS, /* nonpad_kv_seqlen, opset 24 */
  ATTEST_ONNX_INPUTS
};
enum {
  ATTEST_ONNX_Y,
  ATTEST_ONNX_PRESENT_KEY,
  ATTEST_ONNX_PRESENT_VALUE,
  ATTEST_ONNX_QK,
  ATTEST_ONNX_OUTPUTS
};

const char *attest_onnx_output_name(int output);

typedef struct attest_onnx_node {
  int64_t opset;
  int scale_given, causal;
  double scale, softcap;
  int64_t left, right;     /* -1: open */
  int64_t heads, kv_heads; /* 0: not given */
  attest_onnx_mode mode;
} attest_onnx_node;

/* Reads and checks the node of a model. Returns 0, ATTEST_ONNX_BAD or ATTEST_ONNX_UNSUPPORTED with
   *fault set; name is that of the model's file. */
int attest_onnx_node_read(const attest_onnx_model *model, const char *name,
                          attest_onnx_node *node, attest_fault *fault);

/* An input; array is NULL where the node has none. */
typedef struct attest_onnx_input {
  const char *name; /* the file, for messages */
  const attest_array *array;
} attest_onnx_input;

typedef struct attest_onnx_problem {
  attest_shape shape;
  attest_arrays_f64 arrays; /* inputs only; heads, rows and keys dense */
  attest_onnx_mode mode;
  int flat;                           /* q is (B, S, H*D) */
  attest_array present[2];            /* keys and values, those of the past first */
  attest_dtype dtype;                 /* of q, Y and qk_matmul_output */
  double *q, *k, *v, *bias;           /* memory of arrays */
  uint8_t *mask;
  size_t *lengths;
} attest_onnx_problem;

/* Returns 0, or ATTEST_ONNX_BAD or ATTEST_ONNX_UNSUPPORTED with *fault set and *problem empty. */
int attest_onnx_problem_build(attest_onnx_problem *problem, const attest_onnx_node *node,
                              const attest_onnx_input inputs[ATTEST_ONNX_INPUTS],
                              attest_fault *fault);

void attest_onnx_problem_free(attest_onnx_problem *problem);

/* Dimensions and type that output number `output` must have; returns their number. */
int attest_onnx_output_shape(const attest_onnx_problem *problem, int output, size_t dims[4],
                             attest_dtype *dtype);

#endif
