/* The output files of a subcommand: opened before the work, written and made final after it. */
#ifndef ATTEST_RESULTS_H
#define ATTEST_RESULTS_H

#include "cli.h"
#include "output.h"

enum { ATTEST_RESULTS = 3 };

/* Zero-initialise. Entry i is used where paths[i] is not NULL. */
typedef struct attest_results {
  const char *paths[ATTEST_RESULTS];
  attest_output *outputs[ATTEST_RESULTS];
  attest_array arrays[ATTEST_RESULTS];
} attest_results;

/* Starts every output, so that one that cannot be written is known before the work. */
int attest_results_open(attest_results *results, attest_fault *fault);

/* Makes room for entry i in the working format, zeros; nothing where it has no path, except
   with `always`. */
int attest_results_allocate(attest_results *results, size_t i, int always, int wide, int ndim,
                            const size_t *dims, attest_fault *fault);

/* Rounds every entry to dtype, writes all, then makes all final. */
int attest_results_commit(attest_results *results, attest_dtype dtype, attest_fault *fault);

/* Frees the arrays and drops outputs that are not final. Always to be called at the end. */
void attest_results_free(attest_results *results);

#endif
