/* The weight of a key: 2^(y - top) with `top` the largest whole part of the row, so that the
   largest weight is in [1, 2). Any `top` gives the same quotients; this one keeps weights within 32
   bits. */
#ifndef ATTEST_Q16_WEIGHT_H
#define ATTEST_Q16_WEIGHT_H

#include "bits.h"
#include "power.h"
#include "score.h"

/* Near weights are in units of 2^-30, far ones, those of keys with y more than 7 wholes below the
   top, in units of 2^-38. The 24 bits of a mantissa lose none in either, down to 15 below the top.
   */
typedef struct {
  uint32_t value;
  uint32_t near;
} attest_q16_weight;

/*@ predicate attest_q16_weight_ok(attest_q16_weight w) =
      w.value <= 2147483648;

    // in units of 2^-38
    logic integer attest_q16_mass(attest_q16_weight w) = w.near != 0 ? w.value * 256 : w.value;

    predicate attest_q16_packed(integer word) =
      0 <= word < 8589934592 && word % 4294967296 <= 2147483648;
    logic integer attest_q16_packed_mass(integer word) =
      word / 4294967296 != 0 ? word % 4294967296 * 256 : word % 4294967296;
*/

/*@ ghost
  /@ assigns \nothing;
     ensures 4194304 <= attest_q16_mantissa_at(fraction) <= 16777216; @/
  static inline void attest_q16_mantissa_bound(uint32_t fraction) {
    if (fraction != 0U) attest_q16_power_bound(4294967295U - fraction + 1U);
  }

  // the same of all at once
  /@ assigns \nothing;
     ensures \forall integer f; 0 <= f <= 4294967295 ==>
       4194304 <= attest_q16_mantissa_at(f) <= 16777216; @/
  static inline void attest_q16_mantissas_bound(void) {
    /@ loop invariant 0 <= g <= 4294967296;
       loop invariant \forall integer f; 0 <= f < g ==>
         4194304 <= attest_q16_mantissa_at(f) <= 16777216;
       loop assigns g;
       loop variant 4294967296 - g; @/
    for (uint64_t g = 0; g < 4294967296U; g++) attest_q16_mantissa_bound((uint32_t)g);
  }

  /@ assigns \nothing;
     ensures \forall integer x, k; 0 <= x && 0 <= k <= 39 ==> 0 <= x / attest_q16_two(k) <= x; @/
  static inline void attest_q16_downs_bound(void) {
    /@ loop invariant 0 <= i <= 40;
       loop invariant \forall integer x, k; 0 <= x && 0 <= k < i ==>
         0 <= x / attest_q16_two(k) <= x;
       loop assigns i;
       loop variant 40 - i; @/
    for (uint32_t i = 0; i < 40U; i++) {
      const uint64_t two = attest_q16_two_of(i);
      /@ assert down: \forall integer x; 0 <= x ==> 0 <= x / two <= x; @/
    }
  }

  // a weight is at most 2, and at least 1/2 at the top
  /@ assigns \nothing;
     ensures \forall integer whole, fraction, top; 0 <= fraction <= 4294967295 ==>
       0 <= attest_q16_mass_at(whole, fraction, top) <= 549755813888;
     ensures \forall integer whole, fraction, top; 0 <= fraction <= 4294967295 && top <= whole ==>
       137438953472 <= attest_q16_mass_at(whole, fraction, top); @/
  static inline void attest_q16_masses_bound(void) {
    attest_q16_downs_bound();
    attest_q16_mantissas_bound();
  }

  /@ assigns \nothing;
     ensures range: 0 <= attest_q16_mass_at(whole, fraction, top) <= 549755813888;
     ensures top: top <= whole ==> 137438953472 <= attest_q16_mass_at(whole, fraction, top); @/
  static inline void attest_q16_mass_bound(uint64_t whole, uint32_t fraction, uint64_t top) {
    attest_q16_masses_bound();
  }
*/

/* 2^(fraction / 2^32) in Q1.23, nearest but for the error of attest_q16_power. */
/*@ assigns \nothing;
    ensures value: \result == attest_q16_mantissa_at(fraction);
    ensures 4194304 <= \result <= 16777216;
*/
static inline uint32_t attest_q16_mantissa(uint32_t fraction) {
  if (fraction == 0) return 8388608U;
  return (attest_q16_power(4294967295U - fraction + 1U) / 128U + 1U) / 2U;
}

/* A y beyond the top counts as the top. */
/*@ requires attest_q16_score_ok(y);
    assigns \nothing;
    ensures attest_q16_weight_ok(\result);
    ensures value: attest_q16_mass(\result) == attest_q16_mass_at(y.whole, y.fraction, top);
    ensures near: \result.near == attest_q16_near_at(y.whole, top);
    ensures some: y.whole == top ==> \result.near != 0 && \result.value >= 536870912;
*/
static inline attest_q16_weight attest_q16_weight_here(attest_q16_score y, uint64_t top) {
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

/* The same by a function of its own, which takes parts of structures: those pass by registers. */
/*@ requires 1 <= whole <= 9223372036854775807;
    assigns \nothing;
    ensures attest_q16_weight_ok(\result);
    ensures value: attest_q16_mass(\result) == attest_q16_mass_at(whole, fraction, top);
    ensures near: \result.near == attest_q16_near_at(whole, top);
    ensures some: whole == top ==> \result.near != 0 && \result.value >= 536870912;
*/
attest_q16_weight attest_q16_weight_parts(uint64_t whole, uint32_t fraction, uint64_t top);

#if defined ATTEST_Q16_NARROW && !defined __AVR__
/*@ requires attest_q16_score_ok(y);
    assigns \nothing;
    ensures attest_q16_weight_ok(\result);
    ensures value: attest_q16_mass(\result) == attest_q16_mass_at(y.whole, y.fraction, top);
    ensures near: \result.near == attest_q16_near_at(y.whole, top);
    ensures some: y.whole == top ==> \result.near != 0 && \result.value >= 536870912;
*/
static inline attest_q16_weight attest_q16_weight_apart(attest_q16_score y, uint64_t top) {
  return attest_q16_weight_parts(y.whole, y.fraction, top);
}

#define attest_q16_weight_of attest_q16_weight_apart
#else
#define attest_q16_weight_of attest_q16_weight_here
#endif

/* In units of 2^-38. */
/*@ requires attest_q16_weight_ok(w);
    assigns \nothing;
    ensures \result == attest_q16_mass(w);
    ensures \result <= 549755813888;
*/
static inline uint64_t attest_q16_mass_of(attest_q16_weight w) {
  return w.near != 0 ? (uint64_t)w.value * 256U : w.value;
}

/* A weight in one word. */
/*@ requires attest_q16_weight_ok(w);
    assigns \nothing;
    ensures attest_q16_packed(\result);
    ensures attest_q16_packed_mass(\result) == attest_q16_mass(w);
*/
static inline uint64_t attest_q16_pack(attest_q16_weight w) {
  return w.near != 0 ? ATTEST_Q16_WORD + w.value : w.value;
}

/*@ requires attest_q16_packed(word);
    assigns \nothing;
    ensures attest_q16_weight_ok(\result);
    ensures attest_q16_mass(\result) == attest_q16_packed_mass(word);
*/
static inline attest_q16_weight attest_q16_unpack(uint64_t word) {
  attest_q16_weight weight;
  weight.near = (uint32_t)(word / ATTEST_Q16_WORD);
  weight.value = (uint32_t)(word % ATTEST_Q16_WORD);
  return weight;
}

#endif
