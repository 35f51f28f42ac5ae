/* The bounds of bound.h for the elements of one row: what they ask for is gathered here. */
#ifndef ATTEST_ORACLE_ALLOWANCE_H
#define ATTEST_ORACLE_ALLOWANCE_H

#include "bound.h"
#include "oracle.h"
#include "row.h"

/* What a row's errors depend on but for the claim: sizes of scores, weights. */
typedef struct attest_facts attest_facts;

/* For a row of kind FINITE; NULL: not enough memory. The view must outlive it. From f64 arithmetic,
   and where that is not sure of the weights to 2^-20 from intervals (slow). */
attest_facts *attest_facts_start(const attest_row_view *row);
void attest_facts_end(attest_facts *facts);

/* The share of each key under a claim. tile: keys between two changes of a running maximum that
   may round, 0 for never (as in ref/). NULL: not enough memory. Claim and facts must outlive it. */
typedef struct attest_allowance attest_allowance;
attest_allowance *attest_allowance_start(const attest_facts *facts, const attest_claim *claim,
                                         size_t tile);
void attest_allowance_end(attest_allowance *allowance);

/* How far the claimed arithmetic may be from the exact output in column c, which lies in `exact`;
   infinite where nothing is promised. *spread (NULL: not wanted): the largest |v_j - o|, so that an
   allowance not below it says nothing. */
double attest_allowance_output(attest_allowance *allowance, size_t c, attest_enclosure exact,
                               double *spread);
/* By how much, at most, the allowance of an output grows for each unit of its enclosure's radius, but for
   a few roundings of the output itself. In ill-conditioned rows that is more than 2^40. */
double attest_allowance_growth(const attest_allowance *allowance);
/* How far it may be from the exact weight of the row's key number `index` (of row->keys), the exact sum
   of a row of stored weights (against 1), and log-sum-exp, which lies in `exact`. */
double attest_allowance_weight(attest_allowance *allowance, size_t index);
double attest_allowance_row_sum(attest_allowance *allowance);
double attest_allowance_lse(attest_allowance *allowance, attest_log_base base,
                            attest_enclosure exact);

#endif
