/* The softmax of a row of scores, and what its weights are in logic. */
#ifndef ATTEST_Q16_SOFTMAX_H
#define ATTEST_Q16_SOFTMAX_H

#include "attest_q16.h"
#include "bits.h"
#include "score.h"
#include "share.h"
#include "weight.h"

/*@ // the score x in base 2, with log2(e) = 3098164009 2^-31: as if x were the dot product of x and 1
    logic integer attest_q16_soft_whole(integer x) =
      attest_q16_score_whole(x * 65536, 3098164009, -31);
    logic integer attest_q16_soft_fraction(integer x) =
      attest_q16_score_fraction(x * 65536, 3098164009, -31);

    // its weight in units of 2^-38, where `top` is the whole part of the largest score
    logic integer attest_q16_soft_mass(integer x, integer top) =
      attest_q16_mass_at(attest_q16_soft_whole(x), attest_q16_soft_fraction(x), top);

    // of the first n scores
    logic integer attest_q16_soft_largest{L}(int32_t *scores, integer n) =
      n <= 0 ? -2147483648 : \max(attest_q16_soft_largest(scores, n - 1), scores[n - 1]);
    logic integer attest_q16_soft_total{L}(int32_t *scores, integer n, integer top) =
      n <= 0 ? 0 : attest_q16_soft_total(scores, n - 1, top) +
        attest_q16_soft_mass(scores[n - 1], top);

    // weight j of `count` scores: what the share of the keys so far rises by
    logic integer attest_q16_soft_weight{L}(int32_t *scores, integer count, integer j) =
      \let top = attest_q16_soft_whole(attest_q16_soft_largest(scores, count));
      \let total = attest_q16_soft_total(scores, count, top);
      attest_q16_share_at(attest_q16_soft_total(scores, j + 1, top), total) -
      attest_q16_share_at(attest_q16_soft_total(scores, j, top), total);

    logic integer attest_q16_soft_sum{L}(int32_t *weights, integer n) =
      n <= 0 ? 0 : attest_q16_soft_sum(weights, n - 1) + weights[n - 1];
*/

/*@ requires scores != \null && count <= 65536 ==> \valid_read(scores + (0 .. count - 1));
    requires weights != \null && count <= 65536 ==> \valid(weights + (0 .. count - 1));
    requires scores != \null && weights != \null && count <= 65536 ==>
      \separated(scores + (0 .. count - 1), weights + (0 .. count - 1));
    assigns weights[0 .. count - 1];
    ensures null: scores == \null || weights == \null ==> \result == ATTEST_Q16_NULL;
    ensures beyond: scores != \null && weights != \null && count > 65536 ==>
      \result == ATTEST_Q16_LIMIT;
    ensures given: scores != \null && weights != \null && count <= 65536 ==>
      \result == ATTEST_Q16_OK;
    ensures value: \result == ATTEST_Q16_OK ==> \forall integer j; 0 <= j < count ==>
      weights[j] == \old(attest_q16_soft_weight(scores, count, j));
    ensures range: \result == ATTEST_Q16_OK ==> \forall integer j; 0 <= j < count ==>
      0 <= weights[j] <= 65536;
    ensures one: \result == ATTEST_Q16_OK && count >= 1 ==>
      attest_q16_soft_sum(weights, count) == 65536;
*/
attest_q16_status attest_q16_softmax(const int32_t *scores, uint32_t count, int32_t *weights);

#endif
