/* Powers of two below one: the kernel of exp and of the softmax. */
#ifndef ATTEST_Q16_POWER_H
#define ATTEST_Q16_POWER_H

#include "bits.h"
#include "theory.h"

/* 2^(32 - fraction / 2^32), with an error below 4 (proofs/fixed.md). */
/*@ assigns \nothing;
    ensures value: \result == attest_q16_power_at(fraction);
    ensures least: 2080374784 <= \result;
*/
uint32_t attest_q16_power(uint32_t fraction);

/*@ ghost
  /@ assigns \nothing;
     ensures 2080374784 <= attest_q16_power_at(fraction) <= 4294967295; @/
  void attest_q16_power_bound(uint32_t fraction);
*/

#endif
