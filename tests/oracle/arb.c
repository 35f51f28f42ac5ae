/* The oracle against Arb: attention from the inputs in ball arithmetic of 300 bits and more, which
   shares nothing with the oracle but the problem, rounded by its own code, and compared to the last
   bit with what intervals and rational numbers answer, and with what the whole ladder does.

     arb [SHAPES]

   A line for each format and result: 'ok NAME: ...' or 'FAIL NAME: ...'; 'exact' counts those that
   needed rational arithmetic. Where Arb's ball does not
   decide with LAST_BITS either, the element counts as a tie: the answer must be one of the ball's
   two, and unless scores lie more than FAR apart, or beyond FAR softcaps, where LAST_BITS need not
   tell a tie from what is close to one, that with the even last bit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <arb.h>

#include "oracle/exact.h"
#include "oracle/oracle.h"
#include "problem.h"

enum { SHAPES = 400, FIRST_BITS = 300, LAST_BITS = 9600, FORMATS = 5, KINDS = 4, WHO = 2 };
#define FAR 1000.0

typedef enum { OUTPUT, WEIGHT, LSE_E, LSE_2 } kind;

static const char *const format_names[FORMATS] = {"f64", "f32", "f16", "bf16", "q16"};
static const char *const kind_names[KINDS] = {"outputs", "weights", "log-sum-exp",
                                              "log-sum-exp, base 2"};

static const char *const who_names[WHO] = {"intervals", "ladder"};

typedef struct {
  size_t elements, exact, ties, wrong;
} tally;

static tally tallies[WHO][FORMATS][KINDS];

/* ---- a row in ball arithmetic ---- */

typedef struct {
  const problem *p;
  size_t i;
  slong bits;
  arb_t weight[PROBLEM_KEYS], total; /* weight: exp(score - top) */
  arf_t top;
  double reach; /* the greatest difference of scores, or score in softcaps, about */
} ball_row;

/* *capped: at least |score| / softcap before the softcap, about, where there is one. */
static void ball_score(const problem *p, size_t i, size_t j, slong bits, arb_t s,
                       double *capped) {
  const attest_shape *shape = &p->shape;
  arb_t x, y;
  arb_init(x);
  arb_init(y);
  arb_zero(s);
  for (size_t c = 0; c < shape->width; c++) {
    arb_set_d(x, p->q[i * shape->width + c]);
    arb_set_d(y, p->k[j * shape->width + c]);
    arb_addmul(s, x, y, bits);
  }
  if (shape->scale_given) {
    arb_set_d(x, shape->scale);
    arb_mul(s, s, x, bits);
  } else {
    arb_sqrt_ui(x, shape->width, bits);
    arb_div(s, s, x, bits);
  }
  if (shape->softcap > 0) {
    arb_set_d(x, shape->softcap);
    arb_div(s, s, x, bits);
    *capped = fmax(*capped, fabs(arf_get_d(arb_midref(s), ARF_RND_NEAR)));
    arb_tanh(s, s, bits);
    arb_mul(s, s, x, bits);
  }
  if (p->arrays.bias) {
    arb_set_d(x, p->bias[i * shape->kv_len + j]);
    arb_add(s, s, x, bits);
  }
  arb_clear(y);
  arb_clear(x);
}

static void ball_start(ball_row *row, const problem *p, size_t i) {
  row->p = p;
  row->i = i;
  row->bits = 0;
  arb_init(row->total);
  arf_init(row->top);
  for (size_t j = 0; j < PROBLEM_KEYS; j++) arb_init(row->weight[j]);
}

static void ball_end(ball_row *row) {
  arb_clear(row->total);
  arf_clear(row->top);
  for (size_t j = 0; j < PROBLEM_KEYS; j++) arb_clear(row->weight[j]);
}

/* Computes the row at `bits`, unless it is there. */
static void ball_at(ball_row *row, slong bits) {
  const size_t n = row->p->shape.kv_len;
  double lowest = HUGE_VAL, capped = 0;
  int first = 1;
  if (row->bits == bits) return;
  row->bits = bits;
  for (size_t j = 0; j < n; j++) {
    double about;
    if (!problem_visible(row->p, row->i, j)) continue;
    ball_score(row->p, row->i, j, bits, row->weight[j], &capped);
    about = arf_get_d(arb_midref(row->weight[j]), ARF_RND_NEAR);
    if (about < lowest) lowest = about;
    if (first || arf_cmp(arb_midref(row->weight[j]), row->top) > 0)
      arf_set(row->top, arb_midref(row->weight[j]));
    first = 0;
  }
  row->reach = fmax(arf_get_d(row->top, ARF_RND_NEAR) - lowest, capped);
  arb_zero(row->total);
  for (size_t j = 0; j < n; j++) {
    if (!problem_visible(row->p, row->i, j)) continue;
    arb_sub_arf(row->weight[j], row->weight[j], row->top, bits);
    arb_exp(row->weight[j], row->weight[j], bits);
    arb_add(row->total, row->total, row->weight[j], bits);
  }
}

static void ball_element(ball_row *row, kind what, size_t index, slong bits, arb_t result) {
  const attest_shape *shape = &row->p->shape;
  arb_t x;
  ball_at(row, bits);
  arb_init(x);
  if (what == OUTPUT) {
    arb_zero(result);
    for (size_t j = 0; j < shape->kv_len; j++) {
      if (!problem_visible(row->p, row->i, j)) continue;
      arb_set_d(x, row->p->v[j * shape->value_width + index]);
      arb_addmul(result, row->weight[j], x, bits);
    }
    arb_div(result, result, row->total, bits);
  } else if (what == WEIGHT) {
    arb_div(result, row->weight[index], row->total, bits);
  } else {
    arb_log(result, row->total, bits);
    arb_add_arf(result, result, row->top, bits);
    if (what == LSE_2) {
      arb_const_log2(x, bits);
      arb_div(result, result, x, bits);
    }
  }
  arb_clear(x);
}

/* ---- rounding ---- */

static double round_to(attest_format format, const arf_t x) {
  static const int digits[] = {53, 24, 11, 8}, least[] = {-1074, -149, -24, -133};
  static const int top[] = {1024, 128, 16, 128};
  fmpz_t n, place;
  arf_t scaled;
  double result;
  if (arf_is_zero(x)) return 0;
  fmpz_init(n);
  fmpz_init(place);
  arf_init(scaled);
  arf_abs_bound_lt_2exp_fmpz(place, x); /* |x| < 2^place */
  if (format == ATTEST_FORMAT_Q16) {
    if (fmpz_cmp_si(place, 20) > 0) {
      result = arf_sgn(x) > 0 ? 2147483647.0 : -2147483648.0;
    } else {
      arf_mul_2exp_si(scaled, x, 16);
      arf_get_fmpz(n, scaled, ARF_RND_NEAR);
      result = fmpz_get_d(n);
      if (result > 2147483647.0) result = 2147483647.0;
      if (result < -2147483648.0) result = -2147483648.0;
    }
    result /= 65536;
  } else if (fmpz_cmp_si(place, top[format] + 1) > 0) {
    result = HUGE_VAL;
  } else {
    fmpz_sub_si(place, place, digits[format]);
    if (fmpz_cmp_si(place, least[format]) < 0) fmpz_set_si(place, least[format]);
    fmpz_neg(place, place);
    arf_mul_2exp_fmpz(scaled, x, place);
    arf_abs(scaled, scaled);
    arf_get_fmpz(n, scaled, ARF_RND_NEAR);
    result = ldexp(fmpz_get_d(n), (int)-fmpz_get_si(place));
    if (result >= ldexp(1, top[format] - 1) * 2) result = HUGE_VAL;
  }
  if (format != ATTEST_FORMAT_Q16 && arf_sgn(x) < 0) result = -result;
  arf_clear(scaled);
  fmpz_clear(place);
  fmpz_clear(n);
  return result;
}

static int same(double x, double y) {
  return (x == y && !signbit(x) == !signbit(y)) || (x != x && y != y);
}

/* The two numbers the ends of the element's ball are rounded to. */
static void ball_ends(ball_row *row, kind what, size_t index, attest_format format, double *low,
                      double *high) {
  arb_t x;
  arf_t end;
  arb_init(x);
  arf_init(end);
  for (slong bits = FIRST_BITS; bits <= LAST_BITS; bits *= 2) {
    ball_element(row, what, index, bits, x);
    if (!arb_is_finite(x)) {
      *low = -HUGE_VAL;
      *high = HUGE_VAL;
      continue;
    }
    arb_get_lbound_arf(end, x, bits);
    *low = round_to(format, end);
    /* A weight is positive, also where its ball is not. */
    if (what == WEIGHT && arf_sgn(end) < 0) *low = 0;
    arb_get_ubound_arf(end, x, bits);
    *high = round_to(format, end);
    if (same(*low, *high)) break;
  }
  arf_clear(end);
  arb_clear(x);
}

/* The middle of two neighbours, rounded: what a tie is rounded to. */
static double even_of(attest_format format, double low, double high) {
  arf_t x, y;
  double result;
  arf_init(x);
  arf_init(y);
  arf_set_d(x, low);
  arf_set_d(y, high);
  arf_add(x, x, y, ARF_PREC_EXACT, ARF_RND_DOWN);
  arf_mul_2exp_si(x, x, -1);
  result = round_to(format, x);
  arf_clear(y);
  arf_clear(x);
  return result;
}

/* ---- comparing ---- */

static void check(ball_row *row, kind what, size_t index, attest_format format, double got,
                  int rung, int who) {
  tally *t = &tallies[who][format][what];
  double low = 0, high = 0;
  int good;
  ball_ends(row, what, index, format, &low, &high);
  good = same(got, low);
  if (!same(low, high)) {
    t->ties++;
    good = good || same(got, high);
    if (row->reach < FAR && fabs(low) < HUGE_VAL && fabs(high) < HUGE_VAL &&
        rung != ATTEST_RUNG_UNDECIDED)
      good = same(got, even_of(format, low, high));
  }
  t->elements++;
  t->exact += rung == ATTEST_RUNG_EXACT;
  if (good) return;
  t->wrong++;
  if (t->wrong <= 5)
    printf("  %s, %s, %s: row %zu, index %zu, %zu keys, width %zu, reach %g: %a by rung %d, "
           "not %a or %a\n",
           who_names[who], format_names[format], kind_names[what], row->i, index,
           row->p->shape.kv_len, row->p->shape.width, row->reach, got, rung, low, high);
}

static void check_exact(ball_row *row, const attest_row_view *view, uint64_t *state) {
  attest_exact *exact = attest_exact_start(view);
  if (!exact) exit(1);
  for (size_t c = 0; c < view->value_width; c++) {
    const attest_format f = (attest_format)problem_below(state, FORMATS);
    const attest_certified r = attest_exact_output(exact, c, f);
    check(row, OUTPUT, c, f, r.value, (int)r.rung, 0);
  }
  for (size_t n = 0; n < view->count; n += 1 + problem_below(state, 3)) {
    const attest_format f = (attest_format)problem_below(state, FORMATS);
    const attest_certified r = attest_exact_weight(exact, n, f);
    check(row, WEIGHT, view->keys[n].index, f, r.value, (int)r.rung, 0);
  }
  for (int f = 0; f < FORMATS; f++)
    for (int base = 0; base < 2; base++) {
      const attest_certified r =
          attest_exact_lse(exact, (attest_log_base)base, (attest_format)f);
      check(row, base ? LSE_2 : LSE_E, 0, (attest_format)f, r.value, (int)r.rung, 0);
    }
  attest_exact_end(exact);
}

static void check_ladder(ball_row *row, const attest_row_view *view, uint64_t *state) {
  static double out[PROBLEM_VALUES], weights[PROBLEM_KEYS], lse[1];
  static uint8_t rungs[3][PROBLEM_KEYS];
  const attest_format f = (attest_format)problem_below(state, FORMATS);
  attest_oracle_options options = {f, (attest_log_base)problem_below(state, 2), ATTEST_RUNG_F64};
  attest_oracle_result result = {{out, NULL, rungs[0]}, {weights, NULL, rungs[1]},
                                 {lse, NULL, rungs[2]}, {0}};
  attest_status refusal;
  if (attest_oracle_rows(&row->p->shape, &row->p->arrays, 0, 0, row->i, 1, &options, &result,
                         &refusal) != ATTEST_ORACLE_OK) {
    printf("FAIL ladder: refused, %d\n", (int)refusal);
    return;
  }
  for (size_t c = 0; c < view->value_width; c++)
    check(row, OUTPUT, c, f, out[c], rungs[0][c], 1);
  for (size_t n = 0; n < view->count; n++) {
    const size_t j = view->keys[n].index;
    check(row, WEIGHT, j, f, weights[j], rungs[1][j], 1);
  }
  check(row, options.lse_base == ATTEST_BASE_2 ? LSE_2 : LSE_E, 0, f, lse[0], rungs[2][0],
        1);
}

int main(int argc, char **argv) {
  const size_t shapes = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : SHAPES;
  static problem p;
  static attest_row_key memory[PROBLEM_KEYS];
  uint64_t state = 20240229;
  size_t wrong = 0, hidden = 0;
  for (size_t shape = 0; shape < shapes; shape++) {
    problem_make(&p, &state);
    for (size_t i = 0; i < p.shape.q_len; i++) {
      const attest_row_view view = attest_row_at(&p.shape, &p.arrays, 0, 0, i, memory);
      size_t visible = 0;
      ball_row row;
      for (size_t j = 0; j < p.shape.kv_len; j++) visible += (size_t)problem_visible(&p, i, j);
      if (visible != view.count) hidden++;
      if (view.kind != ATTEST_ROW_FINITE) continue;
      ball_start(&row, &p, i);
      check_exact(&row, &view, &state);
      check_ladder(&row, &view, &state);
      ball_end(&row);
    }
  }
  for (int n = 0; n < WHO * FORMATS * KINDS; n++) {
    const int who = n / (FORMATS * KINDS), f = n / KINDS % FORMATS, what = n % KINDS;
    const tally t = tallies[who][f][what];
    printf("%s arb, %s, %s, %s: %zu elements, %zu exact, %zu ties, %zu wrong\n",
           t.wrong ? "FAIL" : "ok", who_names[who], format_names[f], kind_names[what], t.elements,
           t.exact, t.ties, t.wrong);
    wrong += t.wrong;
  }
  printf("%s arb visible keys: %zu rows differ\n", hidden ? "FAIL" : "ok", hidden);
  flint_cleanup();
  mpfr_free_cache();
  return wrong || hidden ? 1 : 0;
}
