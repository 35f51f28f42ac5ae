#include "nests.h"
#include "rows.h"
#include "share.h"
#include "sums.h"

/*@ predicate attest_q16_row_scored{L}(uint64_t *wholes, uint64_t *fractions, integer first,
                                       integer last, integer top) =
      0 <= top <= 9223372036854775807 &&
      \forall integer j; first <= j < last ==> wholes[j] <= top && fractions[j] <= 4294967295;

    // the scores of row i
    predicate attest_q16_row_known{L}(attest_q16_head h, integer i, uint64_t *wholes,
                                      uint64_t *fractions, integer first, integer last) =
      \forall integer j; first <= j < last ==>
        wholes[j] == attest_q16_seen_whole(h, i, j) &&
        (wholes[j] == 0 <==> attest_q16_seen(h, i, j) == 0) &&
        (wholes[j] != 0 ==> fractions[j] == attest_q16_fraction_at(h, i, j));

    logic integer attest_q16_mass_from(integer whole, integer fraction, integer top) =
      whole == 0 ? 0 : attest_q16_mass_at(whole, fraction, top);

    // weights hold the weights of row i
    predicate attest_q16_row_weighed{L}(attest_q16_head h, integer i, uint64_t *weights,
                                        integer first, integer last) =
      \forall integer j; first <= j < last ==>
        attest_q16_packed_mass(weights[j]) == attest_q16_weight_in(h, i, j);

    predicate attest_q16_row_packed{L}(uint64_t *weights, integer first, integer last) =
      \forall integer j; first <= j < last ==> attest_q16_packed(weights[j]);
*/

/* The largest whole part of a row's scores, 0 if no key is visible, and the first key that has it.
   */
typedef struct {
  uint64_t whole;
  uint32_t key;
} row_top;

/* The score of key j; whole part 0 where the mask hides it. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h);
    requires i < h->q_len && attest_q16_first(*h, i) <= j < attest_q16_last(*h, i);
    requires j < h->kv_len && peak <= 2147483648;
    requires attest_q16_within(h->q + i * h->q_row, h->width, peak);
    assigns \nothing;
    ensures \result.whole <= 9223372036854775807;
    ensures whole: \result.whole == attest_q16_seen_whole(*h, i, j);
    ensures hidden: \result.whole == 0 <==> attest_q16_seen(*h, i, j) == 0;
    ensures fraction: \result.whole != 0 ==>
      \result.fraction == attest_q16_fraction_at(*h, i, j);
*/
static attest_q16_score visible_score(const attest_q16_head *h, uint32_t i, uint32_t j,
                                      uint32_t peak) {
  const attest_q16_score none = {0, 0};
  //@ ghost attest_q16_seen_is(*h, i, j);
  if (attest_q16_masked(h, i, j)) {
    //@ assert hidden: attest_q16_seen(*h, i, j) == 0;
    return none;
  }
  //@ assert seen: attest_q16_seen(*h, i, j) != 0;
  //@ ghost attest_q16_score_bound(*h, i, j);
  return attest_q16_score_at(h, i, j, peak);
}

/* Scores of row i: whole parts, 0 where hidden, and fractions. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h) && i < h->q_len;
    requires span.first == attest_q16_first(*h, i) && span.last <= h->kv_len;
    requires span.last == \max(attest_q16_first(*h, i), attest_q16_last(*h, i));
    requires \valid(wholes + (0 .. h->kv_len - 1)) && \valid(fractions + (0 .. h->kv_len - 1));
    requires \separated(wholes + (0 .. h->kv_len - 1), fractions + (0 .. h->kv_len - 1));
    assigns wholes[0 .. h->kv_len - 1], fractions[0 .. h->kv_len - 1];
    ensures scored:
      attest_q16_row_scored(wholes, fractions, span.first, span.last, \result.whole);
    ensures known: attest_q16_row_known(*h, i, wholes, fractions, span.first, span.last);
    ensures greatest: \result.whole == attest_q16_row_top(*h, i, h->kv_len);
    ensures top: \result.whole >= 1 ==>
      span.first <= \result.key < span.last && wholes[\result.key] == \result.whole;
*/
static row_top score_row(const attest_q16_head *h, uint32_t i, attest_q16_span span,
                         uint64_t *wholes, uint64_t *fractions) {
  const uint32_t peak = attest_q16_peak_of(h, i);
  row_top top = {0, 0};
  //@ ghost attest_q16_top_ends(*h, i, span);
  /*@ loop invariant span.first <= j <= span.last;
      loop invariant scored: attest_q16_row_scored(wholes, fractions, span.first, j, top.whole);
      loop invariant known: attest_q16_row_known(*h, i, wholes, fractions, span.first, j);
      loop invariant greatest: top.whole == attest_q16_row_top(*h, i, j);
      loop invariant top: top.whole >= 1 ==>
        span.first <= top.key < j && wholes[top.key] == top.whole;
      loop assigns j, top, wholes[0 .. h->kv_len - 1], fractions[0 .. h->kv_len - 1];
      loop variant span.last - j; */
  for (uint32_t j = span.first; j < span.last; j++) {
    const attest_q16_score y = visible_score(h, i, j, peak);
    wholes[j] = y.whole;
    fractions[j] = y.fraction;
    if (y.whole > top.whole) {
      top.whole = y.whole;
      top.key = j;
    }
    //@ assert this: wholes[j] == y.whole && fractions[j] == y.fraction;
  }
  return top;
}

/* The packed weight of a key from its score; 0 where hidden. */
/*@ requires whole <= 9223372036854775807 && fraction <= 4294967295;
    assigns \nothing;
    ensures attest_q16_packed(\result);
    ensures hidden: whole == 0 ==> \result == 0;
    ensures mass: attest_q16_packed_mass(\result) == attest_q16_mass_from(whole, fraction, top);
    ensures some: whole == top && top >= 1 ==> attest_q16_packed_mass(\result) >= 512;
*/
static uint64_t weigh(uint64_t whole, uint64_t fraction, uint64_t top) {
  attest_q16_score y;
  if (whole == 0) return 0;
  y.whole = whole;
  y.fraction = (uint32_t)fraction;
  return attest_q16_pack(attest_q16_weight_of(y, top));
}

/*@ ghost
  /@ requires whole == attest_q16_seen_whole(h, i, j);
     requires whole != 0 ==> fraction == attest_q16_fraction_at(h, i, j);
     requires top == attest_q16_row_top(h, i, h.kv_len) && 1 <= attest_q16_whole_at(h, i, j);
     assigns \nothing;
     ensures attest_q16_weight_in(h, i, j) == attest_q16_mass_from(whole, fraction, top); @/
  static inline void attest_q16_weight_from(attest_q16_head h, uint32_t i, uint32_t j,
                                            uint64_t whole, uint64_t fraction, uint64_t top) {
    /@ assert whole == 0 <==> attest_q16_seen(h, i, j) == 0; @/
  }
*/

/* Weights of row i, packed, in place of the fractions of its scores. */
/*@ requires span.first <= span.last <= keys <= 65536 && keys == h.kv_len && i < h.q_len;
    requires attest_q16_sizes(h) && attest_q16_inputs(h);
    requires \valid_read(wholes + (0 .. keys - 1)) && \valid(packed + (0 .. keys - 1));
    requires \separated(wholes + (0 .. keys - 1), packed + (0 .. keys - 1));
    requires scored: attest_q16_row_scored(wholes, packed, span.first, span.last, top);
    requires known: attest_q16_row_known(h, i, wholes, packed, span.first, span.last);
    requires top == attest_q16_row_top(h, i, h.kv_len);
    assigns packed[0 .. keys - 1];
    ensures packed: attest_q16_row_packed(packed, span.first, span.last);
    ensures weighed: attest_q16_row_weighed(h, i, packed, span.first, span.last);
    ensures hidden: \forall integer j; span.first <= j < span.last && wholes[j] == 0 ==>
      packed[j] == 0;
    ensures some: \forall integer j; span.first <= j < span.last && wholes[j] == top &&
      top >= 1 ==> attest_q16_packed_mass(packed[j]) >= 512;
*/
static void weigh_row(attest_q16_span span, uint64_t top, const uint64_t *wholes, uint64_t *packed)
    /*@ ghost (uint32_t keys, attest_q16_head h, uint32_t i) */ {
  /*@ loop invariant span.first <= j <= span.last;
      loop invariant rest: \forall integer t; j <= t < span.last ==>
        packed[t] == \at(packed[t], Pre);
      loop invariant packed: attest_q16_row_packed(packed, span.first, j);
      loop invariant weighed: attest_q16_row_weighed(h, i, packed, span.first, j);
      loop invariant hidden: \forall integer t; span.first <= t < j && wholes[t] == 0 ==>
        packed[t] == 0;
      loop invariant some: \forall integer t; span.first <= t < j && wholes[t] == top &&
        top >= 1 ==> attest_q16_packed_mass(packed[t]) >= 512;
      loop assigns j, packed[0 .. keys - 1];
      loop variant span.last - j; */
  for (uint32_t j = span.first; j < span.last; j++) {
    const uint64_t word = weigh(wholes[j], packed[j], top);
    //@ ghost attest_q16_score_bound(h, i, j);
    //@ ghost attest_q16_weight_from(h, i, j, wholes[j], packed[j], top);
    //@ assert mass: attest_q16_packed_mass(word) == attest_q16_weight_in(h, i, j);
    packed[j] = word;
  }
}

/* The terms of row i from its weights; v_row is the distance of its value rows. */
/*@ requires attest_q16_sizes(h) && i < h.q_len && keys == h.kv_len && v_row == h.v_row;
    requires span.first == attest_q16_first(h, i) && span.last <= keys;
    requires span.last == \max(attest_q16_first(h, i), attest_q16_last(h, i));
    requires h.kv_len >= 1 ==> furthest == (h.kv_len - 1) * h.v_row;
    requires \valid_read(weights + (0 .. keys - 1)) && \valid(terms + (0 .. keys - 1));
    requires \separated(weights + (0 .. keys - 1), terms + (0 .. keys - 1));
    requires attest_q16_row_packed(weights, span.first, span.last);
    requires attest_q16_row_weighed(h, i, weights, span.first, span.last);
    assigns terms[0 .. keys - 1];
    ensures terms: attest_q16_terms_ok(terms, keys, \result, furthest);
    ensures most: \result.total <= keys * 549755813888;
    ensures total: \result.total == attest_q16_row_total(h, i, keys);
    ensures sums: \forall integer c; attest_q16_row_weighted(h, i, c, keys) ==
      attest_q16_joined(terms, keys, \result.near, \result.far, h.v + c);
*/
static attest_q16_terms list_row(attest_q16_span span, uint32_t keys, uint32_t v_row,
                                 const uint64_t *weights, uint64_t *terms)
    /*@ ghost (attest_q16_head h, uint32_t i, uint32_t furthest) */ {
  attest_q16_terms list = {0, 0, 0};
  //@ ghost attest_q16_total_ends(h, i, span);
  //@ ghost attest_q16_sum_ends(h, i, span);
  /*@ loop invariant span.first <= j <= span.last;
      loop invariant total: list.total == attest_q16_row_total(h, i, j);
      loop invariant sums: \forall integer c; attest_q16_row_weighted(h, i, c, j) ==
        attest_q16_joined(terms, keys, list.near, list.far, h.v + c);
      loop invariant count: list.near + list.far <= j - span.first;
      loop invariant most: list.total <= (j - span.first) * 549755813888;
      loop invariant terms: attest_q16_terms_ok(terms, keys, list, furthest);
      loop invariant packed: attest_q16_row_packed(weights, span.first, span.last);
      loop invariant weighed: attest_q16_row_weighed(h, i, weights, span.first, span.last);
      loop assigns j, list, terms[0 .. keys - 1];
      loop variant span.last - j; */
  for (uint32_t j = span.first; j < span.last; j++) {
    const uint32_t place = attest_q16_row(j, v_row) /*@ ghost (keys) */;
    //@ assert place: place <= furthest;
    const attest_q16_weight weight = attest_q16_unpack(weights[j]);
    //@ assert mass: attest_q16_mass(weight) == attest_q16_weight_in(h, i, j);
    //@ assert bound: attest_q16_mass(weight) <= 549755813888;
    //@ ghost attest_q16_part_is(h, i, j, weight, place);
    /*@ assert next: \forall integer c; attest_q16_row_weighted(h, i, c, j + 1) ==
          attest_q16_row_weighted(h, i, c, j) + attest_q16_part_at(h, i, c, j); */
    list = attest_q16_append_term(terms, keys, list, weight, place) /*@ ghost (furthest) */;
  }
  return list;
}

/*@ // the sums of row i stand in its terms
    predicate attest_q16_row_listed{L}(attest_q16_head h, integer i, uint64_t *terms,
                                       attest_q16_terms list) =
      \forall integer c; 0 <= c < h.value_width ==>
        attest_q16_row_weighted(h, i, c, h.kv_len) ==
        attest_q16_joined(terms, h.kv_len, list.near, list.far, h.v + c);
*/

/* Column c of output row i, to *out; v points to the column's first value. */
/*@ requires attest_q16_sizes(h) && attest_q16_inputs(h) && i < h.q_len && c < h.value_width;
    requires keys == h.kv_len && v == h.v + c && attest_q16_elsewhere(h, out, 1);
    requires \valid_read(terms + (0 .. keys - 1)) && \valid(out) && \valid_read(divisor);
    requires attest_q16_terms_ok(terms, keys, list, furthest);
    requires keys >= 1 ==>
      furthest + h.value_width == attest_q16_extent(keys, h.v_row, h.value_width);
    requires attest_q16_divisor_ok(*divisor) && \valid_read(v + (0 .. furthest));
    requires divisor->total == attest_q16_row_total(h, i, keys);
    requires attest_q16_row_listed(h, i, terms, list);
    assigns *out;
    ensures value: *out == \old(attest_q16_output_at(h, i, c));
    ensures same: attest_q16_same_rows{Pre, Here}(h);
    ensures listed: attest_q16_row_listed(h, i, terms, list);
*/
static void sum_column(attest_q16_terms list, const uint64_t *terms, uint32_t keys,
                       const int32_t *v, const attest_q16_divisor *divisor, int32_t *out)
    /*@ ghost (attest_q16_head h, uint32_t i, uint32_t c, uint32_t furthest) */ {
  const attest_q16_sum near = attest_q16_gather(terms, 0, list.near, v) /*@ ghost (furthest) */;
  const attest_q16_sum far =
    attest_q16_gather(terms, keys - list.far, keys, v) /*@ ghost (furthest) */;
  //@ ghost attest_q16_sum_within(h, i, c, 0U, 4294967295U);
  /*@ assert sum: 256 * attest_q16_value(near) + attest_q16_value(far) ==
        attest_q16_row_weighted(h, i, c, keys); */
  //@ ghost attest_q16_times_is();
  /*@ assert most: attest_q16_times_of(attest_q16_row_total(h, i, keys), 4294967295) ==
        divisor->total * 4294967295; */
  attest_q16_write(out, attest_q16_output(near, far, divisor)) /*@ ghost (h) */;
  /*@ ghost
    /@ loop invariant 0 <= t <= list.near;
       loop invariant \forall integer d; 0 <= d < h.value_width ==>
         attest_q16_gathered{Here}(terms, 0, t, h.v + d) ==
         attest_q16_gathered{Pre}(terms, 0, t, h.v + d);
       loop assigns t;
       loop variant list.near - t; @/
    for (uint32_t t = 0; t < list.near; t++) {
      /@ assert value: \forall integer d; 0 <= d < h.value_width ==>
           \at(*(h.v + d + (terms[t] % 4294967296)), Here) ==
           \at(*(h.v + d + (\at(terms[t], Here) % 4294967296)), Pre); @/
      /@ assert term: \forall integer d; 0 <= d < h.value_width ==>
           attest_q16_term{Here}(\at(terms[t], Here), h.v + d) ==
           attest_q16_term{Pre}(\at(terms[t], Here), h.v + d); @/
    }
    /@ loop invariant keys - list.far <= t <= keys;
       loop invariant \forall integer d; 0 <= d < h.value_width ==>
         attest_q16_gathered{Here}(terms, keys - list.far, t, h.v + d) ==
         attest_q16_gathered{Pre}(terms, keys - list.far, t, h.v + d);
       loop assigns t;
       loop variant keys - t; @/
    for (uint32_t t = keys - list.far; t < keys; t++) {
      /@ assert value: \forall integer d; 0 <= d < h.value_width ==>
           \at(*(h.v + d + (terms[t] % 4294967296)), Here) ==
           \at(*(h.v + d + (\at(terms[t], Here) % 4294967296)), Pre); @/
      /@ assert term: \forall integer d; 0 <= d < h.value_width ==>
           attest_q16_term{Here}(\at(terms[t], Here), h.v + d) ==
           attest_q16_term{Pre}(\at(terms[t], Here), h.v + d); @/
    }
  */
}

/* Output row i from the terms of its keys; zeros if there are none. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h) && i < h->q_len;
    requires \valid_read(terms + (0 .. h->kv_len - 1)) && \valid(out + (0 .. h->value_width - 1));
    requires attest_q16_terms_ok(terms, h->kv_len, list, attest_q16_furthest(*h));
    requires list.total == attest_q16_row_total(*h, i, h->kv_len);
    requires list.total <= h->kv_len * 549755813888;
    requires attest_q16_row_listed(*h, i, terms, list);
    requires attest_q16_elsewhere(*h, out, h->value_width);
    assigns out[0 .. h->value_width - 1];
    ensures value: \forall integer c; 0 <= c < \old(h->value_width) ==>
      out[c] == \old(attest_q16_output_at(*h, i, c));
    ensures same: attest_q16_same_rows{Pre, Here}(\at(*h, Pre));
*/
static void sum_row(const attest_q16_head *h, attest_q16_terms list, const uint64_t *terms,
                    int32_t *out) /*@ ghost (uint32_t i) */ {
  //@ ghost const attest_q16_head g = *h;
  if (list.total == 0) {
    attest_q16_clear_row(out, h->value_width) /*@ ghost (g) */;
    return;
  }
  const attest_q16_divisor divisor = attest_q16_divisor_of(list.total);
  //@ assert some: h->kv_len >= 1;
  //@ ghost const uint32_t furthest = attest_q16_last_start(h->kv_len, h->v_row, h->value_width);
  /*@ loop invariant 0 <= c <= h->value_width;
      loop invariant value: \forall integer d; 0 <= d < c ==>
        out[d] == attest_q16_output_at{Pre}(g, i, d);
      loop invariant same: attest_q16_same_rows{Pre, Here}(g);
      loop invariant listed: attest_q16_row_listed(g, i, terms, list);
      loop assigns c, out[0 .. h->value_width - 1];
      loop variant h->value_width - c; */
  for (uint32_t c = 0; c < h->value_width; c++)
    sum_column(list, terms, h->kv_len, h->v + c, &divisor, out + c) /*@ ghost (g, i, c, furthest) */;
}

/* The sum of the weights inside. */
/*@ requires span.first <= span.last <= 65536;
    requires \valid_read(packed + (0 .. span.last - 1));
    requires attest_q16_row_packed(packed, span.first, span.last);
    requires attest_q16_counts(h) && i < h.q_len && span.first == attest_q16_first(h, i);
    requires span.last == \max(attest_q16_first(h, i), attest_q16_last(h, i));
    requires attest_q16_row_weighed(h, i, packed, span.first, span.last);
    assigns \nothing;
    ensures \result == attest_q16_row_total(h, i, h.kv_len);
    ensures \result <= 36028797018963968;
    ensures some: span.first <= key < span.last ==>
      \result >= attest_q16_packed_mass(packed[key]);
*/
static uint64_t total_of(attest_q16_span span, const uint64_t *packed)
    /*@ ghost (uint32_t key, attest_q16_head h, uint32_t i) */ {
  uint64_t total = 0;
  //@ ghost attest_q16_total_ends(h, i, span);
  /*@ loop invariant span.first <= j <= span.last;
      loop invariant total == attest_q16_row_total(h, i, j);
      loop invariant total <= (j - span.first) * 549755813888;
      loop invariant some: span.first <= key < j ==> total >= attest_q16_packed_mass(packed[key]);
      loop assigns j, total;
      loop variant span.last - j; */
  for (uint32_t j = span.first; j < span.last; j++)
    total += attest_q16_mass_of(attest_q16_unpack(packed[j]));
  return total;
}

/* Weights of a row, as they are given out, from those inside. */
/*@ requires span.first <= span.last <= keys && keys <= 65536;
    requires \valid_read(packed + (0 .. keys - 1)) && \valid(weights + (0 .. keys - 1));
    requires attest_q16_row_packed(packed, span.first, span.last);
    requires attest_q16_counts(h) && i < h.q_len && keys == h.kv_len;
    requires span.first == attest_q16_first(h, i);
    requires span.last == \max(attest_q16_first(h, i), attest_q16_last(h, i));
    requires attest_q16_row_weighed(h, i, packed, span.first, span.last);
    requires attest_q16_elsewhere(h, weights, keys);
    assigns weights[0 .. keys - 1];
    ensures value: \forall integer j; 0 <= j < keys ==>
      weights[j] == \old(attest_q16_given_weight(h, i, j));
    ensures same: attest_q16_same_rows{Pre, Here}(h);
    ensures one: span.first <= key < span.last && attest_q16_packed_mass(packed[key]) >= 512 ==>
      attest_q16_row_sum(weights, keys) == 65536;
    ensures range: \forall integer j; 0 <= j < keys ==> 0 <= weights[j] <= 65536;
    ensures before: \forall integer j; 0 <= j < span.first ==> weights[j] == 0;
    ensures after: \forall integer j; span.last <= j < keys ==> weights[j] == 0;
    ensures hidden: \forall integer j; span.first <= j < span.last && packed[j] == 0 ==>
      weights[j] == 0;
*/
static void share_row(attest_q16_span span, uint32_t keys, const uint64_t *packed,
                      int32_t *weights)
    /*@ ghost (uint32_t key, attest_q16_head h, uint32_t i) */ {
  const uint64_t total = total_of(span, packed) /*@ ghost (key, h, i) */;
  //@ ghost attest_q16_total_ends(h, i, span);
  uint64_t part = 0;
  uint32_t before = 0;
  /*@ loop invariant 0 <= j <= keys && before <= 65536 && part <= j * 549755813888;
      loop invariant start: j <= span.first ==> part == 0;
      loop invariant part: part == attest_q16_row_total{Pre}(h, i, j);
      loop invariant value: \forall integer t; 0 <= t < j ==>
        weights[t] == attest_q16_given_weight{Pre}(h, i, t);
      loop invariant same: attest_q16_same_rows{Pre, Here}(h);
      loop invariant end: span.last <= j ==> part == total;
      loop invariant share: before == attest_q16_share_at(part, total);
      loop invariant sum: attest_q16_row_sum(weights, j) == before;
      loop invariant range: \forall integer t; 0 <= t < j ==> 0 <= weights[t] <= 65536;
      loop invariant before: \forall integer t; 0 <= t < j && t < span.first ==>
        weights[t] == 0;
      loop invariant after: \forall integer t; span.last <= t < j ==> weights[t] == 0;
      loop invariant hidden: \forall integer t; span.first <= t < span.last && t < j &&
        packed[t] == 0 ==> weights[t] == 0;
      loop assigns j, part, before, weights[0 .. keys - 1];
      loop variant keys - j; */
  for (uint32_t j = 0; j < keys; j++) {
    //@ ghost uint64_t old = part;
    if (j >= span.first && j < span.last)
      part += attest_q16_mass_of(attest_q16_unpack(packed[j]));
    //@ ghost attest_q16_shares_grow(old, part, total);
    const uint32_t share = attest_q16_share(part, total);
    //@ assert next: part == attest_q16_row_total{Pre}(h, i, j + 1);
    attest_q16_append_weight(weights, j, (int32_t)share - (int32_t)before) /*@ ghost (h) */;
    before = share;
  }
}

/* Row i, its weights where they are asked for. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h) && i < h->q_len;
    requires \valid(words + (0 .. 3 * h->kv_len - 1));
    requires \valid(out + (0 .. h->value_width - 1));
    requires \separated(h, out + (0 .. h->value_width - 1));
    requires weights != \null ==> \separated(h, weights + (0 .. h->kv_len - 1));
    requires weights != \null ==> \valid(weights + (0 .. h->kv_len - 1)) &&
      attest_q16_elsewhere(*h, weights, h->kv_len) &&
      \separated(weights + (0 .. h->kv_len - 1), out + (0 .. h->value_width - 1));
    requires attest_q16_elsewhere(*h, out, h->value_width);
    assigns words[0 .. 3 * h->kv_len - 1], out[0 .. h->value_width - 1],
      weights[0 .. h->kv_len - 1];
    ensures outputs: \forall integer c; 0 <= c < \old(h->value_width) ==>
      out[c] == \old(attest_q16_output_at(*h, i, c));
    ensures weights: weights != \null ==> \forall integer j; 0 <= j < \old(h->kv_len) ==>
      weights[j] == \old(attest_q16_given_weight(*h, i, j));
    ensures same: attest_q16_same_rows{Pre, Here}(\at(*h, Pre));
    ensures range: weights != \null ==>
      \forall integer j; 0 <= j < \old(h->kv_len) ==> 0 <= weights[j] <= 65536;
    ensures hidden: weights != \null ==>
      \forall integer j; 0 <= j < \old(h->kv_len) && \old(attest_q16_hidden(*h, i, j)) ==>
        weights[j] == 0;
    ensures one: weights != \null ==>
      \forall integer j; 0 <= j < \old(h->kv_len) && !\old(attest_q16_hidden(*h, i, j)) ==>
        attest_q16_row_sum(weights, \old(h->kv_len)) == 65536;
*/
static void naive_row(const attest_q16_head *h, uint32_t i, uint64_t *words, int32_t *out,
                      int32_t *weights) {
  uint64_t *packed = words + h->kv_len, *terms = words + 2U * h->kv_len;
  //@ ghost const attest_q16_head g = *h;
  //@ ghost const uint32_t furthest = attest_q16_last_start(g.kv_len, g.v_row, g.value_width);
  const attest_q16_span span = attest_q16_span_of(h, i);
  const row_top top = score_row(h, i, span, words, packed);
  weigh_row(span, top.whole, words, packed) /*@ ghost (h->kv_len, g, i) */;
  const attest_q16_terms list =
    list_row(span, h->kv_len, h->v_row, packed, terms) /*@ ghost (g, i, furthest) */;
  //@ assert some: top.whole >= 1 ==> attest_q16_packed_mass(packed[top.key]) >= 512;
  /*@ assert visible: \forall integer j; 0 <= j < h->kv_len && !attest_q16_hidden(*h, i, j) ==>
        span.first <= j < span.last && words[j] >= 1 && top.whole >= 1; */
  sum_row(h, list, terms, out) /*@ ghost (i) */;
  //@ assert same: attest_q16_same_rows{Pre, Here}(g);
  /*@ assert outputs: \forall integer c; 0 <= c < g.value_width ==>
        out[c] == attest_q16_output_at{Pre}(g, i, c); */
  if (weights) {
    share_row(span, h->kv_len, packed, weights) /*@ ghost (top.key, g, i) */;
    //@ assert masses: attest_q16_same_weights{Pre, Here}(g);
    //@ assert sums: attest_q16_same_sums{Pre, Here}(g);
    //@ assert same: attest_q16_same_rows{Pre, Here}(g);
    /*@ assert outputs: \forall integer c; 0 <= c < g.value_width ==>
          out[c] == attest_q16_output_at{Pre}(g, i, c); */
  }
}

/* Row i to where it belongs. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && i < h->q_len;
    requires attest_q16_inputs(*h) && attest_q16_outputs(*h) && attest_q16_head_apart(h);
    requires attest_q16_outputs_elsewhere(*h) && attest_q16_out_rows_apart(*h);
    requires \valid(words + (0 .. 3 * h->kv_len - 1));
    assigns words[0 .. 3 * h->kv_len - 1],
      h->out[0 .. attest_q16_extent(h->q_len, h->out_row, h->value_width) - 1],
      h->weights[0 .. attest_q16_extent(h->q_len, h->kv_len, h->kv_len) - 1];
    ensures done: attest_q16_row_done{Pre, Post}(\at(*h, Pre), i);
    ensures kept: attest_q16_rows_kept{Pre, Post}(\at(*h, Pre), i);
    ensures gaps: attest_q16_gaps_kept{Pre, Post}(\at(*h, Pre));
    ensures same: attest_q16_same_rows{Pre, Post}(\at(*h, Pre));
    ensures itself: *h == \old(*h);
*/
static void place_row(const attest_q16_head *h, uint32_t i, uint64_t *words) {
  //@ ghost const attest_q16_head g = *h;
  int32_t *out = attest_q16_out_row(h, i), *weights = attest_q16_weights_row(h, i);
  //@ ghost attest_q16_place_is(i, g.out_row);
  //@ ghost attest_q16_place_is(i, g.kv_len);
  naive_row(h, i, words, out, weights);
  //@ assert out_place: \forall integer c; attest_q16_out_at(g, i, c) == out[c];
  /*@ assert out_row: \forall integer c; 0 <= c < g.value_width ==>
        attest_q16_out_at(g, i, c) == attest_q16_output_at{Pre}(g, i, c); */
  //@ assert some: g.weights != \null && g.kv_len >= 1 ==> weights != \null;
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

void attest_q16_naive_head(const attest_q16_head *h, uint64_t *words) {
  //@ ghost const attest_q16_head g = *h;
  /*@ loop invariant 0 <= i <= h->q_len && *h == g;
      loop invariant done: attest_q16_rows_done{Pre, Here}(g, i);
      loop invariant same: attest_q16_same_rows{Pre, Here}(g);
      loop invariant gaps: attest_q16_gaps_kept{Pre, Here}(g);
      loop assigns i, words[0 .. 3 * h->kv_len - 1],
        h->out[0 .. attest_q16_extent(h->q_len, h->out_row, h->value_width) - 1],
        h->weights[0 .. attest_q16_extent(h->q_len, h->kv_len, h->kv_len) - 1];
      loop variant h->q_len - i; */
  for (uint32_t i = 0; i < h->q_len; i++) {
    place_row(h, i, words);
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
