/* Sums of weights times values, exact. */
#ifndef ATTEST_Q16_SUMS_H
#define ATTEST_Q16_SUMS_H

#include "divide.h"
#include "weight.h"

/* A term: the weight of a visible key, times 2^32, plus where its value row begins. Near terms
   stand at the front of an array of `capacity` words, far ones at its back. */
typedef struct {
  uint32_t near, far;
  uint64_t total; /* of both kinds, in units of 2^-38 */
} attest_q16_terms;

/*@ predicate attest_q16_term_ok(integer term, integer furthest) =
      term / 4294967296 <= 2147483648 && term % 4294967296 <= furthest;

    predicate attest_q16_all_ok{L}(uint64_t *terms, integer from, integer to, integer furthest) =
      \forall integer t; from <= t < to ==> attest_q16_term_ok(terms[t], furthest);

    predicate attest_q16_terms_ok{L}(uint64_t *terms, integer capacity, attest_q16_terms list,
                                     integer furthest) =
      list.near + list.far <= capacity &&
      attest_q16_all_ok(terms, 0, list.near, furthest) &&
      attest_q16_all_ok(terms, capacity - list.far, capacity, furthest);

    // a sum of at most `keys` products
    predicate attest_q16_sum_ok(attest_q16_sum sum, integer keys) =
      sum.high <= keys * 4294967295 && sum.low <= keys * 4294967295;
*/

/* The list with one more term. */
/*@ requires capacity <= 65536 && \valid(terms + (0 .. capacity - 1));
    requires list.near + list.far < capacity && list.total <= 65535 * 549755813888;
    requires attest_q16_terms_ok(terms, capacity, list, furthest);
    requires attest_q16_weight_ok(weight) && place <= furthest;
    assigns terms[list.near], terms[capacity - 1 - list.far];
    ensures attest_q16_terms_ok(terms, capacity, \result, furthest);
    ensures \result.near + \result.far <= list.near + list.far + 1;
    ensures \result.total == list.total + attest_q16_mass(weight);
*/
static inline attest_q16_terms attest_q16_append_term(uint64_t *terms, uint32_t capacity,
                                        attest_q16_terms list, attest_q16_weight weight,
                                        uint32_t place)
    /*@ ghost (uint32_t furthest) */ {
  const uint64_t term = (uint64_t)weight.value * ATTEST_Q16_WORD + place;
  //@ assert ok: attest_q16_term_ok(term, furthest);
  list.total += attest_q16_mass_of(weight);
  if (weight.near != 0) {
    terms[list.near] = term;
    list.near++;
  } else if (weight.value != 0) {
    terms[capacity - 1U - list.far] = term;
    list.far++;
  }
  return list;
}

/*@ // weight times value of a term
    logic integer attest_q16_term{L}(integer term, int32_t *v) =
      term / 4294967296 * (v[term % 4294967296] + 2147483648);

    // the same, added for terms from <= t < to
    logic integer attest_q16_gathered{L}(uint64_t *terms, integer from, integer to, int32_t *v) =
      to <= from ? 0 :
        attest_q16_gathered(terms, from, to - 1, v) + attest_q16_term(terms[to - 1], v);
*/

/* Of a term: its weight, and its value without sign, plus 2^31, which the output takes off again:
   the weights sum to one. */
/*@ requires attest_q16_term_ok(term, furthest) && \valid_read(v + (0 .. furthest));
    assigns \nothing;
    ensures \result == v[term % 4294967296] + 2147483648;
*/
static inline uint32_t attest_q16_value_of(uint64_t term, const int32_t *v)
    /*@ ghost (uint32_t furthest) */ {
  return attest_q16_unsigned(v[(uint32_t)(term % ATTEST_Q16_WORD)]);
}

/*@ requires attest_q16_term_ok(term, furthest) && \valid_read(v + (0 .. furthest));
    assigns \nothing;
    ensures \result == attest_q16_term(term, v);
    ensures \result <= 2147483648 * 4294967295;
*/
static inline uint64_t attest_q16_term_product(uint64_t term, const int32_t *v)
    /*@ ghost (uint32_t furthest) */ {
  const uint32_t weight = (uint32_t)(term / ATTEST_Q16_WORD);
  const uint32_t value = attest_q16_value_of(term, v) /*@ ghost (furthest) */;
  //@ assert product: 0 <= weight * value <= 2147483648 * 4294967295;
  return attest_q16_product(weight, value);
}

/* The sum of weight times value, for terms from <= t < to. Products are below 2^63, so two of them
   fit a word; the halves of that are below 2^32, so that 65536 of them fit. */
/*@ requires from <= to <= 65536 && \valid_read(terms + (from .. to - 1));
    requires attest_q16_all_ok(terms, from, to, furthest);
    requires \valid_read(v + (0 .. furthest));
    assigns \nothing;
    ensures attest_q16_sum_ok(\result, to - from);
    ensures value: attest_q16_value(\result) == attest_q16_gathered(terms, from, to, v);
*/
static inline attest_q16_sum attest_q16_gather_here(const uint64_t *terms, uint32_t from,
                                                    uint32_t to, const int32_t *v)
    /*@ ghost (uint32_t furthest) */ {
  attest_q16_sum sum = {0, 0};
  uint32_t t = from;
  /*@ loop invariant from <= t <= to;
      loop invariant attest_q16_sum_ok(sum, t - from);
      loop invariant value: attest_q16_value(sum) == attest_q16_gathered(terms, from, t, v);
      loop assigns t, sum;
      loop variant to - t; */
  for (; to - t >= 2U; t += 2U) {
    const uint64_t pair = attest_q16_term_product(terms[t], v) /*@ ghost (furthest) */ +
                          attest_q16_term_product(terms[t + 1U], v) /*@ ghost (furthest) */;
    sum.low += pair % ATTEST_Q16_WORD;
    sum.high += pair / ATTEST_Q16_WORD;
    /*@ assert first: attest_q16_gathered(terms, from, t + 1, v) ==
          attest_q16_gathered(terms, from, t, v) + attest_q16_term(terms[t], v); */
    /*@ assert second: attest_q16_gathered(terms, from, t + 2, v) ==
          attest_q16_gathered(terms, from, t + 1, v) + attest_q16_term(terms[t + 1], v); */
  }
  if (t < to) {
    const uint64_t last = attest_q16_term_product(terms[t], v) /*@ ghost (furthest) */;
    sum.low += last % ATTEST_Q16_WORD;
    sum.high += last / ATTEST_Q16_WORD;
    /*@ assert last: attest_q16_gathered(terms, from, t + 1, v) ==
          attest_q16_gathered(terms, from, t, v) + attest_q16_term(terms[t], v); */
  }
  return sum;
}

/* The same from products in pieces of 16 bits; 65536 of these fit a sum of 32 bits. */
/*@ requires from <= to <= 65536 && \valid_read(terms + (from .. to - 1));
    requires attest_q16_all_ok(terms, from, to, furthest);
    requires \valid_read(v + (0 .. furthest));
    assigns \nothing;
    ensures attest_q16_sum_ok(\result, to - from);
    ensures value: attest_q16_value(\result) == attest_q16_gathered(terms, from, to, v);
*/
attest_q16_sum attest_q16_gather_pieces(const uint64_t *terms, uint32_t from, uint32_t to,
                                        const int32_t *v) /*@ ghost (uint32_t furthest) */;

#ifdef ATTEST_Q16_NARROW
#define attest_q16_gather attest_q16_gather_pieces
#else
#define attest_q16_gather attest_q16_gather_here
#endif

/* 256 near + far, both in units of the far terms; low below 2^32. */
/*@ requires attest_q16_sum_ok(near, 65536) && attest_q16_sum_ok(far, 65536);
    assigns \nothing;
    ensures \result.low <= 4294967295;
    ensures \result.high * 4294967296 + \result.low ==
      256 * (near.high * 4294967296 + near.low) + far.high * 4294967296 + far.low;
*/
static inline attest_q16_sum attest_q16_join(attest_q16_sum near, attest_q16_sum far) {
  const uint64_t low = near.low * 256U + far.low;
  attest_q16_sum sum;
  sum.high = near.high * 256U + far.high + low / ATTEST_Q16_WORD;
  sum.low = low % ATTEST_Q16_WORD;
  return sum;
}

/* An output element from the sums of its column. */
/*@ requires attest_q16_sum_ok(near, 65536) && attest_q16_sum_ok(far, 65536);
    requires \valid_read(total) && attest_q16_divisor_ok(*total);
    assigns \nothing;
*/
static inline int32_t attest_q16_output(attest_q16_sum near, attest_q16_sum far,
                                        const attest_q16_divisor *total) {
  return attest_q16_signed(attest_q16_divide(attest_q16_join(near, far), total));
}

/* The output row of no key. */
/*@ requires \valid(out + (0 .. width - 1));
    assigns out[0 .. width - 1];
*/
static inline void attest_q16_zeros(int32_t *out, uint32_t width) {
  /*@ loop invariant 0 <= c <= width;
      loop assigns c, out[0 .. width - 1];
      loop variant width - c; */
  for (uint32_t c = 0; c < width; c++) out[c] = 0;
}

#endif
