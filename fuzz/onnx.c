/* Any bytes as an ONNX tensor and as an ONNX model: read or refused with one line, nothing leaks. A
   tensor comes back the same after it is written as .npy and read again. */
#include "onnx_file.h"

#include <string.h>

#include "problem.h"
#include "reader.h"
#include "target.h"

static void read_names(attest_onnx_names names, size_t *length) {
  for (size_t n = 0; n < names.count; n++) *length += strlen(names.at[n]);
}

static void read_model(const attest_onnx_model *model) {
  size_t length = strlen(model->op_type) + strlen(model->domain);
  read_names(model->node_inputs, &length);
  read_names(model->node_outputs, &length);
  read_names(model->graph_inputs, &length);
  read_names(model->graph_outputs, &length);
  read_names(model->initializers, &length);
  for (size_t n = 0; n < model->attribute_count; n++) length += strlen(model->attributes[n].name);
  for (size_t n = 0; n < model->initializers.count; n++) {
    attest_array array;
    char error[FUZZ_LINE];
    fuzz_start_line(error);
    if (attest_onnx_model_initializer(model, n, "fuzz", &array, error, sizeof error) != 0)
      fuzz_refused(&array, error, "fuzz");
    else
      fuzz_read(&array);
  }
  if (length > (size_t)ATTEST_ONNX_MAX_FILE) fuzz_fail(NULL, "names of %zu bytes", length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  attest_array array;
  attest_onnx_model model;
  char error[FUZZ_LINE];
  fuzz_start_line(error);
  if (attest_onnx_tensor_parse(data, size, "fuzz", &array, error, sizeof error) != 0)
    fuzz_refused(&array, error, "fuzz");
  else
    fuzz_read(&array);
  fuzz_start_line(error);
  if (attest_onnx_model_parse(data, size, "fuzz", &model, error, sizeof error) != 0) {
    fuzz_refused(NULL, error, "fuzz");
    if (model.message) fuzz_fail(NULL, "refused, and a model is left");
  } else {
    read_model(&model);
  }
  attest_onnx_model_free(&model);
  return 0;
}
