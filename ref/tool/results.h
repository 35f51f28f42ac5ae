/* The output files of a subcommand: opened before the work, written and made final after it. */
#ifndef ATTEST_RESULTS_H
#define ATTEST_RESULTS_H

#include "cli.h"
#include "npy.h"
#include "options.h"
#include "output.h"

enum { ATTEST_RESULTS = 3 };

#define ATTEST_RESULT_OPTIONS                                    \
  {"byte-order", required_argument, NULL, ATTEST_OPT_BYTE_ORDER}, \
      {"order", required_argument, NULL, ATTEST_OPT_ORDER}

#define ATTEST_RESULT_HELP                                                                 \
  "  --byte-order B  of the files written: little (the default) or big\n"                  \
  "  --order O       of their elements: C (the default) or F, Fortran's\n"

/* Zero-initialise. Entry i is used where paths[i] is not NULL. */
typedef struct attest_results {
  const char *paths[ATTEST_RESULTS];
  attest_output *outputs[ATTEST_RESULTS];
  attest_array arrays[ATTEST_RESULTS];
  const char *byte_order, *order; /* the options, NULL where not given */
} attest_results;

/* Takes one of ATTEST_RESULT_OPTIONS. */
int attest_results_take(attest_results *results, int id, const char *text, attest_fault *fault);

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
