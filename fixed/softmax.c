#include "softmax.h"

/* The score x, in units of 2^-16, in base 2. */
/*@ assigns \nothing;
    ensures attest_q16_score_ok(\result);
    ensures whole: \result.whole == attest_q16_soft_whole(x);
    ensures fraction: \result.fraction == attest_q16_soft_fraction(x);
*/
static attest_q16_score in_base_2(int32_t x) {
  const attest_q16_scale log2_e = {3098164009U, -31};
  attest_q16_dot dot;
  dot.high = x; /* times 2^16, the 1 of Q16.16: units of 2^-32, as of a dot product */
  dot.low = 0;
  //@ assert value: attest_q16_dot_value(dot) == x * 65536;
  return attest_q16_score_of(dot, log2_e);
}

/* In units of 2^-38. */
/*@ requires top == attest_q16_soft_whole(largest) && x <= largest;
    assigns \nothing;
    ensures value: \result == attest_q16_soft_mass(x, top);
    ensures range: \result <= 549755813888;
    ensures some: x == largest ==> \result >= 137438953472;
*/
static uint64_t mass_of(int32_t x, uint64_t top) /*@ ghost (int32_t largest) */ {
  const attest_q16_score y = in_base_2(x);
  return attest_q16_mass_of(attest_q16_weight_of(y, top));
}

/*@ requires 1 <= count <= 65536 && \valid_read(scores + (0 .. count - 1));
    assigns \nothing;
    ensures value: \result == attest_q16_soft_largest(scores, count);
    ensures all: \forall integer j; 0 <= j < count ==> scores[j] <= \result;
    ensures some: \exists integer j; 0 <= j < count && scores[j] == \result;
*/
static int32_t largest_of(const int32_t *scores, uint32_t count) {
  int32_t largest = scores[0];
  //@ assert first: attest_q16_soft_largest(scores, 1) == scores[0];
  /*@ loop invariant 1 <= j <= count;
      loop invariant value: largest == attest_q16_soft_largest(scores, j);
      loop invariant all: \forall integer t; 0 <= t < j ==> scores[t] <= largest;
      loop invariant some: \exists integer t; 0 <= t < j && scores[t] == largest;
      loop assigns j, largest;
      loop variant count - j; */
  for (uint32_t j = 1; j < count; j++)
    if (scores[j] > largest) largest = scores[j];
  return largest;
}

/* The sum of at most 2^16 weights of at most 2^39: below 2^56. */
/*@ requires 1 <= count <= 65536 && \valid_read(scores + (0 .. count - 1));
    requires top == attest_q16_soft_whole(largest);
    requires \forall integer j; 0 <= j < count ==> scores[j] <= largest;
    requires \exists integer j; 0 <= j < count && scores[j] == largest;
    assigns \nothing;
    ensures value: \result == attest_q16_soft_total(scores, count, top);
    ensures range: 512 <= \result <= 36028797018963968;
*/
static uint64_t total_of(const int32_t *scores, uint32_t count, uint64_t top)
    /*@ ghost (int32_t largest) */ {
  uint64_t total = 0;
  /*@ loop invariant 0 <= j <= count;
      loop invariant value: total == attest_q16_soft_total(scores, j, top);
      loop invariant range: total <= j * 549755813888;
      loop invariant some: (\exists integer t; 0 <= t < j && scores[t] == largest) ==>
        total >= 137438953472;
      loop assigns j, total;
      loop variant count - j; */
  for (uint32_t j = 0; j < count; j++) total += mass_of(scores[j], top) /*@ ghost (largest) */;
  return total;
}

/* Writes a weight behind the others. */
/*@ requires j < 65536 && \valid(weights + (0 .. j));
    assigns weights[j];
    ensures weights[j] == weight;
    ensures sum: attest_q16_soft_sum(weights, j + 1) ==
      \old(attest_q16_soft_sum(weights, j)) + weight;
*/
static void append_weight(int32_t *weights, uint32_t j, int32_t weight) {
  weights[j] = weight;
  /*@ ghost
    /@ loop invariant 0 <= k <= j;
       loop invariant attest_q16_soft_sum{Here}(weights, k) == attest_q16_soft_sum{Pre}(weights, k);
       loop assigns k;
       loop variant j - k; @/
    for (uint32_t k = 0; k < j; k++) {
      /@ assert attest_q16_soft_sum{Here}(weights, k + 1) ==
           attest_q16_soft_sum{Here}(weights, k) + weights[k]; @/
      /@ assert attest_q16_soft_sum{Pre}(weights, k + 1) ==
           attest_q16_soft_sum{Pre}(weights, k) + \at(weights[k], Here); @/
    }
  */
}

/* Weights are what the share of the scores so far rises by. */
/*@ requires 1 <= count <= 65536 && \valid_read(scores + (0 .. count - 1));
    requires \valid(weights + (0 .. count - 1));
    requires \separated(scores + (0 .. count - 1), weights + (0 .. count - 1));
    requires top == attest_q16_soft_whole(largest) &&
      largest == attest_q16_soft_largest(scores, count);
    requires \forall integer j; 0 <= j < count ==> scores[j] <= largest;
    requires total == attest_q16_soft_total(scores, count, top);
    requires 512 <= total <= 36028797018963968;
    assigns weights[0 .. count - 1];
    ensures value: \forall integer j; 0 <= j < count ==>
      weights[j] == \old(attest_q16_soft_weight(scores, count, j));
    ensures range: \forall integer j; 0 <= j < count ==> 0 <= weights[j] <= 65536;
    ensures one: attest_q16_soft_sum(weights, count) == 65536;
*/
static void share_scores(const int32_t *scores, uint32_t count, uint64_t top, uint64_t total,
                         int32_t *weights) /*@ ghost (int32_t largest) */ {
  uint64_t part = 0;
  uint32_t before = 0;
  /*@ loop invariant 0 <= j <= count && before <= 65536 && part <= j * 549755813888;
      loop invariant scores: \forall integer t; 0 <= t < count ==>
        scores[t] == \at(scores[t], Pre);
      loop invariant part: part == attest_q16_soft_total{Pre}(scores, j, top);
      loop invariant share: before == attest_q16_share_at(part, total);
      loop invariant sum: attest_q16_soft_sum(weights, j) == before;
      loop invariant value: \forall integer t; 0 <= t < j ==>
        weights[t] == attest_q16_soft_weight{Pre}(scores, count, t);
      loop invariant range: \forall integer t; 0 <= t < j ==> 0 <= weights[t] <= 65536;
      loop assigns j, part, before, weights[0 .. count - 1];
      loop variant count - j; */
  for (uint32_t j = 0; j < count; j++) {
    //@ ghost const uint64_t old = part;
    part += mass_of(scores[j], top) /*@ ghost (largest) */;
    //@ assert next: part == attest_q16_soft_total{Pre}(scores, j + 1, top);
    //@ ghost attest_q16_shares_grow(old, part, total);
    const uint32_t now = attest_q16_share(part, total);
    //@ assert this: now - before == attest_q16_soft_weight{Pre}(scores, count, j);
    append_weight(weights, j, (int32_t)now - (int32_t)before);
    before = now;
  }
}

attest_q16_status attest_q16_softmax(const int32_t *scores, uint32_t count, int32_t *weights) {
  if (!scores || !weights) return ATTEST_Q16_NULL;
  if (count > ATTEST_Q16_MAX_KEYS) return ATTEST_Q16_LIMIT;
  if (count == 0) return ATTEST_Q16_OK;
  const int32_t largest = largest_of(scores, count);
  const uint64_t top = in_base_2(largest).whole;
  const uint64_t total = total_of(scores, count, top) /*@ ghost (largest) */;
  share_scores(scores, count, top, total, weights) /*@ ghost (largest) */;
  return ATTEST_Q16_OK;
}
