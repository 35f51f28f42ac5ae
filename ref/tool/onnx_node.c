#include "onnx_node.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const input_names[ATTEST_ONNX_INPUTS] = {
    "Q", "K", "V", "attn_mask", "past_key", "past_value", "nonpad_kv_seqlen"};

static const char *const output_names[ATTEST_ONNX_OUTPUTS] = {"Y", "present_key", "present_value",
                                                              "qk_matmul_output"};

const char *attest_onnx_output_name(int output) { return output_names[output]; }

/* Formats a line into a fault; the value is ATTEST_ONNX_UNSUPPORTED. */
#define UNSUPPORTED(fault, ...) (ATTEST_FAIL(fault, __VA_ARGS__), ATTEST_ONNX_UNSUPPORTED)

enum { FIRST_OPSET = 23, LENGTHS_OPSET = 24, WINDOW_OPSET = 25, LAST_OPSET = 25 };

/* --- attributes -------------------------------------------------------------------------- */

typedef struct attribute_entry {
  const char *name;
  int64_t since;
  attest_onnx_kind kind;
  int64_t least, most; /* of an integer */
} attribute_entry;

enum { SCALE, SOFTCAP, CAUSAL, HEADS, KV_HEADS, MODE, PRECISION, LEFT, RIGHT, ATTRIBUTES };

static const attribute_entry attributes[ATTRIBUTES] = {
    [SCALE] = {"scale", FIRST_OPSET, ATTEST_ONNX_FLOAT, 0, 0},
    [SOFTCAP] = {"softcap", FIRST_OPSET, ATTEST_ONNX_FLOAT, 0, 0},
    [CAUSAL] = {"is_causal", FIRST_OPSET, ATTEST_ONNX_INT, 0, 1},
    [HEADS] = {"q_num_heads", FIRST_OPSET, ATTEST_ONNX_INT, 1, INT64_MAX},
    [KV_HEADS] = {"kv_num_heads", FIRST_OPSET, ATTEST_ONNX_INT, 1, INT64_MAX},
    [MODE] = {"qk_matmul_output_mode", FIRST_OPSET, ATTEST_ONNX_INT, 0, 3},
    [PRECISION] = {"softmax_precision", FIRST_OPSET, ATTEST_ONNX_INT, 1, 16},
    [LEFT] = {"left_window_size", WINDOW_OPSET, ATTEST_ONNX_INT, -1, INT64_MAX},
    [RIGHT] = {"right_window_size", WINDOW_OPSET, ATTEST_ONNX_INT, -1, INT64_MAX},
};

static int check_attribute(const attest_onnx_attribute *a, const attribute_entry *entry,
                           const char *name, int64_t opset, attest_fault *fault) {
  if (opset < entry->since)
    return ATTEST_FAIL(fault, "%s: attribute %s needs opset %" PRId64 ", the model has %" PRId64,
                       name, a->name, entry->since, opset);
  if (a->kind != entry->kind)
    return ATTEST_FAIL(fault, "%s: attribute %s is not %s", name, a->name,
                       entry->kind == ATTEST_ONNX_FLOAT ? "a float" : "an integer");
  if (a->kind == ATTEST_ONNX_INT && (a->i < entry->least || a->i > entry->most))
    return ATTEST_FAIL(fault, "%s: attribute %s is %" PRId64, name, a->name, a->i);
  if (a->kind == ATTEST_ONNX_FLOAT && !isfinite(a->f))
    return ATTEST_FAIL(fault, "%s: attribute %s is not finite", name, a->name);
  return 0;
}

/* Numbers of TensorProto's float, float16, double and bfloat16. */
static int is_precision(int64_t type) {
  return type == 1 || type == 10 || type == 11 || type == 16;
}

static int take_attribute(attest_onnx_node *node, const attest_onnx_attribute *a,
                          const char *name, attest_fault *fault) {
  int id = 0;

  while (id < ATTRIBUTES && strcmp(attributes[id].name, a->name) != 0)
    id++;
  if (id == ATTRIBUTES)
    return ATTEST_FAIL(fault, "%s: Attention has no attribute %s", name, a->name);
  if (check_attribute(a, &attributes[id], name, node->opset, fault) != 0)
    return -1;
  switch (id) {
  case SCALE:
    node->scale_given = 1;
    node->scale = (double)a->f;
    /* The operator multiplies q and k by its square root. */
    if (node->scale < 0)
      return UNSUPPORTED(fault, "%s: a negative scale", name);
    break;
  case SOFTCAP:
    node->softcap = (double)a->f;
    if (node->softcap < 0)
      return UNSUPPORTED(fault, "%s: a negative softcap", name);
    break;
  case CAUSAL:
    node->causal = (int)a->i;
    break;
  case HEADS:
    node->heads = a->i;
    break;
  case KV_HEADS:
    node->kv_heads = a->i;
    break;
  case MODE:
    node->mode = (attest_onnx_mode)a->i;
    break;
  case PRECISION: /* the answer is exact whatever format the softmax is taken in */
    if (!is_precision(a->i))
      return ATTEST_FAIL(fault, "%s: attribute %s is %" PRId64, name, a->name, a->i);
    break;
  case LEFT:
    node->left = a->i;
    break;
  default:
    node->right = a->i;
  }
  return 0;
}

int attest_onnx_node_read(const attest_onnx_model *model, const char *name,
                          attest_onnx_node *node, attest_fault *fault) {
  const size_t most = model->opset < LENGTHS_OPSET ? ATTEST_ONNX_LENGTHS : ATTEST_ONNX_INPUTS;

  memset(node, 0, sizeof *node);
  if (model->domain[0] != '\0')
    return UNSUPPORTED(fault, "%s: the node is %s.%s, not Attention", name, model->domain,
                       model->op_type);
  if (strcmp(model->op_type, "Attention") != 0)
    return UNSUPPORTED(fault, "%s: the node is %s, not Attention", name, model->op_type);
  if (model->opset < FIRST_OPSET || model->opset > LAST_OPSET)
    return UNSUPPORTED(fault, "%s: opset %" PRId64 ", known are %d to %d", name, model->opset,
                       FIRST_OPSET, LAST_OPSET);
  node->opset = model->opset;
  node->left = node->right = -1;
  for (size_t i = 0; i < ATTEST_ONNX_MASK; i++)
    if (i >= model->node_inputs.count || model->node_inputs.at[i][0] == '\0')
      return ATTEST_FAIL(fault, "%s: the node has no input %s", name, input_names[i]);
  if (model->node_inputs.count > most)
    return ATTEST_FAIL(fault, "%s: the node has %zu inputs, at most %zu in opset %" PRId64, name,
                       model->node_inputs.count, most, model->opset);
  if (model->node_outputs.count == 0 || model->node_outputs.count > ATTEST_ONNX_OUTPUTS)
    return ATTEST_FAIL(fault, "%s: the node has %zu outputs", name, model->node_outputs.count);
  for (size_t i = 0; i < model->attribute_count; i++) {
    const int result = take_attribute(node, &model->attributes[i], name, fault);
    if (result != 0)
      return result;
  }
  return 0;
}

/* --- shapes ------------------------------------------------------------------------------ */

static int is_float(attest_dtype dtype) {
  return dtype == ATTEST_DT_F64 || dtype == ATTEST_DT_F32 || dtype == ATTEST_DT_F16 ||
         dtype == ATTEST_DT_BF16;
}

/* Q, K or V with its heads found. */
typedef struct heads {
  const attest_array *array;
  size_t batch, heads, len, width;
} heads;

static int find_heads(const attest_onnx_input *input, int64_t number, const char *what,
                      heads *out, attest_fault *fault) {
  const attest_array *a = input->array;
  char text[ATTEST_SHAPE_TEXT];

  out->array = a;
  out->batch = a->dims[0];
  if (a->ndim == 4) {
    out->heads = a->dims[1];
    out->len = a->dims[2];
    out->width = a->dims[3];
    if (number != 0 && (uint64_t)number != out->heads)
      return ATTEST_FAIL(fault, "%s: %zu heads, %s is %" PRId64, input->name, out->heads, what,
                         number);
    return 0;
  }
  if (number == 0)
    return ATTEST_FAIL(fault, "%s: 3-D needs the attribute %s", input->name, what);
  out->len = a->dims[1];
  if ((uint64_t)number > a->dims[2] || a->dims[2] % (size_t)number != 0)
    return ATTEST_FAIL(fault, "%s: %s does not divide into %" PRId64 " heads", input->name,
                       attest_shape_text(a->ndim, a->dims, text), number);
  out->heads = (size_t)number;
  out->width = a->dims[2] / (size_t)number;
  return 0;
}

static int check_types(const attest_onnx_input *in, attest_fault *fault) {
  const attest_dtype type = in[ATTEST_ONNX_Q].array->dtype;
  const attest_dtype value_type = in[ATTEST_ONNX_V].array->dtype;

  for (int i = 0; i <= ATTEST_ONNX_PAST_VALUE; i++) {
    const int value = i == ATTEST_ONNX_V || i == ATTEST_ONNX_PAST_VALUE;
    const attest_array *a = in[i].array;
    if (a == NULL || i == ATTEST_ONNX_MASK)
      continue;
    if (!is_float(a->dtype))
      return ATTEST_FAIL(fault, "%s: %s is of type %s", in[i].name, input_names[i],
                         attest_dtype_name(a->dtype));
    if (a->dtype != (value ? value_type : type))
      return ATTEST_FAIL(fault, "%s: %s is %s, %s is %s", in[i].name, input_names[i],
                         attest_dtype_name(a->dtype), value ? "V" : "Q",
                         attest_dtype_name(value ? value_type : type));
  }
  return 0;
}

static int check_past(const attest_onnx_input *input, const heads *now, attest_fault *fault) {
  const attest_array *a = input->array;
  char text[ATTEST_SHAPE_TEXT];

  if (a->ndim == 4 && a->dims[0] == now->batch && a->dims[1] == now->heads &&
      a->dims[3] == now->width)
    return 0;
  return ATTEST_FAIL(fault, "%s: %s does not come before (%zu, %zu, %zu, %zu)", input->name,
                     attest_shape_text(a->ndim, a->dims, text), now->batch, now->heads, now->len,
                     now->width);
}

static int find_shape(const attest_onnx_node *node, const attest_onnx_input *in, heads h[3],
                      attest_fault *fault) {
  const int ndim = in[ATTEST_ONNX_Q].array->ndim;
  const heads *q = &h[ATTEST_ONNX_Q], *k = &h[ATTEST_ONNX_K], *v = &h[ATTEST_ONNX_V];

  for (int i = 0; i < 3; i++) {
    if (in[i].array->ndim != ndim || ndim < 3 || ndim > 4)
      return ATTEST_FAIL(fault, "%s: Q, K and V are %d-D, %d-D and %d-D, not all 3-D or all 4-D",
                         in[i].name, ndim, in[ATTEST_ONNX_K].array->ndim,
                         in[ATTEST_ONNX_V].array->ndim);
    if (ndim == 4 && node->opset >= WINDOW_OPSET && (node->heads != 0 || node->kv_heads != 0))
      return ATTEST_FAIL(fault, "%s: 4-D, and yet a number of heads is given", in[i].name);
    if (find_heads(&in[i], i == 0 ? node->heads : node->kv_heads,
                   i == 0 ? "q_num_heads" : "kv_num_heads", &h[i], fault) != 0)
      return -1;
    if (h[i].batch != q->batch)
      return ATTEST_FAIL(fault, "%s: a batch of %zu, that of Q is %zu", in[i].name, h[i].batch,
                         q->batch);
  }
  if (k->width != q->width)
    return ATTEST_FAIL(fault, "%s: heads of width %zu, those of Q have %zu",
                       in[ATTEST_ONNX_K].name, k->width, q->width);
  if (v->heads != k->heads || v->len != k->len)
    return ATTEST_FAIL(fault, "%s: %zu heads of length %zu, K has %zu of %zu",
                       in[ATTEST_ONNX_V].name, v->heads, v->len, k->heads, k->len);
  if (k->heads == 0 || q->heads % k->heads != 0)
    return ATTEST_FAIL(fault, "%s: %zu heads, not a divisor of the %zu of Q",
                       in[ATTEST_ONNX_K].name, k->heads, q->heads);
  return 0;
}

/* --- arrays ------------------------------------------------------------------------------ */

/* Dense (B, H, past + len, width), bits as they are; past may be NULL. */
static int join(const attest_array *past, const heads *now, const char *name, attest_array *out,
                attest_fault *fault) {
  const size_t before = past == NULL ? 0 : past->dims[2];
  const size_t size = attest_dtype_size(now->array->dtype);
  const size_t row = now->width * size;
  const int flat = now->array->ndim == 3;
  const unsigned char *from;
  const unsigned char *old = past == NULL ? NULL : past->data;
  unsigned char *to;

  if (before > SIZE_MAX - now->len)
    return ATTEST_FAIL(fault, "%s: the length is out of range", name);
  if (attest_array_create(out, now->array->dtype, 4,
                          (const size_t[]){now->batch, now->heads, before + now->len, now->width},
                          name, ATTEST_TEXT(fault)) != 0)
    return -1;
  to = out->data;
  /* Without elements some of the sizes may be anything. */
  for (size_t b = 0; out->count > 0 && b < now->batch; b++)
    for (size_t h = 0; h < now->heads; h++) {
      if (before > 0) {
        memcpy(to, old, before * row);
        to += before * row;
        old += before * row;
      }
      for (size_t s = 0; s < now->len; s++, to += row) {
        const size_t at = flat ? (b * now->len + s) * now->heads + h
                               : (b * now->heads + h) * now->len + s;
        from = (const unsigned char *)now->array->data + at * row;
        memcpy(to, from, row);
      }
    }
  return 0;
}

static double *to_f64(const attest_array *array, const char *name, attest_fault *fault) {
  double *values = attest_allocate(array->count, sizeof *values, name, fault);

  if (values == NULL || attest_array_to_f64(array, values, name, ATTEST_TEXT(fault)) == 0)
    return values;
  free(values);
  return NULL;
}

/* The mask as (rows, keys): what it leaves out at the end of a row is hidden from opset 24 on. */
static int take_mask(attest_onnx_problem *p, const attest_onnx_node *node,
                     const attest_onnx_input *input, attest_fault *fault) {
  const attest_array *a = input->array;
  const attest_shape *s = &p->shape;
  const size_t full[3] = {s->batch, s->q_heads, s->q_len};
  const int pads = node->opset >= LENGTHS_OPSET;
  char text[ATTEST_SHAPE_TEXT];
  size_t dims[4] = {1, 1, 1, 1}, rows, keys, given, total;
  double *values = NULL;
  int good;

  good = a->ndim >= 1 && a->ndim <= 4;
  for (int i = 0; good && i < a->ndim; i++)
    dims[4 - a->ndim + i] = a->dims[i];
  for (int i = 0; good && i < 3; i++)
    good = dims[i] == 1 || dims[i] == full[i];
  given = dims[3];
  good = good && (given == s->kv_len || (pads ? given < s->kv_len : given == 1));
  if (!good)
    return ATTEST_FAIL(fault, "%s: mask %s does not broadcast to (%zu, %zu, %zu, %zu)",
                       input->name, attest_shape_text(a->ndim, a->dims, text), s->batch,
                       s->q_heads, s->q_len, s->kv_len);
  keys = pads ? s->kv_len : given;
  if (attest_array_count(3, dims, &rows) != 0 ||
      attest_array_count(2, (const size_t[]){rows, keys}, &total) != 0)
    return ATTEST_FAIL(fault, "%s: the mask is out of range", input->name);
  if (a->dtype == ATTEST_DT_BOOL) {
    p->mask = attest_allocate(total, 1, input->name, fault);
    if (p->mask == NULL)
      return -1;
    memset(p->mask, 0, total);
    for (size_t r = 0; given > 0 && r < rows; r++)
      memcpy(p->mask + r * keys, (const uint8_t *)a->data + r * given, given);
    p->arrays.mask = p->mask;
  } else {
    values = to_f64(a, input->name, fault);
    p->bias = values == NULL ? NULL
                             : attest_allocate(total, sizeof *p->bias, input->name, fault);
    if (p->bias == NULL) {
      free(values);
      return -1;
    }
    for (size_t r = 0; r < rows; r++)
      for (size_t j = 0; j < keys; j++)
        p->bias[r * keys + j] = j < given ? values[r * given + j] : -HUGE_VAL;
    free(values);
    p->arrays.bias = p->bias;
  }
  {
    const attest_mask_strides strides = {dims[0] == 1 ? 0 : dims[1] * dims[2] * keys,
                                         dims[1] == 1 ? 0 : dims[2] * keys,
                                         dims[2] == 1 ? 0 : keys, keys == s->kv_len};
    p->shape.mask = p->shape.bias = strides;
  }
  return 0;
}

static int take_lengths(attest_onnx_problem *p, const attest_onnx_input *input,
                        attest_fault *fault) {
  const attest_array *a = input->array;

  if (a->dtype != ATTEST_DT_I64 || a->ndim != 1 || a->dims[0] != p->shape.batch)
    return ATTEST_FAIL(fault, "%s: nonpad_kv_seqlen is not %zu numbers of i64", input->name,
                       p->shape.batch);
  p->lengths = attest_allocate(a->count, sizeof *p->lengths, input->name, fault);
  if (p->lengths == NULL)
    return -1;
  for (size_t i = 0; i < a->count; i++) {
    const int64_t length = ((const int64_t *)a->data)[i];
    if (length < 0 || (uint64_t)length > p->shape.kv_len)
      return ATTEST_FAIL(fault, "%s: element %zu, %" PRId64 ", is not from 0 to %zu", input->name,
                         i, length, p->shape.kv_len);
    p->lengths[i] = (size_t)length;
  }
  p->shape.key_lengths = p->lengths;
  return 0;
}

/* How far a window reaches; no two positions are further apart than ATTEST_MAX_REACH. */
static int64_t reach(int64_t size) { return size > ATTEST_MAX_REACH ? -1 : size; }

static int set_shape(attest_onnx_problem *p, const attest_onnx_node *node, const heads h[3],
                     const attest_array *past, const char *name, attest_fault *fault) {
  attest_shape *s = &p->shape;
  attest_status status;

  s->batch = h[ATTEST_ONNX_Q].batch;
  s->q_heads = h[ATTEST_ONNX_Q].heads;
  s->kv_heads = h[ATTEST_ONNX_K].heads;
  s->q_len = h[ATTEST_ONNX_Q].len;
  s->kv_len = p->present[0].dims[2];
  s->width = h[ATTEST_ONNX_Q].width;
  s->value_width = h[ATTEST_ONNX_V].width;
  s->scale_given = node->scale_given;
  s->scale = node->scale;
  s->softcap = node->softcap;
  s->causal = node->causal;
  s->left = reach(node->left);
  s->right = reach(node->right);
  s->window = s->left >= 0 || s->right >= 0;
  status = attest_layout_bhsd(s);
  /* Set once the lengths are known to be within the limits. */
  s->offset = status == ATTEST_OK && past != NULL ? (int64_t)past->dims[2] : 0;
  return status == ATTEST_OK ? 0
                             : UNSUPPORTED(fault, "%s: %s", name, attest_status_text(status));
}

static int build(attest_onnx_problem *p, const attest_onnx_node *node,
                 const attest_onnx_input *in, attest_fault *fault) {
  const attest_onnx_input *lengths = &in[ATTEST_ONNX_LENGTHS];
  const attest_onnx_input *past[2] = {&in[ATTEST_ONNX_PAST_KEY], &in[ATTEST_ONNX_PAST_VALUE]};
  attest_array q = {0};
  heads h[3];
  int result;

  if ((past[0]->array == NULL) != (past[1]->array == NULL))
    return ATTEST_FAIL(fault, "%s: %s without the other of past_key and past_value",
                       past[past[0]->array == NULL]->name,
                       input_names[past[0]->array == NULL ? ATTEST_ONNX_PAST_VALUE
                                                          : ATTEST_ONNX_PAST_KEY]);
  if (past[0]->array != NULL && lengths->array != NULL)
    return ATTEST_FAIL(fault, "%s: nonpad_kv_seqlen together with past_key", lengths->name);
  if (check_types(in, fault) != 0 || find_shape(node, in, h, fault) != 0)
    return -1;
  p->mode = node->mode;
  p->flat = in[ATTEST_ONNX_Q].array->ndim == 3;
  p->dtype = in[ATTEST_ONNX_Q].array->dtype;
  for (int i = 0; i < 2; i++) {
    if (past[i]->array != NULL && check_past(past[i], &h[1 + i], fault) != 0)
      return -1;
    if (join(past[i]->array, &h[1 + i], in[1 + i].name, &p->present[i], fault) != 0)
      return -1;
  }
  if (p->present[0].dims[2] != p->present[1].dims[2])
    return ATTEST_FAIL(fault, "%s: past_value is not as long as past_key", past[1]->name);
  result = set_shape(p, node, h, past[0]->array, in[ATTEST_ONNX_Q].name, fault);
  if (result != 0)
    return result;
  if (join(NULL, &h[0], in[ATTEST_ONNX_Q].name, &q, fault) != 0)
    return -1;
  p->arrays.q = p->q = to_f64(&q, in[ATTEST_ONNX_Q].name, fault);
  attest_array_free(&q);
  if (p->q == NULL)
    return -1;
  p->arrays.k = p->k = to_f64(&p->present[0], in[ATTEST_ONNX_K].name, fault);
  if (p->k == NULL)
    return -1;
  p->arrays.v = p->v = to_f64(&p->present[1], in[ATTEST_ONNX_V].name, fault);
  if (p->v == NULL)
    return -1;
  if (in[ATTEST_ONNX_MASK].array != NULL &&
      take_mask(p, node, &in[ATTEST_ONNX_MASK], fault) != 0)
    return -1;
  if (lengths->array != NULL) {
    if (take_lengths(p, lengths, fault) != 0)
      return -1;
    p->shape.align_end = 1;
  }
  return 0;
}

int attest_onnx_problem_build(attest_onnx_problem *problem, const attest_onnx_node *node,
                              const attest_onnx_input inputs[ATTEST_ONNX_INPUTS],
                              attest_fault *fault) {
  int result;

  memset(problem, 0, sizeof *problem);
  result = build(problem, node, inputs, fault);
  if (result != 0)
    attest_onnx_problem_free(problem);
  return result;
}

void attest_onnx_problem_free(attest_onnx_problem *problem) {
  attest_array_free(&problem->present[0]);
  attest_array_free(&problem->present[1]);
  free(problem->q);
  free(problem->k);
  free(problem->v);
  free(problem->bias);
  free(problem->mask);
  free(problem->lengths);
  memset(problem, 0, sizeof *problem);
}

int attest_onnx_output_shape(const attest_onnx_problem *problem, int output, size_t dims[4],
                             attest_dtype *dtype) {
  const attest_shape *s = &problem->shape;
  const int present = output == ATTEST_ONNX_PRESENT_KEY || output == ATTEST_ONNX_PRESENT_VALUE;

  *dtype = present ? problem->present[output - ATTEST_ONNX_PRESENT_KEY].dtype : problem->dtype;
  dims[0] = s->batch;
  if (output == ATTEST_ONNX_Y && problem->flat) {
    dims[1] = s->q_len;
    dims[2] = s->q_heads * s->value_width;
    return 3;
  }
  dims[1] = present ? s->kv_heads : s->q_heads;
  dims[2] = present ? s->kv_len : s->q_len;
  dims[3] = output == ATTEST_ONNX_Y               ? s->value_width
            : output == ATTEST_ONNX_PRESENT_KEY   ? s->width
            : output == ATTEST_ONNX_PRESENT_VALUE ? s->value_width
                                                  : s->kv_len;
  return 4;
}
