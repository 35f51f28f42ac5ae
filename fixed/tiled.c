#include "nests.h"
#include "share.h"
#include "tile_theory.h"

/* Whether the mask hides key j from row i, which may see it by position. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_mask_readable(*h);
    requires i < h->q_len && j < h->kv_len;
    requires attest_q16_first(*h, i) <= j < attest_q16_last(*h, i);
    assigns \nothing;
    ensures \result != 0 <==> attest_q16_seen(*h, i, j) == 0;
*/
static int hidden(const attest_q16_head *h, uint32_t i, uint32_t j) {
  //@ ghost attest_q16_seen_is(*h, i, j);
  return attest_q16_masked(h, i, j);
}

/* The largest magnitude in query row i. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h) && i < h->q_len;
    assigns \nothing;
    ensures \result <= 2147483648 && attest_q16_row_within(*h, i, \result);
*/
static uint32_t row_peak(const attest_q16_head *h, uint32_t i) {
  return attest_q16_peak_of(h, i);
}

/* The score of key j for row i. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h);
    requires i < h->q_len && j < h->kv_len;
    requires attest_q16_row_within(*h, i, peak) && peak <= 2147483648;
    assigns \nothing;
    ensures attest_q16_score_ok(\result);
    ensures whole: \result.whole == attest_q16_whole_at(*h, i, j);
    ensures fraction: \result.fraction == attest_q16_fraction_at(*h, i, j);
*/
static attest_q16_score score_at(const attest_q16_head *h, uint32_t i, uint32_t j,
                                 uint32_t peak) {
  //@ ghost attest_q16_score_bound(*h, i, j);
  return attest_q16_score_at(h, i, j, peak);
}

/* The largest whole part of row i's scores, 0 if no key is visible. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h) && i < h->q_len;
    requires attest_q16_span_is(*h, i, span) && span.last <= h->kv_len && peak <= 2147483648;
    requires attest_q16_row_within(*h, i, peak);
    assigns \nothing;
    ensures \result == attest_q16_row_top(*h, i, h->kv_len);
*/
static uint64_t row_top(const attest_q16_head *h, uint32_t i, attest_q16_span span,
                        uint32_t peak) {
  uint64_t top = 0;
  //@ ghost attest_q16_top_ends(*h, i, span);
  /*@ loop invariant span.first <= j <= span.last;
      loop invariant top == attest_q16_row_top(*h, i, j);
      loop assigns j, top;
      loop variant span.last - j; */
  for (uint32_t j = span.first; j < span.last; j++) {
    //@ assert next: attest_q16_row_top(*h, i, j + 1) == \max(top, attest_q16_seen_whole(*h, i, j));
    if (hidden(h, i, j)) {
      //@ ghost attest_q16_hidden_is(*h, i, j);
      continue;
    }
    //@ ghost attest_q16_visible_is(*h, i, j);
    const attest_q16_score y = score_at(h, i, j, peak);
    //@ assert score: y.whole == attest_q16_seen_whole(*h, i, j);
    if (y.whole > top) top = y.whole;
  }
  return top;
}

/* The weight of key j for row i, 0 where hidden. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h);
    requires i < h->q_len && attest_q16_first(*h, i) <= j < attest_q16_last(*h, i);
    requires j < h->kv_len && peak <= 2147483648;
    requires attest_q16_row_within(*h, i, peak);
    requires top == attest_q16_row_top(*h, i, h->kv_len);
    assigns \nothing;
    ensures attest_q16_weight_ok(\result);
    ensures attest_q16_mass(\result) == attest_q16_weight_in(*h, i, j);
*/
static attest_q16_weight weight_at(const attest_q16_head *h, uint32_t i, uint32_t j, uint32_t peak,
                                   uint64_t top) {
  const attest_q16_weight none = {0, 0};
  if (hidden(h, i, j)) {
    //@ ghost attest_q16_hidden_is(*h, i, j);
    return none;
  }
  //@ ghost attest_q16_visible_is(*h, i, j);
  return attest_q16_weight_of(score_at(h, i, j, peak), top);
}

/* The list with the term of key j; v_row is the distance of value rows. */
/*@ requires attest_q16_sizes(h) && i < h.q_len && j < h.kv_len && v_row == h.v_row;
    requires furthest == (h.kv_len - 1) * h.v_row;
    requires capacity <= 65536 && \valid(terms + (0 .. capacity - 1));
    requires list.near + list.far < capacity && list.total <= 65535 * 549755813888;
    requires attest_q16_terms_ok(terms, capacity, list, furthest);
    requires attest_q16_weight_ok(weight);
    requires attest_q16_mass(weight) == attest_q16_weight_in(h, i, j);
    assigns terms[0 .. capacity - 1];
    ensures attest_q16_terms_ok(terms, capacity, \result, furthest);
    ensures \result.near + \result.far <= list.near + list.far + 1;
    ensures total: \result.total == list.total + attest_q16_weight_in(h, i, j);
    ensures sums: \forall integer c;
      attest_q16_joined(terms, capacity, \result.near, \result.far, h.v + c) ==
      \old(attest_q16_joined(terms, capacity, list.near, list.far, h.v + c)) +
      attest_q16_part_at(h, i, c, j);
*/
static inline attest_q16_terms append_key(uint64_t *terms, uint32_t capacity,
                                          attest_q16_terms list, attest_q16_weight weight,
                                          uint32_t j, uint32_t v_row)
    /*@ ghost (attest_q16_head h, uint32_t i, uint32_t furthest) */ {
  const uint32_t place = attest_q16_row(j, v_row) /*@ ghost (h.kv_len) */;
  //@ assert place: place <= furthest;
  //@ ghost attest_q16_part_is(h, i, j, weight, place);
  return attest_q16_append_term(terms, capacity, list, weight, place) /*@ ghost (furthest) */;
}

/* The terms of keys tile.first <= j < tile.last; `total` is that of the keys before. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h) && i < h->q_len;
    requires attest_q16_first(*h, i) <= tile.first <= tile.last <= h->kv_len;
    requires tile.last <= \max(attest_q16_first(*h, i), attest_q16_last(*h, i));
    requires attest_q16_row_within(*h, i, peak) && peak <= 2147483648;
    requires top == attest_q16_row_top(*h, i, h->kv_len);
    requires tile.last - tile.first <= capacity <= 65536;
    requires \valid(terms + (0 .. capacity - 1)) && total <= tile.first * 549755813888;
    requires total == attest_q16_row_total(*h, i, tile.first);
    assigns terms[0 .. capacity - 1];
    ensures attest_q16_terms_ok(terms, capacity, \result, attest_q16_furthest(*h));
    ensures \result.near + \result.far <= tile.last - tile.first;
    ensures \result.total <= tile.last * 549755813888;
    ensures total: \result.total == attest_q16_row_total(*h, i, tile.last);
    ensures sums: attest_q16_tile_listed(*h, i, tile, terms, capacity, \result);
*/
static attest_q16_terms list_tile(const attest_q16_head *h, uint32_t i, attest_q16_span tile,
                                  uint32_t peak, uint64_t top, uint64_t total, uint64_t *terms,
                                  uint32_t capacity) {
  //@ ghost uint32_t furthest = attest_q16_last_start(h->kv_len, h->v_row, h->value_width);
  //@ ghost const attest_q16_head g = *h;
  attest_q16_terms list = {0, 0, 0};
  list.total = total;
  /*@ loop invariant tile.first <= j <= tile.last;
      loop invariant list.near + list.far <= j - tile.first;
      loop invariant list.total <= j * 549755813888;
      loop invariant total: list.total == attest_q16_row_total(g, i, j);
      loop invariant sums: \forall integer c; attest_q16_row_weighted(g, i, c, j) ==
        attest_q16_row_weighted(g, i, c, tile.first) +
        attest_q16_joined(terms, capacity, list.near, list.far, g.v + c);
      loop invariant attest_q16_terms_ok(terms, capacity, list, furthest);
      loop assigns j, list, terms[0 .. capacity - 1];
      loop variant tile.last - j; */
  for (uint32_t j = tile.first; j < tile.last; j++) {
    const attest_q16_weight weight = weight_at(h, i, j, peak, top);
    list = append_key(terms, capacity, list, weight, j, h->v_row) /*@ ghost (g, i, furthest) */;
  }
  return list;
}

/* Adds the terms of a tile to the four words of a column; v points to the column's first value. */
/*@ requires keys + list.near + list.far <= 65536 && capacity <= 65536;
    requires \valid_read(terms + (0 .. capacity - 1)) && \valid(sums + (0 .. 3));
    requires \separated(sums + (0 .. 3), terms + (0 .. capacity - 1));
    requires attest_q16_terms_ok(terms, capacity, list, furthest);
    requires \valid_read(v + (0 .. furthest));
    requires attest_q16_four_ok(sums, keys);
    assigns sums[0 .. 3];
    ensures attest_q16_terms_ok(terms, capacity, list, furthest);
    ensures attest_q16_four_ok(sums, keys + list.near + list.far);
    ensures value: attest_q16_four_sum(sums) == \old(attest_q16_four_sum(sums)) +
      \old(attest_q16_joined(terms, capacity, list.near, list.far, v));
    ensures listed: \forall int32_t *u;
      attest_q16_joined(terms, capacity, list.near, list.far, u) ==
      \old(attest_q16_joined(terms, capacity, list.near, list.far, u));
*/
static inline void add_four(attest_q16_terms list, const uint64_t *terms, uint32_t capacity,
                            const int32_t *v, uint64_t *sums)
    /*@ ghost (uint32_t furthest, uint32_t keys) */ {
  const attest_q16_sum near =
    attest_q16_gather(terms, 0, list.near, v) /*@ ghost (furthest) */;
  const attest_q16_sum far =
    attest_q16_gather(terms, capacity - list.far, capacity, v) /*@ ghost (furthest) */;
  sums[0] += near.high;
  sums[1] += near.low;
  sums[2] += far.high;
  sums[3] += far.low;
  /*@ ghost
    /@ loop invariant 0 <= t <= list.near;
       loop invariant \forall int32_t *u; attest_q16_gathered{Here}(terms, 0, t, u) ==
         attest_q16_gathered{Pre}(terms, 0, t, u);
       loop assigns t;
       loop variant list.near - t; @/
    for (uint32_t t = 0; t < list.near; t++) {}
    /@ loop invariant capacity - list.far <= t <= capacity;
       loop invariant \forall int32_t *u;
         attest_q16_gathered{Here}(terms, capacity - list.far, t, u) ==
         attest_q16_gathered{Pre}(terms, capacity - list.far, t, u);
       loop assigns t;
       loop variant capacity - t; @/
    for (uint32_t t = capacity - list.far; t < capacity; t++) {}
    /@ assert near: \forall int32_t *u; attest_q16_gathered(terms, 0, list.near, u) ==
         attest_q16_gathered{Pre}(terms, 0, list.near, u); @/
    /@ assert far: \forall int32_t *u;
         attest_q16_gathered(terms, capacity - list.far, capacity, u) ==
         attest_q16_gathered{Pre}(terms, capacity - list.far, capacity, u); @/
  */
}

/* The same for column c of sums. */
/*@ requires keys + list.near + list.far <= 65536 && capacity <= 65536 && c < width <= 1024;
    requires \valid_read(terms + (0 .. capacity - 1)) && \valid(sums + (0 .. 4 * width - 1));
    requires \separated(sums + (0 .. 4 * width - 1), terms + (0 .. capacity - 1));
    requires attest_q16_terms_ok(terms, capacity, list, furthest);
    requires \valid_read(v + (0 .. furthest));
    requires attest_q16_sums_ok(sums, 0, 4 * c, keys + list.near + list.far);
    requires attest_q16_sums_ok(sums, 4 * c, 4 * width, keys);
    assigns sums[4 * c .. 4 * c + 3];
    ensures attest_q16_terms_ok(terms, capacity, list, furthest);
    ensures attest_q16_sums_ok(sums, 0, 4 * c + 4, keys + list.near + list.far);
    ensures attest_q16_sums_ok(sums, 4 * c + 4, 4 * width, keys);
    ensures value: attest_q16_four_sum(sums + 4 * c) == \old(attest_q16_four_sum(sums + 4 * c)) +
      \old(attest_q16_joined(terms, capacity, list.near, list.far, v));
    ensures before: \forall integer d; 0 <= d < c ==>
      attest_q16_four_sum(sums + 4 * d) == \old(attest_q16_four_sum(sums + 4 * d));
    ensures after: \forall integer d; c < d < width ==>
      attest_q16_four_sum(sums + 4 * d) == \old(attest_q16_four_sum(sums + 4 * d));
    ensures listed: \forall int32_t *u;
      attest_q16_joined(terms, capacity, list.near, list.far, u) ==
      \old(attest_q16_joined(terms, capacity, list.near, list.far, u));
*/
static void add_column(attest_q16_terms list, const uint64_t *terms, uint32_t capacity,
                       const int32_t *v, uint64_t *sums, uint32_t c)
    /*@ ghost (uint32_t furthest, uint32_t keys, uint32_t width) */ {
  //@ ghost const uint32_t more = keys + list.near + list.far;
  //@ ghost attest_q16_four_of(sums, 4U * c, keys);
  add_four(list, terms, capacity, v, sums + 4U * c) /*@ ghost (furthest, keys) */;
  //@ ghost attest_q16_four_in(sums, 4U * c, more);
  //@ assert before: attest_q16_sums_ok(sums, 0, 4 * c, more);
  //@ assert after: attest_q16_sums_ok(sums, 4 * c + 4, 4 * width, keys);
}

/* Adds the terms of a tile to the sums of all columns. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h) && h->kv_len >= 1;
    requires tile.first <= tile.last <= 65536 && capacity <= 65536;
    requires list.near + list.far <= tile.last - tile.first;
    requires \valid_read(terms + (0 .. capacity - 1));
    requires \valid(sums + (0 .. 4 * h->value_width - 1));
    requires \separated(sums + (0 .. 4 * h->value_width - 1), terms + (0 .. capacity - 1));
    requires attest_q16_terms_ok(terms, capacity, list, attest_q16_furthest(*h));
    requires listed: attest_q16_tile_listed(*h, i, tile, terms, capacity, list);
    requires attest_q16_sums_ok(sums, 0, 4 * h->value_width, tile.first);
    requires before: attest_q16_columns(*h, i, sums, 0, h->value_width, tile.first);
    assigns sums[0 .. 4 * h->value_width - 1];
    ensures attest_q16_sums_ok(sums, 0, 4 * h->value_width, tile.last);
    ensures after: attest_q16_columns(*h, i, sums, 0, h->value_width, tile.last);
*/
static void add_tile(const attest_q16_head *h, attest_q16_terms list, const uint64_t *terms,
                     uint32_t capacity, uint64_t *sums)
    /*@ ghost (uint32_t i, attest_q16_span tile) */ {
  //@ ghost const attest_q16_head g = *h;
  //@ ghost uint32_t furthest = attest_q16_last_start(h->kv_len, h->v_row, h->value_width);
  //@ ghost uint32_t more = tile.first + list.near + list.far;
  /*@ loop invariant 0 <= c <= h->value_width;
      loop invariant attest_q16_terms_ok(terms, capacity, list, furthest);
      loop invariant listed: attest_q16_tile_listed(g, i, tile, terms, capacity, list);
      loop invariant attest_q16_sums_ok(sums, 0, 4 * c, more);
      loop invariant attest_q16_sums_ok(sums, 4 * c, 4 * h->value_width, tile.first);
      loop invariant done: attest_q16_columns(g, i, sums, 0, c, tile.last);
      loop invariant rest: attest_q16_columns(g, i, sums, c, h->value_width, tile.first);
      loop assigns c, sums[0 .. 4 * h->value_width - 1];
      loop variant h->value_width - c; */
  for (uint32_t c = 0; c < h->value_width; c++) {
    add_column(list, terms, capacity, h->v + c, sums, c)
        /*@ ghost (furthest, tile.first, h->value_width) */;
    //@ assert done: attest_q16_columns(g, i, sums, 0, c, tile.last);
    /*@ assert this: attest_q16_four_sum(sums + 4 * c) ==
          attest_q16_row_weighted(g, i, c, tile.last); */
    //@ assert rest: attest_q16_columns(g, i, sums, c + 1, h->value_width, tile.first);
  }
}

/* Column c of output row i, to *out, from its four words. */
/*@ requires attest_q16_sizes(h) && attest_q16_inputs(h) && i < h.q_len && c < h.value_width;
    requires \valid_read(sums + (0 .. 3)) && \valid(out) && \valid_read(divisor);
    requires attest_q16_four_ok(sums, 65536) && attest_q16_divisor_ok(*divisor);
    requires divisor->total == attest_q16_row_total(h, i, h.kv_len);
    requires attest_q16_four_sum(sums) == attest_q16_row_weighted(h, i, c, h.kv_len);
    requires attest_q16_elsewhere(h, out, 1);
    assigns *out;
    ensures value: *out == \old(attest_q16_output_at(h, i, c));
    ensures same: attest_q16_same_head{Pre, Here}(h);
*/
static void divide_column(const uint64_t *sums, const attest_q16_divisor *divisor, int32_t *out)
    /*@ ghost (attest_q16_head h, uint32_t i, uint32_t c) */ {
  const attest_q16_sum near = {sums[0], sums[1]}, far = {sums[2], sums[3]};
  //@ ghost attest_q16_sum_within(h, i, c, 0U, 4294967295U);
  //@ ghost attest_q16_times_is();
  /*@ assert most: attest_q16_times_of(attest_q16_row_total(h, i, h.kv_len), 4294967295) ==
        divisor->total * 4294967295; */
  attest_q16_write(out, attest_q16_output(near, far, divisor)) /*@ ghost (h) */;
}

/* Output row i from its sums; zeros if no key is visible. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h) && i < h->q_len;
    requires \valid_read(sums + (0 .. 4 * h->value_width - 1));
    requires \valid(out + (0 .. h->value_width - 1)) && total <= 36028797018963968;
    requires attest_q16_sums_ok(sums, 0, 4 * h->value_width, 65536);
    requires total == attest_q16_row_total(*h, i, h->kv_len);
    requires attest_q16_columns(*h, i, sums, 0, h->value_width, h->kv_len);
    requires attest_q16_elsewhere(*h, out, h->value_width);
    assigns out[0 .. h->value_width - 1];
    ensures value: \forall integer c; 0 <= c < \old(h->value_width) ==>
      out[c] == \old(attest_q16_output_at(*h, i, c));
    ensures same: attest_q16_same_head{Pre, Here}(\at(*h, Pre));
*/
static void divide_row(const attest_q16_head *h, const uint64_t *sums, uint64_t total,
                       int32_t *out) /*@ ghost (uint32_t i) */ {
  //@ ghost const attest_q16_head g = *h;
  if (total == 0) {
    attest_q16_clear_row(out, h->value_width) /*@ ghost (g) */;
    return;
  }
  const attest_q16_divisor divisor = attest_q16_divisor_of(total);
  /*@ loop invariant 0 <= c <= h->value_width;
      loop invariant value: \forall integer d; 0 <= d < c ==>
        out[d] == attest_q16_output_at{Pre}(g, i, d);
      loop invariant same: attest_q16_same_head{Pre, Here}(g);
      loop assigns c, out[0 .. h->value_width - 1];
      loop variant h->value_width - c; */
  for (uint32_t c = 0; c < h->value_width; c++) {
    //@ ghost attest_q16_four_of(sums, 4U * c, 65536U);
    divide_column(sums + 4U * c, &divisor, out + c) /*@ ghost (g, i, c) */;
  }
}

/* The keys of a tile that begins at `first`. */
/*@ requires first <= last <= 65536 && 1 <= tile <= 65536;
    assigns \nothing;
    ensures \result.first == first && first <= \result.last <= last;
    ensures \result.last - first <= tile;
    ensures first < last ==> first < \result.last;
*/
static attest_q16_span tile_at(uint32_t first, uint32_t last, uint32_t tile) {
  attest_q16_span span;
  span.first = first;
  span.last = last - first < tile ? last : first + tile;
  return span;
}

/* Output row i, given its largest whole part; returns the sum of its weights. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h) && i < h->q_len;
    requires attest_q16_span_is(*h, i, span) && span.last <= h->kv_len && 1 <= tile <= 65536;
    requires attest_q16_row_within(*h, i, peak) && peak <= 2147483648;
    requires top == attest_q16_row_top(*h, i, h->kv_len);
    requires \valid(terms + (0 .. tile - 1)) && \valid(sums + (0 .. 4 * h->value_width - 1));
    requires \separated(sums + (0 .. 4 * h->value_width - 1), terms + (0 .. tile - 1));
    requires \valid(out + (0 .. h->value_width - 1));
    requires attest_q16_elsewhere(*h, out, h->value_width);
    assigns terms[0 .. tile - 1], sums[0 .. 4 * h->value_width - 1], out[0 .. h->value_width - 1];
    ensures total: \result == \old(attest_q16_row_total(*h, i, h->kv_len));
    ensures \result <= 36028797018963968;
    ensures value: \forall integer c; 0 <= c < \old(h->value_width) ==>
      out[c] == \old(attest_q16_output_at(*h, i, c));
    ensures same: attest_q16_same_head{Pre, Here}(\at(*h, Pre));
*/
static uint64_t sum_row(const attest_q16_head *h, uint32_t i, attest_q16_span span, uint32_t peak,
                        uint64_t top, uint32_t tile, uint64_t *terms, uint64_t *sums,
                        int32_t *out) {
  //@ ghost const attest_q16_head g = *h;
  //@ ghost attest_q16_total_ends(g, i, span);
  //@ ghost attest_q16_sum_ends(g, i, span);
  /*@ loop invariant 0 <= w <= 4 * h->value_width;
      loop invariant zero: \forall integer x; 0 <= x < w ==> sums[x] == 0;
      loop assigns w, sums[0 .. 4 * h->value_width - 1];
      loop variant 4 * h->value_width - w; */
  for (uint32_t w = 0; w < 4U * h->value_width; w++) sums[w] = 0;
  //@ ghost attest_q16_fours_zero(sums, h->value_width);

  uint64_t total = 0;
  uint32_t first = span.first;
  /*@ loop invariant span.first <= first <= span.last;
      loop invariant total <= first * 549755813888 && total <= 36028797018963968;
      loop invariant total: total == attest_q16_row_total(g, i, first);
      loop invariant attest_q16_sums_ok(sums, 0, 4 * h->value_width, first);
      loop invariant columns: attest_q16_columns(g, i, sums, 0, h->value_width, first);
      loop assigns first, total, terms[0 .. tile - 1], sums[0 .. 4 * h->value_width - 1];
      loop variant span.last - first; */
  while (first < span.last) {
    const attest_q16_span keys = tile_at(first, span.last, tile);
    const attest_q16_terms list = list_tile(h, i, keys, peak, top, total, terms, tile);
    add_tile(h, list, terms, tile, sums) /*@ ghost (i, keys) */;
    total = list.total;
    first = keys.last;
  }
  //@ assert sums: attest_q16_sums_ok(sums, 0, 4 * h->value_width, 65536);
  //@ assert columns: attest_q16_columns(g, i, sums, 0, h->value_width, h->kv_len);
  divide_row(h, sums, total, out) /*@ ghost (i) */;
  return total;
}

/* The sum of the weights of row i up to key j, given that of the keys before. */
/*@ requires attest_q16_head_is(h, g) && attest_q16_sizes(g) && attest_q16_inputs(g);
    requires i < g.q_len && j < g.kv_len;
    requires attest_q16_span_is(g, i, span) && span.last <= g.kv_len;
    requires attest_q16_row_within(g, i, peak) && peak <= 2147483648;
    requires top == attest_q16_row_top(g, i, g.kv_len);
    requires part == attest_q16_row_total(g, i, j) && part <= j * 549755813888;
    assigns \nothing;
    ensures \result == attest_q16_row_total(g, i, j + 1);
    ensures \result <= part + 549755813888;
*/
static uint64_t add_mass(const attest_q16_head *h, uint32_t i, attest_q16_span span, uint32_t j,
                         uint32_t peak, uint64_t top, uint64_t part)
    /*@ ghost (attest_q16_head g) */ {
  if (j < span.first || j >= span.last) {
    //@ ghost attest_q16_hidden_is(g, i, j);
    return part;
  }
  return part + attest_q16_mass_of(weight_at(h, i, j, peak, top));
}

/* Writes a weight of row i. What the row is computed from stays the same. */
/*@ requires attest_q16_sizes(h) && i < h.q_len && attest_q16_row_within(h, i, peak);
    requires \valid(at) && attest_q16_elsewhere(h, at, 1);
    requires top == attest_q16_row_top(h, i, h.kv_len);
    assigns *at;
    ensures *at == x;
    ensures same: attest_q16_same_rows{Pre, Here}(h);
    ensures within: attest_q16_row_within(h, i, peak);
    ensures top: top == attest_q16_row_top(h, i, h.kv_len);
*/
static inline void write_weight(int32_t *at, int32_t x)
    /*@ ghost (attest_q16_head h, uint32_t i, uint32_t peak, uint64_t top) */ {
  //@ ghost attest_q16_row_starts(h.q_len, h.q_row);
  attest_q16_write(at, x) /*@ ghost (h) */;
}

/* Writes a weight as it is given out: the share up to its key less the share before; returns the
   share. */
/*@ requires attest_q16_sizes(g) && i < g.q_len && attest_q16_head_is(h, g);
    requires \valid(at) && attest_q16_elsewhere(g, at, 1) && \separated(h, at);
    requires attest_q16_row_within(g, i, peak) && top == attest_q16_row_top(g, i, g.kv_len);
    requires total <= 36028797018963968 && before <= 65536;
    assigns *at;
    ensures *at == \result - before;
    ensures share: \result == attest_q16_share_at(part, total) && \result <= 65536;
    ensures same: attest_q16_same_rows{Pre, Here}(g);
    ensures within: attest_q16_row_within(g, i, peak);
    ensures top: top == attest_q16_row_top(g, i, g.kv_len);
    ensures itself: attest_q16_head_is(h, g);
*/
static inline uint32_t give_weight(int32_t *at, uint64_t part, uint64_t total, uint32_t before)
    /*@ ghost (const attest_q16_head *h, attest_q16_head g, uint32_t i, uint32_t peak,
               uint64_t top) */ {
  const uint32_t share = attest_q16_share(part, total);
  write_weight(at, (int32_t)share - (int32_t)before) /*@ ghost (g, i, peak, top) */;
  return share;
}

/* Weights of row i, as they are given out. */
/*@ requires attest_q16_head_is(h, g) && attest_q16_sizes(g) && attest_q16_inputs(g);
    requires i < g.q_len && keys == g.kv_len;
    requires attest_q16_span_is(g, i, span) && span.last <= keys;
    requires attest_q16_row_within(g, i, peak) && peak <= 2147483648;
    requires top == attest_q16_row_top(g, i, keys);
    requires total == attest_q16_row_total(g, i, keys) && total <= 36028797018963968;
    requires \valid(weights + (0 .. keys - 1)) && \separated(h, weights + (0 .. keys - 1));
    requires attest_q16_elsewhere(g, weights, keys);
    assigns weights[0 .. keys - 1];
    ensures value: \forall integer j; 0 <= j < keys ==>
      weights[j] == \old(attest_q16_given_weight(g, i, j));
    ensures same: attest_q16_same_rows{Pre, Here}(g);
*/
static void share_row(const attest_q16_head *h, uint32_t i, attest_q16_span span, uint32_t keys,
                      uint32_t peak, uint64_t top, uint64_t total, int32_t *weights)
    /*@ ghost (attest_q16_head g) */ {
  uint64_t part = 0;
  uint32_t before = 0;
  /*@ loop invariant 0 <= j <= keys && before <= 65536 && part <= j * 549755813888;
      loop invariant head: attest_q16_head_is(h, g);
      loop invariant within: attest_q16_row_within(g, i, peak);
      loop invariant top: top == attest_q16_row_top(g, i, keys);
      loop invariant part: part == attest_q16_row_total{Pre}(g, i, j);
      loop invariant share: before == attest_q16_share_at(part, total);
      loop invariant value: \forall integer t; 0 <= t < j ==>
        weights[t] == attest_q16_given_weight{Pre}(g, i, t);
      loop invariant same: attest_q16_same_rows{Pre, Here}(g);
      loop assigns j, part, before, weights[0 .. keys - 1];
      loop variant keys - j; */
  for (uint32_t j = 0; j < keys; j++) {
    //@ assert old: attest_q16_same_weights{Pre, Here}(g);
    //@ assert old_sums: attest_q16_same_sums{Pre, Here}(g);
    part = add_mass(h, i, span, j, peak, top, part) /*@ ghost (g) */;
    //@ assert next: part == attest_q16_row_total{Pre}(g, i, j + 1);
    before = give_weight(weights + j, part, total, before) /*@ ghost (h, g, i, peak, top) */;
    //@ assert this: weights[j] == attest_q16_given_weight{Pre}(g, i, j);
    //@ assert step: attest_q16_same_weights{LoopCurrent, Here}(g);
    //@ assert step_sums: attest_q16_same_sums{LoopCurrent, Here}(g);
    /*@ assert now: \forall integer s, t; 0 <= s < g.q_len && 0 <= t < g.kv_len ==>
          attest_q16_weight_in{Pre}(g, s, t) == attest_q16_weight_in{Here}(g, s, t); */
    /*@ assert now_totals: \forall integer s, n; 0 <= s < g.q_len && 0 <= n <= g.kv_len ==>
          attest_q16_row_total{Pre}(g, s, n) == attest_q16_row_total{Here}(g, s, n); */
    //@ assert masses: attest_q16_same_weights{Pre, Here}(g);
    //@ assert sums: attest_q16_same_sums{Pre, Here}(g);
  }
}

/* Row i, its weights where they are asked for. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h) && i < h->q_len;
    requires 1 <= tile <= 65536 && \valid(words + (0 .. tile + 4 * h->value_width - 1));
    requires \valid(out + (0 .. h->value_width - 1));
    requires \separated(h, out + (0 .. h->value_width - 1));
    requires weights != \null ==> \separated(h, weights + (0 .. h->kv_len - 1));
    requires weights != \null ==> \valid(weights + (0 .. h->kv_len - 1)) &&
      attest_q16_elsewhere(*h, weights, h->kv_len) &&
      \separated(weights + (0 .. h->kv_len - 1), out + (0 .. h->value_width - 1));
    requires attest_q16_elsewhere(*h, out, h->value_width);
    assigns words[0 .. tile + 4 * h->value_width - 1], out[0 .. h->value_width - 1],
      weights[0 .. h->kv_len - 1];
    ensures outputs: \forall integer c; 0 <= c < \old(h->value_width) ==>
      out[c] == \old(attest_q16_output_at(*h, i, c));
    ensures weights: weights != \null ==> \forall integer j; 0 <= j < \old(h->kv_len) ==>
      weights[j] == \old(attest_q16_given_weight(*h, i, j));
    ensures same: attest_q16_same_rows{Pre, Here}(\at(*h, Pre));
*/
static void tiled_row(const attest_q16_head *h, uint32_t i, uint32_t tile, uint64_t *words,
                      int32_t *out, int32_t *weights) {
  //@ ghost const attest_q16_head g = *h;
  const attest_q16_span span = attest_q16_span_of(h, i);
  const uint32_t peak = row_peak(h, i);
  const uint64_t top = row_top(h, i, span, peak);
  const uint64_t total = sum_row(h, i, span, peak, top, tile, words, words + tile, out);
  //@ assert head: *h == g;
  //@ assert same: attest_q16_same_rows{Pre, Here}(g);
  /*@ assert outputs: \forall integer c; 0 <= c < g.value_width ==>
        out[c] == attest_q16_output_at{Pre}(g, i, c); */
  if (weights) {
    share_row(h, i, span, h->kv_len, row_peak(h, i), top, total, weights) /*@ ghost (g) */;
    //@ assert masses: attest_q16_same_weights{Pre, Here}(g);
    //@ assert sums: attest_q16_same_sums{Pre, Here}(g);
    //@ assert same: attest_q16_same_rows{Pre, Here}(g);
    /*@ assert outputs: \forall integer c; 0 <= c < g.value_width ==>
          out[c] == attest_q16_output_at{Pre}(g, i, c); */
  }
}

/* Row i to its place. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && i < h->q_len;
    requires attest_q16_inputs(*h) && attest_q16_outputs(*h) && attest_q16_head_apart(h);
    requires attest_q16_outputs_elsewhere(*h) && attest_q16_out_rows_apart(*h);
    requires 1 <= tile <= 65536 && \valid(words + (0 .. tile + 4 * h->value_width - 1));
    assigns words[0 .. tile + 4 * h->value_width - 1],
      h->out[0 .. attest_q16_extent(h->q_len, h->out_row, h->value_width) - 1],
      h->weights[0 .. attest_q16_extent(h->q_len, h->kv_len, h->kv_len) - 1];
    ensures done: attest_q16_row_done{Pre, Post}(\at(*h, Pre), i);
    ensures kept: attest_q16_rows_kept{Pre, Post}(\at(*h, Pre), i);
    ensures gaps: attest_q16_gaps_kept{Pre, Post}(\at(*h, Pre));
    ensures same: attest_q16_same_rows{Pre, Post}(\at(*h, Pre));
    ensures itself: *h == \old(*h);
*/
static void place_row(const attest_q16_head *h, uint32_t i, uint32_t tile, uint64_t *words) {
  //@ ghost const attest_q16_head g = *h;
  int32_t *out = attest_q16_out_row(h, i), *weights = attest_q16_weights_row(h, i);
  //@ assert out_at: out == g.out + attest_q16_place(i, g.out_row);
  //@ assert some: g.weights != \null ==> weights == g.weights + attest_q16_place(i, g.kv_len);
  //@ ghost attest_q16_place_is(i, g.out_row);
  //@ ghost attest_q16_place_is(i, g.kv_len);
  tiled_row(h, i, tile, words, out, weights);
  //@ assert out_place: \forall integer c; attest_q16_out_at(g, i, c) == out[c];
  /*@ assert out_row: \forall integer c; 0 <= c < g.value_width ==>
        attest_q16_out_at(g, i, c) == attest_q16_output_at{Pre}(g, i, c); */
  //@ assert given: g.weights != \null && g.kv_len >= 1 ==> weights != \null;
  /*@ assert place: g.weights != \null ==> \forall integer j; 0 <= j < g.kv_len ==>
        attest_q16_share_of(g, i, j) == weights[j]; */
  /*@ assert weights_row: g.weights != \null ==> \forall integer j; 0 <= j < g.kv_len ==>
        attest_q16_share_of(g, i, j) == attest_q16_given_weight{Pre}(g, i, j); */
  /*@ assert outputs: \forall integer t, c; 0 <= t < i && 0 <= c < g.value_width ==>
        attest_q16_out_at(g, t, c) == attest_q16_out_at{Pre}(g, t, c); */
  /*@ assert beside: \forall integer e; 0 <= e < attest_q16_place(i, g.out_row) ||
        attest_q16_place(i, g.out_row) + g.value_width <= e <
          attest_q16_extent(g.q_len, g.out_row, g.value_width) ==>
        attest_q16_cell_at(g, e) == attest_q16_cell_at{Pre}(g, e); */
  /*@ assert weights: g.weights != \null ==>
        \forall integer t, j; 0 <= t < i && 0 <= j < g.kv_len ==>
        attest_q16_share_of(g, t, j) == attest_q16_share_of{Pre}(g, t, j); */
}

void attest_q16_tiled_head(const attest_q16_head *h, uint32_t tile, uint64_t *words) {
  //@ ghost const attest_q16_head g = *h;
  /*@ loop invariant 0 <= i <= h->q_len && *h == g;
      loop invariant done: attest_q16_rows_done{Pre, Here}(g, i);
      loop invariant same: attest_q16_same_rows{Pre, Here}(g);
      loop invariant gaps: attest_q16_gaps_kept{Pre, Here}(g);
      loop assigns i, words[0 .. tile + 4 * h->value_width - 1],
        h->out[0 .. attest_q16_extent(h->q_len, h->out_row, h->value_width) - 1],
        h->weights[0 .. attest_q16_extent(h->q_len, h->kv_len, h->kv_len) - 1];
      loop variant h->q_len - i; */
  for (uint32_t i = 0; i < h->q_len; i++) {
    place_row(h, i, tile, words);
    //@ assert before: attest_q16_rows_done{Pre, Here}(g, i);
    //@ assert this: attest_q16_row_done{Pre, Here}(g, i);
  }
  /*@ assert outputs_now: \forall integer i, c; 0 <= i < g.q_len && 0 <= c < g.value_width ==>
        attest_q16_out_at(g, i, c) == attest_q16_output_at(g, i, c); */
  /*@ assert weights_now: g.weights != \null ==>
        \forall integer i, j; 0 <= i < g.q_len && 0 <= j < g.kv_len ==>
        attest_q16_share_of(g, i, j) == attest_q16_given_weight(g, i, j); */
  //@ ghost attest_q16_all_rows_hold(g);
}
