#include "tensor.h"

#include "io.h"

#include <stdlib.h>
#include <string.h>

size_t attest_real_size(int wide) { return wide ? sizeof(double) : sizeof(float); }

int attest_tensor_read(const char *spec, int bf16, int min_dims, int max_dims, attest_array *raw,
                       attest_fault *fault) {
  char shape[ATTEST_SHAPE_TEXT];

  if (attest_io_read(spec, raw, ATTEST_TEXT(fault)) != 0)
    return -1;
  if (raw->dtype == ATTEST_DT_U16) {
    if (bf16)
      raw->dtype = ATTEST_DT_BF16;
    else
      ATTEST_FAIL(fault, "%s: has uint16 elements; --bf16 reads them as bf16 numbers", spec);
  } else if (raw->dtype == ATTEST_DT_BOOL && min_dims > 1) {
    ATTEST_FAIL(fault, "%s: has bool elements, numbers are needed", spec);
    goto failed;
  }
  if (raw->dtype == ATTEST_DT_U16)
    goto failed;
  if (raw->ndim < min_dims || raw->ndim > max_dims) {
    if (min_dims == max_dims)
      ATTEST_FAIL(fault, "%s: %s is %d-D, %d-D is needed", spec,
                  attest_shape_text(raw->ndim, raw->dims, shape), raw->ndim, min_dims);
    else
      ATTEST_FAIL(fault, "%s: %s is %d-D, %d-D to %d-D is needed", spec,
                  attest_shape_text(raw->ndim, raw->dims, shape), raw->ndim, min_dims, max_dims);
    goto failed;
  }
  return 0;

failed:
  attest_array_free(raw);
  return -1;
}

int attest_tensor_convert(attest_tensor *tensor, const char *name, attest_array *raw, int wide,
                          attest_fault *fault) {
  int result = -1;

  memset(tensor, 0, sizeof *tensor);
  tensor->name = name;
  tensor->ndim = raw->ndim;
  memcpy(tensor->dims, raw->dims, sizeof raw->dims);
  tensor->count = raw->count;
  tensor->data = attest_allocate(raw->count, attest_real_size(wide), name, fault);
  if (tensor->data != NULL)
    result = wide ? attest_array_to_f64(raw, tensor->data, name, ATTEST_TEXT(fault))
                  : attest_array_to_f32(raw, tensor->data, name, ATTEST_TEXT(fault));
  if (result == 0 && wide == ATTEST_WIDE_Q16 && raw->dtype == ATTEST_DT_I32)
    for (size_t i = 0; i < raw->count; i++)
      ((double *)tensor->data)[i] /= 65536;
  attest_array_free(raw);
  if (result != 0)
    attest_tensor_free(tensor);
  return result;
}

int attest_tensor_load(attest_tensor *tensor, const char *spec, int bf16, int wide, int min_dims,
                       int max_dims, attest_fault *fault) {
  attest_array raw;

  memset(tensor, 0, sizeof *tensor);
  if (attest_tensor_read(spec, bf16, min_dims, max_dims, &raw, fault) != 0)
    return -1;
  return attest_tensor_convert(tensor, spec, &raw, wide, fault);
}

static int check_limits(const attest_tensor *t, attest_fault *fault) {
  char shape[ATTEST_SHAPE_TEXT];
  const char *what;
  size_t most;

  if (t->width == 0 || t->heads == 0)
    return ATTEST_FAIL(fault, "%s: %s has %s", t->name,
                       attest_shape_text(t->ndim, t->dims, shape),
                       t->heads == 0 ? "no heads" : "width 0");
  if (t->batch > ATTEST_MAX_BATCH) {
    what = "entries in a batch";
    most = ATTEST_MAX_BATCH;
  } else if (t->heads > ATTEST_MAX_HEADS) {
    what = "heads";
    most = ATTEST_MAX_HEADS;
  } else if (t->len > ATTEST_MAX_KEYS) {
    what = "rows in a head";
    most = ATTEST_MAX_KEYS;
  } else if (t->width > ATTEST_MAX_WIDTH) {
    what = "elements in the row of a head";
    most = ATTEST_MAX_WIDTH;
  } else {
    return 0;
  }
  return ATTEST_FAIL(fault, "%s: %s is too large, the limit is %zu %s", t->name,
                     attest_shape_text(t->ndim, t->dims, shape), most, what);
}

int attest_tensor_heads(attest_tensor *t, size_t heads, const char *option, attest_fault *fault) {
  char shape[ATTEST_SHAPE_TEXT];

  attest_shape_text(t->ndim, t->dims, shape);
  if (t->ndim == 2) {
    if (heads > 1)
      return ATTEST_FAIL(fault, "%s: %zu, but %s %s is a single head", option, heads, t->name,
                         shape);
    t->batch = 1;
    t->heads = 1;
    t->len = t->dims[0];
    t->width = t->dims[1];
  } else if (t->ndim == 3) {
    t->heads = heads == 0 ? 1 : heads;
    if (t->dims[2] % t->heads != 0)
      return ATTEST_FAIL(fault, "%s: the rows of %s do not divide into %zu heads (%s)", t->name,
                         shape, t->heads, option);
    t->batch = t->dims[0];
    t->len = t->dims[1];
    t->width = t->dims[2] / t->heads;
  } else {
    if (heads != 0 && heads != t->dims[1])
      return ATTEST_FAIL(fault, "%s: %zu, but %s %s has %zu heads", option, heads, t->name, shape,
                         t->dims[1]);
    t->batch = t->dims[0];
    t->heads = t->dims[1];
    t->len = t->dims[2];
    t->width = t->dims[3];
  }
  if (check_limits(t, fault) != 0)
    return -1;
  if (t->ndim == 3) {
    t->strides.head = t->width;
    t->strides.row = t->dims[2];
    t->strides.batch = t->len * t->dims[2];
  } else {
    t->strides.row = t->width;
    t->strides.head = t->len * t->width;
    t->strides.batch = t->heads * t->len * t->width;
  }
  return 0;
}

/* Copies the rows of one head to where the joined array has them. */
static void copy_rows(const attest_tensor *t, size_t batch, size_t head, size_t size, char *to) {
  const char *from = (const char *)t->data +
                     (batch * t->strides.batch + head * t->strides.head) * size;

  for (size_t i = 0; i < t->len; i++)
    memcpy(to + i * t->width * size, from + i * t->strides.row * size, t->width * size);
}

int attest_tensor_append(attest_tensor *past, attest_tensor *now, int wide, attest_fault *fault) {
  const size_t size = attest_real_size(wide);
  const size_t len = past->len + now->len;
  const size_t head = len * now->width;
  char shape[ATTEST_SHAPE_TEXT], other[ATTEST_SHAPE_TEXT];
  size_t count;
  char *joined;

  if (past->batch != now->batch || past->heads != now->heads || past->width != now->width)
    return ATTEST_FAIL(fault,
                       "%s: %s has batch %zu, heads %zu, width %zu, but %s %s has %zu, %zu, %zu",
                       past->name, attest_shape_text(past->ndim, past->dims, shape), past->batch,
                       past->heads, past->width, now->name,
                       attest_shape_text(now->ndim, now->dims, other), now->batch, now->heads,
                       now->width);
  if (len > ATTEST_MAX_KEYS)
    return ATTEST_FAIL(fault, "%s: %zu keys with those of %s, the limit is %d", past->name, len,
                       now->name, (int)ATTEST_MAX_KEYS);
  if (attest_array_count(4, (const size_t[4]){now->batch, now->heads, len, now->width}, &count))
    return ATTEST_FAIL(fault, "%s: too large with the rows of %s", past->name, now->name);
  joined = attest_allocate(count, size, past->name, fault);
  if (joined == NULL)
    return -1;
  for (size_t b = 0; b < now->batch; b++)
    for (size_t h = 0; h < now->heads; h++) {
      char *to = joined + (b * now->heads + h) * head * size;
      copy_rows(past, b, h, size, to);
      copy_rows(now, b, h, size, to + past->len * now->width * size);
    }
  attest_tensor_free(past);
  free(now->data);
  now->data = joined;
  now->count = count;
  now->len = len;
  now->strides.row = now->width;
  now->strides.head = head;
  now->strides.batch = now->heads * head;
  return 0;
}

void attest_tensor_free(attest_tensor *tensor) {
  free(tensor->data);
  tensor->data = NULL;
}
