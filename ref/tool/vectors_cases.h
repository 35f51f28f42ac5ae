/* The golden vectors as a table: what each case is made of. */
#ifndef ATTEST_VECTORS_CASES_H
#define ATTEST_VECTORS_CASES_H

#include "array.h"

#include <stddef.h>

/* kv_len counts the keys of the past, which come first. */
typedef struct attest_case_size {
  size_t batch, q_heads, kv_heads, q_len, kv_len, width, value_width, past;
} attest_case_size;

typedef enum attest_fill_kind {
  ATTEST_FILL_NORMAL = 0, /* mean + 2^exponent * a number near to a normal distribution */
  ATTEST_FILL_UNIFORM,    /* mean + 2^exponent * a number in [-1, 1) */
  ATTEST_FILL_GRID,       /* a multiple of 2^-16 in mean + 2^exponent * [-1, 1) */
  ATTEST_FILL_CONSTANT,   /* mean */
  ATTEST_FILL_RAMP,       /* mean + 2^exponent * row */
  ATTEST_FILL_ONE_HOT,    /* mean in column row % width, else 0 */
  ATTEST_FILL_ALTERNATE   /* mean in even rows, -mean in odd ones, plus 2^exponent * [-1, 1) */
} attest_fill_kind;

typedef struct attest_fill {
  attest_fill_kind kind;
  int exponent;
  double mean;
} attest_fill;

/* Overwrites some of a filled array. Each head of each batch is changed alike. */
typedef enum attest_poke_kind {
  ATTEST_POKE_NONE = 0,
  ATTEST_POKE_ROW,     /* row `row` (from the end where negative) becomes value */
  ATTEST_POKE_ELEMENT, /* only its first element does */
  /* Rows that no query sees become value, or where that is 0 NaN, +inf and -inf in turn: those that
     a mask over keys alone hides, those beyond the key length, and with a bare --causal those after
     the last query. */
  ATTEST_POKE_HIDDEN
} attest_poke_kind;

typedef struct attest_poke {
  attest_poke_kind kind;
  char array; /* q, k or v */
  int row;
  double value;
} attest_poke;

typedef enum attest_mask_kind {
  ATTEST_MASK_NONE = 0,
  ATTEST_MASK_RANDOM,    /* bool: about three in four are visible */
  ATTEST_MASK_EMPTY_ROW, /* bool: the same, and the first query row sees nothing */
  ATTEST_MASK_BAND,      /* bool: j > i or j <= i - r, r = kv_len / 64 but at least 2 */
  ATTEST_MASK_THIRD,     /* bool: hidden where the index along its one axis is 2 modulo 3 */
  ATTEST_MASK_BIAS,      /* float: normal distribution */
  ATTEST_MASK_BIAS_HIDES, /* float: the same, about one in four is -inf */
  ATTEST_MASK_BIAS_LARGE, /* float: about one in four is value, the rest 0 */
  ATTEST_MASK_BIAS_EQUAL, /* float: value everywhere */
  ATTEST_MASK_BIAS_SLOPE  /* float: value * key index / 2^(head index) */
} attest_mask_kind;

/* Axes that are as long as the problem's; the others have length 1. */
enum { ATTEST_AXIS_B = 8, ATTEST_AXIS_H = 4, ATTEST_AXIS_Q = 2, ATTEST_AXIS_K = 1 };

typedef struct attest_case_mask {
  attest_mask_kind kind;
  int ndim; /* the last ndim axes of batch, heads, queries, keys are stored */
  int axes;
  double value;
} attest_case_mask;

enum { ATTEST_CASE_POKES = 4 };

typedef struct attest_case {
  const char *name; /* also the folder */
  const char *note; /* what the case is for */
  attest_dtype dtype; /* of q, k, v and a bias */
  attest_case_size full, small;
  const char *options; /* of attest run, words with single spaces between; NULL: none */
  attest_fill q, k, v;
  attest_case_mask mask;
  attest_poke pokes[ATTEST_CASE_POKES];
  size_t kv_len_step; /* not 0: key lengths are given, kv_len less so many for each batch */
  int rows_first;     /* q, k and v are stored as (B, S, H*D) */
  int in_header;      /* a case of the C header: every input is a number of Q16.16 */
} attest_case;

extern const attest_case attest_cases[];
extern const size_t attest_case_count;

/* The case of that name, or NULL. */
const attest_case *attest_case_find(const char *name);

#endif
