/* What a target offers. */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

#include "problem.h"

/* Aborts, after one line that says what is wrong. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* For mutator.c, in targets that take a problem. */
extern const fuzz_format fuzz_target_format;
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* libFuzzer's own. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

#endif
