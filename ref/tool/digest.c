#include "digest.h"

#include "error.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <nettle/version.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK = 65536 };

static void finish(struct sha256_ctx *digest, char text[ATTEST_DIGEST_TEXT]) {
  static const char digits[] = "0123456789abcdef";
  unsigned char sum[SHA256_DIGEST_SIZE];

  /* Nettle 4 has no length here any more. */
#if NETTLE_VERSION_MAJOR >= 4
  sha256_digest(digest, sum);
#else
  sha256_digest(digest, sizeof sum, sum);
#endif
  for (size_t i = 0; i < sizeof sum; i++) {
    text[2 * i] = digits[sum[i] >> 4];
    text[2 * i + 1] = digits[sum[i] & 15];
  }
  text[2 * sizeof sum] = '\0';
}

void attest_digest_bytes(const void *bytes, size_t count, char text[ATTEST_DIGEST_TEXT]) {
  struct sha256_ctx digest;

  sha256_init(&digest);
  sha256_update(&digest, count, bytes);
  finish(&digest, text);
}

int attest_digest_file(const char *path, char text[ATTEST_DIGEST_TEXT], char *error,
                       size_t error_size) {
  unsigned char chunk[CHUNK];
  struct sha256_ctx digest;
  int failure = 0;
  size_t count;
  FILE *file;

  sha256_init(&digest);
  file = fopen(path, "rb");
  if (file == NULL) {
    failure = errno;
  } else {
    while ((count = fread(chunk, 1, sizeof chunk, file)) > 0)
      sha256_update(&digest, count, chunk);
    if (ferror(file))
      failure = errno != 0 ? errno : EIO;
    fclose(file);
  }
  if (failure != 0)
    return attest_error(error, error_size, "%s: %s", path, strerror(failure));
  finish(&digest, text);
  return 0;
}
