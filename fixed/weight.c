#include "weight.h"

#include "power.h"

uint32_t attest_q16_mantissa(uint32_t fraction) {
  if (fraction == 0) return 8388608U;
  return (attest_q16_power(4294967295U - fraction + 1U) / 128U + 1U) / 2U;
}

attest_q16_weight attest_q16_weight_of(attest_q16_score y, uint64_t top) {
  const uint64_t fall = top > y.whole ? top - y.whole : 0;
  attest_q16_weight weight = {0, 0};
  if (fall > 39U) return weight;
  const uint32_t full = attest_q16_mantissa(y.fraction) * 128U;
  if (fall < 8U) {
    weight.near = 1U;
    weight.value = attest_q16_down(full, (uint32_t)fall);
  } else {
    weight.value = attest_q16_down(full, (uint32_t)fall - 8U);
  }
  return weight;
}
