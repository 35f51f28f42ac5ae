#ifndef ATTEST_Q16_THEORY_H
#define ATTEST_Q16_THEORY_H

#include <stdint.h>

/*@ // What the kernels compute, as functions of numbers alone: scores and weights in logic, for the
    // proofs (proofs/fixed.md). No code. What is recursive falls to 0.

    // a b for a >= 0, which the solvers do not take apart by themselves
    logic integer attest_q16_times_of(integer a, integer b) =
      a <= 0 ? 0 : attest_q16_times_of(a - 1, b) + b;

    // 2^k
    logic integer attest_q16_two(integer k) = k <= 0 ? 1 : 2 * attest_q16_two(k - 1);

    // <q, k> of n elements, in units of 2^-32
    logic integer attest_q16_dot_product{L}(int32_t *q, int32_t *k, integer n) =
      n <= 0 ? 0 : attest_q16_dot_product(q, k, n - 1) + q[n - 1] * k[n - 1];

    // x / 2^k for x >= 0 and k >= 1, to nearest, halves up
    logic integer attest_q16_nearest(integer x, integer k) =
      (x / attest_q16_two(k - 1) + 1) / 2;

    logic integer attest_q16_magnitude(integer x) = x >= 0 ? x : -x;

    // y = dot * mantissa * 2^exponent in units of 2^-32, to nearest, halves away from 0
    logic integer attest_q16_rounded(integer dot, integer mantissa, integer exponent) =
      dot >= 0 ? attest_q16_nearest(attest_q16_magnitude(dot) * mantissa, -exponent)
               : -attest_q16_nearest(attest_q16_magnitude(dot) * mantissa, -exponent);

    // y + 2^62 in two words: y = (whole - 2^62) + fraction / 2^32
    logic integer attest_q16_score_whole(integer dot, integer mantissa, integer exponent) =
      (19807040628566084398385987584 + attest_q16_rounded(dot, mantissa, exponent)) / 4294967296;
    logic integer attest_q16_score_fraction(integer dot, integer mantissa, integer exponent) =
      (19807040628566084398385987584 + attest_q16_rounded(dot, mantissa, exponent)) % 4294967296;

    // 2^(32 - i / 32), nearest; the first one less
    logic integer attest_q16_root(integer i) =
      i == 0 ? 4294967295 : i == 1 ? 4202935003 : i == 2 ? 4112874773 : i == 3 ? 4024744348 :
      i == 4 ? 3938502376 : i == 5 ? 3854108391 : i == 6 ? 3771522796 : i == 7 ? 3690706840 :
      i == 8 ? 3611622603 : i == 9 ? 3534232978 : i == 10 ? 3458501653 : i == 11 ? 3384393094 :
      i == 12 ? 3311872529 : i == 13 ? 3240905930 : i == 14 ? 3171459999 : i == 15 ? 3103502151 :
      i == 16 ? 3037000500 : i == 17 ? 2971923842 : i == 18 ? 2908241642 : i == 19 ? 2845924021 :
      i == 20 ? 2784941738 : i == 21 ? 2725266179 : i == 22 ? 2666869345 : i == 23 ? 2609723834 :
      i == 24 ? 2553802834 : i == 25 ? 2499080105 : i == 26 ? 2445529972 : i == 27 ? 2393127307 :
      i == 28 ? 2341847524 : i == 29 ? 2291666561 : i == 30 ? 2242560872 : 2194507417;

    // the upper half of a product
    logic integer attest_q16_high_part(integer a, integer b) = a * b / 4294967296;

    // (1 - 2^-r) 2^32 for r / 2^32 in [0, 1/32), by a cubic
    logic integer attest_q16_loss(integer r) =
      attest_q16_high_part(r, 2977044433 -
        attest_q16_high_part(1031742492 - attest_q16_high_part(236462803, r), r));

    // 2^(32 - fraction / 2^32), nearly
    logic integer attest_q16_power_at(integer fraction) =
      attest_q16_root(fraction / 134217728) -
      attest_q16_high_part(attest_q16_root(fraction / 134217728),
                          attest_q16_loss(fraction % 134217728));

    // 2^(fraction / 2^32) in Q1.23
    logic integer attest_q16_mantissa_at(integer fraction) =
      fraction == 0 ? 8388608 : (attest_q16_power_at(4294967296 - fraction) / 128 + 1) / 2;

    // by how much a score is below the top
    logic integer attest_q16_fall(integer whole, integer top) = top > whole ? top - whole : 0;

    logic integer attest_q16_near_at(integer whole, integer top) =
      attest_q16_fall(whole, top) < 8 ? 1 : 0;

    // 2^(y - top) in units of 2^-38, cut off; near weights in units of 2^-30
    logic integer attest_q16_mass_at(integer whole, integer fraction, integer top) =
      attest_q16_fall(whole, top) > 39 ? 0 :
      attest_q16_fall(whole, top) < 8 ?
        attest_q16_mantissa_at(fraction) * 128 / attest_q16_two(attest_q16_fall(whole, top)) * 256 :
        attest_q16_mantissa_at(fraction) * 128 / attest_q16_two(attest_q16_fall(whole, top) - 8);
*/

/*@ ghost
  // steps of proofs
  /@ assigns \nothing;
     ensures attest_q16_two(0) == 1 && attest_q16_two(1) == 2 && attest_q16_two(2) == 4;
     ensures attest_q16_two(4) == 16 && attest_q16_two(8) == 256;
     ensures attest_q16_two(15) == 32768 && attest_q16_two(16) == 65536;
     ensures attest_q16_two(32) == 4294967296; @/
  static inline void attest_q16_twos(void) {}

  /@ assigns \nothing;
     ensures sum: attest_q16_two(a + b) == attest_q16_two(a) * attest_q16_two(b);
     ensures least: 1 <= attest_q16_two(b); @/
  static inline void attest_q16_two_sum(uint32_t a, uint32_t b) {
    /@ loop invariant 0 <= i <= b;
       loop invariant attest_q16_two(a + i) == attest_q16_two(a) * attest_q16_two(i);
       loop invariant 1 <= attest_q16_two(i);
       loop assigns i;
       loop variant b - i; @/
    for (uint32_t i = 0; i < b; i++) {}
  }

  /@ requires a <= b;
     assigns \nothing;
     ensures attest_q16_two(a) <= attest_q16_two(b); @/
  static inline void attest_q16_two_order(uint32_t a, uint32_t b) {
    attest_q16_two_sum(a, b - a);
    attest_q16_two_sum(0, a);
    /@ assert attest_q16_two(a) * 1 <= attest_q16_two(a) * attest_q16_two(b - a); @/
  }

  /@ assigns \nothing;
     ensures a <= 63 ==> attest_q16_two(a) <= 9223372036854775808;
     ensures a <= 31 ==> attest_q16_two(a) <= 2147483648; @/
  static inline void attest_q16_two_most(uint32_t a) {
    if (a <= 63) attest_q16_two_order(a, 63);
    if (a <= 31) attest_q16_two_order(a, 31);
    attest_q16_two_sum(15, 16);
    attest_q16_two_sum(31, 32);
    attest_q16_twos();
  }

  /@ requires k <= 63;
     assigns \nothing;
     ensures \result == attest_q16_two(k) && 1 <= \result; @/
  static inline uint64_t attest_q16_two_of(uint32_t k) {
    uint64_t two = 1;
    /@ loop invariant 0 <= i <= k && two == attest_q16_two(i) && 1 <= two;
       loop assigns i, two;
       loop variant k - i; @/
    for (uint32_t i = 0; i < k; i++) {
      attest_q16_two_most(i + 1U);
      two *= 2U;
    }
    return two;
  }

  /@ requires a < b;
     assigns \nothing;
     ensures (a + 1) * d <= b * d; @/
  static inline void attest_q16_times(uint64_t a, uint64_t b, uint64_t d) {}

  // x / a / b = x / (a b) for the numbers x of attest_q16_scaled
  /@ requires 1 <= m;
     requires \let x = (upper * 65536 + lower) * mantissa; \let q = x / a / b;
       0 <= x && q * m <= x < (q + 1) * m;
     assigns \nothing;
     ensures (upper * 65536 + lower) * mantissa / a / b ==
       (upper * 65536 + lower) * mantissa / m; @/
  static inline void attest_q16_same_quotient(uint64_t upper, uint32_t lower, uint32_t mantissa,
                                              uint64_t a, uint64_t b, uint64_t m) {
    /@ assert division: \let x = (upper * 65536 + lower) * mantissa;
         x / m * m <= x < (x / m + 1) * m; @/
    /@ assert one: \let x = (upper * 65536 + lower) * mantissa;
         x / a / b + 1 <= x / m ==> (x / a / b + 1) * m <= x / m * m; @/
    /@ assert other: \let x = (upper * 65536 + lower) * mantissa;
         x / m + 1 <= x / a / b ==> (x / m + 1) * m <= x / a / b * m; @/
  }

  /@ requires 1 <= a && 1 <= b && a * b <= 18446744073709551615;
     assigns \nothing;
     ensures (upper * 65536 + lower) * mantissa / a / b ==
       (upper * 65536 + lower) * mantissa / (a * b); @/
  static inline void attest_q16_divide_wide(uint64_t upper, uint32_t lower, uint32_t mantissa,
                                            uint64_t a, uint64_t b) {
    /@ assert sign: 0 <= (upper * 65536 + lower) * mantissa; @/
    /@ assert first: \let x = (upper * 65536 + lower) * mantissa;
         x / a * a <= x < (x / a + 1) * a; @/
    /@ assert second: \let y = (upper * 65536 + lower) * mantissa / a;
         y / b * b <= y < (y / b + 1) * b; @/
    /@ assert low: \let y = (upper * 65536 + lower) * mantissa / a;
         y / b * b * a <= y * a; @/
    /@ assert high: \let y = (upper * 65536 + lower) * mantissa / a;
         (y + 1) * a <= (y / b + 1) * b * a; @/
    /@ assert quotient: \let x = (upper * 65536 + lower) * mantissa; \let q = x / a / b;
         q * (a * b) <= x < (q + 1) * (a * b); @/
    attest_q16_same_quotient(upper, lower, mantissa, a, b, a * b);
  }

  /@ requires shift + drop <= 63;
     assigns \nothing;
     ensures (upper * 65536 + lower) * mantissa / attest_q16_two(shift) / attest_q16_two(drop) ==
       (upper * 65536 + lower) * mantissa / attest_q16_two(shift + drop); @/
  static inline void attest_q16_down_wide(uint64_t upper, uint32_t lower, uint32_t mantissa,
                                          uint32_t shift, uint32_t drop) {
    attest_q16_two_sum(shift, drop);
    attest_q16_two_most(shift + drop);
    const uint64_t a = attest_q16_two_of(shift), b = attest_q16_two_of(drop);
    attest_q16_divide_wide(upper, lower, mantissa, a, b);
  }

  /@ requires a + b <= 63;
     assigns \nothing;
     ensures x / attest_q16_two(a) / attest_q16_two(b) == x / attest_q16_two(a + b); @/
  static inline void attest_q16_down_twice(uint64_t x, uint32_t a, uint32_t b) {
    attest_q16_down_wide(x / 65536U, (uint32_t)(x % 65536U), 1U, a, b);
  }

  /@ requires 1 <= d && (q * 4294967296 + r) * d <= x * 4294967296 + y <
       (q * 4294967296 + r + 1) * d;
     assigns \nothing;
     ensures (x * 4294967296 + y) / d == q * 4294967296 + r; @/
  static inline void attest_q16_wide_quotient(uint64_t x, uint64_t y, uint64_t d, uint64_t q,
                                              uint64_t r) {
    /@ assert division: \let p = (x * 4294967296 + y) / d;
         p * d <= x * 4294967296 + y < (p + 1) * d; @/
    /@ assert one: \let p = (x * 4294967296 + y) / d; \let w = q * 4294967296 + r;
         p + 1 <= w ==> (p + 1) * d <= w * d; @/
    /@ assert other: \let p = (x * 4294967296 + y) / d; \let w = q * 4294967296 + r;
         w + 1 <= p ==> (w + 1) * d <= p * d; @/
  }

  // a division of two words, one word at a time, where d e = 2^32
  /@ requires bottom <= 4294967295 && 1 <= d <= 4294967296 && d * e == 4294967296;
     assigns \nothing;
     ensures (top * 4294967296 + bottom) / d ==
       top / d * 4294967296 + (top % 4294967296 * 4294967296 + bottom) / d % 4294967296; @/
  static inline void attest_q16_divide_words(uint64_t top, uint64_t bottom, uint64_t d,
                                             uint64_t e) {
    const uint64_t above = top / d, rest = top % d, word = top / 4294967296U;
    /@ assert rest: 0 <= rest <= d - 1 && top == above * d + rest; @/
    const uint64_t part = rest * 4294967296U + bottom, last = part / d;
    /@ assert last: last * d <= part < (last + 1) * d; @/
    /@ assert most: part < d * 4294967296; @/
    /@ assert word: last <= 4294967295; @/
    attest_q16_wide_quotient(top, bottom, d, above, last);
    /@ assert left: top - word * 4294967296 == (above - word * e) * d + rest; @/
    if (above < word * e) attest_q16_times(above, word * e, d);
    /@ assert least: 0 <= above - word * e; @/
    const uint64_t left = above - word * e;
    attest_q16_wide_quotient(top % 4294967296U, bottom, d, left, last);
    /@ assert modulo: (left * 4294967296 + last) % 4294967296 == last; @/
  }

  /@ requires bottom <= 4294967295 && drop <= 31;
     assigns \nothing;
     ensures \let d = attest_q16_two(drop); (top * 4294967296 + bottom) / d ==
       top / d * 4294967296 + (top % 4294967296 * 4294967296 + bottom) / d % 4294967296; @/
  static inline void attest_q16_down_words(uint64_t top, uint64_t bottom, uint32_t drop) {
    attest_q16_two_sum(drop, 32U - drop);
    attest_q16_two_most(drop);
    attest_q16_twos();
    const uint64_t d = attest_q16_two_of(drop), e = attest_q16_two_of(32U - drop);
    attest_q16_divide_words(top, bottom, d, e);
  }

  // |<q, k>| <= n 2^62
  /@ requires n <= 1024;
     assigns \nothing;
     ensures -(n * 4611686018427387904) <= attest_q16_dot_product(q, k, n) <=
       n * 4611686018427387904; @/
  static inline void attest_q16_dot_bound(const int32_t *q, const int32_t *k, uint32_t n) {
    /@ loop invariant 0 <= c <= n;
       loop invariant -(c * 4611686018427387904) <= attest_q16_dot_product(q, k, c) <=
         c * 4611686018427387904;
       loop assigns c;
       loop variant n - c; @/
    for (uint32_t c = 0; c < n; c++) {
      /@ assert term: -4611686018427387904 <= q[c] * k[c] <= 4611686018427387904; @/
    }
  }

  // scores are never 0 in their offset form
  /@ requires n <= 1024 && -64 <= exponent <= -17;
     assigns \nothing;
     ensures 1 <= attest_q16_score_whole(attest_q16_dot_product(q, k, n), mantissa, exponent) <=
       9223372036854775807;
     ensures 0 <= attest_q16_score_fraction(attest_q16_dot_product(q, k, n), mantissa, exponent) <=
       4294967295; @/
  static inline void attest_q16_whole_bound(const int32_t *q, const int32_t *k, uint32_t n,
                                            uint32_t mantissa, int32_t exponent) {
    attest_q16_dot_bound(q, k, n);
    attest_q16_two_order(16U, (uint32_t)(-exponent - 1));
    attest_q16_twos();
    /@ assert product: \let x = attest_q16_magnitude(attest_q16_dot_product(q, k, n));
         0 <= x * mantissa <= 1024 * 4611686018427387904 * 4294967295; @/
    /@ assert sign: \let x = attest_q16_magnitude(attest_q16_dot_product(q, k, n)) * mantissa;
         0 <= x / attest_q16_two(-exponent - 1); @/
    /@ assert part: \let x = attest_q16_magnitude(attest_q16_dot_product(q, k, n)) * mantissa;
         \let d = attest_q16_two(-exponent - 1); x / d * d <= x; @/
    /@ assert most: \let x = attest_q16_magnitude(attest_q16_dot_product(q, k, n)) * mantissa;
         \let d = attest_q16_two(-exponent - 1); x / d * 65536 <= x / d * d; @/
    /@ assert rounded: \let x = attest_q16_magnitude(attest_q16_dot_product(q, k, n)) * mantissa;
         0 <= attest_q16_nearest(x, -exponent) <= 309485009821345068724781056; @/
  }

  /@ assigns \nothing;
     ensures \forall integer a, b; 0 <= a <= 72057594037927936 ==>
       attest_q16_times_of(a, b) == a * b; @/
  static inline void attest_q16_times_is(void) {
    /@ loop invariant 0 <= n <= 72057594037927937;
       loop invariant \forall integer a, b; 0 <= a < n ==> attest_q16_times_of(a, b) == a * b;
       loop assigns n;
       loop variant 72057594037927937 - n; @/
    for (uint64_t n = 0; n < 72057594037927937U; n++) {
      /@ assert next: \forall integer b; attest_q16_times_of(n, b) == n * b; @/
    }
  }

  /@ assigns \nothing;
     ensures order: \forall integer w, a, b; 0 <= w <= 72057594037927936 && a <= b ==>
       attest_q16_times_of(w, a) <= attest_q16_times_of(w, b); @/
  static inline void attest_q16_times_order(void) {
    attest_q16_times_is();
  }

  /@ assigns \nothing;
     ensures \forall integer v, w, a; 0 <= v && 0 <= w && v + w <= 72057594037927936 ==>
       attest_q16_times_of(v + w, a) == attest_q16_times_of(v, a) + attest_q16_times_of(w, a); @/
  static inline void attest_q16_times_sums(void) {
    attest_q16_times_is();
  }
*/

#endif
