/* A dense array of one element type, as read from a file or about to be written to one. */
#ifndef ATTEST_ARRAY_H
#define ATTEST_ARRAY_H

#include <stddef.h>
#include <stdint.h>

enum { ATTEST_ARRAY_MAX_DIMS = 8 };

typedef enum attest_dtype {
  ATTEST_DT_F64,
  ATTEST_DT_F32,
  ATTEST_DT_F16,
  ATTEST_DT_BF16,
  ATTEST_DT_I32,
  ATTEST_DT_I64,
  ATTEST_DT_U8,
  ATTEST_DT_U16,
  ATTEST_DT_BOOL /* one byte, 0 or 1 */
} attest_dtype;

/* C order, native byte order. ndim is 0 for a single element; count is the product of dims.
   data belongs to the array and is never NULL in a created one, not even when count is 0. */
typedef struct attest_array {
  attest_dtype dtype;
  int ndim;
  size_t dims[ATTEST_ARRAY_MAX_DIMS];
  size_t count;
  void *data;
} attest_array;

/* All functions that take `error` return 0, or -1 after writing one line that starts with
   `name` (a file name as a rule) into the error_size bytes at error. */

/* Bytes of one element. */
size_t attest_dtype_size(attest_dtype dtype);

/* The short name: "f64", "bf16", "bool"... */
const char *attest_dtype_name(attest_dtype dtype);

/* The number of elements. The product of the dims that are not 0 must fit a size_t as well, so
   that the answer does not depend on where a 0 stands. Returns -1 when it does not fit. */
int attest_array_count(int ndim, const size_t *dims, size_t *count);

/* Makes *array an array of zeros. Errors: ndim outside 0..8, a size beyond PTRDIFF_MAX bytes,
   not enough memory. On error *array is empty, and freeing it does nothing. */
int attest_array_create(attest_array *array, attest_dtype dtype, int ndim, const size_t *dims,
                        const char *name, char *error, size_t error_size);

/* Frees the data and empties *array. Harmless on an array of zero bytes or freed before. */
void attest_array_free(attest_array *array);

/* Turns uint16 elements into the bfloat16 numbers with the same bits; bf16 stays as it is.
   Errors: any other type. */
int attest_array_as_bf16(attest_array *array, const char *name, char *error, size_t error_size);

/* Element `index` in C order as a double, exact; any NaN gives the canonical one.
   Returns -1 for an int64 that no double equals (*value is then the nearest double). */
int attest_array_get(const attest_array *array, size_t index, double *value);

/* Bulk conversion into a buffer of array->count elements. Floats are rounded once, to nearest
   even; infinities stay, NaNs become canonical. Errors name the first offending index:
   - to f64 and f32: an int64 that no double equals; a finite value that overflows f32;
   - to i32 and i64: a value that is not an integer or is out of range (nothing is rounded);
   - to bool: integers other than 0 and 1; any float type, since a float mask is a bias that is
     added, and reading 0 as "hidden" would turn its meaning around. */
int attest_array_to_f64(const attest_array *array, double *out, const char *name, char *error,
                        size_t error_size);
int attest_array_to_f32(const attest_array *array, float *out, const char *name, char *error,
                        size_t error_size);
int attest_array_to_i32(const attest_array *array, int32_t *out, const char *name, char *error,
                        size_t error_size);
int attest_array_to_i64(const attest_array *array, int64_t *out, const char *name, char *error,
                        size_t error_size);
int attest_array_to_bool(const attest_array *array, uint8_t *out, const char *name, char *error,
                         size_t error_size);

/* As attest_array_to_bool, but for a mask: 1 is visible. A float array is accepted when it holds
   nothing but 0 (visible) and -inf (hidden), which as a bias mean the same as a bool mask. */
int attest_array_to_mask(const attest_array *array, uint8_t *out, const char *name, char *error,
                         size_t error_size);

/* Creates *array and fills it from values, which has as many elements as dims say. Floats are
   rounded once, to nearest even; infinities stay, NaNs become canonical. Errors: as for create;
   a finite value that overflows a float type; for integer types a value that is not an integer
   or is out of range; for bool a value other than 0 and 1. On error *array is empty. */
int attest_array_from_f64(attest_array *array, attest_dtype dtype, int ndim, const size_t *dims,
                          const double *values, const char *name, char *error,
                          size_t error_size);
int attest_array_from_f32(attest_array *array, attest_dtype dtype, int ndim, const size_t *dims,
                          const float *values, const char *name, char *error,
                          size_t error_size);

#endif
