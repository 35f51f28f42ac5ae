/* Places and numbers of a verdict as text. */
#ifndef ATTEST_CHECK_WORDS_H
#define ATTEST_CHECK_WORDS_H

#include "check_judge.h"

enum { ATTEST_NUMBER_TEXT = 64, ATTEST_PLACE_TEXT = 128 };

/* "batch 0, head 1, row 2, column 3"; the last is a key in weights and missing in what has one
   element a row. */
const char *attest_place_words(int part, attest_place at, char text[ATTEST_PLACE_TEXT]);

/* With as many digits as tell the numbers of a format apart. */
const char *attest_number_words(attest_format format, double x, char text[ATTEST_NUMBER_TEXT]);

/* Sizes of errors: four digits; "unbounded" for an infinite one. */
const char *attest_size_words(double x, char text[ATTEST_NUMBER_TEXT]);

/* The exact answer to 20 significant digits. 0, or -1 with *fault set. */
int attest_exact_words(const attest_check *check, int part, const attest_finding *finding,
                       char text[ATTEST_NUMBER_TEXT], attest_fault *fault);

/* What a bin of the histogram holds: "correctly rounded", "up to 2", "more". */
const char *attest_bin_words(size_t bin, char text[ATTEST_NUMBER_TEXT]);

/* The end of the histogram that is in use: bins 0 .. n - 1. */
size_t attest_bins_used(const attest_tally *tally);

/* How many bins from this one on are empty where they are so many that they need not be listed;
   else 0. */
size_t attest_bins_empty(const attest_tally *tally, size_t bin);

/* part / whole in per cent; 100 for nothing. */
double attest_share(size_t part, size_t whole);

/* One line on the whole: what fails first of all, or that nothing does. */
enum { ATTEST_LINE_TEXT = 400 };
const char *attest_verdict_words(const attest_outcome *outcome, char text[ATTEST_LINE_TEXT]);

#endif
