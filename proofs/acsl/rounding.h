/* Rounding to an integer, for the pass `exact`. No code. */
#ifndef ATTEST_PROOFS_ROUNDING_H
#define ATTEST_PROOFS_ROUNDING_H

#include "numbers.h"

/*@ // the integer nearest to y: which one on a tie is left open
    axiomatic attest_rounding {
      logic attest_number attest_nearest(attest_number y) reads \nothing;
      axiom attest_nearest_whole: \forall attest_number y; attest_whole(attest_nearest(y));
      axiom attest_nearest_close: \forall attest_number y; -0.5 <= y - attest_nearest(y) <= 0.5;
    }
*/

/*@ ghost
  // rounding keeps the order
  /@ requires a <= b;
     assigns \nothing;
     ensures attest_nearest(a) <= attest_nearest(b); @/
  static inline void attest_nearest_order(float a, float b) {
    /@ assert whole: attest_whole(attest_nearest(a)) && attest_whole(attest_nearest(b)); @/
    /@ assert first: \floor(attest_nearest(a)) == attest_nearest(a); @/
    /@ assert second: \floor(attest_nearest(b)) == attest_nearest(b); @/
    /@ assert cases: \let f = \floor(attest_nearest(a)); \let g = \floor(attest_nearest(b));
         f <= g || g + 1 <= f; @/
    /@ assert tie: \let f = \floor(attest_nearest(a)); \let g = \floor(attest_nearest(b));
         (attest_number)g + 1.0 <= (attest_number)f ==> a == b; @/
    /@ assert step: \let f = \floor(attest_nearest(a)); \let g = \floor(attest_nearest(b));
         g + 1 <= f ==> (attest_number)g + 1.0 <= (attest_number)f; @/
  }
*/

#endif
