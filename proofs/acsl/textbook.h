/* Base 2 against the textbook's base e, in the reals. No code. */
#ifndef ATTEST_PROOFS_TEXTBOOK_H
#define ATTEST_PROOFS_TEXTBOOK_H

#include "exact.h"

/*@ axiomatic attest_base {
      axiom attest_two_to_definition: \forall attest_number x, m;
        attest_two_to(x, m) == \exp((x - m) * \log(2.0));
    }

    // the textbook's score, y = s log2(e), its weight and sums against the reference x
    logic attest_number attest_s(integer i, integer j) = attest_y(i, j) * \log(2.0);
    logic attest_number attest_textbook_term(integer i, integer j, attest_number x) =
      attest_sees(i, j) ? \exp(attest_s(i, j) - x) : 0.0;
    logic attest_number attest_textbook_mass(integer i, integer a, integer b, attest_number x) =
      b <= a ? 0.0 : attest_textbook_mass(i, a, b - 1, x) + attest_textbook_term(i, b - 1, x);
    logic attest_number attest_textbook_moment(integer i, integer c, integer a, integer b,
                                               attest_number x) =
      b <= a ? 0.0 : attest_textbook_moment(i, c, a, b - 1, x) +
                     attest_times(attest_textbook_term(i, b - 1, x), attest_v(b - 1, c));
*/

/*@ ghost
  // the sums in base 2 against m are those in base e against m log 2
  /@ requires a <= b && x == m * \log(2.0);
     assigns \nothing;
     ensures attest_mass(i, a, b, m) == attest_textbook_mass(i, a, b, x);
     ensures attest_moment(i, c, a, b, m) == attest_textbook_moment(i, c, a, b, x); @/
  static inline void attest_same_base(size_t i, size_t c, size_t a, size_t b, float m, float x) {
    /@ loop invariant a <= j <= b;
       loop invariant attest_mass(i, a, j, m) == attest_textbook_mass(i, a, j, x);
       loop invariant attest_moment(i, c, a, j, m) == attest_textbook_moment(i, c, a, j, x);
       loop assigns j;
       loop variant b - j; @/
    for (size_t j = a; j != b; j++) {
      /@ assert term: attest_term(i, j, m) == attest_textbook_term(i, j, x); @/
    }
  }

  // The quotient in base 2, against any m, is the textbook's in base e, against any x: the largest
  // score for one.
  /@ requires a <= b && attest_any(i, a, b);
     requires x == n * \log(2.0) && p == attest_two_to(m, n);
     requires l == attest_mass(i, a, b, m) && o == attest_moment(i, c, a, b, m);
     requires k == attest_textbook_mass(i, a, b, x) && u == attest_textbook_moment(i, c, a, b, x);
     assigns \nothing;
     ensures 0.0 < l && 0.0 < k && o / l == u / k; @/
  static inline void attest_textbook(size_t i, size_t c, size_t a, size_t b, float m, float l,
                                     float o, float x, float k, float u, float n, float p) {
    attest_same_base(i, c, a, b, n, x);
    attest_any_reference(i, c, a, b, m, l, o, n, k, u, p);
  }
*/

#endif
