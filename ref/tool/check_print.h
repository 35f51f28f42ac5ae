/* The outcome of attest check on standard output. */
#ifndef ATTEST_CHECK_PRINT_H
#define ATTEST_CHECK_PRINT_H

#include "check_judge.h"

/* As text for a reader. hint: one more line, or NULL. 0, or -1 with *fault set. */
int attest_check_print_text(const attest_check *check, const attest_claimed *claimed,
                            const attest_outcome *outcome, const char *hint, attest_fault *fault);

/* As JSON for a program: its keys are those of ATTEST_CHECK_SCHEMA; a number that JSON does not
   have is the text "nan", "inf" or "-inf". */
enum { ATTEST_CHECK_SCHEMA = 1 };
int attest_check_print_json(const attest_check *check, const attest_claimed *claimed,
                            const attest_outcome *outcome, const char *hint, attest_fault *fault);

#endif
