/* Words and shifts. Halves and powers of two are written as divisions, which the provers know and
   compilers turn into shifts; a shift by a variable amount is taken apart for the same reason, and
   is no slower on machines that shift a bit at a time. */
#ifndef ATTEST_Q16_BITS_H
#define ATTEST_Q16_BITS_H

#include "product.h"
#include "theory.h"

#define ATTEST_Q16_WORD 4294967296U /* 2^32 */

/*@ logic integer attest_q16_digit(integer x, integer count, integer bit, integer two) =
      count / bit % 2 != 0 ? x / two : x; */

/*@ ghost
  // one digit of the count
  /@ requires count <= 63;
     requires bit == 1 || bit == 2 || bit == 4 || bit == 8 || bit == 16 || bit == 32;
     assigns \nothing;
     ensures attest_q16_digit(x / attest_q16_two(count - count % (2 * bit)), count, bit,
                              attest_q16_two(bit)) == x / attest_q16_two(count - count % bit); @/
  static inline void attest_q16_down_digit(uint64_t x, uint32_t count, uint32_t bit) {
    const uint32_t above = count - count % (2U * bit);
    /@ assert odd: count / bit % 2 != 0 ==> count - count % bit == above + bit; @/
    /@ assert even: count / bit % 2 == 0 ==> count - count % bit == above; @/
    if (count / bit % 2U != 0U) attest_q16_down_twice(x, above, bit);
  }

  // all of them
  /@ requires count <= 63;
     assigns \nothing;
     ensures attest_q16_digit(attest_q16_digit(attest_q16_digit(attest_q16_digit(attest_q16_digit(
       attest_q16_digit(x, count, 32, 4294967296), count, 16, 65536), count, 8, 256),
       count, 4, 16), count, 2, 4), count, 1, 2) == x / attest_q16_two(count); @/
  static inline void attest_q16_down_digits(uint64_t x, uint32_t count) {
    attest_q16_twos();
    attest_q16_down_digit(x, count, 32U);
    attest_q16_down_digit(x, count, 16U);
    attest_q16_down_digit(x, count, 8U);
    attest_q16_down_digit(x, count, 4U);
    attest_q16_down_digit(x, count, 2U);
    attest_q16_down_digit(x, count, 1U);
  }
*/

/* floor(x / 2^count). */
/*@ requires count <= 31;
    assigns \nothing;
    ensures value: \result == x / attest_q16_two(count);
    ensures less: \result <= x;
    ensures none: count == 0 ==> \result == x;
    ensures half: count >= 1 ==> \result <= x / 2;
    ensures some: count >= 8 ==> \result <= x / 256;
    ensures most: count >= 15 ==> \result <= x / 32768;
*/
static inline uint32_t attest_q16_down(uint32_t x, uint32_t count) {
  //@ ghost attest_q16_down_digits(x, count);
  if (count >= 16U) x /= 65536U;
  if (count / 8U % 2U != 0U) x /= 256U;
  if (count / 4U % 2U != 0U) x /= 16U;
  if (count / 2U % 2U != 0U) x /= 4U;
  if (count % 2U != 0U) x /= 2U;
  return x;
}

/* The same for 64 bits. */
/*@ requires count <= 63;
    assigns \nothing;
    ensures value: \result == x / attest_q16_two(count);
    ensures less: \result <= x;
    ensures none: count == 0 ==> \result == x;
    ensures half: count >= 1 ==> \result <= x / 2;
*/
static inline uint64_t attest_q16_down64(uint64_t x, uint32_t count) {
  //@ ghost attest_q16_down_digits(x, count);
  if (count >= 32U) x /= ATTEST_Q16_WORD;
  if (count / 16U % 2U != 0U) x /= 65536U;
  if (count / 8U % 2U != 0U) x /= 256U;
  if (count / 4U % 2U != 0U) x /= 16U;
  if (count / 2U % 2U != 0U) x /= 4U;
  if (count % 2U != 0U) x /= 2U;
  return x;
}

/* The upper half of a product of 32-bit numbers. */
/*@ assigns \nothing;
    ensures value: \result == a * b / 4294967296;
    ensures below_a: \result <= a;
    ensures share: b <= 134217727 ==> 32 * \result <= a;
*/
static inline uint32_t attest_q16_high(uint32_t a, uint32_t b) {
  //@ assert least: 0 <= a * b;
  //@ assert most: a * b <= a * 4294967295;
  //@ assert small: b <= 134217727 ==> a * b <= a * 134217727;
  return (uint32_t)(attest_q16_product(a, b) / ATTEST_Q16_WORD);
}

/* floor(x / 65536) and floor(x / 1024), in a form that compilers turn into one shift. */
/*@ assigns \nothing;
    ensures \result * 65536 <= x < \result * 65536 + 65536;
*/
static inline int32_t attest_q16_floor_16(int32_t x) {
  return x >= 0 ? x / 65536 : -1 - (-1 - x) / 65536;
}

/*@ assigns \nothing;
    ensures \result * 1024 <= x < \result * 1024 + 1024;
*/
static inline int32_t attest_q16_floor_10(int32_t x) {
  return x >= 0 ? x / 1024 : -1 - (-1 - x) / 1024;
}

/* x + 2^31: values in the same order, without a sign. */
/*@ assigns \nothing;
    ensures \result == x + 2147483648;
*/
static inline uint32_t attest_q16_unsigned(int32_t x) {
  return (uint32_t)((int64_t)x + 2147483648);
}

/* And back. */
/*@ assigns \nothing;
    ensures \result == x - 2147483648;
*/
static inline int32_t attest_q16_signed(uint32_t x) {
  return (int32_t)((int64_t)x - 2147483648);
}

#endif
