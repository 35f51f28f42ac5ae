#include "weight.h"

attest_q16_weight attest_q16_weight_parts(uint64_t whole, uint32_t fraction, uint64_t top) {
  attest_q16_score y;
  y.whole = whole;
  y.fraction = fraction;
  return attest_q16_weight_here(y, top);
}
