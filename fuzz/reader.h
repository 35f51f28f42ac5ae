/* What the targets of the readers have in common. */
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include "array.h"

/* Shorter than some messages, so that their ends are cut. */
enum { FUZZ_LINE = 160 };
void fuzz_start_line(char line[FUZZ_LINE]);

/* Fails unless a refusal left an empty array and one line that starts with `name`. */
void fuzz_refused(const attest_array *array, const char line[FUZZ_LINE], const char *name);

/* Fails unless the array is sound, and the same after it is written as .npy and read again. Frees it. */
void fuzz_read(attest_array *array);

#endif
