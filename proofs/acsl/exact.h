/* Attention in the reals, for the pass `exact` of proofs/run: sums of powers of two over the visible keys
   of a row, and what may be done to them. No code. proofs/README.md lists the theorems. */
#ifndef ATTEST_PROOFS_EXACT_H
#define ATTEST_PROOFS_EXACT_H

#include <stddef.h>

/*@ // the mathematical reals: ref/ has a C type of the name `real`
    type attest_number = real;

    predicate attest_whole(attest_number x) = \floor(x) == x;

    // x == 0.0, which WP does not write for the provers under a quantifier
    predicate attest_zero(attest_number x) = 0.0 <= x <= 0.0;

    // x p. Under a name, since the provers do not see that products of equal terms are equal; the
    // case keeps the name from being replaced by the product.
    logic attest_number attest_times(attest_number x, attest_number p) = p == 0.0 ? 0.0 : x * p;

    // the order of these matters: each is a hypothesis of all that follow
    lemma attest_products_swap: \forall attest_number x, v, p, a, b;
      a == x * v && b == x * p ==> a * p == b * v;
    lemma attest_whole_floors: \forall attest_number a, b; \let k = \floor(a) - \floor(b);
      attest_whole(a) && attest_whole(b) ==> a - b == k && \floor(a - b) == k;
    lemma attest_whole_difference: \forall attest_number a, b;
      attest_whole(a) && attest_whole(b) ==> attest_whole(a - b);
    lemma attest_times_zero: \forall attest_number p;
      attest_times(0.0, p) == 0.0 && attest_times(p, 0.0) == 0.0;
    lemma attest_times_products: \forall attest_number x, v, p, a, b;
      a == x * v && b == x * p ==> attest_times(a, p) == attest_times(b, v);
    lemma attest_times_swap: \forall attest_number x, v, p, a, b;
      a == attest_times(x, v) && b == attest_times(x, p) ==>
        attest_times(a, p) == attest_times(b, v);
    lemma attest_times_sum: \forall attest_number x, y, p;
      attest_times(x + y, p) == attest_times(x, p) + attest_times(y, p);
    lemma attest_quotient: \forall attest_number l, o, p, lp, op;
      0.0 < l && 0.0 < lp && lp == l * p && op == o * p ==> op / lp == o / l;

    // 2^(x - m). Each axiom is proved of exp((x - m) log 2) in power.h; that file stands apart since
    // with exp the provers find nothing else.
    axiomatic attest_powers {
      logic attest_number attest_two_to(attest_number x, attest_number m) reads \nothing;
      axiom attest_two_to_one: attest_two_to(1.0, 0.0) == 2.0;
      axiom attest_two_to_same: \forall attest_number x; attest_two_to(x, x) == 1.0;
      axiom attest_two_to_positive: \forall attest_number x, m; 0.0 < attest_two_to(x, m);
      axiom attest_two_to_chain: \forall attest_number x, m, n;
        attest_times(attest_two_to(x, m), attest_two_to(m, n)) == attest_two_to(x, n);
      axiom attest_two_to_difference: \forall attest_number x, m;
        attest_two_to(x - m, 0.0) == attest_two_to(x, m);
    }

    // Scores and values of one head. Declared, never defined: what is proved holds for all of them.
    axiomatic attest_head_numbers {
      logic boolean attest_sees(integer i, integer j) reads \nothing; // key j is visible to row i
      logic attest_number attest_y(integer i, integer j) reads \nothing; // its score, base 2
      logic attest_number attest_v(integer j, integer c) reads \nothing; // its value in column c
    }

    // the weight of a key before the division, against the reference m; 0 where it is hidden
    logic attest_number attest_term(integer i, integer j, attest_number m) =
      attest_sees(i, j) ? attest_two_to(attest_y(i, j), m) : 0.0;

    // sums over the keys a <= j < b: of the weights, and of the weights times column c of the values
    logic attest_number attest_mass(integer i, integer a, integer b, attest_number m) =
      b <= a ? 0.0 : attest_mass(i, a, b - 1, m) + attest_term(i, b - 1, m);
    logic attest_number attest_moment(integer i, integer c, integer a, integer b, attest_number m) =
      b <= a ? 0.0 : attest_moment(i, c, a, b - 1, m) +
                     attest_times(attest_term(i, b - 1, m), attest_v(b - 1, c));

    predicate attest_any(integer i, integer a, integer b) =
      \exists integer j; a <= j < b && attest_sees(i, j);

    // column c of the output of row i from the keys a <= j < b: the naive quotient, reference 0
    logic attest_number attest_o(integer i, integer c, integer a, integer b) =
      attest_moment(i, c, a, b, 0.0) / attest_mass(i, a, b, 0.0);

    // What t tiles come to where each new reference rescales what is there: tile t holds the keys
    // from cut[t] to cut[t + 1] - 1 and is added against reference[t + 1].
    logic attest_number attest_tiled_mass{L}(integer i, size_t *cut, float *reference, integer t) =
      t <= 0 ? 0.0 :
      attest_times(attest_tiled_mass(i, cut, reference, t - 1),
                   attest_two_to(reference[t - 1], reference[t])) +
      attest_mass(i, cut[t - 1], cut[t], reference[t]);
    logic attest_number attest_tiled_moment{L}(integer i, integer c, size_t *cut, float *reference,
                                               integer t) =
      t <= 0 ? 0.0 :
      attest_times(attest_tiled_moment(i, c, cut, reference, t - 1),
                   attest_two_to(reference[t - 1], reference[t])) +
      attest_moment(i, c, cut[t - 1], cut[t], reference[t]);

    // k * cols, where row k begins; its name is what the provers compare
    logic integer attest_place(integer k, integer cols) =
      k <= 0 ? 0 : attest_place(k - 1, cols) + cols;

    // an element of a product in the reals, its first n terms: of a row a and column c of b, whose rows
    // have cols elements
    logic attest_number attest_cell{L}(float *a, float *b, integer cols, integer c, integer n) =
      n <= 0 ? 0.0 : attest_cell(a, b, cols, c, n - 1) +
                     attest_times(a[n - 1], b[attest_place(n - 1, cols) + c]);

    // what out holds in state B is a b, as they are in state A
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

    lemma attest_term_shift: \forall integer i, j, attest_number m, n;
      attest_times(attest_term(i, j, m), attest_two_to(m, n)) == attest_term(i, j, n);
    lemma attest_term_sign: \forall integer i, j, attest_number m;
      0.0 <= attest_term(i, j, m) && (attest_sees(i, j) ==> 0.0 < attest_term(i, j, m));
*/

/*@ ghost
  /@ assigns \nothing;
     ensures attest_times(x, p) == x * p; @/
  static inline void attest_named_product(float x, float p) {}

  /@ assigns \nothing;
     ensures 0.0 < l && x == o / l ==> attest_times(l, x) == o; @/
  static inline void attest_divided(float o, float l, float x) {
    /@ assert product: 0.0 < l && x == o / l ==> x * l == o; @/
    attest_named_product(l, x);
  }

  // what the ideal contract of attest_pow2 asks for, and gives
  /@ requires attest_whole(x) && attest_whole(m) && x <= m;
     assigns \nothing;
     ensures attest_whole(x - m) && x - m <= 0.0;
     ensures attest_two_to(x - m, 0.0) == attest_two_to(x, m); @/
  static inline void attest_power_between(float x, float m) {}

  // 2^(y - m) in two factors around n
  /@ assigns \nothing;
     ensures attest_times(attest_two_to(y - n, 0.0), attest_two_to(n - m, 0.0)) ==
       attest_two_to(y, m);
     ensures attest_whole(n) && attest_whole(m) ==> attest_whole(n - m); @/
  static inline void attest_two_factors(float y, float n, float m) {
    /@ assert attest_times(attest_two_to(y, n), attest_two_to(n, m)) == attest_two_to(y, m); @/
  }

  // a change of reference multiplies the sums by a power of two
  /@ requires a <= b;
     assigns \nothing;
     ensures attest_times(attest_mass(i, a, b, m), attest_two_to(m, n)) ==
       attest_mass(i, a, b, n); @/
  static inline void attest_mass_shift(size_t i, size_t a, size_t b, float m, float n) {
    /@ loop invariant a <= j <= b;
       loop invariant attest_times(attest_mass(i, a, j, m), attest_two_to(m, n)) ==
         attest_mass(i, a, j, n);
       loop assigns j;
       loop variant b - j; @/
    for (size_t j = a; j != b; j++) {
      /@ assert term: attest_times(attest_term(i, j, m), attest_two_to(m, n)) ==
           attest_term(i, j, n); @/
    }
  }

  /@ requires a <= b;
     assigns \nothing;
     ensures attest_times(attest_moment(i, c, a, b, m), attest_two_to(m, n)) ==
       attest_moment(i, c, a, b, n); @/
  static inline void attest_moment_shift(size_t i, size_t c, size_t a, size_t b, float m, float n) {
    /@ loop invariant a <= j <= b;
       loop invariant attest_times(attest_moment(i, c, a, j, m), attest_two_to(m, n)) ==
         attest_moment(i, c, a, j, n);
       loop assigns j;
       loop variant b - j; @/
    for (size_t j = a; j != b; j++) {
      /@ assert term: attest_times(attest_term(i, j, m), attest_two_to(m, n)) ==
           attest_term(i, j, n); @/
      /@ assert value: \let w = attest_times(attest_term(i, j, m), attest_v(j, c));
           attest_times(w, attest_two_to(m, n)) ==
           attest_times(attest_term(i, j, n), attest_v(j, c)); @/
      /@ assert sum: \let o = attest_moment(i, c, a, j, m); \let p = attest_two_to(m, n);
           \let w = attest_times(attest_term(i, j, m), attest_v(j, c));
           attest_times(o + w, p) == attest_times(o, p) + attest_times(w, p); @/
    }
  }

  // the same of numbers
  /@ requires a <= b && l == attest_mass(i, a, b, m) && p == attest_two_to(m, n);
     assigns \nothing;
     ensures l * p == attest_mass(i, a, b, n); @/
  static inline void attest_mass_rescale(size_t i, size_t a, size_t b, float m, float n, float l,
                                         float p) {
    attest_mass_shift(i, a, b, m, n);
    attest_named_product(l, p);
  }

  /@ requires a <= b && o == attest_moment(i, c, a, b, m) && p == attest_two_to(m, n);
     assigns \nothing;
     ensures o * p == attest_moment(i, c, a, b, n); @/
  static inline void attest_moment_rescale(size_t i, size_t c, size_t a, size_t b, float m, float n,
                                           float o, float p) {
    attest_moment_shift(i, c, a, b, m, n);
    attest_named_product(o, p);
  }

  // the next key
  /@ requires a <= b && w == attest_term(i, b, m) && v == attest_v(b, c);
     requires o == attest_moment(i, c, a, b, m);
     assigns \nothing;
     ensures o + w * v == attest_moment(i, c, a, b + 1, m); @/
  static inline void attest_moment_next(size_t i, size_t c, size_t a, size_t b, float m, float o,
                                        float w, float v) {
    attest_named_product(w, v);
  }

  /@ requires 0.0 < l && 0.0 < k && k == l * p && u == o * p;
     assigns \nothing;
     ensures o / l == u / k; @/
  static inline void attest_cancel(float l, float o, float k, float u, float p) {}

  // the sums over two adjacent parts add up to those over both
  /@ requires a <= b <= d;
     assigns \nothing;
     ensures attest_mass(i, a, b, m) + attest_mass(i, b, d, m) == attest_mass(i, a, d, m); @/
  static inline void attest_mass_split(size_t i, size_t a, size_t b, size_t d, float m) {
    /@ loop invariant b <= j <= d;
       loop invariant attest_mass(i, a, b, m) + attest_mass(i, b, j, m) == attest_mass(i, a, j, m);
       loop assigns j;
       loop variant d - j; @/
    for (size_t j = b; j != d; j++) {}
  }

  /@ requires a <= b <= d;
     assigns \nothing;
     ensures attest_moment(i, c, a, b, m) + attest_moment(i, c, b, d, m) ==
       attest_moment(i, c, a, d, m); @/
  static inline void attest_moment_split(size_t i, size_t c, size_t a, size_t b, size_t d,
                                         float m) {
    /@ loop invariant b <= j <= d;
       loop invariant attest_moment(i, c, a, b, m) + attest_moment(i, c, b, j, m) ==
         attest_moment(i, c, a, j, m);
       loop assigns j;
       loop variant d - j; @/
    for (size_t j = b; j != d; j++) {}
  }

  /@ requires a <= b;
     assigns \nothing;
     ensures attest_any(i, a, b + 1) <==> attest_any(i, a, b) || attest_sees(i, b); @/
  static inline void attest_any_next(size_t i, size_t a, size_t b) {}

  // where a key is visible the sum of the weights is positive
  /@ requires a <= b;
     assigns \nothing;
     ensures 0.0 <= attest_mass(i, a, b, m);
     ensures attest_any(i, a, b) ==> 0.0 < attest_mass(i, a, b, m); @/
  static inline void attest_mass_sign(size_t i, size_t a, size_t b, float m) {
    /@ loop invariant a <= j <= b;
       loop invariant 0.0 <= attest_mass(i, a, j, m);
       loop invariant attest_any(i, a, j) ==> 0.0 < attest_mass(i, a, j, m);
       loop assigns j;
       loop variant b - j; @/
    for (size_t j = a; j != b; j++) {
      /@ assert attest_any(i, a, j + 1) ==> attest_any(i, a, j) || attest_sees(i, j); @/
    }
  }

  // where none is, both sums are 0
  /@ requires a <= b && !attest_any(i, a, b);
     assigns \nothing;
     ensures attest_mass(i, a, b, m) == 0.0 && attest_moment(i, c, a, b, m) == 0.0; @/
  static inline void attest_sums_empty(size_t i, size_t c, size_t a, size_t b, float m) {
    /@ loop invariant a <= j <= b;
       loop invariant attest_mass(i, a, j, m) == 0.0 && attest_moment(i, c, a, j, m) == 0.0;
       loop assigns j;
       loop variant b - j; @/
    for (size_t j = a; j != b; j++) {}
  }

  // Any reference gives the same quotient.
  /@ requires a <= b && attest_any(i, a, b);
     requires l == attest_mass(i, a, b, m) && o == attest_moment(i, c, a, b, m);
     requires k == attest_mass(i, a, b, n) && u == attest_moment(i, c, a, b, n);
     requires p == attest_two_to(m, n);
     assigns \nothing;
     ensures 0.0 < l && 0.0 < k && o / l == u / k; @/
  static inline void attest_any_reference(size_t i, size_t c, size_t a, size_t b, float m, float l,
                                          float o, float n, float k, float u, float p) {
    attest_mass_sign(i, a, b, m);
    attest_mass_sign(i, a, b, n);
    attest_mass_rescale(i, a, b, m, n, l, p);
    attest_moment_rescale(i, c, a, b, m, n, o, p);
    attest_cancel(l, o, k, u, p);
  }

  // The online step: a new reference rescales both sums, then the next key is added.
  /@ requires a <= b && p == attest_two_to(m, n);
     requires l == attest_mass(i, a, b, m) && o == attest_moment(i, c, a, b, m);
     requires w == attest_term(i, b, n) && v == attest_v(b, c);
     assigns \nothing;
     ensures l * p + w == attest_mass(i, a, b + 1, n);
     ensures o * p + w * v == attest_moment(i, c, a, b + 1, n); @/
  static inline void attest_online_step(size_t i, size_t c, size_t a, size_t b, float m, float n,
                                        float l, float o, float p, float w, float v) {
    attest_mass_rescale(i, a, b, m, n, l, p);
    attest_moment_rescale(i, c, a, b, m, n, o, p);
    attest_moment_next(i, c, a, b, n, o * p, w, v);
  }

  // Partial results of two adjacent parts, each against its own reference, merge into the whole
  // against any third.
  /@ requires a <= b <= d && p1 == attest_two_to(m1, m) && p2 == attest_two_to(m2, m);
     requires l1 == attest_mass(i, a, b, m1) && l2 == attest_mass(i, b, d, m2);
     assigns \nothing;
     ensures l1 * p1 + l2 * p2 == attest_mass(i, a, d, m); @/
  static inline void attest_merge_masses(size_t i, size_t a, size_t b, size_t d, float m1, float l1,
                                         float p1, float m2, float l2, float p2, float m) {
    attest_mass_rescale(i, a, b, m1, m, l1, p1);
    attest_mass_rescale(i, b, d, m2, m, l2, p2);
    attest_mass_split(i, a, b, d, m);
  }

  /@ requires a <= b <= d && p1 == attest_two_to(m1, m) && p2 == attest_two_to(m2, m);
     requires o1 == attest_moment(i, c, a, b, m1) && o2 == attest_moment(i, c, b, d, m2);
     assigns \nothing;
     ensures o1 * p1 + o2 * p2 == attest_moment(i, c, a, d, m); @/
  static inline void attest_merge_moments(size_t i, size_t c, size_t a, size_t b, size_t d,
                                          float m1, float o1, float p1, float m2, float o2,
                                          float p2, float m) {
    attest_moment_rescale(i, c, a, b, m1, m, o1, p1);
    attest_moment_rescale(i, c, b, d, m2, m, o2, p2);
    attest_moment_split(i, c, a, b, d, m);
  }

  // Tile after tile, cut anywhere, against any references: the sums of the whole.
  /@ requires \valid_read(cut + (0 .. count)) && \valid_read(reference + (0 .. count));
     requires count <= 4294967295;
     requires \forall integer t; 0 <= t < count ==> cut[t] <= cut[t + 1];
     assigns \nothing;
     ensures cut[0] <= cut[count];
     ensures attest_tiled_mass(i, cut, reference, count) ==
       attest_mass(i, cut[0], cut[count], reference[count]);
     ensures attest_tiled_moment(i, c, cut, reference, count) ==
       attest_moment(i, c, cut[0], cut[count], reference[count]); @/
  static inline void attest_tiles(size_t i, size_t c, const size_t *cut, const float *reference,
                                  size_t count) {
    /@ loop invariant 0 <= t <= count && cut[0] <= cut[t];
       loop invariant attest_tiled_mass(i, cut, reference, t) ==
         attest_mass(i, cut[0], cut[t], reference[t]);
       loop invariant attest_tiled_moment(i, c, cut, reference, t) ==
         attest_moment(i, c, cut[0], cut[t], reference[t]);
       loop assigns t;
       loop variant count - t; @/
    for (size_t t = 0; t != count; t++) {
      attest_mass_shift(i, cut[0], cut[t], reference[t], reference[t + 1]);
      attest_moment_shift(i, c, cut[0], cut[t], reference[t], reference[t + 1]);
      attest_mass_split(i, cut[0], cut[t], cut[t + 1], reference[t + 1]);
      attest_moment_split(i, c, cut[0], cut[t], cut[t + 1], reference[t + 1]);
    }
  }

  /@ requires k < rows;
     assigns \nothing;
     ensures place: attest_place(k, cols) == k * cols;
     ensures inside: 0 <= attest_place(k, cols) <= rows * cols - cols; @/
  static inline void attest_place_is(size_t k, size_t cols, size_t rows) {
    /@ loop invariant 0 <= i <= k && attest_place(i, cols) == i * cols;
       loop assigns i;
       loop variant k - i; @/
    for (size_t i = 0; i != k; i++) {}
    /@ assert k * cols <= (rows - 1) * cols; @/
  }

  /@ assigns \nothing;
     ensures \forall integer r; 0 <= r < k ==>
       attest_place(r, cols) + cols <= attest_place(k, cols); @/
  static inline void attest_places_grow(size_t k, size_t cols) {
    /@ loop invariant 0 <= i <= k;
       loop invariant \forall integer r; 0 <= r < i ==>
         attest_place(r, cols) + cols <= attest_place(i, cols);
       loop assigns i;
       loop variant k - i; @/
    for (size_t i = 0; i != k; i++) {}
  }

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

#endif
