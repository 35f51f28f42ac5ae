/* Which heads a problem has, and when all of them are done (proofs/fixed.md). No code. */
#ifndef ATTEST_Q16_HEADS_THEORY_H
#define ATTEST_Q16_HEADS_THEORY_H

#include "range_theory.h"

/*@ // elements from the first of head 0, row 0 to the last of the last row of the last head
    logic integer attest_q16_end(integer heads, integer rows, integer width, integer head,
                                 integer row) =
      rows <= 0 ? 0 : (heads - 1) * head + (rows - 1) * row + width;
    logic integer attest_q16_whole(integer heads, integer rows, integer width,
                                   attest_q16_strides s) =
      attest_q16_end(heads, rows, width, s.head, s.row);

    predicate attest_q16_tensor_fits(integer heads, integer rows, integer width,
                                     attest_q16_strides s) =
      0 <= (heads - 1) * s.head && 0 <= (rows - 1) * s.row &&
      attest_q16_fits((heads - 1) * s.head + (rows - 1) * s.row + width);

    // rows of `width` elements, n of them `stride` apart, in m groups `far` apart: none overlap
    predicate attest_q16_nested(integer width, integer n, integer stride, integer m,
                                integer far) =
      (n <= 1 || width <= stride) && (m <= 1 || attest_q16_extent(n, stride, width) <= far);

    predicate attest_q16_groups(integer heads, integer kv_heads) = heads % kv_heads == 0;

    // the key and value head of a query head
    logic integer attest_q16_kv_head(integer head, integer heads, integer kv_heads) =
      head / (heads / kv_heads);

    // keys by position: row i may see i + low <= j < i + high
    logic integer attest_q16_causal_high(attest_q16_shape s) =
      s.causal != 0 ? s.offset + 1 : 1073741824;
    logic integer attest_q16_high_at(attest_q16_shape s) =
      s.window != 0 && s.right >= 0 && s.offset + s.right + 1 < attest_q16_causal_high(s) ?
        s.offset + s.right + 1 : attest_q16_causal_high(s);
    logic integer attest_q16_low_at(attest_q16_shape s) =
      s.window != 0 && s.left >= 0 ? s.offset - s.left : -1073741824;

    predicate attest_q16_numbers_of(attest_q16_shape s, attest_q16_head g) =
      g.q_len == s.q_len && g.kv_len == s.kv_len && g.key_length == s.key_length &&
      g.width == s.width && g.value_width == s.value_width && g.q_row == s.q.row &&
      g.k_row == s.k.row && g.v_row == s.v.row && g.out_row == s.out.row &&
      g.mask_row == s.mask.row && g.low == attest_q16_low_at(s) &&
      g.high == attest_q16_high_at(s) && g.scale == s.scale;

    predicate attest_q16_query_of(attest_q16_shape s, attest_q16_arrays a, integer head,
                                  attest_q16_head g) =
      g.q == a.q + attest_q16_place(head, s.q.head) &&
      (s.kv_len == 0 || a.mask == \null ==> g.mask == \null) &&
      (s.kv_len >= 1 && a.mask != \null ==>
        g.mask == a.mask + attest_q16_place(head, s.mask.head));

    predicate attest_q16_keys_of(attest_q16_shape s, attest_q16_arrays a, integer kv_head,
                                 attest_q16_head g) =
      (s.kv_len == 0 ==> g.k == a.k && g.v == a.v) &&
      (s.kv_len >= 1 ==> g.k == a.k + attest_q16_place(kv_head, s.k.head) &&
        g.v == a.v + attest_q16_place(kv_head, s.v.head));

    predicate attest_q16_outputs_of(attest_q16_shape s, attest_q16_arrays a, integer head,
                                    attest_q16_head g) =
      g.out == a.out + attest_q16_place(head, s.out.head) &&
      (a.weights == \null ==> g.weights == \null) &&
      (a.weights != \null ==>
        g.weights == a.weights + attest_q16_place(head, s.q_len * s.kv_len));

    // g is query head `head` of a problem, as the nests see it
    predicate attest_q16_is_head(attest_q16_shape s, attest_q16_arrays a, integer head,
                                 attest_q16_head g) =
      attest_q16_numbers_of(s, g) && attest_q16_query_of(s, a, head, g) &&
      attest_q16_keys_of(s, a, attest_q16_kv_head(head, s.q_heads, s.kv_heads), g) &&
      attest_q16_outputs_of(s, a, head, g);

    // heads 0 to n - 1 in state L are what inputs in state K make them
    predicate attest_q16_heads_done{K, L}(attest_q16_shape s, attest_q16_arrays a, integer n) =
      \forall integer w, attest_q16_head g; 0 <= w < n && attest_q16_is_head(s, a, w, g) ==>
        attest_q16_head_done{K, L}(g);

    // their weights and outputs keep their ranges
    predicate attest_q16_heads_hold{L}(attest_q16_shape s, attest_q16_arrays a, integer n) =
      \forall integer w, attest_q16_head g; 0 <= w < n && attest_q16_is_head(s, a, w, g) ==>
        attest_q16_rows_hold(g);

    // the elements of the inputs are the same in two states
    predicate attest_q16_inputs_stay{K, L}(attest_q16_head g) =
      attest_q16_counts(g) && attest_q16_same_elements{K, L}(g);

    // what the inputs of all heads are is the same in two states
    predicate attest_q16_heads_same{K, L}(attest_q16_shape s, attest_q16_arrays a) =
      \forall integer w, attest_q16_head g; 0 <= w < s.q_heads &&
        attest_q16_is_head(s, a, w, g) ==> attest_q16_same_rows{K, L}(g);

    logic integer attest_q16_element{L}(int32_t *p, integer e) = p[e];
*/

/*@ ghost
  // rows and heads follow each other
  /@ assigns \nothing;
     ensures first: \forall integer t; 0 <= t <= n ==> 0 <= attest_q16_place(t, stride);
     ensures order: \forall integer t, u; 0 <= t < u <= n ==>
       attest_q16_place(t, stride) + stride <= attest_q16_place(u, stride);
     ensures is: \forall integer t; 0 <= t <= n ==> attest_q16_place(t, stride) == t * stride; @/
  static inline void attest_q16_places_order(uint32_t n, uint64_t stride) {
    /@ loop invariant 0 <= m <= n;
       loop invariant first: \forall integer t; 0 <= t <= m ==> 0 <= attest_q16_place(t, stride);
       loop invariant order: \forall integer t, u; 0 <= t < u <= m ==>
         attest_q16_place(t, stride) + stride <= attest_q16_place(u, stride);
       loop invariant is: \forall integer t; 0 <= t <= m ==>
         attest_q16_place(t, stride) == t * stride;
       loop assigns m;
       loop variant n - m; @/
    for (uint32_t m = 0; m < n; m++) {
      /@ assert next: attest_q16_place(m + 1, stride) == attest_q16_place(m, stride) + stride; @/
    }
  }

  /@ assigns \nothing;
     ensures \forall integer t, stride; 0 <= t <= 65536 ==>
       attest_q16_place(t, stride) == t * stride; @/
  static inline void attest_q16_places_are(void) {
    /@ loop invariant 0 <= n <= 65536;
       loop invariant \forall integer t, stride; 0 <= t <= n ==>
         attest_q16_place(t, stride) == t * stride;
       loop assigns n;
       loop variant 65536 - n; @/
    for (uint32_t n = 0; n < 65536U; n++) {}
  }

  // every element of every head is in the tensor
  /@ requires 1 <= heads && (1 <= rows ==> attest_q16_tensor_fits(heads, rows, width, s));
     assigns \nothing;
     ensures begin: \forall integer w; 0 <= w < heads ==> 0 <= attest_q16_place(w, s.head);
     ensures end: 1 <= rows ==> \forall integer w; 0 <= w < heads ==>
       attest_q16_place(w, s.head) + attest_q16_extent(rows, s.row, width) <=
         attest_q16_whole(heads, rows, width, s);
     ensures rows: \forall integer w, i; 0 <= w < heads && 0 <= i < rows ==>
       0 <= attest_q16_place(w, s.head) + attest_q16_place(i, s.row) &&
       attest_q16_place(w, s.head) + attest_q16_place(i, s.row) + width <=
         attest_q16_whole(heads, rows, width, s); @/
  static inline void attest_q16_heads_inside(uint32_t heads, uint32_t rows, uint32_t width,
                                             attest_q16_strides s) {
    attest_q16_places_order(heads - 1U, s.head);
    if (rows == 0U) return;
    attest_q16_places_order(rows - 1U, s.row);
    /@ assert last: attest_q16_place(rows - 1, s.row) + width ==
         attest_q16_extent(rows, s.row, width); @/
    /@ assert row: \forall integer i; 0 <= i < rows ==>
         0 <= attest_q16_place(i, s.row) &&
         attest_q16_place(i, s.row) + width <= attest_q16_extent(rows, s.row, width); @/
    /@ assert order: \forall integer w; 0 <= w < heads ==>
         attest_q16_place(w, s.head) <= attest_q16_place(heads - 1, s.head); @/
  }

  /@ requires 1 <= kv_heads <= heads <= 65536 && attest_q16_groups(heads, kv_heads);
     assigns \nothing;
     ensures \forall integer w; 0 <= w < heads ==>
       0 <= attest_q16_kv_head(w, heads, kv_heads) < kv_heads; @/
  static inline void attest_q16_kv_heads_inside(uint32_t heads, uint32_t kv_heads) {
    const uint32_t group = heads / kv_heads;
    /@ assert whole: heads == group * kv_heads; @/
    /@ assert some: group >= 1; @/
    /@ loop invariant 0 <= n <= heads;
       loop invariant \forall integer w; 0 <= w < n ==>
         0 <= attest_q16_kv_head(w, heads, kv_heads) < kv_heads;
       loop assigns n;
       loop variant heads - n; @/
    for (uint32_t n = 0; n < heads; n++) {
      const uint32_t kv_head = n / group;
      /@ assert below: kv_head * group <= n < kv_heads * group; @/
      /@ assert inside: kv_head < kv_heads; @/
    }
  }

  // elements of heads by their places in the whole arrays
  /@ requires s.q_len <= 65536 && s.kv_len <= 65536;
     assigns \nothing;
     ensures queries: \forall integer w, i, c, attest_q16_head g; 0 <= w < s.q_heads &&
       attest_q16_is_head(s, a, w, g) && 0 <= i < g.q_len ==> attest_q16_query_at(g, i, c) ==
       attest_q16_element(a.q, attest_q16_place(w, s.q.head) + attest_q16_place(i, g.q_row) + c);
     ensures keys: \forall integer w, j, c, attest_q16_head g; 0 <= w < s.q_heads &&
       attest_q16_is_head(s, a, w, g) && 0 <= j < g.kv_len ==> attest_q16_key_at(g, j, c) ==
       attest_q16_element(a.k,
         attest_q16_place(attest_q16_kv_head(w, s.q_heads, s.kv_heads), s.k.head) +
         attest_q16_place(j, g.k_row) + c);
     ensures values: \forall integer w, j, c, attest_q16_head g; 0 <= w < s.q_heads &&
       attest_q16_is_head(s, a, w, g) && 0 <= j < g.kv_len ==> attest_q16_value_at(g, j, c) ==
       attest_q16_element(a.v,
         attest_q16_place(attest_q16_kv_head(w, s.q_heads, s.kv_heads), s.v.head) +
         attest_q16_place(j, g.v_row) + c);
     ensures outputs: \forall integer w, i, c, attest_q16_head g;
       attest_q16_is_head(s, a, w, g) ==> attest_q16_out_at(g, i, c) == attest_q16_element(a.out,
         attest_q16_place(w, s.out.head) + attest_q16_place(i, s.out.row) + c);
     ensures shares: a.weights != \null ==> \forall integer w, i, j, attest_q16_head g;
       attest_q16_is_head(s, a, w, g) ==> attest_q16_share_of(g, i, j) ==
       attest_q16_element(a.weights, attest_q16_place(w, s.q_len * s.kv_len) +
         attest_q16_place(i, s.kv_len) + j); @/
  static inline void attest_q16_elements_are(attest_q16_shape s, attest_q16_arrays a) {
    attest_q16_places_are();
  }

  /@ requires attest_q16_is_head(s, a, head, h);
     assigns \nothing;
     ensures \forall integer e;
       attest_q16_cell_at(h, e - attest_q16_place(head, s.out.head)) ==
       attest_q16_element(a.out, e); @/
  static inline void attest_q16_cells_are(attest_q16_shape s, attest_q16_arrays a, uint32_t head,
                                          attest_q16_head h) {}

  // no row of head b overlaps a row of another head
  /@ requires 1 <= n && 1 <= m && b < m;
     requires 0 <= (n - 1) * stride && 0 <= (m - 1) * far;
     requires attest_q16_nested(width, n, stride, m, far) ||
       attest_q16_nested(width, m, far, n, stride);
     assigns \nothing;
     ensures \forall integer w, i, t; 0 <= w < m && w != b && 0 <= i < n && 0 <= t < n ==>
       attest_q16_place(w, far) + attest_q16_place(i, stride) + width <=
         attest_q16_place(b, far) + attest_q16_place(t, stride) ||
       attest_q16_place(b, far) + attest_q16_place(t, stride) + width <=
         attest_q16_place(w, far) + attest_q16_place(i, stride); @/
  static inline void attest_q16_heads_apart(uint32_t n, uint32_t stride, uint32_t m, uint32_t far,
                                            uint32_t width, uint32_t b) {
    attest_q16_places_order(n - 1U, stride);
    attest_q16_places_order(m - 1U, far);
    /@ assert rows: \forall integer i; 0 <= i < n ==>
         0 <= attest_q16_place(i, stride) <= attest_q16_place(n - 1, stride); @/
    /@ assert heads: \forall integer w; 0 <= w < m ==>
         0 <= attest_q16_place(w, far) <= attest_q16_place(m - 1, far); @/
    /@ assert outer: attest_q16_nested(width, n, stride, m, far) ==> m == 1 ||
         attest_q16_place(n - 1, stride) + width <= far; @/
    /@ assert inner: attest_q16_nested(width, m, far, n, stride) ==> n == 1 ||
         attest_q16_place(m - 1, far) + width <= stride; @/
    /@ assert least: attest_q16_nested(width, m, far, n, stride) ==> m == 1 || width <= far; @/
  }

  // nor do its weights
  /@ requires 1 <= rows <= 65536 && keys <= 65536 && b < heads;
     assigns \nothing;
     ensures apart: \forall integer w, i; 0 <= w < heads && w != b && 0 <= i < rows ==>
       attest_q16_place(w, rows * keys) + attest_q16_place(i, keys) + keys <=
         attest_q16_place(b, rows * keys) ||
       attest_q16_place(b, rows * keys) + attest_q16_extent(rows, keys, keys) <=
         attest_q16_place(w, rows * keys) + attest_q16_place(i, keys);
     ensures inside: \forall integer w, i; 0 <= w < heads && 0 <= i < rows ==>
       0 <= attest_q16_place(w, rows * keys) + attest_q16_place(i, keys) &&
       attest_q16_place(w, rows * keys) + attest_q16_place(i, keys) + keys <=
         heads * (rows * keys); @/
  static inline void attest_q16_shares_apart(uint32_t rows, uint32_t keys, uint32_t heads,
                                             uint32_t b) {
    /@ assert cells: 0 <= rows * keys <= 65536 * 65536; @/
    const uint64_t cells = (uint64_t)rows * keys;
    attest_q16_places_order(heads, cells);
    attest_q16_places_order(rows, keys);
    /@ assert whole: attest_q16_place(heads, cells) == heads * (rows * keys); @/
    /@ assert extent: attest_q16_extent(rows, keys, keys) == cells; @/
    /@ assert row: \forall integer i; 0 <= i < rows ==>
         0 <= attest_q16_place(i, keys) && attest_q16_place(i, keys) + keys <= cells; @/
    /@ assert before: \forall integer w; 0 <= w < b ==>
         attest_q16_place(w, cells) + cells <= attest_q16_place(b, cells); @/
    /@ assert after: \forall integer w; b < w < heads ==>
         attest_q16_place(b, cells) + cells <= attest_q16_place(w, cells); @/
  }
*/

#endif
