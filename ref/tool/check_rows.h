/* Rows of one head held against the oracle, element by element. */
#ifndef ATTEST_CHECK_ROWS_H
#define ATTEST_CHECK_ROWS_H

#include "check_map.h"
#include "check_subject.h"
#include "oracle/oracle.h"
#include "oracle/row.h"

typedef struct attest_check {
  const attest_problem *problem;
  attest_arrays_f64 inputs;
  attest_subject subjects[ATTEST_SUBJECTS];
  size_t tile; /* of the claim */
  attest_log_base lse_base;
  int empty_nan; /* rows that see no key are NaN instead of 0 */
} attest_check;

/* Where an element lies in the array of its subject. */
size_t attest_check_index(const attest_check *check, int part, attest_place at);

/* Elements of a row of a part. */
size_t attest_check_columns(const attest_check *check, int part);

/* What some rows of one head came to. */
typedef struct attest_rows_result {
  attest_tally tallies[ATTEST_PARTS];
  size_t decided[ATTEST_RUNGS];
  attest_map maps[ATTEST_SUBJECTS]; /* of the output and the weights; cells NULL: not wanted */
} attest_rows_result;

/* The memory of one thread. */
typedef struct attest_row_judge {
  const attest_check *check;
  size_t strip; /* rows that the oracle is asked for at a time */
  attest_row_key *keys;
  double *allowances, *spreads; /* of the columns of a row */
  double *values[ATTEST_SUBJECTS];
  attest_enclosure *enclosures[ATTEST_SUBJECTS];
} attest_row_judge;

int attest_row_judge_start(attest_row_judge *judge, const attest_check *check,
                           attest_fault *fault);
void attest_row_judge_end(attest_row_judge *judge);

/* Adds rows first .. first + count - 1 to *result. 0, or -1 with *fault set. */
int attest_row_judge_run(attest_row_judge *judge, size_t batch, size_t head, size_t first,
                         size_t count, attest_rows_result *result, attest_fault *fault);

#endif
