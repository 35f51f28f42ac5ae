/* Runs a target on the files given, and on every file of the folders given, without libFuzzer:

     replay PATH...

   Prints how many inputs were run. A failing target ends the program (SIGABRT) after one line; the
   line before it names the input. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "target.h"

static size_t inputs;

static void fail(const char *path) {
  fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
  exit(2);
}

/* The file's bytes in a block of exactly their size, so that a read beyond them is seen. */
static void run(const char *path, size_t size) {
  FILE *const file = fopen(path, "rb");
  uint8_t *const data = malloc(size > 0 ? size : 1);
  if (!file || !data || fread(data, 1, size, file) != size) fail(path);
  fclose(file);
  fprintf(stderr, "replay: %s\n", path);
  LLVMFuzzerTestOneInput(data, size);
  inputs++;
  free(data);
}

static void visit(const char *path, int depth) {
  struct stat status;
  struct dirent **entries;
  int count;
  if (stat(path, &status) != 0) fail(path);
  if (!S_ISDIR(status.st_mode)) {
    run(path, (size_t)status.st_size);
    return;
  }
  count = scandir(path, &entries, NULL, alphasort);
  if (count < 0) fail(path);
  for (int n = 0; n < count; n++) {
    char inside[4096];
    if (depth < 4 && entries[n]->d_name[0] != '.') {
      const int length = snprintf(inside, sizeof inside, "%s/%s", path, entries[n]->d_name);
      if (length < 0 || (size_t)length >= sizeof inside) fail(path);
      visit(inside, depth + 1);
    }
    free(entries[n]);
  }
  free(entries);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s PATH...\n", argv[0]);
    return 2;
  }
  for (int n = 1; n < argc; n++) visit(argv[n], 0);
  printf("%zu inputs\n", inputs);
  return 0;
}
