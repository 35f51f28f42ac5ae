/* What every subcommand shares: one-line errors, options, and numbers in options. */
#ifndef ATTEST_CLI_H
#define ATTEST_CLI_H

#include "array.h"
#include "attest.h"
#include "error.h"

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes of the command. */
enum {
  ATTEST_EXIT_DONE = 0,
  ATTEST_EXIT_FAIL = 1,
  ATTEST_EXIT_INPUT = 2,
  ATTEST_EXIT_UNDECIDED = 3 /* or ill-conditioned */
};

/* One line that says what is wrong; a path may take most of it. */
typedef struct attest_fault {
  char text[5120];
} attest_fault;

#define ATTEST_TEXT(fault) (fault)->text, sizeof(fault)->text

/* Formats a line into a fault; the value is -1. */
#define ATTEST_FAIL(fault, ...) attest_error(ATTEST_TEXT(fault), __VA_ARGS__)

/* Prints "attest COMMAND: line" on stderr; returns ATTEST_EXIT_INPUT. */
int attest_report(const char *command, const attest_fault *fault);

/* What is left to do before an exit 0: the text printed so far must have reached its place.
   Returns status, or ATTEST_EXIT_INPUT after a line on stderr. */
int attest_finish_stdout(const char *command, int status);

/* The next option by getopt_long, whose own messages are replaced. short_options starts with "+:",
   so that nothing is reordered and a missing value is told from an unknown option. Returns the
   option, -1 at the end, or -2 with *fault set. Arguments that are no options are errors. */
int attest_next_option(int argc, char **argv, const char *short_options,
                       const struct option *long_options, attest_fault *fault);

/* The arguments up to the next option, which belong to the option just read (--wq A B C). Returns
   the next one, or NULL. */
const char *attest_next_value(int argc, char **argv);

/* Stores value where nothing was stored before; the second time is an error. */
int attest_once(const char **place, const char *option, const char *value, attest_fault *fault);

/* An output that is also an input would be lost: 0, or -1 with *fault set. Either may be NULL; an input
   may be FILE.npz:NAME. Called before the output is made. */
int attest_spare(const char *output, const char *input, attest_fault *fault);

/* Whole numbers from low to high in plain decimal, nothing before or after. */
int attest_parse_integer(const char *option, const char *text, int64_t low, int64_t high,
                         int64_t *value, attest_fault *fault);
int attest_parse_size(const char *option, const char *text, size_t low, size_t high,
                      size_t *value, attest_fault *fault);

/* A finite number, decimal or hexadecimal, rounded to double. */
int attest_parse_real(const char *option, const char *text, double *value, attest_fault *fault);

/* malloc(count * size), at least a byte; an error that starts with `name` when there is not that
   much memory. Large requests are held against what the machine has free, since Linux grants
   more than that and ends the process later. */
void *attest_allocate(size_t count, size_t size, const char *name, attest_fault *fault);

/* The same test alone: 0, or -1 with *fault set. */
int attest_memory_allows(size_t count, size_t size, const char *name, attest_fault *fault);

/* Bytes that can be had without swapping; SIZE_MAX where the system does not say. */
size_t attest_memory_available(void);

/* "(2, 3, 4)" into text. */
enum { ATTEST_SHAPE_TEXT = ATTEST_ARRAY_MAX_DIMS * 22 + 3 };
const char *attest_shape_text(int ndim, const size_t *dims, char text[ATTEST_SHAPE_TEXT]);

/* Whether the terminal's character set is UTF-8. */
int attest_locale_is_utf8(void);

#endif
