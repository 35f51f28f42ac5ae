/* Sums of weights times values, exact. */
#ifndef ATTEST_Q16_SUMS_H
#define ATTEST_Q16_SUMS_H

#include "bits.h"
#include "weight.h"

/* A term: the weight of a visible key, times 2^32, plus where its value row begins. Near terms
   stand at the front of an array of `capacity` words, far ones at its back. */
typedef struct {
  uint32_t near, far;
  uint64_t total; /* of both kinds, in units of 2^-38 */
} attest_q16_terms;

/* high * 2^32 + low. */
typedef struct {
  uint64_t high, low;
} attest_q16_sum;

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
attest_q16_terms attest_q16_append_term(uint64_t *terms, uint32_t capacity,
                                        attest_q16_terms list, attest_q16_weight weight,
                                        uint32_t place)
    /*@ ghost (uint32_t furthest) */;

/* Adds weight times value, for terms from <= t < to, to the sum. Values are taken without sign,
   plus 2^31, which the output takes off again: the weights sum to one. A product is below 2^63, and
   its halves below 2^31 and 2^32, so that 65536 of them fit. */
/*@ requires from <= to <= 65536 && \valid_read(terms + (from .. to - 1));
    requires attest_q16_all_ok(terms, from, to, furthest);
    requires \valid_read(v + (0 .. furthest));
    requires keys + (to - from) <= 65536 && attest_q16_sum_ok(sum, keys);
    assigns \nothing;
    ensures attest_q16_sum_ok(\result, keys + (to - from));
*/
attest_q16_sum attest_q16_gather(attest_q16_sum sum, const uint64_t *terms, uint32_t from,
                                 uint32_t to, const int32_t *v)
    /*@ ghost (uint32_t furthest, uint32_t keys) */;

/*@ logic integer attest_q16_value(attest_q16_sum sum) = sum.high * 4294967296 + sum.low; */

/* round((high * 2^32 + low) / divisor) to nearest, ties to even; at most 2^32 - 1. */
/*@ requires 1 <= divisor <= 9223372036854775807 && sum.low <= 4294967295;
    assigns \nothing;
    ensures nearest: attest_q16_value(sum) <= 4294967295 * divisor ==>
      2 * attest_q16_value(sum) - divisor <= 2 * \result * divisor <=
        2 * attest_q16_value(sum) + divisor;
*/
uint32_t attest_q16_divide(attest_q16_sum sum, uint64_t divisor);

/* An output element from the sums of its column. */
/*@ requires attest_q16_sum_ok(near, 65536) && attest_q16_sum_ok(far, 65536);
    requires 1 <= total <= 36028797018963968;
    assigns \nothing;
*/
int32_t attest_q16_output(attest_q16_sum near, attest_q16_sum far, uint64_t total);

#endif
