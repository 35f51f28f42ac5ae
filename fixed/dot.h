/* The dot product of two rows, exact for all int32. */
#ifndef ATTEST_Q16_DOT_H
#define ATTEST_Q16_DOT_H

#include "bits.h"
#include "theory.h"

/* high * 65536 + low, in units of 2^-32. */
typedef struct {
  int64_t high, low;
} attest_q16_dot;

/*@ predicate attest_q16_within{L}(int32_t *q, integer width, integer peak) =
      \forall integer c; 0 <= c < width ==> -peak <= q[c] <= peak;

    logic integer attest_q16_dot_value(attest_q16_dot dot) = dot.high * 65536 + dot.low;

    predicate attest_q16_dot_ok(attest_q16_dot dot) =
      -72057594037927936 <= dot.high <= 72057594037927936 &&
      -9223372036854775807 <= dot.low <= 9223372036854775807;
*/

/* The largest magnitude in a row. */
/*@ requires width <= 1024 && \valid_read(q + (0 .. width - 1));
    assigns \nothing;
    ensures most: \result <= 2147483648;
    ensures within: attest_q16_within(q, width, \result);
*/
uint32_t attest_q16_peak(const int32_t *q, uint32_t width);

/*@ ghost
  /@ requires -peak <= q <= peak && -2147483648 <= k <= 2147483647 && peak <= 2147483648;
     assigns \nothing;
     ensures -(peak * 2147483648) <= q * k <= peak * 2147483648; @/
  static inline void attest_q16_product_bound(int32_t q, int32_t k, uint32_t peak) {}

  /@ requires c <= width;
     assigns \nothing;
     ensures c * peak <= peak * width; @/
  static inline void attest_q16_room(uint32_t c, uint32_t width, uint32_t peak) {}
*/

/* One accumulator. After c terms its magnitude is at most c peak 2^31 < 2^63. */
/*@ requires 1 <= width <= 1024 && peak <= 2147483648 && peak * width <= 4294967295;
    requires \valid_read(q + (0 .. width - 1)) && \valid_read(k + (0 .. width - 1));
    requires attest_q16_within(q, width, peak);
    assigns \nothing;
    ensures attest_q16_dot_ok(\result);
    ensures value: attest_q16_dot_value(\result) == attest_q16_dot_product(q, k, width);
*/
static inline attest_q16_dot attest_q16_dot_narrow(const int32_t *q, const int32_t *k,
                                                   uint32_t width)
    /*@ ghost (uint32_t peak) */ {
  attest_q16_dot dot = {0, 0};
  uint32_t c = 0;
  /*@ loop invariant 0 <= c <= width && dot.high == 0;
      loop invariant -(c * (peak * 2147483648)) <= dot.low <= c * (peak * 2147483648);
      loop invariant value: dot.low == attest_q16_dot_product(q, k, c);
      loop assigns c, dot;
      loop variant width - c; */
  for (; width - c >= 2U; c += 2U) {
    //@ ghost attest_q16_product_bound(q[c], k[c], peak);
    //@ ghost attest_q16_product_bound(q[c + 1U], k[c + 1U], peak);
    //@ ghost attest_q16_room(c + 2U, width, peak);
    dot.low += (int64_t)q[c] * k[c];
    dot.low += (int64_t)q[c + 1U] * k[c + 1U];
  }
  if (c < width) {
    //@ ghost attest_q16_product_bound(q[c], k[c], peak);
    //@ ghost attest_q16_room(c + 1U, width, peak);
    dot.low += (int64_t)q[c] * k[c];
  }
  return dot;
}

/* Two accumulators, for the upper and lower 16 bits of q. After c terms they are at most c 2^46 and
   c 2^47 in magnitude, so at most 2^56 and 2^57 after 1024. */
/*@ requires 1 <= width <= 1024;
    requires \valid_read(q + (0 .. width - 1)) && \valid_read(k + (0 .. width - 1));
    assigns \nothing;
    ensures attest_q16_dot_ok(\result);
    ensures value: attest_q16_dot_value(\result) == attest_q16_dot_product(q, k, width);
*/
static inline attest_q16_dot attest_q16_dot_wide(const int32_t *q, const int32_t *k,
                                                 uint32_t width) {
  attest_q16_dot dot = {0, 0};
  /*@ loop invariant 0 <= c <= width;
      loop invariant -(c * 70368744177664) <= dot.high <= c * 70368744177664;
      loop invariant -(c * 140737488355328) <= dot.low <= c * 140737488355328;
      loop invariant value: dot.high * 65536 + dot.low == attest_q16_dot_product(q, k, c);
      loop assigns c, dot;
      loop variant width - c; */
  for (uint32_t c = 0; c < width; c++) {
    const int32_t upper = q[c] / 65536;
    const int32_t lower = q[c] % 65536;
    //@ ghost attest_q16_product_bound(upper, k[c], 32768U);
    //@ ghost attest_q16_product_bound(lower, k[c], 65536U);
    dot.high += (int64_t)upper * k[c];
    dot.low += (int64_t)lower * k[c];
  }
  return dot;
}

/* One accumulator, for |q| < 2^20: products of the upper and lower parts of q, cut at 2^10, and of
   k, cut at 2^16, in 32 bits. The largest is below 2^26, so that 16 fit, then they are joined.
   After c terms the accumulator is at most c 2^52 in magnitude. */
/*@ requires 1 <= width <= 1024;
    requires \valid_read(q + (0 .. width - 1)) && \valid_read(k + (0 .. width - 1));
    requires attest_q16_within(q, width, 1048575);
    assigns \nothing;
    ensures -9223372036854775807 <= \result <= 9223372036854775807;
    ensures value: \result == attest_q16_dot_product(q, k, width);
*/
int64_t attest_q16_dot_pieces(const int32_t *q, const int32_t *k, uint32_t width);

/* <q, k>; `peak` is attest_q16_peak of q, which decides how many accumulators are needed. */
/*@ requires 1 <= width <= 1024 && peak <= 2147483648;
    requires \valid_read(q + (0 .. width - 1)) && \valid_read(k + (0 .. width - 1));
    requires attest_q16_within(q, width, peak);
    assigns \nothing;
    ensures attest_q16_dot_ok(\result);
    ensures value: attest_q16_dot_value(\result) == attest_q16_dot_product(q, k, width);
*/
static inline attest_q16_dot attest_q16_dot_of(const int32_t *q, const int32_t *k, uint32_t width,
                                 uint32_t peak) {
#ifdef ATTEST_Q16_NARROW
  if (peak < 1048576U) {
    attest_q16_dot dot = {0, 0};
    dot.low = attest_q16_dot_pieces(q, k, width);
    return dot;
  }
#endif
  if ((uint64_t)peak * width <= 4294967295U)
    return attest_q16_dot_narrow(q, k, width) /*@ ghost (peak) */;
  return attest_q16_dot_wide(q, k, width);
}

#endif
