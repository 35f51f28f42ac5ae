/* The input arrays of a case. */
#ifndef ATTEST_VECTORS_INPUT_H
#define ATTEST_VECTORS_INPUT_H

#include "cli.h"
#include "vectors_cases.h"

typedef enum attest_case_array {
  ATTEST_CASE_Q,
  ATTEST_CASE_K,
  ATTEST_CASE_V,
  ATTEST_CASE_PAST_K,
  ATTEST_CASE_PAST_V,
  ATTEST_CASE_KV_LEN,
  ATTEST_CASE_MASK,
  ATTEST_CASE_BIAS,
  ATTEST_CASE_ARRAYS
} attest_case_array;

/* The name of an array's file without .npy. */
const char *attest_case_array_name(attest_case_array which);

/* Draws the arrays; one that the case does not have keeps NULL data. Returns 0, or -1 with *fault
   set; the arrays are to be freed in any case. */
int attest_case_draw(const attest_case *c, const attest_case_size *size, uint64_t seed,
                     attest_array arrays[ATTEST_CASE_ARRAYS], attest_fault *fault);

#endif
