/* The dot product of two rows, exact for all int32. */
#ifndef ATTEST_Q16_DOT_H
#define ATTEST_Q16_DOT_H

#include <stdint.h>

/* high * 65536 + low, in units of 2^-32. */
typedef struct {
  int64_t high, low;
} attest_q16_dot;

/*@ predicate attest_q16_within{L}(int32_t *q, integer width, integer peak) =
      \forall integer c; 0 <= c < width ==> -peak <= q[c] <= peak;

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
*/

/* <q, k>; `peak` is attest_q16_peak of q, which decides how many accumulators are needed. */
/*@ requires 1 <= width <= 1024 && peak <= 2147483648;
    requires \valid_read(q + (0 .. width - 1)) && \valid_read(k + (0 .. width - 1));
    requires attest_q16_within(q, width, peak);
    assigns \nothing;
    ensures attest_q16_dot_ok(\result);
*/
attest_q16_dot attest_q16_dot_of(const int32_t *q, const int32_t *k, uint32_t width,
                                 uint32_t peak);

#endif
