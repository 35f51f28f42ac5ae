/* The middle of the ladder: a row in double-double arithmetic, about 100 bits, with its bound. */
#ifndef ATTEST_ORACLE_WIDE_H
#define ATTEST_ORACLE_WIDE_H

#include "oracle.h"
#include "row.h"

typedef struct attest_wide attest_wide;

/* NULL: not enough memory. The view must outlive it. */
attest_wide *attest_wide_start(const attest_row_view *row);
void attest_wide_end(attest_wide *wide);

/* Enclosures; the radius is infinite where double-double arithmetic is not fit for the numbers
   (near the ends of the range of doubles) or with softcap. */
attest_enclosure attest_wide_output(attest_wide *wide, size_t c);
attest_enclosure attest_wide_weight(attest_wide *wide, size_t index);
attest_enclosure attest_wide_lse(attest_wide *wide, attest_log_base base);

/* Nonzero: the weight of the key is certainly above 0 and below 2^-1080, so it rounds to +0 in f64
   and every format below. */
int attest_wide_vanishes(attest_wide *wide, size_t index);

#endif
