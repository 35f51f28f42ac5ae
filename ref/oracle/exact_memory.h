/* Memory beside numbers, from where GMP and MPFR have theirs: where there is none, it ends the
   program as they do, which a work of theirs half done could not be rescued from anyway. */
#ifndef ATTEST_ORACLE_EXACT_MEMORY_H
#define ATTEST_ORACLE_EXACT_MEMORY_H

#include <stddef.h>

/* count elements of `size` bytes, which a caller has had in memory before: no overflow. Never
   NULL. Given back with the same count and size. */
void *attest_exact_take(size_t count, size_t size);
void attest_exact_give(void *memory, size_t count, size_t size);

#endif
