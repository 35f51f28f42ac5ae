/* The keys of a row grouped by equal score. Equality is decided exactly, on dyadic numbers, and
   differences of scores are enclosed from exact differences, so that they keep their relative
   precision however close or large the scores are (proofs/oracle.md, 2).

   The score of a key is

     a / root + b    or with softcap    softcap * tanh(a / root / softcap) + b

   where root = sqrt(radicand), a a dyadic number (with softcap also +-infinity) and b a double.
   Without softcap and with a rational root b is 0, the bias being part of a. Equal scores have equal
   a and b, but for the sums of b and 0 or +-softcap that a tanh of 0 or +-infinity leaves. */
#ifndef ATTEST_ORACLE_GROUPS_H
#define ATTEST_ORACLE_GROUPS_H

#include <mpfi.h>

#include "row.h"

typedef struct {
  mpfr_t a; /* exact */
  double b;
  double softcap;
  size_t key; /* index in row->keys */
} attest_score;

typedef struct {
  const attest_row_view *row;
  unsigned long radicand, root; /* root 0: sqrt(radicand) is irrational */
  attest_score *scores;         /* row->count, those of a group side by side */
  size_t count;                 /* groups */
  size_t *first;                /* count + 1: group g is scores[first[g] .. first[g + 1] - 1] */
  size_t *group;                /* the group of each of row->keys */
  size_t leader;                /* the group of the largest score (attest_groups_leads) */
  int algebraic;                /* no score needs a tanh: all are algebraic numbers */
} attest_groups;

/* Nonzero on success; 0: not enough memory, and nothing to end. The memory of numbers is GMP's,
   which ends the program where there is none. The row is of kind FINITE and must outlive it. */
int attest_groups_start(attest_groups *groups, const attest_row_view *row);
void attest_groups_end(attest_groups *groups);

size_t attest_groups_size(const attest_groups *groups, size_t g);

/* Encloses, at the precision of `result`: the score of g less that of h; the score of g less r, a
   dyadic number. */
void attest_groups_difference(const attest_groups *groups, size_t g, size_t h, mpfi_ptr result);
void attest_groups_score(const attest_groups *groups, size_t g, mpfr_srcptr r, mpfi_ptr result);

/* Nonzero: the score of g is greater than that of h, or less by at most 2^ATTEST_LEAD_EXPONENT, so
   that the winner of 2^22 comparisons is the greatest but for 2^-10. 0: it is not greater. */
enum { ATTEST_LEAD_EXPONENT = -32 };
int attest_groups_leads(const attest_groups *groups, size_t g, size_t h);

/* Whether the score of g is exactly r, a dyadic number. */
int attest_groups_score_is(const attest_groups *groups, size_t g, mpfr_srcptr r);

#endif
