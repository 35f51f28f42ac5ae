/* Linked before the command's own objects, with their calls of malloc, calloc and realloc turned to these
   (ld --wrap): call number ATTEST_SCARCE fails, the others do what they always do. Other libraries'
   calls are not counted. */
#include <errno.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static int fails(void) {
  static unsigned long calls;
  const char *const which = getenv("ATTEST_SCARCE");
  calls++;
  if (!which || strtoul(which, NULL, 10) != calls) return 0;
  errno = ENOMEM;
  return 1;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) {
  return fails() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *old, size_t size) { return fails() ? NULL : __real_realloc(old, size); }
