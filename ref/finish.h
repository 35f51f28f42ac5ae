/* From a partial result to the output row: the one division, and the log-sum-exp. */
#ifndef ATTEST_FINISH_H
#define ATTEST_FINISH_H

#include "softmax.h"

/* One output: a weighted sum over the sum of the weights; 0 where nothing was seen. Adding 0 turns
   -0, which a rescaled sum can be, into the +0 that a zero is stored as, and changes nothing else. */
/*@ assigns \nothing;
    ATTEST_EXACTLY(ensures seen != 0 ==> \result == acc / sum;
                   ensures seen == 0 ==> attest_zero(\result);)
*/
static inline real attest_output(real acc, real sum, int seen) {
  return seen ? attest_quotient(acc, sum) + 0 : 0;
}

/* Log-sum-exp: -inf where nothing was seen, NaN where all that was seen scored -inf. */
/*@ assigns \nothing; */
static inline real attest_log_sum_exp(real exponent, real sum, int seen) {
  if (!seen) return ATTEST_HIDDEN;
  if (sum > 0) return attest_log_sum(exponent, sum);
  return (real)NAN;
}

#endif
