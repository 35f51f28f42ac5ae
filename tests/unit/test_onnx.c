/* ONNX files and the Attention operator: messages made by hand for every encoding of a tensor, cut
   and broken in every place; attributes, masks, caches and lengths; the four outputs of
   qk_matmul_output on numbers known from elsewhere; whole folders. */
#define _XOPEN_SOURCE 700

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "onnx_folder.h"

/* --- messages by hand -------------------------------------------------------------------- */

typedef struct bytes {
  size_t size;
  unsigned char at[8192];
} bytes;

static void put(bytes *b, const void *from, size_t size) {
  assert_true(b->size + size <= sizeof b->at);
  if (size > 0)
    memcpy(b->at + b->size, from, size);
  b->size += size;
}

static void put_varint(bytes *b, uint64_t value) {
  do {
    const unsigned char byte = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));
    put(b, &byte, 1);
    value >>= 7;
  } while (value != 0);
}

/* Little endian, whatever the machine. */
static void put_fixed(bytes *b, uint64_t bits, size_t size) {
  for (size_t i = 0; i < size; i++) {
    const unsigned char byte = (unsigned char)(bits >> 8 * i);
    put(b, &byte, 1);
  }
}

static void field_int(bytes *b, unsigned field, int64_t value) {
  put_varint(b, field << 3);
  put_varint(b, (uint64_t)value);
}

static void field_bytes(bytes *b, unsigned field, const void *from, size_t size) {
  put_varint(b, field << 3 | 2);
  put_varint(b, size);
  put(b, from, size);
}

static void field_text(bytes *b, unsigned field, const char *text) {
  field_bytes(b, field, text, strlen(text));
}

static void field_message(bytes *b, unsigned field, const bytes *message) {
  field_bytes(b, field, message->at, message->size);
}

static uint32_t f32_bits(float x) {
  uint32_t bits;

  memcpy(&bits, &x, sizeof bits);
  return bits;
}

enum { F32 = 1, U8 = 2, U16 = 4, I32 = 6, I64 = 7, BOOL = 9, F16 = 10, F64 = 11, BF16 = 16 };
enum { DIMS = 1, TYPE = 2, FLOATS = 4, INT32S = 5, INT64S = 7, NAME = 8, RAW = 9, DOUBLES = 10 };

/* The start of a tensor: name, dimensions one field each, type. */
static bytes tensor_head(int type, int ndim, const int64_t *dims) {
  bytes b = {0};

  field_text(&b, NAME, "x");
  for (int i = 0; i < ndim; i++)
    field_int(&b, DIMS, dims[i]);
  field_int(&b, TYPE, type);
  return b;
}

/* A tensor with raw data, `size` bytes an element. */
static bytes raw_tensor(int type, size_t size, int ndim, const int64_t *dims, size_t count,
                        const uint64_t *elements) {
  bytes b = tensor_head(type, ndim, dims), data = {0};

  for (size_t i = 0; i < count; i++)
    put_fixed(&data, elements[i], size);
  field_bytes(&b, RAW, data.at, data.size);
  return b;
}

static bytes f32_tensor(int ndim, const int64_t *dims, size_t count, const float *values) {
  uint64_t elements[256];

  for (size_t i = 0; i < count; i++)
    elements[i] = f32_bits(values[i]);
  return raw_tensor(F32, 4, ndim, dims, count, elements);
}

static char error[5120];

static int parse(const bytes *b, attest_array *out) {
  /* A copy of its own size, so that a sanitizer sees what is read beyond it. */
  unsigned char *copy = malloc(b->size + (b->size == 0));
  int result;

  assert_non_null(copy);
  memcpy(copy, b->at, b->size);
  error[0] = '\0';
  result = attest_onnx_tensor_parse(copy, b->size, "t.pb", out, error, sizeof error);
  free(copy);
  if (result != 0) {
    assert_memory_equal(error, "t.pb: ", 6);
    assert_null(strchr(error, '\n'));
    assert_null(out->data);
  }
  return result;
}

static void refused(const bytes *b, int result, const char *line) {
  attest_array a;

  assert_int_equal(parse(b, &a), result);
  assert_string_equal(error, line);
}

/* --- tensors ----------------------------------------------------------------------------- */

static const int64_t three[1] = {3};

static uint64_t bits_at(const attest_array *a, size_t i) {
  const size_t size = attest_dtype_size(a->dtype);
  const unsigned char *from = (const unsigned char *)a->data + i * size;
  uint16_t half;
  uint32_t single;
  uint64_t wide;

  switch (size) {
  case 1:
    return *from;
  case 2:
    memcpy(&half, from, 2);
    return half;
  case 4:
    memcpy(&single, from, 4);
    return single;
  default:
    memcpy(&wide, from, 8);
    return wide;
  }
}

typedef struct encoding {
  int type;
  attest_dtype dtype;
  unsigned typed;
  uint64_t elements[3];
} encoding;

static const encoding encodings[] = {
    {F32, ATTEST_DT_F32, FLOATS, {0x3f800000, 0xff800000, 0x7fc12345}},
    {F64, ATTEST_DT_F64, DOUBLES, {0x3ff0000000000001, 0x8000000000000000, 0x7ff8000000000123}},
    {F16, ATTEST_DT_F16, INT32S, {0x3c00, 0xfbff, 0x7e01}},
    {BF16, ATTEST_DT_BF16, INT32S, {0x3f80, 0xff80, 0xffc1}},
    {I32, ATTEST_DT_I32, INT32S, {1, 0xffffffff, 0x80000000}},
    {I64, ATTEST_DT_I64, INT64S, {1, UINT64_MAX, UINT64_C(1) << 63}},
    {U8, ATTEST_DT_U8, INT32S, {0, 1, 255}},
    {U16, ATTEST_DT_U16, INT32S, {0, 1, 65535}},
    {BOOL, ATTEST_DT_BOOL, INT32S, {0, 1, 1}},
};
enum { ENCODINGS = sizeof encodings / sizeof encodings[0] };

/* One element of a typed field, without its tag. */
static void put_element(bytes *b, const encoding *e, uint64_t element) {
  if (e->typed == FLOATS)
    put_fixed(b, element, 4);
  else if (e->typed == DOUBLES)
    put_fixed(b, element, 8);
  else
    put_varint(b, e->type == I32 ? (uint64_t)(int64_t)(int32_t)(uint32_t)element : element);
}

static bytes typed_tensor(const encoding *e, int packed, size_t count) {
  bytes b = tensor_head(e->type, 1, (const int64_t[]){(int64_t)count}), data = {0};
  const unsigned wire = e->typed == FLOATS ? 5 : e->typed == DOUBLES ? 1 : 0;

  for (size_t i = 0; i < count; i++) {
    if (!packed)
      put_varint(packed ? &data : &b, e->typed << 3 | wire);
    put_element(packed ? &data : &b, e, e->elements[i]);
  }
  if (packed)
    field_bytes(&b, e->typed, data.at, data.size);
  return b;
}

static void check_elements(const bytes *b, const encoding *e) {
  attest_array a;

  assert_int_equal(parse(b, &a), 0);
  assert_int_equal(a.dtype, e->dtype);
  assert_int_equal(a.ndim, 1);
  assert_int_equal(a.dims[0], 3);
  for (size_t i = 0; i < 3; i++)
    assert_true(bits_at(&a, i) == e->elements[i]);
  attest_array_free(&a);
}

static void test_every_encoding(void **state) {
  (void)state;
  for (size_t i = 0; i < ENCODINGS; i++) {
    const encoding *e = &encodings[i];
    bytes b = raw_tensor(e->type, attest_dtype_size(e->dtype), 1, three, 3, e->elements);
    check_elements(&b, e);
    b = typed_tensor(e, 1, 3);
    check_elements(&b, e);
    b = typed_tensor(e, 0, 3);
    check_elements(&b, e);
  }
}

static void test_dims(void **state) {
  const uint64_t one[1] = {f32_bits(2.5f)};
  unsigned char packed[2] = {2, 3};
  attest_array a;
  bytes b;

  (void)state;
  b = raw_tensor(F32, 4, 0, NULL, 1, one);
  assert_int_equal(parse(&b, &a), 0);
  assert_int_equal(a.ndim, 0);
  assert_int_equal(a.count, 1);
  attest_array_free(&a);
  b = (bytes){0};
  field_bytes(&b, DIMS, packed, 2);
  field_int(&b, TYPE, U8);
  field_bytes(&b, RAW, "abcdef", 6);
  assert_int_equal(parse(&b, &a), 0);
  assert_int_equal(a.dims[1], 3);
  assert_int_equal(bits_at(&a, 5), 'f');
  attest_array_free(&a);
  /* No elements: neither raw nor typed data is needed. */
  b = tensor_head(F64, 2, (const int64_t[]){0, 7});
  assert_int_equal(parse(&b, &a), 0);
  assert_int_equal(a.count, 0);
  assert_int_equal(a.dims[1], 7);
  attest_array_free(&a);
}

static void test_wrong_dims(void **state) {
  const uint64_t elements[3] = {0};
  bytes b;

  (void)state;
  b = raw_tensor(F32, 4, 1, (const int64_t[]){4}, 3, elements);
  refused(&b, -1, "t.pb: the dimensions say 4 elements of f32, raw_data has 12 bytes");
  b = raw_tensor(F64, 4, 1, three, 3, elements);
  refused(&b, -1, "t.pb: the dimensions say 3 elements of f64, raw_data has 12 bytes");
  b = tensor_head(F32, 1, three);
  refused(&b, -1, "t.pb: the dimensions say 3 elements, float_data has 0");
  b = raw_tensor(F32, 4, 1, (const int64_t[]){-3}, 3, elements);
  refused(&b, -1, "t.pb: dimension 0 is -3");
  b = raw_tensor(F32, 4, 2, (const int64_t[]){INT64_C(1) << 33, INT64_C(1) << 33}, 3, elements);
  refused(&b, -1, "t.pb: the product of the dimensions is out of range");
  b = raw_tensor(F32, 4, 3, (const int64_t[]){INT64_C(1) << 33, 0, INT64_C(1) << 33}, 0,
                 elements);
  refused(&b, -1, "t.pb: the product of the dimensions is out of range");
  b = raw_tensor(F32, 4, 1, (const int64_t[]){INT64_MAX}, 3, elements);
  refused(&b, -1,
          "t.pb: the dimensions say 9223372036854775807 elements of f32, raw_data has 12 bytes");
  b = raw_tensor(F32, 4, 1, (const int64_t[]){INT64_C(1) << 62}, 0, elements);
  refused(&b, -1,
          "t.pb: the dimensions say 4611686018427387904 elements of f32, raw_data has 0 bytes");
  b = raw_tensor(F32, 4, 9, (const int64_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1}, 1, elements);
  refused(&b, -1, "t.pb: 9 dimensions, at most 8 are supported");
}

static void test_wrong_data(void **state) {
  const uint64_t elements[3] = {0, 1, 2};
  const encoding wide = {F16, ATTEST_DT_F16, INT32S, {0, 65536, 0}};
  const encoding negative = {U8, ATTEST_DT_U8, INT32S, {0, UINT64_MAX, 0}};
  const encoding beside = {F32, ATTEST_DT_F32, DOUBLES, {0, 0, 0}};
  bytes b;

  (void)state;
  b = (bytes){0};
  refused(&b, -1, "t.pb: not a tensor, or one without a data type");
  b = raw_tensor(0, 4, 1, three, 3, elements);
  refused(&b, -1, "t.pb: not a tensor, or one without a data type");
  b = raw_tensor(99, 4, 1, three, 3, elements);
  refused(&b, -1, "t.pb: 99 is no data type");
  b = raw_tensor(-1, 4, 1, three, 3, elements);
  refused(&b, -1, "t.pb: -1 is no data type");
  b = raw_tensor(17, 1, 1, three, 3, elements);
  refused(&b, 1, "t.pb: tensors of float8e4m3fn are not supported");
  b = raw_tensor(8, 1, 1, three, 3, elements);
  refused(&b, 1, "t.pb: tensors of string are not supported");
  b = raw_tensor(BOOL, 1, 1, three, 3, elements);
  refused(&b, -1, "t.pb: element 2, 2, is no bool");
  b = typed_tensor(&wide, 1, 3);
  refused(&b, -1, "t.pb: element 1, 65536, is no f16");
  b = typed_tensor(&negative, 1, 3);
  refused(&b, -1, "t.pb: element 1, 4294967295, is no u8");
  b = typed_tensor(&beside, 1, 3);
  refused(&b, -1, "t.pb: elements of f32 in double_data");
  b = typed_tensor(&encodings[0], 1, 3);
  field_bytes(&b, RAW, "abcdabcdabcd", 12);
  refused(&b, -1, "t.pb: both raw_data and float_data");
  b = typed_tensor(&encodings[0], 1, 3);
  field_int(&b, 14, 1);
  refused(&b, 1, "t.pb: data in another file is not supported");
}

/* The last field is data, so that no beginning is whole. */
static void test_cut_tensor(void **state) {
  attest_array a;

  (void)state;
  for (size_t i = 0; i < ENCODINGS; i++) {
    const encoding *e = &encodings[i];
    bytes b = raw_tensor(e->type, attest_dtype_size(e->dtype), 1, three, 3, e->elements);
    for (int kind = 0; kind < 3; kind++) {
      const size_t whole = b.size;
      for (b.size = 0; b.size < whole; b.size++)
        assert_int_equal(parse(&b, &a), ATTEST_ONNX_BAD);
      b = typed_tensor(e, kind == 0, 3);
    }
  }
}

/* Any byte may be anything: an array or a line, nothing else. */
static void test_broken_tensor(void **state) {
  attest_array a;

  (void)state;
  for (size_t i = 0; i < ENCODINGS; i++) {
    const encoding *e = &encodings[i];
    bytes b = i % 2 == 0 ? typed_tensor(e, 1, 3)
                         : raw_tensor(e->type, attest_dtype_size(e->dtype), 1, three, 3,
                                      e->elements);
    for (size_t at = 0; at < b.size; at++) {
      const unsigned char kept = b.at[at];
      for (int value = 0; value < 256; value++) {
        b.at[at] = (unsigned char)value;
        if (parse(&b, &a) == 0)
          attest_array_free(&a);
      }
      b.at[at] = kept;
    }
  }
}

static void test_growth(void **state) {
  const size_t size = (size_t)1 << 20;
  unsigned char *many = malloc(size);
  attest_array a;
  attest_onnx_model m;
  bytes head = {0};

  (void)state;
  assert_non_null(many);
  /* Half a million unpacked numbers of one byte each. */
  for (size_t i = 0; i < size; i += 2) {
    many[i] = INT32S << 3;
    many[i + 1] = 1;
  }
  assert_int_equal(attest_onnx_tensor_parse(many, size, "t.pb", &a, error, sizeof error), -1);
  assert_string_equal(error, "t.pb: would take more than 32 times its size to unpack");
  /* A graph of half a million empty nodes. */
  for (size_t i = 0; i < size; i += 2) {
    many[i] = 1 << 3 | 2;
    many[i + 1] = 0;
  }
  put_varint(&head, 7 << 3 | 2);
  put_varint(&head, size - 8);
  memcpy(many, head.at, head.size);
  assert_int_equal(attest_onnx_model_parse(many, head.size + size - 8, "m", &m, error,
                                           sizeof error), -1);
  assert_string_equal(error, "m: would take more than 32 times its size to unpack");
  free(many);
}

/* --- models ------------------------------------------------------------------------------ */

typedef struct recipe {
  const char *op_type, *domain;
  const char *inputs[8], *outputs[5];
  bytes attributes; /* fields 5 of a node, one after the other */
  int64_t opset;
  int nodes, opsets;
  const bytes *initializer;
  int without_graph;
} recipe;

static recipe plain(void) {
  const recipe r = {"Attention", NULL, {"Q", "K", "V"}, {"Y"}, {0, {0}}, 24, 1, 1, NULL, 0};

  return r;
}

static void with_int(recipe *r, const char *name, int64_t value) {
  bytes a = {0};

  field_text(&a, 1, name);
  field_int(&a, 3, value);
  field_int(&a, 20, 2);
  field_message(&r->attributes, 5, &a);
}

static void with_float(recipe *r, const char *name, float value) {
  bytes a = {0};

  field_text(&a, 1, name);
  put_varint(&a, 2 << 3 | 5);
  put_fixed(&a, f32_bits(value), 4);
  field_int(&a, 20, 1);
  field_message(&r->attributes, 5, &a);
}

static void value_info(bytes *graph, unsigned field, const char *name) {
  bytes v = {0};

  field_text(&v, 1, name);
  field_message(graph, field, &v);
}

/* The import comes last, so that no beginning is whole. */
static bytes make_model(const recipe *r) {
  bytes node = {0}, graph = {0}, import = {0}, model = {0};

  for (int i = 0; i < 8 && r->inputs[i] != NULL; i++)
    field_text(&node, 1, r->inputs[i]);
  for (int i = 0; i < 5 && r->outputs[i] != NULL; i++)
    field_text(&node, 2, r->outputs[i]);
  field_text(&node, 4, r->op_type);
  put(&node, r->attributes.at, r->attributes.size);
  if (r->domain != NULL)
    field_text(&node, 7, r->domain);
  for (int i = 0; i < r->nodes; i++)
    field_message(&graph, 1, &node);
  if (r->initializer != NULL)
    field_message(&graph, 5, r->initializer);
  for (int i = 0; i < 8 && r->inputs[i] != NULL; i++)
    if (r->inputs[i][0] != '\0' && (r->initializer == NULL || i != 2))
      value_info(&graph, 11, r->inputs[i]);
  for (int i = 0; i < 5 && r->outputs[i] != NULL; i++)
    if (r->outputs[i][0] != '\0')
      value_info(&graph, 12, r->outputs[i]);
  field_int(&model, 1, 10);
  field_text(&model, 2, "by hand");
  if (!r->without_graph)
    field_message(&model, 7, &graph);
  field_int(&import, 2, r->opset);
  for (int i = 0; i < r->opsets; i++)
    field_message(&model, 8, &import);
  return model;
}

static int parse_model(const bytes *b, attest_onnx_model *out) {
  unsigned char *copy = malloc(b->size + (b->size == 0));
  int result;

  assert_non_null(copy);
  memcpy(copy, b->at, b->size);
  error[0] = '\0';
  result = attest_onnx_model_parse(copy, b->size, "m", out, error, sizeof error);
  free(copy);
  if (result != 0) {
    assert_memory_equal(error, "m: ", 3);
    assert_null(strchr(error, '\n'));
    assert_null(out->message);
  }
  return result;
}

static int read_node(const recipe *r, attest_onnx_node *node, attest_fault *fault) {
  const bytes b = make_model(r);
  attest_onnx_model m;
  int result = parse_model(&b, &m);

  if (result != 0) {
    ATTEST_FAIL(fault, "%s", error);
    return result;
  }
  result = attest_onnx_node_read(&m, "m", node, fault);
  attest_onnx_model_free(&m);
  return result;
}

static void node_refused(const recipe *r, int result, const char *line) {
  attest_onnx_node node;
  attest_fault fault;

  assert_int_equal(read_node(r, &node, &fault), result);
  assert_string_equal(fault.text, line);
}

static void test_model(void **state) {
  recipe r = plain();
  attest_onnx_node node;
  attest_onnx_model m;
  attest_fault fault;
  bytes b;

  (void)state;
  with_float(&r, "scale", 0.25f);
  with_float(&r, "softcap", 2.0f);
  with_int(&r, "is_causal", 1);
  with_int(&r, "q_num_heads", 4);
  with_int(&r, "kv_num_heads", 2);
  with_int(&r, "qk_matmul_output_mode", 3);
  with_int(&r, "softmax_precision", 11);
  with_int(&r, "left_window_size", 5);
  with_int(&r, "right_window_size", -1);
  r.opset = 25;
  r.domain = "ai.onnx";
  assert_int_equal(read_node(&r, &node, &fault), 0);
  assert_int_equal(node.opset, 25);
  assert_true(node.scale_given && node.scale == 0.25 && node.softcap == 2);
  assert_true(node.causal && node.heads == 4 && node.kv_heads == 2);
  assert_true(node.left == 5 && node.right == -1 && node.mode == ATTEST_ONNX_WEIGHTS);
  b = make_model(&r);
  assert_int_equal(parse_model(&b, &m), 0);
  assert_int_equal(m.node_inputs.count, 3);
  assert_string_equal(m.graph_inputs.at[1], "K");
  assert_string_equal(m.graph_outputs.at[0], "Y");
  attest_onnx_model_free(&m);
  attest_onnx_model_free(&m);
}

static void test_wrong_model(void **state) {
  recipe r = plain();

  (void)state;
  r.op_type = "Softmax";
  node_refused(&r, 1, "m: the node is Softmax, not Attention");
  r = plain();
  r.domain = "com.example";
  node_refused(&r, 1, "m: the node is com.example.Attention, not Attention");
  r = plain();
  r.nodes = 2;
  node_refused(&r, 1, "m: 2 nodes, not one Attention");
  r.nodes = 0;
  node_refused(&r, 1, "m: 0 nodes, not one Attention");
  r = plain();
  r.without_graph = 1;
  node_refused(&r, -1, "m: not a model, or one without a graph");
  r = plain();
  r.opsets = 0;
  node_refused(&r, -1, "m: no opset_import for the standard operators");
  r.opsets = 2;
  node_refused(&r, -1, "m: the standard operators are imported twice");
  r = plain();
  r.opset = 22;
  node_refused(&r, 1, "m: opset 22, known are 23 to 25");
  r.opset = 26;
  node_refused(&r, 1, "m: opset 26, known are 23 to 25");
  r = plain();
  r.inputs[2] = NULL;
  node_refused(&r, -1, "m: the node has no input V");
  r.inputs[2] = "V";
  r.inputs[1] = "";
  node_refused(&r, -1, "m: the node has no input K");
  r = plain();
  for (int i = 3; i < 7; i++)
    r.inputs[i] = i == 6 ? "lengths" : "";
  r.opset = 23;
  node_refused(&r, -1, "m: the node has 7 inputs, at most 6 in opset 23");
  r = plain();
  r.outputs[0] = NULL;
  node_refused(&r, -1, "m: the node has 0 outputs");
  r = plain();
  r.op_type = "A\033[2J\n";
  node_refused(&r, 1, "m: the node is A?[2J?, not Attention");
}

static void test_wrong_attributes(void **state) {
  static const struct {
    int64_t opset;
    const char *name;
    int64_t value;
    int result;
    const char *line;
  } ints[] = {
      {24, "left_window_size", 1, -1,
       "m: attribute left_window_size needs opset 25, the model has 24"},
      {25, "left_window_size", -2, -1, "m: attribute left_window_size is -2"},
      {25, "right_window_size", INT64_MIN, -1,
       "m: attribute right_window_size is -9223372036854775808"},
      {24, "is_causal", 2, -1, "m: attribute is_causal is 2"},
      {24, "q_num_heads", 0, -1, "m: attribute q_num_heads is 0"},
      {24, "kv_num_heads", -1, -1, "m: attribute kv_num_heads is -1"},
      {24, "qk_matmul_output_mode", 4, -1, "m: attribute qk_matmul_output_mode is 4"},
      {24, "softmax_precision", 2, -1, "m: attribute softmax_precision is 2"},
      {24, "scale", 1, -1, "m: attribute scale is not a float"},
      {24, "dropout", 1, -1, "m: Attention has no attribute dropout"},
      {24, "", 1, -1, "m: attribute 0 has no name"},
  };
  recipe r;
  bytes a = {0};

  (void)state;
  for (size_t i = 0; i < sizeof ints / sizeof ints[0]; i++) {
    r = plain();
    r.opset = ints[i].opset;
    with_int(&r, ints[i].name, ints[i].value);
    node_refused(&r, ints[i].result, ints[i].line);
  }
  r = plain();
  with_float(&r, "scale", -1.0f);
  node_refused(&r, 1, "m: a negative scale");
  r = plain();
  with_float(&r, "softcap", -1.0f);
  node_refused(&r, 1, "m: a negative softcap");
  r = plain();
  with_float(&r, "scale", HUGE_VALF);
  node_refused(&r, -1, "m: attribute scale is not finite");
  r = plain();
  with_float(&r, "is_causal", 1.0f);
  node_refused(&r, -1, "m: attribute is_causal is not an integer");
  r = plain();
  with_int(&r, "is_causal", 1);
  with_int(&r, "is_causal", 1);
  node_refused(&r, -1, "m: attribute is_causal is given twice");
  r = plain();
  field_text(&a, 1, "is_causal");
  field_int(&a, 3, 1);
  field_message(&r.attributes, 5, &a);
  node_refused(&r, -1, "m: attribute is_causal has no type");
}

static void test_cut_model(void **state) {
  recipe r = plain();
  attest_onnx_model m;
  bytes b;

  (void)state;
  with_float(&r, "scale", 0.25f);
  with_int(&r, "is_causal", 1);
  b = make_model(&r);
  for (size_t whole = b.size, size = 0; size < whole; size++) {
    b.size = size;
    assert_int_equal(parse_model(&b, &m), ATTEST_ONNX_BAD);
  }
}

static void test_broken_model(void **state) {
  recipe r = plain();
  attest_onnx_node node;
  attest_onnx_model m;
  attest_fault fault;
  bytes b;

  (void)state;
  with_float(&r, "scale", 0.25f);
  with_int(&r, "is_causal", 1);
  b = make_model(&r);
  for (size_t at = 0; at < b.size; at++) {
    const unsigned char kept = b.at[at];
    for (int value = 0; value < 256; value++) {
      b.at[at] = (unsigned char)value;
      if (parse_model(&b, &m) == 0) {
        attest_onnx_node_read(&m, "m", &node, &fault);
        attest_onnx_model_free(&m);
      }
    }
    b.at[at] = kept;
  }
}

/* --- problems ---------------------------------------------------------------------------- */

/* A problem by hand: arrays of doubles in a given type. */
typedef struct bench {
  attest_onnx_node node;
  attest_array arrays[ATTEST_ONNX_INPUTS];
  attest_onnx_input inputs[ATTEST_ONNX_INPUTS];
  attest_onnx_problem problem;
  attest_fault fault;
} bench;

static void bench_start(bench *b, int64_t opset) {
  memset(b, 0, sizeof *b);
  b->node.opset = opset;
  b->node.left = b->node.right = -1;
}

static attest_array array_of(attest_dtype dtype, int ndim, const size_t *dims,
                             const double *values) {
  attest_array a;

  assert_int_equal(attest_array_from_f64(&a, dtype, ndim, dims, values, "array", error,
                                         sizeof error), 0);
  return a;
}

static void give(bench *b, int input, attest_dtype dtype, int ndim, const size_t *dims,
                 const double *values) {
  static const char *const names[ATTEST_ONNX_INPUTS] = {"q.pb",  "k.pb",  "v.pb",      "mask.pb",
                                                        "pk.pb", "pv.pb", "lengths.pb"};

  attest_array_free(&b->arrays[input]);
  b->arrays[input] = array_of(dtype, ndim, dims, values);
  b->inputs[input].name = names[input];
  b->inputs[input].array = &b->arrays[input];
}

static void take_away(bench *b, int input) {
  b->inputs[input].array = NULL;
}

static int build(bench *b) {
  attest_onnx_problem_free(&b->problem);
  return attest_onnx_problem_build(&b->problem, &b->node, b->inputs, &b->fault);
}

static void build_refused(bench *b, int result, const char *line) {
  assert_int_equal(build(b), result);
  assert_string_equal(b->fault.text, line);
}

static void bench_end(bench *b) {
  attest_onnx_problem_free(&b->problem);
  for (int i = 0; i < ATTEST_ONNX_INPUTS; i++)
    attest_array_free(&b->arrays[i]);
}

/* Output number `output` is values, to the last bit of dtype. */
static attest_onnx_verdict judge(bench *b, int output, attest_dtype dtype, int ndim,
                                 const size_t *dims, const double *values) {
  attest_array got = array_of(dtype, ndim, dims, values);
  attest_onnx_verdict verdict;
  const int result = attest_onnx_judge(&b->problem, output, &got, 1, &verdict, NULL, &b->fault);

  attest_array_free(&got);
  if (result != 0)
    fail_msg("%s", b->fault.text);
  return verdict;
}

static void judged(bench *b, int output, attest_dtype dtype, int ndim, const size_t *dims,
                   const double *values, int pass, uint64_t ulps) {
  const attest_onnx_verdict v = judge(b, output, dtype, ndim, dims, values);

  if (v.pass != pass || v.ulps != ulps)
    fail_msg("%s %llu ulp %s", v.pass ? "ok" : "FAIL", (unsigned long long)v.ulps, v.text);
}

/* Two queries 1 and -2, three keys 1, 2, 0.5, width 1, so that scores are their products. */
static const size_t q_dims[4] = {1, 1, 2, 1}, kv_dims[4] = {1, 1, 3, 1}, qk_dims[4] = {1, 1, 2, 3};
static const double q_tiny[2] = {1, -2}, k_tiny[3] = {1, 2, 0.5}, v_tiny[3] = {10, 20, 40};

static void tiny(bench *b, int64_t opset, attest_dtype dtype) {
  bench_start(b, opset);
  give(b, ATTEST_ONNX_Q, dtype, 4, q_dims, q_tiny);
  give(b, ATTEST_ONNX_K, dtype, 4, kv_dims, k_tiny);
  give(b, ATTEST_ONNX_V, dtype, 4, kv_dims, v_tiny);
}

/* Computed with 50 decimal digits. */
static const double raw[6] = {1, 2, 0.5, -2, -4, -1};
static const double capped[6] = {0.92423431452001950,  1.5231883119115297,  0.48983732480741826,
                                 -1.5231883119115297, -1.9280551601516338, -0.92423431452001950};

static void test_modes(void **state) {
  const attest_dtype types[4] = {ATTEST_DT_F64, ATTEST_DT_F32, ATTEST_DT_F16, ATTEST_DT_BF16};
  const double bias[6] = {0.5, -HUGE_VAL, 0, 0, 1, -HUGE_VAL};
  const double biased[6] = {1.4242343145200195,  -HUGE_VAL,           0.48983732480741826,
                            -1.5231883119115297, -0.92805516015163379, -HUGE_VAL};
  const double weights[6] = {0.7179664873126168, 0, 0.2820335126873832,
                             0.35545793962743366, 0.6445420603725663, 0};

  (void)state;
  for (int t = 0; t < 4; t++) {
    bench b;
    tiny(&b, 24, types[t]);
    b.node.softcap = 2;
    give(&b, ATTEST_ONNX_MASK, types[t], 2, (const size_t[]){2, 3}, bias);
    assert_int_equal(build(&b), 0);
    judged(&b, ATTEST_ONNX_QK, types[t], 4, qk_dims, raw, 1, 0);
    b.problem.mode = ATTEST_ONNX_CAPPED;
    judged(&b, ATTEST_ONNX_QK, types[t], 4, qk_dims, capped, 1, 0);
    b.problem.mode = ATTEST_ONNX_BIASED;
    judged(&b, ATTEST_ONNX_QK, types[t], 4, qk_dims, biased, 1, 0);
    b.problem.mode = ATTEST_ONNX_WEIGHTS;
    judged(&b, ATTEST_ONNX_QK, types[t], 4, qk_dims, weights, 1, 0);
    b.problem.mode = ATTEST_ONNX_RAW;
    assert_int_equal(judge(&b, ATTEST_ONNX_QK, types[t], 4, qk_dims, capped).pass, 0);
    bench_end(&b);
  }
}

/* Without a softcap the second output is the first; causal and window hide with -inf. */
static void test_modes_hidden(void **state) {
  const double hidden[6] = {1, -HUGE_VAL, -HUGE_VAL, -2, -4, -HUGE_VAL};
  const double windowed[6] = {1, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -4, -HUGE_VAL};
  const double lengths[1] = {2};
  bench b;

  (void)state;
  tiny(&b, 25, ATTEST_DT_F32);
  b.node.causal = 1;
  b.node.mode = ATTEST_ONNX_CAPPED;
  assert_int_equal(build(&b), 0);
  judged(&b, ATTEST_ONNX_QK, ATTEST_DT_F32, 4, qk_dims, raw, 1, 0);
  b.node.mode = ATTEST_ONNX_BIASED;
  assert_int_equal(build(&b), 0);
  judged(&b, ATTEST_ONNX_QK, ATTEST_DT_F32, 4, qk_dims, hidden, 1, 0);
  b.node.left = 0;
  assert_int_equal(build(&b), 0);
  judged(&b, ATTEST_ONNX_QK, ATTEST_DT_F32, 4, qk_dims, windowed, 1, 0);
  b.node.left = INT64_MAX;
  assert_int_equal(build(&b), 0);
  judged(&b, ATTEST_ONNX_QK, ATTEST_DT_F32, 4, qk_dims, hidden, 1, 0);
  /* Two keys for two queries: the offset is 0 again, and the third key is padding. */
  give(&b, ATTEST_ONNX_LENGTHS, ATTEST_DT_I64, 1, (const size_t[]){1}, lengths);
  assert_int_equal(build(&b), 0);
  judged(&b, ATTEST_ONNX_QK, ATTEST_DT_F32, 4, qk_dims, hidden, 1, 0);
  bench_end(&b);
}

/* What is not finite: NaN and infinities in keys, hidden and visible. */
static void test_modes_special(void **state) {
  const double k[3] = {NAN, HUGE_VAL, 0}, mask[3] = {1, 0, 1};
  const double q[2] = {1, 0};
  const double scores[6] = {NAN, HUGE_VAL, 0, NAN, NAN, 0};
  const double hidden[6] = {NAN, NAN, 0, NAN, NAN, 0};
  const double limited[6] = {NAN, 3, 0, NAN, NAN, 0};
  bench b;

  (void)state;
  tiny(&b, 24, ATTEST_DT_F32);
  give(&b, ATTEST_ONNX_Q, ATTEST_DT_F32, 4, q_dims, q);
  give(&b, ATTEST_ONNX_K, ATTEST_DT_F32, 4, kv_dims, k);
  give(&b, ATTEST_ONNX_MASK, ATTEST_DT_BOOL, 1, (const size_t[]){3}, mask);
  assert_int_equal(build(&b), 0);
  judged(&b, ATTEST_ONNX_QK, ATTEST_DT_F32, 4, qk_dims, scores, 1, 0);
  b.problem.mode = ATTEST_ONNX_BIASED;
  judged(&b, ATTEST_ONNX_QK, ATTEST_DT_F32, 4, qk_dims, hidden, 1, 0);
  b.problem.mode = ATTEST_ONNX_CAPPED;
  b.problem.shape.softcap = 3;
  judged(&b, ATTEST_ONNX_QK, ATTEST_DT_F32, 4, qk_dims, limited, 1, 0);
  bench_end(&b);
}

/* Scores of one product of two floats, which a double holds, against the oracle's rounding. */
static void test_score_rounding(void **state) {
  static const attest_format formats[4] = {ATTEST_FORMAT_F64, ATTEST_FORMAT_F32,
                                           ATTEST_FORMAT_F16, ATTEST_FORMAT_BF16};
  attest_shape shape = {0};
  attest_arrays_f64 arrays = {0};
  attest_status refusal;
  double q = 1, k = 0;
  attest_onnx_scorer *scorer;
  uint64_t seed = 88172645463325252u;

  (void)state;
  shape.batch = shape.q_heads = shape.kv_heads = shape.q_len = shape.kv_len = 1;
  shape.width = shape.value_width = 1;
  assert_int_equal(attest_layout_bhsd(&shape), ATTEST_OK);
  arrays.q = &q;
  arrays.k = &k;
  arrays.v = &k;
  scorer = attest_onnx_scorer_start(&shape, &arrays, ATTEST_ONNX_RAW, &refusal);
  assert_non_null(scorer);
  for (int i = 0; i < 40000; i++) {
    attest_enclosure e;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    /* Many short significands, so that midpoints are hit, from below the smallest f32 and bf16
       numbers to beyond the largest. */
    q = ldexp((double)(int32_t)(seed >> 40) - 8388608, (int)(seed % 280) - 165);
    k = (double)((seed >> 9) % 64 + 1);
    for (int f = 0; f < 4; f++) {
      const double want = attest_format_nearest(formats[f], q * k, 0);
      const double got = attest_onnx_score(scorer, 0, 0, 0, 0, formats[f], &e);
      assert_true(got == want);
      assert_true(e.high == q * k && e.low == 0 && e.radius == 0);
    }
  }
  attest_onnx_scorer_end(scorer);
  attest_onnx_scorer_end(NULL);
  shape.kv_heads = 0;
  assert_null(attest_onnx_scorer_start(&shape, &arrays, ATTEST_ONNX_RAW, &refusal));
  assert_int_equal(refusal, ATTEST_SHAPE);
}

/* Products that cancel: exact sums need more bits than any fixed working precision. */
static void test_score_cancels(void **state) {
  const size_t wide[4] = {1, 1, 1, 3};
  const double q[3] = {0x1p1000, 1, 0x1p1000}, k[3] = {1, 0x1p-1000, -1};
  const double tiny_score[1] = {0x1p-1000}, one[1] = {1};
  bench b;

  (void)state;
  bench_start(&b, 24);
  b.node.scale_given = 1;
  b.node.scale = 1;
  give(&b, ATTEST_ONNX_Q, ATTEST_DT_F64, 4, wide, q);
  give(&b, ATTEST_ONNX_K, ATTEST_DT_F64, 4, wide, k);
  give(&b, ATTEST_ONNX_V, ATTEST_DT_F64, 4, (const size_t[]){1, 1, 1, 1}, one);
  assert_int_equal(build(&b), 0);
  judged(&b, ATTEST_ONNX_QK, ATTEST_DT_F64, 4, (const size_t[]){1, 1, 1, 1}, tiny_score, 1, 0);
  bench_end(&b);
}

/* What a short mask leaves out is hidden from opset 24 on, even if its only column is the first. */
static void test_mask_padding(void **state) {
  const double visible[1] = {1}, zero[1] = {0}, two[2] = {0, 0};
  const double first[2] = {10, 10}, both[6] = {1, 2, -HUGE_VAL, -2, -4, -HUGE_VAL};
  bench b;

  (void)state;
  for (int64_t opset = 24; opset <= 25; opset++) {
    tiny(&b, opset, ATTEST_DT_F32);
    give(&b, ATTEST_ONNX_MASK, ATTEST_DT_BOOL, 1, (const size_t[]){1}, visible);
    assert_int_equal(build(&b), 0);
    judged(&b, ATTEST_ONNX_Y, ATTEST_DT_F32, 4, q_dims, first, 1, 0);
    give(&b, ATTEST_ONNX_MASK, ATTEST_DT_F32, 4, (const size_t[]){1, 1, 1, 1}, zero);
    assert_int_equal(build(&b), 0);
    judged(&b, ATTEST_ONNX_Y, ATTEST_DT_F32, 4, q_dims, first, 1, 0);
    b.node.mode = ATTEST_ONNX_BIASED;
    give(&b, ATTEST_ONNX_MASK, ATTEST_DT_F32, 3, (const size_t[]){1, 1, 2}, two);
    assert_int_equal(build(&b), 0);
    judged(&b, ATTEST_ONNX_QK, ATTEST_DT_F32, 4, qk_dims, both, 1, 0);
    give(&b, ATTEST_ONNX_MASK, ATTEST_DT_BOOL, 2, (const size_t[]){1, 0}, two);
    assert_int_equal(build(&b), 0);
    judged(&b, ATTEST_ONNX_Y, ATTEST_DT_F32, 4, q_dims, two, 1, 0);
    bench_end(&b);
  }
  tiny(&b, 23, ATTEST_DT_F32);
  b.node.mode = ATTEST_ONNX_BIASED;
  give(&b, ATTEST_ONNX_MASK, ATTEST_DT_F32, 1, (const size_t[]){1}, zero);
  assert_int_equal(build(&b), 0);
  judged(&b, ATTEST_ONNX_QK, ATTEST_DT_F32, 4, qk_dims, raw, 1, 0);
  give(&b, ATTEST_ONNX_MASK, ATTEST_DT_F32, 1, (const size_t[]){2}, two);
  build_refused(&b, -1, "mask.pb: mask (2) does not broadcast to (1, 1, 2, 3)");
  bench_end(&b);
}

static void test_mask_shapes(void **state) {
  static const struct {
    int ndim;
    size_t dims[5];
    const char *line;
  } wrong[] = {
      {0, {0}, "mask.pb: mask () does not broadcast to (1, 1, 2, 3)"},
      {1, {4}, "mask.pb: mask (4) does not broadcast to (1, 1, 2, 3)"},
      {2, {3, 3}, "mask.pb: mask (3, 3) does not broadcast to (1, 1, 2, 3)"},
      {4, {2, 1, 2, 3}, "mask.pb: mask (2, 1, 2, 3) does not broadcast to (1, 1, 2, 3)"},
      {5, {1, 1, 1, 2, 3}, "mask.pb: mask (1, 1, 1, 2, 3) does not broadcast to (1, 1, 2, 3)"},
  };
  const double zeros[12] = {0}, empty[2] = {0, 0};
  bench b;

  (void)state;
  tiny(&b, 24, ATTEST_DT_F32);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    give(&b, ATTEST_ONNX_MASK, ATTEST_DT_BOOL, wrong[i].ndim, wrong[i].dims, zeros);
    build_refused(&b, -1, wrong[i].line);
  }
  /* All hidden: rows of zeros, in the weights as well. */
  give(&b, ATTEST_ONNX_MASK, ATTEST_DT_BOOL, 2, (const size_t[]){2, 3}, zeros);
  b.node.mode = ATTEST_ONNX_WEIGHTS;
  assert_int_equal(build(&b), 0);
  judged(&b, ATTEST_ONNX_Y, ATTEST_DT_F32, 4, q_dims, empty, 1, 0);
  judged(&b, ATTEST_ONNX_QK, ATTEST_DT_F32, 4, qk_dims, zeros, 1, 0);
  bench_end(&b);
}

/* Batch 2, heads 2 of 4 and 2, every mask element different: what broadcasts where. */
static void test_mask_broadcast(void **state) {
  static const struct {
    int ndim;
    size_t dims[4];
  } shapes[] = {{1, {3}},          {2, {1, 3}},       {2, {2, 3}},       {3, {1, 2, 3}},
                {3, {4, 1, 3}},    {3, {4, 2, 3}},    {4, {2, 1, 1, 3}}, {4, {2, 1, 2, 3}},
                {4, {1, 4, 2, 3}}, {4, {2, 4, 2, 3}}, {4, {2, 4, 1, 3}}};
  double q[2 * 4 * 2] = {0}, k[2 * 2 * 3] = {0}, mask[48], want[48];
  bench b;

  (void)state;
  for (int i = 0; i < 48; i++)
    mask[i] = 0.25 * (i + 1);
  for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
    size_t full[4] = {1, 1, 1, 1};
    bench_start(&b, 23);
    b.node.mode = ATTEST_ONNX_BIASED;
    give(&b, ATTEST_ONNX_Q, ATTEST_DT_F32, 4, (const size_t[]){2, 4, 2, 1}, q);
    give(&b, ATTEST_ONNX_K, ATTEST_DT_F32, 4, (const size_t[]){2, 2, 3, 1}, k);
    give(&b, ATTEST_ONNX_V, ATTEST_DT_F32, 4, (const size_t[]){2, 2, 3, 1}, k);
    give(&b, ATTEST_ONNX_MASK, ATTEST_DT_F32, shapes[s].ndim, shapes[s].dims, mask);
    for (int i = 0; i < shapes[s].ndim; i++)
      full[4 - shapes[s].ndim + i] = shapes[s].dims[i];
    for (size_t i = 0; i < 48; i++) {
      const size_t at[4] = {i / 24, i / 6 % 4, i / 3 % 2, i % 3};
      size_t from = 0;
      for (int d = 0; d < 4; d++)
        from = from * full[d] + (full[d] == 1 ? 0 : at[d]);
      want[i] = mask[from];
    }
    assert_int_equal(build(&b), 0);
    judged(&b, ATTEST_ONNX_QK, ATTEST_DT_F32, 4, (const size_t[]){2, 4, 2, 3}, want, 1, 0);
    bench_end(&b);
  }
}

/* 3-D: heads lie side by side in a row; query heads 0 and 1 read head 0, 2 and 3 head 1. */
static void test_heads(void **state) {
  const double q[4] = {0}, k[4] = {0}, v[4] = {1, 10, 3, 30};
  const double y[4] = {2, 2, 20, 20}, present[4] = {1, 3, 10, 30}, wrong[4] = {2, 20, 2, 20};
  bench b;

  (void)state;
  bench_start(&b, 24);
  b.node.heads = 4;
  b.node.kv_heads = 2;
  give(&b, ATTEST_ONNX_Q, ATTEST_DT_F32, 3, (const size_t[]){1, 1, 4}, q);
  give(&b, ATTEST_ONNX_K, ATTEST_DT_F32, 3, (const size_t[]){1, 2, 2}, k);
  give(&b, ATTEST_ONNX_V, ATTEST_DT_F32, 3, (const size_t[]){1, 2, 2}, v);
  assert_int_equal(build(&b), 0);
  judged(&b, ATTEST_ONNX_Y, ATTEST_DT_F32, 3, (const size_t[]){1, 1, 4}, y, 1, 0);
  judged(&b, ATTEST_ONNX_PRESENT_VALUE, ATTEST_DT_F32, 4, (const size_t[]){1, 2, 2, 1}, present,
         1, 0);
  assert_int_equal(
      judge(&b, ATTEST_ONNX_Y, ATTEST_DT_F32, 3, (const size_t[]){1, 1, 4}, wrong).pass, 0);
  assert_int_equal(
      judge(&b, ATTEST_ONNX_Y, ATTEST_DT_F32, 4, (const size_t[]){1, 1, 1, 4}, y).pass, 0);
  b.node.heads = 3;
  build_refused(&b, -1, "q.pb: (1, 1, 4) does not divide into 3 heads");
  b.node.heads = 0;
  build_refused(&b, -1, "q.pb: 3-D needs the attribute q_num_heads");
  b.node.heads = 1;
  build_refused(&b, -1, "k.pb: heads of width 1, those of Q have 4");
  b.node.heads = INT64_MAX;
  build_refused(&b, -1, "q.pb: (1, 1, 4) does not divide into 9223372036854775807 heads");
  bench_end(&b);
}

static void test_shapes(void **state) {
  const double zeros[16] = {0};
  bench b;

  (void)state;
  tiny(&b, 24, ATTEST_DT_F32);
  b.node.heads = 2;
  build_refused(&b, -1, "q.pb: 1 heads, q_num_heads is 2");
  b.node.heads = 1;
  assert_int_equal(build(&b), 0);
  b.node.opset = 25;
  build_refused(&b, -1, "q.pb: 4-D, and yet a number of heads is given");
  b.node.opset = 24;
  b.node.heads = 0;
  give(&b, ATTEST_ONNX_K, ATTEST_DT_F32, 3, (const size_t[]){1, 3, 1}, zeros);
  build_refused(&b, -1, "k.pb: Q, K and V are 4-D, 3-D and 4-D, not all 3-D or all 4-D");
  give(&b, ATTEST_ONNX_K, ATTEST_DT_F32, 4, (const size_t[]){2, 1, 3, 1}, zeros);
  build_refused(&b, -1, "k.pb: a batch of 2, that of Q is 1");
  give(&b, ATTEST_ONNX_K, ATTEST_DT_F32, 4, (const size_t[]){1, 1, 2, 1}, zeros);
  build_refused(&b, -1, "v.pb: 1 heads of length 3, K has 1 of 2");
  give(&b, ATTEST_ONNX_K, ATTEST_DT_F32, 4, (const size_t[]){1, 2, 3, 1}, zeros);
  give(&b, ATTEST_ONNX_V, ATTEST_DT_F32, 4, (const size_t[]){1, 2, 3, 1}, zeros);
  build_refused(&b, -1, "k.pb: 2 heads, not a divisor of the 1 of Q");
  give(&b, ATTEST_ONNX_K, ATTEST_DT_F32, 4, (const size_t[]){1, 0, 3, 1}, zeros);
  give(&b, ATTEST_ONNX_V, ATTEST_DT_F32, 4, (const size_t[]){1, 0, 3, 1}, zeros);
  build_refused(&b, -1, "k.pb: 0 heads, not a divisor of the 1 of Q");
  bench_end(&b);
  /* Beyond the limits of the library, without an element. */
  bench_start(&b, 24);
  give(&b, ATTEST_ONNX_Q, ATTEST_DT_F32, 4, (const size_t[]){0, 1, 2, 5000}, zeros);
  give(&b, ATTEST_ONNX_K, ATTEST_DT_F32, 4, (const size_t[]){0, 1, 3, 5000}, zeros);
  give(&b, ATTEST_ONNX_V, ATTEST_DT_F32, 4, (const size_t[]){0, 1, 3, 1}, zeros);
  assert_int_equal(build(&b), ATTEST_ONNX_UNSUPPORTED);
  assert_memory_equal(b.fault.text, "q.pb: ", 6);
  bench_end(&b);
}

static void test_types(void **state) {
  const double zeros[8] = {0}, ones[4] = {25, 25, 0, 0};
  const double ints[3] = {0, -100, 0};
  bench b;

  (void)state;
  tiny(&b, 24, ATTEST_DT_F32);
  give(&b, ATTEST_ONNX_K, ATTEST_DT_F64, 4, kv_dims, k_tiny);
  build_refused(&b, -1, "k.pb: K is f64, Q is f32");
  give(&b, ATTEST_ONNX_K, ATTEST_DT_I32, 4, kv_dims, zeros);
  build_refused(&b, -1, "k.pb: K is of type i32");
  /* V may have a type of its own; Y has that of Q. */
  give(&b, ATTEST_ONNX_K, ATTEST_DT_F32, 4, kv_dims, zeros);
  give(&b, ATTEST_ONNX_V, ATTEST_DT_BF16, 4, kv_dims, v_tiny);
  give(&b, ATTEST_ONNX_MASK, ATTEST_DT_I32, 1, (const size_t[]){3}, ints);
  assert_int_equal(build(&b), 0);
  judged(&b, ATTEST_ONNX_Y, ATTEST_DT_F32, 4, q_dims, ones, 1, 0);
  judged(&b, ATTEST_ONNX_PRESENT_VALUE, ATTEST_DT_BF16, 4, kv_dims, v_tiny, 1, 0);
  judged(&b, ATTEST_ONNX_PRESENT_VALUE, ATTEST_DT_F32, 4, kv_dims, v_tiny, 0, ATTEST_ONNX_FAR);
  give(&b, ATTEST_ONNX_PAST_KEY, ATTEST_DT_F32, 4, kv_dims, zeros);
  give(&b, ATTEST_ONNX_PAST_VALUE, ATTEST_DT_F32, 4, kv_dims, zeros);
  build_refused(&b, -1, "pv.pb: past_value is f32, V is bf16");
  bench_end(&b);
}

/* A causal row sees the past and what comes before it; the cache is a concatenation. */
static void test_past(void **state) {
  const double past[2] = {5, 7}, zeros[3] = {0};
  const double present[5] = {5, 7, 10, 20, 40}, other[5] = {5, 7, 10, 20, -40};
  const double y[2] = {22.0 / 3, 10.5};
  const size_t past_dims[4] = {1, 1, 2, 1}, present_dims[4] = {1, 1, 5, 1};
  bench b;

  (void)state;
  tiny(&b, 23, ATTEST_DT_F32);
  b.node.causal = 1;
  give(&b, ATTEST_ONNX_K, ATTEST_DT_F32, 4, kv_dims, zeros);
  give(&b, ATTEST_ONNX_PAST_KEY, ATTEST_DT_F32, 4, past_dims, zeros);
  give(&b, ATTEST_ONNX_PAST_VALUE, ATTEST_DT_F32, 4, past_dims, past);
  assert_int_equal(build(&b), 0);
  judged(&b, ATTEST_ONNX_Y, ATTEST_DT_F32, 4, q_dims, y, 1, 0);
  judged(&b, ATTEST_ONNX_PRESENT_VALUE, ATTEST_DT_F32, 4, present_dims, present, 1, 0);
  judged(&b, ATTEST_ONNX_PRESENT_VALUE, ATTEST_DT_F32, 4, present_dims, other, 0,
         ATTEST_ONNX_FAR);
  give(&b, ATTEST_ONNX_PAST_VALUE, ATTEST_DT_F32, 4, (const size_t[]){1, 1, 1, 1}, past);
  build_refused(&b, -1, "pv.pb: past_value is not as long as past_key");
  give(&b, ATTEST_ONNX_PAST_VALUE, ATTEST_DT_F32, 4, (const size_t[]){1, 1, 1, 2}, past);
  build_refused(&b, -1, "pv.pb: (1, 1, 1, 2) does not come before (1, 1, 3, 1)");
  take_away(&b, ATTEST_ONNX_PAST_VALUE);
  build_refused(&b, -1, "pk.pb: past_key without the other of past_key and past_value");
  give(&b, ATTEST_ONNX_PAST_VALUE, ATTEST_DT_F32, 4, past_dims, past);
  b.node.opset = 24;
  give(&b, ATTEST_ONNX_LENGTHS, ATTEST_DT_I64, 1, (const size_t[]){1}, (const double[]){2});
  build_refused(&b, -1, "lengths.pb: nonpad_kv_seqlen together with past_key");
  bench_end(&b);
}

/* 3 queries, batches with 3, 5 and 1 of 6 keys: the last query sees the last key that exists. */
static void test_lengths(void **state) {
  const double zeros[18] = {0}, lengths[3] = {3, 5, 1}, v[18] = {1, 2, 3, 9, 9, 9, 1, 2, 3,
                                                                 4, 5, 9, 1, 9, 9, 9, 9, 9};
  const double y[9] = {1, 1.5, 2, 2, 2.5, 3, 0, 0, 1};
  bench b;

  (void)state;
  bench_start(&b, 24);
  b.node.causal = 1;
  give(&b, ATTEST_ONNX_Q, ATTEST_DT_F32, 4, (const size_t[]){3, 1, 3, 1}, zeros);
  give(&b, ATTEST_ONNX_K, ATTEST_DT_F32, 4, (const size_t[]){3, 1, 6, 1}, zeros);
  give(&b, ATTEST_ONNX_V, ATTEST_DT_F32, 4, (const size_t[]){3, 1, 6, 1}, v);
  give(&b, ATTEST_ONNX_LENGTHS, ATTEST_DT_I64, 1, (const size_t[]){3}, lengths);
  assert_int_equal(build(&b), 0);
  judged(&b, ATTEST_ONNX_Y, ATTEST_DT_F32, 4, (const size_t[]){3, 1, 3, 1}, y, 1, 0);
  give(&b, ATTEST_ONNX_LENGTHS, ATTEST_DT_I64, 1, (const size_t[]){3}, (const double[]){3, 7, 1});
  build_refused(&b, -1, "lengths.pb: element 1, 7, is not from 0 to 6");
  give(&b, ATTEST_ONNX_LENGTHS, ATTEST_DT_I64, 1, (const size_t[]){3},
       (const double[]){3, -1, 1});
  build_refused(&b, -1, "lengths.pb: element 1, -1, is not from 0 to 6");
  give(&b, ATTEST_ONNX_LENGTHS, ATTEST_DT_I64, 1, (const size_t[]){2}, lengths);
  build_refused(&b, -1, "lengths.pb: nonpad_kv_seqlen is not 3 numbers of i64");
  give(&b, ATTEST_ONNX_LENGTHS, ATTEST_DT_I32, 1, (const size_t[]){3}, lengths);
  build_refused(&b, -1, "lengths.pb: nonpad_kv_seqlen is not 3 numbers of i64");
  bench_end(&b);
}

/* Zeros in K and Q: rows are means of what a window lets them see. */
static void test_windows(void **state) {
  const double zeros[4] = {0}, v[4] = {1, 2, 4, 8};
  static const struct {
    int64_t left, right;
    int causal;
    double y[4];
  } cases[] = {
      {1, 1, 0, {1.5, 7.0 / 3, 14.0 / 3, 6}}, {0, -1, 0, {3.75, 14.0 / 3, 6, 8}},
      {1, -1, 1, {1, 1.5, 3, 6}},             {1, 1, 1, {1, 1.5, 3, 6}},
      {-1, 0, 0, {1, 1.5, 7.0 / 3, 3.75}},    {0, 0, 0, {1, 2, 4, 8}},
  };
  const size_t dims[4] = {1, 1, 4, 1};
  bench b;

  (void)state;
  bench_start(&b, 25);
  give(&b, ATTEST_ONNX_Q, ATTEST_DT_F32, 4, dims, zeros);
  give(&b, ATTEST_ONNX_K, ATTEST_DT_F32, 4, dims, zeros);
  give(&b, ATTEST_ONNX_V, ATTEST_DT_F32, 4, dims, v);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    b.node.left = cases[i].left;
    b.node.right = cases[i].right;
    b.node.causal = cases[i].causal;
    assert_int_equal(build(&b), 0);
    judged(&b, ATTEST_ONNX_Y, ATTEST_DT_F32, 4, dims, cases[i].y, 1, 0);
  }
  bench_end(&b);
}

/* --- verdicts ---------------------------------------------------------------------------- */

static void test_ulps(void **state) {
  (void)state;
  assert_int_equal(attest_onnx_ulps(ATTEST_DT_F32, 1, 1), 0);
  assert_int_equal(attest_onnx_ulps(ATTEST_DT_F32, 1, 1 + 0x1p-23), 1);
  assert_int_equal(attest_onnx_ulps(ATTEST_DT_F32, 1, 1 - 0x1p-24), 1);
  assert_int_equal(attest_onnx_ulps(ATTEST_DT_F64, 1, 1 + 0x1p-52), 1);
  assert_int_equal(attest_onnx_ulps(ATTEST_DT_F16, 2, 2 + 0x1p-9), 1);
  assert_int_equal(attest_onnx_ulps(ATTEST_DT_BF16, 2, 2 + 0x1p-6), 1);
  assert_int_equal(attest_onnx_ulps(ATTEST_DT_F32, 0, -0.0), 0);
  assert_int_equal(attest_onnx_ulps(ATTEST_DT_F32, -0x1p-149, 0x1p-149), 2);
  assert_int_equal(attest_onnx_ulps(ATTEST_DT_F32, -0.0, 0x1p-149), 1);
  assert_int_equal(attest_onnx_ulps(ATTEST_DT_F64, NAN, NAN), 0);
  assert_int_equal(attest_onnx_ulps(ATTEST_DT_F64, HUGE_VAL, HUGE_VAL), 0);
  assert_true(attest_onnx_ulps(ATTEST_DT_F64, HUGE_VAL, -HUGE_VAL) == ATTEST_ONNX_FAR);
  assert_true(attest_onnx_ulps(ATTEST_DT_F32, 0x1.fffffep127, HUGE_VAL) == ATTEST_ONNX_FAR);
  assert_true(attest_onnx_ulps(ATTEST_DT_F32, NAN, 1) == ATTEST_ONNX_FAR);
  assert_true(attest_onnx_ulps(ATTEST_DT_F64, -1.7976931348623157e308,
                               1.7976931348623157e308) == 2 * UINT64_C(0x7fefffffffffffff));
}

/* f32: 1 ulp and no more. The others: also what ONNX's runner allows. */
static void test_verdicts(void **state) {
  const size_t dims[4] = {1, 1, 1, 1};
  static const struct {
    attest_dtype dtype;
    double step; /* one ulp above 1 */
    int most;    /* steps that pass */
  } types[] = {
      {ATTEST_DT_F32, 0x1p-23, 1}, {ATTEST_DT_F16, 0x1p-10, 1}, {ATTEST_DT_BF16, 0x1p-7, 1}};
  const double one[1] = {1};

  (void)state;
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    bench b;
    bench_start(&b, 23);
    for (int i = 0; i < 3; i++)
      give(&b, i, types[t].dtype, 4, dims, one);
    assert_int_equal(build(&b), 0);
    for (int n = 0; n <= 3; n++) {
      const double got[1] = {1 + n * types[t].step};
      judged(&b, ATTEST_ONNX_Y, types[t].dtype, 4, dims, got, n <= types[t].most, (uint64_t)n);
    }
    judged(&b, ATTEST_ONNX_Y, types[t].dtype, 4, dims, (const double[]){NAN}, 0,
           ATTEST_ONNX_FAR);
    judged(&b, ATTEST_ONNX_Y, types[t].dtype, 4, dims, (const double[]){HUGE_VAL}, 0,
           ATTEST_ONNX_FAR);
    bench_end(&b);
  }
  {
    bench b;
    attest_onnx_verdict v;
    bench_start(&b, 23);
    for (int i = 0; i < 3; i++)
      give(&b, i, ATTEST_DT_F64, 4, dims, one);
    assert_int_equal(build(&b), 0);
    v = judge(&b, ATTEST_ONNX_Y, ATTEST_DT_F64, 4, dims, (const double[]){1.000999});
    assert_int_equal(v.pass, 1);
    v = judge(&b, ATTEST_ONNX_Y, ATTEST_DT_F64, 4, dims, (const double[]){1.0011});
    assert_int_equal(v.pass, 0);
    assert_string_equal(v.text, "at [0, 0, 0, 0]: got 1.0011000000000001, exact 1");
    bench_end(&b);
  }
}

/* The worst element is named, with more digits of the answer than any format has. */
static void test_worst(void **state) {
  const double y[2] = {16, 14};
  bench b;

  (void)state;
  tiny(&b, 24, ATTEST_DT_F32);
  give(&b, ATTEST_ONNX_V, ATTEST_DT_F32, 4, kv_dims, (const double[]){1, 0, 0});
  assert_int_equal(build(&b), 0);
  {
    /* 1 / (1 + e + e^-0.5) and 1 / (1 + e^-2 + e) */
    const attest_onnx_verdict v = judge(&b, ATTEST_ONNX_Y, ATTEST_DT_F32, 4, q_dims, y);
    assert_int_equal(v.pass, 0);
    assert_non_null(strstr(v.text, "exact 0.23122389762214906723"));
    assert_non_null(strstr(v.text, "at [0, 0, 0, 0]: got 16, "));
  }
  bench_end(&b);
}

/* --- folders ----------------------------------------------------------------------------- */

static char directory[] = "/tmp/attest-test-XXXXXX";
static char start_directory[4096];

static int enter_directory(void **state) {
  (void)state;
  return getcwd(start_directory, sizeof start_directory) == NULL || mkdtemp(directory) == NULL ||
         chdir(directory) != 0;
}

static int leave_directory(void **state) {
  (void)state;
  return chdir(start_directory) != 0 || rmdir(directory) != 0;
}

static void write_file(const char *path, const bytes *b) {
  FILE *f = fopen(path, "wb");

  assert_non_null(f);
  assert_int_equal(fwrite(b->at, 1, b->size, f), b->size);
  assert_int_equal(fclose(f), 0);
}

static const int64_t one_dims[4] = {1, 1, 1, 1};

static bytes single(float value) { return f32_tensor(4, one_dims, 1, &value); }

static const char *const files[] = {
    "one/test_data_set_0/input_0.pb",  "one/test_data_set_0/input_1.pb",
    "one/test_data_set_0/input_2.pb",  "one/test_data_set_0/output_0.pb",
    "one/test_data_set_10/input_0.pb", "one/test_data_set_10/input_1.pb",
    "one/test_data_set_10/input_2.pb", "one/test_data_set_10/output_0.pb"};

/* One query, one key: Y = V. The second data set is wrong. */
static void make_folder(void) {
  const recipe r = plain();
  bytes b = make_model(&r);

  assert_int_equal(mkdir("one", 0700), 0);
  assert_int_equal(mkdir("one/test_data_set_0", 0700), 0);
  assert_int_equal(mkdir("one/test_data_set_10", 0700), 0);
  write_file("one/model.onnx", &b);
  for (int i = 0; i < 8; i++) {
    b = single(i == 7 ? 2 : 1);
    write_file(files[i], &b);
  }
}

static void remove_folder(void) {
  for (int i = 0; i < 8; i++)
    unlink(files[i]);
  unlink("one/model.onnx");
  rmdir("one/test_data_set_0");
  rmdir("one/test_data_set_10");
  assert_int_equal(rmdir("one"), 0);
}

static int judge_folder(attest_onnx_report *report, attest_fault *fault) {
  return attest_onnx_folder_judge("one", 0, report, NULL, fault);
}

static void folder_refused(int result, const char *line) {
  attest_onnx_report report;
  attest_fault fault;

  assert_int_equal(judge_folder(&report, &fault), result);
  assert_string_equal(fault.text, line);
  attest_onnx_report_free(&report);
}

static void test_folder(void **state) {
  attest_onnx_report report;
  attest_fault fault;
  bytes b;

  (void)state;
  make_folder();
  assert_int_equal(judge_folder(&report, &fault), 0);
  assert_int_equal(report.opset, 24);
  assert_int_equal(report.count, 2);
  assert_int_equal(report.sets, 2);
  assert_string_equal(report.verdicts[0].set, "0");
  assert_string_equal(report.verdicts[1].set, "10");
  assert_int_equal(report.pass, 0);
  assert_int_equal(report.verdicts[0].pass, 1);
  assert_string_equal(report.verdicts[0].text, "");
  assert_int_equal(report.verdicts[1].pass, 0);
  assert_string_equal(report.verdicts[1].text, "at [0, 0, 0, 0]: got 2, exact 1");
  attest_onnx_report_free(&report);
  b = single(1);
  write_file(files[7], &b);
  assert_int_equal(judge_folder(&report, &fault), 0);
  assert_int_equal(report.pass, 1);
  attest_onnx_report_free(&report);
  remove_folder();
}

static void test_folder_faults(void **state) {
  recipe r = plain();
  bytes b;

  (void)state;
  make_folder();
  b = single(1);
  b.size--;
  write_file(files[5], &b);
  folder_refused(-1, "one/test_data_set_10/input_1.pb: not a whole protobuf message");
  unlink(files[5]);
  folder_refused(-1, "one/test_data_set_10/input_1.pb: No such file or directory");
  assert_int_equal(mkdir(files[5], 0700), 0);
  folder_refused(-1, "one/test_data_set_10/input_1.pb: not a regular file");
  assert_int_equal(rmdir(files[5]), 0);
  b = f32_tensor(1, (const int64_t[]){1}, 1, (const float[]){1});
  write_file(files[5], &b);
  folder_refused(-1, "one/test_data_set_10/input_1.pb: Q, K and V are 4-D, 1-D and 4-D, not all "
                     "3-D or all 4-D");
  b = single(1);
  write_file(files[5], &b);
  r.outputs[0] = "Z";
  b = make_model(&r);
  write_file("one/model.onnx", &b);
  unlink(files[3]);
  folder_refused(-1, "one/test_data_set_0/output_0.pb: No such file or directory");
  r.nodes = 2;
  b = make_model(&r);
  write_file("one/model.onnx", &b);
  folder_refused(1, "one/model.onnx: 2 nodes, not one Attention");
  b.size = 3;
  write_file("one/model.onnx", &b);
  folder_refused(-1, "one/model.onnx: not a whole protobuf message");
  assert_int_equal(truncate("one/model.onnx", (off_t)ATTEST_ONNX_MAX_FILE + 1), 0);
  folder_refused(-1, "one/model.onnx: 268435457 bytes, at most 268435456 are supported");
  remove_folder();
}

/* V as an initializer that is no input, and no data sets. */
static void test_folder_initializer(void **state) {
  recipe r = plain();
  bytes value = {0}, b;
  attest_onnx_report report;
  attest_fault fault;

  (void)state;
  make_folder();
  field_int(&value, DIMS, 1);
  for (int i = 0; i < 3; i++)
    field_int(&value, DIMS, 1);
  field_int(&value, TYPE, F32);
  field_text(&value, NAME, "V");
  put_varint(&value, FLOATS << 3 | 5);
  put_fixed(&value, f32_bits(2), 4);
  r.initializer = &value;
  b = make_model(&r);
  write_file("one/model.onnx", &b);
  assert_int_equal(judge_folder(&report, &fault), 0);
  assert_int_equal(report.verdicts[0].pass, 0);
  assert_int_equal(report.verdicts[1].pass, 1);
  attest_onnx_report_free(&report);
  value.size--;
  field_int(&value, 2, F64);
  b = make_model(&r);
  write_file("one/model.onnx", &b);
  assert_int_equal(judge_folder(&report, &fault), -1);
  assert_memory_equal(fault.text, "one/model.onnx: ", 16);
  for (int i = 0; i < 8; i++)
    unlink(files[i]);
  rmdir("one/test_data_set_0");
  rmdir("one/test_data_set_10");
  r.initializer = NULL;
  b = make_model(&r);
  write_file("one/model.onnx", &b);
  folder_refused(-1, "one: no test_data_set_N in it");
  remove_folder();
}

static void test_folders(void **state) {
  attest_onnx_paths paths;
  attest_fault fault;

  (void)state;
  make_folder();
  assert_int_equal(mkdir("an", 0700), 0);
  assert_int_equal(mkdir("two", 0700), 0);
  assert_int_equal(mkdir(".git", 0700), 0);
  assert_int_equal(attest_onnx_folders(".", &paths, &fault), 0);
  assert_int_equal(paths.count, 3);
  assert_string_equal(paths.at[0], "./an");
  assert_string_equal(paths.at[1], "./one");
  assert_string_equal(paths.at[2], "./two");
  attest_onnx_paths_free(&paths);
  assert_int_equal(attest_onnx_folders("one/", &paths, &fault), 0);
  assert_int_equal(paths.count, 1);
  assert_string_equal(paths.at[0], "one/");
  attest_onnx_paths_free(&paths);
  assert_int_equal(attest_onnx_folders("two", &paths, &fault), -1);
  assert_string_equal(fault.text, "two: neither model.onnx nor a folder in it");
  assert_int_equal(attest_onnx_folders("three", &paths, &fault), -1);
  assert_string_equal(fault.text, "three: No such file or directory");
  assert_int_equal(attest_onnx_folders("one/model.onnx", &paths, &fault), -1);
  assert_string_equal(fault.text, "one/model.onnx: not a folder");
  assert_int_equal(rmdir("an") | rmdir("two") | rmdir(".git"), 0);
  remove_folder();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_encoding),
      cmocka_unit_test(test_dims),
      cmocka_unit_test(test_wrong_dims),
      cmocka_unit_test(test_wrong_data),
      cmocka_unit_test(test_cut_tensor),
      cmocka_unit_test(test_broken_tensor),
      cmocka_unit_test(test_growth),
      cmocka_unit_test(test_model),
      cmocka_unit_test(test_wrong_model),
      cmocka_unit_test(test_wrong_attributes),
      cmocka_unit_test(test_cut_model),
      cmocka_unit_test(test_broken_model),
      cmocka_unit_test(test_modes),
      cmocka_unit_test(test_modes_hidden),
      cmocka_unit_test(test_modes_special),
      cmocka_unit_test(test_score_rounding),
      cmocka_unit_test(test_score_cancels),
      cmocka_unit_test(test_mask_padding),
      cmocka_unit_test(test_mask_shapes),
      cmocka_unit_test(test_mask_broadcast),
      cmocka_unit_test(test_heads),
      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_past),
      cmocka_unit_test(test_lengths),
      cmocka_unit_test(test_windows),
      cmocka_unit_test(test_ulps),
      cmocka_unit_test(test_verdicts),
      cmocka_unit_test(test_worst),
      cmocka_unit_test(test_folder),
      cmocka_unit_test(test_folder_faults),
      cmocka_unit_test(test_folder_initializer),
      cmocka_unit_test(test_folders),
  };

  return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
