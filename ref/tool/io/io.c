#include "io.h"

#include "error.h"
#include "npz.h"

#include <stdlib.h>
#include <string.h>

int attest_io_read(const char *spec, attest_array *out, char *error, size_t error_size) {
  static const char ending[] = ".npz";
  const size_t length = strlen(spec);
  const char *inside = strstr(spec, ".npz:");
  char *path;
  size_t path_length;
  int result;

  memset(out, 0, sizeof *out);
  if (strcmp(spec, "-") == 0)
    return attest_error(error, error_size, "-: standard input is not supported, name a file");
  if (spec[0] == '\0')
    return attest_error(error, error_size, "'': names no file");
  if (inside == NULL) {
    if (length >= 4 && strcmp(spec + length - 4, ending) == 0)
      return attest_npz_read(spec, NULL, out, error, error_size);
    return attest_npy_read_file(spec, out, error, error_size);
  }
  if (inside[5] == '\0')
    return attest_error(error, error_size, "%s: a name is missing after the ':'", spec);
  path_length = (size_t)(inside - spec) + 4;
  path = malloc(path_length + 1);
  if (path == NULL)
    return attest_error(error, error_size, "%s: not enough memory for its name", spec);
  memcpy(path, spec, path_length);
  path[path_length] = '\0';
  result = attest_npz_read(path, inside + 5, out, error, error_size);
  free(path);
  return result;
}

int attest_io_write_npy(const char *path, const attest_array *array, char *error,
                        size_t error_size) {
  const attest_npy_layout usual = {0, 0};
  attest_output *output;

  if (attest_output_open(path, &output, error, error_size) != 0)
    return -1;
  if (attest_npy_write(attest_output_stream(output), array, usual, path, error, error_size) != 0) {
    attest_output_abort(output);
    return -1;
  }
  return attest_output_commit(&output, 1, error, error_size);
}
