/* The .npy format, versions 1.0, 2.0 and 3.0. */
#ifndef ATTEST_NPY_H
#define ATTEST_NPY_H

#include "array.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Where the bytes of a .npy image come from. size is their exact number, known beforehand: the
   header is held against it before anything is allocated. read stores the next `size` bytes at
   `to`, or returns -1 after writing one line into error. */
typedef struct attest_npy_source {
  int (*read)(void *context, unsigned char *to, size_t size, char *error, size_t error_size);
  void *context;
  uint64_t size;
} attest_npy_source;

/* All readers take f8, f4, f2, i4, i8 and u2 of either byte order, b1, u1, and V2 as bf16, and
   turn Fortran order into C order. They return 0, or -1 after writing one line that starts with
   `name` or the path; *out is then empty. Errors: no .npy file, a header that is not exactly the
   three keys in the form NumPy writes, another type, more than 8 dimensions, data shorter or
   longer than the header says, a bool other than 0 and 1, no memory, a failed read. */

/* Reads size bytes of memory. */
int attest_npy_parse(const unsigned char *bytes, size_t size, const char *name, attest_array *out,
                     char *error, size_t error_size);

/* Reads a regular file; a pipe is refused, since its size is not known beforehand. */
int attest_npy_read_file(const char *path, attest_array *out, char *error, size_t error_size);

/* Reads all of a source. */
int attest_npy_read_source(const attest_npy_source *source, const char *name, attest_array *out,
                           char *error, size_t error_size);

/* How the elements of a written file lie: 0, 0 is little endian and C order. */
typedef struct attest_npy_layout {
  int big_endian, fortran;
} attest_npy_layout;

/* Writes version 1.0; bf16 as 'u2', because .npy has no name for it. The stream is not flushed.
   Errors: a failed write, in one line that starts with name. */
int attest_npy_write(FILE *stream, const attest_array *array, attest_npy_layout layout,
                     const char *name, char *error, size_t error_size);

#endif
