#include "check_options.h"

#include <string.h>

enum {
  OPT_GOT = ATTEST_OPT_OWN,
  OPT_GOT_WEIGHTS,
  OPT_GOT_LSE,
  OPT_LSE_BASE,
  OPT_CLAIM,
  OPT_INPUT,
  OPT_ACCUM,
  OPT_WEIGHTS_DTYPE,
  OPT_EXP_ULP,
  OPT_TILE,
  OPT_EMPTY,
  OPT_JSON,
  OPT_REPORT,
  OPT_THREADS,
  OPT_END
};
enum { OPTIONS = OPT_END - OPT_GOT, MAX_THREADS = 1024 };

const char attest_check_help[] =
    "usage: attest check -q FILE -k FILE -v FILE [problem] --got FILE [claim] [options]\n"
    "\n"
    "Judges what another implementation of attention computed. The exact answer is found by\n"
    "interval arithmetic, and every element may be off by as much as the arithmetic that the\n"
    "implementation claims can be; there is no tolerance to choose.\n"
    "\n"
    "  --got FILE          its output, f64, f32, f16, bf16 (--bf16 for uint16 files) or int32\n"
    "                      (Q16.16), shaped as attest run would write it\n"
    "  --got-weights FILE  also its weights: each one, and the sum of each row\n"
    "  --got-lse FILE      also its log-sum-exps\n"
    "  --lse-base B        e (the default) or 2\n"
    "\n"
    "The problem: files as for attest run, taken exactly as stored.\n"
    "  --heads N, --kv-heads M, --past-k FILE, --past-v FILE, --kv-len FILE, --mask FILE, --bf16\n"
    "                      as for attest run (attest run --help)\n"
    ATTEST_SCORE_HELP
    "\n"
    "The claim. Without options: inputs as stored, everything computed in f32 (in f64 where\n"
    "--got is f64), exp within 2 ulp, the maximum of a row subtracted from its scores and found\n"
    "before they are summed, the output rounded to the format of --got.\n"
    "  --accum T           format of products, sums, scores, exponentials: f64, f32, f16, bf16\n"
    "  --input T           format that q, k, v and a float mask are rounded to first\n"
    "  --weights-dtype T   format that weights are rounded to before they multiply v (as --accum)\n"
    "  --exp-ulp X         error of its exponential, in ulps of --accum (2)\n"
    "  --tile N            keys between two changes of a running maximum (FlashAttention)\n"
    "  --claim C           kernel (the default), or attest: the engine of attest run, in f64 or\n"
    "                      f32 by --accum, or with --accum q16 the Q16.16 one (int32 files are\n"
    "                      then Q16.16); takes no other option of the claim\n"
    "\n"
    "  --empty E           what a row that sees no key must be: zero (the default) or nan; its\n"
    "                      log-sum-exp is -inf in any case\n"
    "  --json              the verdict as JSON\n"
    "  --report FILE       also a page (HTML, nothing else needed) that shows where errors are\n"
    "  --threads N         as many as the machine has; the result is the same for any number\n"
    "\n"
    "Not covered by any claim: weights taken as exp(score - log-sum-exp) instead of\n"
    "divided by their own sum.\n"
    "NaN must be NaN; a column with a visible infinity may also be NaN; a hidden key must weigh\n"
    "exactly 0.\n"
    "Exit code 0: PASS; 1: FAIL, some element is over its allowance; 2: bad usage or input;\n"
    "3: ILL-CONDITIONED, no element fails, but in some row the allowance reaches the spread of\n"
    "the values that it sees, and so says nothing, or nothing at all is promised.\n";

static const struct option table[] = {{"help", no_argument, NULL, ATTEST_OPT_HELP},
                                      ATTEST_PROBLEM_OPTIONS,
                                      {"got", required_argument, NULL, OPT_GOT},
                                      {"got-weights", required_argument, NULL, OPT_GOT_WEIGHTS},
                                      {"got-lse", required_argument, NULL, OPT_GOT_LSE},
                                      {"lse-base", required_argument, NULL, OPT_LSE_BASE},
                                      {"claim", required_argument, NULL, OPT_CLAIM},
                                      {"input", required_argument, NULL, OPT_INPUT},
                                      {"accum", required_argument, NULL, OPT_ACCUM},
                                      {"weights-dtype", required_argument, NULL,
                                       OPT_WEIGHTS_DTYPE},
                                      {"exp-ulp", required_argument, NULL, OPT_EXP_ULP},
                                      {"tile", required_argument, NULL, OPT_TILE},
                                      {"empty", required_argument, NULL, OPT_EMPTY},
                                      {"json", no_argument, NULL, OPT_JSON},
                                      {"report", required_argument, NULL, OPT_REPORT},
                                      {"threads", required_argument, NULL, OPT_THREADS},
                                      {NULL, 0, NULL, 0}};

static const char *name_of(int id) {
  static char text[32];

  for (size_t i = 0; table[i].name != NULL; i++)
    if (table[i].val == id) {
      text[0] = text[1] = '-';
      strcpy(text + 2, table[i].name);
      break;
    }
  return text;
}

static int take_format(const char *option, const char *value, attest_format last,
                       attest_format *format, int *given, attest_fault *fault) {
  for (int f = ATTEST_FORMAT_F64; f <= (int)last; f++)
    if (strcmp(value, attest_format_name((attest_format)f)) == 0) {
      *format = (attest_format)f;
      *given = 1;
      return 0;
    }
  return ATTEST_FAIL(fault, "%s: '%s' is not f64, f32, f16%s", option, value,
                     last == ATTEST_FORMAT_Q16 ? ", bf16 or q16" : " or bf16");
}

/* One of two words: *second tells which. */
static int take_word(const char *option, const char *value, const char *a, const char *b,
                     int *second, attest_fault *fault) {
  *second = strcmp(value, b) == 0;
  if (!*second && strcmp(value, a) != 0)
    return ATTEST_FAIL(fault, "%s: '%s' is not %s or %s", option, value, a, b);
  return 0;
}

static int take(attest_check_options *o, int id, const char *value, attest_fault *fault) {
  const char *option = name_of(id);
  int second = 0;

  switch (id) {
  case OPT_GOT:
  case OPT_GOT_WEIGHTS:
  case OPT_GOT_LSE:
    o->got[id - OPT_GOT] = value;
    return 0;
  case OPT_LSE_BASE:
    if (take_word(option, value, "e", "2", &second, fault) != 0)
      return -1;
    o->lse_base = second ? ATTEST_BASE_2 : ATTEST_BASE_E;
    return 0;
  case OPT_CLAIM:
    return take_word(option, value, "kernel", "attest", &o->claimed.engine, fault);
  case OPT_INPUT:
    return take_format(option, value, ATTEST_FORMAT_BF16, &o->claimed.input,
                       &o->claimed.input_given, fault);
  case OPT_ACCUM:
    return take_format(option, value, ATTEST_FORMAT_Q16, &o->claimed.accum, &o->claimed.accum_given,
                       fault);
  case OPT_WEIGHTS_DTYPE:
    return take_format(option, value, ATTEST_FORMAT_BF16, &o->claimed.weight,
                       &o->claimed.weight_given, fault);
  case OPT_EXP_ULP:
    if (attest_parse_real(option, value, &o->claimed.exp_ulps, fault) != 0)
      return -1;
    return o->claimed.exp_ulps < 0 ? ATTEST_FAIL(fault, "%s: '%s' is below 0", option, value) : 0;
  case OPT_TILE:
    return attest_parse_size(option, value, 1, ATTEST_MAX_KEYS, &o->claimed.tile, fault);
  case OPT_EMPTY:
    return take_word(option, value, "zero", "nan", &o->empty_nan, fault);
  case OPT_JSON:
    o->json = 1;
    return 0;
  case OPT_REPORT:
    o->report = value;
    return 0;
  default:
    return attest_parse_size(option, value, 1, MAX_THREADS, &o->threads, fault);
  }
}

/* Options that need or exclude each other; seen: by number from OPT_GOT. */
static int check_pairs(const attest_check_options *o, const char *seen, attest_fault *fault) {
  static const int of_kernels[] = {OPT_INPUT, OPT_WEIGHTS_DTYPE, OPT_EXP_ULP, OPT_TILE};
  const attest_options *p = &o->problem;

  if (p->q == NULL || p->k == NULL || p->v == NULL)
    return ATTEST_FAIL(fault, "%s FILE is missing (attest check --help)",
                       p->q == NULL   ? "-q"
                       : p->k == NULL ? "-k"
                                      : "-v");
  if (o->got[ATTEST_PART_OUT] == NULL)
    return ATTEST_FAIL(fault, "--got FILE is missing (attest check --help)");
  if (seen[OPT_LSE_BASE - OPT_GOT] && o->got[ATTEST_PART_LSE] == NULL)
    return ATTEST_FAIL(fault, "--lse-base: needs --got-lse FILE");
  for (size_t i = 0; i < sizeof of_kernels / sizeof of_kernels[0] && o->claimed.engine; i++)
    if (seen[of_kernels[i] - OPT_GOT])
      return ATTEST_FAIL(fault, "%s: has no place in --claim attest", name_of(of_kernels[i]));
  for (size_t i = 0; i < sizeof o->got / sizeof o->got[0]; i++)
    if (attest_spare(o->report, o->got[i], fault) != 0)
      return -1;
  return attest_options_spare(&o->problem, o->report, fault);
}

int attest_check_options_parse(int argc, char **argv, attest_check_options *o,
                               attest_fault *fault) {
  char seen[OPTIONS] = {0};
  int id;

  memset(o, 0, sizeof *o);
  attest_options_start(&o->problem);
  o->problem.oracle = 1;
  o->claimed.exp_ulps = 2;
  while ((id = attest_next_option(argc, argv, "+:hq:k:v:", table, fault)) >= 0) {
    int result;
    if (id == ATTEST_OPT_HELP)
      return 1;
    if (id < OPT_GOT) {
      result = attest_options_take(&o->problem, id, optarg, fault);
    } else if (seen[id - OPT_GOT]++) {
      result = ATTEST_FAIL(fault, "%s: given twice", name_of(id));
    } else {
      result = take(o, id, optarg, fault);
    }
    if (result != 0)
      return -1;
  }
  o->problem.q16 = o->claimed.accum_given && o->claimed.accum == ATTEST_FORMAT_Q16;
  if (id == -1 && o->problem.q16 && !o->claimed.engine)
    return ATTEST_FAIL(fault, "--accum: q16 needs --claim attest");
  return id != -1 ? -1 : check_pairs(o, seen, fault);
}
