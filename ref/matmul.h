/* Dense matrix product: out (rows, cols) = a (rows, inner) * b (inner, cols). Every element is one
   sum over the inner index, left to right, as in attest_dot. */
#ifndef ATTEST_MATMUL_H
#define ATTEST_MATMUL_H

#include "real.h"
#include "rows.h"

#ifdef ATTEST_EXACT
/*@ // the first n terms of an element of the product: a is a row, b a column's first element and its stride
    logic attest_number attest_dot_to{L}(real *a, real *b, integer cols, integer c, integer n) =
      n <= 0 ? 0.0 : attest_dot_to(a, b, cols, c, n - 1) + a[n - 1] * b[(n - 1) * cols + c];
*/
#endif

/*@ requires inner >= 1 && cols >= 1;
    requires attest_fits(rows * inner) && attest_fits(inner * cols) && attest_fits(rows * cols);
    requires \valid_read(a + (0 .. rows * inner - 1));
    requires \valid_read(b + (0 .. inner * cols - 1));
    requires \valid(out + (0 .. rows * cols - 1));
    assigns out[0 .. rows * cols - 1];
*/
void attest_matmul(const real *a, const real *b, size_t rows, size_t inner, size_t cols,
                   real *out);

#endif
