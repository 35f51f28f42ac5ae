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

/* y where it is finite or where its source was not: a finite number stays a number, however large. */
/*@ assigns \nothing; */
static inline real attest_saturate(real y, real source) {
  const int from_finite = source >= -ATTEST_MAX && source <= ATTEST_MAX;
  if (from_finite && y > ATTEST_MAX) return ATTEST_MAX;
  if (from_finite && y < -ATTEST_MAX) return -ATTEST_MAX;
  return y;
}

/* The score in base 2 of a dot product, without bias. */
/*@ assigns \nothing; */
static inline real attest_score(real dot, attest_rule rule) {
  if (!(rule.softcap > 0)) return attest_saturate(rule.scale2 * dot, dot);
  const real scaled = attest_saturate(rule.scale * dot, dot);
  const real capped = rule.softcap * attest_tanh(scaled / rule.softcap);
  return attest_saturate(capped * ATTEST_LOG2E, capped);
}

/* The same with a bias. A bias of -inf means hidden and is the caller's to see. */
/*@ assigns \nothing; */
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
*/
static inline real attest_score_at(const attest_head h, attest_rule rule, size_t i, size_t j,
                                   real dot) {
  if (!h.bias) return attest_score(dot, rule);
  const size_t row = attest_row(i, h.bias_row) /*@ ghost (h.q_len) */;
  const size_t key = attest_row(j, h.bias_key) /*@ ghost (h.kv_len) */;
  return attest_score_biased(dot, h.bias[row + key], rule);
}

#endif
