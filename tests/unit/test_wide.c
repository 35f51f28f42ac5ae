/* Double-double arithmetic and the row that is built on it, against MPFR. What is compared is
   computed here from the definitions, with so many bits that its own error does not count. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/double_double.h"
#include "oracle/wide.h"
#include "random.h"

/* Sums of doubles with exponents from -1074 to 1023 are exact. */
enum { EXACT_BITS = 2400, ROW_BITS = 1100 };

static void set_dd(mpfr_t x, attest_dd a) {
  mpfr_set_d(x, a.h, MPFR_RNDN);
  mpfr_add_d(x, x, a.l, MPFR_RNDN);
}

/* |got - want| over bound * |want| + tiny, with got normalised. */
static double ratio_of(attest_dd got, mpfr_t want, double bound, double tiny) {
  mpfr_t error, allowed;
  double ratio;
  mpfr_inits2(EXACT_BITS, error, allowed, (mpfr_ptr)0);
  if (!(got.h + got.l == got.h)) fail_msg("%a + %a is not normalised", got.h, got.l);
  set_dd(error, got);
  mpfr_sub(error, error, want, MPFR_RNDN);
  mpfr_abs(error, error, MPFR_RNDN);
  mpfr_abs(allowed, want, MPFR_RNDN);
  mpfr_mul_d(allowed, allowed, bound, MPFR_RNDN);
  mpfr_add_d(allowed, allowed, tiny, MPFR_RNDN);
  if (mpfr_zero_p(error)) ratio = 0;
  else if (mpfr_zero_p(allowed)) ratio = INFINITY;
  else {
    mpfr_div(error, error, allowed, MPFR_RNDN);
    ratio = mpfr_get_d(error, MPFR_RNDU);
  }
  mpfr_clears(error, allowed, (mpfr_ptr)0);
  return ratio;
}

static void keep(double *most, double ratio) {
  if (!(ratio <= *most)) *most = ratio;
}

/* A double with an exponent from low to high - 1; one in four has few bits, or is next to a power
   of two, where roundings are worst. */
static double some(uint64_t *state, int low, int high) {
  const int e = low + (int)below(state, (size_t)(high - low));
  const double sign = below(state, 2) ? 1 : -1;
  double x = 1 + fabs(spread(state, 0)) * (1 - DBL_EPSILON);
  switch (below(state, 8)) {
    case 0: x = 1 + ldexp((double)below(state, 16), -4); break;
    case 1: x = below(state, 2) ? 1 + ldexp((double)below(state, 4), -52)
                                : 2 - ldexp((double)(1 + below(state, 4)), -52); break;
    default: break;
  }
  return sign * ldexp(x, e);
}

static attest_dd some_dd(uint64_t *state, int low, int high) {
  const double h = some(state, low, high);
  const double half = fabs(h) * 0x1p-54; /* from a half to a quarter of an ulp */
  double l;
  switch (below(state, 6)) {
    case 0: l = 0; break;
    case 1: l = below(state, 2) ? half : -half; break;
    case 2: l = half * some(state, -60, 0); break;
    default: l = 2 * half * spread(state, 0); break;
  }
  return attest_dd_two_sum(h, l);
}

static void constants(void **unused) {
  mpfr_t x, y;
  (void)unused;
  mpfr_inits2(EXACT_BITS, x, y, (mpfr_ptr)0);
  for (int i = 0; i < ATTEST_DD_EXP_TERMS; i++) {
    attest_dd c = {0, 0};
    if (i < ATTEST_DD_EXP_WIDE) c = attest_dd_inverse_factorial[i];
    else c.h = attest_dd_inverse_factorial_d[i - ATTEST_DD_EXP_WIDE];
    mpfr_fac_ui(x, (unsigned long)i, MPFR_RNDN);
    mpfr_ui_div(x, 1, x, MPFR_RNDN);
    if (i < 3) assert_true(ratio_of(c, x, 0, 0) == 0);
    assert_true(ratio_of(c, x, i < ATTEST_DD_EXP_WIDE ? 0x1p-106 : 0x1p-53, 0) <= 1);
  }
  mpfr_const_log2(x, MPFR_RNDN);
  mpfr_ui_div(y, 1, x, MPFR_RNDN);
  assert_true(ratio_of(attest_dd_log2_e, y, 0x1p-106, 0) <= 1);
  mpfr_sub_d(x, x, ATTEST_DD_LN2_1, MPFR_RNDN);
  mpfr_sub_d(x, x, ATTEST_DD_LN2_2, MPFR_RNDN);
  assert_true(fabs(ATTEST_DD_LN2_2) < 0x1p-44 && mpfr_cmpabs_ui(x, 0) > 0);
  mpfr_sub_d(x, x, ATTEST_DD_LN2_3, MPFR_RNDN);
  assert_true(mpfr_get_exp(x) <= -139);
  for (int k = 0; k < 1024; k++) { /* exact products */
    assert_true(attest_dd_two_prod(k, ATTEST_DD_LN2_1).l == 0);
    assert_true(attest_dd_two_prod(k, ATTEST_DD_LN2_2).l == 0);
  }
  mpfr_clears(x, y, (mpfr_ptr)0);
}

/* The building blocks, exact where they say so; the others' largest ratios are printed. */
static void operations(void **unused) {
  uint64_t state = 7;
  double add = 0, mul = 0, mul_d = 0, div = 0, product = 0;
  mpfr_t x, y, z;
  (void)unused;
  mpfr_inits2(EXACT_BITS, x, y, z, (mpfr_ptr)0);
  for (int n = 0; n < 60000; n++) {
    const int near = n % 3 == 0;
    attest_dd a = some_dd(&state, near ? -2 : -300, near ? 2 : 300);
    attest_dd b = some_dd(&state, near ? -2 : -300, near ? 2 : 300);
    if (n % 5 == 0) { /* cancels but for some bits */
      b = attest_dd_neg(a);
      if (n % 2) b.l += b.l * some(&state, -53, -1);
      else b.h += b.h * ldexp(1, -(int)below(&state, 53));
      b = attest_dd_two_sum(b.h, b.l);
    }
    set_dd(x, a);
    set_dd(y, b);
    mpfr_add(z, x, y, MPFR_RNDN);
    keep(&add, ratio_of(attest_dd_add(a, b), z, ATTEST_DD_ADD, 0));
    mpfr_mul(z, x, y, MPFR_RNDN);
    keep(&mul, ratio_of(attest_dd_mul(a, b), z, ATTEST_DD_MUL, ATTEST_DD_TINY));
    mpfr_mul_d(z, x, b.h, MPFR_RNDN);
    keep(&mul_d, ratio_of(attest_dd_mul_d(a, b.h), z, ATTEST_DD_MUL_D, ATTEST_DD_TINY));
    mpfr_set_d(z, a.h, MPFR_RNDN);
    mpfr_add_d(z, z, b.h, MPFR_RNDN);
    assert_true(ratio_of(attest_dd_two_sum(a.h, b.h), z, 0, 0) == 0);
    b = some_dd(&state, 0, 23);
    b.h = fabs(b.h);
    b.l = b.h == 1 ? fabs(b.l) : b.l;
    set_dd(y, b);
    mpfr_div(z, x, y, MPFR_RNDN);
    keep(&div, ratio_of(attest_dd_div(a, b), z, ATTEST_DD_DIV, 0));
    mpfr_set_d(z, a.h, MPFR_RNDN);
    mpfr_mul_d(z, z, b.h, MPFR_RNDN);
    assert_true(ratio_of(attest_dd_two_prod(a.h, b.h), z, 0, 0) == 0);
  }
  /* where products underflow */
  for (int n = 0; n < 60000; n++) {
    const int low = n % 2 ? -1074 : -1000 + n % 1400;
    attest_dd a = some_dd(&state, low, low + 100 > -950 ? low + 100 : -950);
    attest_dd b = some_dd(&state, -600, 500);
    double bound = 0;
    set_dd(x, a);
    set_dd(y, b);
    mpfr_mul(z, x, y, MPFR_RNDN);
    keep(&mul, ratio_of(attest_dd_mul(a, b), z, ATTEST_DD_MUL, ATTEST_DD_TINY));
    mpfr_mul_d(z, x, b.h, MPFR_RNDN);
    keep(&mul_d, ratio_of(attest_dd_mul_d(a, b.h), z, ATTEST_DD_MUL_D, ATTEST_DD_TINY));
    mpfr_set_d(z, a.h, MPFR_RNDN);
    mpfr_mul_d(z, z, b.h, MPFR_RNDN);
    if (fabs(a.h * b.h) < ATTEST_DD_EXACT_FROM) bound = 0x1p-1013;
    keep(&product, ratio_of(attest_dd_two_prod(a.h, b.h), z, 0, bound));
    mpfr_add(z, x, y, MPFR_RNDN);
    keep(&add, ratio_of(attest_dd_add(a, b), z, ATTEST_DD_ADD, 0));
    b = some_dd(&state, 0, 23);
    b.h = fabs(b.h);
    b.l = b.h == 1 ? fabs(b.l) : b.l;
    set_dd(y, b);
    mpfr_div(z, x, y, MPFR_RNDN);
    if (fabs(a.h) <= 0x1p900)
      keep(&div, ratio_of(attest_dd_div(a, b), z, ATTEST_DD_DIV, ATTEST_DD_TINY));
  }
  print_message("error over bound: add %.3f, mul_d %.3f, mul %.3f, div %.3f, two_prod %.3f\n", add,
                mul_d, mul, div, product);
  assert_true(add <= 1 && mul <= 1 && mul_d <= 1 && div <= 1 && product <= 1);
  mpfr_clears(x, y, z, (mpfr_ptr)0);
}

/* exp(t), with 300 bits; in every lane but for the first there are others beside it. */
static double exp_ratio(attest_dd t) {
  static double h[ATTEST_DD_LANES], l[ATTEST_DD_LANES];
  static int lane;
  const attest_dd alone = attest_dd_exp(t);
  mpfr_t x;
  double ratio;
  for (int n = 0; n < ATTEST_DD_LANES; n++) {
    h[n] = n == lane ? t.h : -(double)(80 * n) - 0.3;
    l[n] = n == lane ? t.l : 0x1p-55;
  }
  attest_dd_exp_lanes(h, l);
  assert_true(h[lane] == alone.h && l[lane] == alone.l);
  lane = (lane + 1) % ATTEST_DD_LANES;
  mpfr_init2(x, 300);
  set_dd(x, t);
  mpfr_exp(x, x, MPFR_RNDN);
  ratio = ratio_of(alone, x, ATTEST_DD_EXP, 0);
  mpfr_clear(x);
  return ratio;
}

static double log_ratio(attest_dd t) {
  mpfr_t x;
  double ratio;
  mpfr_init2(x, 300);
  set_dd(x, t);
  mpfr_log(x, x, MPFR_RNDN);
  ratio = ratio_of(attest_dd_log(t), x, 0, ATTEST_DD_LOG);
  mpfr_clear(x);
  return ratio;
}

static void functions(void **unused) {
  uint64_t state = 21;
  double exp_most = 0, log_most = 0, rsqrt_most = 0;
  mpfr_t x;
  (void)unused;
  for (int n = 0; n < 40000; n++) {
    attest_dd t = some_dd(&state, n % 2 ? -3 : -120, 10);
    if (t.h > 0) t = attest_dd_neg(t);
    if (t.h >= ATTEST_DD_EXP_LEAST) keep(&exp_most, exp_ratio(t));
    t = some_dd(&state, 0, 22);
    if (n % 4 == 0) t = attest_dd_two_sum(1, fabs(some(&state, -110, 0)));
    t.h = fabs(t.h);
    t.l = t.h == 1 ? fabs(t.l) : t.l;
    keep(&log_most, log_ratio(t));
  }
  for (int n = 0; n < 20000; n++) { /* near odd multiples of log(2) / 2, where r is largest */
    const double half = (double)below(&state, 1900) / 2 * ATTEST_DD_LN2_1;
    const attest_dd t = attest_dd_two_sum(-half, half * some(&state, -53, -30));
    if (t.h <= 0 && t.h >= ATTEST_DD_EXP_LEAST) keep(&exp_most, exp_ratio(t));
  }
  for (double t = 0; t >= ATTEST_DD_EXP_LEAST; t -= 0.25) {
    const attest_dd wide = {t, 0};
    keep(&exp_most, exp_ratio(wide));
  }
  mpfr_init2(x, 300);
  for (unsigned long n = 1; n <= 4096; n++) { /* every width there is */
    const attest_dd y = attest_dd_rsqrt((double)n);
    mpfr_set_ui(x, n, MPFR_RNDN);
    mpfr_rec_sqrt(x, x, MPFR_RNDN);
    keep(&rsqrt_most, ratio_of(y, x, ATTEST_DD_RSQRT, 0));
    if (y.l == 0) assert_true(ratio_of(y, x, 0, 0) == 0);
  }
  mpfr_clear(x);
  print_message("error over bound: exp %.3f, log %.3f, rsqrt %.3f\n", exp_most, log_most,
                rsqrt_most);
  assert_true(exp_most <= 1 && log_most <= 1 && rsqrt_most <= 1);
  assert_true(attest_dd_exp((attest_dd){0, 0}).h == 1 && attest_dd_exp((attest_dd){0, 0}).l == 0);
  assert_true(attest_dd_log((attest_dd){1, 0}).h == 0 && attest_dd_log((attest_dd){1, 0}).l == 0);
}

enum { LONGEST = 1032 };

/* The error of one dot product over what it says. */
static double dot_ratio(const attest_dd_vector *x, const double *y, size_t count) {
  const attest_dd_sum got = attest_dd_dot(x, y, count);
  mpfr_t sum, part;
  double ratio;
  mpfr_inits2(2 * EXACT_BITS, sum, part, (mpfr_ptr)0); /* products have exponents of two doubles */
  mpfr_set_zero(sum, 1);
  for (size_t i = 0; i < count; i++) {
    mpfr_set_d(part, x->high[i], MPFR_RNDN);
    if (x->low) mpfr_add_d(part, part, x->low[i], MPFR_RNDN);
    mpfr_mul_d(part, part, y[i], MPFR_RNDN);
    mpfr_add(sum, sum, part, MPFR_RNDN);
  }
  ratio = ratio_of(got.value, sum, 0, got.error * (1 + 0x1p-40) + (double)count * ATTEST_DD_TINY);
  mpfr_clears(sum, part, (mpfr_ptr)0);
  return ratio;
}

static void dots(void **unused) {
  static double high[LONGEST], low[LONGEST], upper[LONGEST], lower[LONGEST], y[LONGEST];
  uint64_t state = 29;
  double most[6] = {0};
  (void)unused;
  for (int n = 0; n < 6000; n++) {
    const int kind = n % 6, wild = kind == 1 || kind == 5;
    const size_t groups = n % 50 == 0 ? LONGEST / ATTEST_DD_LANES : n % 7 == 0 ? 18 : 5;
    const size_t count = (1 + below(&state, groups)) * ATTEST_DD_LANES;
    attest_dd_vector x = {high, n % 4 ? NULL : low, upper, lower, 0};
    attest_dd_sum narrow, full;
    for (size_t i = 0; i < count; i++) {
      attest_dd a = some_dd(&state, wild ? -3 : 0, wild ? 50 : 2);
      y[i] = some(&state, -1, wild ? 50 : 1);
      if (kind == 2) a.h = fabs(a.h), a.l = fabs(a.l);
      if (kind == 2) y[i] = fabs(y[i]);
      if (kind == 3) { /* underflow of every part */
        a = some_dd(&state, -1000, -500 + (int)below(&state, 600));
        y[i] = some(&state, -700, -100);
      }
      if (kind == 4 && i % 2) { /* cancels but for the last bits */
        a.h = -high[i - 1];
        a.l = -low[i - 1];
        y[i] = y[i - 1] * (1 + 0x1p-52);
      }
      if (kind == 5) { /* the few bits of narrow numbers */
        a.h = (double)(float)a.h;
        y[i] = (double)(float)y[i] * (n / 6 % 2 ? 1 : 1 + 0x1p-28);
      }
      high[i] = a.h;
      low[i] = a.l;
      a = attest_dd_split(high[i]);
      upper[i] = a.h;
      lower[i] = a.l;
    }
    if (kind == 5) {
      x.low = NULL;
      full = attest_dd_dot(&x, y, count);
      x.narrow = attest_dd_narrow(high, count);
      assert_true(x.narrow && attest_dd_narrow(y, count) == n / 6 % 2);
      narrow = attest_dd_dot(&x, y, count);
      assert_true(narrow.value.h == full.value.h && narrow.value.l == full.value.l);
      assert_true(narrow.error == full.error);
    }
    keep(&most[kind], dot_ratio(&x, y, count));
  }
  print_message("dot products, error over bound:");
  for (int kind = 0; kind < 6; kind++) {
    print_message(" %.4f", most[kind]);
    assert_true(most[kind] <= 1 && most[kind] > 0.001);
  }
  print_message("\n");
  /* 26 bits and 27 */
  y[0] = 1 + 0x1p-25;
  assert_true(attest_dd_narrow(y, 1));
  y[0] = 1 + 0x1p-26;
  assert_false(attest_dd_narrow(y, 1));
  /* what overflows on the way has no error bound */
  for (int n = 0; n < 4; n++) {
    attest_dd_vector x = {high, NULL, upper, lower, n % 2};
    for (int i = 0; i < 8; i++) high[i] = upper[i] = lower[i] = y[i] = 0;
    high[1] = upper[1] = high[2] = upper[2] = 1;
    y[1] = n < 2 ? DBL_MAX : 0x1p1023;
    y[2] = n < 2 ? -DBL_MAX : 0x1p1023;
    assert_true(!(attest_dd_dot(&x, y, 8).error <= DBL_MAX));
  }
}

/* A row with its memory. */
typedef struct {
  attest_row_view view;
  double *q, *k, *v;
} problem;

static problem new_problem(size_t count, size_t width, size_t value_width) {
  problem p;
  p.q = calloc(width, sizeof(double));
  p.k = calloc(count * width, sizeof(double));
  p.v = calloc(count * value_width, sizeof(double));
  p.view.kind = ATTEST_ROW_FINITE;
  p.view.count = count;
  p.view.keys = calloc(count, sizeof *p.view.keys);
  p.view.dropped = 0;
  p.view.drop = NULL;
  p.view.q = p.q;
  p.view.width = width;
  p.view.value_width = value_width;
  p.view.scale_given = 0;
  p.view.scale = p.view.softcap = 0;
  assert_non_null(p.q);
  assert_non_null(p.k);
  assert_non_null(p.v);
  assert_non_null(p.view.keys);
  for (size_t j = 0; j < count; j++) {
    p.view.keys[j].index = j;
    p.view.keys[j].k = p.k + j * width;
    p.view.keys[j].v = p.v + j * value_width;
  }
  return p;
}

static void free_problem(problem *p) {
  free(p->q);
  free(p->k);
  free(p->v);
  free(p->view.keys);
}

typedef struct {
  double most;           /* largest error over radius */
  size_t decided, total; /* enclosures with a finite radius, and all */
  size_t vanished;       /* keys said to have no weight in f64 */
} tally;

/* `want` must lie in the enclosure; radius 0 is beyond the precision of `want`. */
static void inside(attest_enclosure e, mpfr_t want, tally *seen) {
  const double radius = e.radius > 0 ? e.radius : fabs(e.high) * 0x1p-1000;
  mpfr_t error;
  seen->total++;
  if (isinf(e.radius)) return;
  assert_true(e.radius >= 0 && isfinite(e.high) && e.high + e.low == e.high);
  seen->decided++;
  mpfr_init2(error, EXACT_BITS);
  mpfr_sub_d(error, want, e.high, MPFR_RNDN);
  mpfr_sub_d(error, error, e.low, MPFR_RNDN);
  mpfr_abs(error, error, MPFR_RNDN);
  if (mpfr_cmp_d(error, radius) > 0)
    fail_msg("%a + %a, radius %a, error %g", e.high, e.low, e.radius,
             mpfr_get_d(error, MPFR_RNDU));
  if (!mpfr_zero_p(error) && e.high != e.radius) { /* a faint weight says [0, 2 radius] */
    mpfr_div_d(error, error, radius, MPFR_RNDN);
    keep(&seen->most, mpfr_get_d(error, MPFR_RNDU));
  }
  mpfr_clear(error);
}

/* Every output, weight and both logarithms of a row. */
static void check_row(const attest_row_view *row, tally *seen) {
  attest_wide *wide = attest_wide_start(row);
  mpfr_t *w = malloc(row->count * sizeof *w);
  mpfr_t sum, x, y, scale, top, smallest;
  assert_non_null(wide);
  assert_non_null(w);
  mpfr_inits2(ROW_BITS, sum, x, y, scale, top, smallest, (mpfr_ptr)0);
  mpfr_set_ui_2exp(smallest, 1, -1080, MPFR_RNDN);
  mpfr_set_d(scale, row->scale, MPFR_RNDN);
  if (!row->scale_given) {
    mpfr_set_ui(scale, row->width, MPFR_RNDN);
    mpfr_rec_sqrt(scale, scale, MPFR_RNDN);
  }
  for (size_t j = 0; j < row->count; j++) {
    mpfr_init2(w[j], ROW_BITS);
    mpfr_set_zero(x, 1);
    for (size_t i = 0; i < row->width; i++) {
      mpfr_set_d(y, row->q[i], MPFR_RNDN);
      mpfr_mul_d(y, y, row->keys[j].k[i], MPFR_RNDN);
      mpfr_add(x, x, y, MPFR_RNDN);
    }
    mpfr_mul(x, x, scale, MPFR_RNDN);
    mpfr_add_d(w[j], x, row->keys[j].bias, MPFR_RNDN);
    if (j == 0 || mpfr_cmp(w[j], top) > 0) mpfr_set(top, w[j], MPFR_RNDN);
  }
  mpfr_set_zero(sum, 1);
  for (size_t j = 0; j < row->count; j++) {
    mpfr_sub(w[j], w[j], top, MPFR_RNDN);
    mpfr_exp(w[j], w[j], MPFR_RNDN);
    mpfr_add(sum, sum, w[j], MPFR_RNDN);
  }
  for (size_t c = row->value_width; c-- > 0;) {
    mpfr_set_zero(x, 1);
    for (size_t j = 0; j < row->count; j++) {
      mpfr_mul_d(y, w[j], row->keys[j].v[c], MPFR_RNDN);
      mpfr_add(x, x, y, MPFR_RNDN);
    }
    mpfr_div(x, x, sum, MPFR_RNDN);
    inside(attest_wide_output(wide, c), x, seen);
  }
  for (size_t j = 0; j < row->count; j++) {
    mpfr_div(x, w[j], sum, MPFR_RNDN);
    inside(attest_wide_weight(wide, j), x, seen);
    if (attest_wide_vanishes(wide, j)) {
      seen->vanished++;
      assert_true(mpfr_cmp(x, smallest) < 0);
    }
  }
  mpfr_log(x, sum, MPFR_RNDN);
  mpfr_add(x, x, top, MPFR_RNDN);
  inside(attest_wide_lse(wide, ATTEST_BASE_E), x, seen);
  mpfr_const_log2(y, MPFR_RNDN);
  mpfr_div(x, x, y, MPFR_RNDN);
  inside(attest_wide_lse(wide, ATTEST_BASE_2), x, seen);
  for (size_t j = 0; j < row->count; j++) mpfr_clear(w[j]);
  mpfr_clears(sum, x, y, scale, top, smallest, (mpfr_ptr)0);
  free(w);
  attest_wide_end(wide);
}

/* Half float-like (24 bits) and half full doubles, of size 2^e. */
static void fill(uint64_t *state, double *x, size_t count, int e) {
  const int coarse = below(state, 2) == 0;
  for (size_t i = 0; i < count; i++) {
    x[i] = spread(state, e);
    if (coarse) x[i] = (double)(float)x[i];
  }
}

enum { KINDS = 20 };

static problem some_problem(uint64_t *state, int kind, size_t count) {
  const size_t width = 1 + below(state, below(state, 2) ? 128 : 8);
  problem p = new_problem(count, width, 3);
  fill(state, p.q, width, kind == 1 ? 4 : 1);
  fill(state, p.k, count * width, kind == 1 ? 5 : kind == 2 ? -30 : 1);
  fill(state, p.v, 3 * count, 0);
  if (below(state, 3) == 0) {
    p.view.scale_given = 1;
    p.view.scale = spread(state, kind == 3 ? 6 : 0);
  }
  for (size_t j = 0; j < count; j++) {
    double *v = p.v + 3 * j;
    switch (kind) {
      case 4: p.view.keys[j].bias = spread(state, 3); break;
      case 5: /* some keys as good as hidden by their bias, but not all */
        if (j > 0 && below(state, 3) == 0)
          p.view.keys[j].bias = below(state, 2) ? -DBL_MAX : -FLT_MAX;
        break;
      case 6: /* equal scores, values that cancel in pairs */
        for (size_t i = 0; i < width; i++) p.k[j * width + i] = p.k[i];
        if (j % 2) v[0] = -v[-3];
        break;
      case 7: /* one weight near 1 */
        p.view.keys[j].bias = j == count / 2 ? 60 : 0;
        break;
      case 8: v[0] += 1e6; v[1] = 1 + ldexp(v[1], -50); v[2] = 3; break;
      case 9: v[0] = ldexp(v[0], -1040); v[1] = ldexp(v[1], -1000); v[2] = ldexp(v[2], -450); break;
      case 10: /* cancels to the last bits, one large value, a column of zeros but for one */
        v[0] = j == 0 ? 1 : -DBL_EPSILON;
        if (j == 1) v[1] = 1e30;
        v[2] = j + 1 == count ? v[2] : 0;
        break;
      case 11: /* weights over the whole range, faint ones too */
        p.view.keys[j].bias = -(double)below(state, 800);
        break;
      case 12: /* large values */
        v[0] = ldexp(v[0], 900); v[1] = ldexp(v[1], 1023); v[2] = ldexp(v[2], j % 2 ? 1000 : -700);
        break;
      case 13: p.view.keys[j].bias = -660 - spread(state, 2); break; /* around the limit */
      case 14: p.view.keys[j].bias = 1e15 + (double)below(state, 8); break;
      case 15: /* a faint key decides what is left of a column */
        p.view.keys[j].bias = j == 0 ? 0 : -655 - 10 * fabs(spread(state, 0));
        if (j == 0) v[0] = v[1] = 0;
        v[1] = ldexp(v[1], -300);
        break;
      /* from here on one term of the radius at a time is nearly all of it */
      case 16: /* dot products that cancel */
        for (size_t i = 0; i < width; i++) {
          double *k = p.k + j * width + i;
          if (j == 0) p.q[i] = 1.5 + p.q[i] / 4;
          *k *= 0x1p52;
          if (i % 2) *k = -k[-1] * p.q[i - 1] / p.q[i];
        }
        if (width % 2) p.k[j * width + width - 1] = 0;
        break;
      case 17: /* equal weights and sums that cancel */
        memset(p.q, 0, width * sizeof *p.q);
        v[0] = ldexp(v[0], j % 2 ? 80 : 0);
        if (j % 4 > 1) v[0] = -v[-6] * (1 + DBL_EPSILON);
        break;
      case 18: /* near underflow beside a larger value of hardly any weight */
        p.view.keys[j].bias = j == 0 ? 0 : j == 1 ? -640 : -0.3;
        v[0] = j == 0 ? ldexp(v[0], -950) : j == 1 ? 0x1p-390 : 0;
        break;
      case 19: /* all is known but for faint weights */
        memset(p.q, 0, width * sizeof *p.q);
        p.view.keys[j].bias = j == 0 ? 0 : -661.25;
        break;
      default: break;
    }
  }
  if (kind == 13) p.view.keys[0].bias = 0;
  return p;
}

static void rows(void **unused) {
  uint64_t state = 5;
  (void)unused;
  for (int kind = 0; kind < KINDS; kind++) {
    tally seen = {0, 0, 0, 0};
    for (int n = 0; n < 12; n++) {
      const size_t count = n == 0 ? 600 : n == 1 ? 1 : 1 + below(&state, n % 4 ? 20 : 200);
      problem p = some_problem(&state, kind, count);
      check_row(&p.view, &seen);
      free_problem(&p);
    }
    print_message("rows of kind %2d: %zu of %zu finite, error over radius at most %.4f\n", kind,
                  seen.decided, seen.total, seen.most);
    assert_true(seen.decided == seen.total);
    assert_true(seen.most <= 1);
    if (kind < 6) assert_true(seen.most > 0.001);
    if (kind == 5 || kind == 11) assert_true(seen.vanished > 0);
  }
}

/* Every input of any size, the ends of the range among them: an enclosure holds or says nothing. */
static void wild_rows(void **unused) {
  uint64_t state = 17;
  tally seen = {0, 0, 0, 0};
  (void)unused;
  for (int n = 0; n < 600; n++) {
    const int top = n % 3 == 0 ? 1023 : n % 3 == 1 ? 300 : 20;
    const size_t width = 1 + below(&state, 4), count = 1 + below(&state, 5);
    problem p = new_problem(count, width, 3);
    const int low = -top - 50;
    for (size_t i = 0; i < width; i++) p.q[i] = some(&state, low, top);
    for (size_t i = 0; i < count * width; i++) p.k[i] = some(&state, low, n % 2 ? 0 : top);
    for (size_t i = 0; i < 3 * count; i++) p.v[i] = some(&state, -1074, 1024);
    if (n % 4 == 0) {
      p.view.scale_given = 1;
      p.view.scale = some(&state, -1074, top);
    }
    for (size_t j = 0; j < count; j++)
      if (below(&state, 2)) p.view.keys[j].bias = some(&state, low, below(&state, 2) ? 10 : top);
    check_row(&p.view, &seen);
    free_problem(&p);
  }
  print_message("wild rows: %zu of %zu finite, error over radius at most %.4f\n", seen.decided,
                seen.total, seen.most);
  assert_true(seen.most <= 1);
  assert_true(seen.decided > seen.total / 10);
}

static int is_unknown(attest_enclosure e) { return isinf(e.radius); }

static int is_exactly(attest_enclosure e, double x) {
  return e.high == x && e.low == 0 && e.radius == 0 && !(x == 0 && signbit(e.high));
}

/* What is exact, and what has to be refused. */
static void special(void **unused) {
  problem p = new_problem(3, 2, 4);
  attest_wide *wide;
  (void)unused;
  for (size_t j = 0; j < 3; j++) {
    p.k[2 * j] = (double)j / 3;
    p.v[4 * j] = 0.1;
    p.v[4 * j + 1] = j % 2 ? 0.0 : -0.0;
    p.v[4 * j + 2] = j == 1 ? NAN : 1;
    p.v[4 * j + 3] = j == 1 ? INFINITY : 1;
  }
  p.q[0] = p.q[1] = 1;
  for (int softcap = 0; softcap < 3; softcap++) {
    if (softcap == 1) p.view.softcap = 2;
    if (softcap == 2) p.q[1] = 1e300, p.view.softcap = 0;
    wide = attest_wide_start(&p.view);
    assert_non_null(wide);
    assert_true(is_exactly(attest_wide_output(wide, 0), 0.1));
    assert_true(is_exactly(attest_wide_output(wide, 1), 0));
    assert_true(is_unknown(attest_wide_output(wide, 2)));
    assert_true(is_unknown(attest_wide_output(wide, 3)));
    assert_true(is_unknown(attest_wide_weight(wide, 0)) == (softcap > 0));
    assert_true(is_unknown(attest_wide_lse(wide, ATTEST_BASE_E)) == (softcap > 0));
    assert_true(is_unknown(attest_wide_lse(wide, ATTEST_BASE_2)) == (softcap > 0));
    attest_wide_end(wide);
  }
  p.q[1] = 1;
  for (size_t j = 0; j < 3; j++) {
    p.v[4 * j] = (double)j;
    p.view.keys[j].bias = 1e30; /* leaves nothing of the scores */
  }
  wide = attest_wide_start(&p.view);
  assert_non_null(wide);
  assert_true(is_unknown(attest_wide_output(wide, 0)) && is_unknown(attest_wide_weight(wide, 1)));
  assert_true(is_unknown(attest_wide_lse(wide, ATTEST_BASE_2)));
  attest_wide_end(wide);
  p.view.count = 1;
  p.v[3] = 0x1.23456789abcdep-1070;
  wide = attest_wide_start(&p.view);
  assert_non_null(wide);
  assert_true(is_exactly(attest_wide_output(wide, 3), p.v[3]));
  assert_true(is_exactly(attest_wide_weight(wide, 0), 1));
  attest_wide_end(wide);
  p.view.count = SIZE_MAX;
  assert_null(attest_wide_start(&p.view));
  attest_wide_end(NULL);
  free_problem(&p);
}

/* Keys that f64 cannot weigh: far below the largest, whatever says so and however far. */
static void vanishing(void **unused) {
  static const double biases[] = {-1e9, -FLT_MAX, -DBL_MAX, -1e300, -0x1p480, -752, -751.5};
  static const double others[] = {0, -700, -749, 1, 5e-324};
  enum { FAR_ONES = sizeof biases / sizeof *biases, OTHERS = sizeof others / sizeof *others };
  enum { COUNT = FAR_ONES + OTHERS };
  uint64_t state = 9;
  (void)unused;
  for (int n = 0; n < 200; n++) {
    problem p = new_problem(COUNT, 8, 1);
    attest_wide *wide;
    fill(&state, p.q, 8, -4);
    fill(&state, p.k, 8 * COUNT, -4); /* scores below 0.02 */
    fill(&state, p.v, COUNT, 0);
    for (size_t j = 0; j < COUNT; j++)
      p.view.keys[j].bias = j < FAR_ONES ? biases[j] : others[j - FAR_ONES];
    wide = attest_wide_start(&p.view);
    assert_non_null(wide);
    for (size_t j = 0; j < COUNT; j++)
      assert_true(attest_wide_vanishes(wide, j) == (j < FAR_ONES));
    attest_wide_end(wide);
    if (n % 10 == 0) {
      tally seen = {0, 0, 0, 0};
      check_row(&p.view, &seen);
      assert_true(seen.vanished == FAR_ONES && seen.decided == seen.total);
    }
    /* without biases by the scores, and never the only key or where nothing is known */
    p.q[0] = 40;
    for (size_t j = 0; j < COUNT; j++) {
      p.view.keys[j].bias = 0;
      p.k[8 * j] = j % 2 ? -20 - (double)j : 40;
    }
    wide = attest_wide_start(&p.view);
    assert_non_null(wide);
    for (size_t j = 0; j < COUNT; j++) assert_true(attest_wide_vanishes(wide, j) == (j % 2 == 1));
    attest_wide_end(wide);
    p.view.softcap = n % 2;
    p.view.count = n % 2 ? COUNT : 1;
    wide = attest_wide_start(&p.view);
    assert_non_null(wide);
    for (size_t j = 0; j < p.view.count; j++) assert_false(attest_wide_vanishes(wide, j));
    attest_wide_end(wide);
    free_problem(&p);
  }
}

/* What the rung is for: the radius of an ordinary row is about 2^-90 of its result. */
static void radius(void **unused) {
  uint64_t state = 3;
  problem p = new_problem(1000, 64, 64);
  attest_wide *wide;
  double sum = 0, least = 1;
  (void)unused;
  fill(&state, p.q, 64, 1);
  fill(&state, p.k, 64 * 1000, 1);
  fill(&state, p.v, 64 * 1000, 0);
  wide = attest_wide_start(&p.view);
  assert_non_null(wide);
  for (size_t c = 0; c < 64; c++) {
    const attest_enclosure e = attest_wide_output(wide, c);
    sum += log2(e.radius);
    if (fabs(e.high) < least) least = fabs(e.high);
    assert_true(e.radius <= 0x1p-92);
    assert_true(e.radius <= 0x1p-88 * fabs(e.high) || fabs(e.high) < 0x1p-10);
  }
  print_message("1000 keys of width 64: radius 2^%.1f on average\n", sum / 64);
  attest_wide_end(wide);
  free_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(constants), cmocka_unit_test(operations), cmocka_unit_test(functions),
    cmocka_unit_test(dots), cmocka_unit_test(rows), cmocka_unit_test(wild_rows),
    cmocka_unit_test(special), cmocka_unit_test(vanishing), cmocka_unit_test(radius)
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  mpfr_free_cache();
  return failed;
}
