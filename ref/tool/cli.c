#define _POSIX_C_SOURCE 200809L

#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

int attest_report(const char *command, const attest_fault *fault) {
  fflush(stdout);
  fprintf(stderr, "attest %s: %s\n", command, fault->text);
  return ATTEST_EXIT_INPUT;
}

int attest_finish_stdout(const char *command, int status) {
  attest_fault fault;

  if (fflush(stdout) == 0 && !ferror(stdout))
    return status;
  ATTEST_FAIL(&fault, "standard output: %s", strerror(errno));
  return attest_report(command, &fault);
}

int attest_next_option(int argc, char **argv, const char *short_options,
                       const struct option *long_options, attest_fault *fault) {
  int id;

  opterr = 0;
  id = getopt_long(argc, argv, short_options, long_options, NULL);
  if (id == -1) {
    if (optind >= argc)
      return -1;
    ATTEST_FAIL(fault, "unexpected argument '%s'%s", argv[optind],
                optind > 1 && strcmp(argv[optind - 1], "--causal") == 0
                    ? " (an alignment is written --causal=ALIGNMENT)"
                    : "");
    return -2;
  }
  if (id == ':') {
    ATTEST_FAIL(fault, "%s: a value is missing", argv[optind - 1]);
    return -2;
  }
  if (id == '?') {
    if (optopt >= 256)
      ATTEST_FAIL(fault, "%s: this option takes no value", argv[optind - 1]);
    else if (optopt > 0)
      ATTEST_FAIL(fault, "unknown option '-%c'", optopt);
    else
      ATTEST_FAIL(fault, "unknown or ambiguous option '%s'", argv[optind - 1]);
    return -2;
  }
  return id;
}

const char *attest_next_value(int argc, char **argv) {
  if (optind >= argc || argv[optind][0] == '-')
    return NULL;
  return argv[optind++];
}

int attest_once(const char **place, const char *option, const char *value, attest_fault *fault) {
  if (*place != NULL)
    return ATTEST_FAIL(fault, "%s: given twice", option);
  *place = value;
  return 0;
}

int attest_spare(const char *output, const char *input, attest_fault *fault) {
  struct stat out, in;
  char path[4096];
  const char *inside;
  size_t length;

  if (output == NULL || input == NULL || stat(output, &out) != 0)
    return 0;
  inside = strstr(input, ".npz:");
  length = inside != NULL ? (size_t)(inside - input) + 4 : strlen(input);
  if (length >= sizeof path)
    return 0; /* longer than a path may be: reading it will fail */
  memcpy(path, input, length);
  path[length] = '\0';
  if (stat(path, &in) != 0 || in.st_dev != out.st_dev || in.st_ino != out.st_ino)
    return 0;
  return ATTEST_FAIL(fault, "%s: is an input, and would be replaced", output);
}

int attest_parse_integer(const char *option, const char *text, int64_t low, int64_t high,
                         int64_t *value, attest_fault *fault) {
  char *end = NULL;
  long long number = 0;
  int good = isdigit((unsigned char)text[0]) ||
             (text[0] == '-' && isdigit((unsigned char)text[1]));

  if (good) {
    errno = 0;
    number = strtoll(text, &end, 10);
    good = *end == '\0' && errno == 0 && number >= low && number <= high;
  }
  if (!good)
    return ATTEST_FAIL(fault, "%s: '%s' is not a whole number from %lld to %lld", option, text,
                       (long long)low, (long long)high);
  *value = number;
  return 0;
}

int attest_parse_size(const char *option, const char *text, size_t low, size_t high,
                      size_t *value, attest_fault *fault) {
  int64_t number = 0;

  if (attest_parse_integer(option, text, (int64_t)low, (int64_t)high, &number, fault) != 0)
    return -1;
  *value = (size_t)number;
  return 0;
}

/* Whether the digits of a number that was read as 0 say something else; an exponent counts for nothing. */
static int vanished(const char *text) {
  const int hexadecimal = strchr(text, 'x') != NULL || strchr(text, 'X') != NULL;
  const char *digits = hexadecimal ? strpbrk(text, "xX") + 1 : text;
  const size_t count = strcspn(digits, hexadecimal ? "pP" : "eE");
  const size_t zeros = strspn(digits, "+-.0");

  return zeros < count;
}

int attest_parse_real(const char *option, const char *text, double *value, attest_fault *fault) {
  char *end = NULL;

  *value = isspace((unsigned char)text[0]) ? NAN : strtod(text, &end);
  if (end == NULL || end == text || *end != '\0' || !isfinite(*value))
    return ATTEST_FAIL(fault, "%s: '%s' is not a finite number", option, text);
  if (*value == 0 && vanished(text))
    return ATTEST_FAIL(fault, "%s: '%s' is not 0, but too small for a double", option, text);
  return 0;
}

/* The number after `key` in a file of the kernel, times unit; SIZE_MAX where there is none. */
static size_t kernel_number(const char *path, const char *key, size_t unit) {
  const size_t length = strlen(key);
  size_t result = SIZE_MAX;
  char line[256];
  FILE *file = fopen(path, "r");

  if (file == NULL)
    return result;
  while (fgets(line, sizeof line, file) != NULL) {
    char *end;
    unsigned long long number;
    if (strncmp(line, key, length) != 0)
      continue;
    errno = 0;
    number = strtoull(line + length, &end, 10);
    if (end != line + length && errno == 0 && number <= SIZE_MAX / unit)
      result = (size_t)number * unit;
    break;
  }
  fclose(file);
  return result;
}

size_t attest_memory_available(void) {
  size_t least = kernel_number("/proc/meminfo", "MemAvailable:", 1024);
  const size_t allowed = kernel_number("/sys/fs/cgroup/memory.max", "", 1);
  const size_t used = kernel_number("/sys/fs/cgroup/memory.current", "", 1);
  struct rlimit limit;

  if (allowed != SIZE_MAX && used != SIZE_MAX) {
    const size_t left = allowed > used ? allowed - used : 0;
    if (left < least)
      least = left;
  }
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      limit.rlim_cur < least)
    least = (size_t)limit.rlim_cur;
  return least;
}

int attest_memory_allows(size_t count, size_t size, const char *name, attest_fault *fault) {
  const size_t worth_asking = (size_t)64 << 20;

  if (count > (size_t)PTRDIFF_MAX / size)
    return ATTEST_FAIL(fault, "%s: not enough memory for %zu elements of %zu bytes", name, count,
                       size);
  if (count * size > worth_asking && count * size > attest_memory_available())
    return ATTEST_FAIL(fault, "%s: not enough memory for %zu bytes", name, count * size);
  return 0;
}

void *attest_allocate(size_t count, size_t size, const char *name, attest_fault *fault) {
  void *memory;

  if (attest_memory_allows(count, size, name, fault) != 0)
    return NULL;
  memory = malloc(count == 0 ? 1 : count * size);
  if (memory == NULL)
    ATTEST_FAIL(fault, "%s: not enough memory for %zu bytes", name, count * size);
  return memory;
}

const char *attest_shape_text(int ndim, const size_t *dims, char text[ATTEST_SHAPE_TEXT]) {
  size_t used = 1;

  text[0] = '(';
  for (int i = 0; i < ndim; i++)
    used += (size_t)snprintf(text + used, ATTEST_SHAPE_TEXT - used, i == 0 ? "%zu" : ", %zu",
                             dims[i]);
  memcpy(text + used, ")", 2);
  return text;
}

int attest_locale_is_utf8(void) {
  const char *codeset = nl_langinfo(CODESET);

  return strcmp(codeset, "UTF-8") == 0 || strcmp(codeset, "utf8") == 0;
}
