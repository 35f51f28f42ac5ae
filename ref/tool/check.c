/* attest check: judges what another implementation computed. */

#include "certify.h"
#include "check_judge.h"
#include "check_options.h"
#include "check_print.h"
#include "commands.h"
#include "engine.h"
#include "output.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

/* What a reader of a FAIL may have overlooked, or NULL. */
static const char *hint_of(const attest_check *check, const attest_claimed *claimed,
                           const attest_outcome *outcome) {
  if (attest_outcome_verdict(outcome) != ATTEST_VERDICT_FAIL || claimed->engine)
    return NULL;
  if (!claimed->input_given && !attest_inputs_fit(check->problem, claimed->accum))
    return "the inputs are not exact in the accumulators' format; --input claims that they were "
           "rounded first";
  return NULL;
}

static int print(const attest_check_options *o, const attest_check *check,
                 const attest_claimed *claimed, const attest_outcome *outcome, const char *hint,
                 attest_fault *fault) {
  return o->json ? attest_check_print_json(check, claimed, outcome, hint, fault)
                 : attest_check_print_text(check, claimed, outcome, hint, fault);
}

/* Judges a problem that has been read. 0 and *verdict, or -1 with *fault set. */
static int judge(const attest_check_options *o, const attest_problem *problem,
                 attest_output **page, attest_verdict *verdict, attest_fault *fault) {
  attest_check check = {0};
  attest_claimed claimed = o->claimed;
  attest_outcome outcome = {0};
  attest_progress progress;
  int result;

  check.problem = problem;
  check.inputs = attest_exact_inputs(problem);
  check.tile = claimed.tile;
  check.lse_base = o->lse_base;
  check.empty_nan = o->empty_nan;
  result = attest_subjects_load(check.subjects, o->got, o->problem.bf16, problem, &claimed, fault);
  if (result == 0) {
    attest_progress_start(&progress, "check");
    result = attest_check_judge(&check, *page != NULL, o->threads, &outcome, &progress, fault);
    attest_progress_end(&progress);
  }
  if (result == 0) {
    const char *hint = hint_of(&check, &claimed, &outcome);
    *verdict = attest_outcome_verdict(&outcome);
    if (*page != NULL)
      result = attest_report_write(attest_output_stream(*page), &o->problem, &check, &claimed,
                                   &outcome, hint, fault);
    if (result == 0)
      result = print(o, &check, &claimed, &outcome, hint, fault);
    if (result == 0)
      result = attest_output_commit(page, 1, ATTEST_TEXT(fault));
  }
  attest_outcome_free(&outcome);
  attest_subjects_free(check.subjects);
  return result;
}

int attest_command_check(int argc, char **argv) {
  static const int codes[] = {ATTEST_EXIT_DONE, ATTEST_EXIT_UNDECIDED, ATTEST_EXIT_FAIL};
  attest_verdict verdict = ATTEST_VERDICT_PASS;
  attest_check_options options;
  attest_output *page = NULL;
  attest_problem problem;
  attest_fault fault;
  int result = attest_check_options_parse(argc, argv, &options, &fault);

  if (result == 1) {
    fputs(attest_check_help, stdout);
    return attest_finish_stdout("check", ATTEST_EXIT_DONE);
  }
  if (result == 0)
    result = attest_engine_check_machine(&fault);
  if (result == 0 && options.report != NULL)
    result = attest_output_open(options.report, &page, ATTEST_TEXT(&fault));
  if (result == 0)
    result = attest_problem_load(&problem, &options.problem, &fault);
  if (result == 0) {
    result = judge(&options, &problem, &page, &verdict, &fault);
    attest_problem_free(&problem);
  }
  attest_output_abort(page);
  if (result != 0)
    return attest_report("check", &fault);
  return attest_finish_stdout("check", codes[verdict]);
}
