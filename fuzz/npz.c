/* Any bytes as a .npz archive, read by the name of a member and without one. The reader takes a path:
   the bytes go to a temporary file. The mutator sets the checksums of stored members right. */
#define _POSIX_C_SOURCE 200809L

#include "npz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problem.h"
#include "reader.h"
#include "target.h"

static char path[] = "/tmp/attest-fuzz-XXXXXX";

static void remove_file(void) { unlink(path); }

static void write_file(const uint8_t *data, size_t size) {
  static int file = -1;
  if (file < 0) {
    file = mkstemp(path);
    atexit(remove_file);
  }
  if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size) {
    perror(path);
    abort();
  }
}

static void read_member(const char *member) {
  attest_array array;
  char error[FUZZ_LINE];
  fuzz_start_line(error);
  if (attest_npz_read(path, member, &array, error, sizeof error) != 0)
    fuzz_refused(&array, error, path);
  else
    fuzz_read(&array);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  write_file(data, size);
  read_member(NULL);
  read_member("q");
  return 0;
}

/* --- the mutator ---------------------------------------------------------------------------- */

#ifdef FUZZ_COUNTERS
static uint32_t get(const uint8_t *at, size_t bytes) {
  uint32_t x = 0;
  for (size_t n = bytes; n-- > 0;) x = x << 8 | at[n];
  return x;
}

/* That of zip: the reflected polynomial 0xedb88320, all ones before and after. */
static uint32_t checksum(const uint8_t *data, size_t size) {
  uint32_t crc = 0xffffffff;
  for (size_t n = 0; n < size; n++) {
    crc ^= data[n];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

/* For each header of the central directory: the checksum of what its local header is followed by. */
static void mend(uint8_t *data, size_t size) {
  for (size_t at = 0; at + 46 <= size; at++) {
    size_t local, begin, length;
    if (memcmp(data + at, "PK\1\2", 4) != 0 || get(data + at + 10, 2) != 0) continue;
    local = get(data + at + 42, 4);
    length = get(data + at + 20, 4);
    if (local > size || size - local < 30) continue;
    begin = local + 30 + get(data + local + 26, 2) + get(data + local + 28, 2);
    if (begin > size || size - begin < length) continue;
    for (size_t n = 0, crc = checksum(data + begin, length); n < 4; n++, crc >>= 8)
      data[at + 16 + n] = data[local + 14 + n] = (uint8_t)(crc & 255);
  }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 4 != 0) mend(data, size);
  return size;
}
#endif
