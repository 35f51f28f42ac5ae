/* Arrays in and out of the tool. */
#ifndef ATTEST_IO_H
#define ATTEST_IO_H

#include "array.h"
#include "npy.h"
#include "output.h"

#include <stddef.h>

/* Reads FILE.npy, FILE.npz:NAME, or FILE.npz when it holds exactly one array. Only the name
   decides: ".npz:" in it, or ".npz" at its end, means an archive.
   Returns 0, or -1 after writing one line into error; *out is then empty. */
int attest_io_read(const char *spec, attest_array *out, char *error, size_t error_size);

/* Writes one .npy file, little endian and in C order, whole or not at all; bf16 as uint16.
   Returns 0, or -1 after writing one line into error. */
int attest_io_write_npy(const char *path, const attest_array *array, char *error,
                        size_t error_size);

#endif
