#include "weight.h"

attest_q16_weight attest_q16_weight_apart(attest_q16_score y, uint64_t top) {
  return attest_q16_weight_here(y, top);
}
