/* Output files that appear whole or not at all. Each is written under a temporary name in its
   own directory and renamed at the end. The set of open outputs is the only global state of the
   tool; it serves one thread. */
#ifndef ATTEST_OUTPUT_H
#define ATTEST_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

typedef struct attest_output attest_output;

/* Removes the temporary files of all open outputs when the process exits, or is ended by
   SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU or SIGXFSZ; the signal then ends it as it
   would have. Signals that are ignored at the time of the call stay ignored. Call it once.
   Returns 0, or -1 when the system refuses. */
int attest_output_cleanup_install(void);

/* Starts the output that will be called path. Returns 0 and *output, or -1 after writing one line
   into error, with *output NULL. Errors: "-", an existing path that is no regular file (a
   symbolic link is none), a path that is already open as an output, or one that cannot be made. */
int attest_output_open(const char *path, attest_output **output, char *error, size_t error_size);

/* Where to write; valid until the output is committed or aborted. */
FILE *attest_output_stream(attest_output *output);

/* The path given to open. */
const char *attest_output_path(const attest_output *output);

/* Makes `count` outputs final: all are flushed and synced first, and nothing is renamed unless
   that worked for every one. A regular file of the same name is replaced and its permission bits
   are kept. Frees the outputs and sets the pointers to NULL in any case; NULL entries are
   skipped. Returns 0, or -1 after writing one line into error; then no temporary file is left,
   and no output is final either, except those renamed before a rename that failed. */
int attest_output_commit(attest_output **outputs, size_t count, char *error, size_t error_size);

/* Drops an output: closes it, removes the temporary file, frees it. NULL is allowed. */
void attest_output_abort(attest_output *output);

#endif
