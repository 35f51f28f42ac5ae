#include "verdict.h"

#include <math.h>

const char *attest_verdict_name(attest_verdict verdict) {
  static const char *const names[] = {"PASS", "ILL-CONDITIONED", "FAIL"};

  return names[verdict];
}

attest_verdict attest_verdict_worse(attest_verdict a, attest_verdict b) { return a > b ? a : b; }

/* got - (high + low) is *first + *second but for the rounding of *second, which is at most 2^-53 of
   it (Knuth's two-sum). *first is infinite where the difference is beyond double. */
static void difference(double got, attest_enclosure exact, double *first, double *second) {
  const double a = got, b = -exact.high, s = a + b, part = s - a;
  const double rest = (a - (s - part)) + (b - part);

  *first = s;
  *second = isfinite(s) ? rest - exact.low : 0;
}

double attest_error_about(double got, attest_enclosure exact) {
  double first, second;

  difference(got, exact, &first, &second);
  return fabs(first + second);
}

double attest_error_least(double got, attest_enclosure exact) {
  double first, second, sum, least;

  if (!(exact.radius < INFINITY))
    return 0;
  difference(got, exact, &first, &second);
  sum = fabs(first + second);
  if (isinf(sum))
    return sum;
  least = sum - 0x1p-52 * (sum + fabs(second));
  least = nextafter(nextafter(least, 0) - exact.radius, -INFINITY);
  return least > 0 ? least : 0;
}

static attest_judged judge_equal(const attest_expected *e, double got) {
  attest_judged j = {0};
  const int same = isnan(e->value) ? isnan(got) : got == e->value;

  j.correct = same;
  j.fails = !same && !(e->demand == ATTEST_DEMAND_EQUAL_OR_NAN && isnan(got));
  if (!j.fails)
    return j;
  j.error = isfinite(e->value) && isfinite(got) ? fabs(got - e->value) : INFINITY;
  j.ulps = j.ratio = INFINITY;
  return j;
}

static attest_judged judge_near(const attest_expected *e, double got) {
  attest_judged j = {0};

  j.correct = got == e->value;
  if (!isfinite(got)) {
    /* An exact number beyond the format is infinite there, and may have become NaN on the way. */
    const int overflow = isinf(e->value) && (isnan(got) || j.correct);
    j.fails = !overflow && isfinite(e->allowance);
    j.error = j.ulps = overflow ? 0 : INFINITY;
    j.ratio = j.fails ? INFINITY : 0;
  } else {
    j.fails = attest_error_least(got, e->enclosure) > e->allowance;
    j.error = attest_error_about(got, e->enclosure);
    j.ulps = j.error / attest_format_ulp(e->format, e->enclosure.high);
    if (isinf(e->enclosure.high))
      j.error = j.ulps = INFINITY;
    j.ratio = j.error == 0 || isinf(e->allowance) ? 0 : j.error / e->allowance;
  }
  /* Where the correct answer is an overflow and that is what came, nothing is left to judge. */
  j.vacuous = (e->vacuous || isinf(e->allowance)) && !(isinf(e->value) && j.correct);
  return j;
}

attest_judged attest_judge(const attest_expected *e, double got) {
  return e->demand == ATTEST_DEMAND_NEAR ? judge_near(e, got) : judge_equal(e, got);
}

size_t attest_bin(int correct, double ulps) {
  double limit = 1;
  size_t bin = 2;

  if (correct)
    return 0;
  if (ulps <= 0.5)
    return 1;
  while (bin < ATTEST_BINS - 1 && !(ulps <= limit)) {
    limit *= 2;
    bin++;
  }
  return bin;
}

double attest_bin_limit(size_t bin) {
  if (bin == 0)
    return 0;
  return bin < ATTEST_BINS - 1 ? ldexp(1, (int)bin - 2) : INFINITY;
}

/* Whether b is worse than a. */
static int worse(const attest_finding *a, const attest_finding *b) {
  if (!a->any || !b->any)
    return b->any;
  if (a->judged.fails != b->judged.fails)
    return b->judged.fails;
  return b->judged.ratio > a->judged.ratio;
}

static int wider(const attest_finding *a, const attest_finding *b) {
  if (!a->any || !b->any)
    return b->any;
  return b->judged.ulps > a->judged.ulps;
}

static void spread_to(size_t *low, size_t *high, size_t first, size_t last, int any) {
  if (!any || first < *low)
    *low = first;
  if (!any || last > *high)
    *high = last;
}

void attest_tally_add(attest_tally *t, attest_place at, const attest_expected *expected,
                      double got, const attest_judged *judged) {
  attest_finding f;

  f.any = 1;
  f.at = at;
  f.got = got;
  f.nearest = expected->value;
  f.allowance = expected->demand == ATTEST_DEMAND_NEAR ? expected->allowance : 0;
  f.judged = *judged;
  t->elements++;
  t->correct += (size_t)judged->correct;
  t->bins[attest_bin(judged->correct, judged->ulps)]++;
  if (judged->fails) {
    spread_to(&t->row_low, &t->row_high, at.row, at.row, t->failing > 0);
    spread_to(&t->column_low, &t->column_high, at.column, at.column, t->failing > 0);
    t->failing++;
    if (!t->first.any)
      t->first = f;
  }
  if (judged->vacuous) {
    t->vacuous++;
    if (!t->loose.any)
      t->loose = f;
  }
  if (worse(&t->worst, &f))
    t->worst = f;
  if (wider(&t->widest, &f))
    t->widest = f;
}

void attest_tally_merge(attest_tally *t, const attest_tally *later) {
  if (later->failing > 0) {
    spread_to(&t->row_low, &t->row_high, later->row_low, later->row_high, t->failing > 0);
    spread_to(&t->column_low, &t->column_high, later->column_low, later->column_high,
              t->failing > 0);
  }
  t->elements += later->elements;
  t->correct += later->correct;
  t->failing += later->failing;
  t->vacuous += later->vacuous;
  for (size_t i = 0; i < ATTEST_BINS; i++)
    t->bins[i] += later->bins[i];
  if (!t->first.any)
    t->first = later->first;
  if (!t->loose.any)
    t->loose = later->loose;
  if (worse(&t->worst, &later->worst))
    t->worst = later->worst;
  if (wider(&t->widest, &later->widest))
    t->widest = later->widest;
}

attest_verdict attest_tally_verdict(const attest_tally *t) {
  if (t->failing > 0)
    return ATTEST_VERDICT_FAIL;
  return t->vacuous > 0 ? ATTEST_VERDICT_ILL : ATTEST_VERDICT_PASS;
}
