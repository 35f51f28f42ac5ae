/* One element against its exact answer, and counts of many: the rules of verdict.h. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "verdict.h"

/* A number within an allowance, in f32. */
static attest_expected near(double exact, double radius, double allowance) {
  attest_expected e = {ATTEST_DEMAND_NEAR, ATTEST_FORMAT_F32, 0, {0, 0, 0}, 0, 0};
  e.value = attest_format_nearest(ATTEST_FORMAT_F32, exact, 0);
  e.enclosure.high = exact;
  e.enclosure.radius = radius;
  e.allowance = allowance;
  return e;
}

static attest_expected equal(attest_demand demand, double value) {
  attest_expected e = {ATTEST_DEMAND_EQUAL, ATTEST_FORMAT_F32, 0, {0, 0, INFINITY}, 0, 0};
  e.demand = demand;
  e.value = value;
  return e;
}

static int fails(attest_expected e, double got) { return attest_judge(&e, got).fails; }

static void errors(void **state) {
  const attest_enclosure third = {0x1.5555555555555p-2, 0x1.5555555555555p-56, 0x1p-108};
  const attest_enclosure far = {-DBL_MAX, 0, 0}, endless = {1, 0, INFINITY};
  const attest_enclosure tiny = {0x1p-1074, 0, 0};
  (void)state;
  /* 1/3 rounded down to float is off by a third of its ulp */
  assert_true(fabs(attest_error_about(0x1.555554p-2, third) - 0x1.5555555555555p-26) < 0x1p-75);
  assert_true(attest_error_least(0x1.555554p-2, third) <= 0x1.5555555555555p-26);
  assert_true(attest_error_least(0x1.555554p-2, third) > 0x1.5555555555p-26);
  /* the double nearest to it: nothing but `low` is left */
  assert_true(attest_error_about(0x1.5555555555555p-2, third) == 0x1.5555555555555p-56);
  assert_true(attest_error_least(DBL_MAX, far) == (double)INFINITY);
  assert_true(attest_error_least(DBL_MAX, endless) == 0);
  assert_true(attest_error_about(3, endless) == 2);
  assert_true(attest_error_about(0, tiny) == 0x1p-1074);
  assert_true(attest_error_least(1, (attest_enclosure){1, 0, 0}) == 0);
  assert_true(attest_error_least(1, (attest_enclosure){1, 0x1p-60, 0x1p-60}) == 0);
}

/* Never above the true distance from the nearest end: tried on numbers where that is exact. */
static void least_is_least(void **state) {
  (void)state;
  for (int i = -40; i <= 40; i++)
    for (int r = 0; r < 40; r++) {
      const attest_enclosure e = {1, 0, ldexp(r, -30)};
      const double got = 1 + ldexp(i, -28), least = attest_error_least(got, e);
      const double exact = fabs(ldexp(i, -28)) - ldexp(r, -30);
      assert_true(least <= (exact > 0 ? exact : 0));
      assert_true(least >= exact - 0x1p-70);
    }
}

static void allowances(void **state) {
  attest_expected e = near(1, 0, 0x1p-20);
  attest_judged j = attest_judge(&e, 1 + 0x1p-21);
  (void)state;
  assert_false(j.fails);
  assert_false(j.correct);
  assert_true(j.ulps == 4 && j.error == 0x1p-21 && j.ratio == 0.5);
  assert_false(fails(e, 1 + 0x1p-20));
  assert_true(fails(e, 1 + 0x1p-20 + 0x1p-23));
  assert_true(fails(e, 1 - 0x1p-20 - 0x1p-24));
  /* what the radius leaves open is no failure */
  e.enclosure.radius = 0x1p-23;
  assert_false(fails(e, 1 + 0x1p-20 + 0x1p-23));
  assert_true(fails(e, 1 + 0x1p-20 + 0x1p-22));
  /* an allowance of 0 asks for the exact number */
  e = near(0.5, 0, 0);
  assert_false(fails(e, 0.5));
  assert_true(attest_judge(&e, 0.5).correct);
  assert_true(fails(e, 0.5 + 0x1p-25));
  e = near(0, 0, 0);
  assert_false(fails(e, -0.0));
  assert_true(attest_judge(&e, -0.0).correct);
  j = attest_judge(&e, 0x1p-149);
  assert_true(j.fails && j.ulps == 1 && j.ratio == (double)INFINITY);
}

static void not_a_number(void **state) {
  attest_expected e = near(1, 0, 0x1p-20);
  attest_judged j;
  const double odd[] = {NAN, INFINITY, -INFINITY};
  (void)state;
  for (int i = 0; i < 3; i++) {
    j = attest_judge(&e, odd[i]);
    assert_true(j.fails && !j.correct && j.ulps == (double)INFINITY);
    assert_true(j.ratio == (double)INFINITY);
  }
  /* nothing is promised: nothing fails, and nothing is judged */
  e = near(1, 0, INFINITY);
  for (int i = 0; i < 3; i++) {
    j = attest_judge(&e, odd[i]);
    assert_true(!j.fails && j.vacuous && !j.correct);
  }
  j = attest_judge(&e, 1);
  assert_true(!j.fails && j.vacuous && j.correct && j.ratio == 0);
  /* the exact number overflows the format */
  e = near(0x1p128, 0, INFINITY);
  assert_true(e.value == (double)INFINITY);
  j = attest_judge(&e, INFINITY);
  assert_true(!j.fails && j.correct && !j.vacuous && j.ulps == 0);
  e.allowance = 0x1p104;
  assert_false(fails(e, INFINITY));
  assert_false(fails(e, NAN));
  assert_true(fails(e, -INFINITY));
  assert_true(fails(e, 1));
}

static void rules(void **state) {
  attest_expected e = equal(ATTEST_DEMAND_EQUAL, NAN);
  (void)state;
  assert_false(fails(e, NAN));
  assert_true(attest_judge(&e, NAN).correct);
  assert_true(fails(e, 0));
  assert_true(fails(e, INFINITY));
  e = equal(ATTEST_DEMAND_EQUAL, 0);
  assert_false(fails(e, 0));
  assert_false(fails(e, -0.0));
  assert_true(fails(e, 0x1p-149));
  assert_true(fails(e, NAN));
  e = equal(ATTEST_DEMAND_EQUAL, -INFINITY);
  assert_false(fails(e, -INFINITY));
  assert_true(fails(e, -FLT_MAX));
  assert_true(fails(e, NAN));
  e = equal(ATTEST_DEMAND_EQUAL_OR_NAN, INFINITY);
  assert_false(fails(e, INFINITY));
  assert_false(fails(e, NAN));
  assert_false(attest_judge(&e, NAN).correct);
  assert_true(fails(e, -INFINITY));
  assert_true(fails(e, FLT_MAX));
}

static void vacuous(void **state) {
  attest_expected e = near(1, 0, 3);
  (void)state;
  e.vacuous = 1;
  assert_true(attest_judge(&e, 2).vacuous);
  assert_false(attest_judge(&e, 2).fails);
  assert_true(attest_judge(&e, 5).fails);
  e.demand = ATTEST_DEMAND_EQUAL;
  assert_false(attest_judge(&e, 2).vacuous);
}

static void bins(void **state) {
  (void)state;
  assert_int_equal(attest_bin(1, 0.5), 0);
  assert_int_equal(attest_bin(0, 0), 1);
  assert_int_equal(attest_bin(0, 0.5), 1);
  assert_int_equal(attest_bin(0, 0.5000001), 2);
  assert_int_equal(attest_bin(0, 1), 2);
  assert_int_equal(attest_bin(0, 1.5), 3);
  assert_int_equal(attest_bin(0, 2), 3);
  assert_int_equal(attest_bin(0, 2.5), 4);
  assert_int_equal(attest_bin(0, (double)INFINITY), ATTEST_BINS - 1);
  assert_int_equal(attest_bin(0, (double)NAN), ATTEST_BINS - 1);
  assert_int_equal(attest_bin(0, DBL_MAX), ATTEST_BINS - 1);
  for (size_t i = 2; i < ATTEST_BINS - 1; i++) {
    const double limit = attest_bin_limit(i);
    assert_true(limit == ldexp(1, (int)i - 2));
    assert_int_equal(attest_bin(0, limit), i);
    assert_int_equal(attest_bin(0, nextafter(limit, INFINITY)), i + 1);
  }
  assert_true(attest_bin_limit(0) == 0 && attest_bin_limit(1) == 0.5);
  assert_true(attest_bin_limit(ATTEST_BINS - 1) == (double)INFINITY);
}

static void verdicts(void **state) {
  attest_tally t = {0};
  (void)state;
  assert_int_equal(attest_tally_verdict(&t), ATTEST_VERDICT_PASS);
  t.vacuous = 1;
  assert_int_equal(attest_tally_verdict(&t), ATTEST_VERDICT_ILL);
  t.failing = 1;
  assert_int_equal(attest_tally_verdict(&t), ATTEST_VERDICT_FAIL);
  for (int a = ATTEST_VERDICT_PASS; a <= ATTEST_VERDICT_FAIL; a++)
    for (int b = ATTEST_VERDICT_PASS; b <= ATTEST_VERDICT_FAIL; b++)
      assert_int_equal(attest_verdict_worse((attest_verdict)a, (attest_verdict)b), a > b ? a : b);
  assert_string_equal(attest_verdict_name(ATTEST_VERDICT_ILL), "ILL-CONDITIONED");
}

/* Element n of a made-up array: most pass, some fail, some cannot be judged, some by a rule. */
static void add(attest_tally *t, size_t n) {
  const attest_place at = {n / 1000, n / 100 % 10, n / 10 % 10, n % 10};
  attest_expected e = near(1, 0, 0x1p-20);
  double got = 1 + ldexp((double)(n * 37 % 11), -23);
  attest_judged j;
  if (n % 97 == 5) got = 1 + ldexp((double)(n % 7 + 9), -23);
  if (n % 89 == 7) e.vacuous = 1;
  if (n % 500 == 499) e = equal(ATTEST_DEMAND_EQUAL, 0);
  j = attest_judge(&e, got);
  attest_tally_add(t, at, &e, got, &j);
}

static int same_finding(const attest_finding *a, const attest_finding *b) {
  return a->any == b->any && memcmp(&a->at, &b->at, sizeof a->at) == 0 && a->got == b->got &&
         a->nearest == b->nearest && a->allowance == b->allowance &&
         a->judged.ratio == b->judged.ratio && a->judged.fails == b->judged.fails;
}

static int same_tally(const attest_tally *a, const attest_tally *b) {
  return a->elements == b->elements && a->correct == b->correct && a->failing == b->failing &&
         a->vacuous == b->vacuous && memcmp(a->bins, b->bins, sizeof a->bins) == 0 &&
         same_finding(&a->worst, &b->worst) && same_finding(&a->widest, &b->widest) &&
         same_finding(&a->first, &b->first) && same_finding(&a->loose, &b->loose) &&
         a->row_low == b->row_low && a->row_high == b->row_high &&
         a->column_low == b->column_low && a->column_high == b->column_high;
}

/* However a count is cut, the parts merge to the whole. */
static void merging(void **state) {
  static attest_tally whole, parts, part;
  enum { COUNT = 3000 };
  (void)state;
  for (size_t n = 0; n < COUNT; n++) add(&whole, n);
  assert_int_equal(whole.elements, COUNT);
  assert_true(whole.failing > 0 && whole.vacuous > 0 && whole.correct > 0);
  assert_int_equal(whole.first.at.row * 10 + whole.first.at.column, 5);
  assert_true(whole.worst.judged.ratio == (double)INFINITY);
  assert_int_equal(whole.worst.at.column, 9);
  for (size_t step = 1; step <= COUNT; step = step * 3 + 1) {
    memset(&parts, 0, sizeof parts);
    for (size_t n = 0; n < COUNT; n += step) {
      memset(&part, 0, sizeof part);
      for (size_t i = n; i < n + step && i < COUNT; i++) add(&part, i);
      attest_tally_merge(&parts, &part);
    }
    assert_true(same_tally(&parts, &whole));
  }
}

/* One that fails by little is worse than one that is just inside. */
static void worst(void **state) {
  attest_tally t = {0};
  attest_expected e = near(1, 0x1p-21, 0x1p-20);
  const attest_place a = {0, 0, 0, 1}, b = {0, 0, 0, 2}, c = {0, 0, 0, 3};
  /* over the allowance, but within the radius of it */
  double got = 1 + 0x1p-20 + 0x1p-22;
  attest_judged j = attest_judge(&e, got);
  (void)state;
  assert_true(!j.fails && j.ratio > 1);
  attest_tally_add(&t, a, &e, got, &j);
  e = near(1, 0, 0x1p-20);
  got = 1 + 0x1p-20 + 0x1p-23;
  j = attest_judge(&e, got);
  assert_true(j.fails && j.ratio < 1.2);
  attest_tally_add(&t, b, &e, got, &j);
  attest_tally_add(&t, c, &e, got, &j);
  assert_int_equal(t.worst.at.column, 2);
  assert_int_equal(t.widest.at.column, 1);
  assert_int_equal(t.column_low, 2);
  assert_int_equal(t.column_high, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors),       cmocka_unit_test(least_is_least),
      cmocka_unit_test(allowances),   cmocka_unit_test(not_a_number),
      cmocka_unit_test(rules),        cmocka_unit_test(vacuous),
      cmocka_unit_test(bins),         cmocka_unit_test(verdicts),
      cmocka_unit_test(merging),      cmocka_unit_test(worst),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
