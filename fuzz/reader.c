#define _POSIX_C_SOURCE 200809L

#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"
#include "problem.h"

void fuzz_start_line(char line[FUZZ_LINE]) { memset(line, 'x', FUZZ_LINE); }

void fuzz_refused(const attest_array *array, const char line[FUZZ_LINE], const char *name) {
  const size_t length = strnlen(line, FUZZ_LINE);
  if (array && (array->data || array->count)) fuzz_fail(NULL, "refused, and an array is left");
  if (length == FUZZ_LINE) fuzz_fail(NULL, "the line of a refusal does not end");
  if (strncmp(line, name, strlen(name)) != 0)
    fuzz_fail(NULL, "the line of a refusal does not start with the name: %s", line);
  for (size_t n = 0; n < length; n++)
    if ((unsigned char)line[n] < 32 || line[n] == 127)
      fuzz_fail(NULL, "byte %u in the line of a refusal", (unsigned)(unsigned char)line[n]);
}

static void check(const attest_array *array) {
  size_t count;
  if (!array->data || array->ndim < 0 || array->ndim > ATTEST_ARRAY_MAX_DIMS ||
      attest_array_count(array->ndim, array->dims, &count) != 0 || count != array->count)
    fuzz_fail(NULL, "an array of %zu elements does not fit its dimensions", array->count);
  for (size_t n = 0; n < array->count; n++) { /* every element is there */
    double value;
    attest_array_get(array, n, &value);
  }
}

void fuzz_read(attest_array *array) {
  const size_t bytes = array->count * attest_dtype_size(array->dtype);
  const attest_npy_layout layout = {array->count % 3 == 1, array->count % 2 == 0};
  char error[FUZZ_LINE], *image = NULL;
  size_t size = 0;
  attest_array again;
  FILE *stream = open_memstream(&image, &size);
  check(array);
  if (!stream || attest_npy_write(stream, array, layout, "again", error, sizeof error) != 0 ||
      fclose(stream) != 0)
    abort();
  if (attest_npy_parse((unsigned char *)image, size, "again", &again, error, sizeof error) != 0)
    fuzz_fail(NULL, "what was read cannot be read again: %s", error);
  /* bf16 has no name in .npy and comes back as u16 */
  if ((again.dtype != array->dtype &&
       !(array->dtype == ATTEST_DT_BF16 && again.dtype == ATTEST_DT_U16)) ||
      again.ndim != array->ndim ||
      memcmp(again.dims, array->dims, (size_t)array->ndim * sizeof *array->dims) != 0 ||
      memcmp(again.data, array->data, bytes) != 0)
    fuzz_fail(NULL, "what was read is not the same after it is written and read again");
  attest_array_free(&again);
  attest_array_free(array);
  free(image);
}
