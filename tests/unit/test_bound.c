/* The bounds (ref/oracle/bound.h): against a second transcription of proofs/bounds.md at 200 bits,
   and against attention itself, in ref/ and in kernels made to be as bad as a claim allows. */
#define ATTEST_F64
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound_formulas.h"
#include "bound_sound.h"
#include "oracle/allowance.h"
#include "oracle/bound.h"
#include "random.h"

enum { TRIALS = 4000 };

/* A result may exceed its formula, taken as section 8 says: by ATTEST_BOUND_SLACK, by the factor
   1 + 2^-18 around exponentials and their arguments, and by the effect of both on what divides by
   `kept`; together far below 2^-15. What is added for underflow counts apart. */
#define MOST (1 + 0x1p-15)
#define MOST_TINY 0x1p-1000
/* What underflows on the way, in sums over a row or column, is made up for where they are used. */
#define LOST 0x1p-1068
/* A result for larger arguments may be smaller than one before only by rounding and where the two
   forms of e^x meet at x = 1: 7/32 against e - 5/2 there, less than 2^-12 of e. */
#define NOT_LESS (1 - 0x1p-12)

static uint64_t seed;

/* A nonnegative number of any size; often near 1, sometimes 0 or subnormal. */
static double size_of(int wide) {
  const double x = 1 + fabs(spread(&seed, 0));
  switch (below(&seed, 8)) {
    case 0: return 0;
    case 1: return ldexp(x, -1060 + (int)below(&seed, 40));
    case 2: return wide ? ldexp(x, (int)below(&seed, 1800) - 900) : x;
    case 3: return wide ? ldexp(x, (int)below(&seed, 280) - 140) : ldexp(x, -30);
    default: return ldexp(x, (int)below(&seed, 30) - 20);
  }
}

static attest_format any_format(void) { return (attest_format)below(&seed, 4); }

static double up_to(size_t n) { return (double)below(&seed, n + 1); }

static attest_arithmetic any_arithmetic(int may_be_none) {
  attest_arithmetic a = {0, 0, HUGE_VAL};
  if (may_be_none && below(&seed, 2)) return a;
  a.u = ldexp(1, -8 - (int)below(&seed, 46));
  a.tiny = ldexp(1, -20 - (int)below(&seed, 1000));
  a.largest = ldexp(1, 15 + (int)below(&seed, 1000));
  return a;
}

/* The claims of the project, and others that mix anything. */
static attest_claim any_claim(void) {
  const attest_format input = any_format(), accum = any_format(), weight = any_format();
  const attest_format output = any_format();
  const double ulps = up_to(7) / 2;
  attest_claim c;
  double u;
  switch (below(&seed, 3)) {
    case 0: return attest_claim_engine(accum ? ATTEST_FORMAT_F32 : ATTEST_FORMAT_F64, output);
    case 1: return attest_claim_kernel(input, accum, weight, output, ulps);
    default: break;
  }
  c.accum = any_arithmetic(0);
  c.input = any_arithmetic(1);
  c.weight = any_arithmetic(1);
  c.output = any_arithmetic(1);
  u = c.accum.u;
  c.element_error = c.input.u + u * up_to(1);
  c.scale_error = u * up_to(8);
  c.plain_error = u * up_to(8);
  c.cap_error = u * up_to(20);
  c.bias_error = u * up_to(3);
  c.base_error = u * up_to(3);
  c.shift_error = u * up_to(3);
  c.exp_error = u * up_to(8);
  c.log_error = u * up_to(8);
  c.flush = c.accum.tiny * (1 + up_to(2));
  c.top = 1 + up_to(1) / 2;
  c.saturates = below(&seed, 2) != 0;
  return c;
}

static double any_rescales(void) {
  const size_t bits = below(&seed, 17);
  return below(&seed, 2) ? 0 : 1 + up_to(((size_t)1 << bits) - 1);
}

static double any_keys(void) {
  const size_t bits = 1 + below(&seed, 22);
  return 1 + up_to(((size_t)1 << bits) - 1);
}

/* Beyond what a double holds a result may be infinite where a formula is not. */
static int huge(num x) { return !under(x, 0x1p990); }

static void at_least(double got, num formula, const char *what) {
  if (!huge(formula) ? mpfr_cmp_d(formula, got) <= 0 : got >= 0x1p980) return;
  print_message("%s: %a is below the formula, %a\n", what, got, mpfr_get_d(formula, MPFR_RNDN));
  fail();
}

static void at_most(double got, num formula, const char *what) {
  const double most = mpfr_get_d(formula, MPFR_RNDU) * MOST + MOST_TINY;
  if (huge(formula) || got <= most) return;
  print_message("%s: %a is above the formula, %a\n", what, got, most);
  fail();
}

/* Where the two stand on different sides of a limit for rounding alone, the comparison says
   nothing: sides differ only within the slack of the limit, which random arguments do not meet. */
#define AGREES(got, formula)                   \
  do {                                         \
    exponentials = EXACTLY;                    \
    fresh();                                   \
    at_least(got, formula, #formula);          \
    exponentials = FROM_ABOVE;                 \
    fresh();                                   \
    at_most(got, formula, #formula);           \
  } while (0)

#define GROWS(before, after)                                                    \
  do {                                                                          \
    const double first = (before), second = (after);                            \
    if (!(second >= first * NOT_LESS)) {                                        \
      print_message("line %d: %a after %a\n", __LINE__, second, first);         \
      fail();                                                                   \
    }                                                                           \
  } while (0)

static attest_bound_problem any_problem(void) {
  attest_bound_problem p;
  p.width = (size_t)1 << (1 + below(&seed, 12));
  p.width = 1 + below(&seed, p.width);
  p.scale = size_of(1);
  p.softcap = below(&seed, 2) ? 0 : size_of(1);
  p.biased = below(&seed, 2) != 0;
  return p;
}

static attest_score_size any_size(void) {
  attest_score_size z;
  z.products = size_of(1);
  z.elements = size_of(1);
  z.raw = size_of(1);
  z.score = size_of(1);
  z.signed_score = below(&seed, 2) ? z.score : -z.score;
  z.bias = size_of(1);
  z.meets = below(&seed, 2) ? 0 : size_of(1);
  return z;
}

/* up and low as one number that must not shrink: broken is the worst. */
static double up_of(attest_score_error e) { return e.broken ? HUGE_VAL : e.up; }
static double low_of(attest_score_error e) { return e.broken ? HUGE_VAL : e.low; }

static void test_score_formula(void **state) {
  size_t broken = 0, finite = 0;
  (void)state;
  for (int t = 0; t < TRIALS; t++) {
    const attest_claim c = any_claim();
    const attest_bound_problem p = any_problem();
    const attest_score_size z = any_size();
    const double m = size_of(1), T = any_rescales();
    const attest_score_error e = attest_bound_score(&c, &p, z, m, T);
    formula_score f;

    exponentials = EXACTLY;
    fresh();
    f = formula_of_score(&c, &p, z, m, T);
    broken += e.broken != 0;
    finite += e.up < HUGE_VAL;
    /* The code may find a row broken where the error alone is beyond a double. */
    if (f.broken) assert_true(e.broken);
    if (e.broken && !f.broken) assert_true(huge(f.up));
    if (e.broken) continue;
    at_least(e.up, f.up, "up");
    at_least(e.low, f.low, "low");
    at_most(e.up, f.up, "up");
    at_most(e.low, f.low, "low");
  }
  assert_true(finite > TRIALS / 10 && broken > TRIALS / 50);
}

static void test_score_grows(void **state) {
  (void)state;
  for (int t = 0; t < TRIALS; t++) {
    const attest_claim c = any_claim();
    const attest_bound_problem p = any_problem();
    const attest_score_size z = any_size();
    const double m = size_of(1), T = any_rescales();
    const double more = 1 + ldexp(1, 10 - (int)below(&seed, 40));
    double *members[5];
    attest_score_size y = z;
    const attest_score_error e = attest_bound_score(&c, &p, z, m, T);
    double m2 = m, T2 = T;
    attest_score_error after;
    members[0] = &y.products;
    members[1] = &y.elements;
    members[2] = &y.raw;
    members[3] = &m2;
    members[4] = &T2;
    *members[below(&seed, 5)] *= more;
    after = attest_bound_score(&c, &p, y, m2, T2);
    GROWS(up_of(e), up_of(after));
    GROWS(low_of(e), low_of(after));
    y = z;
    y.score *= more;
    y.signed_score *= more;
    y.bias *= 1 + size_of(1);
    after = attest_bound_score(&c, &p, y, m, T);
    GROWS(low_of(e), low_of(after));
  }
}

static attest_score_error any_error(void) {
  attest_score_error e;
  e.up = size_of(1);
  e.low = below(&seed, 4) ? e.up : below(&seed, 2) ? size_of(1) : HUGE_VAL;
  e.broken = 0;
  return e;
}

/* Weights that add up to 1 or less, the logarithm as near as a double is. */
static void test_row(void **state) {
  (void)state;
  for (int t = 0; t < TRIALS / 4; t++) {
    const size_t n = 1 + below(&seed, 20);
    attest_row_error row;
    attest_score_error e[20];
    double weight[20], widest = 0;
    num lost, gained, kept;

    attest_bound_row_start(&row);
    for (size_t j = 0; j < n; j++) {
      e[j] = any_error();
      weight[j] = ldexp(1, -(int)below(&seed, 1000) / (int)n - 6);
      weight[j] *= 1 + fabs(spread(&seed, 0));
      attest_bound_row_add(&row, e[j], weight[j], log(weight[j]));
      widest = fmax(widest, fmax(e[j].up, e[j].low));
      AGREES(attest_bound_share(e[j], weight[j], log(weight[j])) * ATTEST_BOUND_SLACK + LOST,
             formula_share(e[j], weight[j]));
      AGREES(attest_bound_share_error(e[j], weight[j], log(weight[j])) * ATTEST_BOUND_SLACK + LOST,
             formula_share_error(e[j], weight[j]));
    }
    assert_true(row.keys == (double)n && row.widest == widest && !row.broken);
    for (int pass = 0; pass < 2; pass++) {
      exponentials = pass ? FROM_ABOVE : EXACTLY;
      fresh();
      lost = gained = kept = is(0);
      for (size_t j = 0; j < n; j++) {
        lost = plus(lost, times(is(weight[j]), shrinking_by(is(e[j].low))));
        gained = plus(gained, times(is(weight[j]), growth_by(is(e[j].up))));
        kept = plus(kept, times(is(weight[j]), exponential(less(is(0), is(e[j].low)))));
      }
      /* Sums of a row are enlarged only where they are used. */
      if (pass) {
        at_most(row.lost, lost, "lost");
        at_most(row.gained, gained, "gained");
        assert_true(row.kept * MOST + MOST_TINY >= mpfr_get_d(kept, MPFR_RNDD));
      } else {
        at_least(row.lost * ATTEST_BOUND_SLACK + LOST, lost, "lost");
        at_least(row.gained * ATTEST_BOUND_SLACK + LOST, gained, "gained");
        assert_true(mpfr_cmp_d(kept, row.kept - LOST) >= 0);
      }
    }
  }
}

static attest_row_error any_row(void) {
  attest_row_error row;
  row.keys = any_keys();
  row.widest = size_of(1);
  row.lost = fmin(size_of(0), 1);
  row.gained = size_of(1);
  row.kept = below(&seed, 10) ? 1 - row.lost * 0.75 : below(&seed, 2) ? 0 : 1e-15;
  row.broken = below(&seed, 50) == 0;
  return row;
}

static attest_column_size any_column(void) {
  attest_column_size z;
  z.largest = size_of(1);
  z.spread = 2 * z.largest;
  z.output = z.largest * ldexp(1, -(int)below(&seed, 20));
  z.moved = z.largest * size_of(0);
  z.mean = z.largest * size_of(0) * 4;
  return z;
}

static void test_results(void **state) {
  size_t finite = 0;
  (void)state;
  for (int t = 0; t < TRIALS; t++) {
    const attest_claim c = any_claim();
    const attest_row_error row = any_row();
    const attest_column_size z = any_column();
    const attest_score_error e = any_error();
    const double T = any_rescales(), lse = size_of(1), weight = fmin(size_of(0), 1);
    const double out = attest_bound_output(&c, &row, T, z);

    finite += out < HUGE_VAL;
    AGREES(out, formula_output(&c, &row, T, z));
    AGREES(attest_bound_weight(&c, &row, T, e, weight, log(weight)),
           formula_weight(&c, &row, T, e, weight));
    AGREES(attest_bound_row_sum(&c, &row, T), formula_row_sum(&c, &row, T));
    AGREES(attest_bound_lse(&c, &row, T, lse), formula_lse(&c, &row, T, lse, 0));
    AGREES(attest_bound_lse_base_2(&c, &row, T, lse), formula_lse(&c, &row, T, lse, 1));
  }
  assert_true(finite > TRIALS / 4);
}

static void test_results_grow(void **state) {
  (void)state;
  for (int t = 0; t < TRIALS; t++) {
    const attest_claim c = any_claim();
    const attest_row_error row = any_row();
    const attest_column_size z = any_column();
    const attest_score_error e = any_error();
    const double T = any_rescales(), lse = size_of(1), weight = fmin(size_of(0), 1);
    const double more = 1 + ldexp(1, 10 - (int)below(&seed, 40));
    attest_row_error r = row;
    attest_column_size y = z;
    attest_score_error f = e;
    double T2 = T;

    switch (below(&seed, 8)) {
      case 0: r.keys = ceil(r.keys * more); break;
      case 1: r.lost *= more; break;
      case 2: r.gained *= more; break;
      case 3: r.kept /= more; break;
      case 4: r.widest *= more; break;
      case 5: T2 *= more; break;
      case 6: f.up *= more; break;
      default: f.low *= more; break;
    }
    switch (below(&seed, 5)) {
      case 0: y.moved *= more; break;
      case 1: y.mean *= more; break;
      case 2: y.largest *= more; break;
      case 3: y.spread *= more; break;
      default: y.output *= more; break;
    }
    GROWS(attest_bound_output(&c, &row, T, z), attest_bound_output(&c, &r, T2, y));
    GROWS(attest_bound_weight(&c, &row, T, e, weight, log(weight)),
          attest_bound_weight(&c, &r, T2, f, weight, log(weight)));
    GROWS(attest_bound_row_sum(&c, &row, T), attest_bound_row_sum(&c, &r, T2));
    GROWS(attest_bound_lse(&c, &row, T, lse), attest_bound_lse(&c, &r, T2, lse * more));
    GROWS(attest_bound_lse_base_2(&c, &row, T, lse),
          attest_bound_lse_base_2(&c, &r, T2, lse * more));
  }
}

static const attest_score_size ordinary = {8, 16, 1, 1, 1, 0, 0};

/* What a claim in float must say at the ends of its range. */
static void test_no_promise(void **state) {
  const attest_claim engine = attest_claim_engine(ATTEST_FORMAT_F32, ATTEST_FORMAT_F32);
  const attest_claim kernel = attest_claim_kernel(ATTEST_FORMAT_F32, ATTEST_FORMAT_F32,
                                                  ATTEST_FORMAT_F32, ATTEST_FORMAT_F32, 2);
  attest_bound_problem p = {64, 0.125, 0, 0};
  attest_score_size z = ordinary;
  attest_score_error e;
  attest_row_error row;
  attest_column_size column = {1e-6, 1, 1, 2, 0.5};
  attest_claim loose = kernel;
  (void)state;

  z.products = 3.5e38; /* the dot product may overflow */
  assert_true(attest_bound_score(&engine, &p, z, 1, 0).broken);
  assert_true(attest_bound_score(&kernel, &p, z, 1, 0).broken);
  z.products = 2e38; /* the difference of two may, where it is taken before the scale */
  assert_false(attest_bound_score(&engine, &p, z, 1, 0).broken);
  assert_true(attest_bound_score(&kernel, &p, z, 1, 0).broken);

  z = ordinary;
  z.raw = z.score = 3e38; /* an infinite score: of weight 0, NaN, or stopped */
  z.signed_score = -3e38;
  e = attest_bound_score(&kernel, &p, z, 1, 0);
  assert_true(!e.broken && e.low == HUGE_VAL && e.up < HUGE_VAL);
  z.signed_score = 3e38;
  assert_true(attest_bound_score(&kernel, &p, z, 3e38, 0).broken);
  e = attest_bound_score(&engine, &p, z, 3e38, 0);
  assert_true(!e.broken && e.low > 5e37 && e.low < 1e38);

  z = ordinary; /* 0 times an infinity: the factor as read, the scale, or (kernel) the two together */
  z.meets = 1e-30;
  assert_false(attest_bound_score(&engine, &p, z, 1, 0).broken);
  assert_false(attest_bound_score(&kernel, &p, z, 1, 0).broken);
  z.meets = 1e-38;
  assert_false(attest_bound_score(&engine, &p, z, 1, 0).broken);
  assert_true(attest_bound_score(&kernel, &p, z, 1, 0).broken);
  z.meets = 1e-46;
  assert_true(attest_bound_score(&engine, &p, z, 1, 0).broken);
  z.meets = 1;
  p.scale = 1e-46;
  assert_true(attest_bound_score(&engine, &p, z, 1, 0).broken);
  assert_true(attest_bound_score(&kernel, &p, z, 1, 0).broken);
  z.meets = 0;
  assert_false(attest_bound_score(&engine, &p, z, 1, 0).broken);
  p.scale = 0.125;

  z = ordinary;
  p.softcap = 1e-40; /* too small to be relied upon */
  e = attest_bound_score(&engine, &p, z, 1, 0);
  assert_true(!e.broken && e.up == HUGE_VAL && e.low == HUGE_VAL);
  p.softcap = 2e38; /* the product with the scale stops before it */
  z.raw = 1e39;
  e = attest_bound_score(&engine, &p, z, 1, 0);
  assert_true(!e.broken && e.up > 4e38 && e.up < 1e39);
  p.softcap = 50;
  e = attest_bound_score(&engine, &p, z, 1, 0);
  assert_true(!e.broken && e.up > 100 && e.up < 101);
  p.softcap = 0;
  p.biased = 1; /* and before a bias, which brings it back */
  z.bias = 3e38;
  e = attest_bound_score(&engine, &p, z, 1, 0);
  assert_true(!e.broken && e.up > 6e38);
  assert_true(attest_bound_score(&kernel, &p, z, 1, 0).broken);
  loose.exp_error = 1;
  assert_true(attest_bound_score(&loose, &p, ordinary, 1, 0).up == HUGE_VAL);

  attest_bound_row_start(&row);
  e.up = e.low = 1e-6;
  e.broken = 0;
  attest_bound_row_add(&row, e, 1, 0);
  assert_true(attest_bound_output(&engine, &row, 0, column) < 1e-3);
  column.largest = 3e38; /* the sum may overflow */
  column.output = 1e38;
  assert_true(attest_bound_output(&engine, &row, 0, column) == HUGE_VAL);
  column.largest = column.output = column.mean = 0; /* a zero column */
  assert_true(attest_bound_output(&engine, &row, 0, column) == 0);
  assert_true(attest_bound_output(&kernel, &row, 4, column) == 0);
  row.broken = 1;
  assert_true(attest_bound_output(&engine, &row, 0, column) == HUGE_VAL);
  assert_true(attest_bound_weight(&engine, &row, 0, e, 1, 0) == HUGE_VAL);
  assert_true(attest_bound_row_sum(&engine, &row, 0) == HUGE_VAL);
  assert_true(attest_bound_lse(&engine, &row, 0, 1) == HUGE_VAL);
  assert_true(attest_bound_lse_base_2(&engine, &row, 0, 1) == HUGE_VAL);
  row.broken = 0;
  row.kept = 0; /* no weight is sure to be above 0 */
  assert_true(attest_bound_output(&kernel, &row, 0, column) == HUGE_VAL);
  assert_true(attest_bound_weight(&engine, &row, 0, e, 0x1p-1074, -744) >= 1);
}

/* A key far below the others may have a score error far above 1 and no weight for all that; near
   the end of a double's range an infinite error must not vanish in a product with 0. */
static void test_far_key(void **state) {
  const attest_score_error wild = {1e30, 1e30, 0}, endless = {HUGE_VAL, HUGE_VAL, 0};
  (void)state;
  assert_true(attest_bound_share(wild, 0x1p-1074, -3e38) == 0);
  assert_true(attest_bound_share_error(wild, 0x1p-1074, -3e38) < 0x1p-1000);
  assert_true(attest_bound_share(wild, 0x1p-1074, -1e30 - 1e14) > 0.5);
  assert_true(attest_bound_share(endless, 0x1p-1074, -HUGE_VAL) == HUGE_VAL);
  assert_true(attest_bound_share_error(endless, 0x1p-1074, -HUGE_VAL) == HUGE_VAL);
}

/* Where the product with the scale leaves the range and what follows brings it back, the engine
   has stopped at the largest number in between: a score far from the exact one, and never called
   anything else. */
static void test_range(void **state) {
  static const double keys[][2] = {{1e38, 5e37}, {5e37, -1e38}, {-1e38, -4e37}};
  static const double biases[][2] = {{-3.4e38, -3.4e38}, {0, 3.4e38}, {3.3e38, 3.1e38}};
  static const double caps[] = {0, 2e38, 1e37, 1e30, 50};
  static const double scales[] = {10, 5, 100};
  static sound_problem p;
  check_tally t = {{0}, {0}, 0, {0}, "range"};
  (void)state;
  for (int n = 0; n < 3 * 3 * 5 * 3 * 2; n++) {
    attest_shape *h = &p.shape;
    memset(&p, 0, sizeof p);
    h->batch = h->q_heads = h->kv_heads = h->q_len = h->width = h->value_width = 1;
    h->kv_len = 2;
    attest_layout_bhsd(h);
    h->scale_given = 1;
    h->softcap = caps[n % 5];
    h->scale = scales[n / 5 % 3];
    p.q[0] = 1;
    memcpy(p.k, keys[n / 15 % 3], sizeof keys[0]);
    p.v[0] = 1;
    p.v[1] = -1;
    memcpy(p.bias, biases[n / 45 % 3], sizeof biases[0]);
    p.arrays.q = p.q;
    p.arrays.k = p.k;
    p.arrays.v = p.v;
    p.arrays.bias = n / 135 ? NULL : p.bias;
    h->bias.row = 2;
    h->bias.key = 1;
    sound_engine(&t, &seed, &p, 0);
  }
  assert_true(t.wrong == 0 && t.asked[CHECK_OUT] > 200 && t.silent[CHECK_OUT] == 0);
}

static void test_engines(void **state) {
  (void)state;
  sound_engines(&seed, 500);
}
static void test_kernels(void **state) {
  (void)state;
  sound_kernels(&seed, 500);
}

static int start(void **state) {
  (void)state;
  seed = UINT64_C(0x9e3779b97f4a7c15);
  return 0;
}

static int end(void **state) {
  (void)state;
  end_pool();
  return 0;
}

/* A kernel may round m log2(e) apart from s_j log2(e): then its largest weight is not 1, and with m
   large enough is any number. */
static void test_steady(void **unused) {
  const attest_claim kernel = attest_claim_kernel(ATTEST_FORMAT_F32, ATTEST_FORMAT_F32,
                                                  ATTEST_FORMAT_F32, ATTEST_FORMAT_F32, 2);
  const attest_claim ours = attest_claim_engine(ATTEST_FORMAT_F32, ATTEST_FORMAT_F32);
  (void)unused;
  assert_true(attest_bound_steady(&kernel, 0) && attest_bound_steady(&kernel, 1e4));
  assert_false(attest_bound_steady(&kernel, 1e7));
  assert_true(attest_bound_steady(&ours, 1e30));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_score_formula, start),
      cmocka_unit_test_setup(test_score_grows, start),
      cmocka_unit_test_setup(test_row, start),
      cmocka_unit_test_setup(test_results, start),
      cmocka_unit_test_setup(test_results_grow, start),
      cmocka_unit_test(test_no_promise),
      cmocka_unit_test(test_far_key),
      cmocka_unit_test(test_steady),
      cmocka_unit_test_setup(test_range, start),
      cmocka_unit_test_setup(test_engines, start),
      cmocka_unit_test_setup(test_kernels, start),
  };
  return cmocka_run_group_tests(tests, NULL, end);
}
