/* Static arrays that are used in part: what lies behind the part is out of bounds for AddressSanitizer,
   and what nobody has written yet is uninitialised for MemorySanitizer. Nothing without them. */
#ifndef FUZZ_FENCE_H
#define FUZZ_FENCE_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUZZ_ADDRESS 1
#endif
#if __has_feature(memory_sanitizer)
#define FUZZ_MEMORY 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define FUZZ_ADDRESS 1
#endif

#ifdef FUZZ_ADDRESS
#include <sanitizer/asan_interface.h>
#endif
#ifdef FUZZ_MEMORY
#include <sanitizer/msan_interface.h>
#endif

/* Takes all fences in `size` bytes down. */
static inline void fuzz_open(const void *from, size_t size) {
#ifdef FUZZ_ADDRESS
  __asan_unpoison_memory_region(from, size);
#else
  (void)from;
  (void)size;
#endif
}

/* Bytes from used up to size. */
static inline void fuzz_close(const void *from, size_t used, size_t size) {
#ifdef FUZZ_ADDRESS
  __asan_poison_memory_region((const char *)from + used, size - used);
#else
  (void)from;
  (void)used;
  (void)size;
#endif
}

/* What `size` bytes hold may not be read before it is written. */
static inline void fuzz_forget(void *from, size_t size) {
#ifdef FUZZ_MEMORY
  __msan_allocated_memory(from, size);
#else
  (void)from;
  (void)size;
#endif
}

#define FUZZ_FENCE(array, count) fuzz_close(array, (count) * sizeof *(array), sizeof(array))

#endif
