/* The top of the oracle's ladder, on cases made so that the answer is known by hand: ties, what
   lies next to one, the ends of the formats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "oracle/exact.h"
#include "oracle/exact_rank.h"

enum { FORMATS = 5, KEYS = 16 };

static const attest_format formats[FORMATS] = {ATTEST_FORMAT_F64, ATTEST_FORMAT_F32,
                                               ATTEST_FORMAT_F16, ATTEST_FORMAT_BF16,
                                               ATTEST_FORMAT_Q16};
/* The distance from 1 to the next number. */
static const double ulp[FORMATS] = {0x1p-52, 0x1p-23, 0x1p-10, 0x1p-7, 0x1p-16};

/* A row of n keys of width 1 with query 1 and scale 1: the scores are the keys. */
typedef struct {
  attest_row_view view;
  attest_row_key keys[KEYS];
  double q, k[KEYS], v[KEYS];
} row;

static void start(row *r, size_t n, const double *score, const double *value) {
  memset(r, 0, sizeof *r);
  r->q = 1;
  for (size_t j = 0; j < n; j++) {
    r->k[j] = score[j];
    r->v[j] = value ? value[j] : 0;
    r->keys[j].index = j;
    r->keys[j].k = &r->k[j];
    r->keys[j].v = &r->v[j];
  }
  r->view.kind = ATTEST_ROW_FINITE;
  r->view.count = n;
  r->view.keys = r->keys;
  r->view.q = &r->q;
  r->view.width = 1;
  r->view.value_width = 1;
  r->view.scale_given = 1;
  r->view.scale = 1;
}

typedef enum { OUT, WEIGHT, LSE_E, LSE_2 } what;

static attest_certified ask(const attest_row_view *view, what w, attest_format format) {
  attest_exact *exact = attest_exact_start(view);
  attest_certified c;
  assert_non_null(exact);
  if (w == OUT)
    c = attest_exact_output(exact, 0, format);
  else if (w == WEIGHT)
    c = attest_exact_weight(exact, 0, format);
  else
    c = attest_exact_lse(exact, w == LSE_E ? ATTEST_BASE_E : ATTEST_BASE_2, format);
  attest_exact_end(exact);
  return c;
}

static void same(double got, double want, const char *where, int line) {
  if (got == want && signbit(got) == signbit(want)) return;
  print_message("line %d, %s: got %a, not %a\n", line, where, got, want);
  fail();
}

#define SAME(got, want) same(got, want, #got, __LINE__)
#define EXPECT(r, w, format, want) SAME(ask(&(r)->view, w, format).value, want)
#define EXPECT_BY(r, w, format, want, by)                    \
  do {                                                       \
    const attest_certified got = ask(&(r)->view, w, format); \
    SAME(got.value, want);                                   \
    assert_int_equal(got.rung, by);                          \
  } while (0)

/* The output of two tied keys and a third, whose score is lower by `gap`. */
static double with_third(double a, double b, double third, double gap, attest_format format,
                         attest_rung *rung) {
  const double score[] = {0.375, 0.375, 0.375 - gap}, value[] = {a, b, third};
  attest_certified c;
  row r;
  start(&r, 3, score, value);
  c = ask(&r.view, OUT, format);
  *rung = c.rung;
  return c.value;
}

/* ---- numbers of a format in order ---- */

static void ranks_agree_with_rounding(void **unused) {
  uint64_t state = 88172645463325252u;
  mpfr_t x, r;
  (void)unused;
  mpfr_init2(x, 2400);
  mpfr_init2(r, ATTEST_BREAK_BITS);
  for (int trial = 0; trial < 40000; trial++) {
    const attest_format f = formats[trial % FORMATS];
    double high, low;
    int64_t rank;
    state = state * 6364136223846793005u + 1442695040888963407u;
    memcpy(&high, &state, sizeof high);
    if (trial % 3 != 0) high = ldexp(frexp(high, &(int){0}), (int)(state % 300) - 160);
    if (trial % 7 == 0) high = (float)high;
    if (trial % 11 == 0) high = ldexp(floor(ldexp(high, 17)), -17);
    if (!(fabs(high) <= DBL_MAX) || high == 0) continue;
    low = trial % 4 == 0 ? 0 : ldexp(high, -54 - (int)(state % 40));
    if (trial % 5 == 0) low = -low;
    mpfr_set_d(x, high, MPFR_RNDN);
    mpfr_add_d(x, x, low, MPFR_RNDN);
    rank = attest_rank(f, x);
    SAME(attest_rank_value(f, rank), attest_format_nearest(f, high, low));
    mpfr_set_d(x, attest_rank_value(f, rank), MPFR_RNDN);
    assert_true(attest_rank(f, x) == rank || rank == -1);
    if (mpfr_inf_p(x) || (f == ATTEST_FORMAT_Q16 && rank == 2147483647)) continue;
    attest_rank_break(f, rank, r);
    assert_true(attest_rank(f, r) == rank || attest_rank(f, r) == rank + 1);
    mpfr_nextbelow(r);
    if (rank != -1) assert_true(attest_rank(f, r) == rank);
    mpfr_nextabove(r);
    mpfr_nextabove(r);
    if (rank != -1) assert_true(attest_rank(f, r) == rank + 1);
  }
  mpfr_clear(r);
  mpfr_clear(x);
}

/* ---- outputs ---- */

static void means(void **unused) {
  const double zero[] = {0, 0, 0};
  (void)unused;
  for (int f = 0; f < FORMATS; f++) {
    const double u = ulp[f];
    const double whole[] = {1, 3}, down[] = {1, 1 + u}, up[] = {1 + u, 1 + 2 * u};
    const double third[] = {1, 1, 1 + u}, thirds[] = {1, 1 + u, 1 + u};
    attest_certified c;
    row r;
    start(&r, 2, zero, whole);
    c = ask(&r.view, OUT, formats[f]);
    SAME(c.value, 2);
    SAME(c.enclosure.high, 2);
    SAME(c.enclosure.radius, 0);
    start(&r, 2, zero, down);
    EXPECT(&r, OUT, formats[f], 1);
    start(&r, 2, zero, up);
    EXPECT(&r, OUT, formats[f], 1 + 2 * u);
    start(&r, 3, zero, third);
    EXPECT(&r, OUT, formats[f], 1);
    start(&r, 3, zero, thirds);
    EXPECT(&r, OUT, formats[f], 1 + u);
  }
}

static void means_of_several_groups(void **unused) {
  const double score[] = {0.5, -0.25, 0.5, -0.25, 0.5, 0.5};
  (void)unused;
  for (int f = 0; f < FORMATS; f++) {
    const double u = ulp[f];
    const double down[] = {1, 1 + u, 1 + u, 1, 0.5, 1.5 + u};
    const double up[] = {1 + u, 1 + 2 * u, 1 + 2 * u, 1 + u, 0.5 + u, 1.5 + 2 * u};
    const double beside[] = {1, 1 + u, 1 + u, 1, 0.5, 1.5 + 2 * u};
    attest_certified c;
    row r;
    start(&r, 6, score, down);
    c = ask(&r.view, OUT, formats[f]);
    SAME(c.value, 1);
    assert_int_equal(c.rung, ATTEST_RUNG_EXACT);
    SAME(c.enclosure.high, f == 0 ? 1 : 1 + u / 2);
    SAME(c.enclosure.low, f == 0 ? u / 2 : 0);
    SAME(c.enclosure.radius, 0);
    start(&r, 6, score, up);
    EXPECT_BY(&r, OUT, formats[f], 1 + 2 * u, ATTEST_RUNG_EXACT);
    start(&r, 6, score, beside);
    EXPECT(&r, OUT, formats[f], 1 + u);
  }
}

static void third_key_far_below(void **unused) {
  static const double gaps[] = {1e3, 1e6, 1e9, 1e300};
  const clock_t begin = clock();
  (void)unused;
  for (int f = 0; f < FORMATS; f++)
    for (int g = 0; g < 4; g++) {
      const double u = ulp[f];
      attest_rung rung;
      SAME(with_third(1, 1 + u, 2, gaps[g], formats[f], &rung), 1 + u);
      assert_int_equal(rung, ATTEST_RUNG_EXACT);
      SAME(with_third(1, 1 + u, 0, gaps[g], formats[f], &rung), 1);
      SAME(with_third(1 + u, 1 + 2 * u, 0, gaps[g], formats[f], &rung), 1 + u);
      assert_int_equal(rung, ATTEST_RUNG_EXACT);
      SAME(with_third(1 + u, 1 + 2 * u, 2, gaps[g], formats[f], &rung), 1 + 2 * u);
      SAME(with_third(-1, -1 - u, -2, gaps[g], formats[f], &rung), -1 - u);
      SAME(with_third(-1 - u, -1 - 2 * u, 0, gaps[g], formats[f], &rung), -1 - u);
      SAME(with_third(1, -1, 0x1p-1074, gaps[g], formats[f], &rung), 0);
      SAME(with_third(1, -1, -0x1p-1074, gaps[g], formats[f], &rung),
           formats[f] == ATTEST_FORMAT_Q16 ? 0.0 : -0.0);
      SAME(with_third(1, -1, 0, gaps[g], formats[f], &rung), 0);
    }
  /* 180 elements; a second is a hundred times what they need. */
  assert_true(clock() - begin < 4 * CLOCKS_PER_SEC);
}

static void zeros_and_subnormals(void **unused) {
  const double score[] = {0.5, 0.5, -0.25, -0.25}, zero[] = {0, 0, 0, 0};
  const double cancel[] = {3, -3, 1e300, -1e300}, all_zero[] = {-0.0, -0.0, 0.0, -0.0};
  const double below[] = {0, 0, -0x1p-1074, 0}, half[] = {0x1p-1074, 0};
  const double half_more[] = {0x1p-1074, 0x1p-1073}, two_and_half[] = {0x3p-1074, 0x1p-1073};
  const double f32_half[] = {-0x1p-149, 0}, least_normal[] = {0x1p-1022, 0x1.ffffffffffffep-1023};
  const double mixed[] = {1, -1, 1e-300, 1e-300};
  row r;
  (void)unused;
  for (int f = 0; f < FORMATS; f++) {
    const double negative = formats[f] == ATTEST_FORMAT_Q16 ? 0.0 : -0.0;
    start(&r, 4, score, cancel);
    EXPECT(&r, OUT, formats[f], 0);
    start(&r, 4, score, all_zero);
    EXPECT(&r, OUT, formats[f], 0);
    start(&r, 4, zero, below);
    EXPECT(&r, OUT, formats[f], negative);
    start(&r, 4, score, below);
    EXPECT(&r, OUT, formats[f], negative);
    if (f > 0) {
      start(&r, 4, score, mixed);
      EXPECT(&r, OUT, formats[f], 0);
    }
  }
  start(&r, 2, zero, half);
  EXPECT(&r, OUT, ATTEST_FORMAT_F64, 0);
  start(&r, 2, zero, half_more);
  EXPECT(&r, OUT, ATTEST_FORMAT_F64, 0x1p-1073);
  start(&r, 2, zero, two_and_half);
  EXPECT(&r, OUT, ATTEST_FORMAT_F64, 0x1p-1073);
  start(&r, 2, zero, least_normal);
  EXPECT(&r, OUT, ATTEST_FORMAT_F64, 0x1p-1022);
  start(&r, 2, zero, f32_half);
  EXPECT(&r, OUT, ATTEST_FORMAT_F32, -0.0);
  EXPECT(&r, OUT, ATTEST_FORMAT_F64, -0x1p-150);
}

static void ends_of_the_range(void **unused) {
  const double zero[] = {0, 0}, far[] = {0, -1e9};
  const double most[] = {DBL_MAX, DBL_MAX};
  const double f32[] = {0x1.ffffffp127, 0x1.ffffffp127}, f32_less[] = {0x1.ffffffp127, 0};
  const double f16[] = {65500, 65540}, f16_less[] = {65520, 65519.9999};
  const double bf16[] = {-0x1.ffp127, -0x1.ffp127}, bf16_less[] = {-0x1.ffp127, 0};
  const double q16[] = {40000, 32768}, q16_low[] = {-40000, -32768}, q16_mid[] = {32768, 0};
  const double q16_half[] = {0x1.fffffffep14, 0x1.fffffffcp14};
  row r;
  (void)unused;
  start(&r, 2, zero, most);
  EXPECT(&r, OUT, ATTEST_FORMAT_F64, DBL_MAX);
  start(&r, 2, far, f32);
  EXPECT(&r, OUT, ATTEST_FORMAT_F32, HUGE_VAL);
  start(&r, 2, far, f32_less);
  EXPECT_BY(&r, OUT, ATTEST_FORMAT_F32, FLT_MAX, ATTEST_RUNG_EXACT);
  start(&r, 2, zero, f16);
  EXPECT(&r, OUT, ATTEST_FORMAT_F16, HUGE_VAL);
  start(&r, 2, far, f16_less);
  EXPECT_BY(&r, OUT, ATTEST_FORMAT_F16, 65504, ATTEST_RUNG_EXACT);
  start(&r, 2, far, bf16);
  EXPECT(&r, OUT, ATTEST_FORMAT_BF16, -HUGE_VAL);
  start(&r, 2, far, bf16_less);
  EXPECT_BY(&r, OUT, ATTEST_FORMAT_BF16, -0x1.fep127, ATTEST_RUNG_EXACT);
  start(&r, 2, zero, q16);
  EXPECT(&r, OUT, ATTEST_FORMAT_Q16, 0x1.fffffffcp14);
  start(&r, 2, zero, q16_low);
  EXPECT(&r, OUT, ATTEST_FORMAT_Q16, -32768);
  start(&r, 2, far, q16_mid);
  EXPECT(&r, OUT, ATTEST_FORMAT_Q16, 0x1.fffffffcp14);
  start(&r, 2, zero, q16_half);
  EXPECT(&r, OUT, ATTEST_FORMAT_Q16, 0x1.fffffffcp14);
}

static void one_key(void **unused) {
  const double score[] = {-3.25}, value[] = {0.1};
  row r;
  (void)unused;
  start(&r, 1, score, value);
  EXPECT(&r, OUT, ATTEST_FORMAT_F64, 0.1);
  EXPECT(&r, OUT, ATTEST_FORMAT_F32, (double)0.1f);
  EXPECT(&r, WEIGHT, ATTEST_FORMAT_BF16, 1);
  EXPECT(&r, LSE_E, ATTEST_FORMAT_F64, -3.25);
  /* -3.25 / log(2) */
  EXPECT(&r, LSE_2, ATTEST_FORMAT_F64, -0x1.2c14a02335a6ep2);
}

/* ---- weights ---- */

/* The weight of the first of n keys of score 0, beside one more of score `other` if that is
   negative; the first has score first * 2^-1074. */
static double near_uniform_weight(size_t n, double first, double other, attest_format format,
                                  attest_rung *rung) {
  attest_row_key *keys = calloc(n + 1, sizeof *keys);
  const double one = first != 0 ? 0x1p-1074 : 1, zero = 0;
  attest_row_view view;
  attest_certified c;
  assert_non_null(keys);
  memset(&view, 0, sizeof view);
  for (size_t j = 0; j <= n; j++) {
    keys[j].index = j;
    keys[j].k = j == 0 ? &first : j < n ? &zero : &other;
    keys[j].v = &zero;
  }
  view.kind = ATTEST_ROW_FINITE;
  view.count = n + (other < 0);
  view.keys = keys;
  view.q = &one;
  view.width = view.value_width = 1;
  c = ask(&view, WEIGHT, format);
  free(keys);
  *rung = c.rung;
  return c.value;
}

static double uniform_weight(size_t n, double other, attest_format format, attest_rung *rung) {
  return near_uniform_weight(n, 0, other, format, rung);
}

static void weights(void **unused) {
  attest_rung rung;
  (void)unused;
  SAME(uniform_weight(131072, 0, ATTEST_FORMAT_Q16, &rung), 0);
  SAME(uniform_weight(131072, -1e9, ATTEST_FORMAT_Q16, &rung), 0);
  SAME(uniform_weight(131071, 0, ATTEST_FORMAT_Q16, &rung), 0x1p-16);
  SAME(uniform_weight(131071, -1e9, ATTEST_FORMAT_Q16, &rung), 0x1p-16);
  SAME(uniform_weight(131073, 0, ATTEST_FORMAT_Q16, &rung), 0);
  SAME(near_uniform_weight(131072, 0x1p-1074, 0, ATTEST_FORMAT_Q16, &rung), 0x1p-16);
  assert_int_equal(rung, ATTEST_RUNG_EXACT);
  SAME(near_uniform_weight(131072, -0x1p-1074, 0, ATTEST_FORMAT_Q16, &rung), 0);
  assert_int_equal(rung, ATTEST_RUNG_EXACT);
  SAME(uniform_weight(3, 0, ATTEST_FORMAT_F64, &rung), 1.0 / 3);
  SAME(uniform_weight(3, 0, ATTEST_FORMAT_BF16, &rung), 0x1.56p-2);
  SAME(uniform_weight(4, -1e9, ATTEST_FORMAT_F64, &rung), 0.25);
  SAME(uniform_weight(1, -1e9, ATTEST_FORMAT_F64, &rung), 1);
  {
    /* exp(-1e9) is positive, not 0, but rounds to +0 */
    const double score[] = {-1e9, 0};
    row r;
    start(&r, 2, score, NULL);
    for (int f = 0; f < FORMATS; f++) EXPECT(&r, WEIGHT, formats[f], 0);
  }
}

/* ---- log-sum-exp ---- */

static void lse_at_a_midpoint(void **unused) {
  (void)unused;
  for (int f = 0; f < FORMATS; f++) {
    const double u = ulp[f], odd[] = {1 + u, 1 + u - 1e9}, even[] = {1, -1e9};
    row r;
    start(&r, 1, even, NULL);
    r.keys[0].bias = u / 2;
    EXPECT(&r, LSE_E, formats[f], 1);
    r.keys[0].bias = u / 2 + u * 0x1p-40;
    EXPECT(&r, LSE_E, formats[f], 1 + u);
    start(&r, 1, odd, NULL);
    r.keys[0].bias = u / 2;
    EXPECT(&r, LSE_E, formats[f], 1 + 2 * u);
    r.keys[0].bias = u / 2 - u * 0x1p-40;
    EXPECT(&r, LSE_E, formats[f], 1 + u);
    /* {r, r - 1e9} is above r, {r - tiny, r - 1e9} below */
    start(&r, 2, even, NULL);
    r.keys[0].bias = r.keys[1].bias = u / 2;
    EXPECT_BY(&r, LSE_E, formats[f], 1 + u, ATTEST_RUNG_EXACT);
    start(&r, 2, odd, NULL);
    r.keys[0].bias = u / 2 - u * 0x1p-50;
    EXPECT(&r, LSE_E, formats[f], 1 + u);
  }
}

/* Scores dot / sqrt(2) + bias. */
static void lse_with_an_irrational_scale(void **unused) {
  const double q[] = {1, 1}, k[] = {3, -3, -3e9, 0}, zero[] = {0, 0};
  row r;
  (void)unused;
  for (int f = 1; f < FORMATS; f++) {
    start(&r, 2, zero, NULL);
    r.view.scale_given = 0;
    r.view.width = 2;
    r.view.q = q;
    r.keys[0].k = k;
    r.keys[0].bias = 1 + ulp[f] / 2;
    r.keys[1].k = k + 2;
    EXPECT_BY(&r, LSE_E, formats[f], 1 + ulp[f], ATTEST_RUNG_EXACT);
    r.view.count = 1;
    EXPECT(&r, LSE_E, formats[f], 1);
    r.keys[0].bias = 1 + 3 * ulp[f] / 2;
    EXPECT(&r, LSE_E, formats[f], 1 + 2 * ulp[f]);
  }
}

static void lse_base_2(void **unused) {
  const double zero[KEYS] = {0}, far[] = {0, 0, 0, 0, 0, 0, 0, 0, -1e9}, pair[] = {0, -1e9};
  row r;
  (void)unused;
  for (int f = 0; f < FORMATS; f++) {
    for (size_t n = 1, log2 = 0; n <= KEYS; n *= 2, log2++) {
      start(&r, n, zero, NULL);
      EXPECT(&r, LSE_2, formats[f], (double)log2);
    }
    start(&r, 9, far, NULL);
    EXPECT(&r, LSE_2, formats[f], 3);
    start(&r, 2, pair, NULL);
    EXPECT(&r, LSE_2, formats[f], 0);
  }
  start(&r, 3, zero, NULL);
  EXPECT(&r, LSE_2, ATTEST_FORMAT_F64, 0x1.95c01a39fbd68p0);
  EXPECT(&r, LSE_2, ATTEST_FORMAT_F32, 0x1.95c01ap0);
  EXPECT(&r, LSE_2, ATTEST_FORMAT_BF16, 0x1.96p0);
  EXPECT(&r, LSE_E, ATTEST_FORMAT_F64, 0x1.193ea7aad030bp0);
}

static void lse_at_the_ends(void **unused) {
  const double most[] = {DBL_MAX}, least[] = {-DBL_MAX};
  row r;
  (void)unused;
  start(&r, 1, most, NULL);
  EXPECT(&r, LSE_E, ATTEST_FORMAT_F64, DBL_MAX);
  r.keys[0].bias = 0x1p970;
  {
    const attest_certified c = ask(&r.view, LSE_E, ATTEST_FORMAT_F64);
    SAME(c.value, HUGE_VAL);
    SAME(c.enclosure.high, DBL_MAX);
    SAME(c.enclosure.radius, HUGE_VAL);
  }
  EXPECT(&r, LSE_E, ATTEST_FORMAT_Q16, 0x1.fffffffcp14);
  r.keys[0].bias = 0x1.fffffffffffffp969;
  EXPECT(&r, LSE_E, ATTEST_FORMAT_F64, DBL_MAX);
  start(&r, 1, least, NULL);
  r.keys[0].bias = -0x1p970;
  EXPECT(&r, LSE_E, ATTEST_FORMAT_F64, -HUGE_VAL);
  EXPECT(&r, LSE_2, ATTEST_FORMAT_F64, -HUGE_VAL);
  EXPECT(&r, LSE_E, ATTEST_FORMAT_Q16, -32768);
}

/* ---- large and small inputs ---- */

static void huge_scores(void **unused) {
  const double score[] = {1e300, 0x1.7e43c8800759bp996, -1e300, 1e300}, value[] = {1, 2, 4, 8};
  row r;
  (void)unused;
  assert_true(score[1] < score[0]);
  for (int f = 0; f < FORMATS; f++) {
    start(&r, 3, score, value);
    r.q = 1e300;
    EXPECT(&r, OUT, formats[f], 1);
    EXPECT(&r, WEIGHT, formats[f], 1);
    EXPECT(&r, LSE_E, formats[f], formats[f] == ATTEST_FORMAT_Q16 ? 0x1.fffffffcp14 : HUGE_VAL);
    r.q = -1e300;
    EXPECT(&r, OUT, formats[f], 4);
    EXPECT(&r, WEIGHT, formats[f], 0);
    start(&r, 4, score, value);
    r.q = 1e300;
    EXPECT(&r, OUT, formats[f], 4.5);
    /* The default scale, irrational: the same. */
    r.view.scale_given = 0;
    EXPECT(&r, OUT, formats[f], 4.5);
    start(&r, 2, score + 1, value + 1);
    r.q = 1e300;
    EXPECT(&r, LSE_2, formats[f], formats[f] == ATTEST_FORMAT_Q16 ? 0x1.fffffffcp14 : HUGE_VAL);
  }
}

/* Scores dot / sqrt(3) + bias whose parts, near 1e300, all but cancel. */
static void huge_scores_that_cancel(void **unused) {
  const double q[] = {1, 0, 0}, k[] = {1e300, 0, 0, 1e300, 0, 0}, zero[] = {0, 0};
  const double value[] = {1, 2};
  attest_exact *exact;
  mpfi_t score;
  row r;
  (void)unused;
  start(&r, 2, zero, value);
  r.view.scale_given = 0;
  r.view.width = 3;
  r.view.q = q;
  r.keys[0].k = k;
  r.keys[1].k = k + 3;
  r.keys[0].bias = r.keys[1].bias = -1e300 / sqrt(3);
  EXPECT(&r, OUT, ATTEST_FORMAT_F64, 1.5);
  r.keys[1].bias = nextafter(r.keys[1].bias, 0);
  EXPECT(&r, OUT, ATTEST_FORMAT_F64, 2);
  exact = attest_exact_start(&r.view);
  assert_non_null(exact);
  mpfi_init2(score, 64);
  attest_exact_score_at(exact, 0, 2048, score);
  assert_true(mpfi_bounded_p(score));
  assert_true(fabs(mpfi_get_d(score)) < 1e285);
  mpfi_clear(score);
  attest_exact_end(exact);
}

static void denormal_inputs(void **unused) {
  const double score[] = {0x1p-1074, 0}, zero[] = {0, 0, 0};
  (void)unused;
  for (int f = 0; f < FORMATS; f++) {
    const double u = ulp[f], up[] = {1 + u, 1}, down[] = {1, 1 + u};
    const double negative = formats[f] == ATTEST_FORMAT_Q16 ? 0.0 : -0.0;
    row r;
    start(&r, 2, score, up);
    r.q = 0x1p-1074;
    EXPECT_BY(&r, OUT, formats[f], 1 + u, ATTEST_RUNG_EXACT);
    start(&r, 2, score, down);
    r.q = 0x1p-1074;
    EXPECT(&r, OUT, formats[f], 1);
    EXPECT(&r, WEIGHT, formats[f], 0.5);
    EXPECT(&r, LSE_2, formats[f], 1);
    r.view.count = 1;
    EXPECT(&r, LSE_E, formats[f], 0);
    r.q = -0x1p-1074;
    EXPECT(&r, LSE_E, formats[f], negative);
    EXPECT(&r, LSE_2, formats[f], negative);
    start(&r, 1, zero, NULL);
    EXPECT(&r, LSE_E, formats[f], 0);
  }
}

/* ---- softcap ---- */

static void softcap_ties(void **unused) {
  const double score[] = {7, 7, 7}, spread[] = {40, 30, -1e5};
  (void)unused;
  for (int f = 0; f < FORMATS; f++) {
    const double u = ulp[f], up[] = {1 + u, 1 + 2 * u, 1}, near[] = {1 + u, 1, 2};
    const double two[] = {1 + u, 1, 1 + u / 2}, saturated[] = {1e6, 2e6, 7};
    const double four[] = {1 + u, 1 + 2 * u, 1 + 2 * u, 1 + u}, pairs[] = {7, 7, 2, 2};
    row r;
    start(&r, 2, score, up);
    r.view.softcap = 5;
    EXPECT(&r, OUT, formats[f], 1 + 2 * u);
    start(&r, 4, pairs, four);
    r.view.softcap = 5;
    EXPECT_BY(&r, OUT, formats[f], 1 + 2 * u, ATTEST_RUNG_EXACT);
    r.view.softcap = 0.3;
    EXPECT_BY(&r, OUT, formats[f], 1 + 2 * u, ATTEST_RUNG_EXACT);
    start(&r, 3, spread, near);
    r.view.softcap = 30;
    r.view.count = 2;
    EXPECT(&r, OUT, formats[f], 1 + u);
    start(&r, 2, spread, two);
    r.view.softcap = 1e-3; /* both scores are softcap to 2 * 30e3 / log(2) bits */
    EXPECT_BY(&r, OUT, formats[f], 1 + u, ATTEST_RUNG_EXACT);
    /* The other way around, and the exponents below -1e6. */
    start(&r, 2, saturated, two);
    r.view.softcap = 1;
    EXPECT(&r, OUT, formats[f], 1);
    r.q = -1;
    EXPECT_BY(&r, OUT, formats[f], 1 + u, ATTEST_RUNG_EXACT);
    /* An infinite dot product against a finite one. */
    start(&r, 2, saturated, two);
    r.view.softcap = 1;
    r.keys[0].infinite = 1;
    EXPECT_BY(&r, OUT, formats[f], 1 + u, ATTEST_RUNG_EXACT);
    r.keys[1].infinite = 1;
    EXPECT(&r, OUT, formats[f], 1);
    EXPECT(&r, WEIGHT, formats[f], 0.5);
    r.keys[1].infinite = -1;
    r.view.softcap = 1e9;
    EXPECT(&r, OUT, formats[f], 1 + u);
    r.view.count = 1;
    EXPECT(&r, LSE_E, formats[f], f == 0 || f == 1 || f == 3 ? (f == 3 ? 0x1.dcp29 : 1e9)
                                  : formats[f] == ATTEST_FORMAT_Q16 ? 0x1.fffffffcp14 : HUGE_VAL);
  }
}

/* Every pair of dot products, infinite ones included: weights of 1 / (1 + exp(s - t)), no NaN. */
static void softcap_pairs(void **unused) {
  static const double dots[] = {-1e300, -40, -1, 0, 0x1p-1074, 3, 60, 1e9};
  enum { DOTS = 8 };
  (void)unused;
  for (int x = -1; x <= DOTS; x++)
    for (int y = -1; y <= DOTS; y++) {
      const double score[] = {x < 0 || x == DOTS ? 0 : dots[x], y < 0 || y == DOTS ? 0 : dots[y]};
      const double s = x < 0 ? -2 : x == DOTS ? 2 : 2 * tanh(score[0] / 2);
      const double t = y < 0 ? -2 : y == DOTS ? 2 : 2 * tanh(score[1] / 2);
      attest_certified c;
      row r;
      start(&r, 2, score, NULL);
      r.view.softcap = 2;
      r.keys[0].infinite = x < 0 ? -1 : x == DOTS;
      r.keys[1].infinite = y < 0 ? -1 : y == DOTS;
      c = ask(&r.view, WEIGHT, ATTEST_FORMAT_F64);
      assert_true(c.rung == ATTEST_RUNG_INTERVAL || c.rung == ATTEST_RUNG_EXACT ||
                  (c.rung == ATTEST_RUNG_UNDECIDED && fabs(score[0]) + fabs(score[1]) > 1e8));
      assert_true(fabs(c.value - 1 / (1 + exp(t - s))) < 1e-15);
      c = ask(&r.view, LSE_E, ATTEST_FORMAT_F64);
      assert_true(fabs(c.value - log(exp(s) + exp(t))) < 2e-15);
    }
}

/* Scores softcap and 0 + bias are equal where the bias is the softcap, and so on. */
static void softcap_and_bias(void **unused) {
  const double zero[] = {0, 0, 0, 0, 0, 0};
  (void)unused;
  for (int f = 0; f < FORMATS; f++) {
    const double u = ulp[f];
    const double up[] = {1 + u, 1 + 2 * u, 1 + u, 1 + 2 * u, 1 + u, 1 + 2 * u};
    row r;
    start(&r, 6, zero, up);
    r.view.softcap = 0.1;
    r.keys[0].infinite = 1;
    r.keys[1].bias = 0.1;
    r.keys[2].infinite = -1;
    r.keys[2].bias = 0.2;
    r.keys[3].bias = 0.1;
    EXPECT_BY(&r, OUT, formats[f], 1 + 2 * u, ATTEST_RUNG_EXACT);
    r.keys[3].bias = 0.1 + 0x1p-56;
    EXPECT(&r, OUT, formats[f], 1 + 2 * u);
    r.keys[3].bias = 0.1 - 0x1p-56;
    EXPECT(&r, OUT, formats[f], 1 + u);
    r.view.count = 1;
    r.view.softcap = 0.125;
    r.keys[0].bias = 0.875 + u / 2;
    EXPECT(&r, LSE_E, formats[f], 1);
    r.keys[0].bias = 0.875 + 1.5 * u;
    EXPECT(&r, LSE_E, formats[f], 1 + 2 * u);
  }
}

/* exp(-2e10) is beyond MPFR's exponents. */
static void softcap_undecided(void **unused) {
  const double score[] = {1e10, 2e10}, value[] = {1, 1 + 0x1p-23};
  attest_certified c;
  row r;
  (void)unused;
  start(&r, 2, score, value);
  r.view.softcap = 1;
  c = ask(&r.view, OUT, ATTEST_FORMAT_F32);
  assert_int_equal(c.rung, ATTEST_RUNG_UNDECIDED);
  assert_true(c.value == value[0] || c.value == value[1]);
  assert_true(fabs(c.enclosure.high - (1 + 0x1p-24)) < 1e-15);
  assert_true(c.enclosure.radius < 1e-30);
  EXPECT(&r, OUT, ATTEST_FORMAT_F64, 1 + 0x1p-24);
}

/* ---- the plain intervals ---- */

static void nested_intervals(void **unused) {
  const double score[] = {0.3, -1.25, 2.0625, 0.3}, value[] = {0.1, -0.7, 0.45, 1.5};
  row r;
  (void)unused;
  start(&r, 4, score, value);
  for (int softcap = 0; softcap < 2; softcap++) {
    attest_exact *exact;
    mpfi_t wide, narrow;
    r.view.softcap = softcap;
    exact = attest_exact_start(&r.view);
    assert_non_null(exact);
    mpfi_init2(wide, 100);
    mpfi_init2(narrow, 400);
    for (int which = 0; which < 5; which++) {
      mpfi_ptr x = wide;
      for (int pass = 0; pass < 2; pass++, x = narrow) {
        const mpfr_prec_t bits = mpfi_get_prec(x);
        if (which == 0) attest_exact_output_at(exact, 0, bits, x);
        if (which == 1) attest_exact_weight_at(exact, 2, bits, x);
        if (which == 2) attest_exact_lse_at(exact, ATTEST_BASE_E, bits, x);
        if (which == 3) attest_exact_lse_at(exact, ATTEST_BASE_2, bits, x);
        if (which == 4) attest_exact_score_at(exact, 1, bits, x);
      }
      assert_true(mpfi_is_inside(narrow, wide) > 0);
      mpfi_sub(wide, wide, wide);
      assert_true(mpfi_get_d(wide) < 1e-26);
      assert_true(mpfr_cmp_d(&wide->right, 1e-26) < 0);
    }
    mpfi_clear(narrow);
    mpfi_clear(wide);
    attest_exact_end(exact);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_agree_with_rounding),
      cmocka_unit_test(means),
      cmocka_unit_test(means_of_several_groups),
      cmocka_unit_test(third_key_far_below),
      cmocka_unit_test(zeros_and_subnormals),
      cmocka_unit_test(ends_of_the_range),
      cmocka_unit_test(one_key),
      cmocka_unit_test(weights),
      cmocka_unit_test(lse_at_a_midpoint),
      cmocka_unit_test(lse_with_an_irrational_scale),
      cmocka_unit_test(lse_base_2),
      cmocka_unit_test(lse_at_the_ends),
      cmocka_unit_test(huge_scores),
      cmocka_unit_test(huge_scores_that_cancel),
      cmocka_unit_test(denormal_inputs),
      cmocka_unit_test(softcap_ties),
      cmocka_unit_test(softcap_pairs),
      cmocka_unit_test(softcap_and_bias),
      cmocka_unit_test(softcap_undecided),
      cmocka_unit_test(nested_intervals),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  mpfr_free_cache();
  return failed;
}
