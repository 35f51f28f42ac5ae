/* The nests in float against the certified oracle: every output, weight, row sum and log-sum-exp within
   the stated bound. */
#include "judge.h"
#include "target.h"

const fuzz_format fuzz_target_format = FUZZ_NARROW;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_problem p;
  fuzz_decode(&p, data, size, FUZZ_NARROW);
  fuzz_against_oracle(&p);
  return 0;
}
