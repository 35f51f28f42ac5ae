/* attest vectors: golden vectors, the same bytes on every machine. */

#include "commands.h"
#include "vectors_header.h"
#include "vectors_write.h"

#include "engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  OPT_OUT = ATTEST_OPT_OWN,
  OPT_SEED,
  OPT_HEADER,
  OPT_LIST,
  OPT_ONLY,
  OPT_SMALL,
  OPT_THREADS
};

enum {
  DEFAULT_SEED = 1,
  MOST_WEIGHTS = 20000, /* of a case; one with more has no weights files */
  FORMAT_VERSION = 1    /* of the files' names and meaning */
};

static const char help[] =
    "usage: attest vectors --out DIR [options]\n"
    "       attest vectors --list\n"
    "\n"
    "Writes golden vectors: named attention problems with correctly rounded answers, the\n"
    "same bytes on every machine. DIR must not exist or be empty.\n"
    "\n"
    "  --out DIR       a folder for each case, index.json, MANIFEST.sha256 (for sha256sum -c)\n"
    "  --seed N        another seed gives other inputs (1)\n"
    "  --only NAME     one case alone; it is the same as among the others\n"
    "  --small         small shapes, and fewer files: weights and lse_e in f64 and the input's\n"
    "                  format (Q16.16 for cases of the header), lse_2 in f64, no ends\n"
    "  --c-header      also attest_vectors.h: the cases in Q16.16, for firmware\n"
    "  --list          prints the cases and writes nothing\n"
    "  --threads N     threads (all processors); the same bytes for any number\n"
    "\n"
    "Files of a case: q, k, v, and where it has them mask (bool), bias, kv_len, past_k, past_v;\n"
    "problem.json with the command that computes it; in each format (f64, f32, f16, bf16 as\n"
    "uint16, q16 as int32) out, weights (up to 20000 of them), lse_e and lse_2 (log-sum-exp to\n"
    "base e and 2), each rounded once from the exact number. A result that has NaN in it has no\n"
    "q16 file; infinities saturate there. out_lower and out_upper (lse_e, lse_2 likewise) enclose\n"
    "the exact number: the f64 numbers next to the rounded one, or that itself where it is exact\n"
    "because the row sees nothing, is not finite, or all its values in that column are equal.\n"
    "Exit code 0: done; 2: an error, and DIR is as before.\n";

static const struct option table[] = {{"help", no_argument, NULL, ATTEST_OPT_HELP},
                                      {"out", required_argument, NULL, OPT_OUT},
                                      {"seed", required_argument, NULL, OPT_SEED},
                                      {"c-header", no_argument, NULL, OPT_HEADER},
                                      {"list", no_argument, NULL, OPT_LIST},
                                      {"only", required_argument, NULL, OPT_ONLY},
                                      {"small", no_argument, NULL, OPT_SMALL},
                                      {"threads", required_argument, NULL, OPT_THREADS},
                                      {NULL, 0, NULL, 0}};

typedef struct vectors_options {
  const char *out, *only, *seed_text, *threads_text;
  int64_t seed;
  size_t threads; /* 0: all */
  int header, list, small;
} vectors_options;

/* 0: go on; 1: help was asked for; -1: an error. */
static int parse(int argc, char **argv, vectors_options *o, attest_fault *fault) {
  int id;

  memset(o, 0, sizeof *o);
  o->seed = DEFAULT_SEED;
  while ((id = attest_next_option(argc, argv, "+:h", table, fault)) >= 0) {
    int result = 0;
    switch (id) {
    case ATTEST_OPT_HELP:
      return 1;
    case OPT_OUT:
      result = attest_once(&o->out, "--out", optarg, fault);
      break;
    case OPT_SEED:
      result = attest_once(&o->seed_text, "--seed", optarg, fault);
      if (result == 0)
        result = attest_parse_integer("--seed", optarg, 0, INT64_MAX, &o->seed, fault);
      break;
    case OPT_ONLY:
      result = attest_once(&o->only, "--only", optarg, fault);
      break;
    case OPT_THREADS:
      result = attest_once(&o->threads_text, "--threads", optarg, fault);
      if (result == 0)
        result = attest_parse_size("--threads", optarg, 1, 1024, &o->threads, fault);
      break;
    case OPT_HEADER:
      o->header = 1;
      break;
    case OPT_LIST:
      o->list = 1;
      break;
    default:
      o->small = 1;
    }
    if (result != 0)
      return -1;
  }
  if (id != -1)
    return -1;
  if (o->only != NULL && attest_case_find(o->only) == NULL)
    return ATTEST_FAIL(fault, "--only: no case '%s' (attest vectors --list)", o->only);
  if (o->list && o->out != NULL)
    return ATTEST_FAIL(fault, "--list: writes nothing, --out is not for it");
  if (!o->list && o->out == NULL)
    return ATTEST_FAIL(fault, "--out DIR is missing (attest vectors --help)");
  if (o->header && o->only != NULL && !attest_case_find(o->only)->in_header)
    return ATTEST_FAIL(fault, "--c-header: %s is not a case of Q16.16", o->only);
  return 0;
}

static int chosen(const vectors_options *o, const attest_case *c) {
  return o->only == NULL || strcmp(o->only, c->name) == 0;
}

static const attest_case_size *size_of(const vectors_options *o, const attest_case *c) {
  return o->small ? &c->small : &c->full;
}

static void print_list(const vectors_options *o) {
  for (size_t i = 0; i < attest_case_count; i++)
    if (chosen(o, &attest_cases[i]))
      printf("%-26s %s\n", attest_cases[i].name, attest_cases[i].note);
}

/* The format that a case is about besides f64. */
static size_t own_format(const attest_case *c) {
  return c->in_header ? ATTEST_FORMAT_Q16 : (size_t)attest_format_of(c->dtype);
}

static void want(const vectors_options *o, const attest_case *c, attest_case_answers *a) {
  const attest_case_size *s = size_of(o, c);
  const int weights =
      s->batch * s->q_heads * s->q_len * s->kv_len <= MOST_WEIGHTS;

  memset(a, 0, sizeof *a);
  for (size_t format = 0; format < ATTEST_FORMATS; format++) {
    const int all = !o->small;
    const int main = all || format == ATTEST_FORMAT_F64 || format == own_format(c);
    a->wanted[ATTEST_ANSWER_OUT][format] = 1;
    a->wanted[ATTEST_ANSWER_WEIGHTS][format] = weights && main;
    a->wanted[ATTEST_ANSWER_LSE_E][format] = main;
    a->wanted[ATTEST_ANSWER_LSE_2][format] = all || format == ATTEST_FORMAT_F64;
  }
  a->ends = !o->small;
}

/* What the header needs is computed even where no file is written of it. */
static void want_for_header(attest_case_answers *a) {
  for (size_t kind = 0; kind < ATTEST_ANSWER_KINDS; kind++) {
    a->wanted[kind][ATTEST_FORMAT_Q16] = 1;
    a->wanted[kind][ATTEST_FORMAT_F32] = 1;
  }
}

static int answer(const vectors_options *o, const attest_case *c, attest_folder *folder,
                  attest_vectors_header *header, const attest_array arrays[ATTEST_CASE_ARRAYS],
                  const attest_problem *problem, attest_fault *fault) {
  const int in_header = o->header && c->in_header;
  attest_case_answers answers, files;
  int result;

  want(o, c, &answers);
  files = answers;
  if (in_header)
    want_for_header(&answers);
  result = attest_case_answer(problem, o->threads, attest_folder_signal, &answers, fault);
  if (result == 0 && in_header)
    result = attest_header_add(header, c, arrays, problem, &answers, fault);
  if (result == 0) {
    /* A view of the answers that has only what is to be written. */
    for (size_t kind = 0; kind < ATTEST_ANSWER_KINDS; kind++)
      for (size_t format = 0; format < ATTEST_FORMATS; format++)
        files.value[kind][format] =
            files.wanted[kind][format] ? answers.value[kind][format] : NULL;
    files.out_exact = answers.out_exact;
    files.lse_exact = answers.lse_exact;
    result = attest_case_write_answers(c, folder, arrays, problem, &files, fault);
  }
  attest_case_answers_free(&answers);
  return result;
}

static int make_case(const vectors_options *o, const attest_case *c, attest_folder *folder,
                     attest_vectors_header *header, attest_fault *fault) {
  attest_array arrays[ATTEST_CASE_ARRAYS];
  char *names[ATTEST_CASE_ARRAYS] = {NULL};
  attest_options options;
  attest_problem problem;
  int result = attest_folder_make(folder, c->name, fault);

  memset(arrays, 0, sizeof arrays);
  if (result == 0)
    result = attest_case_draw(c, size_of(o, c), (uint64_t)o->seed, arrays, fault);
  if (result == 0)
    result = attest_case_write_inputs(c, folder, arrays, fault);
  /* Read again like any other problem, so that the command in problem.json is what is answered. */
  if (result == 0)
    result = attest_case_options(c, folder, arrays, &options, names, fault);
  if (result == 0)
    result = attest_problem_load(&problem, &options, fault);
  if (result == 0) {
    result = answer(o, c, folder, header, arrays, &problem, fault);
    attest_problem_free(&problem);
  }
  for (size_t i = 0; i < ATTEST_CASE_ARRAYS; i++) {
    attest_array_free(&arrays[i]);
    free(names[i]);
  }
  return result;
}

static int write_index(const vectors_options *o, attest_folder *folder, attest_fault *fault) {
  json_t *cases = json_array();
  json_t *index = json_pack("{s:i, s:I, s:b, s:o}", "version", (int)FORMAT_VERSION, "seed",
                            (json_int_t)o->seed, "small", o->small, "cases", cases);
  int result;

  for (size_t i = 0; i < attest_case_count; i++) {
    const attest_case *c = &attest_cases[i];
    if (chosen(o, c))
      json_array_append_new(cases, json_pack("{s:s, s:s}", "name", c->name, "note", c->note));
  }
  result = attest_folder_write_json(folder, "index.json", index, fault);
  json_decref(index);
  return result;
}

static int make_all(const vectors_options *o, attest_folder *folder,
                    attest_vectors_header *header, attest_fault *fault) {
  attest_progress progress;
  int result = 0;

  attest_progress_start(&progress, "vectors");
  if (o->header)
    result = attest_header_start(header, folder, (uint64_t)o->seed, fault);
  for (size_t i = 0; i < attest_case_count && result == 0; i++) {
    if (attest_folder_signal() != 0)
      result = ATTEST_FAIL(fault, "%s: interrupted", o->out);
    else if (chosen(o, &attest_cases[i]))
      result = make_case(o, &attest_cases[i], folder, header, fault);
    attest_progress_step(&progress, (double)i + 1, (double)attest_case_count);
  }
  attest_progress_end(&progress);
  if (result == 0 && o->header)
    result = attest_header_finish(header, fault);
  if (result == 0)
    result = write_index(o, folder, fault);
  if (result == 0)
    result = attest_folder_write_manifest(folder, fault);
  return result;
}

int attest_command_vectors(int argc, char **argv) {
  attest_fault fault;
  vectors_options options;
  attest_folder folder;
  attest_vectors_header header;
  int result = parse(argc, argv, &options, &fault);

  if (result == 1) {
    fputs(help, stdout);
    return attest_finish_stdout("vectors", ATTEST_EXIT_DONE);
  }
  if (result == 0 && options.list) {
    print_list(&options);
    return attest_finish_stdout("vectors", ATTEST_EXIT_DONE);
  }
  memset(&header, 0, sizeof header);
  memset(&folder, 0, sizeof folder);
  if (result == 0)
    result = attest_engine_check_machine(&fault);
  if (result == 0)
    result = attest_folder_open(&folder, options.out, &fault);
  if (result == 0)
    result = make_all(&options, &folder, &header, &fault);
  if (result == 0)
    result = attest_folder_commit(&folder, &fault);
  attest_header_end(&header);
  attest_folder_end(&folder);
  return result == 0 ? ATTEST_EXIT_DONE : attest_report("vectors", &fault);
}
