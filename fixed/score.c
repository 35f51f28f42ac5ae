#include "score.h"

attest_q16_score attest_q16_score_apart(attest_q16_dot dot, attest_q16_scale scale) {
  return attest_q16_score_here(dot, scale);
}
