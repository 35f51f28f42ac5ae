/* What the parts of exact.c share. */
#ifndef ATTEST_ORACLE_EXACT_STATE_H
#define ATTEST_ORACLE_EXACT_STATE_H

#include "exact.h"
#include "groups.h"

enum { ATTEST_FIRST_BITS = 128, ATTEST_COUNT_BITS = 64 };

/* exp(score of group g - score of the leader) at one precision, and their sum over all keys: that
   over the keys of other groups, `rest`, and that over all, `total`. */
typedef struct attest_level {
  mpfr_prec_t bits;
  struct attest_level *next;
  mpfi_t *weight; /* one for each group */
  mpfi_t rest, total;
} attest_level;

struct attest_exact {
  const attest_row_view *row;
  attest_groups groups;
  attest_level *levels;
  mpfr_t *terms; /* for sums over the keys of one group: one more than the largest has */
  mpfr_ptr *list;
  size_t room;
};

/* Which element of the row. */
typedef struct {
  enum { ATTEST_OUTPUT, ATTEST_WEIGHT, ATTEST_LSE } of;
  size_t index; /* column or key */
  attest_log_base base;
} attest_element;

void attest_levels_end(attest_exact *exact);

/* Puts the values that the keys of group g have in column c into the list; how many. */
size_t attest_exact_values(attest_exact *exact, size_t g, size_t c);

/* The score of group g. */
void attest_exact_group_score(const attest_exact *exact, size_t g, mpfi_ptr result);

/* result += log of the sum over all keys of exp(score - the leader's), at precision `bits`. */
void attest_exact_add_log(attest_exact *exact, mpfr_prec_t bits, mpfi_ptr result);

/* result, of precision `bits`, encloses the element; an end may be infinite, none is NaN. */
void attest_exact_enclose(attest_exact *exact, attest_element e, mpfr_prec_t bits,
                          mpfi_ptr result);

/* The sign of the element less r, or ATTEST_SIGN_UNKNOWN (tie.h). */
int attest_exact_side(attest_exact *exact, attest_element e, mpfr_srcptr r);

/* The enclosure of an interval in doubles. */
attest_enclosure attest_exact_box(mpfi_srcptr x);

#endif
