/* Products of 32-bit numbers, and by which multiplication they are made. */
#ifndef ATTEST_Q16_PRODUCT_H
#define ATTEST_Q16_PRODUCT_H

#include <stdint.h>

/* ATTEST_Q16_NARROW: for machines that do not multiply 32-bit numbers to 64 bits in an instruction
   or two, and have few registers. The bits are the same with and without. */
#if !defined ATTEST_Q16_NARROW && (defined __AVR__ || defined __ARM_ARCH_6M__)
#define ATTEST_Q16_NARROW 1
#endif

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

/*@ requires a <= 255;
    assigns \nothing;
    ensures \result == a * b;
*/
static inline uint64_t attest_q16_product_8(uint32_t a, uint32_t b) {
#ifdef ATTEST_Q16_NARROW
  return (uint64_t)(b / 65536U * a) * 65536U + b % 65536U * a;
#else
  return (uint64_t)a * b;
#endif
}

#endif
