/* Any bytes as a .npy file: read or refused with one line, nothing leaks, and what is read comes back the
   same, bit for bit, after it is written and read again, and from Fortran order with the other byte
   order. */
#define _POSIX_C_SOURCE 200809L

#include "npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"
#include "reader.h"
#include "target.h"

/* NumPy's names, big endian; NULL: bytes, or a type without a name. */
static const char *big_endian(attest_dtype dtype) {
  switch (dtype) {
    case ATTEST_DT_F64: return ">f8";
    case ATTEST_DT_F32: return ">f4";
    case ATTEST_DT_F16: return ">f2";
    case ATTEST_DT_I32: return ">i4";
    case ATTEST_DT_I64: return ">i8";
    case ATTEST_DT_U16: return ">u2";
    default: return NULL;
  }
}

/* Where element n of Fortran order stands in C order: its first index runs fastest. */
static size_t in_c_order(const attest_array *array, size_t n) {
  size_t stride = array->count, at = 0;
  for (int d = 0; d < array->ndim; d++) {
    stride /= array->dims[d];
    at += n % array->dims[d] * stride;
    n /= array->dims[d];
  }
  return at;
}

static size_t make_image(const attest_array *array, unsigned char *image) {
  const size_t size = attest_dtype_size(array->dtype);
  const uint16_t one = 1;
  const int little = *(const unsigned char *)&one;
  char *const text = (char *)image + 10;
  size_t used = (size_t)sprintf(text, "{'descr': '%s', 'fortran_order': True, 'shape': (",
                                big_endian(array->dtype));
  for (int d = 0; d < array->ndim; d++) used += (size_t)sprintf(text + used, "%zu,", array->dims[d]);
  used += (size_t)sprintf(text + used, ")}\n");
  memcpy(image, "\x93NUMPY\1\0", 8);
  image[8] = (unsigned char)(used & 255);
  image[9] = (unsigned char)(used >> 8);
  used += 10;
  for (size_t n = 0; n < array->count; n++) {
    const unsigned char *const from = (unsigned char *)array->data + in_c_order(array, n) * size;
    for (size_t b = 0; b < size; b++) image[used++] = from[little ? size - 1 - b : b];
  }
  return used;
}

static void check_fortran(const attest_array *array) {
  const size_t bytes = array->count * attest_dtype_size(array->dtype);
  unsigned char *image;
  attest_array again;
  char error[FUZZ_LINE];
  size_t size;
  if (!big_endian(array->dtype)) return;
  image = malloc(512 + bytes);
  if (!image) abort();
  size = make_image(array, image);
  if (attest_npy_parse(image, size, "again", &again, error, sizeof error) != 0)
    fuzz_fail(NULL, "an array in Fortran order is refused: %s", error);
  if (again.dtype != array->dtype || again.count != array->count ||
      memcmp(again.data, array->data, bytes) != 0)
    fuzz_fail(NULL, "an array is not the same when read from Fortran order");
  attest_array_free(&again);
  free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  attest_array array;
  char error[FUZZ_LINE];
  fuzz_start_line(error);
  if (attest_npy_parse(data, size, "fuzz", &array, error, sizeof error) != 0) {
    fuzz_refused(&array, error, "fuzz");
    return 0;
  }
  check_fortran(&array);
  fuzz_read(&array);
  return 0;
}
