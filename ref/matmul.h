/* Dense matrix product: out (rows, cols) = a (rows, inner) * b (inner, cols). Every element is one
   sum over the inner index, left to right, as in attest_dot. */
#ifndef ATTEST_MATMUL_H
#define ATTEST_MATMUL_H

#include "real.h"
#include "rows.h"

#ifdef ATTEST_EXACT
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
