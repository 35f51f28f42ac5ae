/* The numbers of a format in order, and where rounding goes from one to the next. MPFR numbers are
   rounded here directly, once, however long they are.

   Rank k >= 0 is the k-th number from +0 upwards, the largest finite one followed by infinity; rank
   -1 is -0 and -1 - k the negative of rank k. In Q16.16 the rank is the number times 65536, and
   there is no -0. */
#ifndef ATTEST_ORACLE_EXACT_RANK_H
#define ATTEST_ORACLE_EXACT_RANK_H

#include <stdint.h>

#include <mpfr.h>

#include "format.h"

/* The precision that a breakpoint needs at most. */
enum { ATTEST_BREAK_BITS = 64 };

/* The rank of the number x is rounded to: to nearest, ties to even; a zero of either sign is +0. x
   is not NaN. */
int64_t attest_rank(attest_format format, mpfr_srcptr x);

/* The number of this rank. */
double attest_rank_value(attest_format format, int64_t rank);

/* r: below it numbers are rounded to `rank` or less, above it to rank + 1 or more. rank is not that
   of the largest number. r has at least ATTEST_BREAK_BITS bits, and is exact. */
void attest_rank_break(attest_format format, int64_t rank, mpfr_ptr r);

#endif
