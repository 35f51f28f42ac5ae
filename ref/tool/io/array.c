#include "array.h"

#include "error.h"
#include "half.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  size_t size;
} dtypes[] = {
    [ATTEST_DT_F64] = {"f64", 8}, [ATTEST_DT_F32] = {"f32", 4},   [ATTEST_DT_F16] = {"f16", 2},
    [ATTEST_DT_BF16] = {"bf16", 2}, [ATTEST_DT_I32] = {"i32", 4}, [ATTEST_DT_I64] = {"i64", 8},
    [ATTEST_DT_U8] = {"u8", 1},   [ATTEST_DT_U16] = {"u16", 2},   [ATTEST_DT_BOOL] = {"bool", 1},
};

size_t attest_dtype_size(attest_dtype dtype) { return dtypes[dtype].size; }

const char *attest_dtype_name(attest_dtype dtype) { return dtypes[dtype].name; }

int attest_array_count(int ndim, const size_t *dims, size_t *count) {
  size_t product = 1;
  int empty = 0;

  *count = 0;
  for (int i = 0; i < ndim; i++) {
    if (dims[i] == 0) {
      empty = 1;
    } else if (product > SIZE_MAX / dims[i]) {
      return -1;
    } else {
      product *= dims[i];
    }
  }
  *count = empty ? 0 : product;
  return 0;
}

int attest_array_create(attest_array *array, attest_dtype dtype, int ndim, const size_t *dims,
                        const char *name, char *error, size_t error_size) {
  const size_t size = attest_dtype_size(dtype);
  size_t count;

  memset(array, 0, sizeof *array);
  if (ndim < 0 || ndim > ATTEST_ARRAY_MAX_DIMS)
    return attest_error(error, error_size, "%s: %d dimensions, at most %d are supported", name,
                        ndim, ATTEST_ARRAY_MAX_DIMS);
  if (attest_array_count(ndim, dims, &count) != 0 || count > (size_t)PTRDIFF_MAX / size)
    return attest_error(error, error_size, "%s: the dimensions ask for more than %zu bytes", name,
                        (size_t)PTRDIFF_MAX);
  array->data = calloc(count == 0 ? 1 : count, size);
  if (array->data == NULL)
    return attest_error(error, error_size, "%s: not enough memory for %zu bytes", name,
                        count * size);
  array->dtype = dtype;
  array->ndim = ndim;
  for (int i = 0; i < ndim; i++)
    array->dims[i] = dims[i];
  array->count = count;
  return 0;
}

void attest_array_free(attest_array *array) {
  free(array->data);
  memset(array, 0, sizeof *array);
}

int attest_array_as_bf16(attest_array *array, const char *name, char *error, size_t error_size) {
  if (array->dtype != ATTEST_DT_U16 && array->dtype != ATTEST_DT_BF16)
    return attest_error(error, error_size, "%s: bf16 is read from u16 or V2, this is %s", name,
                        attest_dtype_name(array->dtype));
  array->dtype = ATTEST_DT_BF16;
  return 0;
}

static int is_float(attest_dtype dtype) {
  return dtype == ATTEST_DT_F64 || dtype == ATTEST_DT_F32 || dtype == ATTEST_DT_F16 ||
         dtype == ATTEST_DT_BF16;
}

static double get_float(const attest_array *array, size_t index) {
  uint32_t word;
  double x;

  switch (array->dtype) {
  case ATTEST_DT_F32:
    memcpy(&word, (const char *)array->data + 4 * index, sizeof word);
    return attest_f64_from_f32_bits(word);
  case ATTEST_DT_F16:
    return attest_f64_from_f16(((const uint16_t *)array->data)[index]);
  case ATTEST_DT_BF16:
    return attest_f64_from_bf16(((const uint16_t *)array->data)[index]);
  default:
    memcpy(&x, (const char *)array->data + 8 * index, sizeof x);
    return attest_f64_canonical(x);
  }
}

static int64_t get_integer(const attest_array *array, size_t index) {
  switch (array->dtype) {
  case ATTEST_DT_I32:
    return ((const int32_t *)array->data)[index];
  case ATTEST_DT_I64:
    return ((const int64_t *)array->data)[index];
  case ATTEST_DT_U16:
    return ((const uint16_t *)array->data)[index];
  default:
    return ((const uint8_t *)array->data)[index];
  }
}

/* Whether x is an integer in [-limit, limit), limit a power of two up to 2^63; the range check
   comes first because C leaves the conversion of anything larger undefined. */
static int integer_of(double x, double limit, int64_t *integer) {
  if (!(x >= -limit && x < limit))
    return 0;
  *integer = (int64_t)x;
  return (double)*integer == x;
}

int attest_array_get(const attest_array *array, size_t index, double *value) {
  int64_t integer, back;

  if (is_float(array->dtype)) {
    *value = get_float(array, index);
    return 0;
  }
  integer = get_integer(array, index);
  *value = (double)integer;
  return integer_of(*value, 0x1p63, &back) && back == integer ? 0 : -1;
}

enum { INDEX_TEXT = ATTEST_ARRAY_MAX_DIMS * 21 + 3 };

static void index_text(const attest_array *array, size_t index, char text[INDEX_TEXT]) {
  size_t position[ATTEST_ARRAY_MAX_DIMS];
  size_t used = 1;

  for (int i = array->ndim - 1; i >= 0; i--) {
    position[i] = index % array->dims[i];
    index /= array->dims[i];
  }
  text[0] = '[';
  for (int i = 0; i < array->ndim; i++)
    used += (size_t)snprintf(text + used, INDEX_TEXT - used, i == 0 ? "%zu" : ",%zu",
                             position[i]);
  memcpy(text + used, "]", 2);
}

static int element_error(const attest_array *array, size_t index, double value, const char *fault,
                         const char *name, char *error, size_t error_size) {
  char text[INDEX_TEXT], number[32];

  index_text(array, index, text);
  /* The shortest of the forms that still tell this double from every other. */
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(number, sizeof number, "%.*g", digits, value);
    if (strtod(number, NULL) == value)
      break;
  }
  return attest_error(error, error_size, "%s: element %s = %s %s", name, text, number, fault);
}

static int integer_error(const attest_array *array, size_t index, int64_t value,
                         const char *fault, const char *name, char *error, size_t error_size) {
  char text[INDEX_TEXT];

  index_text(array, index, text);
  return attest_error(error, error_size, "%s: element %s = %" PRId64 " %s", name, text, value,
                      fault);
}

int attest_array_to_f64(const attest_array *array, double *out, const char *name, char *error,
                        size_t error_size) {
  for (size_t i = 0; i < array->count; i++)
    if (attest_array_get(array, i, &out[i]) != 0)
      return integer_error(array, i, get_integer(array, i), "is not exact in f64", name, error,
                           error_size);
  return 0;
}

int attest_array_to_f32(const attest_array *array, float *out, const char *name, char *error,
                        size_t error_size) {
  for (size_t i = 0; i < array->count; i++) {
    double x;
    uint32_t bits;
    /* A detour through an inexact double would round twice. */
    if (attest_array_get(array, i, &x) != 0)
      return integer_error(array, i, get_integer(array, i), "is not exact in f64", name, error,
                           error_size);
    if (attest_f32_bits_from_f64(x, &bits) != 0)
      return element_error(array, i, x, "overflows f32", name, error, error_size);
    memcpy(&out[i], &bits, sizeof bits);
  }
  return 0;
}

/* Reads element i as an integer in [-limit, limit). */
static int read_integer(const attest_array *array, size_t i, double limit, const char *range,
                        int64_t *value, const char *name, char *error, size_t error_size) {
  int64_t unused;

  if (is_float(array->dtype)) {
    const double x = get_float(array, i);
    if (integer_of(x, limit, value))
      return 0;
    return element_error(array, i, x, x >= -limit && x < limit ? "is not an integer" : range,
                         name, error, error_size);
  }
  *value = get_integer(array, i);
  if (limit < 0x1p63 && !integer_of((double)*value, limit, &unused))
    return integer_error(array, i, *value, range, name, error, error_size);
  return 0;
}

int attest_array_to_i32(const attest_array *array, int32_t *out, const char *name, char *error,
                        size_t error_size) {
  for (size_t i = 0; i < array->count; i++) {
    int64_t value = 0;
    if (read_integer(array, i, 0x1p31, "does not fit int32", &value, name, error, error_size))
      return -1;
    out[i] = (int32_t)value;
  }
  return 0;
}

int attest_array_to_i64(const attest_array *array, int64_t *out, const char *name, char *error,
                        size_t error_size) {
  for (size_t i = 0; i < array->count; i++)
    if (read_integer(array, i, 0x1p63, "does not fit int64", &out[i], name, error, error_size))
      return -1;
  return 0;
}

int attest_array_to_bool(const attest_array *array, uint8_t *out, const char *name, char *error,
                         size_t error_size) {
  if (is_float(array->dtype))
    return attest_error(error, error_size, "%s: a bool array is needed, this is %s", name,
                        attest_dtype_name(array->dtype));
  for (size_t i = 0; i < array->count; i++) {
    const int64_t value = get_integer(array, i);
    if (value != 0 && value != 1)
      return integer_error(array, i, value, "is not a bool (0 or 1)", name, error, error_size);
    out[i] = (uint8_t)value;
  }
  return 0;
}

int attest_array_to_mask(const attest_array *array, uint8_t *out, const char *name, char *error,
                         size_t error_size) {
  if (!is_float(array->dtype))
    return attest_array_to_bool(array, out, name, error, error_size);
  for (size_t i = 0; i < array->count; i++) {
    const double x = get_float(array, i);
    if (x == 0)
      out[i] = 1;
    else if (x < 0 && x == 2 * x)
      out[i] = 0;
    else
      return element_error(array, i, x, "is a bias, not a mask (0 or -inf)", name, error,
                           error_size);
  }
  return 0;
}

/* Stores x as element i; returns NULL or the fault. */
static const char *put(attest_array *array, size_t i, double x) {
  int64_t integer;
  uint32_t word;

  switch (array->dtype) {
  case ATTEST_DT_F64:
    ((double *)array->data)[i] = attest_f64_canonical(x);
    return NULL;
  case ATTEST_DT_F32:
    if (attest_f32_bits_from_f64(x, &word) != 0)
      return "overflows f32";
    memcpy((char *)array->data + 4 * i, &word, sizeof word);
    return NULL;
  case ATTEST_DT_F16:
    return attest_f16_from_f64(x, (uint16_t *)array->data + i) != 0 ? "overflows f16" : NULL;
  case ATTEST_DT_BF16:
    return attest_bf16_from_f64(x, (uint16_t *)array->data + i) != 0 ? "overflows bf16" : NULL;
  default:
    break;
  }
  if (!integer_of(x, 0x1p63, &integer))
    return x >= -0x1p63 && x < 0x1p63 ? "is not an integer" : "does not fit an integer";
  switch (array->dtype) {
  case ATTEST_DT_I32:
    if (integer < INT32_MIN || integer > INT32_MAX)
      return "does not fit int32";
    ((int32_t *)array->data)[i] = (int32_t)integer;
    return NULL;
  case ATTEST_DT_I64:
    ((int64_t *)array->data)[i] = integer;
    return NULL;
  case ATTEST_DT_U16:
    if (integer < 0 || integer > UINT16_MAX)
      return "does not fit uint16";
    ((uint16_t *)array->data)[i] = (uint16_t)integer;
    return NULL;
  case ATTEST_DT_BOOL:
    if (integer != 0 && integer != 1)
      return "is not a bool (0 or 1)";
    ((uint8_t *)array->data)[i] = (uint8_t)integer;
    return NULL;
  default:
    if (integer < 0 || integer > UINT8_MAX)
      return "does not fit uint8";
    ((uint8_t *)array->data)[i] = (uint8_t)integer;
    return NULL;
  }
}

static int put_or_fail(attest_array *array, size_t i, double x, const char *name, char *error,
                       size_t error_size) {
  const char *fault = put(array, i, x);

  if (fault == NULL)
    return 0;
  element_error(array, i, x, fault, name, error, error_size);
  attest_array_free(array);
  return -1;
}

int attest_array_from_f64(attest_array *array, attest_dtype dtype, int ndim, const size_t *dims,
                          const double *values, const char *name, char *error,
                          size_t error_size) {
  if (attest_array_create(array, dtype, ndim, dims, name, error, error_size) != 0)
    return -1;
  for (size_t i = 0; i < array->count; i++)
    if (put_or_fail(array, i, values[i], name, error, error_size) != 0)
      return -1;
  return 0;
}

int attest_array_from_f32(attest_array *array, attest_dtype dtype, int ndim, const size_t *dims,
                          const float *values, const char *name, char *error,
                          size_t error_size) {
  if (attest_array_create(array, dtype, ndim, dims, name, error, error_size) != 0)
    return -1;
  for (size_t i = 0; i < array->count; i++) {
    uint32_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    if (put_or_fail(array, i, attest_f64_from_f32_bits(bits), name, error, error_size) != 0)
      return -1;
  }
  return 0;
}
