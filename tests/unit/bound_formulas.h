/* The formulas of proofs/bounds.md in MPFR, transcribed from that text and not from bound.c.
   Numbers come from a pool that `fresh` empties, so that formulas can be written as expressions. */
#ifndef TESTS_BOUND_FORMULAS_H
#define TESTS_BOUND_FORMULAS_H

#include <assert.h>
#include <mpfr.h>

#include "oracle/bound.h"

enum { FORMULA_BITS = 200, POOL = 4096 };
typedef mpfr_ptr num;

static mpfr_t pool[POOL];
static int pool_used, pool_made;

/* How e^x - 1 and 1 - e^-x are taken: as they are, or from above as section 8 allows. */
static enum { EXACTLY, FROM_ABOVE } exponentials;

static void fresh(void) { pool_used = 0; }

static num take(void) {
  assert(pool_used < POOL);
  if (pool_used == pool_made) mpfr_init2(pool[pool_made++], FORMULA_BITS);
  return pool[pool_used++];
}

static void end_pool(void) {
  while (pool_made > 0) mpfr_clear(pool[--pool_made]);
  mpfr_free_cache();
}

static num is(double x) {
  num r = take();
  mpfr_set_d(r, x, MPFR_RNDN);
  return r;
}

#define BINARY(name, function)          \
  static num name(num a, num b) {       \
    num r = take();                     \
    function(r, a, b, MPFR_RNDN);       \
    return r;                           \
  }
BINARY(plus, mpfr_add)
BINARY(less, mpfr_sub)
BINARY(over, mpfr_div)
BINARY(smaller, mpfr_min)
BINARY(larger, mpfr_max)

/* 0 times infinity is 0: a bound that is infinite where nothing depends on it. */
static num times(num a, num b) {
  num r = take();
  if (mpfr_zero_p(a) || mpfr_zero_p(b))
    mpfr_set_zero(r, 1);
  else
    mpfr_mul(r, a, b, MPFR_RNDN);
  return r;
}

static num sum3(num a, num b, num c) { return plus(plus(a, b), c); }
static num sum4(num a, num b, num c, num d) { return plus(sum3(a, b, c), d); }
static num product3(num a, num b, num c) { return times(times(a, b), c); }
static num one_plus(num a) { return plus(is(1), a); }
static int under(num a, double b) { return mpfr_cmp_d(a, b) < 0; }

static num exponential(num a) {
  num r = take();
  mpfr_exp(r, a, MPFR_RNDN);
  return r;
}

static num logarithm(num a) {
  num r = take();
  mpfr_log(r, a, MPFR_RNDN);
  return r;
}

/* e^x - 1 */
static num growth_by(num x) {
  num r = take();
  if (exponentials == FROM_ABOVE && under(x, 1 + 0x1p-40))
    return sum3(x, over(times(x, x), is(2)), over(times(is(7), product3(x, x, x)), is(32)));
  if (exponentials == FROM_ABOVE) return exponential(x);
  mpfr_expm1(r, x, MPFR_RNDN);
  return r;
}

/* 1 - e^-x */
static num shrinking_by(num x) {
  num r = take();
  if (exponentials == FROM_ABOVE) return smaller(x, is(1));
  mpfr_expm1(r, less(is(0), x), MPFR_RNDN);
  return less(is(0), r);
}

typedef struct {
  num up, low;
  int broken;
} formula_score;

static num formula_dot(const attest_claim *c, double width, attest_score_size z, int *broken,
                       num *reach) {
  const num u = is(c->accum.u), tau = is(c->accum.tiny), tau_i = is(c->input.tiny);
  const num h = is(c->element_error), d = is(width), S = is(z.products), A = is(z.elements);
  const num D_in = sum3(times(plus(times(is(2), h), times(h, h)), S),
                        product3(tau_i, one_plus(h), A), product3(d, tau_i, tau_i));
  const num all = plus(S, D_in);
  const num D = sum3(D_in, product3(times(d, u), one_plus(u), all),
                     product3(d, tau, one_plus(times(d, u))));
  *reach = plus(all, D);
  *broken = !under(*reach, c->saturates ? c->accum.largest : c->accum.largest / 2);
  return D;
}

/* Section 2. */
static formula_score formula_of_score(const attest_claim *c, const attest_bound_problem *p,
                                      attest_score_size z, double largest_score, double T) {
  const num u = is(c->accum.u), tau = is(c->accum.tiny), h = is(c->element_error);
  const num scale = is(p->scale), A = is(z.elements), x = is(z.raw), s = is(z.score);
  const int between = p->softcap > 0 || p->biased;
  const num g = is(between ? c->scale_error : c->plain_error), zeta = is(c->shift_error);
  const num cap = is(c->cap_error), cc = is(p->softcap), eps = is(c->exp_error);
  const double Omega = c->accum.largest;
  formula_score r = {is(HUGE_VAL), is(HUGE_VAL), 1};
  int broken, lost = 0;
  num reach, e;
  const num D = formula_dot(c, (double)p->width, z, &broken, &reach);

  if (broken) return r;
  if (z.meets > 0) {
    const num f = is(z.meets), sure = times(is(2), tau);
    if (under(f, nextafter(c->input.tiny, HUGE_VAL)) || !under(sure, p->scale)) return r;
    if (!c->saturates && p->scale < 1 &&
        under(times(f, scale), nextafter(4 * c->accum.tiny, HUGE_VAL)))
      return r;
    if (!c->saturates && !(p->scale < 1) && !under(times(is(4), tau), z.meets)) return r;
  }
  if (!c->saturates && p->scale > 1 && !under(times(scale, A), Omega / 2)) return r;
  e = sum3(times(one_plus(g), plus(times(scale, D),
                                   times(tau, plus(reach, product3(larger(is(1), scale),
                                                                   one_plus(h), A))))),
           times(g, x), tau);
  if (!under(plus(x, e), Omega)) {
    if (p->softcap > 0) {
      if (p->softcap <= Omega / 64 && !mpfr_greater_p(e, is(Omega / 4)))
        e = plus(e, times(cc, is(0x1p-80)));
      else
        e = is(HUGE_VAL);
    } else if (p->biased) {
      if (!c->saturates) return r;
      e = plus(e, less(plus(x, e), is(Omega)));
    }
  }
  if (p->softcap > 0) {
    e = plus(times(one_plus(cap), e), product3(cap, cc, smaller(is(1), over(x, cc))));
    e = plus(smaller(e, times(plus(is(2), cap), cc)), times(one_plus(cc), tau));
    if (p->softcap < c->accum.tiny / c->accum.u / c->accum.u) e = is(HUGE_VAL);
  }
  if (p->biased) {
    const num b = is(z.bias), B = plus(times(is(c->input.u), b), is(c->input.tiny));
    e = plus(times(one_plus(u), sum4(e, B, times(is(c->bias_error), plus(b, B)), tau)),
             times(u, s));
  }
  if (between)
    e = sum3(times(one_plus(is(c->base_error)), e), times(is(c->base_error), s), tau);
  if (!under(plus(s, e), 0.693 * Omega)) {
    const num R = is(0.693 * Omega);
    if (c->saturates)
      e = plus(larger(e, less(s, R)), e);
    else if (z.signed_score < 0 && mpfr_less_p(e, is(0.693 * Omega / 2)))
      lost = 1;
    else
      return r;
  }
  e = sum3(e, times(zeta, sum3(s, is(largest_score), times(is(2), e))),
           times(is(1 + T), c->exp_error < 1 ? over(eps, less(is(1), eps)) : is(HUGE_VAL)));
  r.broken = 0;
  r.up = e;
  r.low = lost ? is(HUGE_VAL) : e;
  return r;
}

/* 3.1. `weight` is p_j. */
static num formula_share(attest_score_error e, double weight) {
  if (exponentials == FROM_ABOVE && e.up <= 1)
    return times(is(weight), one_plus(growth_by(is(e.up))));
  return times(is(weight), exponential(is(e.up)));
}
static num formula_share_error(attest_score_error e, double weight) {
  return times(is(weight), larger(growth_by(is(e.up)), shrinking_by(is(e.low))));
}

typedef struct {
  num n, r, u, tau, rho, w, phi, tau_w;
  int promised;
} formula_row;

static formula_row formula_of_row(const attest_claim *c, const attest_row_error *row, double T) {
  formula_row f;
  f.n = is(row->keys);
  f.r = is(row->keys + T);
  f.u = is(c->accum.u);
  f.tau = is(c->accum.tiny);
  f.rho = growth_by(times(is(T), f.u));
  f.w = plus(times(is(c->weight.u), one_plus(f.rho)), f.rho);
  f.phi = is(c->flush);
  f.tau_w = is(c->weight.tiny);
  f.promised = !row->broken && under(f.w, 0.5) && (row->kept > 0 || c->saturates);
  return f;
}

/* The size that no sum of weights exceeds (4.2). */
static num formula_sum_size(const attest_claim *c, formula_row f) {
  return product3(times(is(c->top), f.n), one_plus(times(f.r, f.u)),
                  times(one_plus(f.u), one_plus(f.w)));
}

/* 4.3 */
static num formula_theta(formula_row f) {
  const num once = one_plus(f.rho);
  const num inner = plus(product3(f.r, f.tau, one_plus(times(f.r, f.u))), times(f.n, f.tau_w));
  const num small = plus(times(f.n, f.phi), times(once, inner));
  return over(sum3(times(f.n, f.u), f.w, product3(is(4), one_plus(f.w), small)),
              less(is(1), f.w));
}

/* 4.5 */
static num formula_stored(const attest_claim *c, num x, num X) {
  const num Y = sum3(X, times(is(c->accum.u), plus(x, X)), is(c->accum.tiny));
  const num a = sum3(Y, times(is(c->output.u), plus(x, Y)), is(c->output.tiny));
  const num all = plus(x, a);
  return under(all, c->output.largest) && under(all, c->accum.largest) ? a : is(HUGE_VAL);
}

/* Section 4. */
static num formula_output(const attest_claim *c, const attest_row_error *row, double T,
                          attest_column_size z) {
  const formula_row f = formula_of_row(c, row, T);
  const num u_i = is(c->input.u), tau_i = is(c->input.tiny), v = is(z.largest), o = is(z.output);
  const num E1 = smaller(is(z.moved), is(z.spread)), A = smaller(is(z.mean), v);
  const num I = plus(times(u_i, A), tau_i), V = plus(times(v, one_plus(u_i)), tau_i);
  const num flushed = times(is(2), product3(f.n, f.phi, V)), once = one_plus(f.rho);
  const num Q = sum3(A, I, flushed), small = times(product3(f.n, f.tau_w, V), once);
  const num Q2 = plus(times(Q, one_plus(f.w)), small), theta = formula_theta(f);
  const num last = times(times(is(2), times(f.r, f.tau)),
                         times(once, one_plus(times(f.r, f.u))));
  const num B = sum4(plus(I, flushed), plus(times(f.w, Q), small),
                     product3(times(f.n, f.u), one_plus(f.u), Q2), last);
  const num o2 = smaller(plus(o, E1), v);
  const num size = formula_sum_size(c, f);

  if (!f.promised || !under(size, c->accum.largest)) return is(HUGE_VAL);
  if (z.largest == 0) return is(0);
  if (!under(times(size, V), c->accum.largest)) return is(HUGE_VAL);
  return formula_stored(c, o, sum3(E1, times(o2, theta), times(B, one_plus(theta))));
}

/* 5.1 */
static num formula_weight(const attest_claim *c, const attest_row_error *row, double T,
                          attest_score_error e, double weight) {
  const formula_row f = formula_of_row(c, row, T);
  const num p = is(weight), theta = formula_theta(f);
  const num above = plus(formula_share_error(e, weight), times(p, is(row->lost)));
  const num beneath = times(p, smaller(is(1), plus(shrinking_by(is(e.low)), is(row->gained))));
  const num M = larger(row->kept > 0 ? smaller(is(1), over(above, is(row->kept))) : is(1), beneath);
  if (!f.promised || !under(formula_sum_size(c, f), c->accum.largest)) return is(HUGE_VAL);
  return formula_stored(c, p, sum3(M, times(plus(p, M), theta),
                                   product3(is(2), f.phi, one_plus(theta))));
}

/* 5.2 */
static num formula_row_sum(const attest_claim *c, const attest_row_error *row, double T) {
  const formula_row f = formula_of_row(c, row, T);
  num e = formula_theta(f);
  if (!f.promised || !under(formula_sum_size(c, f), c->accum.largest)) return is(HUGE_VAL);
  if (T > 0) {
    if (!(row->kept > 0)) return is(HUGE_VAL);
    e = plus(e, times(over(plus(is(row->gained), is(row->lost)), is(row->kept)), one_plus(e)));
  }
  e = sum3(e, times(f.u, one_plus(e)), times(f.n, f.tau));
  return sum3(e, times(is(c->output.u), one_plus(e)), times(f.n, is(c->output.tiny)));
}

/* Section 6; lse: |lse|. */
static num formula_lse(const attest_claim *c, const attest_row_error *row, double T, double lse,
                       int base_2) {
  const formula_row f = formula_of_row(c, row, T);
  const num theta = formula_theta(f), x = is(lse), log2e = over(is(1), logarithm(is(2)));
  const num u_o = is(c->output.u), tau_o = is(c->output.tiny);
  num E, Lambda, error, all;

  if (!f.promised || !under(formula_sum_size(c, f), c->accum.largest) || !under(theta, 63.0 / 64))
    return is(HUGE_VAL);
  E = row->kept > 0 ? larger(is(row->gained), over(is(row->lost), is(row->kept))) : is(HUGE_VAL);
  E = plus(smaller(E, is(row->widest)), over(theta, less(is(1), theta)));
  Lambda = plus(logarithm(times(is(c->top), f.n)), is(1));
  error = sum4(E, product3(is(4), f.u, sum3(x, Lambda, E)), times(is(c->log_error), Lambda),
               times(is(4), f.tau));
  if (base_2) {
    const num y = times(x, log2e);
    error = plus(times(log2e, plus(error, product3(is(3), f.u, plus(x, error)))), f.tau);
    error = sum3(error, times(u_o, plus(y, error)), tau_o);
    all = plus(y, error);
  } else {
    error = sum3(error, times(u_o, plus(x, error)), tau_o);
    all = plus(x, error);
  }
  return under(all, c->output.largest) && under(all, c->accum.largest) ? error : is(HUGE_VAL);
}

#endif
