/* One element held against the exact answer, and counts of many. How far an element may be off is
   not decided here: allowances come from ../oracle/allowance.h. */
#ifndef ATTEST_VERDICT_H
#define ATTEST_VERDICT_H

#include "oracle/format.h"

#include <stddef.h>

/* From best to worst. */
typedef enum attest_verdict {
  ATTEST_VERDICT_PASS,
  ATTEST_VERDICT_ILL, /* no element fails, but the allowance of some says nothing */
  ATTEST_VERDICT_FAIL
} attest_verdict;

/* "PASS", "ILL-CONDITIONED" or "FAIL". */
const char *attest_verdict_name(attest_verdict verdict);
attest_verdict attest_verdict_worse(attest_verdict a, attest_verdict b);

/* What the exact answer asks of an element. */
typedef enum attest_demand {
  ATTEST_DEMAND_NEAR,  /* within the allowance of the enclosed number */
  ATTEST_DEMAND_EQUAL, /* `value` itself: a zero of either sign, an infinity, or any NaN */
  ATTEST_DEMAND_EQUAL_OR_NAN
} attest_demand;

typedef struct attest_expected {
  attest_demand demand;
  attest_format format;
  double value; /* the number of the format nearest to the exact one; infinite: it overflows */
  attest_enclosure enclosure; /* of the exact number, for NEAR */
  double allowance;           /* for NEAR; infinite: nothing is promised */
  int vacuous;                /* the allowance reaches all that the element could be */
} attest_expected;

typedef struct attest_judged {
  int correct;  /* it is the correctly rounded number */
  int fails;
  int vacuous;  /* it cannot be judged */
  double error; /* about |got - exact|; infinite where that is no number */
  double ulps;  /* the same in ulps of the format at the exact number; infinite where it had to be
                   equal and is not */
  double ratio; /* error over allowance; infinite likewise */
} attest_judged;

attest_judged attest_judge(const attest_expected *expected, double got);

/* |got - x|: at least that for every x of the enclosure; and for its middle, to a few roundings. */
double attest_error_least(double got, attest_enclosure exact);
double attest_error_about(double got, attest_enclosure exact);

/* The histogram: bin 0 holds what is correctly rounded, 1 what else is off by at most half an ulp,
   2 + i what is off by more than the bin before holds and at most 2^i ulps, the last the rest. */
enum { ATTEST_BIN_POWERS = 64, ATTEST_BINS = ATTEST_BIN_POWERS + 3 };
size_t attest_bin(int correct, double ulps);
double attest_bin_limit(size_t bin); /* 0, 0.5, 1, 2, 4, ..., infinity */

/* column: of the output, or the key; 0 where a row has one element. */
typedef struct attest_place {
  size_t batch, head, row, column;
} attest_place;

typedef struct attest_finding {
  int any; /* zero: there is no such element */
  attest_place at;
  double got, nearest, allowance;
  attest_judged judged;
} attest_finding;

/* Zero-initialise. Of equals the first added is kept. */
typedef struct attest_tally {
  size_t elements, correct, failing, vacuous;
  size_t bins[ATTEST_BINS];
  attest_finding worst;  /* by ratio; one that fails before any that does not */
  attest_finding widest; /* by ulps */
  attest_finding first;  /* the first that fails */
  attest_finding loose;  /* the first that cannot be judged */
  size_t row_low, row_high, column_low, column_high; /* of those that fail */
} attest_tally;

void attest_tally_add(attest_tally *tally, attest_place at, const attest_expected *expected,
                      double got, const attest_judged *judged);

/* As if what `later` counted had been added to *tally. */
void attest_tally_merge(attest_tally *tally, const attest_tally *later);

attest_verdict attest_tally_verdict(const attest_tally *tally);

#endif
