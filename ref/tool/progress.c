#define _POSIX_C_SOURCE 200809L

#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double patience = 2.0, interval = 0.25;

double attest_clock(void) {
  struct timespec now;

  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
    return 0;
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void attest_progress_start(attest_progress *progress, const char *command) {
  memset(progress, 0, sizeof *progress);
  progress->command = command;
  progress->active = isatty(STDERR_FILENO);
  progress->start = attest_clock();
  progress->last = progress->start;
}

void attest_progress_step(attest_progress *progress, double done, double total) {
  double now;

  if (progress == NULL || !progress->active)
    return;
  now = attest_clock();
  if (now - progress->start < patience || now - progress->last < interval)
    return;
  progress->last = now;
  progress->shown = 1;
  fprintf(stderr, "\rattest %s: %3d %% ", progress->command, (int)(100 * done / total));
  fflush(stderr);
}

void attest_progress_announce(attest_progress *progress, double seconds) {
  if (progress == NULL || !progress->active || seconds < patience)
    return;
  progress->shown = 1;
  fprintf(stderr, "\rattest %s: working, about %.0f seconds ", progress->command, seconds);
  fflush(stderr);
}

void attest_progress_end(attest_progress *progress) {
  if (!progress->shown)
    return;
  fprintf(stderr, "\r%60s\r", "");
  fflush(stderr);
  progress->shown = 0;
}
