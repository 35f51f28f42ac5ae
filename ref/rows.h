/* Where a row begins. The one product of two variables in every address, kept in one place. */
#ifndef ATTEST_ROWS_H
#define ATTEST_ROWS_H

#include <stddef.h>

#include "exact.h"

/*@ // elements from the first of row 0 to the last of row rows - 1
    logic integer attest_extent(integer rows, integer stride, integer width) =
      rows <= 0 ? 0 : (rows - 1) * stride + width;

    // the same for a mask: rows and keys have strides of their own
    logic integer attest_mask_extent(integer rows, integer row, integer keys, integer key) =
      rows <= 0 || keys <= 0 ? 0 : (rows - 1) * row + (keys - 1) * key + 1;

    // what one object holds: PTRDIFF_MAX bytes of the widest real
    predicate attest_fits(integer elements) = elements <= 1152921504606846975;

    lemma attest_product_grows:
      \forall integer i, n, s; 0 <= i <= n && 0 <= s ==> i * s <= n * s;
*/

/*@ ghost
  // the solvers do not find this by themselves among many other products
  /@ assigns \nothing;
     ensures 0 <= a * b; @/
  static inline void attest_product_not_negative(size_t a, size_t b) {}

  // nor this, through a product that has a name
  /@ requires bc == b * c;
     assigns \nothing;
     ensures a * bc == a * b * c && bc * a == a * b * c; @/
  static inline void attest_product_of_three(size_t a, size_t b, size_t c, size_t bc) {}

  /@ requires b == c;
     assigns \nothing;
     ensures a * b == a * c; @/
  static inline void attest_equal_products(size_t a, size_t b, size_t c) {}
*/

/* Distance in elements from row 0 to row i; `rows` is there for the proof alone. */
/*@ requires i < rows && attest_fits((rows - 1) * stride);
    assigns \nothing;
    ATTEST_ELSEWHERE(ensures \result == i * stride;)
    ATTEST_EXACTLY(ensures \result == attest_place(i, stride);)
    ensures \result <= (rows - 1) * stride;
*/
static inline size_t attest_row(size_t i, size_t stride) /*@ ghost (size_t rows) */ {
  //@ ghost ATTEST_EXACTLY(attest_place_is(i, stride, rows));
  //@ assert i * stride <= (rows - 1) * stride;
  return i * stride;
}

/* The same for the first of `count` rows, all of them within `rows`. */
/*@ requires 1 <= count && i + count <= rows && attest_fits((rows - 1) * stride);
    assigns \nothing;
    ATTEST_ELSEWHERE(ensures \result == i * stride;)
    ATTEST_EXACTLY(ensures \result == attest_place(i, stride);)
    ensures \result + (count - 1) * stride <= (rows - 1) * stride;
*/
static inline size_t attest_rows(size_t i, size_t stride) /*@ ghost (size_t count, size_t rows) */ {
  //@ assert i * stride <= (rows - 1) * stride;
  //@ assert (i + (count - 1)) * stride <= (rows - 1) * stride;
  //@ ghost ATTEST_EXACTLY(attest_place_is(i, stride, rows));
  return i * stride;
}

#endif
