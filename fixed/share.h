/* Weights that sum to one. */
#ifndef ATTEST_Q16_SHARE_H
#define ATTEST_Q16_SHARE_H

#include <stdint.h>

/*@ // what attest_q16_share computes
    logic integer attest_q16_share_at(integer part, integer total) =
      total / 512 == 0 ? 0 :
      part >= total ? 65536 :
      (part / 512 * 65536 + total / 512 / 2) / (total / 512);
*/

/*@ ghost
  /@ requires 1 <= w && 0 <= x <= y;
     assigns \nothing;
     ensures x / w <= y / w; @/
  static inline void attest_q16_quotients_grow(uint64_t x, uint64_t y, uint64_t w) {
    uint64_t a = x / w;
    uint64_t b = y / w;
    /@ assert lower: a * w <= x; @/
    /@ assert upper: y < (b + 1) * w; @/
    /@ assert product: a * w < (b + 1) * w; @/
    /@ assert order: a < b + 1; @/
  }

  /@ requires 0 <= a <= b && total <= 36028797018963968;
     assigns \nothing;
     ensures attest_q16_share_at(a, total) <= attest_q16_share_at(b, total);
     ensures 0 <= attest_q16_share_at(a, total);
     ensures attest_q16_share_at(b, total) <= 65536; @/
  static inline void attest_q16_shares_grow(uint64_t a, uint64_t b, uint64_t total) {
    uint64_t w = total / 512U;
    if (w == 0U || a >= total) return;
    uint64_t x = a / 512U * 65536U + w / 2U;
    /@ assert x < 65537 * w; @/
    /@ assert x / w < 65537; @/
    if (b >= total) return;
    uint64_t y = b / 512U * 65536U + w / 2U;
    /@ assert y < 65537 * w; @/
    /@ assert y / w < 65537; @/
    attest_q16_quotients_grow(x, y, w);
  }
*/

/* round(part * 65536 / total), to nearest, halves up: the share of the keys so far. Weights are
   differences of consecutive shares, so their sum telescopes to the last share, which is one. The
   last 9 of at least 39 bits are dropped, which leaves part below 2^47 and moves a share by less than
   2^-12. A part above the total counts as the total. */
/*@ requires total <= 36028797018963968;
    assigns \nothing;
    ensures range: 0 <= \result <= 65536;
    ensures none: part == 0 ==> \result == 0;
    ensures all: part >= total && total >= 512 ==> \result == 65536;
    ensures empty: total < 512 ==> \result == 0;
    ensures value: \result == attest_q16_share_at(part, total);
*/
static inline uint32_t attest_q16_share(uint64_t part, uint64_t total) {
  const uint64_t whole = total / 512U;
  if (whole == 0) return 0;
  if (part >= total) return 65536U;
  const uint64_t above = part / 512U * 65536U + whole / 2U;
  //@ assert most: above < 65537 * whole;
  const uint64_t share = above / whole;
  //@ assert at_most: share < 65537;
  return (uint32_t)share;
}

#endif
