/* A verdict on one output of an Attention node. */
#ifndef ATTEST_ONNX_JUDGE_H
#define ATTEST_ONNX_JUDGE_H

#include "onnx_node.h"
#include "progress.h"

/* An element is right if it is at most 1 ulp from the correctly rounded answer. Where the type is
   not f32, it is right as well within what ONNX's own test runner allows by default,
   |got - exact| <= ATOL + RTOL * |exact|. NaN equals NaN, and an infinity only itself. present_key
   and present_value must have the same bits. */
#define ATTEST_ONNX_RTOL 1e-3
#define ATTEST_ONNX_ATOL 1e-7

/* ulps of what is not comparable: NaN, an infinity, a shape, bits. */
#define ATTEST_ONNX_FAR UINT64_MAX

typedef struct attest_onnx_verdict {
  char set[24]; /* the data set's number; left to whoever judges several */
  int output;   /* ATTEST_ONNX_Y ... */
  int pass;
  uint64_t ulps;  /* the worst distance, in representable numbers */
  char text[400]; /* the worst element in words; empty where `describe` was 0 and all is well */
} attest_onnx_verdict;

/* Judges `got` as output number `output`. Returns 0, or ATTEST_ONNX_BAD or
   ATTEST_ONNX_UNSUPPORTED with *fault set. progress may be NULL. */
int attest_onnx_judge(const attest_onnx_problem *problem, int output, const attest_array *got,
                      int describe, attest_onnx_verdict *verdict, attest_progress *progress,
                      attest_fault *fault);

/* How many steps from one number of dtype, a float type, to the next lead from a to b;
   ATTEST_ONNX_FAR where one is NaN or an infinity and the other is not the same. */
uint64_t attest_onnx_ulps(attest_dtype dtype, double a, double b);

#endif
