/* One query row as the oracle sees it: which keys count, and what non-finite input makes of it. */
#ifndef ATTEST_ORACLE_ROW_H
#define ATTEST_ORACLE_ROW_H

#include <stddef.h>

#include "attest.h"

typedef enum {
  ATTEST_ROW_EMPTY, /* no key is visible: o = 0, w = 0, lse = -inf */
  ATTEST_ROW_NAN,   /* a score is NaN or +inf, or all are -inf: everything is NaN */
  ATTEST_ROW_FINITE
} attest_row_kind;

/* A key with a finite score. */
typedef struct {
  size_t index;     /* j */
  const double *k, *v;
  double bias;      /* 0 where there is none */
  int infinite;     /* with softcap only: scale times the dot product is +inf (1) or -inf (-1), the
                       capped score +-softcap; 0: finite */
} attest_row_key;

typedef struct {
  attest_row_kind kind;
  size_t count;         /* keys that count: visible, score above -inf; at least 1 if kind is FINITE */
  attest_row_key *keys; /* ascending index */
  size_t dropped;       /* the other visible keys. In a FINITE row their score is -inf: their weight is
                           0, but 0 times inf is NaN */
  attest_row_key *drop; /* descending index */
  const double *q;
  size_t width, value_width;
  int scale_given;      /* zero: the scale is exactly 1/sqrt(width) */
  double scale, softcap;
  int biased;           /* there is a bias, if only of 0 */
} attest_row_view;

/* Elements of `keys` memory that a view of this shape may need: keys and drop share it. */
size_t attest_row_capacity(const attest_shape *shape);

/* The view of row i. memory: attest_row_capacity elements; the view points into it and into the
   arrays. The shape and arrays must have passed attest_check_f64. */
attest_row_view attest_row_at(const attest_shape *shape, const attest_arrays_f64 *arrays,
                              size_t batch, size_t head, size_t i, attest_row_key *memory);

/* The same where q's row, and every key, value and bias that the row may see by position, is known to
   be finite. */
attest_row_view attest_row_at_finite(const attest_shape *shape, const attest_arrays_f64 *arrays,
                                     size_t batch, size_t head, size_t i, attest_row_key *memory);

/* What the values of column c make of the output: 0 if all are finite, and then arithmetic decides;
   else 1 and *value, an infinity or NaN. */
int attest_row_column_rule(const attest_row_view *row, size_t c, double *value);

#endif
