/* The sign of D = sum of c_g exp(s_g) over the groups of a row, which says on what side of a
   breakpoint an element lies (proofs/oracle.md, 4). */
#ifndef ATTEST_ORACLE_TIE_H
#define ATTEST_ORACLE_TIE_H

#include "groups.h"

enum { ATTEST_SIGN_UNKNOWN = 2 };

/* -1, 0 or 1. c (groups->count) exact. Terminates for every row with algebraic scores; otherwise
   gives up beyond `limit` bits, with ATTEST_SIGN_UNKNOWN. */
int attest_tie_sign(const attest_groups *groups, const mpfr_t *c, mpfr_prec_t limit);

#endif
