#include "matmul.h"

/* One row of the result: b's rows in order, so that the columns vectorise and each keeps its sum
   in order. */
/*@ requires attest_fits(inner * cols) && inner >= 1 && cols >= 1;
    requires \valid_read(a + (0 .. inner - 1));
    requires \valid_read(b + (0 .. inner * cols - 1));
    requires \valid(out + (0 .. cols - 1));
    assigns out[0 .. cols - 1];
*/
static void multiply_row(const real *restrict a, const real *restrict b, size_t inner,
                         size_t cols, real *restrict out) {
  /*@ loop invariant 0 <= c <= cols;
      loop assigns c, out[0 .. cols - 1];
      loop variant cols - c; */
  for (size_t c = 0; c < cols; c++) out[c] = 0;
  /*@ loop invariant 0 <= k <= inner;
      loop assigns k, out[0 .. cols - 1];
      loop variant inner - k; */
  for (size_t k = 0; k < inner; k++) {
    const real x = a[k];
    const real *row = b + attest_row(k, cols) /*@ ghost (inner) */;
    /*@ loop invariant 0 <= c <= cols;
        loop assigns c, out[0 .. cols - 1];
        loop variant cols - c; */
    for (size_t c = 0; c < cols; c++) out[c] += x * row[c];
  }
}

void attest_matmul(const real *a, const real *b, size_t rows, size_t inner, size_t cols,
                   real *out) {
  /*@ loop invariant 0 <= i <= rows;
      loop assigns i, out[0 .. rows * cols - 1];
      loop variant rows - i; */
  for (size_t i = 0; i < rows; i++)
    multiply_row(a + attest_row(i, inner) /*@ ghost (rows) */, b, inner, cols,
                 out + attest_row(i, cols) /*@ ghost (rows) */);
}
