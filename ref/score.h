/* From dot product to score: scale, softcap, bias, and the change to base 2, in that order, each a
   rounding of its own. Without softcap and bias, scale and base change are one multiplication. */
#ifndef ATTEST_SCORE_H
#define ATTEST_SCORE_H

#include <math.h>

#include "head.h"
#include "real.h"
#include "tanh.h"

#define ATTEST_HIDDEN (-(real)INFINITY)
#define ATTEST_LOG2E ((real)0x1.71547652b82fep+0)

#ifdef ATTEST_EXACT
/*@ // the score as a number: the same steps
    logic attest_number attest_saturated(attest_number y, attest_number source) =
      source < -ATTEST_MAX || source > ATTEST_MAX ? y :
      y > ATTEST_MAX ? ATTEST_MAX : y < -ATTEST_MAX ? -ATTEST_MAX : y;
    logic attest_number attest_capped(attest_number x, attest_rule rule) =
      rule.softcap * attest_tanh_of(x / rule.softcap);
    logic attest_number attest_score_of(attest_number dot, attest_rule rule) =
      rule.softcap > 0 ?
        \let x = attest_capped(attest_saturated(rule.scale * dot, dot), rule);
        attest_saturated(x * ATTEST_LOG2E, x) :
      attest_saturated(rule.scale2 * dot, dot);
    logic attest_number attest_score_biased_of(attest_number dot, attest_number bias,
                                               attest_rule rule) =
      \let x = attest_saturated(rule.scale * dot, dot);
      \let s = rule.softcap > 0 ? attest_capped(x, rule) : x;
      \let t = attest_saturated(s + bias, s - s + bias);
      attest_saturated(t * ATTEST_LOG2E, t);
    logic attest_number attest_score_number(attest_head h, attest_rule rule, attest_number dot,
                                            attest_number bias) =
      h.bias == \null ? attest_score_of(dot, rule) : attest_score_biased_of(dot, bias, rule);

    // the arrays of a head hold the numbers attest_q, attest_k, attest_v and attest_b of row i, and
    // attest_sees and attest_y are what follows; nothing is said of keys and values it does not see
    predicate attest_holds_q{L}(attest_head h, integer i) =
      \forall integer c; 0 <= c < h.width ==>
        h.q[attest_place(i, h.q_row) + c] == attest_q(i, c);
    predicate attest_holds_k{L}(attest_head h, integer i) =
      \forall integer j, c; 0 <= j < h.kv_len && attest_sees(i, j) && 0 <= c < h.width ==>
        h.k[attest_place(j, h.k_row) + c] == attest_k(j, c);
    predicate attest_holds_v{L}(attest_head h, integer i) =
      \forall integer j, c; 0 <= j < h.kv_len && attest_sees(i, j) && 0 <= c < h.value_width ==>
        h.v[attest_place(j, h.v_row) + c] == attest_v(j, c);
    predicate attest_holds_b{L}(attest_head h, integer i) =
      h.bias != \null ==> \forall integer j; 0 <= j < h.kv_len ==>
        attest_bias_at(h, i, j) == attest_b(i, j);
    predicate attest_holds_masks{L}(attest_head h, integer i) =
      \forall integer j; 0 <= j < h.kv_len ==> (attest_sees(i, j) <==>
        attest_mask_shows(h, i, j) && (h.bias != \null ==> -ATTEST_MAX <= attest_b(i, j)));
    predicate attest_holds_scores(attest_head h, attest_rule rule, integer i) =
      \forall integer j; 0 <= j < h.kv_len && attest_sees(i, j) ==>
        attest_y(i, j) ==
          attest_score_number(h, rule, attest_dot_of(i, j, h.width), attest_b(i, j)) &&
        -ATTEST_MAX <= attest_y(i, j) <= ATTEST_MAX;
    predicate attest_holds{L}(attest_head h, integer i) =
      attest_holds_q(h, i) && attest_holds_k(h, i) && attest_holds_v(h, i) &&
      attest_holds_b(h, i) && attest_holds_masks(h, i);

    // n numbers from p on are none of those
    predicate attest_apart(attest_head h, integer i, real *p, integer n) =
      (\let q = attest_place(i, h.q_row);
        \separated(p + (0 .. n - 1), h.q + (q .. q + h.width - 1))) &&
      (\forall integer j; 0 <= j < h.kv_len ==> \let k = attest_place(j, h.k_row);
        \separated(p + (0 .. n - 1), h.k + (k .. k + h.width - 1))) &&
      (\forall integer j; 0 <= j < h.kv_len ==> \let v = attest_place(j, h.v_row);
        \separated(p + (0 .. n - 1), h.v + (v .. v + h.value_width - 1))) &&
      (h.bias != \null ==> \forall integer j; 0 <= j < h.kv_len ==>
        \separated(p + (0 .. n - 1),
                   h.bias + (attest_place(i, h.bias_row) + attest_place(j, h.bias_key))));
*/
#endif

/* y where it is finite or where its source was not: a finite number stays a number, however large. */
/*@ assigns \nothing;
    ATTEST_EXACTLY(ensures \result == attest_saturated(y, source);)
*/
static inline real attest_saturate(real y, real source) {
  const int from_finite = source >= -ATTEST_MAX && source <= ATTEST_MAX;
  if (from_finite && y > ATTEST_MAX) return ATTEST_MAX;
  if (from_finite && y < -ATTEST_MAX) return -ATTEST_MAX;
  return y;
}

/* The score in base 2 of a dot product, without bias. */
/*@ assigns \nothing;
    ATTEST_EXACTLY(ensures \result == attest_score_of(dot, rule);)
*/
static inline real attest_score(real dot, attest_rule rule) {
  if (!(rule.softcap > 0)) return attest_saturate(rule.scale2 * dot, dot);
  const real scaled = attest_saturate(rule.scale * dot, dot);
  const real capped = rule.softcap * attest_tanh(scaled / rule.softcap);
  return attest_saturate(capped * ATTEST_LOG2E, capped);
}

/* The same with a bias. A bias of -inf means hidden and is the caller's to see. */
/*@ assigns \nothing;
    ATTEST_EXACTLY(ensures \result == attest_score_biased_of(dot, bias, rule);)
*/
static inline real attest_score_biased(real dot, real bias, attest_rule rule) {
  real s = attest_saturate(rule.scale * dot, dot);
  if (rule.softcap > 0) s = rule.softcap * attest_tanh(s / rule.softcap);
  const real sum = s + bias;
  s = attest_saturate(sum, s - s + bias); /* finite only where both terms are */
  return attest_saturate(s * ATTEST_LOG2E, s);
}

/* The score of key j, visible to row i, from its dot product. */
/*@ requires attest_sizes(h) && attest_masks(h);
    requires i < h.q_len && j < h.kv_len;
    assigns \nothing;
    ATTEST_EXACTLY(ensures \result == attest_score_number(h, rule, dot, attest_bias_at(h, i, j));)
*/
static inline real attest_score_at(const attest_head h, attest_rule rule, size_t i, size_t j,
                                   real dot) {
  if (!h.bias) return attest_score(dot, rule);
  const size_t row = attest_row(i, h.bias_row) /*@ ghost (h.q_len) */;
  const size_t key = attest_row(j, h.bias_key) /*@ ghost (h.kv_len) */;
  return attest_score_biased(dot, h.bias[row + key], rule);
}

#endif
