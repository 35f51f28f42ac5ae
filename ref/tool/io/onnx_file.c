#define _POSIX_C_SOURCE 200809L

#include "onnx_file.h"

#include "error.h"
#include "onnx.pb-c.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef AttestOnnx__TensorProto tensor_message;
typedef AttestOnnx__ModelProto model_message;
typedef AttestOnnx__NodeProto node_message;

/* --- memory ------------------------------------------------------------------------------ */

typedef struct budget {
  size_t left;
  int spent; /* something did not fit */
} budget;

static void *budget_alloc(void *data, size_t size) {
  budget *b = data;

  if (size > b->left) {
    b->spent = 1;
    return NULL;
  }
  b->left -= size;
  return malloc(size == 0 ? 1 : size);
}

static void budget_free(void *data, void *pointer) {
  (void)data;
  free(pointer);
}

/* The message in `size` bytes, or NULL after writing a line into error. */
static void *unpack(const ProtobufCMessageDescriptor *descriptor, const unsigned char *bytes,
                    size_t size, const char *name, char *error, size_t error_size) {
  const size_t base = (size_t)1 << 16;
  budget b = {SIZE_MAX, 0};
  ProtobufCAllocator allocator = {budget_alloc, budget_free, &b};
  void *message;

  if (size <= (SIZE_MAX - base) / ATTEST_ONNX_GROWTH)
    b.left = size * ATTEST_ONNX_GROWTH + base;
  message = protobuf_c_message_unpack(descriptor, &allocator, size, bytes);
  if (message == NULL && b.spent)
    attest_error(error, error_size, "%s: would take more than %d times its size to unpack", name,
                 ATTEST_ONNX_GROWTH);
  else if (message == NULL)
    attest_error(error, error_size, "%s: not a whole protobuf message", name);
  return message;
}

static void unpacked_free(void *message) {
  ProtobufCAllocator allocator = {budget_alloc, budget_free, NULL};

  if (message != NULL)
    protobuf_c_message_free_unpacked(message, &allocator);
}

/* --- tensors ----------------------------------------------------------------------------- */

/* The typed fields in which a tensor without raw data keeps its elements. */
typedef enum field { FLOAT_DATA, INT32_DATA, INT64_DATA, DOUBLE_DATA, FIELDS } field;

static const char *const field_names[FIELDS] = {"float_data", "int32_data", "int64_data",
                                                "double_data"};

typedef struct type_entry {
  int32_t number;
  attest_dtype dtype;
  field typed;
} type_entry;

static const type_entry types[] = {
    {1, ATTEST_DT_F32, FLOAT_DATA},   {2, ATTEST_DT_U8, INT32_DATA},
    {4, ATTEST_DT_U16, INT32_DATA},   {6, ATTEST_DT_I32, INT32_DATA},
    {7, ATTEST_DT_I64, INT64_DATA},   {9, ATTEST_DT_BOOL, INT32_DATA},
    {10, ATTEST_DT_F16, INT32_DATA},  {11, ATTEST_DT_F64, DOUBLE_DATA},
    {16, ATTEST_DT_BF16, INT32_DATA},
};

/* Names of the other element types, by number. */
static const char *const other_types[] = {
    [3] = "int8",          [5] = "int16",         [8] = "string",      [12] = "uint32",
    [13] = "uint64",       [14] = "complex64",    [15] = "complex128", [17] = "float8e4m3fn",
    [18] = "float8e4m3fnuz", [19] = "float8e5m2", [20] = "float8e5m2fnuz", [21] = "uint4",
    [22] = "int4",         [23] = "float4e2m1",   [24] = "float8e8m0", [25] = "uint2",
    [26] = "int2"};
enum { OTHER_TYPES = sizeof other_types / sizeof other_types[0] };

enum { EXTERNAL = 1 }; /* data_location */

static int find_type(const tensor_message *t, const char *name, const type_entry **type,
                     char *error, size_t error_size) {
  const int32_t number = t->has_data_type ? t->data_type : 0;

  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (types[i].number == number) {
      *type = &types[i];
      return 0;
    }
  if (number > 0 && number < OTHER_TYPES && other_types[number] != NULL) {
    attest_error(error, error_size, "%s: tensors of %s are not supported", name,
                 other_types[number]);
    return ATTEST_ONNX_UNSUPPORTED;
  }
  if (number == 0)
    return attest_error(error, error_size, "%s: not a tensor, or one without a data type", name);
  return attest_error(error, error_size, "%s: %" PRId32 " is no data type", name, number);
}

static int take_dims(const tensor_message *t, const char *name, size_t dims[ATTEST_ARRAY_MAX_DIMS],
                     size_t *count, char *error, size_t error_size) {
  if (t->n_dims > ATTEST_ARRAY_MAX_DIMS)
    return attest_error(error, error_size, "%s: %zu dimensions, at most %d are supported", name,
                        t->n_dims, ATTEST_ARRAY_MAX_DIMS);
  for (size_t i = 0; i < t->n_dims; i++) {
    if (t->dims[i] < 0 || (uint64_t)t->dims[i] > SIZE_MAX)
      return attest_error(error, error_size, "%s: dimension %zu is %" PRId64, name, i,
                          t->dims[i]);
    dims[i] = (size_t)t->dims[i];
  }
  if (attest_array_count((int)t->n_dims, dims, count) != 0)
    return attest_error(error, error_size, "%s: the product of the dimensions is out of range",
                        name);
  return 0;
}

/* That the elements are in one field, the right one, and as many as the dims say. */
static int check_data(const tensor_message *t, const type_entry *type, size_t count,
                      const char *name, char *error, size_t error_size) {
  const size_t size = attest_dtype_size(type->dtype);
  const size_t typed[FIELDS] = {t->n_float_data, t->n_int32_data, t->n_int64_data,
                                t->n_double_data};

  for (int f = 0; f < FIELDS; f++) {
    if (typed[f] == 0)
      continue;
    if (t->has_raw_data)
      return attest_error(error, error_size, "%s: both raw_data and %s", name, field_names[f]);
    if (f != (int)type->typed)
      return attest_error(error, error_size, "%s: elements of %s in %s", name,
                          attest_dtype_name(type->dtype), field_names[f]);
  }
  /* Divided rather than multiplied, since the product may not fit. */
  if (t->has_raw_data && (t->raw_data.len % size != 0 || t->raw_data.len / size != count))
    return attest_error(error, error_size,
                        "%s: the dimensions say %zu elements of %s, raw_data has %zu bytes", name,
                        count, attest_dtype_name(type->dtype), t->raw_data.len);
  if (!t->has_raw_data && typed[type->typed] != count)
    return attest_error(error, error_size, "%s: the dimensions say %zu elements, %s has %zu",
                        name, count, field_names[type->typed], typed[type->typed]);
  return 0;
}

static void put(attest_array *array, size_t index, uint64_t bits) {
  unsigned char *to = (unsigned char *)array->data + index * attest_dtype_size(array->dtype);

  switch (attest_dtype_size(array->dtype)) {
  case 1:
    *to = (unsigned char)bits;
    break;
  case 2: {
    const uint16_t narrow = (uint16_t)bits;
    memcpy(to, &narrow, sizeof narrow);
    break;
  }
  case 4: {
    const uint32_t narrow = (uint32_t)bits;
    memcpy(to, &narrow, sizeof narrow);
    break;
  }
  default:
    memcpy(to, &bits, sizeof bits);
  }
}

/* The bits of element `index`, as stored. */
static uint64_t bits_of(const tensor_message *t, const type_entry *type, size_t index) {
  const size_t size = attest_dtype_size(type->dtype);
  uint64_t bits = 0;

  if (t->has_raw_data) {
    const unsigned char *from = t->raw_data.data + index * size;
    for (size_t i = 0; i < size; i++)
      bits |= (uint64_t)from[i] << 8 * i;
    return bits;
  }
  switch (type->typed) {
  case FLOAT_DATA: {
    uint32_t narrow;
    memcpy(&narrow, &t->float_data[index], sizeof narrow);
    return narrow;
  }
  case INT32_DATA:
    return (uint32_t)t->int32_data[index];
  case INT64_DATA:
    return (uint64_t)t->int64_data[index];
  default:
    memcpy(&bits, &t->double_data[index], sizeof bits);
    return bits;
  }
}

static int take_data(const tensor_message *t, const type_entry *type, attest_array *out,
                     const char *name, char *error, size_t error_size) {
  const size_t size = attest_dtype_size(type->dtype);
  const uint64_t most = type->dtype == ATTEST_DT_BOOL ? 1
                        : size == 8                   ? UINT64_MAX
                                                      : ((uint64_t)1 << 8 * size) - 1;

  for (size_t i = 0; i < out->count; i++) {
    const uint64_t bits = bits_of(t, type, i);
    if (bits > most)
      return attest_error(error, error_size, "%s: element %zu, %" PRIu64 ", is no %s", name, i,
                          bits, attest_dtype_name(type->dtype));
    put(out, i, bits);
  }
  return 0;
}

static int take_tensor(const tensor_message *t, const char *name, attest_array *out, char *error,
                       size_t error_size) {
  size_t dims[ATTEST_ARRAY_MAX_DIMS] = {0}, count = 0;
  const type_entry *type = NULL;
  int result;

  if (t->has_data_location && t->data_location == EXTERNAL) {
    attest_error(error, error_size, "%s: data in another file is not supported", name);
    return ATTEST_ONNX_UNSUPPORTED;
  }
  result = find_type(t, name, &type, error, error_size);
  if (result != 0)
    return result;
  if (take_dims(t, name, dims, &count, error, error_size) != 0 ||
      check_data(t, type, count, name, error, error_size) != 0 ||
      attest_array_create(out, type->dtype, (int)t->n_dims, dims, name, error, error_size) != 0)
    return ATTEST_ONNX_BAD;
  if (take_data(t, type, out, name, error, error_size) != 0) {
    attest_array_free(out);
    return ATTEST_ONNX_BAD;
  }
  return 0;
}

int attest_onnx_tensor_parse(const unsigned char *bytes, size_t size, const char *name,
                             attest_array *out, char *error, size_t error_size) {
  tensor_message *t = unpack(&attest_onnx__tensor_proto__descriptor, bytes, size, name, error,
                             error_size);
  int result;

  memset(out, 0, sizeof *out);
  if (t == NULL)
    return ATTEST_ONNX_BAD;
  result = take_tensor(t, name, out, error, error_size);
  unpacked_free(t);
  return result;
}

/* --- models ------------------------------------------------------------------------------ */

static const char *text_of(const char *text) { return text == NULL ? "" : text; }

static int is_standard(const char *domain) {
  return strcmp(text_of(domain), "") == 0 || strcmp(domain, "ai.onnx") == 0;
}

static int no_memory(const char *name, char *error, size_t error_size) {
  return attest_error(error, error_size, "%s: not enough memory", name);
}

/* The list of one kind of names; text(context, i) is the i-th. */
static int take_names(attest_onnx_names *names, size_t count, const void *context,
                      const char *(*text)(const void *context, size_t i)) {
  names->at = calloc(count == 0 ? 1 : count, sizeof *names->at);
  if (names->at == NULL)
    return -1;
  names->count = count;
  for (size_t i = 0; i < count; i++)
    names->at[i] = text_of(text(context, i));
  return 0;
}

static const char *node_input(const void *node, size_t i) {
  return ((const node_message *)node)->input[i];
}

static const char *node_output(const void *node, size_t i) {
  return ((const node_message *)node)->output[i];
}

static const char *graph_input(const void *graph, size_t i) {
  return ((const AttestOnnx__GraphProto *)graph)->input[i]->name;
}

static const char *graph_output(const void *graph, size_t i) {
  return ((const AttestOnnx__GraphProto *)graph)->output[i]->name;
}

static const char *initializer(const void *graph, size_t i) {
  return ((const AttestOnnx__GraphProto *)graph)->initializer[i]->name;
}

enum { TYPE_FLOAT = 1, TYPE_INT = 2 }; /* AttributeProto.type */

static int take_attributes(const node_message *node, attest_onnx_model *out, const char *name,
                           char *error, size_t error_size) {
  out->attributes = calloc(node->n_attribute + 1, sizeof *out->attributes);
  if (out->attributes == NULL)
    return no_memory(name, error, error_size);
  out->attribute_count = node->n_attribute;
  for (size_t i = 0; i < node->n_attribute; i++) {
    const AttestOnnx__AttributeProto *from = node->attribute[i];
    attest_onnx_attribute *to = &out->attributes[i];
    to->name = text_of(from->name);
    if (to->name[0] == '\0')
      return attest_error(error, error_size, "%s: attribute %zu has no name", name, i);
    for (size_t j = 0; j < i; j++)
      if (strcmp(out->attributes[j].name, to->name) == 0)
        return attest_error(error, error_size, "%s: attribute %s is given twice", name, to->name);
    if (!from->has_type)
      return attest_error(error, error_size, "%s: attribute %s has no type", name, to->name);
    to->kind = from->type == TYPE_FLOAT ? ATTEST_ONNX_FLOAT
               : from->type == TYPE_INT ? ATTEST_ONNX_INT
                                        : ATTEST_ONNX_OTHER;
    to->f = from->f;
    to->i = from->i;
  }
  return 0;
}

static int take_opset(const model_message *m, attest_onnx_model *out, const char *name,
                      char *error, size_t error_size) {
  size_t found = 0;

  for (size_t i = 0; i < m->n_opset_import; i++)
    if (is_standard(m->opset_import[i]->domain)) {
      out->opset = m->opset_import[i]->version;
      found++;
    }
  if (found > 1)
    return attest_error(error, error_size, "%s: the standard operators are imported twice", name);
  if (found == 0)
    return attest_error(error, error_size, "%s: no opset_import for the standard operators",
                        name);
  return 0;
}

static int take_model(const model_message *m, const char *name, attest_onnx_model *out,
                      char *error, size_t error_size) {
  const AttestOnnx__GraphProto *graph = m->graph;
  const node_message *node;

  if (graph == NULL)
    return attest_error(error, error_size, "%s: not a model, or one without a graph", name);
  if (take_opset(m, out, name, error, error_size) != 0)
    return ATTEST_ONNX_BAD;
  if (graph->n_node != 1) {
    attest_error(error, error_size, "%s: %zu nodes, not one Attention", name, graph->n_node);
    return ATTEST_ONNX_UNSUPPORTED;
  }
  node = graph->node[0];
  out->op_type = text_of(node->op_type);
  out->domain = is_standard(node->domain) ? "" : node->domain;
  if (take_names(&out->node_inputs, node->n_input, node, node_input) != 0 ||
      take_names(&out->node_outputs, node->n_output, node, node_output) != 0 ||
      take_names(&out->graph_inputs, graph->n_input, graph, graph_input) != 0 ||
      take_names(&out->graph_outputs, graph->n_output, graph, graph_output) != 0 ||
      take_names(&out->initializers, graph->n_initializer, graph, initializer) != 0)
    return no_memory(name, error, error_size);
  return take_attributes(node, out, name, error, error_size);
}

int attest_onnx_model_parse(const unsigned char *bytes, size_t size, const char *name,
                            attest_onnx_model *out, char *error, size_t error_size) {
  int result;

  memset(out, 0, sizeof *out);
  out->message = unpack(&attest_onnx__model_proto__descriptor, bytes, size, name, error,
                        error_size);
  if (out->message == NULL)
    return ATTEST_ONNX_BAD;
  result = take_model(out->message, name, out, error, error_size);
  if (result != 0) {
    const int64_t opset = out->opset;
    attest_onnx_model_free(out);
    out->opset = result == ATTEST_ONNX_UNSUPPORTED ? opset : 0;
  }
  return result;
}

int attest_onnx_model_initializer(const attest_onnx_model *model, size_t index, const char *name,
                                  attest_array *out, char *error, size_t error_size) {
  const model_message *m = model->message;

  memset(out, 0, sizeof *out);
  return take_tensor(m->graph->initializer[index], name, out, error, error_size);
}

void attest_onnx_model_free(attest_onnx_model *model) {
  free(model->node_inputs.at);
  free(model->node_outputs.at);
  free(model->graph_inputs.at);
  free(model->graph_outputs.at);
  free(model->initializers.at);
  free(model->attributes);
  unpacked_free(model->message);
  memset(model, 0, sizeof *model);
}

/* --- files ------------------------------------------------------------------------------- */

/* All bytes of a regular file, to be freed. */
static unsigned char *read_whole(const char *path, size_t *size, char *error, size_t error_size) {
  unsigned char *bytes = NULL;
  struct stat status;
  FILE *stream;

  /* Asked before opening, because opening a pipe without a writer would wait for one. */
  if (stat(path, &status) != 0) {
    attest_error(error, error_size, "%s: %s", path, strerror(errno));
    return NULL;
  }
  if (!S_ISREG(status.st_mode)) {
    attest_error(error, error_size, "%s: not a regular file", path);
    return NULL;
  }
  if (status.st_size > ATTEST_ONNX_MAX_FILE) {
    attest_error(error, error_size, "%s: %" PRIdMAX " bytes, at most %d are supported", path,
                 (intmax_t)status.st_size, ATTEST_ONNX_MAX_FILE);
    return NULL;
  }
  stream = fopen(path, "rb");
  if (stream == NULL) {
    attest_error(error, error_size, "%s: %s", path, strerror(errno));
    return NULL;
  }
  *size = (size_t)status.st_size;
  bytes = malloc(*size + 1);
  if (bytes == NULL) {
    attest_error(error, error_size, "%s: not enough memory for %zu bytes", path, *size);
  } else if (fread(bytes, 1, *size + 1, stream) != *size || ferror(stream)) {
    attest_error(error, error_size, "%s: %s", path,
                 ferror(stream) ? strerror(errno) : "changed its size while being read");
    free(bytes);
    bytes = NULL;
  }
  fclose(stream);
  return bytes;
}

int attest_onnx_tensor_read(const char *path, attest_array *out, char *error, size_t error_size) {
  size_t size = 0;
  unsigned char *bytes = read_whole(path, &size, error, error_size);
  int result;

  memset(out, 0, sizeof *out);
  if (bytes == NULL)
    return ATTEST_ONNX_BAD;
  result = attest_onnx_tensor_parse(bytes, size, path, out, error, error_size);
  free(bytes);
  return result;
}

int attest_onnx_model_read(const char *path, attest_onnx_model *out, char *error,
                           size_t error_size) {
  size_t size = 0;
  unsigned char *bytes = read_whole(path, &size, error, error_size);
  int result;

  memset(out, 0, sizeof *out);
  if (bytes == NULL)
    return ATTEST_ONNX_BAD;
  result = attest_onnx_model_parse(bytes, size, path, out, error, error_size);
  free(bytes);
  return result;
}
