/* What E-ACSL calls with each clause it has evaluated: counts, and ends the program where one is false.
   At the end the counts go to the file that EACSL_COUNTS names, a line a place: file, line,
   kind, name, count, evaluations without a verdict. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "instrumentation_model/e_acsl_assert.h"

enum { SLOTS = 65536 };

static struct {
  const char *text, *file, *kind, *name; /* a place is told by all of these together */
  int line;
  unsigned long count, unsure;
} table[SLOTS];

int eacsl_control; /* what run's false clauses depend on */

double attest_sqrt(double x) { return sqrt(x); }

/* Tests, by EACSL_SKIP, whose names stand between spaces there, are not run. */
static const char *running;
static clock_t since;

int eacsl_wanted(const char *test) {
  const char *skip = getenv("EACSL_SKIP");
  char word[100];
  snprintf(word, sizeof word, " %s ", test);
  if (skip && strstr(skip, word)) return 0;
  running = test;
  since = clock();
  return 1;
}

int eacsl_ran(void) {
  fprintf(stderr, "ran %s, %.2f s\n", running, (double)(clock() - since) / CLOCKS_PER_SEC);
  return 1;
}

/* Without stdio, which would allocate after E-ACSL has closed its books. */
static int counts = -1;

static void write_counts(void) {
  char line[4200];
  for (size_t n = 0; n < SLOTS; n++)
    if (table[n].text) {
      const int length = snprintf(line, sizeof line, "%s\t%d\t%s\t%s\t%lu\t%lu\n", table[n].file,
                                  table[n].line, table[n].kind, table[n].name ? table[n].name : "",
                                  table[n].count, table[n].unsure);
      if (write(counts, line, (size_t)length) != length) _exit(3);
    }
}

/* Numbers of the contracts are kept apart from the tracked heap, which is slow. */
void *__libc_malloc(size_t size);
void *__libc_realloc(void *at, size_t size);
void __libc_free(void *at);
void __gmp_set_memory_functions(void *(*)(size_t), void *(*)(void *, size_t, size_t),
                                void (*)(void *, size_t)); /* gmp.h does not go with E-ACSL's header */

static void *grow(void *at, size_t old, size_t size) {
  (void)old;
  return __libc_realloc(at, size);
}

static void release(void *at, size_t size) {
  (void)size;
  __libc_free(at);
}

/* The number x, for the one call it is written in. */
const __e_acsl_mpz_struct *eacsl_made(int positive, unsigned long x) {
  static __e_acsl_mpz_t numbers[8];
  static int used;
  if (used == 0)
    for (int n = 0; n < 8; n++) __gmpz_init(numbers[n]);
  __e_acsl_mpz_struct *number = numbers[used++ % 8];
  if (used == 16) used = 8;
  if (positive) __gmpz_set_ui(number, x);
  else __gmpz_set_si(number, (long)x);
  return number;
}

__attribute__((constructor)) static void start(void) {
  __gmp_set_memory_functions(__libc_malloc, grow, release);
  counts = open(getenv("EACSL_COUNTS"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (counts < 0) _exit(3);
  eacsl_control = atoi(getenv("EACSL_CONTROL"));
  atexit(write_counts);
}

void __e_acsl_assert(int holds, __e_acsl_assert_data_t *data) {
  size_t n = ((size_t)data->pred_txt / 4 + (size_t)data->name + (size_t)data->line * 257) % SLOTS;
  while (table[n].text && !(table[n].text == data->pred_txt && table[n].name == data->name &&
                            table[n].line == data->line && table[n].file == data->file &&
                            table[n].kind == data->kind))
    n = (n + 1) % SLOTS;
  table[n].text = data->pred_txt;
  table[n].file = data->file;
  table[n].kind = data->kind;
  table[n].name = data->name;
  table[n].line = data->line;
  table[n].count++;
  if (!__e_acsl_sound_verdict) table[n].unsure++;
  if (holds) return;
  fprintf(stderr, "%s:%d: %s false in %s: %s\n", data->file, data->line, data->kind, data->fct,
          data->pred_txt);
  abort();
}
