/* Double-double numbers: the exact sum h + l of two doubles with |l| at most half an ulp of h, so
   about 106 bits with the exponents of a double. Every operation here returns one (a function that
   needs more from its operands says so) and has a bound derived in proofs/double_double.md:

     |result - exact| <= BOUND * |exact| + TINY

   as long as nothing overflows. Only + - * / of doubles are used, no fma, so every machine gives
   the same bits. */
#ifndef ATTEST_ORACLE_DOUBLE_DOUBLE_H
#define ATTEST_ORACLE_DOUBLE_DOUBLE_H

#ifndef ATTEST_F64
#define ATTEST_F64 /* the real of exp2.h and log.h is double here */
#endif
#include <math.h>

#include "exp2.h"
#include "log.h"

/* Fails to compile where real.h was seen earlier as float. */
typedef char attest_dd_real_is_double[sizeof(real) == sizeof(double) ? 1 : -1];

typedef struct {
  double h, l;
} attest_dd;

#define ATTEST_DD_ADD 0x1p-104 /* attest_dd_add; its TINY is 0 */
#define ATTEST_DD_MUL_D 0x1p-104
#define ATTEST_DD_MUL 0x1p-102
#define ATTEST_DD_DIV 0x1p-102
#define ATTEST_DD_EXP 0x1p-101 /* of exp(t), relative; no TINY */
#define ATTEST_DD_LOG 0x1p-99 /* of log x, absolute; no TINY */
#define ATTEST_DD_RSQRT 0x1p-102 /* no TINY */
#define ATTEST_DD_TINY 0x1p-1010 /* of multiplications and the division */
#define ATTEST_DD_EXP_LEAST (-662.0) /* exp is for t from here to 0 */

/* From here on a product of two doubles is a double and a double, exactly. */
#define ATTEST_DD_EXACT_FROM 0x1p-960

/* a + b exactly (Knuth). No sum may overflow. */
static inline attest_dd attest_dd_two_sum(double a, double b) {
  attest_dd s;
  s.h = a + b;
  const double t = s.h - a;
  s.l = (a - (s.h - t)) + (b - t);
  return s;
}

/* The same for |a| >= |b| or a = 0 (Dekker). */
static inline attest_dd attest_dd_fast_two_sum(double a, double b) {
  attest_dd s;
  s.h = a + b;
  s.l = b - (s.h - a);
  return s;
}

/* a = h + l with 26 bits in each part (Veltkamp). |a| <= 2^995. */
static inline attest_dd attest_dd_split(double a) {
  const double c = 0x1.0000002p27 * a;
  attest_dd s;
  s.h = c - (c - a);
  s.l = a - s.h;
  return s;
}

/* a b, exactly if the rounded product is at least ATTEST_DD_EXACT_FROM (Dekker). Below, bits of the
   low part could fall under the smallest double, so there is none and the error is at most
   2^-1013. |a|, |b| <= 2^995, |a b| <= 2^1021. */
static inline attest_dd attest_dd_two_prod(double a, double b) {
  const attest_dd x = attest_dd_split(a), y = attest_dd_split(b);
  attest_dd p;
  p.h = a * b;
  p.l = (((x.h * y.h - p.h) + x.h * y.l) + x.l * y.h) + x.l * y.l;
  if (fabs(p.h) < ATTEST_DD_EXACT_FROM) p.l = 0;
  return p;
}

static inline attest_dd attest_dd_add(attest_dd x, attest_dd y) {
  const attest_dd s = attest_dd_two_sum(x.h, y.h);
  const attest_dd t = attest_dd_two_sum(x.l, y.l);
  const attest_dd v = attest_dd_fast_two_sum(s.h, s.l + t.h);
  return attest_dd_fast_two_sum(v.h, t.l + v.l);
}

static inline attest_dd attest_dd_add_d(attest_dd x, double y) {
  const attest_dd wide = {y, 0};
  return attest_dd_add(x, wide);
}

static inline attest_dd attest_dd_neg(attest_dd x) {
  const attest_dd minus = {-x.h, -x.l};
  return minus;
}

/* Ranges as for attest_dd_two_prod of x.h and y. */
static inline attest_dd attest_dd_mul_d(attest_dd x, double y) {
  const attest_dd c = attest_dd_two_prod(x.h, y);
  const attest_dd t = attest_dd_fast_two_sum(c.h, x.l * y);
  return attest_dd_fast_two_sum(t.h, t.l + c.l);
}

/* Ranges as for attest_dd_two_prod of x.h and y.h. */
static inline attest_dd attest_dd_mul(attest_dd x, attest_dd y) {
  const attest_dd c = attest_dd_two_prod(x.h, y.h);
  return attest_dd_fast_two_sum(c.h, c.l + (x.h * y.l + x.l * y.h));
}

/* x / y for y.h in [1, 2^23] and |x.h| <= 2^900. */
static inline attest_dd attest_dd_div(attest_dd x, attest_dd y) {
  const double q = x.h / y.h;
  const attest_dd r = attest_dd_mul_d(y, q);
  return attest_dd_two_sum(q, ((x.h - r.h) + (x.l - r.l)) / y.h);
}

/* 1/sqrt(n) for an integer n from 1 to 4096: one step of Newton's method with its second-order
   term. Exact where the result is a power of two. */
static inline attest_dd attest_dd_rsqrt(double n) {
  const double y = 1 / sqrt(n);
  const attest_dd product = attest_dd_mul_d(attest_dd_two_prod(y, y), n);
  const double e = attest_dd_add_d(attest_dd_neg(product), 1).h;
  return attest_dd_fast_two_sum(y, y * (e * (0.5 + 0.375 * e)));
}

/* log 2 in three parts; the first two have 42 and 40 bits, so that an integer below 2^10 times one
   of them is exact. */
#define ATTEST_DD_LN2_1 0x1.62e42fefa38p-1
#define ATTEST_DD_LN2_2 0x1.ef35793c76p-45
#define ATTEST_DD_LN2_3 0x1.cc01f97b57a08p-87

static const attest_dd attest_dd_log2_e = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};

/* 1/i!, and for the high degrees, which weigh less than 2^-52, in double only. */
enum { ATTEST_DD_EXP_WIDE = 13, ATTEST_DD_EXP_TERMS = 24 };
static const attest_dd attest_dd_inverse_factorial[ATTEST_DD_EXP_WIDE] = {
  {0x1p+0, 0},
  {0x1p+0, 0},
  {0x1p-1, 0},
  {0x1.5555555555555p-3, 0x1.5555555555555p-57},
  {0x1.5555555555555p-5, 0x1.5555555555555p-59},
  {0x1.1111111111111p-7, 0x1.1111111111111p-63},
  {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
  {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
  {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
  {0x1.71de3a556c734p-19, -0x1.c154f8ddc6cp-73},
  {0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76},
  {0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80},
  {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83}
};
static const double attest_dd_inverse_factorial_d[ATTEST_DD_EXP_TERMS - ATTEST_DD_EXP_WIDE] = {
  0x1.6124613a86d09p-33, 0x1.93974a8c07c9dp-37, 0x1.ae7f3e733b81fp-41, 0x1.ae7f3e733b81fp-45,
  0x1.952c77030ad4ap-49, 0x1.6827863b97d97p-53, 0x1.2f49b46814157p-57, 0x1.e542ba4020225p-62,
  0x1.71b8ef6dcf572p-66, 0x1.0ce396db7f853p-70, 0x1.761b41316381ap-75
};

/* So many numbers go through a function side by side: each step depends on the one before it, and
   the lanes fill the time that it takes. */
enum { ATTEST_DD_LANES = 8 };

/* Replaces t = h + l by e^t in every lane, for ATTEST_DD_EXP_LEAST <= t <= 0; exactly 1 for 0.
   t = k log 2 + r, |r| < 0.3466. */
static inline void attest_dd_exp_lanes(double *restrict h, double *restrict l) {
  enum { LANES = ATTEST_DD_LANES, TAIL = ATTEST_DD_EXP_TERMS - ATTEST_DD_EXP_WIDE };
  double high[LANES], low[LANES], upper[LANES], lower[LANES]; /* r, the halves of its high part */
  double sum[LANES], rest[LANES], power[LANES];
  int i, n;

  for (n = 0; n < LANES; n++) {
    const double k = attest_round(h[n] * attest_dd_log2_e.h);
    const attest_dd whole = attest_dd_two_sum(h[n], -k * ATTEST_DD_LN2_1);
    const attest_dd less = attest_dd_fast_two_sum(-k * ATTEST_DD_LN2_2, -k * ATTEST_DD_LN2_3);
    const attest_dd r = attest_dd_add(attest_dd_add_d(whole, l[n]), less);
    const attest_dd half = attest_dd_split(r.h);
    high[n] = r.h;
    low[n] = r.l;
    upper[n] = half.h;
    lower[n] = half.l;
    power[n] = attest_pow2_down(k);
    sum[n] = attest_dd_inverse_factorial_d[TAIL - 1];
    rest[n] = 0;
  }
  for (i = TAIL - 2; i >= 0; i--)
    for (n = 0; n < LANES; n++) sum[n] = sum[n] * high[n] + attest_dd_inverse_factorial_d[i];
  for (i = ATTEST_DD_EXP_WIDE - 1; i >= 0; i--) {
    const attest_dd c = attest_dd_inverse_factorial[i];
    for (n = 0; n < LANES; n++) {
      /* c + (sum + rest) r; rest may be some u |sum| until the end, which saves two sums. */
      const attest_dd half = attest_dd_split(sum[n]);
      const double p = sum[n] * high[n];
      const double e = (((half.h * upper[n] - p) + half.h * lower[n]) + half.l * upper[n])
                       + half.l * lower[n];
      const attest_dd s = attest_dd_fast_two_sum(c.h, p);
      rest[n] = s.l + (c.l + (e + (sum[n] * low[n] + rest[n] * high[n])));
      sum[n] = s.h;
    }
  }
  for (n = 0; n < LANES; n++) {
    const attest_dd s = attest_dd_fast_two_sum(sum[n], rest[n]);
    h[n] = s.h * power[n];
    l[n] = s.l * power[n];
  }
}

/* One alone. */
static inline attest_dd attest_dd_exp(attest_dd t) {
  double h[ATTEST_DD_LANES], l[ATTEST_DD_LANES];
  for (int n = 0; n < ATTEST_DD_LANES; n++) {
    h[n] = t.h;
    l[n] = t.l;
  }
  attest_dd_exp_lanes(h, l);
  t.h = h[0];
  t.l = l[0];
  return t;
}

/* log x for x.h in [1, 2^23]; exactly 0 for 1. With y = log(x.h) to about 53 bits, x e^-y - 1 is
   tiny, and log x = y + log(1 + (x e^-y - 1)). */
static inline attest_dd attest_dd_log(attest_dd x) {
  const double y = attest_log(x.h);
  const attest_dd minus = {-y, 0};
  const attest_dd z = attest_dd_add_d(attest_dd_mul(x, attest_dd_exp(minus)), -1);
  return attest_dd_add_d(attest_dd_add_d(z, -0.5 * z.h * z.h), y);
}

/* Numbers high + low with the halves of high, as attest_dd_split has them, prepared for dot
   products. low may be NULL: all 0. narrow: so are low and lower. */
typedef struct {
  double *high, *low, *upper, *lower;
  int narrow;
} attest_dd_vector;

/* A sum and how far off it may be: error, times what covers its own roundings (a relative 2^-40),
   and ATTEST_DD_TINY for each product. */
typedef struct {
  attest_dd value;
  double error;
} attest_dd_sum;

/* Sums side by side. What the additions and products lose is summed in `low`, the absolute values
   of that in `size`. */
typedef struct {
  double sum[ATTEST_DD_LANES], low[ATTEST_DD_LANES], size[ATTEST_DD_LANES];
} attest_dd_lanes;

/* So many products go into one attest_dd_lanes: a lane of few terms is more precise. */
enum { ATTEST_DD_CHUNK = 128 };

/* Whether all numbers have at most 26 bits, as floats have: the product of two such is exact. */
static inline int attest_dd_narrow(const double *x, size_t count) {
  uint64_t all = 0;
  for (size_t i = 0; i < count; i++) {
    union {
      double value;
      uint64_t bits;
    } number;
    number.value = x[i];
    all |= number.bits;
  }
  return all % (UINT64_C(1) << 27) == 0;
}

/* Adds `count` products, a multiple of ATTEST_DD_LANES. low may be NULL. */
static inline void attest_dd_lane_products(attest_dd_lanes *restrict s, const double *restrict high,
                                           const double *restrict low, const double *restrict upper,
                                           const double *restrict lower, const double *restrict y,
                                           size_t count) {
  for (size_t i = 0; i < count; i += ATTEST_DD_LANES)
    for (size_t n = 0; n < ATTEST_DD_LANES; n++) {
      const attest_dd half = attest_dd_split(y[i + n]);
      const double p = high[i + n] * y[i + n];
      const double e = (((upper[i + n] * half.h - p) + upper[i + n] * half.l)
                        + lower[i + n] * half.h) + lower[i + n] * half.l;
      const attest_dd t = attest_dd_two_sum(s->sum[n], p);
      const double lost = e + t.l, rest = low ? low[i + n] * y[i + n] : 0;
      s->sum[n] = t.h;
      s->low[n] += low ? lost + rest : lost;
      s->size[n] += low ? fabs(lost) + fabs(rest) : fabs(lost);
    }
}

/* The same for lanes of 0, without low, where the products are exact. A few lanes at a time: their
   sums stay in registers, and any number of them gives the same bits. */
static inline void attest_dd_exact_products(attest_dd_lanes *restrict s,
                                            const double *restrict high, const double *restrict y,
                                            size_t count) {
  enum { GROUP = 4 };
  for (size_t g = 0; g < ATTEST_DD_LANES; g += GROUP) {
    double sum[GROUP], low[GROUP], size[GROUP];
    for (size_t n = 0; n < GROUP; n++) sum[n] = low[n] = size[n] = 0;
    for (size_t i = g; i < count; i += ATTEST_DD_LANES)
      for (size_t n = 0; n < GROUP; n++) {
        const attest_dd t = attest_dd_two_sum(sum[n], high[i + n] * y[i + n]);
        sum[n] = t.h;
        low[n] += t.l;
        size[n] += fabs(t.l);
      }
    for (size_t n = 0; n < GROUP; n++) {
      s->sum[g + n] = sum[n];
      s->low[g + n] = low[n];
      s->size[g + n] = size[n];
    }
  }
}

/* x from `first` on times y. */
static inline void attest_dd_products(attest_dd_lanes *s, const attest_dd_vector *x, size_t first,
                                      const double *y, size_t count) {
  const double *high = x->high + first, *upper = x->upper + first, *lower = x->lower + first;
  if (x->low) attest_dd_lane_products(s, high, x->low + first, upper, lower, y, count);
  else if (x->narrow && attest_dd_narrow(y, count)) attest_dd_exact_products(s, high, y, count);
  else attest_dd_lane_products(s, high, NULL, upper, lower, y, count);
}

/* The second half of the first 2 * half lanes added to the first. */
static inline void attest_dd_fold(attest_dd_lanes *s, int half) {
  for (int n = 0; n < half; n++) {
    const attest_dd t = attest_dd_two_sum(s->sum[n], s->sum[n + half]);
    s->sum[n] = t.h;
    s->low[n] = (s->low[n] + s->low[n + half]) + t.l;
    s->size[n] = (s->size[n] + s->size[n + half]) + fabs(t.l);
  }
}

/* x y over `count` elements, a multiple of ATTEST_DD_LANES. Ranges as for attest_dd_two_prod; if
   one is violated or a sum overflows then the error is infinite or NaN. */
static inline attest_dd_sum attest_dd_dot(const attest_dd_vector *x, const double *y,
                                          size_t count) {
  enum { LANES = ATTEST_DD_LANES, CHUNK = ATTEST_DD_CHUNK };
  attest_dd_sum total = {{0, 0}, 0};

  for (size_t i = 0; i < count; i += CHUNK) {
    const size_t most = count - i > CHUNK ? CHUNK : count - i;
    attest_dd_lanes s = {{0}, {0}, {0}};
    attest_dd_products(&s, x, i, y + i, most);
    attest_dd_fold(&s, LANES / 2);
    attest_dd_fold(&s, LANES / 4);
    attest_dd_fold(&s, LANES / 8);
    total.value = attest_dd_add(total.value, attest_dd_two_sum(s.sum[0], s.low[0]));
    total.error += (double)(most / LANES + 8) * 0x1p-53 * s.size[0];
    if (i > 0) total.error += ATTEST_DD_ADD * fabs(total.value.h);
  }
  return total;
}

#endif
