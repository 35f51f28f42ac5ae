#include "product.h"

uint64_t attest_q16_product_by_halves(uint32_t a, uint32_t b) {
  const uint16_t a1 = (uint16_t)(a / 65536U), a0 = (uint16_t)(a % 65536U);
  const uint16_t b1 = (uint16_t)(b / 65536U), b0 = (uint16_t)(b % 65536U);
  const uint32_t low = attest_q16_product_16(a0, b0);
  const uint32_t middle = attest_q16_product_16(a1, b0) + low / 65536U;
  const uint32_t other = attest_q16_product_16(a0, b1) + middle % 65536U;
  const uint32_t high = attest_q16_product_16(a1, b1) + middle / 65536U + other / 65536U;
  //@ ghost attest_q16_halves(a, b, a1, a0, b1, b0);
  return (uint64_t)high * 4294967296U + (other % 65536U * 65536U + low % 65536U);
}
