#include "attest_q16.h"
#include "power.h"

/* log2(e) - 1, times 2^32. */
#define LOG2_E_LOW 1901360723U

int32_t attest_q16_exp(int32_t x) {
  if (x >= 0) return 65536;
  if (x < -772243) return 0;
  const uint32_t u = (uint32_t)-x;
  /* u log2(e) = steps + fraction / 2^32 with 48 bits after the point of u / 2^16: the whole part of
     the product is `whole`, below it 32 bits in `below`. u < 2^20, so whole < 2^21. */
  const uint64_t below = attest_q16_product(u, LOG2_E_LOW);
  //@ assert product: below <= 772243 * 1901360723;
  const uint32_t whole = u + (uint32_t)(below / ATTEST_Q16_WORD);
  const uint32_t steps = whole / 65536U;
  //@ assert steps: steps <= 16;
  const uint32_t fraction = whole % 65536U * 65536U + (uint32_t)(below / 65536U % 65536U);
  /* exp(x / 65536) = 2^-steps power / 2^32. One less makes every input round right, as
     tests/exhaustive/exp_q16.c shows; proofs/fixed.md says how near that is. */
  const uint32_t power = attest_q16_power(fraction) - 1U;
  return (int32_t)((attest_q16_down(power, 15U + steps) + 1U) / 2U);
}
