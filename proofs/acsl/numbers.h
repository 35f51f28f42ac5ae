/* What the arrays of a head hold, as numbers, for the pass `exact`: row i's queries, keys, values, scores. No
   code. */
#ifndef ATTEST_PROOFS_NUMBERS_H
#define ATTEST_PROOFS_NUMBERS_H

#include "parts.h"

/*@ axiomatic attest_elements {
      logic attest_number attest_q(integer i, integer c) reads \nothing;
      logic attest_number attest_k(integer j, integer c) reads \nothing;
      logic attest_number attest_b(integer i, integer j) reads \nothing; // bias
    }

    logic attest_number attest_dot_of(integer i, integer j, integer n) =
      n <= 0 ? 0.0 : attest_dot_of(i, j, n - 1) + attest_times(attest_q(i, n - 1), attest_k(j, n - 1));

    // a dot product from memory
    logic attest_number attest_dot_at{L}(float *a, float *b, integer n) =
      n <= 0 ? 0.0 : attest_dot_at(a, b, n - 1) + attest_times(a[n - 1], b[n - 1]);
*/

/*@ ghost
  // dot products from memory, where it holds the numbers of row i and key j
  /@ requires \valid_read(a + (0 .. width - 1)) && \valid_read(b + (0 .. width - 1));
     assigns \nothing;
     ensures (\forall integer c; 0 <= c < width ==> a[c] == attest_q(i, c) && b[c] == attest_k(j, c))
       ==> attest_dot_at(a, b, width) == attest_dot_of(i, j, width); @/
  static inline void attest_dot_numbers(const float *a, const float *b, size_t i, size_t j,
                                        size_t width) {
    /@ loop invariant 0 <= n <= width;
       loop invariant (\forall integer c; 0 <= c < width ==>
           a[c] == attest_q(i, c) && b[c] == attest_k(j, c))
         ==> attest_dot_at(a, b, n) == attest_dot_of(i, j, n);
       loop assigns n;
       loop variant width - n; @/
    for (size_t n = 0; n != width; n++) {}
  }

  /@ assigns \nothing;
     ensures \forall integer b; 0 <= b < count ==>
       attest_place(a + b, cols) == attest_place(a, cols) + attest_place(b, cols); @/
  static inline void attest_places_sum(size_t a, size_t count, size_t cols) {
    /@ loop invariant 0 <= n <= count;
       loop invariant \forall integer b; 0 <= b <= n ==>
         attest_place(a + b, cols) == attest_place(a, cols) + attest_place(b, cols);
       loop assigns n;
       loop variant count - n; @/
    for (size_t n = 0; n != count; n++) {}
  }

  // the same for keys j to j + count - 1, the rows of b
  /@ requires \forall integer c; 0 <= c < width ==> a[c] == attest_q(i, c);
     requires \forall integer n, c; 0 <= n < count && attest_sees(i, j + n) && 0 <= c < width ==>
       b[attest_place(n, cols) + c] == attest_k(j + n, c);
     assigns \nothing;
     ensures \forall integer n; 0 <= n < count && attest_sees(i, j + n) ==>
       attest_dot_at(a, b + attest_place(n, cols), width) == attest_dot_of(i, j + n, width); @/
  static inline void attest_dots_numbers(const float *a, const float *b, size_t i, size_t j,
                                         size_t count, size_t cols, size_t width) {
    /@ loop invariant 0 <= c <= width;
       loop invariant \forall integer n; 0 <= n < count && attest_sees(i, j + n) ==>
         attest_dot_at(a, b + attest_place(n, cols), c) == attest_dot_of(i, j + n, c);
       loop assigns c;
       loop variant width - c; @/
    for (size_t c = 0; c != width; c++) {
      /@ assert next: \forall integer n; 0 <= n < count && attest_sees(i, j + n) ==>
           b[attest_place(n, cols) + c] == attest_k(j + n, c); @/
      /@ assert step: \forall integer n; 0 <= n < count && attest_sees(i, j + n) ==>
           attest_dot_at(a, b + attest_place(n, cols), c + 1) ==
           attest_dot_at(a, b + attest_place(n, cols), c) +
           attest_times(a[c], b[attest_place(n, cols) + c]); @/
    }
  }
*/

#endif
