/* Products of 32-bit numbers, and by which multiplication they are made. */
#ifndef ATTEST_Q16_PRODUCT_H
#define ATTEST_Q16_PRODUCT_H

#include <stdint.h>

/* ATTEST_Q16_NARROW: for machines that do not multiply 32-bit numbers to 64 bits in an instruction
   or two, and have few registers. The bits are the same with and without. */
#if !defined ATTEST_Q16_NARROW && (defined __AVR__ || defined __ARM_ARCH_6M__)
#define ATTEST_Q16_NARROW 1
#endif

/* A product in pieces of 16 bits, the lowest first. */
typedef struct {
  uint16_t w0, w1, w2, w3;
} attest_q16_limbs;

/*@ assigns \nothing;
    ensures \result == a * b;
    ensures \result <= 65535 * 65535;
*/
static inline uint32_t attest_q16_product_16(uint16_t a, uint16_t b) {
  //@ assert product: 0 <= a * b <= 65535 * 65535;
  return (uint32_t)a * b;
}

/*@ ghost
  /@ requires a == a1 * 65536 + a0 && b == b1 * 65536 + b0;
     assigns \nothing;
     ensures a * b == a1 * b1 * 4294967296 + a1 * b0 * 65536 + a0 * b1 * 65536 + a0 * b0; @/
  static inline void attest_q16_halves(uint32_t a, uint32_t b, uint16_t a1, uint16_t a0,
                                       uint16_t b1, uint16_t b0) {
    /@ assert a: a * b == (a1 * 65536 + a0) * (b1 * 65536 + b0); @/
  }
*/

/* a1 b1 2^32 + (a1 b0 + a0 b1) 2^16 + a0 b0. A product of halves and two more halves fit 32 bits. */
/*@ assigns \nothing;
    ensures \result.w0 + 65536 * \result.w1 + 4294967296 * \result.w2 +
      281474976710656 * \result.w3 == a * b;
*/
static inline attest_q16_limbs attest_q16_limbs_of(uint32_t a, uint32_t b) {
  const uint16_t a1 = (uint16_t)(a / 65536U), a0 = (uint16_t)(a % 65536U);
  const uint16_t b1 = (uint16_t)(b / 65536U), b0 = (uint16_t)(b % 65536U);
  const uint32_t low = attest_q16_product_16(a0, b0);
  const uint32_t middle = attest_q16_product_16(a1, b0) + low / 65536U;
  const uint32_t other = attest_q16_product_16(a0, b1) + middle % 65536U;
  const uint32_t high = attest_q16_product_16(a1, b1) + middle / 65536U + other / 65536U;
  //@ ghost attest_q16_halves(a, b, a1, a0, b1, b0);
  //@ assert sum: a * b == high * 4294967296 + other % 65536 * 65536 + low % 65536;
  attest_q16_limbs limbs;
  limbs.w0 = (uint16_t)(low % 65536U);
  limbs.w1 = (uint16_t)(other % 65536U);
  limbs.w2 = (uint16_t)(high % 65536U);
  limbs.w3 = (uint16_t)(high / 65536U);
  return limbs;
}

/*@ assigns \nothing;
    ensures \result == a * b;
    ensures \result <= 4294967295 * 4294967295;
*/
static inline uint64_t attest_q16_product_at_once(uint32_t a, uint32_t b) {
  //@ assert product: 0 <= a * b <= 4294967295 * 4294967295;
  return (uint64_t)a * b;
}

/* The same by four products of 16-bit halves. */
/*@ assigns \nothing;
    ensures \result == a * b;
    ensures \result <= 4294967295 * 4294967295;
*/
uint64_t attest_q16_product_by_halves(uint32_t a, uint32_t b);

/* AVR compilers bring a function of their own for this. */
#if defined ATTEST_Q16_NARROW && !defined __AVR__
#define attest_q16_product attest_q16_product_by_halves
#else
#define attest_q16_product attest_q16_product_at_once
#endif

/* A product that fits 64 bits. */
/*@ requires a * b <= 18446744073709551615;
    assigns \nothing;
    ensures \result == a * b;
*/
static inline uint64_t attest_q16_product_64(uint64_t a, uint32_t b) {
  const uint32_t upper = (uint32_t)(a / 4294967296U), lower = (uint32_t)(a % 4294967296U);
  //@ assert parts: a * b == upper * b * 4294967296 + lower * b;
  //@ assert lower: 0 <= lower * b;
  //@ assert upper: 0 <= upper * b <= 4294967295;
  return attest_q16_product(lower, b) + (uint64_t)(upper * b) * 4294967296U;
}

/* A product with a number below 2^8. */
/*@ requires a <= 255;
    assigns \nothing;
    ensures \result == a * b;
*/
static inline uint64_t attest_q16_byte_at_once(uint32_t a, uint32_t b) {
  //@ assert product: 0 <= a * b <= 255 * 4294967295;
  return (uint64_t)a * b;
}

/*@ requires a <= 255;
    assigns \nothing;
    ensures \result == a * b;
*/
static inline uint64_t attest_q16_byte_by_halves(uint32_t a, uint32_t b) {
  //@ assert upper: 0 <= b / 65536 * a <= 65535 * 255;
  //@ assert lower: 0 <= b % 65536 * a <= 65535 * 255;
  //@ assert parts: a * b == b / 65536 * a * 65536 + b % 65536 * a;
  return (uint64_t)(b / 65536U * a) * 65536U + b % 65536U * a;
}

#ifdef ATTEST_Q16_NARROW
#define attest_q16_product_8 attest_q16_byte_by_halves
#else
#define attest_q16_product_8 attest_q16_byte_at_once
#endif

#endif
