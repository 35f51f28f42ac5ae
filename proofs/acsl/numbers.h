/* What the arrays of a head hold, as numbers, for the pass `exact`: row i's queries, keys, values, scores. No
   code. */
#ifndef ATTEST_PROOFS_NUMBERS_H
#define ATTEST_PROOFS_NUMBERS_H

#include "parts.h"

/*@ axiomatic attest_elements {
      logic attest_number attest_q(integer i, integer c) reads \nothing;
      logic attest_number attest_k(integer j, integer c) reads \nothing;
    }

    logic attest_number attest_dot_of(integer i, integer j, integer n) =
      n <= 0 ? 0.0 : attest_dot_of(i, j, n - 1) + attest_times(attest_q(i, n - 1), attest_k(j, n - 1));

    // a dot product from memory
    logic attest_number attest_dot_at{L}(float *a, float *b, integer n) =
      n <= 0 ? 0.0 : attest_dot_at(a, b, n - 1) + attest_times(a[n - 1], b[n - 1]);
*/

/*@ ghost
  /@ requires \valid_read(a + (0 .. width - 1)) && \valid_read(b + (0 .. width - 1));
     requires \forall integer c; 0 <= c < width ==> a[c] == attest_q(i, c) && b[c] == attest_k(j, c);
     assigns \nothing;
     ensures attest_dot_at(a, b, width) == attest_dot_of(i, j, width); @/
  static inline void attest_dot_numbers(const float *a, const float *b, size_t i, size_t j,
                                        size_t width) {
    /@ loop invariant 0 <= c <= width;
       loop invariant attest_dot_at(a, b, c) == attest_dot_of(i, j, c);
       loop assigns c;
       loop variant width - c; @/
    for (size_t c = 0; c != width; c++) {}
  }
*/

#endif
