/* The outcome of attest check as one page that needs nothing else. */
#ifndef ATTEST_REPORT_H
#define ATTEST_REPORT_H

#include "check_judge.h"

#include <stdio.h>

/* hint: one more line, or NULL. 0, or -1 with *fault set; errors of the stream show in
   ferror(stream). */
int attest_report_write(FILE *stream, const attest_options *options, const attest_check *check,
                        const attest_claimed *claimed, const attest_outcome *outcome,
                        const char *hint, attest_fault *fault);

#endif
