/* The three nests on one problem: equal bits where README promises them, else the stated bound. */
#include "engines.h"
#include "target.h"

const fuzz_format fuzz_target_format = FUZZ_EITHER;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_problem p;
  static fuzz_result naive, other;
  fuzz_decode(&p, data, size, FUZZ_EITHER);
  if (!fuzz_run(&p, ATTEST_NAIVE, &naive)) return 0;
  for (attest_engine e = ATTEST_TILED; e <= ATTEST_DECODE; e++) {
    if (!fuzz_run(&p, e, &other)) fuzz_fail(&p, "only %s refuses", fuzz_engine_names[e]);
    fuzz_compare(&p, &naive, &other, fuzz_engine_names[e]);
  }
  return 0;
}
