/* attest demo: the lesson's numbers, step by step. Everything printed is computed here; what NumPy
   computed from the same inputs is in lesson.c and only compared with. */

#include "bound.h"
#include "commands.h"
#include "engine.h"
#include "heatmap.h"
#include "lesson.h"
#include "output.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_SVG = ATTEST_OPT_OWN };
enum { LEN = ATTEST_LESSON_LEN, MODEL = ATTEST_LESSON_MODEL, WIDTH = ATTEST_LESSON_WIDTH };
enum { CELLS = LEN * LEN, HEADS = 2 };

static const char help[] =
    "usage: attest demo [--svg FILE]\n"
    "\n"
    "Causal attention on six tokens, with numbers kept in the program: the weights,\n"
    "what 1/sqrt(d), the maximum and the place of the mask are for, two heads, and the\n"
    "loop nests compared bit by bit.\n"
    "\n"
    "  --svg FILE          also the weights as a picture\n"
    "\n"
    "Exit code 0: everything agrees; 1: a comparison failed; 2: bad usage.\n";

static const struct option table[] = {{"help", no_argument, NULL, ATTEST_OPT_HELP},
                                      {"svg", required_argument, NULL, OPT_SVG},
                                      {NULL, 0, NULL, 0}};

typedef struct demo {
  int utf8;
  int checks, failures;
  double weights[CELLS], out[LEN * WIDTH];
  attest_fault fault;
} demo;

/* Ulps of the reference allowed for each unit of the condition number. NumPy's sums run in
   another order and its exp rounds too, so neither of the two is the exact value. */
static const double allowed = 4;

static double ulp(double x) {
  int exponent;

  if (x == 0 || fabs(x) < DBL_MIN)
    return 0x1p-1074;
  frexp(x, &exponent);
  return ldexp(1, exponent - DBL_MANT_DIG);
}

static double max_of(double a, double b) { return a > b ? a : b; }

static void check(demo *d, int good) {
  d->checks++;
  if (!good) {
    d->failures++;
    printf("   FAIL\n");
  }
}

static void section(int number, const char *title, const char *text) {
  printf("\n%d. %s\n%s\n", number, title, text);
}

/* ---- computing */

/* Attention of the lesson's one head in float64; weights may be NULL. */
static int attend(demo *d, int causal, int scaled, double *out, double *weights) {
  attest_arrays_f64 arrays = {0};
  attest_shape s = {0};

  s.batch = s.q_heads = s.kv_heads = 1;
  s.q_len = s.kv_len = LEN;
  s.width = s.value_width = WIDTH;
  attest_layout_bhsd(&s);
  s.causal = causal;
  s.scale_given = !scaled;
  s.scale = 1;
  arrays.q = attest_lesson_q;
  arrays.k = attest_lesson_k;
  arrays.v = attest_lesson_v;
  arrays.out = out;
  arrays.weights = weights;
  return attest_attend_f64(&s, &arrays, ATTEST_NAIVE, 1, &d->fault);
}

/* A layer on the lesson's tokens; out (6, columns). */
static int layer(demo *d, size_t heads, const double *wq, const double *wk, const double *wv,
                 const double *wo, double *out) {
  attest_layer_shape s = {0};
  attest_status status;
  double *scratch;
  size_t count;

  s.len = LEN;
  s.model = MODEL;
  s.heads = s.kv_heads = heads;
  s.width = s.value_width = WIDTH;
  s.out = wo != NULL ? (size_t)MODEL : heads * WIDTH;
  s.causal = 1;
  count = attest_layer_scratch_f64(&s, ATTEST_NAIVE, 1);
  scratch = attest_engine_scratch(count, 1, &d->fault);
  if (scratch == NULL)
    return -1;
  status = attest_layer_f64(&s, attest_lesson_x, wq, wk, wv, wo, out, ATTEST_NAIVE, 1, scratch,
                            count);
  free(scratch);
  return status == ATTEST_OK ? 0 : attest_engine_fail(status, &d->fault);
}

/* By how much a relative error in the products of a score is magnified in each weight: its own
   score and the row's others enter, with the size of their products. */
static void weight_conditions(double scale, int causal, double *condition) {
  for (int i = 0; i < LEN; i++) {
    const int keys = causal ? i + 1 : LEN;
    double size[LEN], largest = 0;
    for (int j = 0; j < keys; j++) {
      size[j] = 0;
      for (int c = 0; c < WIDTH; c++)
        size[j] += scale * fabs(attest_lesson_q[i * WIDTH + c] * attest_lesson_k[j * WIDTH + c]);
      largest = max_of(largest, size[j]);
    }
    for (int j = 0; j < LEN; j++)
      condition[i * LEN + j] = j < keys ? 1 + size[j] + largest : 1;
  }
}

/* The same for the outputs: weights move them by the distance of a value from the output, and the
   sum's own rounding by the size of its terms. */
static void out_conditions(const demo *d, const double *of_weights, double *condition) {
  for (int i = 0; i < LEN; i++)
    for (int c = 0; c < WIDTH; c++) {
      const double o = d->out[i * WIDTH + c];
      double sum = 0;
      for (int j = 0; j <= i; j++) {
        const double w = d->weights[i * LEN + j], v = attest_lesson_v[j * WIDTH + c];
        sum += w * (fabs(v) + of_weights[i * LEN + j] * fabs(v - o));
      }
      condition[i * WIDTH + c] = max_of(1, sum / fabs(o));
    }
}

/* ---- printing and comparing */

/* Weights as numbers, their sum and shades. */
static void print_weights(const demo *d, const double *w) {
  printf("\n      ");
  for (int j = 0; j < LEN; j++)
    printf("      k%d", j);
  printf("      sum   k0  ..  k5\n");
  for (int i = 0; i < LEN; i++) {
    double sum = 0;
    printf("   q%d ", i);
    for (int j = 0; j < LEN; j++) {
      const double x = w[i * LEN + j];
      sum += x;
      if (j > i)
        printf("       .");
      else if (x >= 0.00005)
        printf("  %6.4f", x);
      else
        printf("  %6.0e", x);
    }
    printf("   %6.4f   ", sum);
    for (int j = 0; j <= i; j++)
      fputs(attest_heatmap_shade(w[i * LEN + j], d->utf8), stdout);
    printf("\n");
  }
  printf("\n");
}

static void print_rows(const double *values, int columns) {
  printf("\n");
  for (int i = 0; i < LEN; i++) {
    printf("   q%d ", i);
    for (int c = 0; c < columns; c++)
      printf(" %8.4f", values[i * columns + c]);
    printf("\n");
  }
  printf("\n");
}

/* Compares with NumPy's values, each with its own condition number. */
static void compare(demo *d, const double *values, const double *expected,
                    const double *condition, int count) {
  double most = 0, worst = 0;
  int good = 1;

  for (int i = 0; i < count; i++) {
    const double apart = fabs(values[i] - expected[i]) / ulp(expected[i]);
    if (!(apart <= allowed * condition[i]))
      good = 0;
    most = max_of(most, apart);
    worst = max_of(worst, apart / condition[i]);
  }
  printf("   NumPy differs by at most %.0f ulp, or %.2g once divided by the condition\n"
         "   number (%.0f are allowed).\n",
         most, worst, allowed);
  check(d, good);
}

/* The same in ulp of each row's largest entry: the small ones are differences of large terms. */
static void compare_rows(demo *d, const double *values, const double *expected, int columns) {
  double worst = 0;

  for (int i = 0; i < LEN; i++) {
    double largest = 0;
    for (int c = 0; c < columns; c++)
      largest = max_of(largest, fabs(expected[i * columns + c]));
    for (int c = 0; c < columns; c++) {
      const int at = i * columns + c;
      const double apart = fabs(values[at] - expected[at]) / ulp(largest);
      worst = apart <= worst ? worst : apart;
    }
  }
  printf("   NumPy differs by at most %.1f ulp of the row's largest entry (%.0f are allowed).\n",
         worst, allowed);
  check(d, worst <= allowed);
}

/* ---- the sections */

/* proofs/bounds.md, 5.2, for a row that sees every token; a sum has LEN - 1 roundings of its own. */
static double row_sum_allowed(void) {
  const attest_claim claim = attest_claim_engine(ATTEST_FORMAT_F64, ATTEST_FORMAT_F64);
  attest_row_error row;
  attest_bound_row_start(&row);
  row.keys = LEN;
  row.kept = 1;
  return attest_bound_row_sum(&claim, &row, 0) + (LEN - 1) * claim.accum.u;
}

static int show_weights(demo *d) {
  double condition[CELLS], most = 0;

  if (attend(d, 1, 1, d->out, d->weights) != 0)
    return -1;
  section(1, "The weights",
          "   Row i says how much token i takes from itself and each token before it: the\n"
          "   softmax of the scores <q_i, k_j> / sqrt(4). Later keys are absent (a dot).");
  print_weights(d, d->weights);
  printf("   Shades: %s.\n", attest_heatmap_legend(d->utf8));
  for (int i = 0; i < LEN; i++) {
    double sum = 0;
    for (int j = 0; j < LEN; j++)
      sum += d->weights[i * LEN + j];
    most = max_of(most, fabs(sum - 1));
  }
  printf("   Every row sums to one: off by at most %.2g (allowed: %.2g).\n", most,
         row_sum_allowed());
  check(d, most <= row_sum_allowed());
  weight_conditions(0.5, 1, condition);
  compare(d, d->weights, attest_lesson_expect_w, condition, CELLS);
  printf("   The condition number is 1 plus the size of the scores, here up to %.0f: half\n"
         "   an ulp of a score of 18 moves its weight, an exp, by up to 16 ulp.\n",
         condition[CELLS - 1]);
  return 0;
}

static int show_output(demo *d) {
  double of_weights[CELLS], condition[LEN * WIDTH], projected[LEN * WIDTH];

  section(2, "The output",
          "   Each row is the mean of the value rows under those weights.");
  print_rows(d->out, WIDTH);
  weight_conditions(0.5, 1, of_weights);
  out_conditions(d, of_weights, condition);
  compare(d, d->out, attest_lesson_expect_out, condition, LEN * WIDTH);
  if (layer(d, 1, attest_lesson_wq, attest_lesson_wk, attest_lesson_wv, NULL, projected) != 0)
    return -1;
  printf("   From the tokens instead, with Q = X Wq, K = X Wk, V = X Wv computed here:\n");
  compare_rows(d, projected, attest_lesson_expect_out, WIDTH);
  return 0;
}

static double mean_largest(const double *w) {
  double sum = 0;

  for (int i = 0; i < LEN; i++) {
    double largest = 0;
    for (int j = 0; j < LEN; j++)
      largest = max_of(largest, w[i * LEN + j]);
    sum += largest;
  }
  return sum / LEN;
}

static int show_noscale(demo *d) {
  double out[LEN * WIDTH], weights[CELLS], condition[CELLS];

  if (attend(d, 1, 0, out, weights) != 0)
    return -1;
  section(3, "Without 1/sqrt(d)",
          "   Scores twice as large: the largest weight of a row takes nearly everything,\n"
          "   and rows come close to picking a single key.");
  print_weights(d, weights);
  printf("   Largest weight of a row, on average: %.4f; with 1/sqrt(d) %.4f.\n",
         mean_largest(weights), mean_largest(d->weights));
  weight_conditions(1, 1, condition);
  compare(d, weights, attest_lesson_expect_w_noscale, condition, CELLS);
  return 0;
}

/* Weights of three keys with the given scores, by the library: width 1, query 1, scale 1. */
static int weigh(demo *d, const double *scores, double *wide, float *narrow) {
  const double one = 1, zero[3] = {0, 0, 0};
  const float one_f = 1, zero_f[3] = {0, 0, 0};
  float scores_f[3], out_f;
  attest_arrays_f64 a = {0};
  attest_arrays_f32 b = {0};
  attest_shape s = {0};
  double out;

  s.batch = s.q_heads = s.kv_heads = s.q_len = s.width = s.value_width = 1;
  s.kv_len = 3;
  s.scale_given = 1;
  s.scale = 1;
  attest_layout_bhsd(&s);
  for (int j = 0; j < 3; j++)
    scores_f[j] = (float)scores[j];
  a.q = &one;
  a.k = scores;
  a.v = zero;
  a.out = &out;
  a.weights = wide;
  b.q = &one_f;
  b.k = scores_f;
  b.v = zero_f;
  b.out = &out_f;
  b.weights = narrow;
  return attest_attend_f64(&s, &a, ATTEST_NAIVE, 1, &d->fault) != 0 ||
                 attest_attend_f32(&s, &b, ATTEST_NAIVE, 1, &d->fault) != 0
             ? -1
             : 0;
}

/* A NaN without the sign that some machines give it. */
static void quotient_text(double a, double b, char text[16]) {
  const double quotient = a / b;

  if (isnan(quotient))
    strcpy(text, "nan");
  else
    snprintf(text, 16, "%.6f", quotient);
}

static int show_maximum(demo *d) {
  static const double scores[2][3] = {{100, 99, 98}, {1000, 999, 998}};
  const double below[3] = {1, exp(-1.0), exp(-2.0)};
  int good = 1;

  section(4, "Without subtracting the maximum",
          "   exp overflows above 709 in float64 and above 88 in float32, and inf / inf is\n"
          "   NaN. Measured from the row's largest score, no exp exceeds 1.");
  printf("\n            exp(score)          exp / sum             attest\n"
         "   score      f64      f32      f64      f32        f64       f32\n");
  for (int set = 0; set < 2; set++) {
    double sum = 0, wide[3];
    float sum_f = 0, narrow[3];
    if (weigh(d, scores[set], wide, narrow) != 0)
      return -1;
    for (int j = 0; j < 3; j++) {
      sum += exp(scores[set][j]);
      sum_f += expf((float)scores[set][j]);
    }
    for (int j = 0; j < 3; j++) {
      const double score = scores[set][j], condition = 1 + score + scores[set][0];
      const double exact = below[j] / (below[0] + below[1] + below[2]);
      char textbook[16], textbook_f[16];
      quotient_text(exp(score), sum, textbook);
      quotient_text((double)expf((float)score), (double)sum_f, textbook_f);
      printf("   %5.0f %8.2g %8.2g %8s %8s   %8.6f  %8.6f\n", score, exp(score),
             (double)expf((float)score), textbook, textbook_f, wide[j], (double)narrow[j]);
      if (!(fabs(wide[j] - exact) <= allowed * condition * exact * DBL_EPSILON) ||
          !(fabs((double)narrow[j] - exact) <= allowed * condition * exact * FLT_EPSILON))
        good = 0;
    }
  }
  printf("\n   The last two columns agree with exp(score - max) / sum as far as the\n"
         "   condition number allows: near 1000 a float32 has steps of %.0e, so about\n"
         "   four digits stay.\n",
         (double)(nextafterf(1000.0f, 2000.0f) - 1000.0f));
  check(d, good);
  return 0;
}

static int show_mask_after(demo *d) {
  double out[LEN * WIDTH], weights[CELLS], condition[CELLS];

  if (attend(d, 0, 1, out, weights) != 0)
    return -1;
  for (int i = 0; i < LEN; i++)
    for (int j = i + 1; j < LEN; j++)
      weights[i * LEN + j] = 0;
  section(5, "With the mask after the softmax",
          "   A softmax over all keys, the later ones set to zero afterwards: what those\n"
          "   keys took is lost, and rows no longer sum to one.");
  print_weights(d, weights);
  weight_conditions(0.5, 0, condition);
  compare(d, weights, attest_lesson_expect_w_zeroed, condition, CELLS);
  return 0;
}

static int show_heads(demo *d) {
  double out[LEN * MODEL];

  if (layer(d, HEADS, attest_lesson_wq2, attest_lesson_wk2, attest_lesson_wv2, attest_lesson_wo,
            out) != 0)
    return -1;
  section(6, "Two heads",
          "   Each head has projections of its own; their outputs stand side by side and\n"
          "   Wo mixes them.");
  print_rows(out, MODEL);
  compare_rows(d, out, attest_lesson_expect_two_heads, MODEL);
  return 0;
}

/* A larger causal problem for the loop nests: numbers from a small generator, so that every
   machine has the same ones. */
enum { LONG_LEN = 200, LONG_WIDTH = 16 };

static void fill(double *x, int count, uint32_t *state) {
  for (int i = 0; i < count; i++) {
    *state = *state * 1664525u + 1013904223u;
    x[i] = ((double)(*state >> 8) - 8388608.0) / 4194304.0;
  }
}

static const size_t tiles[] = {1, 2, 3, 4, 6, 7, 16, 32, 64, 200};
enum { TILES = sizeof tiles / sizeof tiles[0] };

#define REAL float
#define F(name) name##_f32
#include "demo_real.h"
#undef REAL
#undef F
#define REAL double
#define F(name) name##_f64
#include "demo_real.h"
#undef REAL
#undef F

static int show_nests(demo *d) {
  double q[LONG_LEN * LONG_WIDTH], k[LONG_LEN * LONG_WIDTH], v[LONG_LEN * LONG_WIDTH];
  uint32_t state = 1;
  int same = 1;

  fill(q, LONG_LEN * LONG_WIDTH, &state);
  fill(k, LONG_LEN * LONG_WIDTH, &state);
  fill(v, LONG_LEN * LONG_WIDTH, &state);
  section(7, "Three loop nests, the same bits",
          "   naive takes a row at a time; tiled a block of rows against tiles of keys,\n"
          "   with a running maximum, as FlashAttention does; decode one row, likewise.\n"
          "   '=': the same bits as naive in outputs and log-sum-exps; 'x': a difference.");
  printf("\n                                        tiled, keys per tile\n"
         "   tokens  width  format  decode  ");
  for (int t = 0; t < TILES; t++)
    printf("%4zu", tiles[t]);
  printf("\n");
  if (compare_nests_f64(d, attest_lesson_q, attest_lesson_k, attest_lesson_v, LEN, WIDTH,
                        &same) != 0 ||
      compare_nests_f32(d, attest_lesson_q, attest_lesson_k, attest_lesson_v, LEN, WIDTH,
                        &same) != 0 ||
      compare_nests_f64(d, q, k, v, LONG_LEN, LONG_WIDTH, &same) != 0 ||
      compare_nests_f32(d, q, k, v, LONG_LEN, LONG_WIDTH, &same) != 0)
    return -1;
  printf("\n   The maximum is kept as a whole power of two, so that rescaling a running sum\n"
         "   rounds nothing, and every sum runs in the same order.\n");
  check(d, same);
  return 0;
}

static void write_svg(FILE *stream, const demo *d) {
  unsigned char hidden[CELLS];
  attest_heatmap map = {0};

  for (int i = 0; i < LEN; i++)
    for (int j = 0; j < LEN; j++)
      hidden[i * LEN + j] = j > i;
  map.title = "Causal attention weights";
  map.subtitle = "Row q: how much that token takes from each key k. Rows sum to one.";
  map.rows = map.columns = LEN;
  map.values = d->weights;
  map.hidden = hidden;
  attest_heatmap_svg(stream, &map);
}

static int show_all(demo *d) {
  printf("attest demo: causal attention on six tokens, all computed now, in float64.\n");
  if (show_weights(d) != 0 || show_output(d) != 0 || show_noscale(d) != 0 ||
      show_maximum(d) != 0 || show_mask_after(d) != 0 || show_heads(d) != 0 ||
      show_nests(d) != 0)
    return -1;
  if (d->failures == 0)
    printf("\nAll %d comparisons hold.\n", d->checks);
  else
    printf("\n%d of %d comparisons FAIL.\n", d->failures, d->checks);
  return 0;
}

/* 0: go on; 1: help was asked for; -1: an error. */
static int parse(int argc, char **argv, const char **svg, attest_fault *fault) {
  int id;

  *svg = NULL;
  while ((id = attest_next_option(argc, argv, "+:h", table, fault)) >= 0) {
    if (id == ATTEST_OPT_HELP)
      return 1;
    if (attest_once(svg, "--svg", optarg, fault) != 0)
      return -1;
  }
  return id == -1 ? 0 : -1;
}

int attest_command_demo(int argc, char **argv) {
  attest_output *output = NULL;
  const char *svg;
  demo d = {0};
  int result = parse(argc, argv, &svg, &d.fault);

  if (result == 1) {
    fputs(help, stdout);
    return attest_finish_stdout("demo", ATTEST_EXIT_DONE);
  }
  d.utf8 = attest_locale_is_utf8();
  if (result == 0)
    result = attest_engine_check_machine(&d.fault);
  if (result == 0 && svg != NULL)
    result = attest_output_open(svg, &output, ATTEST_TEXT(&d.fault));
  if (result == 0)
    result = show_all(&d);
  if (result == 0 && output != NULL) {
    write_svg(attest_output_stream(output), &d);
    result = attest_output_commit(&output, 1, ATTEST_TEXT(&d.fault));
  }
  attest_output_abort(output);
  if (result != 0)
    return attest_report("demo", &d.fault);
  return attest_finish_stdout("demo", d.failures == 0 ? ATTEST_EXIT_DONE : ATTEST_EXIT_FAIL);
}
