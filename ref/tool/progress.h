/* How far the work is, on a terminal and only when it takes more than two seconds. */
#ifndef ATTEST_PROGRESS_H
#define ATTEST_PROGRESS_H

typedef struct attest_progress {
  const char *command;
  int active; /* stderr is a terminal */
  int shown;  /* a line stands there and must be removed */
  double start, last;
} attest_progress;

/* Seconds of a clock that only goes forward. */
double attest_clock(void);

void attest_progress_start(attest_progress *progress, const char *command);

/* done of total units are through; prints when it is time to. NULL: nothing. */
void attest_progress_step(attest_progress *progress, double done, double total);

/* The same for work that cannot be divided, before it starts; seconds: how long it may take. */
void attest_progress_announce(attest_progress *progress, double seconds);

/* Removes the line. */
void attest_progress_end(attest_progress *progress);

#endif
