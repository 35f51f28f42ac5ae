/* attest run: attention from array files. */

#include "certify.h"
#include "commands.h"
#include "engine.h"
#include "engine_q16.h"
#include "results.h"

#include <stdio.h>
#include <string.h>

enum {
  OPT_WEIGHTS = ATTEST_OPT_OWN,
  OPT_LSE,
  OPT_LSE_BASE,
  OPT_ROWS,
  OPT_THREADS,
  OPT_STATS,
  OPT_RUNG
};
enum { OUT, WEIGHTS, LSE };

static const char help[] =
    "usage: attest run -q FILE -k FILE -v FILE [options] -o FILE\n"
    "\n"
    "Attention of every query row over the keys it may see: softmax(scale * Q K^T) V.\n"
    "Files are FILE.npy, FILE.npz:NAME, or FILE.npz with one array.\n"
    "\n"
    "  -q, -k, -v FILE all 2-D (S, D), all 3-D (B, S, heads*D), or all 4-D (B, H, S, D)\n"
    "  -o FILE         the output, .npy, shaped as q with the width of v\n"
    "  --weights FILE  also the weights, (B, H, Sq, Skv), or (Sq, Skv) for 2-D input\n"
    "  --lse FILE      also each row's log-sum-exp, (B, H, Sq), or (Sq) for 2-D input\n"
    "  --lse-base B    e (the default) or 2; for naive and tiled base 2 is the one of\n"
    "                  base e in the working format, divided by ln 2 in f64, rounded to\n"
    "                  the output format\n"
    "\n"
    "  --heads N       heads of q in 3-D input (1)\n"
    "  --kv-heads M    heads of k and v in 3-D input (as --heads); query head h reads\n"
    "                  head h / (N / M)\n"
    "  --past-k FILE, --past-v FILE\n"
    "                  keys and values that come before k and v: 4-D, or laid out as k\n"
    ATTEST_SCORE_HELP
    "  --kv-len FILE   integers, one for each entry of the batch: how many keys exist\n"
    "                  there, those of the past included\n"
    "  --mask FILE     bool: true is visible; float: added to the scores, -inf hides;\n"
    "                  1 to 4 dimensions, broadcast like NumPy to (B, H, Sq, Skv)\n"
    "  --bf16          uint16 arrays are bf16 numbers\n"
    "\n"
    "Where --causal names no alignment, the offset is length - queries with --kv-len,\n"
    "else the length of the past with --past-k, else 0; --window alone has the same.\n"
    "\n"
    ATTEST_ENGINE_HELP
    "                  Default: the format of q, or f64 if q holds integers.\n"
    ATTEST_RESULT_HELP
    "\n"
    "With --engine oracle (results beyond the range are infinite, in q16 the last number;\n"
    "--tile has no effect):\n"
    "  --rows A:B      query rows A to B - 1 only; the outputs hold just these\n"
    "  --heads A:B     query heads A to B - 1 only (besides --heads N for 3-D input)\n"
    "  --threads N     threads (all processors); the same bits for any number\n"
    "  --stats         how many elements each rung of the oracle's ladder decided\n"
    "  --rung R        start at f64 (the default), wide (double-double) or interval\n"
    "\n"
    "A hidden key is absent: not even NaN in its row reaches the output. A row that\n"
    "sees no key is 0, its log-sum-exp -inf.\n"
    "Exit code 0: done; 2: bad usage or input, and no output file is left; 3: done, but\n"
    "with --softcap the oracle could not decide every rounding within 8192 bits.\n";

static const struct option table[] = {{"help", no_argument, NULL, ATTEST_OPT_HELP},
                                      ATTEST_PROBLEM_OPTIONS,
                                      ATTEST_ENGINE_OPTIONS,
                                      ATTEST_RESULT_OPTIONS,
                                      {"weights", required_argument, NULL, OPT_WEIGHTS},
                                      {"lse", required_argument, NULL, OPT_LSE},
                                      {"lse-base", required_argument, NULL, OPT_LSE_BASE},
                                      {"rows", required_argument, NULL, OPT_ROWS},
                                      {"threads", required_argument, NULL, OPT_THREADS},
                                      {"stats", no_argument, NULL, OPT_STATS},
                                      {"rung", required_argument, NULL, OPT_RUNG},
                                      {NULL, 0, NULL, 0}};

typedef struct run_options {
  attest_options problem;
  attest_results results;
  const char *lse_base, *rows, *heads, *threads, *rung;
  int stats;

  /* of the oracle, from the texts above */
  attest_slice slice;
  size_t thread_count;
  attest_rung first_rung;
} run_options;

/* The options that only the oracle has. */
static int parse_oracle(run_options *o, attest_fault *fault) {
  const char *only = o->rows != NULL      ? "--rows"
                     : o->heads != NULL   ? "--heads A:B"
                     : o->threads != NULL ? "--threads"
                     : o->rung != NULL    ? "--rung"
                     : o->stats           ? "--stats"
                                          : NULL;

  if (!o->problem.oracle && only != NULL)
    return ATTEST_FAIL(fault, "%s: needs --engine oracle", only);
  if (o->threads != NULL &&
      attest_parse_size("--threads", o->threads, 1, 1024, &o->thread_count, fault) != 0)
    return -1;
  if (o->rung == NULL || strcmp(o->rung, "f64") == 0)
    o->first_rung = ATTEST_RUNG_F64;
  else if (strcmp(o->rung, "wide") == 0)
    o->first_rung = ATTEST_RUNG_WIDE;
  else if (strcmp(o->rung, "interval") == 0)
    o->first_rung = ATTEST_RUNG_INTERVAL;
  else
    return ATTEST_FAIL(fault, "--rung: '%s' is not f64, wide or interval", o->rung);
  return 0;
}

/* 0: go on; 1: help was asked for; -1: an error. */
static int parse(int argc, char **argv, run_options *o, attest_fault *fault) {
  int id;

  memset(o, 0, sizeof *o);
  attest_options_start(&o->problem);
  while ((id = attest_next_option(argc, argv, "+:hq:k:v:o:", table, fault)) >= 0) {
    int result;
    switch (id) {
    case ATTEST_OPT_HELP:
      return 1;
    case 'o':
      result = attest_once(&o->results.paths[OUT], "-o", optarg, fault);
      break;
    case OPT_WEIGHTS:
      result = attest_once(&o->results.paths[WEIGHTS], "--weights", optarg, fault);
      break;
    case OPT_LSE:
      result = attest_once(&o->results.paths[LSE], "--lse", optarg, fault);
      break;
    case OPT_LSE_BASE:
      result = attest_once(&o->lse_base, "--lse-base", optarg, fault);
      break;
    case OPT_ROWS:
      result = attest_once(&o->rows, "--rows", optarg, fault);
      break;
    case OPT_THREADS:
      result = attest_once(&o->threads, "--threads", optarg, fault);
      break;
    case OPT_RUNG:
      result = attest_once(&o->rung, "--rung", optarg, fault);
      break;
    case ATTEST_OPT_BYTE_ORDER:
    case ATTEST_OPT_ORDER:
      result = attest_results_take(&o->results, id, optarg, fault);
      break;
    case OPT_STATS:
      o->stats = 1;
      result = 0;
      break;
    case ATTEST_OPT_HEADS:
      result = strchr(optarg, ':') != NULL
                   ? attest_once(&o->heads, "--heads A:B", optarg, fault)
                   : attest_options_take(&o->problem, id, optarg, fault);
      break;
    default:
      result = attest_options_take(&o->problem, id, optarg, fault);
    }
    if (result != 0)
      return -1;
  }
  if (id != -1)
    return -1;
  if (o->problem.q == NULL || o->problem.k == NULL || o->problem.v == NULL)
    return ATTEST_FAIL(fault, "%s FILE is missing (attest run --help)",
                       o->problem.q == NULL   ? "-q"
                       : o->problem.k == NULL ? "-k"
                                              : "-v");
  if (o->results.paths[OUT] == NULL)
    return ATTEST_FAIL(fault, "-o FILE is missing (attest run --help)");
  if (o->lse_base != NULL && strcmp(o->lse_base, "e") != 0 && strcmp(o->lse_base, "2") != 0)
    return ATTEST_FAIL(fault, "--lse-base: '%s' is not e or 2", o->lse_base);
  if (o->lse_base != NULL && o->results.paths[LSE] == NULL)
    return ATTEST_FAIL(fault, "--lse-base: needs --lse FILE");
  if (o->problem.q16 && o->results.paths[LSE] != NULL)
    return ATTEST_FAIL(fault, "--lse: is not available in q16");
  return parse_oracle(o, fault);
}

/* Natural log-sum-exps to base 2: one division in double, which stays double until written. */
static int to_base_2(attest_array *lse, const char *name, attest_fault *fault) {
  const double ln2 = 0x1.62e42fefa39efp-1;
  attest_array wide;

  if (attest_array_create(&wide, ATTEST_DT_F64, lse->ndim, lse->dims, name,
                          ATTEST_TEXT(fault)) != 0)
    return -1;
  for (size_t i = 0; i < lse->count; i++) {
    double natural = 0;
    attest_array_get(lse, i, &natural);
    ((double *)wide.data)[i] = natural / ln2;
  }
  attest_array_free(lse);
  *lse = wide;
  return 0;
}

/* Finds the slice and makes the outputs as large as it. */
static int take_slice(run_options *o, attest_problem *p, attest_fault *fault) {
  attest_slice *s = &o->slice;
  const size_t width = p->shape.value_width;

  *s = attest_slice_all(p);
  if ((o->rows != NULL && attest_slice_take("--rows", o->rows, p->shape.q_len, &s->first_row,
                                            &s->rows, fault) != 0) ||
      (o->heads != NULL && attest_slice_take("--heads", o->heads, p->shape.q_heads,
                                             &s->first_head, &s->heads, fault) != 0))
    return -1;
  if (p->q.ndim == 3) {
    p->out_dims[1] = s->rows;
    p->out_dims[2] = s->heads * width;
  } else {
    p->out_dims[p->out_ndim - 2] = s->rows;
    if (p->out_ndim == 4)
      p->out_dims[1] = s->heads;
  }
  p->weights_dims[p->weights_ndim - 2] = s->rows;
  p->lse_dims[p->lse_ndim - 1] = s->rows;
  if (p->weights_ndim == 4) {
    p->weights_dims[1] = s->heads;
    p->lse_dims[1] = s->heads;
  }
  return 0;
}

static void print_stats(const size_t decided[ATTEST_RUNGS]) {
  static const char *const names[ATTEST_RUNGS] = {
      "no arithmetic", "f64 kernel and bound", "double-double", "intervals", "rational arithmetic",
      "undecided"};
  size_t all = 0;

  for (size_t k = 0; k < ATTEST_RUNGS; k++)
    all += decided[k];
  printf("decided by                elements\n");
  for (size_t k = 0; k < ATTEST_RUNGS; k++)
    printf("%-22s %11zu  %8.4f %%\n", names[k], decided[k],
           all == 0 ? 0 : 100 * (double)decided[k] / (double)all);
}

/* Returns 0, 1 where an element stays undecided, or -1. */
static int certify(run_options *o, attest_problem *p, attest_progress *progress,
                   attest_fault *fault) {
  attest_results *r = &o->results;
  const int base_2 = o->lse_base != NULL && strcmp(o->lse_base, "2") == 0;
  const attest_oracle_options options = {attest_format_of(p->dtype),
                                         base_2 ? ATTEST_BASE_2 : ATTEST_BASE_E, o->first_rung};
  attest_certified_arrays arrays = {r->arrays[OUT].data, r->arrays[WEIGHTS].data,
                                    r->arrays[LSE].data, {0}};

  if (attest_certify(p, o->slice, &options, o->thread_count, &arrays, progress, fault) != 0)
    return -1;
  if (o->stats) {
    attest_progress_end(progress);
    print_stats(arrays.decided);
  }
  return arrays.decided[ATTEST_RUNG_UNDECIDED] > 0;
}

/* Returns 0, 1 where the oracle left an element undecided, or -1. */
static int work(run_options *o, attest_problem *p, attest_fault *fault) {
  attest_results *r = &o->results;
  attest_progress progress;
  int result;

  if (o->problem.oracle && take_slice(o, p, fault) != 0)
    return -1;

  if (attest_results_allocate(r, OUT, 1, p->wide, p->out_ndim, p->out_dims, fault) != 0 ||
      attest_results_allocate(r, WEIGHTS, 0, p->wide, p->weights_ndim, p->weights_dims, fault) ||
      attest_results_allocate(r, LSE, 0, p->wide, p->lse_ndim, p->lse_dims, fault) != 0)
    return -1;
  attest_progress_start(&progress, "run");
  if (o->problem.oracle)
    result = certify(o, p, &progress, fault);
  else if (o->problem.q16)
    result = attest_engine_q16(p, o->problem.tile, r->arrays[OUT].data, r->arrays[WEIGHTS].data,
                               &progress, fault);
  else
    result = attest_engine_run(p, o->problem.engine, o->problem.tile, r->arrays[OUT].data,
                               r->arrays[WEIGHTS].data, r->arrays[LSE].data, &progress, fault);
  attest_progress_end(&progress);
  if (result == 0 && !o->problem.oracle && o->lse_base != NULL && strcmp(o->lse_base, "2") == 0)
    result = to_base_2(&r->arrays[LSE], r->paths[LSE], fault);
  return result;
}

int attest_command_run(int argc, char **argv) {
  attest_fault fault;
  attest_problem problem;
  run_options options;
  int result = parse(argc, argv, &options, &fault);
  int undecided = 0;

  if (result == 1) {
    fputs(help, stdout);
    return attest_finish_stdout("run", ATTEST_EXIT_DONE);
  }
  if (result == 0)
    result = attest_engine_check_machine(&fault);
  for (size_t i = 0; i < ATTEST_RESULTS && result == 0; i++)
    result = attest_options_spare(&options.problem, options.results.paths[i], &fault);
  if (result == 0)
    result = attest_results_open(&options.results, &fault);
  if (result == 0)
    result = attest_problem_load(&problem, &options.problem, &fault);
  if (result == 0) {
    const attest_dtype dtype = problem.dtype;
    result = work(&options, &problem, &fault);
    undecided = result == 1;
    attest_problem_free(&problem);
    if (result >= 0)
      result = attest_results_commit(&options.results, dtype, &fault);
  }
  attest_results_free(&options.results);
  if (result != 0)
    return attest_report("run", &fault);
  return attest_finish_stdout("run", undecided ? ATTEST_EXIT_UNDECIDED : ATTEST_EXIT_DONE);
}
