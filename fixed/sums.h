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

/*@ // weight times value of a term
    logic integer attest_q16_term{L}(integer term, int32_t *v) =
      attest_q16_times_of(term / 4294967296, v[term % 4294967296] + 2147483648);

    // the same, added for terms from <= t < to
    logic integer attest_q16_gathered{L}(uint64_t *terms, integer from, integer to, int32_t *v) =
      to <= from ? 0 :
        attest_q16_gathered(terms, from, to - 1, v) + attest_q16_term(terms[to - 1], v);

    // of the terms at the front and at the back, in units of the far ones
    logic integer attest_q16_joined{L}(uint64_t *terms, integer capacity, integer near,
                                       integer far, int32_t *v) =
      256 * attest_q16_gathered(terms, 0, near, v) +
        attest_q16_gathered(terms, capacity - far, capacity, v);
*/

/*@ ghost
  // the first term taken off
  /@ requires from < to;
     assigns \nothing;
     ensures \forall int32_t *v; attest_q16_gathered(terms, from, to, v) ==
       attest_q16_term(terms[from], v) + attest_q16_gathered(terms, from + 1, to, v); @/
  static inline void attest_q16_gather_front(const uint64_t *terms, uint32_t from, uint32_t to) {
    /@ loop invariant from + 1 <= t <= to;
       loop invariant \forall int32_t *v; attest_q16_gathered(terms, from, t, v) ==
         attest_q16_term(terms[from], v) + attest_q16_gathered(terms, from + 1, t, v);
       loop assigns t;
       loop variant to - t; @/
    for (uint32_t t = from + 1U; t < to; t++) {}
  }

  // what a term is worth
  /@ requires place <= 4294967295;
     assigns \nothing;
     ensures \forall int32_t *v; attest_q16_term(weight * 4294967296 + place, v) ==
       attest_q16_times_of(weight, v[place] + 2147483648); @/
  static inline void attest_q16_term_is(uint32_t weight, uint32_t place) {
    /@ assert weight: (weight * 4294967296 + place) / 4294967296 == weight; @/
    /@ assert place: (weight * 4294967296 + place) % 4294967296 == place; @/
  }
*/

/*@ ghost
  /@ requires attest_q16_weight_ok(weight);
     assigns \nothing;
     ensures near: \forall integer x; weight.near != 0 ==>
       attest_q16_times_of(attest_q16_mass(weight), x) ==
       256 * attest_q16_times_of(weight.value, x);
     ensures far: \forall integer x; weight.near == 0 ==>
       attest_q16_times_of(attest_q16_mass(weight), x) == attest_q16_times_of(weight.value, x);
     ensures none: \forall integer x; weight.value == 0 ==>
       attest_q16_times_of(attest_q16_mass(weight), x) == 0; @/
  static inline void attest_q16_mass_times(attest_q16_weight weight) {
    attest_q16_times_is();
  }
*/

/* Writes term `at`; the function is there for its proof: other terms stay. */
/*@ requires near <= at < capacity - far && near + far < capacity <= 65536;
    requires \valid(terms + (0 .. capacity - 1));
    assigns terms[at];
    ensures terms[at] == term;
    ensures front: \forall int32_t *v; attest_q16_gathered(terms, 0, near, v) ==
      \old(attest_q16_gathered(terms, 0, near, v));
    ensures back: \forall int32_t *v;
      attest_q16_gathered(terms, capacity - far, capacity, v) ==
      \old(attest_q16_gathered(terms, capacity - far, capacity, v));
*/
static inline void attest_q16_write_term(uint64_t *terms, uint32_t at, uint64_t term)
    /*@ ghost (uint32_t capacity, uint32_t near, uint32_t far) */ {
  terms[at] = term;
  /*@ ghost
    /@ loop invariant 0 <= t <= near;
       loop invariant \forall int32_t *v; attest_q16_gathered{Here}(terms, 0, t, v) ==
         attest_q16_gathered{Pre}(terms, 0, t, v);
       loop assigns t;
       loop variant near - t; @/
    for (uint32_t t = 0; t < near; t++) {}
    /@ loop invariant capacity - far <= t <= capacity;
       loop invariant \forall int32_t *v;
         attest_q16_gathered{Here}(terms, capacity - far, t, v) ==
         attest_q16_gathered{Pre}(terms, capacity - far, t, v);
       loop assigns t;
       loop variant capacity - t; @/
    for (uint32_t t = capacity - far; t < capacity; t++) {}
  */
}

/* The list with one more term. */
/*@ requires capacity <= 65536 && \valid(terms + (0 .. capacity - 1));
    requires list.near + list.far < capacity && list.total <= 65535 * 549755813888;
    requires attest_q16_terms_ok(terms, capacity, list, furthest);
    requires attest_q16_weight_ok(weight) && place <= furthest;
    assigns terms[list.near], terms[capacity - 1 - list.far];
    ensures attest_q16_terms_ok(terms, capacity, \result, furthest);
    ensures \result.near + \result.far <= list.near + list.far + 1;
    ensures \result.total == list.total + attest_q16_mass(weight);
    ensures column: \forall int32_t *v, integer c;
      attest_q16_joined(terms, capacity, \result.near, \result.far, v + c) ==
      \old(attest_q16_joined(terms, capacity, list.near, list.far, v + c)) +
      attest_q16_times_of(attest_q16_mass(weight), *(v + c + place) + 2147483648);
*/
static inline attest_q16_terms attest_q16_append_term(uint64_t *terms, uint32_t capacity,
                                        attest_q16_terms list, attest_q16_weight weight,
                                        uint32_t place)
    /*@ ghost (uint32_t furthest) */ {
  const uint64_t term = (uint64_t)weight.value * ATTEST_Q16_WORD + place;
  //@ assert ok: attest_q16_term_ok(term, furthest);
  //@ ghost attest_q16_term_is(weight.value, place);
  //@ ghost attest_q16_mass_times(weight);
  /*@ assert none: weight.near == 0 && weight.value == 0 ==> \forall int32_t *v;
        attest_q16_times_of(attest_q16_mass(weight), v[place] + 2147483648) == 0; */
  list.total += attest_q16_mass_of(weight);
  if (weight.near != 0) {
    attest_q16_write_term(terms, list.near, term) /*@ ghost (capacity, list.near, list.far) */;
    list.near++;
    //@ assert terms: attest_q16_terms_ok(terms, capacity, list, furthest);
    /*@ assert near: \forall int32_t *v; attest_q16_gathered(terms, 0, list.near, v) ==
          \at(attest_q16_gathered(terms, 0, list.near, v), Pre) +
          attest_q16_times_of(weight.value, v[place] + 2147483648); */
    /*@ assert far: \forall int32_t *v;
          attest_q16_gathered(terms, capacity - list.far, capacity, v) ==
          \at(attest_q16_gathered(terms, capacity - list.far, capacity, v), Pre); */
    /*@ assert value: \forall int32_t *v;
          attest_q16_joined(terms, capacity, list.near, list.far, v) ==
          \at(attest_q16_joined(terms, capacity, list.near, list.far, v), Pre) +
          attest_q16_times_of(attest_q16_mass(weight), v[place] + 2147483648); */
    /*@ assert sum: \forall int32_t *v, integer c;
          attest_q16_gathered(terms, 0, list.near, v + c) ==
          \at(attest_q16_gathered(terms, 0, list.near, v + c), Pre) +
          attest_q16_times_of(weight.value, *(v + c + place) + 2147483648); */
    /*@ assert units: \forall int32_t *v, integer c;
          attest_q16_times_of(attest_q16_mass(weight), *(v + c + place) + 2147483648) ==
          256 * attest_q16_times_of(weight.value, *(v + c + place) + 2147483648); */
    /*@ assert column: \forall int32_t *v, integer c;
          attest_q16_joined(terms, capacity, list.near, list.far, v + c) ==
          \at(attest_q16_joined(terms, capacity, list.near, list.far, v + c), Pre) +
          attest_q16_times_of(attest_q16_mass(weight), *(v + c + place) + 2147483648); */
  } else if (weight.value != 0) {
    const uint32_t at = capacity - 1U - list.far;
    attest_q16_write_term(terms, at, term) /*@ ghost (capacity, list.near, list.far) */;
    list.far++;
    //@ assert terms: attest_q16_terms_ok(terms, capacity, list, furthest);
    //@ ghost attest_q16_gather_front(terms, at, capacity);
    /*@ assert far: \forall int32_t *v;
          attest_q16_gathered(terms, capacity - list.far, capacity, v) ==
          \at(attest_q16_gathered(terms, capacity - list.far, capacity, v), Pre) +
          attest_q16_times_of(weight.value, v[place] + 2147483648); */
    /*@ assert near: \forall int32_t *v; attest_q16_gathered(terms, 0, list.near, v) ==
          \at(attest_q16_gathered(terms, 0, list.near, v), Pre); */
    /*@ assert step: \forall int32_t *v;
          attest_q16_joined(terms, capacity, list.near, list.far, v) ==
          256 * attest_q16_gathered(terms, 0, list.near, v) +
          attest_q16_gathered(terms, at, capacity, v); */
    //@ assert back: capacity - \at(list.far, Pre) == at + 1;
    /*@ assert value: \forall int32_t *v;
          attest_q16_joined(terms, capacity, list.near, list.far, v) ==
          \at(attest_q16_joined(terms, capacity, list.near, list.far, v), Pre) +
          attest_q16_times_of(attest_q16_mass(weight), v[place] + 2147483648); */
    /*@ assert column: \forall int32_t *v, integer c;
          attest_q16_joined(terms, capacity, list.near, list.far, v + c) ==
          \at(attest_q16_joined(terms, capacity, list.near, list.far, v + c), Pre) +
          attest_q16_times_of(attest_q16_mass(weight), *(v + c + place) + 2147483648); */
  }
  /*@ assert near_too: weight.near != 0 ==> \forall int32_t *v, integer c;
        attest_q16_joined(terms, capacity, list.near, list.far, v + c) ==
        \at(attest_q16_joined(terms, capacity, list.near, list.far, v + c), Pre) +
        attest_q16_times_of(attest_q16_mass(weight), *(v + c + place) + 2147483648); */
  /*@ assert far_too: weight.near == 0 && weight.value != 0 ==> \forall int32_t *v, integer c;
        attest_q16_joined(terms, capacity, list.near, list.far, v + c) ==
        \at(attest_q16_joined(terms, capacity, list.near, list.far, v + c), Pre) +
        attest_q16_times_of(attest_q16_mass(weight), *(v + c + place) + 2147483648); */
  /*@ assert none_too: weight.near == 0 && weight.value == 0 ==> \forall int32_t *v, integer c;
        attest_q16_joined(terms, capacity, list.near, list.far, v + c) ==
        \at(attest_q16_joined(terms, capacity, list.near, list.far, v + c), Pre) +
        attest_q16_times_of(attest_q16_mass(weight), *(v + c + place) + 2147483648); */
  return list;
}

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
  //@ ghost attest_q16_times_is();
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
    ensures value: \let sum = 256 * attest_q16_value(near) + attest_q16_value(far);
      sum <= 4294967295 * total->total ==>
        \result == attest_q16_output_of(sum, total->total);
*/
static inline int32_t attest_q16_output(attest_q16_sum near, attest_q16_sum far,
                                        const attest_q16_divisor *total) {
  const attest_q16_sum sum = attest_q16_join(near, far);
  const uint32_t quotient = attest_q16_divide(sum, total);
  //@ ghost attest_q16_one_quotient(sum, total->total, quotient);
  return attest_q16_signed(quotient);
}

#endif
