/* The elementary functions of ref/ against MPFR.

     functions STRIDE [exp2|log|tanh]

   cc -O3 -std=c99 -ffp-contract=off functions.c functions_f32.c functions_f64.c -lmpfr -lgmp

   What is checked, and how completely:
   - float 2^f: that it is monotone and that |f| < 2^-25 gives 1, for every float of [-1/2, 1/2] at
     any STRIDE; its error for every STRIDE-th float, all of them with STRIDE 1.
   - float log and tanh: every STRIDE-th float, special values and all signs included.
   - attest_round: every STRIDE-th float, and a sample of doubles. attest_pow2: every exponent.
   - double: a sample only. Random points, neighbours of the points where the code changes its
     course, and points whose exact result lies near the middle between two doubles.
   Fails if a result is over the bound its header states, if float 2^f errs by an ulp or more, or is
   not monotone.

   A float result is first judged by the double function of ref/, which errs by less than an ulp of
   double, 2^-29 ulp of float (proofs/functions.md). MPFR is asked where that could change a
   decision (within MARGIN of a half or of the bound) and for every CROSS_CHECK-th result, which
   also tests the margin; for 2^f with STRIDE 1 it is asked for every result where |f| >= 2^-25. On
   one core, with -O3: STRIDE 997 takes 5 seconds, STRIDE 1 half an hour. */
#include "functions.h"

#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096, CROSS_CHECK = 4099 };
#define MARGIN 0x1p-20 /* ulps of float */

static const char *const names[FUNCTIONS] = {"exp2", "log", "tanh"};

static int failures;

static void fail(const char *what, const char *format, double x, double got) {
  printf("FAIL %s %s: x = %a, got %a\n", what, format, x, got);
  failures++;
}

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static double double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double magnitude(double x) { return x < 0 ? -x : x; }

/* 2^k for a normal result. */
static double power(int k) { return double_of((uint64_t)(k + 1023) << 52); }

/* 1 over the ulp that v has in float; v a normal double. */
static double float_ulps(double v) {
  int k = (int)(bits_of(v) >> 52 & 2047) - 1023;
  if (k < -126) k = -126;
  return power(23 - k);
}

static uint64_t random_state = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t random_bits(void) { /* xorshift64 */
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static double random_unit(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

static void exact(int function, mpfr_t value, double x) {
  mpfr_set_d(value, x, MPFR_RNDN);
  if (function == EXP2) {
    mpfr_exp2(value, value, MPFR_RNDN);
  } else if (function == LOG) {
    mpfr_log(value, value, MPFR_RNDN);
  } else {
    mpfr_tanh(value, value, MPFR_RNDN);
  }
}

/* |got - value| in ulps of value, in a format of `digits` bits and least exponent `least`. */
static double exact_ulps(const mpfr_t value, double got, int digits, int least) {
  mpfr_t error;
  mpfr_exp_t k = mpfr_zero_p(value) ? least : mpfr_get_exp(value) - 1;
  double ulps;
  if (k < least) k = least;
  mpfr_init2(error, 200);
  mpfr_sub_d(error, value, got, MPFR_RNDN);
  mpfr_mul_2si(error, error, (long)(digits - 1 - k), MPFR_RNDN);
  ulps = magnitude(mpfr_get_d(error, MPFR_RNDA));
  mpfr_clear(error);
  return ulps;
}

struct tally {
  double worst;
  double where;
  unsigned long long count;
  unsigned long long misrounded;
};

static void report(int function, const char *format, const struct tally *tally) {
  printf("%-4s %s: %llu results, at most %.5f ulp (at %a), %llu not correctly rounded\n",
         names[function], format, tally->count, tally->worst, tally->where, tally->misrounded);
}

static void enter(struct tally *tally, double ulps, double x) {
  tally->count++;
  if (ulps > 0.5) tally->misrounded++;
  if (ulps > tally->worst) {
    tally->worst = ulps;
    tally->where = x;
  }
}

/* The claim of float 2^f is one ulp, sharper than its derived bound. */
static double float_limit(int function) {
  return function == EXP2 ? 1 : bounds_f32[function].ulps;
}

static void judge_floats(int function, const float *x, const float *y, size_t n, uint64_t each,
                         struct tally *tally, mpfr_t value) {
  double in[BLOCK], near[BLOCK];
  size_t i;
  for (i = 0; i < n; i++) in[i] = (double)x[i];
  apply_f64(function, in, near, n);
  for (i = 0; i < n; i++) {
    double got = (double)y[i];
    double error = magnitude(got - near[i]);
    double ulps = 0;
    if (got != got && near[i] != near[i]) continue; /* NaN, rightly: see specials */
    if (got != near[i] || each == 1) {
      if (!(error - error == 0)) { /* one of them infinite or NaN */
        fail(names[function], "f32", in[i], got);
        continue;
      }
      ulps = error * float_ulps(near[i]);
      if (magnitude(ulps - 0.5) < MARGIN || magnitude(ulps - float_limit(function)) < MARGIN
          || tally->count % each == 0) {
        double certain;
        exact(function, value, in[i]);
        certain = exact_ulps(value, got, 24, -126);
        if (!(magnitude(certain - ulps) < MARGIN)) fail(names[function], "margin", in[i], near[i]);
        ulps = certain;
      }
      if (ulps >= float_limit(function)
          || error > bounds_f32[function].relative * magnitude(near[i])) {
        fail(names[function], "f32", in[i], got);
      }
    }
    enter(tally, ulps, in[i]);
  }
}

/* Every stride-th bit pattern of first .. last. MPFR judges one in `each`, and what is near a decision. */
static void floats(int function, uint32_t first, uint32_t last, uint32_t stride,
                   struct tally *tally, mpfr_t value) {
  float x[BLOCK], y[BLOCK];
  const uint64_t each = function == EXP2 && stride == 1 ? 1 : CROSS_CHECK;
  uint64_t bits = first;
  while (bits <= last) {
    size_t n = 0;
    for (; n < BLOCK && bits <= last; n++, bits += stride) x[n] = float_of((uint32_t)bits);
    apply_f32(function, x, y, n);
    judge_floats(function, x, y, n, each, tally, value);
  }
}

enum { HALF = 126 << 23, TINY = 102 << 23 }; /* bits of 1/2 and of 2^-25 */

/* 2^f from 0 outwards, every float: never back, and 1 until 2^-25. */
static void monotone(uint32_t sign) {
  float x[BLOCK + 1], y[BLOCK + 1];
  uint32_t first;
  y[0] = 1;
  for (first = 0; first <= HALF; first += BLOCK) {
    uint32_t n = HALF - first + 1 < BLOCK ? HALF - first + 1 : BLOCK;
    uint32_t i;
    int wrong = 0;
    float before = y[0];
    for (i = 0; i < n; i++) x[i] = float_of((first + i) | sign);
    apply_f32(EXP2, x, y + 1, n);
    y[0] = before;
    if (sign) {
      for (i = 0; i < n; i++) wrong |= !(y[i + 1] <= y[i]);
    } else {
      for (i = 0; i < n; i++) wrong |= !(y[i + 1] >= y[i]);
    }
    if (first + n <= TINY) {
      for (i = 0; i < n; i++) wrong |= y[i + 1] != 1;
    }
    if (wrong) fail("exp2 monotone", "f32", (double)x[0], (double)y[1]);
    y[0] = y[n];
  }
}

static void judge_double(int function, double x, struct tally *tally, mpfr_t value) {
  double y, ulps, error;
  apply_f64(function, &x, &y, 1);
  exact(function, value, x);
  if (mpfr_zero_p(value) || !mpfr_number_p(value)) return;
  ulps = exact_ulps(value, y, 53, -1022);
  if (!(ulps <= bounds_f64[function].ulps)) fail(names[function], "f64", x, y);
  mpfr_d_sub(value, y, value, MPFR_RNDN);
  error = magnitude(mpfr_get_d(value, MPFR_RNDA));
  if (magnitude(y) >= power(-1022)
      && error > bounds_f64[function].relative * (1 + 0x1p-50) * magnitude(y)) {
    fail(names[function], "f64 relative", x, y);
  }
  enter(tally, ulps, x);
}

static int in_domain(int function, double x) {
  if (!(x - x == 0)) return 0;
  return function == EXP2 ? magnitude(x) <= 0.5 : function == LOG ? x > 0 : 1;
}

static void around(int function, double centre, int reach, struct tally *tally, mpfr_t value) {
  int i;
  for (i = -reach; i <= reach; i++) {
    double x = double_of(bits_of(centre) + (uint64_t)(int64_t)i);
    if (in_domain(function, x)) judge_double(function, x, tally, value);
  }
}

/* A point x at which the code takes a new course, or an end, or the exact result changes ulp. */
static double turning_point(int function, int i) {
  static const double of_exp2[] = {0.5, -0.5, 0.25, -0.25, 0.125, -0.125, 0x1p-54, -0x1p-54};
  static const double of_log[] = {1, 0x1.6p0, 0x1.6p-1, 1.28402541668774148407, 1.75, 2, 0x1p-1022,
                                  0x1p-1074, 0x1.fffffffffffffp1023, 1.0625, 0.9375};
  static const double of_tanh[] = {0x1p-28, 0x1.6p-1, 20, 0.0625, 0.25541281188299534, 0x1p-1074,
                                   0x1p-1022, 19.06154746539849, 0.54930614433405484, 10};
  if (function == EXP2) return of_exp2[i % 8];
  if (function == LOG) return of_log[i % 11];
  if (i < 60) return (i + 0.5) * 0.34657359027997265; /* n changes at (n + 1/2) log(2) / 2 */
  return of_tanh[i % 10];
}

static double random_point(int function) {
  double u = random_unit();
  unsigned pick = (unsigned)(random_bits() % 4);
  if (function == EXP2) return pick ? u - 0.5 : (u - 0.5) * power(-(int)(random_bits() % 60));
  if (function == LOG) {
    if (pick == 0) return double_of(random_bits() >> 1); /* any exponent */
    if (pick == 1) return 1 + (u - 0.5) * power(-(int)(random_bits() % 52));
    return 0.3125 + u * 2.75;
  }
  u *= pick == 0 ? 22 : pick == 1 ? power(-(int)(random_bits() % 40)) : 1.5;
  return random_bits() & 1 ? u : -u;
}

/* An x whose exact result is near the middle of two doubles, as near as the spacing of x allows. */
static double near_tie(int function, mpfr_t value) {
  double x = random_point(function), y;
  apply_f64(function, &x, &y, 1);
  mpfr_set_d(value, y, MPFR_RNDN);
  if (!mpfr_regular_p(value)) return 0.5;
  {
    mpfr_t half;
    mpfr_init2(half, 53);
    mpfr_set_ui_2exp(half, 1, mpfr_get_exp(value) - 54, MPFR_RNDN);
    mpfr_add(value, value, half, MPFR_RNDN);
    mpfr_clear(half);
  }
  if (function == EXP2) {
    mpfr_log2(value, value, MPFR_RNDN);
  } else if (function == LOG) {
    mpfr_exp(value, value, MPFR_RNDN);
  } else {
    mpfr_atanh(value, value, MPFR_RNDN);
  }
  return mpfr_get_d(value, MPFR_RNDN);
}

static void doubles(int function, unsigned long count, struct tally *tally, mpfr_t value) {
  unsigned long i;
  for (i = 0; i < 80; i++) around(function, turning_point(function, (int)i), 50, tally, value);
  for (i = 0; i < count; i++) {
    double x = i % 4 ? random_point(function) : near_tie(function, value);
    if (in_domain(function, x)) judge_double(function, x, tally, value);
  }
}

/* Nearest, even at a tie, without a library: |y| < 2^62 fits an integer. */
static int is_rounded(double y, double r) {
  double distance = magnitude(y - r);
  if (!(magnitude(y) < 0x1p52)) return r == y || (r != r && y != y);
  if (r != (double)(int64_t)r || distance > 0.5) return 0;
  return distance < 0.5 || (int64_t)r % 2 == 0;
}

static void helpers(uint32_t stride) {
  static const double ends[] = {0.5,    1.5,    2.5,    0x1p22, 0x1p23,
                                0x1p31, 0x1p51, 0x1p52, 0x1p53, 0x1p63};
  float x[BLOCK], y[BLOCK];
  uint64_t bits = 0;
  int i, k;
  while (bits <= UINT32_MAX) {
    size_t n = 0, j;
    for (; n < BLOCK && bits <= UINT32_MAX; n++, bits += stride) x[n] = float_of((uint32_t)bits);
    round_f32(x, y, n);
    for (j = 0; j < n; j++) {
      if (!is_rounded((double)x[j], (double)y[j])) fail("round", "f32", (double)x[j], (double)y[j]);
    }
  }
  for (i = 0; i < 1000000; i++) {
    double a = double_of(random_bits()), b;
    if (i % 2) a = (double)(int64_t)random_bits() * power(-(int)(random_bits() % 64) - 1);
    if (i < 10000) a = double_of(bits_of(ends[i % 10]) + (uint64_t)(int64_t)(i / 20 - 250));
    if (i & 16) a = -a;
    round_f64(&a, &b, 1);
    if (!is_rounded(a, b)) fail("round", "f64", a, b);
  }
  for (k = -3000; k <= 3000; k++) {
    float e = (float)k, p;
    double d = k, q;
    pow2_f32(&e, &p, 1);
    pow2_f64(&d, &q, 1);
    if ((double)p != (k >= 0 ? 1 : k < -126 ? 0 : power(k))) fail("pow2", "f32", d, (double)p);
    if (q != (k >= 0 ? 1 : k < -1022 ? 0 : power(k))) fail("pow2", "f64", d, q);
  }
  for (i = 0; i < 5; i++) {
    static const uint32_t odd[5] = {0x7fc00000, 0xff800000, 0x7f800000, 0xff7fffff, 0x7f7fffff};
    float e = float_of(odd[i]), p;
    double d = (double)e, q;
    pow2_f32(&e, &p, 1);
    pow2_f64(&d, &q, 1);
    if ((double)p != (e > 0 ? 1 : 0)) fail("pow2", "f32", d, (double)p);
    if (q != (e > 0 ? 1 : 0)) fail("pow2", "f64", d, q);
  }
}

/* Values that a bound does not cover. */
static void specials(void) {
  static const uint32_t in[] = {0, 0x80000000, 0x3f800000, 0x7f800000, 0xff800000, 0x7fc00000,
                                0xbf800000};
  static const float out[FUNCTIONS][7] = {
    {1, 1, 0, 0, 0, 0, 0}, /* the rest is outside [-1/2, 1/2] */
    {0, 0, 0, 0, 0, 0, 0}, /* infinities and NaN are put in below */
    {0, 0, 0, 1, -1, 0, 0}
  };
  float infinity = float_of(0x7f800000);
  int i, function;
  for (i = 0; i < 7; i++) {
    for (function = 0; function < FUNCTIONS; function++) {
      float x = float_of(in[i]), y, want = out[function][i];
      double dx = (double)x, dy;
      int nan = i == 5 || (function == LOG && (i == 4 || i == 6));
      if (function == EXP2 && i >= 2 && i != 5) continue;
      if (function == TANH && (i == 2 || i == 6)) continue;
      if (function == LOG && i < 2) want = -infinity;
      if (function == LOG && i == 3) want = infinity;
      apply_f32(function, &x, &y, 1);
      apply_f64(function, &dx, &dy, 1);
      if (nan ? y == y : y != want) fail(names[function], "f32 special", dx, (double)y);
      if (nan ? dy == dy : dy != (double)want) fail(names[function], "f64 special", dx, dy);
      if (function == TANH && i < 2 && (1 / y != 1 / x || 1 / dy != 1 / dx)) {
        fail("tanh", "sign of zero", dx, dy);
      }
    }
  }
}

int main(int argc, char **argv) {
  unsigned long stride = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
  const char *only = argc > 2 ? argv[2] : NULL;
  mpfr_t value;
  int function, known = only == NULL;
  for (function = 0; function < FUNCTIONS; function++) {
    if (only && strcmp(only, names[function]) == 0) known = 1;
  }
  if (stride < 1 || stride > 0x1000000 || argc > 3 || !known) {
    fputs("usage: functions STRIDE [exp2|log|tanh]    STRIDE from 1 to 16777216\n", stderr);
    return 2;
  }
  mpfr_init2(value, 200);
  for (function = 0; function < FUNCTIONS; function++) {
    struct tally single = {0, 0, 0, 0}, twice = {0, 0, 0, 0};
    if (only && strcmp(only, names[function]) != 0) continue;
    if (function == EXP2) {
      monotone(0);
      monotone(0x80000000);
      floats(EXP2, TINY, HALF, (uint32_t)stride, &single, value);
      floats(EXP2, TINY | 0x80000000, HALF | 0x80000000, (uint32_t)stride, &single, value);
    } else {
      floats(function, 0, UINT32_MAX, (uint32_t)stride, &single, value);
    }
    report(function, "f32", &single);
    doubles(function, 200000 + 20000000 / stride, &twice, value);
    report(function, "f64", &twice);
  }
  if (!only) {
    helpers((uint32_t)stride);
    specials();
  }
  mpfr_clear(value);
  mpfr_free_cache();
  if (failures) printf("functions: %d failures\n", failures);
  return failures != 0;
}
