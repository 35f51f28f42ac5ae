#include "nests.h"
#include "row_theory.h"
#include "share.h"
#include "sums.h"

/*@ predicate attest_q16_row_scored{L}(uint64_t *words, integer keys, integer first, integer last,
                                       integer top) =
      0 <= top <= 9223372036854775807 &&
      \forall integer j; first <= j < last ==>
        words[j] <= top && words[keys + j] <= 4294967295;

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
    requires i < h->q_len && j < h->kv_len && peak <= 2147483648;
    requires attest_q16_within(h->q + i * h->q_row, h->width, peak);
    assigns \nothing;
    ensures \result.whole <= 9223372036854775807;
    ensures hidden: \result.whole == 0 <==> h->mask != \null && h->mask[i * h->mask_row + j] == 0;
*/
static attest_q16_score visible_score(const attest_q16_head *h, uint32_t i, uint32_t j,
                                      uint32_t peak) {
  const attest_q16_score none = {0, 0};
  return attest_q16_masked(h, i, j) ? none : attest_q16_score_at(h, i, j, peak);
}

/* Scores of row i: whole parts to words[0 .. kv_len), 0 where hidden, fractions after them. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h) && i < h->q_len;
    requires span.first <= span.last <= h->kv_len && \valid(words + (0 .. 2 * h->kv_len - 1));
    assigns words[0 .. 2 * h->kv_len - 1];
    ensures attest_q16_row_scored(words, h->kv_len, span.first, span.last, \result.whole);
    ensures top: \result.whole >= 1 ==>
      span.first <= \result.key < span.last && words[\result.key] == \result.whole;
    ensures hidden: \forall integer j; span.first <= j < span.last ==>
      (words[j] == 0 <==> h->mask != \null && h->mask[i * h->mask_row + j] == 0);
*/
static row_top score_row(const attest_q16_head *h, uint32_t i, attest_q16_span span,
                         uint64_t *words) {
  const uint32_t peak = attest_q16_peak_of(h, i);
  row_top top = {0, 0};
  /*@ loop invariant span.first <= j <= span.last;
      loop invariant attest_q16_row_scored(words, h->kv_len, span.first, j, top.whole);
      loop invariant top: top.whole >= 1 ==>
        span.first <= top.key < j && words[top.key] == top.whole;
      loop invariant hidden: \forall integer t; span.first <= t < j ==>
        (words[t] == 0 <==> h->mask != \null && h->mask[i * h->mask_row + t] == 0);
      loop assigns j, top, words[0 .. 2 * h->kv_len - 1];
      loop variant span.last - j; */
  for (uint32_t j = span.first; j < span.last; j++) {
    const attest_q16_score y = visible_score(h, i, j, peak);
    words[j] = y.whole;
    words[h->kv_len + j] = y.fraction;
    if (y.whole > top.whole) {
      top.whole = y.whole;
      top.key = j;
    }
    //@ assert this: words[j] == y.whole;
  }
  return top;
}

/* The packed weight of a key from its score; 0 where hidden. */
/*@ requires whole <= 9223372036854775807 && fraction <= 4294967295;
    assigns \nothing;
    ensures attest_q16_packed(\result);
    ensures hidden: whole == 0 ==> \result == 0;
    ensures some: whole == top && top >= 1 ==> attest_q16_packed_mass(\result) >= 512;
*/
static uint64_t weigh(uint64_t whole, uint64_t fraction, uint64_t top) {
  attest_q16_score y;
  if (whole == 0) return 0;
  y.whole = whole;
  y.fraction = (uint32_t)fraction;
  return attest_q16_pack(attest_q16_weight_of(y, top));
}

/* Weights of a row, packed, in place of the fractions. */
/*@ requires keys <= 65536 && span.first <= span.last <= keys;
    requires \valid(words + (0 .. 2 * keys - 1));
    requires attest_q16_row_scored(words, keys, span.first, span.last, top);
    assigns words[keys .. 2 * keys - 1];
    ensures attest_q16_row_packed(words + keys, span.first, span.last);
    ensures hidden: \forall integer j; span.first <= j < span.last && words[j] == 0 ==>
      words[keys + j] == 0;
    ensures some: \forall integer j; span.first <= j < span.last && words[j] == top &&
      top >= 1 ==> attest_q16_packed_mass(words[keys + j]) >= 512;
*/
static void weigh_row(uint32_t keys, attest_q16_span span, uint64_t top, uint64_t *words) {
  /*@ loop invariant span.first <= j <= span.last;
      loop invariant attest_q16_row_scored(words, keys, j, span.last, top);
      loop invariant attest_q16_row_packed(words + keys, span.first, j);
      loop invariant hidden: \forall integer t; span.first <= t < j && words[t] == 0 ==>
        words[keys + t] == 0;
      loop invariant some: \forall integer t; span.first <= t < j && words[t] == top &&
        top >= 1 ==> attest_q16_packed_mass(words[keys + t]) >= 512;
      loop assigns j, words[keys .. 2 * keys - 1];
      loop variant span.last - j; */
  for (uint32_t j = span.first; j < span.last; j++)
    words[keys + j] = weigh(words[j], words[keys + j], top);
}

/* The terms of a row from its weights. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && span.first <= span.last <= h->kv_len;
    requires \valid_read(weights + (0 .. h->kv_len - 1)) && \valid(terms + (0 .. h->kv_len - 1));
    requires \separated(weights + (0 .. h->kv_len - 1), terms + (0 .. h->kv_len - 1));
    requires attest_q16_row_packed(weights, span.first, span.last);
    assigns terms[0 .. h->kv_len - 1];
    ensures attest_q16_terms_ok(terms, h->kv_len, \result, attest_q16_furthest(*h));
    ensures \result.total <= h->kv_len * 549755813888;
*/
static attest_q16_terms list_row(const attest_q16_head *h, attest_q16_span span,
                                 const uint64_t *weights, uint64_t *terms) {
  //@ assert furthest: h->kv_len >= 1 ==> 0 <= attest_q16_furthest(*h) <= 4294967295;
  //@ ghost uint32_t furthest = h->kv_len == 0 ? 0 : (h->kv_len - 1U) * h->v_row;
  attest_q16_terms list = {0, 0, 0};
  /*@ loop invariant span.first <= j <= span.last;
      loop invariant list.near + list.far <= j - span.first;
      loop invariant list.total <= (j - span.first) * 549755813888;
      loop invariant attest_q16_terms_ok(terms, h->kv_len, list, furthest);
      loop invariant attest_q16_row_packed(weights, span.first, span.last);
      loop assigns j, list, terms[0 .. h->kv_len - 1];
      loop variant span.last - j; */
  for (uint32_t j = span.first; j < span.last; j++) {
    const uint32_t place = attest_q16_row(j, h->v_row) /*@ ghost (h->kv_len) */;
    //@ assert place: place <= furthest;
    list = attest_q16_append_term(terms, h->kv_len, list, attest_q16_unpack(weights[j]), place)
           /*@ ghost (furthest) */;
  }
  return list;
}

/* Output row from the terms of its keys; zeros if there are none. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h);
    requires \valid_read(terms + (0 .. h->kv_len - 1)) && \valid(out + (0 .. h->value_width - 1));
    requires attest_q16_terms_ok(terms, h->kv_len, list, attest_q16_furthest(*h));
    requires list.total <= h->kv_len * 549755813888;
    assigns out[0 .. h->value_width - 1];
*/
static void sum_row(const attest_q16_head *h, attest_q16_terms list, const uint64_t *terms,
                    int32_t *out) {
  if (list.total == 0) {
    attest_q16_zeros(out, h->value_width);
    return;
  }
  const attest_q16_divisor divisor = attest_q16_divisor_of(list.total);
  //@ assert furthest: h->kv_len >= 1 ==> 0 <= attest_q16_furthest(*h) <= 4294967295;
  //@ ghost uint32_t furthest = h->kv_len == 0 ? 0 : (h->kv_len - 1U) * h->v_row;
  /*@ loop invariant 0 <= c <= h->value_width;
      loop assigns c, out[0 .. h->value_width - 1];
      loop variant h->value_width - c; */
  for (uint32_t c = 0; c < h->value_width; c++) {
    const attest_q16_sum near = attest_q16_gather(terms, 0, list.near, h->v + c)
      /*@ ghost (furthest) */;
    const attest_q16_sum far =
      attest_q16_gather(terms, h->kv_len - list.far, h->kv_len, h->v + c)
      /*@ ghost (furthest) */;
    out[c] = attest_q16_output(near, far, &divisor);
  }
}

/*@ // masses of keys from .. to - 1
    logic integer attest_q16_masses{L}(uint64_t *packed, integer from, integer to) =
      to <= from ? 0 :
        attest_q16_masses(packed, from, to - 1) + attest_q16_packed_mass(packed[to - 1]);

    logic integer attest_q16_row_sum{L}(int32_t *weights, integer n) =
      n <= 0 ? 0 : attest_q16_row_sum(weights, n - 1) + weights[n - 1];
*/

/* The sum of the weights inside. */
/*@ requires span.first <= span.last <= 65536;
    requires \valid_read(packed + (0 .. span.last - 1));
    requires attest_q16_row_packed(packed, span.first, span.last);
    assigns \nothing;
    ensures \result == attest_q16_masses(packed, span.first, span.last);
    ensures \result <= 36028797018963968;
    ensures some: span.first <= key < span.last ==>
      \result >= attest_q16_packed_mass(packed[key]);
*/
static uint64_t total_of(attest_q16_span span, const uint64_t *packed)
    /*@ ghost (uint32_t key) */ {
  uint64_t total = 0;
  /*@ loop invariant span.first <= j <= span.last;
      loop invariant total == attest_q16_masses(packed, span.first, j);
      loop invariant total <= (j - span.first) * 549755813888;
      loop invariant some: span.first <= key < j ==> total >= attest_q16_packed_mass(packed[key]);
      loop assigns j, total;
      loop variant span.last - j; */
  for (uint32_t j = span.first; j < span.last; j++)
    total += attest_q16_mass_of(attest_q16_unpack(packed[j]));
  return total;
}

/* Writes weight j; the function is there for its proof. */
/*@ requires j < 65536 && \valid(weights + (0 .. j));
    requires -65536 <= attest_q16_row_sum(weights, j) <= 65536;
    assigns weights[j];
    ensures weights[j] == weight;
    ensures attest_q16_row_sum(weights, j + 1) == \old(attest_q16_row_sum(weights, j)) + weight;
*/
static void append_weight(int32_t *weights, uint32_t j, int32_t weight) {
  weights[j] = weight;
  /*@ ghost
    // the weights before are the same, so their sum is
    /@ loop invariant 0 <= k <= j;
       loop invariant attest_q16_row_sum{Here}(weights, k) == attest_q16_row_sum{Pre}(weights, k);
       loop assigns k;
       loop variant j - k; @/
    for (uint32_t k = 0; k < j; k++) {
      /@ assert attest_q16_row_sum{Here}(weights, k + 1) ==
           attest_q16_row_sum{Here}(weights, k) + weights[k]; @/
      /@ assert attest_q16_row_sum{Pre}(weights, k + 1) ==
           attest_q16_row_sum{Pre}(weights, k) + \at(weights[k], Here); @/
    }
  */
}

/* Weights of a row, as they are given out, from those inside. */
/*@ requires span.first <= span.last <= keys && keys <= 65536;
    requires \valid_read(packed + (0 .. keys - 1)) && \valid(weights + (0 .. keys - 1));
    requires attest_q16_row_packed(packed, span.first, span.last);
    assigns weights[0 .. keys - 1];
    ensures one: span.first <= key < span.last && attest_q16_packed_mass(packed[key]) >= 512 ==>
      attest_q16_row_sum(weights, keys) == 65536;
    ensures range: \forall integer j; 0 <= j < keys ==> 0 <= weights[j] <= 65536;
    ensures before: \forall integer j; 0 <= j < span.first ==> weights[j] == 0;
    ensures after: \forall integer j; span.last <= j < keys ==> weights[j] == 0;
    ensures hidden: \forall integer j; span.first <= j < span.last && packed[j] == 0 ==>
      weights[j] == 0;
*/
static void share_row(attest_q16_span span, uint32_t keys, const uint64_t *packed,
                      int32_t *weights) /*@ ghost (uint32_t key) */ {
  const uint64_t total = total_of(span, packed) /*@ ghost (key) */;
  uint64_t part = 0;
  uint32_t before = 0;
  /*@ loop invariant 0 <= j <= keys && before <= 65536 && part <= j * 549755813888;
      loop invariant start: j <= span.first ==> part == 0;
      loop invariant part: span.first <= j <= span.last ==>
        part == attest_q16_masses(packed, span.first, j);
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
    append_weight(weights, j, (int32_t)share - (int32_t)before);
    before = share;
  }
}

/* Row i, its weights where they are asked for. */
/*@ requires \valid_read(h) && attest_q16_sizes(*h) && attest_q16_inputs(*h) && i < h->q_len;
    requires \valid(words + (0 .. 3 * h->kv_len - 1));
    requires \valid(out + (0 .. h->value_width - 1));
    requires \separated(h, out + (0 .. h->value_width - 1));
    requires weights != \null ==> \separated(h, weights + (0 .. h->kv_len - 1));
    requires weights != \null ==> \valid(weights + (0 .. h->kv_len - 1));
    assigns words[0 .. 3 * h->kv_len - 1], out[0 .. h->value_width - 1],
      weights[0 .. h->kv_len - 1];
    ensures range: weights != \null ==>
      \forall integer j; 0 <= j < h->kv_len ==> 0 <= weights[j] <= 65536;
    ensures hidden: weights != \null ==>
      \forall integer j; 0 <= j < h->kv_len && attest_q16_hidden(*h, i, j) ==> weights[j] == 0;
    ensures one: weights != \null ==>
      \forall integer j; 0 <= j < h->kv_len && !attest_q16_hidden(*h, i, j) ==>
        attest_q16_row_sum(weights, h->kv_len) == 65536;
*/
static void naive_row(const attest_q16_head *h, uint32_t i, uint64_t *words, int32_t *out,
                      int32_t *weights) {
  uint64_t *packed = words + h->kv_len, *terms = words + 2U * h->kv_len;
  const attest_q16_span span = attest_q16_span_of(h, i);
  const row_top top = score_row(h, i, span, words);
  weigh_row(h->kv_len, span, top.whole, words);
  const attest_q16_terms list = list_row(h, span, packed, terms);
  sum_row(h, list, terms, out);
  //@ assert some: top.whole >= 1 ==> attest_q16_packed_mass(packed[top.key]) >= 512;
  /*@ assert visible: \forall integer j; 0 <= j < h->kv_len && !attest_q16_hidden(*h, i, j) ==>
        span.first <= j < span.last && words[j] >= 1 && top.whole >= 1; */
  if (weights) share_row(span, h->kv_len, packed, weights) /*@ ghost (top.key) */;
}

void attest_q16_naive_head(const attest_q16_head *h, uint64_t *words) {
  /*@ loop invariant 0 <= i <= h->q_len;
      loop assigns i, words[0 .. 3 * h->kv_len - 1],
        h->out[0 .. attest_q16_extent(h->q_len, h->out_row, h->value_width) - 1],
        h->weights[0 .. attest_q16_extent(h->q_len, h->kv_len, h->kv_len) - 1];
      loop variant h->q_len - i; */
  for (uint32_t i = 0; i < h->q_len; i++) {
    const uint32_t row = attest_q16_row(i, h->out_row) /*@ ghost (h->q_len) */;
    if (h->weights) {
      const uint32_t at = attest_q16_row(i, h->kv_len) /*@ ghost (h->q_len) */;
      naive_row(h, i, words, h->out + row, h->weights + at);
    } else {
      naive_row(h, i, words, h->out + row, h->weights);
    }
  }
}
