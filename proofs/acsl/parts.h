/* The theorems of exact.h for all rows and all parts at once, for functions that are not told which part a
   partial result is of. No code. */
#ifndef ATTEST_PROOFS_PARTS_H
#define ATTEST_PROOFS_PARTS_H

#include "exact.h"

/*@ // sizes: 2^22 keys, ATTEST_MAX_KEYS
    predicate attest_keys(integer a, integer b) = 0 <= a <= b <= 4194304;

    // a change of reference, and two adjacent parts, of sums over any keys
    predicate attest_masses_shift(attest_number m, attest_number n) =
      \forall integer i, a, b; attest_keys(a, b) ==>
        attest_times(attest_mass(i, a, b, m), attest_two_to(m, n)) == attest_mass(i, a, b, n);
    predicate attest_moments_shift(integer c, attest_number m, attest_number n) =
      \forall integer i, a, b; attest_keys(a, b) ==>
        attest_times(attest_moment(i, c, a, b, m), attest_two_to(m, n)) ==
        attest_moment(i, c, a, b, n);
    predicate attest_masses_split(attest_number m) =
      \forall integer i, a, b, d; attest_keys(a, b) && attest_keys(b, d) ==>
        attest_mass(i, a, b, m) + attest_mass(i, b, d, m) == attest_mass(i, a, d, m);
    predicate attest_moments_split(integer c, attest_number m) =
      \forall integer i, a, b, d; attest_keys(a, b) && attest_keys(b, d) ==>
        attest_moment(i, c, a, b, m) + attest_moment(i, c, b, d, m) ==
        attest_moment(i, c, a, d, m);

    // sums over no visible key, and to more keys none of which is visible
    predicate attest_masses_empty(attest_number m) =
      \forall integer i, a, b; attest_keys(a, b) && !attest_any(i, a, b) ==>
        attest_zero(attest_mass(i, a, b, m));
    predicate attest_moments_empty(integer c, attest_number m) =
      \forall integer i, a, b; attest_keys(a, b) && !attest_any(i, a, b) ==>
        attest_zero(attest_moment(i, c, a, b, m));

    // a part and the next one, each against its own reference and with the power of two that takes it
    // to m
    predicate attest_masses_merge(attest_number m1, attest_number p1, attest_number m2,
                                  attest_number p2, attest_number m) =
      \forall integer i, a, b, d; attest_keys(a, b) && attest_keys(b, d) ==>
        attest_times(attest_mass(i, a, b, m1), p1) + attest_times(attest_mass(i, b, d, m2), p2) ==
        attest_mass(i, a, d, m);
    predicate attest_moments_merge(integer c, attest_number m1, attest_number p1,
                                   attest_number m2, attest_number p2, attest_number m) =
      \forall integer i, a, b, d; attest_keys(a, b) && attest_keys(b, d) ==>
        attest_times(attest_moment(i, c, a, b, m1), p1) +
        attest_times(attest_moment(i, c, b, d, m2), p2) == attest_moment(i, c, a, d, m);

    // a part and a neighbour of which nothing is visible
    predicate attest_masses_extend(attest_number m) =
      \forall integer i, a, b, d; attest_keys(a, b) && attest_keys(b, d) ==>
        (!attest_any(i, b, d) ==> attest_mass(i, a, d, m) == attest_mass(i, a, b, m)) &&
        (!attest_any(i, a, b) ==> attest_mass(i, a, d, m) == attest_mass(i, b, d, m));
    predicate attest_moments_extend(integer c, attest_number m) =
      \forall integer i, a, b, d; attest_keys(a, b) && attest_keys(b, d) ==>
        (!attest_any(i, b, d) ==> attest_moment(i, c, a, d, m) == attest_moment(i, c, a, b, m)) &&
        (!attest_any(i, a, b) ==> attest_moment(i, c, a, d, m) == attest_moment(i, c, b, d, m));

    // the same for all columns from c0 to c1 - 1
    predicate attest_columns_merge(integer c0, integer c1, attest_number m1, attest_number p1,
                                   attest_number m2, attest_number p2, attest_number m) =
      \forall integer c, i, a, b, d; c0 <= c < c1 && attest_keys(a, b) && attest_keys(b, d) ==>
        attest_times(attest_moment(i, c, a, b, m1), p1) +
        attest_times(attest_moment(i, c, b, d, m2), p2) == attest_moment(i, c, a, d, m);
    predicate attest_columns_extend(integer c0, integer c1, attest_number m) =
      \forall integer c, i, a, b, d; c0 <= c < c1 && attest_keys(a, b) && attest_keys(b, d) ==>
        (!attest_any(i, b, d) ==> attest_moment(i, c, a, d, m) == attest_moment(i, c, a, b, m)) &&
        (!attest_any(i, a, b) ==> attest_moment(i, c, a, d, m) == attest_moment(i, c, b, d, m));

    // exponent, sum, seen and acc are a partial result of row i over the keys a <= j < b
    predicate attest_part_of{L}(attest_number exponent, attest_number sum, integer seen,
                                float *acc, integer width, integer i, integer a, integer b) =
      attest_keys(a, b) && (seen != 0 <==> attest_any(i, a, b)) &&
      (seen != 0 ==> attest_whole(exponent) && sum == attest_mass(i, a, b, exponent) &&
        \forall integer c; 0 <= c < width ==> acc[c] == attest_moment(i, c, a, b, exponent));
*/

/*@ ghost
  /@ assigns \nothing;
     ensures attest_masses_shift(m, n); @/
  static inline void attest_all_masses_shift(float m, float n) {
    /@ loop invariant 0 <= j <= 4194304;
       loop invariant \forall integer i, a, b; attest_keys(a, b) && b <= j ==>
         attest_times(attest_mass(i, a, b, m), attest_two_to(m, n)) == attest_mass(i, a, b, n);
       loop assigns j;
       loop variant 4194304 - j; @/
    for (size_t j = 0; j != 4194304; j++) {
      /@ assert term: \forall integer i; attest_times(attest_term(i, j, m), attest_two_to(m, n)) ==
           attest_term(i, j, n); @/
      /@ assert one: \forall integer i, a; attest_keys(a, j) ==>
           attest_times(attest_mass(i, a, j, m) + attest_term(i, j, m), attest_two_to(m, n)) ==
           attest_mass(i, a, j, n) + attest_term(i, j, n); @/
      /@ assert next: \forall integer i, a, b; attest_keys(a, b) && j < b <= j + 1 ==>
           attest_times(attest_mass(i, a, b, m), attest_two_to(m, n)) == attest_mass(i, a, b, n); @/
    }
  }

  /@ assigns \nothing;
     ensures attest_moments_shift(c, m, n); @/
  static inline void attest_all_moments_shift(size_t c, float m, float n) {
    /@ loop invariant 0 <= j <= 4194304;
       loop invariant \forall integer i, a, b; attest_keys(a, b) && b <= j ==>
         attest_times(attest_moment(i, c, a, b, m), attest_two_to(m, n)) ==
         attest_moment(i, c, a, b, n);
       loop assigns j;
       loop variant 4194304 - j; @/
    for (size_t j = 0; j != 4194304; j++) {
      /@ assert term: \forall integer i; attest_times(attest_term(i, j, m), attest_two_to(m, n)) ==
           attest_term(i, j, n); @/
      /@ assert value: \forall integer i;
           \let w = attest_times(attest_term(i, j, m), attest_v(j, c));
           attest_times(w, attest_two_to(m, n)) ==
           attest_times(attest_term(i, j, n), attest_v(j, c)); @/
      /@ assert one: \forall integer i, a; attest_keys(a, j) ==>
           \let w = attest_times(attest_term(i, j, m), attest_v(j, c));
           attest_times(attest_moment(i, c, a, j, m) + w, attest_two_to(m, n)) ==
           attest_moment(i, c, a, j, n) + attest_times(attest_term(i, j, n), attest_v(j, c)); @/
      /@ assert next: \forall integer i, a, b; attest_keys(a, b) && j < b <= j + 1 ==>
           attest_times(attest_moment(i, c, a, b, m), attest_two_to(m, n)) ==
           attest_moment(i, c, a, b, n); @/
    }
  }

  /@ assigns \nothing;
     ensures attest_masses_split(m); @/
  static inline void attest_all_masses_split(float m) {
    /@ loop invariant 0 <= j <= 4194304;
       loop invariant \forall integer i, a, b, d; attest_keys(a, b) && attest_keys(b, d) && d <= j
         ==> attest_mass(i, a, b, m) + attest_mass(i, b, d, m) == attest_mass(i, a, d, m);
       loop assigns j;
       loop variant 4194304 - j; @/
    for (size_t j = 0; j != 4194304; j++) {
      /@ assert next: \forall integer i, a, b; attest_keys(a, b) && attest_keys(b, j + 1) ==>
           attest_mass(i, a, b, m) + attest_mass(i, b, j + 1, m) ==
           attest_mass(i, a, j + 1, m); @/
    }
  }

  /@ assigns \nothing;
     ensures attest_moments_split(c, m); @/
  static inline void attest_all_moments_split(size_t c, float m) {
    /@ loop invariant 0 <= j <= 4194304;
       loop invariant \forall integer i, a, b, d; attest_keys(a, b) && attest_keys(b, d) && d <= j
         ==> attest_moment(i, c, a, b, m) + attest_moment(i, c, b, d, m) ==
             attest_moment(i, c, a, d, m);
       loop assigns j;
       loop variant 4194304 - j; @/
    for (size_t j = 0; j != 4194304; j++) {
      /@ assert next: \forall integer i, a, b; attest_keys(a, b) && attest_keys(b, j + 1) ==>
           attest_moment(i, c, a, b, m) + attest_moment(i, c, b, j + 1, m) ==
           attest_moment(i, c, a, j + 1, m); @/
    }
  }

  /@ assigns \nothing;
     ensures attest_masses_empty(m); @/
  static inline void attest_all_masses_empty(float m) {
    /@ loop invariant 0 <= j <= 4194304;
       loop invariant \forall integer i, a, b; attest_keys(a, b) && b <= j && !attest_any(i, a, b)
         ==> attest_zero(attest_mass(i, a, b, m));
       loop assigns j;
       loop variant 4194304 - j; @/
    for (size_t j = 0; j != 4194304; j++) {
      /@ assert less: \forall integer i, a; a <= j && !attest_any(i, a, j + 1) ==>
           !attest_any(i, a, j) && !attest_sees(i, j); @/
      /@ assert next: \forall integer i, a, b; attest_keys(a, b) && j < b <= j + 1 &&
           !attest_any(i, a, b) ==> attest_zero(attest_mass(i, a, b, m)); @/
    }
  }

  /@ assigns \nothing;
     ensures attest_moments_empty(c, m); @/
  static inline void attest_all_moments_empty(size_t c, float m) {
    /@ loop invariant 0 <= j <= 4194304;
       loop invariant \forall integer i, a, b; attest_keys(a, b) && b <= j && !attest_any(i, a, b)
         ==> attest_zero(attest_moment(i, c, a, b, m));
       loop assigns j;
       loop variant 4194304 - j; @/
    for (size_t j = 0; j != 4194304; j++) {
      /@ assert less: \forall integer i, a; a <= j && !attest_any(i, a, j + 1) ==>
           !attest_any(i, a, j) && !attest_sees(i, j); @/
      /@ assert next: \forall integer i, a, b; attest_keys(a, b) && j < b <= j + 1 &&
           !attest_any(i, a, b) ==> attest_zero(attest_moment(i, c, a, b, m)); @/
    }
  }

  /@ requires p1 == attest_two_to(m1, m) && p2 == attest_two_to(m2, m);
     assigns \nothing;
     ensures attest_masses_merge(m1, p1, m2, p2, m); @/
  static inline void attest_all_masses_merge(float m1, float p1, float m2, float p2, float m) {
    attest_all_masses_shift(m1, m);
    attest_all_masses_shift(m2, m);
    attest_all_masses_split(m);
  }

  /@ requires p1 == attest_two_to(m1, m) && p2 == attest_two_to(m2, m);
     assigns \nothing;
     ensures attest_moments_merge(c, m1, p1, m2, p2, m); @/
  static inline void attest_all_moments_merge(size_t c, float m1, float p1, float m2, float p2,
                                              float m) {
    attest_all_moments_shift(c, m1, m);
    attest_all_moments_shift(c, m2, m);
    attest_all_moments_split(c, m);
  }

  /@ assigns \nothing;
     ensures attest_masses_extend(m); @/
  static inline void attest_all_masses_extend(float m) {
    attest_all_masses_split(m);
    attest_all_masses_empty(m);
  }

  /@ assigns \nothing;
     ensures attest_moments_extend(c, m); @/
  static inline void attest_all_moments_extend(size_t c, float m) {
    attest_all_moments_split(c, m);
    attest_all_moments_empty(c, m);
  }

  // all columns
  /@ requires p1 == attest_two_to(m1, m) && p2 == attest_two_to(m2, m);
     assigns \nothing;
     ensures attest_masses_merge(m1, p1, m2, p2, m);
     ensures attest_columns_merge(0, width, m1, p1, m2, p2, m); @/
  static inline void attest_all_merge(size_t width, float m1, float p1, float m2, float p2,
                                      float m) {
    attest_all_masses_merge(m1, p1, m2, p2, m);
    /@ loop invariant 0 <= c <= width;
       loop invariant attest_columns_merge(0, c, m1, p1, m2, p2, m);
       loop assigns c;
       loop variant width - c; @/
    for (size_t c = 0; c != width; c++) {
      attest_all_moments_merge(c, m1, p1, m2, p2, m);
      /@ assert column: attest_columns_merge(c, c + 1, m1, p1, m2, p2, m); @/
    }
  }

  /@ assigns \nothing;
     ensures attest_masses_extend(m);
     ensures attest_columns_extend(0, width, m); @/
  static inline void attest_all_extend(size_t width, float m) {
    attest_all_masses_extend(m);
    /@ loop invariant 0 <= c <= width;
       loop invariant attest_columns_extend(0, c, m);
       loop assigns c;
       loop variant width - c; @/
    for (size_t c = 0; c != width; c++) {
      attest_all_moments_extend(c, m);
      /@ assert column: attest_columns_extend(c, c + 1, m); @/
    }
  }

  /@ assigns \nothing;
     ensures \forall integer i, a, b, d; attest_keys(a, b) && attest_keys(b, d) ==>
       (attest_any(i, a, d) <==> attest_any(i, a, b) || attest_any(i, b, d)); @/
  static inline void attest_all_any(void) {}
*/

#endif
