#include "matmul.h"

#include "row_ops.h"

/* One row of the result: b's rows in order, so that the columns vectorise and each keeps its sum
   in order. */
/*@ requires attest_fits(inner * cols) && inner >= 1 && cols >= 1;
    requires \valid_read(a + (0 .. inner - 1));
    requires \valid_read(b + (0 .. inner * cols - 1));
    requires \valid(out + (0 .. cols - 1));
    ATTEST_EXACTLY(requires \separated(out + (0 .. cols - 1), a + (0 .. inner - 1));
                   requires \separated(out + (0 .. cols - 1), b + (0 .. inner * cols - 1));)
    assigns out[0 .. cols - 1];
    ATTEST_EXACTLY(ensures product: \forall integer c; 0 <= c < cols ==>
      out[c] == \old(attest_cell(a, b, cols, c, inner));)
*/
static void multiply_row(const real *restrict a, const real *restrict b, size_t inner,
                         size_t cols, real *restrict out) {
  attest_clear_row(out, cols);
  /*@ loop invariant 0 <= k <= inner;
      ATTEST_EXACTLY(loop invariant \forall integer c; 0 <= c < cols ==>
        out[c] == \at(attest_cell(a, b, cols, c, \at(k, Here)), Pre);)
      loop assigns k, out[0 .. cols - 1];
      loop variant inner - k; */
  for (size_t k = 0; k < inner; k++) {
    const real *row = b + attest_row(k, cols) /*@ ghost (inner) */;
    /*@ ghost ATTEST_EXACTLY(
          /@ assert left: a[k] == \at(a[\at(k, Here)], Pre); @/
          /@ assert right: \forall integer c; 0 <= c < cols ==>
               row[c] == \at(b[attest_place(\at(k, Here), cols) + c], Pre); @/
          /@ assert apart: \separated(out + (0 .. cols - 1), row + (0 .. cols - 1)); @/); */
    attest_add_row(out, a[k], row, cols);
    /*@ ghost ATTEST_EXACTLY(
          /@ assert after: \forall integer c; 0 <= c < cols ==>
               row[c] == \at(b[attest_place(\at(k, Here), cols) + c], Pre); @/); */
  }
}

void attest_matmul(const real *a, const real *b, size_t rows, size_t inner, size_t cols,
                   real *out) {
  /*@ loop invariant 0 <= i <= rows;
      ATTEST_EXACTLY(loop invariant \forall integer r, c; 0 <= r < i && 0 <= c < cols ==>
        out[attest_place(r, cols) + c] ==
          \at(attest_cell(a + attest_place(r, inner), b, cols, c, inner), Pre);)
      loop assigns i, out[0 .. rows * cols - 1];
      loop variant rows - i; */
  for (size_t i = 0; i < rows; i++) {
    const real *from = a + attest_row(i, inner) /*@ ghost (rows) */;
    real *to = out + attest_row(i, cols) /*@ ghost (rows) */;
    //@ ghost ATTEST_EXACTLY(attest_places_grow(i, cols));
    /*@ ghost ATTEST_EXACTLY( // what is written so far is no part of a or b
          /@ loop invariant 0 <= n <= inner;
             loop invariant \forall integer c; 0 <= c < cols ==>
               attest_cell(from, b, cols, c, n) ==
               \at(attest_cell(\at(from, Here), b, cols, c, \at(n, Here)), Pre);
             loop assigns n;
             loop variant inner - n; @/
          for (size_t n = 0; n < inner; n++) attest_place_is(n, cols, inner);) */
    multiply_row(from, b, inner, cols, to);
  }
  /*@ ghost ATTEST_EXACTLY( // what is written is no part of other sums
        /@ assert elements: \forall float *p, integer n; 0 <= n &&
             \separated(out + (0 .. rows * cols - 1), p + (0 .. n)) ==> p[n] == \at(p[n], Pre); @/); */
  /*@ ghost ATTEST_EXACTLY(
        /@ loop invariant 0 <= n <= ATTEST_MAX_CELLS &&
             attest_cells_stay{Pre, Here}(out, rows * cols, n);
           loop invariant \forall integer k; 0 <= k <= n ==>
             attest_cells_stay{Pre, Here}(out, rows * cols, k);
           loop assigns n;
           loop variant ATTEST_MAX_CELLS - n; @/
        for (size_t n = 0; n < ATTEST_MAX_CELLS; n++) attest_next_place(n);) */
}
