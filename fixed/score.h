/* From a dot product to y = <q, k> scale log2(e), a score in base 2. */
#ifndef ATTEST_Q16_SCORE_H
#define ATTEST_Q16_SCORE_H

#include "attest_q16.h"
#include "dot.h"

/* y = (whole - 2^62) + fraction / 2^32. */
typedef struct {
  uint64_t whole;
  uint32_t fraction;
} attest_q16_score;

#define ATTEST_Q16_ZERO 4611686018427387904U /* whole of y = 0: 2^62 */

/* A dot product without its sign: upper * 65536 + lower. */
typedef struct {
  uint64_t upper;
  uint32_t lower;
  uint32_t negative;
} attest_q16_size;

/*@ predicate attest_q16_size_ok(attest_q16_size x) =
      x.upper <= 288230376151711744 && x.lower <= 65535;

    predicate attest_q16_scale_ok(attest_q16_scale scale) = -64 <= scale.exponent <= -17;

    predicate attest_q16_score_ok(attest_q16_score y) =
      1 <= y.whole <= 9223372036854775807;
*/

/*@ requires attest_q16_dot_ok(dot);
    assigns \nothing;
    ensures attest_q16_size_ok(\result);
    ensures positive: \result.negative == 0 ==>
      \result.upper * 65536 + \result.lower == dot.high * 65536 + dot.low;
    ensures negative: \result.negative != 0 ==>
      -(\result.upper * 65536 + \result.lower) == dot.high * 65536 + dot.low;
*/
attest_q16_size attest_q16_size_of(attest_q16_dot dot);

/*@ requires attest_q16_dot_ok(dot) && attest_q16_scale_ok(scale);
    assigns \nothing;
    ensures attest_q16_score_ok(\result);
*/
attest_q16_score attest_q16_score_of(attest_q16_dot dot, attest_q16_scale scale);

#endif
