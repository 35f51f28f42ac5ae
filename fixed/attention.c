#include "attention.h"

#include "nests.h"

#define FAR 1073741824 /* beyond every key from every row: 2^30 */

/* Whether every element of a tensor has an index below 2^32 - 1. */
/*@ requires 1 <= heads <= 65536 && 1 <= rows <= 65536 && width <= 65536;
    assigns \nothing;
    ensures \result != 0 ==> attest_q16_tensor_fits(heads, rows, width, s);
*/
static int tensor_fits(uint32_t heads, uint32_t rows, uint32_t width, attest_q16_strides s) {
  //@ assert heads: 0 <= (heads - 1) * s.head <= 65535 * 4294967295;
  //@ assert rows: 0 <= (rows - 1) * s.row <= 65535 * 4294967295;
  return (uint64_t)(heads - 1U) * s.head + (uint64_t)(rows - 1U) * s.row + width <= 4294967295U;
}

/*@ requires \valid_read(s);
    assigns \nothing;
    ensures \result == ATTEST_Q16_OK ==> attest_q16_counts_ok(*s);
*/
static attest_q16_status check_counts(const attest_q16_shape *s) {
  if (s->q_heads == 0 || s->kv_heads == 0 || s->width == 0 || s->value_width == 0)
    return ATTEST_Q16_SHAPE;
  if (s->q_heads > ATTEST_Q16_MAX_HEADS || s->q_len > ATTEST_Q16_MAX_KEYS ||
      s->kv_len > ATTEST_Q16_MAX_KEYS || s->width > ATTEST_Q16_MAX_WIDTH ||
      s->value_width > ATTEST_Q16_MAX_WIDTH)
    return ATTEST_Q16_LIMIT;
  if (s->kv_heads > s->q_heads || s->q_heads % s->kv_heads != 0) return ATTEST_Q16_SHAPE;
  return s->key_length > s->kv_len ? ATTEST_Q16_REACH : ATTEST_Q16_OK;
}

/*@ requires \valid_read(s);
    assigns \nothing;
    ensures \result == ATTEST_Q16_OK ==> attest_q16_reach_ok(*s) && attest_q16_scale_ok(s->scale);
*/
static attest_q16_status check_numbers(const attest_q16_shape *s) {
  if (s->scale.exponent < -64 || s->scale.exponent > -17) return ATTEST_Q16_SCALE;
  if (s->offset < -ATTEST_Q16_MAX_REACH || s->offset > ATTEST_Q16_MAX_REACH)
    return ATTEST_Q16_REACH;
  if (s->window && (s->left < -1 || s->left > ATTEST_Q16_MAX_REACH || s->right < -1 ||
                   s->right > ATTEST_Q16_MAX_REACH))
    return ATTEST_Q16_REACH;
  return ATTEST_Q16_OK;
}

/*@ requires \valid_read(s) && attest_q16_counts_ok(*s);
    assigns \nothing;
    ensures \result != 0 ==> attest_q16_fits(attest_q16_weights_whole(*s));
*/
static int weights_fit(const attest_q16_shape *s) {
  //@ assert cells: 0 <= s->q_len * s->kv_len <= 65536 * 65536;
  const uint64_t cells = (uint64_t)s->q_len * s->kv_len;
  //@ assert all: 0 <= s->q_heads * cells <= 65536 * (65536 * 65536);
  return s->q_heads * cells <= 4294967295U;
}

/* Whether no rows overlap: n of them, `stride` apart, in m groups `far` apart. */
/*@ requires 1 <= n <= 65536 && 1 <= width <= 65536;
    requires 0 <= (n - 1) * stride && attest_q16_fits((n - 1) * stride + width);
    assigns \nothing;
    ensures \result != 0 ==> attest_q16_nested(width, n, stride, m, far);
    ensures \result != 0 ==> m <= 1 || width <= far;
*/
static int nested(uint32_t width, uint32_t n, uint32_t stride, uint32_t m, uint32_t far) {
  return (n == 1 || width <= stride) && (m == 1 || (n - 1U) * stride + width <= far);
}

/* Whether output rows lie apart: those of a head side by side, or those of all heads. */
/*@ requires \valid_read(s) && attest_q16_counts_ok(*s) && s->q_len >= 1;
    requires attest_q16_tensor_fits(s->q_heads, s->q_len, s->value_width, s->out);
    assigns \nothing;
    ensures \result != 0 ==> attest_q16_out_apart(*s);
*/
static int output_rows_apart(const attest_q16_shape *s) {
  const attest_q16_strides out = s->out;
  return nested(s->value_width, s->q_len, out.row, s->q_heads, out.head) ||
         nested(s->value_width, s->q_heads, out.head, s->q_len, out.row);
}

/* What is wrong with the extents of the arrays. */
/*@ requires \valid_read(s) && \valid_read(a);
    requires attest_q16_counts_ok(*s) && attest_q16_reach_ok(*s) && attest_q16_scale_ok(s->scale);
    assigns \nothing;
    ensures \result == ATTEST_Q16_OK ==> attest_q16_problem_ok(*s, *a);
*/
static attest_q16_status check_extents(const attest_q16_shape *s, const attest_q16_arrays *a) {
  if (s->q_len > 0 && !(tensor_fits(s->q_heads, s->q_len, s->width, s->q) &&
                       tensor_fits(s->q_heads, s->q_len, s->value_width, s->out)))
    return ATTEST_Q16_LIMIT;
  if (s->kv_len > 0 && !(tensor_fits(s->kv_heads, s->kv_len, s->width, s->k) &&
                        tensor_fits(s->kv_heads, s->kv_len, s->value_width, s->v)))
    return ATTEST_Q16_LIMIT;
  if (a->mask && s->q_len > 0 && s->kv_len > 0 &&
      !tensor_fits(s->q_heads, s->q_len, s->kv_len, s->mask))
    return ATTEST_Q16_LIMIT;
  if (a->weights && !weights_fit(s)) return ATTEST_Q16_LIMIT;
  return s->q_len > 0 && !output_rows_apart(s) ? ATTEST_Q16_SHAPE : ATTEST_Q16_OK;
}

attest_q16_status attest_q16_check(const attest_q16_shape *s, const attest_q16_arrays *a) {
  attest_q16_status status = check_counts(s);
  if (status == ATTEST_Q16_OK) status = check_numbers(s);
  if (status != ATTEST_Q16_OK) return status;
  if (s->q_len > 0 && (!a->q || !a->out)) return ATTEST_Q16_NULL;
  if (s->kv_len > 0 && (!a->k || !a->v)) return ATTEST_Q16_NULL;
  return check_extents(s, a);
}

/* Where one head of an input, an output, the mask and the weights begins. An array without elements
   is not moved into: it may be NULL. */

/*@ requires head < heads <= 65536 && rows <= 65536 && 1 <= width <= 65536;
    requires rows >= 1 ==> attest_q16_tensor_fits(heads, rows, width, s) &&
      \valid_read(p + (0 .. attest_q16_whole(heads, rows, width, s) - 1));
    assigns \nothing;
    ensures attest_q16_fits(attest_q16_extent(rows, s.row, width));
    ensures \valid_read(\result + (0 .. attest_q16_extent(rows, s.row, width) - 1));
    ensures rows == 0 ==> \result == p;
    ensures rows >= 1 ==> \result == p + attest_q16_start(head, s);
    ensures rows >= 1 ==> \result == p + attest_q16_place(head, s.head);
    ensures rows >= 1 ==> attest_q16_inside(head, heads, rows, width, s);
*/
static const int32_t *input_head(const int32_t *p, uint32_t head, uint32_t rows,
                                 attest_q16_strides s)
    /*@ ghost (uint32_t heads, uint32_t width) */ {
  if (rows == 0) return p;
  //@ ghost attest_q16_place_is(head, s.head);
  return p + attest_q16_row(head, s.head) /*@ ghost (heads) */;
}

/*@ requires head < heads <= 65536 && 1 <= rows <= 65536 && 1 <= width <= 65536;
    requires attest_q16_tensor_fits(heads, rows, width, s);
    requires \valid(p + (0 .. attest_q16_whole(heads, rows, width, s) - 1));
    assigns \nothing;
    ensures attest_q16_fits(attest_q16_extent(rows, s.row, width));
    ensures \valid(\result + (0 .. attest_q16_extent(rows, s.row, width) - 1));
    ensures \result == p + attest_q16_start(head, s);
    ensures \result == p + attest_q16_place(head, s.head);
    ensures attest_q16_inside(head, heads, rows, width, s);
*/
static int32_t *output_head(int32_t *p, uint32_t head, attest_q16_strides s)
    /*@ ghost (uint32_t heads, uint32_t rows, uint32_t width) */ {
  //@ ghost attest_q16_place_is(head, s.head);
  return p + attest_q16_row(head, s.head) /*@ ghost (heads) */;
}

/*@ requires head < heads <= 65536 && 1 <= rows <= 65536 && keys <= 65536;
    requires keys >= 1 && p != \null ==> attest_q16_tensor_fits(heads, rows, keys, s) &&
      \valid_read(p + (0 .. attest_q16_whole(heads, rows, keys, s) - 1));
    assigns \nothing;
    ensures p == \null ==> \result == \null;
    ensures p != \null && keys >= 1 ==> \result == p + attest_q16_place(head, s.head);
    ensures p != \null && keys >= 1 ==> attest_q16_fits(attest_q16_extent(rows, s.row, keys)) &&
      \valid_read(\result + (0 .. attest_q16_extent(rows, s.row, keys) - 1));
    ensures keys == 0 ==> \result == \null;
*/
static const uint8_t *mask_head(const uint8_t *p, uint32_t head, uint32_t keys,
                                attest_q16_strides s)
    /*@ ghost (uint32_t heads, uint32_t rows) */ {
  if (!p || keys == 0) return (const uint8_t *)0;
  //@ ghost attest_q16_place_is(head, s.head);
  return p + attest_q16_row(head, s.head) /*@ ghost (heads) */;
}

/*@ requires head < heads <= 65536 && 1 <= rows <= 65536 && keys <= 65536;
    requires p != \null ==> attest_q16_fits(attest_q16_cells(heads, rows, keys)) &&
      \valid(p + (0 .. attest_q16_cells(heads, rows, keys) - 1));
    assigns \nothing;
    ensures p == \null ==> \result == \null;
    ensures p != \null ==> \result == p + attest_q16_cells(head, rows, keys);
    ensures fits: p != \null ==> attest_q16_fits(attest_q16_extent(rows, keys, keys));
    ensures begin: p != \null ==> 0 <= attest_q16_cells(head, rows, keys);
    ensures end: p != \null ==>
      attest_q16_cells(head, rows, keys) + attest_q16_extent(rows, keys, keys) <=
        attest_q16_cells(heads, rows, keys);
    ensures p != \null ==> \valid(\result + (0 .. attest_q16_extent(rows, keys, keys) - 1));
*/
static int32_t *weights_head(int32_t *p, uint32_t head, uint32_t rows, uint32_t keys)
    /*@ ghost (uint32_t heads) */ {
  if (!p) return p;
  //@ assert cells: 0 <= rows * keys <= 65536 * 65536;
  //@ ghost attest_q16_product_grows(heads, (uint64_t)rows * keys);
  //@ assert rest: (heads - 1) * (rows * keys) == attest_q16_cells(heads, rows, keys) - rows * keys;
  //@ assert extent: attest_q16_extent(rows, keys, keys) == rows * keys;
  return p + attest_q16_row(head, rows * keys) /*@ ghost (heads) */;
}

/*@ ghost
  /@ requires h.out == a.out + attest_q16_place(head, s.out.head);
     requires a.weights == \null ==> h.weights == \null;
     requires a.weights != \null ==>
       h.weights == a.weights + attest_q16_place(head, s.q_len * s.kv_len);
     assigns \nothing;
     ensures attest_q16_outputs_of(s, a, head, h); @/
  static inline void attest_q16_outputs_are(attest_q16_shape s, attest_q16_arrays a, uint32_t head,
                                            attest_q16_head h) {}
*/

/*@ ghost
  /@ requires rows <= 65536 && keys <= 65536;
     assigns \nothing;
     ensures attest_q16_place(head, rows * keys) == attest_q16_cells(head, rows, keys); @/
  static inline void attest_q16_cells_place(uint32_t head, uint32_t rows, uint32_t keys) {
    /@ assert cells: 0 <= rows * keys <= 65536 * 65536; @/
    const uint64_t cells = (uint64_t)rows * keys;
    attest_q16_places_order(head, cells);
  }
*/

/* The key and value head of a query head. */
/*@ requires \valid_read(s) && attest_q16_counts_ok(*s) && head < s->q_heads;
    assigns \nothing;
    ensures \result == attest_q16_kv_head(head, s->q_heads, s->kv_heads);
    ensures \result < s->kv_heads;
*/
static uint32_t kv_head_of(const attest_q16_shape *s, uint32_t head) {
  const uint32_t group = s->q_heads / s->kv_heads;
  //@ assert whole: s->q_heads == group * s->kv_heads;
  //@ assert some: group >= 1;
  const uint32_t kv_head = head / group;
  //@ assert below: kv_head * group <= head < s->kv_heads * group;
  return kv_head;
}

/* Keys by position, relative to the row: i + low <= j < i + high. */
/*@ requires \valid_read(s) && attest_q16_reach_ok(*s);
    assigns \nothing;
    ensures -1073741824 <= \result <= 1073741824;
    ensures \result == attest_q16_high_at(*s);
*/
static int32_t high_of(const attest_q16_shape *s) {
  int32_t high = FAR;
  if (s->causal) high = s->offset + 1;
  if (s->window && s->right >= 0 && s->offset + s->right + 1 < high)
    high = s->offset + s->right + 1;
  return high;
}

/*@ requires \valid_read(s) && attest_q16_reach_ok(*s);
    assigns \nothing;
    ensures -1073741824 <= \result <= 1073741824;
    ensures \result == attest_q16_low_at(*s);
*/
static int32_t low_of(const attest_q16_shape *s) {
  return s->window && s->left >= 0 ? s->offset - s->left : -FAR;
}

attest_q16_head attest_q16_head_at(const attest_q16_shape *s, const attest_q16_arrays *a,
                                   uint32_t head) {
  const uint32_t kv_head = kv_head_of(s, head);
  attest_q16_head h;
  h.q_len = s->q_len;
  h.kv_len = s->kv_len;
  h.key_length = s->key_length;
  h.width = s->width;
  h.value_width = s->value_width;
  h.q_row = s->q.row;
  h.k_row = s->k.row;
  h.v_row = s->v.row;
  h.out_row = s->out.row;
  h.mask_row = s->mask.row;
  h.low = low_of(s);
  h.high = high_of(s);
  h.scale = s->scale;
  h.q = input_head(a->q, head, s->q_len, s->q) /*@ ghost (s->q_heads, s->width) */;
  h.k = input_head(a->k, kv_head, s->kv_len, s->k) /*@ ghost (s->kv_heads, s->width) */;
  h.v = input_head(a->v, kv_head, s->kv_len, s->v) /*@ ghost (s->kv_heads, s->value_width) */;
  h.mask = mask_head(a->mask, head, s->kv_len, s->mask) /*@ ghost (s->q_heads, s->q_len) */;
  h.out = output_head(a->out, head, s->out) /*@ ghost (s->q_heads, s->q_len, s->value_width) */;
  h.weights = weights_head(a->weights, head, s->q_len, s->kv_len) /*@ ghost (s->q_heads) */;
  //@ ghost attest_q16_cells_place(head, s->q_len, s->kv_len);
  //@ assert numbers: attest_q16_numbers_of(*s, h);
  //@ assert keys: attest_q16_keys_of(*s, *a, kv_head, h);
  //@ assert query: attest_q16_query_of(*s, *a, head, h);
  /*@ assert weights: a->weights != \null ==>
        h.weights == a->weights + attest_q16_place(head, s->q_len * s->kv_len); */
  //@ ghost attest_q16_outputs_are(*s, *a, head, h);
  //@ assert outputs: attest_q16_outputs_of(*s, *a, head, h);
  /*@ assert own_keys: attest_q16_keys_of(*s, *a,
        attest_q16_kv_head(head, \at(*s, Here).q_heads, \at(*s, Here).kv_heads), h); */
  return h;
}

/*@ // the signed numbers of a shape are not among n elements at p
    predicate attest_q16_numbers_apart{L}(attest_q16_shape *s, int32_t *p, integer n) =
      \separated(&s->offset, p + (0 .. n - 1)) && \separated(&s->left, p + (0 .. n - 1)) &&
      \separated(&s->right, p + (0 .. n - 1)) && \separated(&s->window, p + (0 .. n - 1)) &&
      \separated(&s->scale.exponent, p + (0 .. n - 1));
*/

/* All rows of a head, in tiles of `tile` keys, or naive where that is 0. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h);
    requires attest_q16_inputs(*h) && attest_q16_outputs(*h) && attest_q16_head_apart(h);
    requires attest_q16_outputs_elsewhere(*h) && attest_q16_out_rows_apart(*h) && tile <= 65536;
    requires tile == 0 ==> 3 * h->kv_len <= count;
    requires tile >= 1 ==> tile + 4 * h->value_width <= count;
    requires \valid(words + (0 .. count - 1)) && \valid_read(s);
    requires attest_q16_numbers_apart(s, h->out,
      attest_q16_extent(h->q_len, h->out_row, h->value_width));
    requires h->weights != \null ==> attest_q16_numbers_apart(s, h->weights,
      attest_q16_extent(h->q_len, h->kv_len, h->kv_len));
    assigns words[0 .. count - 1],
      h->out[0 .. attest_q16_extent(h->q_len, h->out_row, h->value_width) - 1],
      h->weights[0 .. attest_q16_extent(h->q_len, h->kv_len, h->kv_len) - 1];
    ensures s->offset == \old(s->offset);
    ensures s->left == \old(s->left);
    ensures s->right == \old(s->right);
    ensures s->window == \old(s->window);
    ensures s->scale.exponent == \old(s->scale.exponent);
    ensures done: attest_q16_head_done{Pre, Post}(\at(*h, Pre));
    ensures gaps: attest_q16_gaps_kept{Pre, Post}(\at(*h, Pre));
    ensures hold: attest_q16_rows_hold(\at(*h, Pre));
    ensures rows: \forall attest_q16_head g; attest_q16_inputs_stay{Pre, Post}(g) ==>
      attest_q16_same_rows{Pre, Post}(g);
    ensures still: \forall attest_q16_head g; attest_q16_inputs_stay{Pre, Post}(g) &&
      attest_q16_rows_kept{Pre, Post}(g, g.q_len) && attest_q16_rows_hold{Pre}(g) ==>
      attest_q16_rows_hold{Post}(g);
*/
static void run_head(const attest_q16_head *h, uint32_t tile, uint64_t *words)
    /*@ ghost (uint32_t count, const attest_q16_shape *s) */ {
  if (tile == 0)
    attest_q16_naive_head(h, words);
  else
    attest_q16_tiled_head(h, tile, words);
  /*@ ghost
    /@ loop invariant 0 <= c <= 1024;
       loop invariant dots: \forall attest_q16_head g, integer i, j, n;
         attest_q16_inputs_stay{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= j < g.kv_len &&
         n <= c && n <= g.width ==>
         attest_q16_dot_to{Pre}(g, i, j, n) == attest_q16_dot_to{Here}(g, i, j, n);
       loop assigns c;
       loop variant 1024 - c; @/
    for (uint32_t c = 0; c < 1024U; c++) {
      /@ assert products: \forall attest_q16_head g, integer i, j;
           attest_q16_inputs_stay{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= j < g.kv_len &&
           c < g.width ==>
           attest_q16_product_at{Pre}(g, i, j, c) == attest_q16_product_at{Here}(g, i, j, c); @/
    }
    /@ assert scores: \forall attest_q16_head g, integer i, j;
         attest_q16_inputs_stay{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= j < g.kv_len ==>
         attest_q16_whole_at{Pre}(g, i, j) == attest_q16_whole_at{Here}(g, i, j) &&
         attest_q16_fraction_at{Pre}(g, i, j) == attest_q16_fraction_at{Here}(g, i, j); @/
    /@ assert seen: \forall attest_q16_head g, integer i, j;
         attest_q16_seen{Pre}(g, i, j) == attest_q16_seen{Here}(g, i, j); @/
    /@ assert wholes: \forall attest_q16_head g, integer i, j;
         attest_q16_inputs_stay{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= j < g.kv_len ==>
         attest_q16_seen_whole{Pre}(g, i, j) == attest_q16_seen_whole{Here}(g, i, j); @/
    /@ loop invariant 0 <= n <= 65536;
       loop invariant tops: \forall attest_q16_head g, integer i, m;
         attest_q16_inputs_stay{Pre, Here}(g) && 0 <= i < g.q_len && m <= n &&
         m <= g.kv_len ==>
         attest_q16_row_top{Pre}(g, i, m) == attest_q16_row_top{Here}(g, i, m);
       loop assigns n;
       loop variant 65536 - n; @/
    for (uint32_t n = 0; n < 65536U; n++) {}
    /@ assert weights: \forall attest_q16_head g, integer i, j;
         attest_q16_inputs_stay{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= j < g.kv_len ==>
         attest_q16_weight_in{Pre}(g, i, j) == attest_q16_weight_in{Here}(g, i, j); @/
    /@ assert parts: \forall attest_q16_head g, integer i, c, j;
         attest_q16_inputs_stay{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= c < g.value_width &&
         0 <= j < g.kv_len ==>
         attest_q16_part_at{Pre}(g, i, c, j) == attest_q16_part_at{Here}(g, i, c, j); @/
    /@ loop invariant 0 <= n <= 65536;
       loop invariant totals: \forall attest_q16_head g, integer i, m;
         attest_q16_inputs_stay{Pre, Here}(g) && 0 <= i < g.q_len && m <= n &&
         m <= g.kv_len ==>
         attest_q16_row_total{Pre}(g, i, m) == attest_q16_row_total{Here}(g, i, m);
       loop invariant sums: \forall attest_q16_head g, integer i, c, m;
         attest_q16_inputs_stay{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= c < g.value_width &&
         m <= n && m <= g.kv_len ==>
         attest_q16_row_weighted{Pre}(g, i, c, m) == attest_q16_row_weighted{Here}(g, i, c, m);
       loop invariant least: \forall attest_q16_head g, integer i, c, m;
         attest_q16_inputs_stay{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= c < g.value_width &&
         m <= n && m <= g.kv_len ==>
         attest_q16_row_least{Pre}(g, i, c, m) == attest_q16_row_least{Here}(g, i, c, m);
       loop invariant most: \forall attest_q16_head g, integer i, c, m;
         attest_q16_inputs_stay{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= c < g.value_width &&
         m <= n && m <= g.kv_len ==>
         attest_q16_row_most{Pre}(g, i, c, m) == attest_q16_row_most{Here}(g, i, c, m);
       loop invariant shares: \forall attest_q16_head g, integer i, m;
         attest_q16_rows_kept{Pre, Here}(g, g.q_len) && g.weights != \null &&
         0 <= i < g.q_len && m <= n && m <= g.kv_len ==>
         attest_q16_share_sum{Pre}(g, i, m) == attest_q16_share_sum{Here}(g, i, m);
       loop assigns n;
       loop variant 65536 - n; @/
    for (uint32_t n = 0; n < 65536U; n++) {}
    /@ assert outputs: \forall attest_q16_head g, integer i;
         attest_q16_inputs_stay{Pre, Here}(g) && attest_q16_rows_kept{Pre, Here}(g, g.q_len) &&
         0 <= i < g.q_len && attest_q16_outputs_hold{Pre}(g, i) ==>
         attest_q16_outputs_hold(g, i); @/
    /@ assert given: \forall attest_q16_head g, integer i;
         attest_q16_inputs_stay{Pre, Here}(g) && attest_q16_rows_kept{Pre, Here}(g, g.q_len) &&
         g.weights != \null && 0 <= i < g.q_len && attest_q16_weights_hold{Pre}(g, i) ==>
         attest_q16_weights_hold(g, i); @/
  */
}

/*@ ghost
  // where a head writes is in no input, nor in the outputs of the other kind
  /@ requires attest_q16_problem_ok(s, a) && attest_q16_arrays_apart(s, a);
     requires s.q_len >= 1 && head < s.q_heads && attest_q16_is_head(s, a, head, h);
     assigns \nothing;
     ensures out_inside: 0 <= attest_q16_place(head, s.out.head) &&
       attest_q16_place(head, s.out.head) +
         attest_q16_extent(h.q_len, h.out_row, h.value_width) <=
       attest_q16_whole(s.q_heads, s.q_len, s.value_width, s.out);
     ensures weights_inside: 0 <= attest_q16_place(head, s.q_len * s.kv_len) &&
       attest_q16_place(head, s.q_len * s.kv_len) +
         attest_q16_extent(h.q_len, h.kv_len, h.kv_len) <= attest_q16_weights_whole(s);
     ensures out: attest_q16_not_in_inputs(s, a, h.out,
       attest_q16_extent(h.q_len, h.out_row, h.value_width));
     ensures weights: a.weights != \null ==> attest_q16_not_in_inputs(s, a, h.weights,
       attest_q16_extent(h.q_len, h.kv_len, h.kv_len));
     ensures apart: a.weights != \null ==>
       \separated(h.weights + (0 .. attest_q16_extent(h.q_len, h.kv_len, h.kv_len) - 1),
         a.out + (0 .. attest_q16_whole(s.q_heads, s.q_len, s.value_width, s.out) - 1)) &&
       \separated(h.out + (0 .. attest_q16_extent(h.q_len, h.out_row, h.value_width) - 1),
         a.weights + (0 .. attest_q16_weights_whole(s) - 1));
     ensures beside: a.weights != \null ==> \forall integer e;
       0 <= e < attest_q16_weights_whole(s) &&
       (e < attest_q16_place(head, s.q_len * s.kv_len) ||
        attest_q16_place(head, s.q_len * s.kv_len) +
          attest_q16_extent(s.q_len, s.kv_len, s.kv_len) <= e) ==>
       \separated(a.weights + e,
         h.weights + (0 .. attest_q16_extent(h.q_len, h.kv_len, h.kv_len) - 1)) &&
       \separated(a.weights + e,
         h.out + (0 .. attest_q16_extent(h.q_len, h.out_row, h.value_width) - 1)); @/
  static inline void attest_q16_one_apart(attest_q16_shape s, attest_q16_arrays a, uint32_t head,
                                          attest_q16_head h) {
    attest_q16_heads_inside(s.q_heads, s.q_len, s.value_width, s.out);
    attest_q16_places_order(s.q_len, s.kv_len);
    attest_q16_shares_apart(s.q_len, s.kv_len, s.q_heads, head);
    attest_q16_cells_place(head, s.q_len, s.kv_len);
    /@ assert cells: 0 <= s.q_len * s.kv_len <= 65536 * 65536; @/
    const uint64_t cells = (uint64_t)s.q_len * s.kv_len;
    attest_q16_places_order(s.q_heads, cells);
    /@ assert last: attest_q16_place(head, cells) + cells <= attest_q16_place(s.q_heads, cells); @/
    /@ assert extent: attest_q16_extent(h.q_len, h.kv_len, h.kv_len) == cells; @/
    /@ assert end: attest_q16_place(head, s.q_len * s.kv_len) +
         attest_q16_extent(h.q_len, h.kv_len, h.kv_len) <= attest_q16_weights_whole(s); @/
  }

  // where its weights begin; 0 where there are none
  /@ requires attest_q16_problem_ok(s, a) && attest_q16_arrays_apart(s, a);
     requires s.q_len >= 1 && head < s.q_heads && attest_q16_is_head(s, a, head, h);
     assigns \nothing;
     ensures is: h.weights == a.weights + \result;
     ensures inside: \result + attest_q16_extent(h.q_len, h.kv_len, h.kv_len) <=
       attest_q16_weights_whole(s); @/
  static inline uint64_t attest_q16_weights_begin(attest_q16_shape s, attest_q16_arrays a,
                                                  uint32_t head, attest_q16_head h) {
    attest_q16_one_apart(s, a, head, h);
    if (!a.weights) return 0;
    /@ assert cells: 0 <= s.q_len * s.kv_len <= 65536 * 65536; @/
    const uint64_t cells = (uint64_t)s.q_len * s.kv_len;
    attest_q16_places_order(s.q_heads, cells);
    /@ assert begin: 0 <= head * cells <= 65536 * (65536 * 65536); @/
    return head * cells;
  }

  // so the nests may run
  /@ requires attest_q16_problem_ok(s, a) && attest_q16_arrays_apart(s, a);
     requires s.q_len >= 1 && head < s.q_heads && attest_q16_is_head(s, a, head, h);
     assigns \nothing;
     ensures rows: attest_q16_out_rows_apart(h);
     ensures elsewhere: attest_q16_outputs_elsewhere(h); @/
  static inline void attest_q16_one_elsewhere(attest_q16_shape s, attest_q16_arrays a,
                                              uint32_t head, attest_q16_head h) {
    attest_q16_one_apart(s, a, head, h);
    attest_q16_heads_inside(s.q_heads, s.q_len, s.width, s.q);
    attest_q16_heads_inside(s.kv_heads, s.kv_len, s.width, s.k);
    attest_q16_heads_inside(s.kv_heads, s.kv_len, s.value_width, s.v);
    attest_q16_kv_heads_inside(s.q_heads, s.kv_heads);
    /@ assert out: attest_q16_elsewhere(h, h.out,
         attest_q16_extent(h.q_len, h.out_row, h.value_width)); @/
    /@ assert weights: a.weights != \null ==> attest_q16_elsewhere(h, h.weights,
         attest_q16_extent(h.q_len, h.kv_len, h.kv_len)); @/
  }
*/

/*@ // the inputs of a problem are the same in two states
    predicate attest_q16_inputs_kept{K, L}(attest_q16_shape s, attest_q16_arrays a) =
      (\forall integer e; 0 <= e < attest_q16_whole(s.q_heads, s.q_len, s.width, s.q) ==>
        attest_q16_element{K}(a.q, e) == attest_q16_element{L}(a.q, e)) &&
      (\forall integer e; 0 <= e < attest_q16_whole(s.kv_heads, s.kv_len, s.width, s.k) ==>
        attest_q16_element{K}(a.k, e) == attest_q16_element{L}(a.k, e)) &&
      (\forall integer e; 0 <= e < attest_q16_whole(s.kv_heads, s.kv_len, s.value_width, s.v) ==>
        attest_q16_element{K}(a.v, e) == attest_q16_element{L}(a.v, e));

    // element e of the whole output is in no row of a head
    predicate attest_q16_free(attest_q16_shape s, integer head, integer e) =
      \forall integer i; 0 <= i < s.q_len ==>
        e < attest_q16_place(head, s.out.head) + attest_q16_place(i, s.out.row) ||
        attest_q16_place(head, s.out.head) + attest_q16_place(i, s.out.row) + s.value_width <= e;

    // what is in no row of a head, and no weight of it, is the same
    predicate attest_q16_free_kept{K, L}(attest_q16_shape s, attest_q16_arrays a,
                                         integer head) =
      \forall integer e; 0 <= e < attest_q16_whole(s.q_heads, s.q_len, s.value_width, s.out) &&
        attest_q16_free(s, head, e) ==>
        attest_q16_element{K}(a.out, e) == attest_q16_element{L}(a.out, e);
    predicate attest_q16_others_kept{K, L}(attest_q16_shape s, attest_q16_arrays a,
                                           integer head) =
      a.weights != \null ==>
      \forall integer e; 0 <= e < attest_q16_weights_whole(s) &&
        (e < attest_q16_place(head, s.q_len * s.kv_len) ||
         attest_q16_place(head, s.q_len * s.kv_len) +
           attest_q16_extent(s.q_len, s.kv_len, s.kv_len) <= e) ==>
        attest_q16_element{K}(a.weights, e) == attest_q16_element{L}(a.weights, e);
*/

/*@ ghost
  /@ requires \valid_read(s) && attest_q16_problem_ok(*s, *a) && attest_q16_shape_apart(s, a);
     requires \valid_read(a) && s->q_len >= 1 && head < s->q_heads;
     requires attest_q16_arrays_apart(*s, *a) && attest_q16_is_head(*s, *a, head, h);
     assigns \nothing;
     ensures out: attest_q16_numbers_apart(s, h.out,
       attest_q16_extent(h.q_len, h.out_row, h.value_width));
     ensures weights: h.weights != \null ==> attest_q16_numbers_apart(s, h.weights,
       attest_q16_extent(h.q_len, h.kv_len, h.kv_len)); @/
  static inline void attest_q16_one_numbers(const attest_q16_shape *s, const attest_q16_arrays *a,
                                            uint32_t head, attest_q16_head h) {
    attest_q16_one_apart(*s, *a, head, h);
  }
*/

/* A head h and what it leaves of the problem it is in. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && own == *h;
    requires attest_q16_inputs(*h) && attest_q16_outputs(*h) && attest_q16_head_apart(h);
    requires attest_q16_outputs_elsewhere(*h) && attest_q16_out_rows_apart(*h) && tile <= 65536;
    requires tile == 0 ==> 3 * h->kv_len <= count;
    requires tile >= 1 ==> tile + 4 * h->value_width <= count;
    requires \valid(words + (0 .. count - 1)) && \valid_read(s);
    requires attest_q16_numbers_apart(s, own.out,
      attest_q16_extent(own.q_len, own.out_row, own.value_width));
    requires own.weights != \null ==> attest_q16_numbers_apart(s, own.weights,
      attest_q16_extent(own.q_len, own.kv_len, own.kv_len));
    requires attest_q16_problem_ok(shape, arrays) && attest_q16_arrays_apart(shape, arrays);
    requires attest_q16_readable(shape, arrays) && attest_q16_writable(shape, arrays);
    requires shape.q_len >= 1 && head < shape.q_heads;
    requires attest_q16_is_head(shape, arrays, head, own);
    assigns words[0 .. count - 1],
      arrays.out[0 .. attest_q16_whole(shape.q_heads, shape.q_len, shape.value_width,
                                       shape.out) - 1],
      arrays.weights[0 .. attest_q16_weights_whole(shape) - 1];
    ensures s->offset == \old(s->offset);
    ensures s->left == \old(s->left);
    ensures s->right == \old(s->right);
    ensures s->window == \old(s->window);
    ensures s->scale.exponent == \old(s->scale.exponent);
    ensures inputs: attest_q16_inputs_kept{Pre, Post}(shape, arrays);
    ensures free: attest_q16_free_kept{Pre, Post}(shape, arrays, head);
    ensures others: attest_q16_others_kept{Pre, Post}(shape, arrays, head);
    ensures done: attest_q16_head_done{Pre, Post}(own);
    ensures hold: attest_q16_rows_hold(own);
    ensures rows: \forall attest_q16_head g; attest_q16_inputs_stay{Pre, Post}(g) ==>
      attest_q16_same_rows{Pre, Post}(g);
    ensures still: \forall attest_q16_head g; attest_q16_inputs_stay{Pre, Post}(g) &&
      attest_q16_rows_kept{Pre, Post}(g, g.q_len) && attest_q16_rows_hold{Pre}(g) ==>
      attest_q16_rows_hold{Post}(g);
*/
static void run_beside(const attest_q16_head *h, uint32_t tile, uint64_t *words)
    /*@ ghost (uint32_t count, const attest_q16_shape *s, attest_q16_shape shape,
               attest_q16_arrays arrays, uint32_t head, attest_q16_head own) */ {
  //@ ghost attest_q16_one_apart(shape, arrays, head, own);
  //@ ghost const uint64_t begin = attest_q16_weights_begin(shape, arrays, head, own);
  //@ assert begin: own.weights == arrays.weights + begin;
  //@ ghost attest_q16_cells_are(shape, arrays, head, own);
  run_head(h, tile, words) /*@ ghost (count, s) */;
  /*@ assert q: \forall integer e; 0 <= e < attest_q16_whole(shape.q_heads, shape.q_len,
        shape.width, shape.q) ==>
        attest_q16_element{Pre}(arrays.q, e) == attest_q16_element(arrays.q, e); */
  /*@ assert k: \forall integer e; 0 <= e < attest_q16_whole(shape.kv_heads, shape.kv_len,
        shape.width, shape.k) ==>
        attest_q16_element{Pre}(arrays.k, e) == attest_q16_element(arrays.k, e); */
  /*@ assert v: \forall integer e; 0 <= e < attest_q16_whole(shape.kv_heads, shape.kv_len,
        shape.value_width, shape.v) ==>
        attest_q16_element{Pre}(arrays.v, e) == attest_q16_element(arrays.v, e); */
  /*@ assert outer: \forall integer e; 0 <= e < attest_q16_whole(shape.q_heads, shape.q_len,
        shape.value_width, shape.out) && (e < attest_q16_place(head, shape.out.head) ||
        attest_q16_place(head, shape.out.head) +
          attest_q16_extent(own.q_len, own.out_row, own.value_width) <= e) ==>
        attest_q16_element{Pre}(arrays.out, e) == attest_q16_element(arrays.out, e); */
  //@ ghost attest_q16_cells_are(shape, arrays, head, own);
  //@ assert gaps: attest_q16_gaps_kept{Pre, Here}(own);
  /*@ assert between: \forall integer e; attest_q16_free(shape, head, e) ==>
        attest_q16_between(own, e - attest_q16_place(head, shape.out.head)); */
  /*@ assert inner: \forall integer e; attest_q16_free(shape, head, e) &&
        0 <= e - attest_q16_place(head, shape.out.head) <
          attest_q16_extent(own.q_len, own.out_row, own.value_width) ==>
        attest_q16_cell_at{Pre}(own, e - attest_q16_place(head, shape.out.head)) ==
        attest_q16_cell_at(own, e - attest_q16_place(head, shape.out.head)); */
  /*@ assert given: arrays.weights != \null ==> \forall integer e;
        0 <= e < attest_q16_weights_whole(shape) &&
        (e < attest_q16_place(head, shape.q_len * shape.kv_len) ||
         attest_q16_place(head, shape.q_len * shape.kv_len) +
           attest_q16_extent(shape.q_len, shape.kv_len, shape.kv_len) <= e) ==>
        attest_q16_element{Pre}(arrays.weights, e) == attest_q16_element(arrays.weights, e); */
}

/* All rows of head `head` of a problem. */
/*@ requires \valid_read(s) && \valid_read(a) && attest_q16_ready(s, a);
    requires s->q_len >= 1 && head < s->q_heads && tile <= 65536;
    requires tile == 0 ==> 3 * s->kv_len <= count;
    requires tile >= 1 ==> tile + 4 * s->value_width <= count;
    requires \valid(words + (0 .. count - 1));
    assigns words[0 .. count - 1],
      a->out[0 .. attest_q16_whole(s->q_heads, s->q_len, s->value_width, s->out) - 1],
      a->weights[0 .. attest_q16_weights_whole(*s) - 1];
    ensures s->offset == \old(s->offset);
    ensures s->left == \old(s->left);
    ensures s->right == \old(s->right);
    ensures s->window == \old(s->window);
    ensures s->scale.exponent == \old(s->scale.exponent);
    ensures inputs: attest_q16_inputs_kept{Pre, Post}(\old(*s), \old(*a));
    ensures free: attest_q16_free_kept{Pre, Post}(\old(*s), \old(*a), head);
    ensures others: attest_q16_others_kept{Pre, Post}(\old(*s), \old(*a), head);
    ensures done: \forall attest_q16_head g; attest_q16_is_head(\old(*s), \old(*a), head, g) ==>
      attest_q16_head_done{Pre, Post}(g);
    ensures hold: \forall attest_q16_head g; attest_q16_is_head(\old(*s), \old(*a), head, g) ==>
      attest_q16_rows_hold(g);
    ensures rows: \forall attest_q16_head g; attest_q16_inputs_stay{Pre, Post}(g) ==>
      attest_q16_same_rows{Pre, Post}(g);
    ensures still: \forall attest_q16_head g; attest_q16_inputs_stay{Pre, Post}(g) &&
      attest_q16_rows_kept{Pre, Post}(g, g.q_len) && attest_q16_rows_hold{Pre}(g) ==>
      attest_q16_rows_hold{Post}(g);
*/
static void run_one(const attest_q16_shape *s, const attest_q16_arrays *a, uint32_t head,
                    uint32_t tile, uint64_t *words) /*@ ghost (uint32_t count) */ {
  //@ ghost const attest_q16_shape shape = *s;
  //@ ghost const attest_q16_arrays arrays = *a;
  const attest_q16_head h = attest_q16_head_at(s, a, head);
  //@ ghost const attest_q16_head own = h;
  //@ ghost attest_q16_one_elsewhere(shape, arrays, head, own);
  //@ ghost attest_q16_one_apart(shape, arrays, head, own);
  //@ ghost attest_q16_one_numbers(s, a, head, own);
  //@ assert itself: attest_q16_head_apart(&h);
  run_beside(&h, tile, words) /*@ ghost (count, s, shape, arrays, head, own) */;
  /*@ assert one: \forall attest_q16_head g;
        attest_q16_is_head(shape, arrays, head, g) ==> g == own; */
}

/* The same; the other heads stay as they are. */
/*@ requires \valid_read(s) && \valid_read(a) && attest_q16_ready(s, a);
    requires s->q_len >= 1 && head < s->q_heads && tile <= 65536;
    requires tile == 0 ==> 3 * s->kv_len <= count;
    requires tile >= 1 ==> tile + 4 * s->value_width <= count;
    requires \valid(words + (0 .. count - 1));
    assigns words[0 .. count - 1],
      a->out[0 .. attest_q16_whole(s->q_heads, s->q_len, s->value_width, s->out) - 1],
      a->weights[0 .. attest_q16_weights_whole(*s) - 1];
    ensures s->offset == \old(s->offset);
    ensures s->left == \old(s->left);
    ensures s->right == \old(s->right);
    ensures s->window == \old(s->window);
    ensures s->scale.exponent == \old(s->scale.exponent);
    ensures done: \forall attest_q16_head g; attest_q16_is_head(\old(*s), \old(*a), head, g) ==>
      attest_q16_head_done{Pre, Post}(g);
    ensures hold: \forall attest_q16_head g; attest_q16_is_head(\old(*s), \old(*a), head, g) ==>
      attest_q16_rows_hold(g);
    ensures same: attest_q16_heads_same{Pre, Post}(\old(*s), \old(*a));
    ensures kept: \forall integer w, attest_q16_head g;
      0 <= w < \old(s->q_heads) && w != head && attest_q16_is_head(\old(*s), \old(*a), w, g) ==>
      attest_q16_rows_kept{Pre, Post}(g, g.q_len);
    ensures still: \forall integer w, attest_q16_head g;
      0 <= w < \old(s->q_heads) && w != head &&
      attest_q16_is_head(\old(*s), \old(*a), w, g) && attest_q16_rows_hold{Pre}(g) ==>
      attest_q16_rows_hold(g);
*/
static void run_among(const attest_q16_shape *s, const attest_q16_arrays *a, uint32_t head,
                      uint32_t tile, uint64_t *words) /*@ ghost (uint32_t count) */ {
  //@ ghost const attest_q16_shape shape = *s;
  //@ ghost const attest_q16_arrays arrays = *a;
  //@ ghost attest_q16_elements_are(shape, arrays);
  run_one(s, a, head, tile, words) /*@ ghost (count) */;
  /*@ assert counts: \forall integer w, attest_q16_head g;
        attest_q16_is_head(shape, arrays, w, g) ==> attest_q16_counts(g); */
  //@ ghost attest_q16_elements_are(shape, arrays);
  //@ ghost attest_q16_heads_inside(shape.q_heads, shape.q_len, shape.width, shape.q);
  /*@ assert queries: \forall integer w, i, c, attest_q16_head g;
        0 <= w < shape.q_heads && attest_q16_is_head(shape, arrays, w, g) &&
        0 <= i < g.q_len && 0 <= c < g.width ==>
        attest_q16_query_at{Pre}(g, i, c) == attest_q16_query_at{Here}(g, i, c); */
  //@ ghost attest_q16_kv_heads_inside(shape.q_heads, shape.kv_heads);
  //@ ghost attest_q16_heads_inside(shape.kv_heads, shape.kv_len, shape.width, shape.k);
  /*@ assert keys: \forall integer w, j, c, attest_q16_head g;
        0 <= w < shape.q_heads && attest_q16_is_head(shape, arrays, w, g) &&
        0 <= j < g.kv_len && 0 <= c < g.width ==>
        attest_q16_key_at{Pre}(g, j, c) == attest_q16_key_at{Here}(g, j, c); */
  //@ ghost attest_q16_heads_inside(shape.kv_heads, shape.kv_len, shape.value_width, shape.v);
  /*@ assert values: \forall integer w, j, c, attest_q16_head g;
        0 <= w < shape.q_heads && attest_q16_is_head(shape, arrays, w, g) &&
        0 <= j < g.kv_len && 0 <= c < g.value_width ==>
        attest_q16_value_at{Pre}(g, j, c) == attest_q16_value_at{Here}(g, j, c); */
  /*@ assert stay: \forall integer w, attest_q16_head g; 0 <= w < shape.q_heads &&
        attest_q16_is_head(shape, arrays, w, g) ==> attest_q16_inputs_stay{Pre, Here}(g); */
  //@ ghost attest_q16_heads_inside(shape.q_heads, shape.q_len, shape.value_width, shape.out);
  /*@ ghost
    attest_q16_heads_apart(shape.q_len, shape.out.row, shape.q_heads, shape.out.head,
                           shape.value_width, head);
  */
  /*@ assert rows: \forall integer w, i, c, attest_q16_head g;
        0 <= w < shape.q_heads && w != head && attest_q16_is_head(shape, arrays, w, g) &&
        0 <= i < g.q_len && 0 <= c < g.value_width ==>
        attest_q16_out_at{Pre}(g, i, c) == attest_q16_out_at(g, i, c); */
  //@ ghost attest_q16_shares_apart(shape.q_len, shape.kv_len, shape.q_heads, head);
  /*@ assert given: \forall integer w, i, j, attest_q16_head g;
        0 <= w < shape.q_heads && w != head && attest_q16_is_head(shape, arrays, w, g) &&
        g.weights != \null && 0 <= i < g.q_len && 0 <= j < g.kv_len ==>
        attest_q16_share_of{Pre}(g, i, j) == attest_q16_share_of(g, i, j); */
  /*@ assert kept: \forall integer w, attest_q16_head g; 0 <= w < shape.q_heads && w != head &&
        attest_q16_is_head(shape, arrays, w, g) ==>
        attest_q16_rows_kept{Pre, Here}(g, g.q_len); */
}

attest_q16_status attest_q16_run(const attest_q16_shape *s, const attest_q16_arrays *a,
                                 uint32_t tile, uint64_t *words, uint32_t count) {
  const attest_q16_status status = attest_q16_check(s, a);
  if (status != ATTEST_Q16_OK) return status;
  const uint32_t need = tile == 0 ? ATTEST_Q16_NAIVE_SCRATCH(s->kv_len)
                                  : ATTEST_Q16_TILED_SCRATCH(tile, s->value_width);
  if (!words) return ATTEST_Q16_NULL;
  if (count < need) return ATTEST_Q16_SCRATCH;
  if (s->q_len == 0) return ATTEST_Q16_OK;
  //@ ghost const attest_q16_shape shape = *s;
  //@ ghost const attest_q16_arrays arrays = *a;
  const uint32_t heads = s->q_heads;
  /*@ loop invariant 0 <= head <= heads;
      loop invariant attest_q16_ready(s, a);
      loop invariant itself: *s == shape && *a == arrays;
      loop invariant same: attest_q16_heads_same{Pre, Here}(shape, arrays);
      loop invariant done: attest_q16_heads_done{Pre, Here}(shape, arrays, head);
      loop invariant hold: attest_q16_heads_hold(shape, arrays, head);
      loop assigns head, words[0 .. count - 1],
        a->out[0 .. attest_q16_whole(s->q_heads, s->q_len, s->value_width, s->out) - 1],
        a->weights[0 .. attest_q16_weights_whole(*s) - 1];
      loop variant heads - head; */
  for (uint32_t head = 0; head < heads; head++) {
    /*@ assert outputs: \forall attest_q16_head g, integer i, c;
          attest_q16_is_head(shape, arrays, head, g) && 0 <= i < g.q_len &&
          0 <= c < g.value_width ==>
          attest_q16_output_at{Pre}(g, i, c) == attest_q16_output_at(g, i, c); */
    /*@ assert totals: \forall attest_q16_head g, integer i, n;
          attest_q16_is_head(shape, arrays, head, g) && 0 <= i < g.q_len &&
          0 <= n <= g.kv_len ==>
          attest_q16_row_total{Pre}(g, i, n) == attest_q16_row_total(g, i, n); */
    /*@ assert weights: \forall attest_q16_head g, integer i, j;
          attest_q16_is_head(shape, arrays, head, g) && 0 <= i < g.q_len &&
          0 <= j < g.kv_len ==>
          attest_q16_given_weight{Pre}(g, i, j) == attest_q16_given_weight(g, i, j); */
    run_among(s, a, head, tile, words) /*@ ghost (count) */;
    /*@ assert now_outputs: \forall attest_q16_head g, integer i, c;
          attest_q16_is_head(shape, arrays, head, g) && 0 <= i < g.q_len &&
          0 <= c < g.value_width ==>
          attest_q16_out_at(g, i, c) == attest_q16_output_at{Pre}(g, i, c); */
    /*@ assert now_weights: \forall attest_q16_head g, integer i, j;
          attest_q16_is_head(shape, arrays, head, g) && g.weights != \null &&
          0 <= i < g.q_len && 0 <= j < g.kv_len ==>
          attest_q16_share_of(g, i, j) == attest_q16_given_weight{Pre}(g, i, j); */
    /*@ assert this: \forall attest_q16_head g; attest_q16_is_head(shape, arrays, head, g) ==>
          attest_q16_head_done{Pre, Here}(g); */
    /*@ assert then_outputs: \forall attest_q16_head g, integer w, i, c;
          0 <= w < head && attest_q16_is_head(shape, arrays, w, g) && 0 <= i < g.q_len &&
          0 <= c < g.value_width ==>
          attest_q16_out_at(g, i, c) == attest_q16_output_at{Pre}(g, i, c); */
    /*@ assert then_weights: \forall attest_q16_head g, integer w, i, j;
          0 <= w < head && attest_q16_is_head(shape, arrays, w, g) && g.weights != \null &&
          0 <= i < g.q_len && 0 <= j < g.kv_len ==>
          attest_q16_share_of(g, i, j) == attest_q16_given_weight{Pre}(g, i, j); */
    //@ assert before: attest_q16_heads_done{Pre, Here}(shape, arrays, head);
    //@ assert counts: attest_q16_counts_ok(*s);
    //@ assert reach: attest_q16_reach_ok(*s) && attest_q16_scale_ok(s->scale);
    //@ assert problem: attest_q16_problem_ok(*s, *a);
    //@ assert readable: attest_q16_readable(*s, *a) && attest_q16_arrays_apart(*s, *a);
    //@ assert writable: attest_q16_writable(*s, *a) && attest_q16_shape_apart(s, a);
  }
  return ATTEST_Q16_OK;
}

attest_q16_status attest_q16_naive(const attest_q16_shape *shape, const attest_q16_arrays *arrays,
                                   uint64_t *scratch, uint32_t scratch_count) {
  if (!shape || !arrays) return ATTEST_Q16_NULL;
  return attest_q16_run(shape, arrays, 0, scratch, scratch_count);
}

attest_q16_status attest_q16_tiled(const attest_q16_shape *shape, const attest_q16_arrays *arrays,
                                   uint32_t tile, uint64_t *scratch, uint32_t scratch_count) {
  if (!shape || !arrays) return ATTEST_Q16_NULL;
  if (tile == 0) return ATTEST_Q16_SCRATCH;
  return attest_q16_run(shape, arrays, tile < ATTEST_Q16_MAX_KEYS ? tile : ATTEST_Q16_MAX_KEYS,
                        scratch, scratch_count);
}
