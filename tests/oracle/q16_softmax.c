/* Softmax alone, by fixed/ and, with -DPEER_CMSIS, by CMSIS-NN's s16 function (tests/peers/run): how
   far weights are from exact ones, in ulp of Q16.16, and how far rows are from summing to one.

   A line 'ok ...' or 'FAIL ...' a width, and for tests/peers/run
     WIDTH NAME LARGEST MEAN SUM
   of ROWS rows of WIDTH scores in [-5, 5]; SUM: the worst row's distance from 1 in ulp. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpfr.h>

#include "../../fixed/attest_q16.h"
#include "bound.h"

#ifdef PEER_CMSIS
#include "arm_nnfunctions.h"
#endif

enum { MOST = 1024, ROWS = 1000, BITS = 128 };

static uint64_t state = 1;

static int16_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int16_t)((int)(state >> 48) - 32768);
}

/* How far some rows were off. */
typedef struct {
  double largest, total, count, sum;
} errors;

/* Holds weights, in units of 2^-16, against the softmax of scores / unit. */
static void compare(errors *e, const double *scores, double unit, const double *weights, int width) {
  static mpfr_t power[MOST];
  static int ready;
  mpfr_t total, weight;
  double sum = 0;

  for (int j = 0; j < MOST && !ready; j++) mpfr_init2(power[j], BITS);
  ready = 1;
  mpfr_inits2(BITS, total, weight, (mpfr_ptr)0);
  mpfr_set_zero(total, 1);
  for (int j = 0; j < width; j++) {
    mpfr_set_d(power[j], scores[j], MPFR_RNDN);
    mpfr_div_d(power[j], power[j], unit, MPFR_RNDN);
    mpfr_exp(power[j], power[j], MPFR_RNDN);
    mpfr_add(total, total, power[j], MPFR_RNDN);
  }
  for (int j = 0; j < width; j++) {
    mpfr_div(weight, power[j], total, MPFR_RNDN);
    mpfr_mul_ui(weight, weight, 65536, MPFR_RNDN);
    mpfr_sub_d(weight, weight, weights[j], MPFR_RNDN);
    const double error = fabs(mpfr_get_d(weight, MPFR_RNDA));
    e->largest = fmax(e->largest, error);
    e->total += error;
    e->count++;
    sum += weights[j];
  }
  e->sum = fmax(e->sum, fabs(sum - 65536));
  mpfr_clears(total, weight, (mpfr_ptr)0);
}

/* A score is 10 / 65535 for each unit of x: CMSIS-NN's table has exponentials of [-10, 0]. Each
   function is judged by the scores that it was given: here by those rounded to Q16.16. */
static int attest_row(errors *e, const int16_t *x, int width) {
  static int32_t rounded[MOST], weights[MOST];
  static double scores[MOST], got[MOST];

  for (int j = 0; j < width; j++) {
    rounded[j] = (int32_t)lrint(x[j] * (655360.0 / 65535));
    scores[j] = rounded[j];
  }
  if (attest_q16_softmax(rounded, (uint32_t)width, weights) != ATTEST_Q16_OK) return 0;
  for (int j = 0; j < width; j++) got[j] = weights[j];
  compare(e, scores, 65536, got, width);
  return 1;
}

#ifdef PEER_CMSIS
enum { ENTRIES = 513 };

/* Tables as TensorFlow Lite Micro makes them: points `step` apart of a function in units of 2^-15, each
   moved by half of what interpolation to the next is off in the middle. */
static void fill(int16_t *table, double from, double to, double (*f)(double)) {
  const double step = (to - from) / (ENTRIES - 1), scale = 32768;

  for (int i = 0; i < ENTRIES; i++) {
    const double x = from + i * step;
    const double here = round(f(x) * scale), next = f(x + step) * scale;
    const double middle = round((here + next) / 2) - round(f(x + step / 2) * scale);
    const double value = i == ENTRIES - 1 ? here : here - round(middle / 2);
    table[i] = (int16_t)fmin(32767, fmax(-32768, value));
  }
}

static double inverse(double x) { return 1 / (1 + x); }

static int cmsis_row(errors *e, const int16_t *x, int width) {
  static int16_t exponentials[ENTRIES], inverses[ENTRIES], out[MOST];
  static double scores[MOST], got[MOST];
  const cmsis_nn_softmax_lut_s16 tables = {exponentials, inverses};

  fill(exponentials, -10, 0, exp);
  fill(inverses, 0, 1, inverse);
  /* 2^30 * 2^(1 - 31): scores are not scaled. */
  if (arm_softmax_s16(x, 1, width, 1 << 30, 1, &tables, out) != ARM_CMSIS_NN_SUCCESS) return 0;
  for (int j = 0; j < width; j++) {
    scores[j] = x[j] * 10.0;
    got[j] = 2.0 * out[j];
  }
  compare(e, scores, 65535, got, width);
  return 1;
}
#endif

/* Rows of one width by one function. */
static errors run(const char *name, int (*row)(errors *, const int16_t *, int), int width) {
  errors e = {0, 0, 0, 0};
  int16_t x[MOST];

  state = 1;
  for (int n = 0; n < ROWS; n++) {
    for (int j = 0; j < width; j++) x[j] = draw();
    if (!row(&e, x, width)) {
      printf("%s refuses a row of %d\n", name, width);
      exit(1);
    }
  }
  printf("%d %s %.4f %.4f %.0f\n", width, name, e.largest, e.total / e.count, e.sum);
  return e;
}

int main(void) {
  static const int widths[] = {10, 64, 1024};
  int failed = 0;

  for (int i = 0; i < 3; i++) {
    const double most = 65536 * attest_bound_q16_weight(widths[i]);
    const errors e = run("attest", attest_row, widths[i]);
    const int good = e.largest <= most && e.sum == 0;
    printf("%s softmax of %d: a weight within %.4f ulp, at most %.4f; row sums %s\n",
           good ? "ok" : "FAIL", widths[i], e.largest, most, e.sum == 0 ? "exact" : "off");
    failed |= !good;
#ifdef PEER_CMSIS
    run("CMSIS-NN", cmsis_row, widths[i]);
#endif
  }
  mpfr_free_cache();
  return failed;
}
