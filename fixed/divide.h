/* Division of a sum by the total of a row's weights, to nearest. */
#ifndef ATTEST_Q16_DIVIDE_H
#define ATTEST_Q16_DIVIDE_H

#include "bits.h"

/* high * 2^32 + low. */
typedef struct {
  uint64_t high, low;
} attest_q16_sum;

/* A divisor made ready once for many divisions: scaled = total * factor, and * 2^32 where small, is
   in [2^55, 2^56); inverse is that of its upper 16 bits, rounded down. */
typedef struct {
  uint64_t total, scaled;
  uint32_t factor, inverse;
  uint32_t small;
} attest_q16_divisor;

/*@ logic integer attest_q16_value(attest_q16_sum sum) = sum.high * 4294967296 + sum.low;

    // what a dividend is multiplied by
    logic integer attest_q16_factor(attest_q16_divisor d) =
      d.small != 0 ? d.factor * 4294967296 : d.factor;

    predicate attest_q16_divisor_ok(attest_q16_divisor d) =
      1 <= d.total <= 36028797018963968 && 1 <= d.factor <= 4294967295 &&
      (d.small != 0 ==> d.total <= 16777215) &&
      36028797018963968 <= d.scaled <= 72057594037927935 &&
      d.scaled == d.total * attest_q16_factor(d) &&
      d.inverse == 2147483648 / (d.scaled / 1099511627776 + 1);
*/

/*@ // value / divisor to nearest, ties to even
    predicate attest_q16_nearest(integer value, integer divisor, integer quotient) =
      2 * value - divisor <= 2 * quotient * divisor <= 2 * value + divisor &&
      (2 * value == 2 * quotient * divisor + divisor ||
       2 * value == 2 * quotient * divisor - divisor ==> quotient % 2 == 0);

    // the quotient for which that holds
    logic integer attest_q16_even_quotient(integer value, integer divisor) =
      (2 * value + divisor) % (2 * divisor) == 0 &&
      (2 * value + divisor) / (2 * divisor) % 2 != 0 ?
        (2 * value + divisor) / (2 * divisor) - 1 : (2 * value + divisor) / (2 * divisor);

    logic integer attest_q16_output_of(integer weighted, integer total) =
      total == 0 ? 0 : attest_q16_even_quotient(weighted, total) - 2147483648;
*/

/*@ ghost
  /@ requires 1 <= d;
     assigns \nothing;
     ensures w * d <= x * 4294967296 + y < (w + 1) * d ==> (x * 4294967296 + y) / d == w;
     ensures x * 4294967296 + y == w * d ==> (x * 4294967296 + y) % d == 0;
     ensures w * d < x * 4294967296 + y < (w + 1) * d ==> (x * 4294967296 + y) % d != 0; @/
  static inline void attest_q16_floor_is(uint64_t x, uint64_t y, uint64_t d, uint64_t w) {
    /@ assert division: \let p = (x * 4294967296 + y) / d;
         p * d <= x * 4294967296 + y < (p + 1) * d; @/
    /@ assert one: \let p = (x * 4294967296 + y) / d; p + 1 <= w ==> (p + 1) * d <= w * d; @/
    /@ assert other: \let p = (x * 4294967296 + y) / d; w + 1 <= p ==> (w + 1) * d <= p * d; @/
    /@ assert rest: \let p = (x * 4294967296 + y) / d;
         (x * 4294967296 + y) % d == x * 4294967296 + y - p * d; @/
  }

  // a rounded quotient is determined
  /@ requires 1 <= divisor <= 36028797018963968;
     requires sum.low <= 4294967295 && sum.high <= 4611686018427387904;
     assigns \nothing;
     ensures attest_q16_nearest(attest_q16_value(sum), divisor, quotient) ==> quotient == attest_q16_even_quotient(attest_q16_value(sum), divisor); @/
  static inline void attest_q16_one_quotient(attest_q16_sum sum, uint64_t divisor,
                                             uint32_t quotient) {
    const uint64_t x = 2U * sum.high, y = 2U * sum.low + divisor, d = 2U * divisor;
    attest_q16_floor_is(x, y, d, quotient);
    attest_q16_floor_is(x, y, d, (uint64_t)quotient + 1U);
    /@ assert words: x * 4294967296 + y == 2 * attest_q16_value(sum) + divisor; @/
    /@ assert least: attest_q16_nearest(attest_q16_value(sum), divisor, quotient) ==>
         quotient * d <= x * 4294967296 + y <= (quotient + 1) * d; @/
    /@ assert lower: attest_q16_nearest(attest_q16_value(sum), divisor, quotient) ==>
         x * 4294967296 + y == quotient * d ==> quotient % 2 == 0; @/
    /@ assert upper: attest_q16_nearest(attest_q16_value(sum), divisor, quotient) ==>
         x * 4294967296 + y == (quotient + 1) * d ==> quotient % 2 == 0; @/
    /@ assert some: quotient * d < (quotient + 1) * d < (quotient + 2) * d; @/
    /@ assert result: attest_q16_nearest(attest_q16_value(sum), divisor, quotient) ==>
         quotient == attest_q16_even_quotient(attest_q16_value(sum), divisor); @/
  }

  // a quotient is between what its dividend is between
  /@ requires attest_q16_nearest(attest_q16_value(sum), divisor, quotient);
     requires 1 <= divisor <= 36028797018963968;
     requires divisor * lo <= attest_q16_value(sum) <= divisor * hi;
     assigns \nothing;
     ensures lo <= quotient <= hi; @/
  static inline void attest_q16_quotient_within(attest_q16_sum sum, uint64_t divisor,
                                                uint32_t quotient, uint32_t lo, uint32_t hi) {
    /@ assert low: quotient + 1 <= lo ==> (quotient + 1) * divisor <= lo * divisor; @/
    /@ assert high: hi + 1 <= quotient ==> (hi + 1) * divisor <= quotient * divisor; @/
  }
*/

/*@ requires 1 <= total <= 36028797018963968;
    assigns \nothing;
    ensures attest_q16_divisor_ok(\result) && \result.total == total;
*/
attest_q16_divisor attest_q16_divisor_of(uint64_t total);

/* round((high * 2^32 + low) / total) to nearest, ties to even; at most 2^32 - 1. */
/*@ requires \valid_read(d) && attest_q16_divisor_ok(*d) && sum.low <= 4294967295;
    assigns \nothing;
    ensures nearest: attest_q16_value(sum) <= 4294967295 * d->total ==>
      attest_q16_nearest(attest_q16_value(sum), d->total, \result);
*/
uint32_t attest_q16_divide(attest_q16_sum sum, const attest_q16_divisor *d);

#endif
