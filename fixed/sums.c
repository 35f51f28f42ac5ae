#include "sums.h"

attest_q16_sum attest_q16_gather_pieces(const uint64_t *terms, uint32_t from, uint32_t to,
                                        const int32_t *v) /*@ ghost (uint32_t furthest) */ {
  uint32_t w0 = 0, w1 = 0, w2 = 0, w3 = 0;
  /*@ loop invariant from <= t <= to;
      loop invariant w0 <= (t - from) * 65535 && w1 <= (t - from) * 65535;
      loop invariant w2 <= (t - from) * 65535 && w3 <= (t - from) * 65535;
      loop invariant value: w0 + 65536 * w1 + 4294967296 * w2 + 281474976710656 * w3 ==
        attest_q16_gathered(terms, from, t, v);
      loop assigns t, w0, w1, w2, w3;
      loop variant to - t; */
  for (uint32_t t = from; t < to; t++) {
    const uint32_t weight = (uint32_t)(terms[t] / ATTEST_Q16_WORD);
    const uint32_t value = attest_q16_value_of(terms[t], v) /*@ ghost (furthest) */;
    const attest_q16_limbs product = attest_q16_limbs_of(weight, value);
    w0 += product.w0;
    w1 += product.w1;
    w2 += product.w2;
    w3 += product.w3;
    //@ ghost attest_q16_times_is();
    /*@ assert next: attest_q16_gathered(terms, from, t + 1, v) ==
          attest_q16_gathered(terms, from, t, v) + attest_q16_term(terms[t], v); */
  }
  attest_q16_sum sum;
  sum.low = w0 + (uint64_t)w1 * 65536U;
  sum.high = w2 + (uint64_t)w3 * 65536U;
  return sum;
}
