/* attest cost: time and memory against the length. Each measurement runs in a process of its own,
   whose peak memory the system counts. */

#define _POSIX_C_SOURCE 200809L

#include "commands.h"
#include "engine.h"
#include "output.h"
#include "plot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OPT_MAX = ATTEST_OPT_OWN, OPT_SVG };
enum { FIRST = 256, DEFAULT_LAST = 8192, WIDTH = 64 };
enum { TEXTBOOK, TILED };

static const char help[] =
    "usage: attest cost [--max T] [--svg FILE]\n"
    "\n"
    "Time and peak memory of one causal head of width 64 in float32 for 256, 512, ...\n"
    "tokens: the textbook way, which keeps the T x T weights in memory, and the tiled\n"
    "way, which does not. The textbook stops where its weights would take over 4 GiB\n"
    "or half of the free memory.\n"
    "\n"
    "  --max T             the largest number of tokens (8192)\n"
    "  --svg FILE          also a plot\n"
    "\n"
    "Exit code 0: done; 2: bad usage, or a measurement failed.\n";

static const struct option table[] = {{"help", no_argument, NULL, ATTEST_OPT_HELP},
                                      {"max", required_argument, NULL, OPT_MAX},
                                      {"svg", required_argument, NULL, OPT_SVG},
                                      {NULL, 0, NULL, 0}};

typedef struct measurement {
  double seconds, bytes; /* 0: not measured */
  int failed;
  attest_fault fault;
} measurement;

/* Peak memory of this process so far. */
static double peak_bytes(void) {
  struct rusage usage;

  if (getrusage(RUSAGE_SELF, &usage) != 0)
    return 0;
#ifdef __APPLE__
  return (double)usage.ru_maxrss;
#else
  return 1024 * (double)usage.ru_maxrss;
#endif
}

/* Processor time of this process, which other work on the machine lengthens little. */
static double processor_seconds(void) {
  struct timespec now;

  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
    return attest_clock();
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int work(size_t len, int way, measurement *m) {
  const size_t count = len * WIDTH;
  const attest_engine engine = way == TEXTBOOK ? ATTEST_NAIVE : ATTEST_TILED;
  const double before = peak_bytes(), enough = 0.2;
  attest_arrays_f32 a = {0};
  attest_shape s = {0};
  uint32_t state = 1;
  float *inputs, *outputs, *weights = NULL;
  double spent = 0;

  inputs = attest_engine_scratch(3 * count, 0, &m->fault);
  outputs = attest_engine_scratch(count, 0, &m->fault);
  if (way == TEXTBOOK)
    weights = attest_engine_scratch(len * len, 0, &m->fault);
  if (inputs == NULL || outputs == NULL || (way == TEXTBOOK && weights == NULL))
    return -1;
  for (size_t i = 0; i < 3 * count; i++) {
    state = state * 1664525u + 1013904223u;
    inputs[i] = ((float)(state >> 8) - 8388608.0f) / 8388608.0f;
  }
  s.batch = s.q_heads = s.kv_heads = 1;
  s.q_len = s.kv_len = len;
  s.width = s.value_width = WIDTH;
  s.causal = 1;
  attest_layout_bhsd(&s);
  a.q = inputs;
  a.k = inputs + count;
  a.v = inputs + 2 * count;
  a.out = outputs;
  a.weights = weights;
  m->seconds = 0;
  while (spent < enough) {
    const double start = processor_seconds();
    double seconds;
    if (attest_attend_f32(&s, &a, engine, ATTEST_DEFAULT_TILE, &m->fault) != 0)
      return -1;
    seconds = processor_seconds() - start;
    spent += seconds > 1e-9 ? seconds : 1e-9;
    if (m->seconds == 0 || seconds < m->seconds)
      m->seconds = seconds;
  }
  m->bytes = peak_bytes() - before;
  return 0;
}

static int read_all(int from, void *to, size_t size) {
  size_t have = 0;

  while (have < size) {
    const ssize_t got = read(from, (char *)to + have, size - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return -1;
    have += (size_t)got;
  }
  return 0;
}

static void write_all(int to, const void *from, size_t size) {
  size_t done = 0;

  while (done < size) {
    const ssize_t put = write(to, (const char *)from + done, size - done);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return;
    done += (size_t)put;
  }
}

/* One measurement in a child process, which ends by _exit: it must not run the parent's clean-up
   of output files. */
static int measure(size_t len, int way, measurement *m, attest_fault *fault) {
  int ends[2], status = 0, complete;
  pid_t child;

  fflush(stdout);
  memset(m, 0, sizeof *m);
  if (pipe(ends) != 0)
    return ATTEST_FAIL(fault, "no pipe: %s", strerror(errno));
  child = fork();
  if (child < 0) {
    const int reason = errno;
    close(ends[0]);
    close(ends[1]);
    return ATTEST_FAIL(fault, "no child process: %s", strerror(reason));
  }
  if (child == 0) {
    close(ends[0]);
    m->failed = work(len, way, m) != 0;
    write_all(ends[1], m, sizeof *m);
    _exit(0);
  }
  close(ends[1]);
  complete = read_all(ends[0], m, sizeof *m) == 0;
  close(ends[0]);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (!complete && WIFSIGNALED(status))
    return ATTEST_FAIL(fault, "%zu tokens, %s: ended by signal %d", len,
                       way == TEXTBOOK ? "textbook" : "tiled", WTERMSIG(status));
  if (!complete)
    return ATTEST_FAIL(fault, "%zu tokens, %s: no result", len,
                       way == TEXTBOOK ? "textbook" : "tiled");
  if (m->failed)
    return ATTEST_FAIL(fault, "%zu tokens, %s: %s", len, way == TEXTBOOK ? "textbook" : "tiled",
                       m->fault.text);
  return 0;
}

/* Seconds and megabytes of one way with their growth since the row before. */
static void print_measurement(const measurement *now, const measurement *before) {
  if (now->seconds == 0) {
    printf("  %9s %5s %8s %5s", "-", "", "-", "");
  } else if (before->seconds == 0 || !(before->bytes > 0)) {
    printf("  %9.3g %5s %8.1f %5s", now->seconds, "", now->bytes / 1e6, "");
  } else {
    printf("  %9.3g x%4.1f %8.1f x%4.1f", now->seconds, now->seconds / before->seconds,
           now->bytes / 1e6, now->bytes / before->bytes);
  }
}

static void write_svg(FILE *stream, const attest_panel panels[2]) {
  attest_plot_svg(stream, "The cost of attention",
                  "One causal head of width 64, float32, one core. textbook keeps the T x T "
                  "weights in memory, tiled does not.",
                  "tokens T", panels, 2);
}

static void add_point(attest_panel panels[2], int way, size_t len, const measurement *m) {
  const double values[2] = {m->seconds, m->bytes / 1e6};

  for (int p = 0; p < 2; p++) {
    attest_series *s = &panels[p].series[way];
    s->x[s->count] = (double)len;
    s->y[s->count++] = values[p];
  }
}

static int measure_all(size_t last, attest_panel panels[2], attest_fault *fault) {
  const uint64_t cap = UINT64_C(4) << 30, half = attest_memory_available() / 2;
  const uint64_t limit = half < cap ? half : cap;
  /* This row and the one before, both ways. */
  measurement *rows = attest_allocate(4, sizeof *rows, "cost", fault);
  measurement *now = rows, *before = rows + 2;
  size_t stopped = 0;
  int result = 0;

  if (rows == NULL)
    return -1;
  memset(rows, 0, 4 * sizeof *rows);
  printf("One causal head of width %d, float32, one core. seconds: processor time, the\n"
         "best of several runs; MB: peak memory of the process above what it has at the\n"
         "start; x: growth since the row before.\n\n"
         "             textbook, T x T weights kept                tiled\n"
         "        T    seconds             MB           seconds             MB\n",
         (int)WIDTH);
  for (size_t len = FIRST; len <= last && result == 0; len *= 2) {
    for (int way = TEXTBOOK; way <= TILED && result == 0; way++) {
      attest_progress progress;
      memset(&now[way], 0, sizeof now[way]);
      if (way == TEXTBOOK && len > limit / sizeof(float) / len) {
        stopped = stopped == 0 ? len : stopped;
        continue;
      }
      attest_progress_start(&progress, "cost");
      attest_progress_announce(&progress, 4 * before[way].seconds);
      result = measure(len, way, &now[way], fault);
      attest_progress_end(&progress);
      add_point(panels, way, len, &now[way]);
    }
    if (result == 0) {
      measurement *swap = before;
      printf("  %7zu", len);
      print_measurement(&now[TEXTBOOK], &before[TEXTBOOK]);
      print_measurement(&now[TILED], &before[TILED]);
      printf("\n");
      before = now;
      now = swap;
    }
  }
  if (result == 0 && stopped != 0)
    printf("\nThe textbook stops at %zu tokens: its weights alone take %.0f MB, and the limit\n"
           "here is %.0f MB.\n",
           stopped, (double)stopped * (double)stopped * 4e-6, (double)limit / 1e6);
  free(rows);
  return result;
}

/* 0: go on; 1: help was asked for; -1: an error. */
static int parse(int argc, char **argv, size_t *last, const char **svg, attest_fault *fault) {
  const char *max = NULL;
  int id;

  *svg = NULL;
  *last = DEFAULT_LAST;
  while ((id = attest_next_option(argc, argv, "+:h", table, fault)) >= 0) {
    if (id == ATTEST_OPT_HELP)
      return 1;
    if (attest_once(id == OPT_MAX ? &max : svg, id == OPT_MAX ? "--max" : "--svg", optarg,
                    fault) != 0)
      return -1;
  }
  if (id != -1)
    return -1;
  return max == NULL ? 0 : attest_parse_size("--max", max, FIRST, ATTEST_MAX_KEYS, last, fault);
}

int attest_command_cost(int argc, char **argv) {
  static const char *const names[] = {"textbook", "tiled"};
  attest_panel panels[2] = {{.title = "seconds", .format = "%g"},
                            {.title = "peak memory, MB", .format = "%g"}};
  attest_output *output = NULL;
  attest_fault fault;
  const char *svg;
  size_t last;
  int result = parse(argc, argv, &last, &svg, &fault);

  if (result == 1) {
    fputs(help, stdout);
    return attest_finish_stdout("cost", ATTEST_EXIT_DONE);
  }
  for (int p = 0; p < 2; p++)
    for (int way = TEXTBOOK; way <= TILED; way++)
      panels[p].series[way].name = names[way];
  if (result == 0)
    result = attest_engine_check_machine(&fault);
  if (result == 0 && svg != NULL)
    result = attest_output_open(svg, &output, ATTEST_TEXT(&fault));
  if (result == 0)
    result = measure_all(last, panels, &fault);
  if (result == 0 && output != NULL) {
    write_svg(attest_output_stream(output), panels);
    result = attest_output_commit(&output, 1, ATTEST_TEXT(&fault));
  }
  attest_output_abort(output);
  if (result != 0)
    return attest_report("cost", &fault);
  return attest_finish_stdout("cost", ATTEST_EXIT_DONE);
}
