#include "dot.h"

uint32_t attest_q16_peak(const int32_t *q, uint32_t width) {
  uint32_t peak = 0;
  /*@ loop invariant 0 <= c <= width && peak <= 2147483648;
      loop invariant attest_q16_within(q, c, peak);
      loop assigns c, peak;
      loop variant width - c; */
  for (uint32_t c = 0; c < width; c++) {
    const int64_t x = q[c];
    const uint32_t size = (uint32_t)(x < 0 ? -x : x);
    if (size > peak) peak = size;
  }
  return peak;
}
