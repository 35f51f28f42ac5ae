/* All rows of a problem held against the oracle, spread over threads, and what came of it. */
#ifndef ATTEST_CHECK_JUDGE_H
#define ATTEST_CHECK_JUDGE_H

#include "check_rows.h"
#include "progress.h"

/* Heads of which more than the sum is kept: those worst off, in order of place. */
enum { ATTEST_HEADS_KEPT = 64 };

typedef struct attest_head_result {
  size_t batch, head;
  attest_rows_result rows;
} attest_head_result;

typedef struct attest_outcome {
  attest_tally total[ATTEST_PARTS];
  size_t decided[ATTEST_RUNGS];
  size_t heads, failing_heads; /* of all batches */
  size_t kept;
  attest_head_result *kept_heads;
} attest_outcome;

/* maps: also makes maps of the output and the weights of every head that is kept. threads: 0 for
   as many as the machine has; the outcome does not depend on it. 0, or -1 with *fault set; to be
   freed in any case. */
int attest_check_judge(const attest_check *check, int maps, size_t threads,
                       attest_outcome *outcome, attest_progress *progress, attest_fault *fault);
void attest_outcome_free(attest_outcome *outcome);

attest_verdict attest_outcome_verdict(const attest_outcome *outcome);

#endif
