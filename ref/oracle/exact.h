/* The top of the ladder: intervals with MPFI, the precision doubled until the rounding is decided,
   and rational arithmetic (GMP) for ties and what lies next to one (proofs/oracle.md). */
#ifndef ATTEST_ORACLE_EXACT_H
#define ATTEST_ORACLE_EXACT_H

#include <mpfi.h>

#include "oracle.h"
#include "row.h"

/* Work on one row of kind FINITE: keeps scores and weights at the precision reached, so that many
   elements of a row cost little more than one. */
typedef struct attest_exact attest_exact;

/* NULL: not enough memory. The view must outlive it. */
attest_exact *attest_exact_start(const attest_row_view *row);
/* exact is not NULL. */
void attest_exact_end(attest_exact *exact);

typedef struct {
  double value;
  attest_enclosure enclosure;
  attest_rung rung; /* INTERVAL, EXACT or UNDECIDED */
} attest_certified;

/* Column c of the output (its values finite), the weight of row->keys[index], log-sum-exp. */
attest_certified attest_exact_output(attest_exact *exact, size_t c, attest_format format);
attest_certified attest_exact_weight(attest_exact *exact, size_t index, attest_format format);
attest_certified attest_exact_lse(attest_exact *exact, attest_log_base base, attest_format format);

/* The same as plain intervals at working precision `bits`, without any rounding decision: for
   tests, for digits, and for facts about a row. result is initialised by the caller and rounded
   outward to its own precision; at low precision it may be infinite. */
void attest_exact_output_at(attest_exact *exact, size_t c, mpfr_prec_t bits, mpfi_ptr result);
void attest_exact_weight_at(attest_exact *exact, size_t index, mpfr_prec_t bits, mpfi_ptr result);
void attest_exact_lse_at(attest_exact *exact, attest_log_base base, mpfr_prec_t bits,
                         mpfi_ptr result);
void attest_exact_score_at(attest_exact *exact, size_t index, mpfr_prec_t bits, mpfi_ptr result);

#endif
