/* Steps on a row of numbers, each element by itself. */
#ifndef ATTEST_ROW_OPS_H
#define ATTEST_ROW_OPS_H

#include "real.h"

/* out := 0 */
/*@ requires \valid(out + (0 .. width - 1));
    assigns out[0 .. width - 1];
    ATTEST_EXACTLY(ensures zero: \forall integer c; 0 <= c < width ==> attest_zero(out[c]);)
*/
static inline void attest_clear_row(real *out, size_t width) {
  /*@ loop invariant 0 <= c <= width;
      ATTEST_EXACTLY(loop invariant \forall integer d; 0 <= d < c ==> attest_zero(out[d]);)
      loop assigns c, out[0 .. width - 1];
      loop variant width - c; */
  for (size_t c = 0; c < width; c++) out[c] = 0;
}

/* out := out * factor */
/*@ requires \valid(out + (0 .. width - 1));
    assigns out[0 .. width - 1];
    ATTEST_EXACTLY(ensures product: \forall integer c; 0 <= c < width ==>
      out[c] == attest_times(\old(out[c]), factor);)
*/
static inline void attest_scale_row(real *out, real factor, size_t width) {
  /*@ loop invariant 0 <= c <= width;
      ATTEST_EXACTLY(
        loop invariant \forall integer d; 0 <= d < c ==>
          out[d] == attest_times(\at(out[d], Pre), factor);
        loop invariant \forall integer d; c <= d < width ==> out[d] == \at(out[d], Pre);)
      loop assigns c, out[0 .. width - 1];
      loop variant width - c; */
  for (size_t c = 0; c < width; c++) {
    //@ ghost ATTEST_EXACTLY(attest_named_product(out[c], factor));
    out[c] *= factor;
  }
}

/* out := out + x * row */
/*@ requires \valid_read(row + (0 .. width - 1)) && \valid(out + (0 .. width - 1));
    assigns out[0 .. width - 1];
    ATTEST_EXACTLY(behavior apart:
      assumes \separated(out + (0 .. width - 1), row + (0 .. width - 1));
      ensures sum: \forall integer c; 0 <= c < width ==>
        out[c] == \old(out[c]) + attest_times(x, row[c]);)
*/
static inline void attest_add_row(real *restrict out, real x, const real *restrict row,
                                  size_t width) {
  /*@ loop invariant 0 <= c <= width;
      ATTEST_EXACTLY(
        for apart: loop invariant \forall integer d; 0 <= d < c ==>
          out[d] == \at(out[d], Pre) + attest_times(x, row[d]);
        for apart: loop invariant \forall integer d; c <= d < width ==>
          out[d] == \at(out[d], Pre);)
      loop assigns c, out[0 .. width - 1];
      loop variant width - c; */
  for (size_t c = 0; c < width; c++) {
    //@ ghost ATTEST_EXACTLY(attest_named_product(x, row[c]));
    out[c] += x * row[c];
  }
}

#endif
