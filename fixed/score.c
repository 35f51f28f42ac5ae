#include "score.h"

attest_q16_score attest_q16_score_parts(int64_t high, int64_t low, uint32_t mantissa,
                                        int32_t exponent) {
  attest_q16_dot dot;
  dot.high = high;
  dot.low = low;
  attest_q16_scale scale;
  scale.mantissa = mantissa;
  scale.exponent = exponent;
  return attest_q16_score_here(dot, scale);
}
