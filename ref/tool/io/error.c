#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int attest_error(char *error, size_t error_size, const char *format, ...) {
  va_list arguments;
  int length;

  if (error == NULL || error_size == 0)
    return -1;
  va_start(arguments, format);
  length = vsnprintf(error, error_size, format, arguments);
  va_end(arguments);
  if (length < 0)
    error[0] = '\0';
  else if ((size_t)length >= error_size && error_size > 3)
    memcpy(error + error_size - 4, "...", 4);
  for (char *c = error; *c != '\0'; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      *c = '?';
  return -1;
}
