/* The oracle: attention whose every element is the correctly rounded one, with a certificate.

   Inputs are taken exactly as they are, as doubles, which hold every format exactly; the default
   scale is exactly 1/sqrt(width). Each element climbs a ladder until its rounding is certain: the
   f64 kernel with its bound (proofs/bounds.md), double-double with its own, intervals of growing
   precision (MPFI), and where an element is or is next to a tie, rational arithmetic
   (proofs/oracle.md). Non-finite input is treated as attest.h says, but no weight underflows:
   a visible infinite value makes its column infinite, or NaN where both signs meet. */
#ifndef ATTEST_ORACLE_H
#define ATTEST_ORACLE_H

#include <stddef.h>
#include <stdint.h>

#include "attest.h"
#include "format.h"

/* What decided an element. */
typedef enum {
  ATTEST_RUNG_RULE = 0, /* no arithmetic: an empty row, NaN, infinity */
  ATTEST_RUNG_F64,
  ATTEST_RUNG_WIDE, /* double-double */
  ATTEST_RUNG_INTERVAL,
  ATTEST_RUNG_EXACT,    /* a tie, or next to one: rational arithmetic and the sign of D */
  ATTEST_RUNG_UNDECIDED /* softcap only: not decided with ATTEST_SOFTCAP_BITS bits */
} attest_rung;
enum { ATTEST_RUNGS = 6, ATTEST_SOFTCAP_BITS = 8192 };

typedef enum { ATTEST_BASE_E = 0, ATTEST_BASE_2 } attest_log_base;

typedef struct {
  attest_format format;     /* of all results */
  attest_log_base lse_base;
  attest_rung first;        /* the lowest rung to try, F64, WIDE or INTERVAL (RULE: as F64) */
} attest_oracle_options;

/* Results of rows first .. first + count - 1 of one head, dense: `out` (count, value_width),
   `weights` (count, kv_len), `lse` (count). value: the rounded number (of an undecided element
   the nearest to the middle of its enclosure); enclosure and rung may be NULL, and a member whose
   value is NULL is not computed. The enclosure of a NaN has radius infinity, that of an infinity
   or of a number beyond f64 as well; of an exactly known number 0. */
typedef struct {
  double *value;
  attest_enclosure *enclosure;
  uint8_t *rung; /* attest_rung */
} attest_answers;

typedef struct {
  attest_answers out, weights, lse;
  size_t decided[ATTEST_RUNGS]; /* how many elements each rung decided; added to */
} attest_oracle_result;

typedef enum {
  ATTEST_ORACLE_OK = 0,
  ATTEST_ORACLE_REFUSED, /* *refusal says why, as attest_attention would */
  ATTEST_ORACLE_MEMORY
} attest_oracle_status;

/* Takes the inputs of `arrays` (q, k, v, mask, bias; its outputs are not used). Reentrant; rows do
   not depend on each other, so a problem may be cut anywhere and spread over threads. Rows beyond
   q_len, batch or head beyond the shape: ATTEST_LIMIT. A thread that has called it calls
   mpfr_free_cache before it ends. */
attest_oracle_status attest_oracle_rows(const attest_shape *shape,
                                        const attest_arrays_f64 *arrays, size_t batch,
                                        size_t head, size_t first, size_t count,
                                        const attest_oracle_options *options,
                                        attest_oracle_result *result, attest_status *refusal);

#endif
