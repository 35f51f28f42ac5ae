/* Any bytes as a .npy file: read or refused with one line, nothing leaks, and what is read comes back the
   same, bit for bit, after it is written and read again. */
#define _POSIX_C_SOURCE 200809L

#include "npy.h"

#include "reader.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  attest_array array;
  char error[FUZZ_LINE];
  fuzz_start_line(error);
  if (attest_npy_parse(data, size, "fuzz", &array, error, sizeof error) != 0)
    fuzz_refused(&array, error, "fuzz");
  else
    fuzz_read(&array);
  return 0;
}
