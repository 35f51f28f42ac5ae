/* Size arithmetic that refuses instead of wrapping. */
#ifndef ATTEST_SIZES_H
#define ATTEST_SIZES_H

#include <stddef.h>
#include <stdint.h>

#include "rows.h"

/* Elements of the widest real that one object can hold. */
#define ATTEST_MAX_ELEMENTS ((size_t)(PTRDIFF_MAX / 8))

/* *total := *total * factor; 0, and *total unchanged, where that exceeds ATTEST_MAX_ELEMENTS. */
/*@ requires \valid(total) && attest_fits(*total);
    assigns *total;
    ensures attest_fits(*total);
    ensures \result == 0 || \result == 1;
    ensures \result == 1 ==> *total == \old(*total) * factor;
    ensures \result == 1 && \old(*total) >= 1 && factor >= 1 ==> *total >= 1;
    ensures \result == 0 ==> *total == \old(*total);
*/
static inline int attest_times(size_t *total, size_t factor) {
  if (factor == 0) {
    *total = 0;
    return 1;
  }
  if (*total > ATTEST_MAX_ELEMENTS / factor) return 0;
  //@ assert *total * factor <= 1152921504606846975;
  *total *= factor;
  return 1;
}

/* *total := *total + (count - 1) * stride, where the last of `count` rows begins; likewise. */
/*@ requires \valid(total) && attest_fits(*total) && count >= 1;
    assigns *total;
    ensures attest_fits(*total);
    ensures \result == 0 || \result == 1;
    ensures \result == 1 ==> *total == \old(*total) + (count - 1) * stride;
    ensures \result == 1 ==> 0 <= (count - 1) * stride;
    ensures \result == 0 ==> *total == \old(*total);
*/
static inline int attest_reach(size_t *total, size_t count, size_t stride) {
  size_t last = stride;
  if (last > ATTEST_MAX_ELEMENTS && count > 1) return 0;
  if (count == 1) return 1;
  if (!attest_times(&last, count - 1)) return 0;
  if (last > ATTEST_MAX_ELEMENTS - *total) return 0;
  *total += last;
  return 1;
}

/* a * b, or more than ATTEST_MAX_ELEMENTS where the product is. */
/*@ assigns \nothing;
    ensures \result <= 1152921504606846976;
    ensures attest_fits(\result) ==> \result == a * b;
    ensures a >= 1 && b >= 1 ==> \result >= 1;
*/
static inline size_t attest_product(size_t a, size_t b) {
  if (b == 0) return 0;
  if (a > ATTEST_MAX_ELEMENTS / b) return ATTEST_MAX_ELEMENTS + 1;
  //@ assert a * b <= 1152921504606846975;
  return a * b;
}

#endif
