/* SHA-256 sums as text. */
#ifndef ATTEST_DIGEST_H
#define ATTEST_DIGEST_H

#include <stddef.h>

enum { ATTEST_DIGEST_TEXT = 65 }; /* 64 lower-case hexadecimal digits and the end */

void attest_digest_bytes(const void *bytes, size_t count, char text[ATTEST_DIGEST_TEXT]);

/* The sum of a whole file. 0, or -1 after writing one line that starts with path into error. */
int attest_digest_file(const char *path, char text[ATTEST_DIGEST_TEXT], char *error,
                       size_t error_size);

#endif
