/* One-line errors of the tool's input and output. */
#ifndef ATTEST_IO_ERROR_H
#define ATTEST_IO_ERROR_H

#include <stddef.h>

/* Formats one line into error, a buffer of error_size bytes (NULL or 0: the text is dropped).
   Control characters become '?', since file and member names come from outside and could
   otherwise forge lines on a terminal; text that does not fit ends in "...".
   Returns -1, so that a caller can write `return attest_error(...)`. */
int attest_error(char *error, size_t error_size, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#endif
