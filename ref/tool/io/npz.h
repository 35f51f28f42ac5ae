/* Members of .npz archives: zip files of .npy files, stored or deflated. */
#ifndef ATTEST_NPZ_H
#define ATTEST_NPZ_H

#include "array.h"

#include <stddef.h>

/* Reads the member called `member`, or else member.npy; with member NULL the only one there is.
   Returns 0, or -1 after writing one line into error; *out is then empty. Errors: those of a
   .npy file; no readable archive; no such member (the line lists those there are) or two of that
   name; encryption; any other compression; a checksum that is wrong. A member whose stated size
   its compressed bytes cannot reach is refused before anything is allocated. */
int attest_npz_read(const char *path, const char *member, attest_array *out, char *error,
                    size_t error_size);

#endif
