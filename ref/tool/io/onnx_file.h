/* ONNX files: a tensor (.pb), and a model of one node (.onnx). */
#ifndef ATTEST_ONNX_FILE_H
#define ATTEST_ONNX_FILE_H

#include "array.h"

#include <stddef.h>
#include <stdint.h>

/* Larger files are refused, and so is one that would take more than ATTEST_ONNX_GROWTH times its
   size and 64 KiB to unpack: two bytes of a message can ask for hundreds of bytes of memory. Packed
   numbers, as ONNX writes them, take 8 times at most. */
enum { ATTEST_ONNX_MAX_FILE = 1 << 28, ATTEST_ONNX_GROWTH = 32 };

/* What the readers return: 0; ATTEST_ONNX_BAD for a file that cannot be right; or
   ATTEST_ONNX_UNSUPPORTED for one that may be, but holds what is not read here. In both cases one
   line that starts with `name` or the path is in `error`, and the result is empty. */
enum { ATTEST_ONNX_BAD = -1, ATTEST_ONNX_UNSUPPORTED = 1 };

/* A tensor of type f64, f32, f16, bf16, i32, i64, u8, u16 or bool, from raw or typed data, every
   bit as stored. */
int attest_onnx_tensor_parse(const unsigned char *bytes, size_t size, const char *name,
                             attest_array *out, char *error, size_t error_size);
int attest_onnx_tensor_read(const char *path, attest_array *out, char *error, size_t error_size);

typedef enum attest_onnx_kind {
  ATTEST_ONNX_OTHER,
  ATTEST_ONNX_FLOAT,
  ATTEST_ONNX_INT
} attest_onnx_kind;

typedef struct attest_onnx_attribute {
  const char *name;
  attest_onnx_kind kind;
  float f;
  int64_t i;
} attest_onnx_attribute;

typedef struct attest_onnx_names {
  size_t count;
  const char **at;
} attest_onnx_names;

/* A model whose graph is one node; an absent name is "". */
typedef struct attest_onnx_model {
  int64_t opset; /* of the domain of the standard operators */
  const char *op_type, *domain;
  attest_onnx_names node_inputs, node_outputs, graph_inputs, graph_outputs, initializers;
  size_t attribute_count;
  attest_onnx_attribute *attributes;
  void *message; /* what the strings point into */
} attest_onnx_model;

/* Zero nodes or several: UNSUPPORTED, and then *out is empty but for its opset. */
int attest_onnx_model_parse(const unsigned char *bytes, size_t size, const char *name,
                            attest_onnx_model *out, char *error, size_t error_size);
int attest_onnx_model_read(const char *path, attest_onnx_model *out, char *error,
                           size_t error_size);

/* Initializer number `index` as an array; name is that of the model's file. */
int attest_onnx_model_initializer(const attest_onnx_model *model, size_t index, const char *name,
                                  attest_array *out, char *error, size_t error_size);

/* Harmless on a model of zero bytes or freed before. */
void attest_onnx_model_free(attest_onnx_model *model);

#endif
