/* attest onnx: the golden outputs of ONNX backend tests, held against the oracle. */

#include "commands.h"
#include "onnx_folder.h"

#include <inttypes.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: attest onnx [options] DIR...\n"
    "\n"
    "Judges the golden outputs of ONNX backend tests of the Attention operator, opsets 23\n"
    "to 25, with the oracle. DIR holds model.onnx and test_data_set_N/input_N.pb and\n"
    "output_N.pb, or is a directory of such folders.\n"
    "\n"
    "  -v, --verbose   a line for every output, with its worst element\n"
    "\n"
    "An f32 element passes within 1 ulp of the correctly rounded answer; one of f16, bf16 or\n"
    "f64 also within what ONNX's own test runner allows, 1e-7 + 1e-3 * |answer|. NaN equals\n"
    "NaN. present_key and present_value must have the same bits as their inputs.\n"
    "A row that sees no key is 0. qk_matmul_output_mode 0: scale * <q, k>; 1: after softcap;\n"
    "2: with the mask, and -inf where a key is hidden; 3: the weights.\n"
    "\n"
    "A folder is 'unsupported' if it holds another operator or opset, or a type that is not\n"
    "read here (fp8, for one). Files of more than 256 MiB are refused.\n"
    "Exit code 0: all that could be judged passed; 1: some failed; 2: bad usage, a file that\n"
    "cannot be read, or nothing that could be judged.\n";

static const struct option table[] = {{"help", no_argument, NULL, 'h'},
                                      {"verbose", no_argument, NULL, 'v'},
                                      {NULL, 0, NULL, 0}};

typedef struct totals {
  size_t passed, failed, unsupported, unreadable;
} totals;

static const char *ulps_text(uint64_t ulps, char text[32]) {
  if (ulps == ATTEST_ONNX_FAR)
    snprintf(text, 32, "-");
  else
    snprintf(text, 32, "%" PRIu64, ulps);
  return text;
}

/* The last part of a path, fit for a terminal. */
static void print_name(const char *folder) {
  attest_fault name;
  size_t length = strlen(folder), start;

  while (length > 1 && folder[length - 1] == '/')
    length--;
  start = length;
  while (start > 0 && folder[start - 1] != '/')
    start--;
  ATTEST_FAIL(&name, "%.*s", (int)(length - start), folder + start);
  printf("%-70s", name.text);
}

static void print_output(const attest_onnx_verdict *v, int with_set) {
  char ulps[32];

  printf("    ");
  if (with_set)
    printf("set %-4s ", v->set);
  printf("%-17s %-4s %5s ulp%s%s\n", attest_onnx_output_name(v->output),
         v->pass ? "ok" : "FAIL", ulps_text(v->ulps, ulps), v->text[0] == '\0' ? "" : "  ",
         v->text);
}

static void print_report(const char *folder, const attest_onnx_report *report, int verbose) {
  uint64_t worst = 0;
  char ulps[32];

  for (size_t i = 0; i < report->count; i++)
    if (report->verdicts[i].ulps > worst)
      worst = report->verdicts[i].ulps;
  print_name(folder);
  printf(" opset %" PRId64 "  %-4s %5s ulp\n", report->opset, report->pass ? "ok" : "FAIL",
         ulps_text(worst, ulps));
  for (size_t i = 0; i < report->count; i++)
    if (verbose || !report->verdicts[i].pass)
      print_output(&report->verdicts[i], report->sets > 1);
}

static void judge(const char *folder, int verbose, totals *t) {
  attest_progress progress;
  attest_onnx_report report;
  attest_fault fault;
  int result;

  attest_progress_start(&progress, "onnx");
  result = attest_onnx_folder_judge(folder, verbose, &report, &progress, &fault);
  attest_progress_end(&progress);
  if (result == ATTEST_ONNX_BAD) {
    t->unreadable++;
    attest_report("onnx", &fault);
  } else if (result == ATTEST_ONNX_UNSUPPORTED) {
    t->unsupported++;
    print_name(folder);
    printf(" opset %" PRId64 "  unsupported  %s\n", report.opset, fault.text);
  } else {
    *(report.pass ? &t->passed : &t->failed) += 1;
    print_report(folder, &report, verbose);
  }
  fflush(stdout);
  attest_onnx_report_free(&report);
}

static void judge_path(const char *path, int verbose, totals *t) {
  attest_onnx_paths folders;
  attest_fault fault;

  if (attest_onnx_folders(path, &folders, &fault) != 0) {
    t->unreadable++;
    attest_report("onnx", &fault);
    return;
  }
  for (size_t i = 0; i < folders.count; i++)
    judge(folders.at[i], verbose, t);
  attest_onnx_paths_free(&folders);
}

static int print_totals(const totals *t) {
  printf("%zu passed, %zu failed", t->passed, t->failed);
  if (t->unsupported > 0)
    printf(", %zu unsupported", t->unsupported);
  if (t->unreadable > 0)
    printf(", %zu unreadable", t->unreadable);
  printf("\n");
  if (t->unreadable > 0 || t->passed + t->failed == 0)
    return ATTEST_EXIT_INPUT;
  return t->failed > 0 ? ATTEST_EXIT_FAIL : ATTEST_EXIT_DONE;
}

/* 0: go on with the arguments from optind; 1: help was asked for; -1: an error. */
static int parse(int argc, char **argv, int *verbose, attest_fault *fault) {
  int id;

  *verbose = 0;
  opterr = 0;
  while ((id = getopt_long(argc, argv, "+:hv", table, NULL)) != -1) {
    if (id == 'h')
      return 1;
    if (id != 'v')
      return ATTEST_FAIL(fault, "unknown option '%s' (attest onnx --help)", argv[optind - 1]);
    *verbose = 1;
  }
  if (optind >= argc)
    return ATTEST_FAIL(fault, "DIR is missing (attest onnx --help)");
  return 0;
}

int attest_command_onnx(int argc, char **argv) {
  attest_fault fault;
  totals t = {0};
  int verbose, result = parse(argc, argv, &verbose, &fault);

  if (result == 1) {
    fputs(help, stdout);
    return attest_finish_stdout("onnx", ATTEST_EXIT_DONE);
  }
  if (result != 0)
    return attest_report("onnx", &fault);
  for (int i = optind; i < argc; i++)
    judge_path(argv[i], verbose, &t);
  result = print_totals(&t);
  mpfr_free_cache();
  return attest_finish_stdout("onnx", result);
}
