/* Dense matrix product: out (rows, cols) = a (rows, inner) * b (inner, cols). Every element is one
   sum over the inner index, left to right, as in attest_dot. */
#ifndef ATTEST_MATMUL_H
#define ATTEST_MATMUL_H

#include "real.h"
#include "rows.h"

#ifdef ATTEST_EXACT
/*@ // what out holds in state B is a b, as they are in state A
    predicate attest_is_product{A, B}(float *a, float *b, integer rows, integer inner, integer cols,
                                      float *out) =
      \forall integer i, c; 0 <= i < rows && 0 <= c < cols ==>
        \at(out[attest_place(i, cols) + c], B) ==
        attest_cell{A}(a + attest_place(i, inner), b, cols, c, inner);

    // sums of k terms are the same in both states if none is from out, of n elements
    predicate attest_cells_stay{A, B}(float *out, integer n, integer k) =
      \forall float *a, *b, integer cols, c; 0 <= c < cols &&
        \separated(out + (0 .. n - 1), a + (0 .. k - 1)) &&
        \separated(out + (0 .. n - 1), b + (0 .. attest_place(k, cols) - 1)) ==>
        attest_cell{A}(a, b, cols, c, k) == attest_cell{B}(a, b, cols, c, k);
*/
/*@ ghost
  /@ assigns \nothing;
     ensures \forall integer cols; 0 <= cols ==>
       0 <= attest_place(n, cols) <= attest_place(n + 1, cols) &&
       attest_place(n + 1, cols) == attest_place(n, cols) + cols; @/
  static inline void attest_next_place(size_t n) {
    /@ loop invariant 0 <= i <= n;
       loop invariant \forall integer cols; 0 <= cols ==> 0 <= attest_place(i, cols);
       loop assigns i;
       loop variant n - i; @/
    for (size_t i = 0; i != n; i++) {}
  }
*/

/* The longest sum of a layer: a value row of every head. */
#define ATTEST_MAX_CELLS 268435456
#endif

/*@ requires inner >= 1 && cols >= 1;
    requires attest_fits(rows * inner) && attest_fits(inner * cols) && attest_fits(rows * cols);
    requires \valid_read(a + (0 .. rows * inner - 1));
    requires \valid_read(b + (0 .. inner * cols - 1));
    requires \valid(out + (0 .. rows * cols - 1));
    ATTEST_EXACTLY(
      requires \separated(out + (0 .. rows * cols - 1), a + (0 .. rows * inner - 1));
      requires \separated(out + (0 .. rows * cols - 1), b + (0 .. inner * cols - 1));)
    assigns out[0 .. rows * cols - 1];
    ATTEST_EXACTLY(
      ensures product: attest_is_product{Pre, Post}(a, b, rows, inner, cols, out);
      ensures others: \forall integer k; 0 <= k <= ATTEST_MAX_CELLS ==>
        attest_cells_stay{Pre, Post}(out, rows * cols, k);)
*/
void attest_matmul(const real *a, const real *b, size_t rows, size_t inner, size_t cols,
                   real *out);

#endif
