/* The oracle on a problem from files, on all or a slice of it, spread over threads. */
#ifndef ATTEST_CERTIFY_H
#define ATTEST_CERTIFY_H

#include "oracle.h"
#include "problem.h"
#include "progress.h"

/* Query rows and query heads that are asked for, of every batch. */
typedef struct attest_slice {
  size_t first_row, rows, first_head, heads;
} attest_slice;

/* All of a problem. */
attest_slice attest_slice_all(const attest_problem *problem);

/* Reads "A:B" (A <= x < B, either may be left out) of 0 .. all into *first and *count. */
int attest_slice_take(const char *option, const char *text, size_t all, size_t *first,
                      size_t *count, attest_fault *fault);

/* The format of an output; the problem must have been read with options->oracle. */
attest_format attest_format_of(attest_dtype dtype);

/* Results of a slice, laid out as the problem's outputs would be if the slice were all of it; each
   may be NULL. Elements decided by each rung are added to decided. */
typedef struct attest_certified_arrays {
  double *out, *weights, *lse;
  size_t decided[ATTEST_RUNGS];
} attest_certified_arrays;

/* threads: 0 for as many as the machine has. The same bits for every number of threads. */
int attest_certify(const attest_problem *problem, attest_slice slice,
                   const attest_oracle_options *options, size_t threads,
                   attest_certified_arrays *arrays, attest_progress *progress,
                   attest_fault *fault);

/* The inputs of a problem as the oracle takes them. */
attest_arrays_f64 attest_exact_inputs(const attest_problem *problem);

/* Threads that a loop of the tool uses: `asked`, or all of the machine's for 0, or as many of these
   as can be started; 1 without OpenMP. */
int attest_threads(size_t asked);

#endif
