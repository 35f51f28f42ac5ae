/* attest run: attention from array files. */

#include "commands.h"
#include "engine.h"
#include "results.h"

#include <stdio.h>
#include <string.h>

enum { OPT_WEIGHTS = ATTEST_OPT_OWN, OPT_LSE, OPT_LSE_BASE };
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
    "  --lse-base B    e (the default) or 2; base 2 is the one of base e in the working\n"
    "                  format, divided by ln 2 in f64, rounded to the output format\n"
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
    "\n"
    "A hidden key is absent: not even NaN in its row reaches the output. A row that\n"
    "sees no key is 0, its log-sum-exp -inf.\n"
    "Exit code 0: done; 2: bad usage or input, and no output file is left.\n";

static const struct option table[] = {{"help", no_argument, NULL, ATTEST_OPT_HELP},
                                      ATTEST_PROBLEM_OPTIONS,
                                      ATTEST_ENGINE_OPTIONS,
                                      {"weights", required_argument, NULL, OPT_WEIGHTS},
                                      {"lse", required_argument, NULL, OPT_LSE},
                                      {"lse-base", required_argument, NULL, OPT_LSE_BASE},
                                      {NULL, 0, NULL, 0}};

typedef struct run_options {
  attest_options problem;
  attest_results results;
  const char *lse_base;
} run_options;

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
  return 0;
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

static int work(run_options *o, attest_problem *p, attest_fault *fault) {
  attest_results *r = &o->results;
  attest_progress progress;
  int result;

  if (attest_results_allocate(r, OUT, 1, p->wide, p->out_ndim, p->out_dims, fault) != 0 ||
      attest_results_allocate(r, WEIGHTS, 0, p->wide, p->weights_ndim, p->weights_dims, fault) ||
      attest_results_allocate(r, LSE, 0, p->wide, p->lse_ndim, p->lse_dims, fault) != 0)
    return -1;
  attest_progress_start(&progress, "run");
  result = attest_engine_run(p, o->problem.engine, o->problem.tile, r->arrays[OUT].data,
                             r->arrays[WEIGHTS].data, r->arrays[LSE].data, &progress, fault);
  attest_progress_end(&progress);
  if (result == 0 && o->lse_base != NULL && strcmp(o->lse_base, "2") == 0)
    result = to_base_2(&r->arrays[LSE], r->paths[LSE], fault);
  return result;
}

int attest_command_run(int argc, char **argv) {
  attest_fault fault;
  attest_problem problem;
  run_options options;
  int result = parse(argc, argv, &options, &fault);

  if (result == 1) {
    fputs(help, stdout);
    return attest_finish_stdout("run", ATTEST_EXIT_DONE);
  }
  if (result == 0)
    result = attest_engine_check_machine(&fault);
  if (result == 0)
    result = attest_results_open(&options.results, &fault);
  if (result == 0)
    result = attest_problem_load(&problem, &options.problem, &fault);
  if (result == 0) {
    const attest_dtype dtype = problem.dtype;
    result = work(&options, &problem, &fault);
    attest_problem_free(&problem);
    if (result == 0)
      result = attest_results_commit(&options.results, dtype, &fault);
  }
  attest_results_free(&options.results);
  return result == 0 ? ATTEST_EXIT_DONE : attest_report("run", &fault);
}
