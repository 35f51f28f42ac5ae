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
