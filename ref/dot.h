/* The dot product: one sum, left to right. */
#ifndef ATTEST_DOT_H
#define ATTEST_DOT_H

#include "real.h"

/*@ requires \valid_read(a + (0 .. width - 1)) && \valid_read(b + (0 .. width - 1));
    assigns \nothing;
    ATTEST_EXACTLY(ensures \result == attest_dot_at(a, b, width);)
*/
static inline real attest_dot(const real *a, const real *b, size_t width) {
  real sum = 0;
  /*@ loop invariant 0 <= c <= width;
      ATTEST_EXACTLY(loop invariant sum == attest_dot_at(a, b, c);)
      loop assigns c, sum;
      loop variant width - c; */
  for (size_t c = 0; c < width; c++) {
    //@ ghost ATTEST_EXACTLY(attest_named_product(a[c], b[c]));
    sum += a[c] * b[c];
  }
  return sum;
}

#endif
