/* The command line of attest check. */
#ifndef ATTEST_CHECK_OPTIONS_H
#define ATTEST_CHECK_OPTIONS_H

#include "check_subject.h"
#include "options.h"
#include "oracle/oracle.h"

typedef struct attest_check_options {
  attest_options problem;
  const char *got[ATTEST_SUBJECTS]; /* files; NULL: not given */
  attest_claimed claimed;
  attest_log_base lse_base;
  int empty_nan, json;
  const char *report;
  size_t threads; /* 0: as many as the machine has */
} attest_check_options;

/* 0: go on; 1: help was asked for; -1: an error. */
int attest_check_options_parse(int argc, char **argv, attest_check_options *options,
                               attest_fault *fault);

extern const char attest_check_help[];

#endif
