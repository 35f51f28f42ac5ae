#define ATTEST_F64
#include "bound.h"

#include <math.h>

#include "exp2.h"
#include "log.h"
#include "tanh.h"

/* The derived errors of the float functions; their headers can be read for one format at a time,
   and this file reads double's. tests/unit/test_functions.c compares both with the headers. */
#define EXP2_ERROR_F32 0x1.ap-24
#define LOG_ERROR_F32 0x1.cp-24
#define TANH_ERROR_F32 0x1.ep-24

/* (1 + a)^n - 1 for n factors, as 1 + a is not exact. */
static double power_error(double a, int n) {
  double e = 0;
  for (int i = 0; i < n; i++) e = e + a + e * a;
  return e * ATTEST_BOUND_SLACK;
}

static attest_arithmetic none(void) {
  const attest_arithmetic a = {0, 0, INFINITY};
  return a;
}

/* A format of its own, or none where it is the accumulator's. */
static attest_arithmetic apart(attest_format format, attest_format accum) {
  return format == accum ? none() : attest_arithmetic_of(format);
}

attest_claim attest_claim_engine(attest_format accum, attest_format output) {
  const int wide = accum == ATTEST_FORMAT_F64;
  const attest_arithmetic a = attest_arithmetic_of(accum);
  attest_claim c;
  c.input = wide ? none() : a;
  c.accum = a;
  c.weight = none();
  c.output = apart(output, accum);
  c.element_error = c.input.u;
  /* 1/sqrt(width) is two roundings in double, log2(e) one, their product one, the rounding to float
     one, and the product with the dot product one. */
  c.scale_error = wide ? power_error(a.u, 3) : power_error(a.u, 2) + 0x1p-50;
  c.plain_error = wide ? power_error(a.u, 5) : power_error(a.u, 2) + 0x1p-50;
  c.cap_error = power_error(a.u, 3) + 2 * (wide ? ATTEST_TANH_ERROR : TANH_ERROR_F32);
  c.bias_error = 0;
  c.base_error = power_error(a.u, 2);
  c.shift_error = 0;
  c.exp_error = wide ? ATTEST_EXP2_ERROR : EXP2_ERROR_F32;
  c.log_error = wide ? ATTEST_LOG_ERROR : LOG_ERROR_F32;
  c.flush = wide ? 0x1p-1021 : 0x1p-125;
  c.top = 1.5;
  c.saturates = 1;
  return c;
}

/* A format whose subnormal numbers may be flushed to 0, on reading and on writing: no rounding is
   off by more than the smallest normal number, half of tiny / u. f16, where that would leave
   little, is taken to keep them. */
static attest_arithmetic flushing(attest_format format) {
  attest_arithmetic a = attest_arithmetic_of(format);
  if (format != ATTEST_FORMAT_F16) a.tiny /= a.u;
  return a;
}

attest_claim attest_claim_kernel(attest_format input, attest_format accum, attest_format weight,
                                 attest_format output, double exp_ulps) {
  const attest_arithmetic a = flushing(accum);
  attest_claim c;
  c.input = flushing(input);
  if (c.input.tiny < a.tiny) c.input.tiny = a.tiny; /* flushed on reading */
  c.accum = a;
  /* Divided before they multiply V, the weights are rounded once more by the division. */
  c.weight = flushing(weight);
  c.weight.u = weight == accum ? a.u : c.weight.u + a.u + c.weight.u * a.u;
  if (c.weight.tiny < a.tiny) c.weight.tiny = a.tiny;
  c.output = none();
  if (output != accum) c.output = flushing(output);
  c.element_error = c.input.u + a.u + c.input.u * a.u;
  c.scale_error = power_error(a.u, 6);
  c.plain_error = power_error(a.u, 9);
  c.cap_error = power_error(a.u, 3) + 16 * a.u;
  c.bias_error = power_error(a.u, 3);
  c.base_error = power_error(a.u, 3);
  c.shift_error = power_error(a.u, 3);
  c.exp_error = 2 * a.u * exp_ulps;
  c.log_error = 4 * a.u;
  /* Half of it covers a flush to 0, or exp_ulps of the last place where that no longer shrinks. */
  c.flush = a.tiny + 2 * exp_ulps * attest_arithmetic_of(accum).tiny;
  c.top = 1.5;
  c.saturates = 0;
  return c;
}

/* e^x - 1 from above. For x <= 1 the terms beyond the third are at most x^3 (e - 5/2). */
static double grows_by(double x) {
  if (x <= 1) return (x + x * x / 2 + x * x * x * 7 / 32) * ATTEST_BOUND_SLACK;
  return exp(x) * ATTEST_BOUND_SLACK;
}

/* 1 - e^-x from above. */
static double shrinks_by(double x) { return x < 1 ? x : 1; }

/* n u for n roundings; in a sum of products (1 + u) covers the products' own. */
static double roundings(double n, double u) { return n * u * (1 + u); }

/* 2.2: the range between scale and what follows it, where |x| + e may leave it. Returns whether
   anything is promised about the row; *e may become infinite. */
static int leaves_range(const attest_claim *c, const attest_bound_problem *p, double raw,
                        double *e) {
  const double largest = c->accum.largest;
  if (raw + *e < largest) return 1;
  if (p->softcap > 0) {
    *e = p->softcap <= largest / 64 && *e <= largest / 4 ? *e + p->softcap * 0x1p-80 : INFINITY;
    return 1;
  }
  if (p->biased) *e += *e + (raw - largest);
  return !p->biased || c->saturates;
}

/* 2.1: what an infinite element is multiplied by stays a number other than 0: rounded or flushed on
   reading, times the scale elsewhere than in ref/, and the scale itself. */
static int keeps_infinity(const attest_claim *c, const attest_bound_problem *p, double factor) {
  const double scaled = p->scale < 1 ? factor * p->scale : factor;
  return factor > c->input.tiny && p->scale > 2 * c->accum.tiny &&
         (c->saturates || scaled > 4 * c->accum.tiny);
}

/* 2.1 and 2.2: the dot product and its scale, and the base where nothing comes between. Returns
   whether anything is promised about the row. */
static int scaled_error(const attest_claim *c, const attest_bound_problem *p,
                        const attest_score_size *size, double *e) {
  const double d = (double)p->width, u = c->accum.u, tiny = c->accum.tiny;
  const double element = c->element_error, stretch = p->scale > 1 ? p->scale : 1;
  const double scale_error = p->softcap > 0 || p->biased ? c->scale_error : c->plain_error;
  const double largest = c->saturates ? c->accum.largest : c->accum.largest / 2;
  double rounded, products, dot;

  if (size->meets > 0 && !keeps_infinity(c, p, size->meets)) return 0;
  rounded = (2 * element + element * element) * size->products +
            c->input.tiny * (1 + element) * size->elements + d * c->input.tiny * c->input.tiny;
  products = size->products + rounded;
  dot = rounded + roundings(d, u) * products + d * tiny * (1 + d * u);
  if (!(products + dot < largest)) return 0;
  if (!c->saturates && p->scale > 1 && !(p->scale * size->elements < largest)) return 0;
  dot = p->scale * dot + tiny * (products + dot) +
        tiny * stretch * ((1 + element) * size->elements);
  *e = (1 + scale_error) * dot + scale_error * size->raw + tiny;
  return 1;
}

attest_score_error attest_bound_score(const attest_claim *c, const attest_bound_problem *p,
                                      attest_score_size size, double m, double rescales) {
  const double u = c->accum.u, tiny = c->accum.tiny, top = c->accum.largest * 0.693;
  const double exponential = c->exp_error < 1 ? c->exp_error / (1 - c->exp_error) : INFINITY;
  attest_score_error result = {INFINITY, INFINITY, 1};
  double e;
  int lost = 0;

  if (!scaled_error(c, p, &size, &e) || !leaves_range(c, p, size.raw, &e)) return result;

  /* 2.3: softcap */
  if (p->softcap > 0) {
    const double most = (2 + c->cap_error) * p->softcap;
    e = (1 + c->cap_error) * e + c->cap_error * p->softcap * shrinks_by(size.raw / p->softcap);
    e = (e < most ? e : most) + (p->softcap + 1) * tiny;
    if (p->softcap < tiny / (u * u)) e = INFINITY;
  }

  /* 2.4: bias */
  if (p->biased) {
    const double bias = c->input.u * size.bias + c->input.tiny;
    e = (1 + u) * (e + bias + c->bias_error * (size.bias + bias) + tiny) + u * size.score;
  }

  /* 2.5: the base */
  if (p->softcap > 0 || p->biased)
    e = (1 + c->base_error) * e + c->base_error * size.score + tiny;

  /* 2.6: the end of the range. What is saturated is off by no more than the way back to it. */
  if (!(size.score + e < top)) {
    if (c->saturates)
      e = (size.score - top > e ? size.score - top : e) + e;
    else if (size.signed_score < 0 && e < top / 2)
      lost = 1;
    else
      return result;
  }

  /* 2.7: the maximum, and the exponential */
  e = e + c->shift_error * (size.score + m + 2 * e) + (1 + rescales) * exponential;
  if (!(e < INFINITY)) e = INFINITY; /* or NaN, from no shift error times infinity */
  result.broken = 0;
  result.up = e * ATTEST_BOUND_SLACK;
  result.low = lost ? INFINITY : result.up;
  return result;
}

void attest_bound_row_start(attest_row_error *row) {
  row->keys = row->lost = row->gained = row->kept = row->widest = 0;
  row->broken = 0;
}

int attest_bound_steady(const attest_claim *c, double m) {
  return 2 * c->shift_error * m * ATTEST_BOUND_SLACK <= 0.25;
}

double attest_bound_share(attest_score_error e, double weight, double log_weight) {
  if (e.up <= 1) return weight * (1 + grows_by(e.up));
  if (!(e.up < INFINITY)) return INFINITY;
  return exp(log_weight + e.up + (fabs(log_weight) + e.up) * 0x1p-50) * (1 + 0x1p-18);
}

double attest_bound_share_error(attest_score_error e, double weight, double log_weight) {
  const double less = weight * shrinks_by(e.low);
  const double more = e.up <= 1 ? weight * grows_by(e.up)
                                : attest_bound_share(e, weight, log_weight);
  return more > less ? more : less;
}

void attest_bound_row_add(attest_row_error *row, attest_score_error e, double weight,
                          double log_weight) {
  const double widest = e.up > e.low ? e.up : e.low;
  row->keys += 1;
  row->lost += weight * shrinks_by(e.low);
  row->gained += e.up <= 1 ? weight * grows_by(e.up) : attest_bound_share(e, weight, log_weight);
  /* log_weight may be too large */
  row->kept += exp(log_weight - e.low - (fabs(log_weight) + e.low) * 0x1p-50) * (1 - 0x1p-18);
  if (widest > row->widest) row->widest = widest;
  row->broken |= e.broken;
}

/* What T rounded products of a running sum, and the rounding of the weights, do to a key's share of
   a sum, relative (4.2). */
static double growth(const attest_claim *c, double rescales) {
  return grows_by(rescales * c->accum.u);
}
static double share_rounding(const attest_claim *c, double rescales) {
  const double rho = growth(c, rescales);
  return c->weight.u * (1 + rho) + rho;
}

/* What no sum of weights exceeds (4.2). */
static double largest_sum(const attest_claim *c, double keys, double rescales) {
  const double u = c->accum.u;
  return c->top * keys * (1 + (keys + rescales) * u) * (1 + u) * (1 + share_rounding(c, rescales));
}

/* Whether anything is promised about a row: no dot product and not the sum of the weights may
   overflow, the shares keep at least half, and where scores do not saturate some weight is above
   0. */
static int promised(const attest_claim *c, const attest_row_error *row, double rescales) {
  return !row->broken && largest_sum(c, row->keys, rescales) < c->accum.largest &&
         share_rounding(c, rescales) < 0.5 && (row->kept > 0 || c->saturates);
}

/* 4.3: how far the sum of the weights may be from what it stands for, relative. */
static double sum_error(const attest_claim *c, double keys, double rescales) {
  const double r = keys + rescales, u = c->accum.u, w = share_rounding(c, rescales);
  const double grown = 1 + growth(c, rescales);
  const double absolute = keys * c->flush + grown * (r * c->accum.tiny * (1 + r * u) +
                                                     keys * c->weight.tiny);
  return (keys * u + w + 4 * (1 + w) * absolute) / (1 - w);
}

/* A result x, wrong by at most e, divided and rounded to the output format (4.5). */
static double stored(const attest_claim *c, double x, double e) {
  e += c->accum.u * (x + e) + c->accum.tiny;
  e += c->output.u * (x + e) + c->output.tiny;
  e = e * ATTEST_BOUND_SLACK + ATTEST_BOUND_TINY;
  return x + e < c->output.largest && x + e < c->accum.largest ? e : INFINITY;
}

double attest_bound_output(const attest_claim *c, const attest_row_error *row, double rescales,
                           attest_column_size column) {
  const double n = row->keys, r = n + rescales, u = c->accum.u;
  const double w = share_rounding(c, rescales), grown = 1 + growth(c, rescales);
  const double spread = column.spread;
  const double moved = column.moved < spread ? column.moved : spread;
  const double mean = column.mean < column.largest ? column.mean : column.largest;
  double output, largest, input, flushed, products, numerator, theta;

  if (!promised(c, row, rescales)) return INFINITY;
  if (column.largest == 0) return 0;
  /* 4.1 and 4.2: the values as rounded, and the weighted sum */
  output = column.output + moved < column.largest ? column.output + moved : column.largest;
  input = c->input.u * mean + c->input.tiny;
  largest = column.largest * (1 + c->input.u) + c->input.tiny;
  flushed = 2 * n * c->flush * largest;
  products = mean + input + flushed;
  numerator = input + flushed + w * products + n * c->weight.tiny * largest * grown;
  products = products * (1 + w) + n * c->weight.tiny * largest * grown;
  numerator += roundings(n, u) * products + 2 * r * c->accum.tiny * grown * (1 + r * u);
  if (!(largest_sum(c, n, rescales) * largest < c->accum.largest)) return INFINITY;
  /* 4.4 */
  theta = sum_error(c, n, rescales);
  return stored(c, column.output, moved + output * theta + numerator * (1 + theta));
}

double attest_bound_weight(const attest_claim *c, const attest_row_error *row, double rescales,
                           attest_score_error e, double weight, double log_weight) {
  const double theta = sum_error(c, row->keys, rescales);
  double more, less, moved;

  if (!promised(c, row, rescales)) return INFINITY;
  /* row->kept may be 0, or so small that it shows what underflowed. */
  more = attest_bound_share_error(e, weight, log_weight) + weight * row->lost + ATTEST_BOUND_TINY;
  more /= row->kept;
  if (!(more < 1)) more = 1;
  less = weight * shrinks_by(row->gained + shrinks_by(e.low));
  moved = more > less ? more : less;
  return stored(c, weight, moved + (weight + moved) * theta + 2 * c->flush * (1 + theta));
}

double attest_bound_row_sum(const attest_claim *c, const attest_row_error *row,
                            double rescales) {
  const double n = row->keys;
  double e = sum_error(c, n, rescales);
  if (!promised(c, row, rescales)) return INFINITY;
  if (rescales > 0) {
    const double apart = (row->gained + row->lost) / row->kept;
    e += apart * (1 + e);
  }
  e += c->accum.u * (1 + e) + n * c->accum.tiny;
  e += c->output.u * (1 + e) + n * c->output.tiny;
  return e < INFINITY ? e * ATTEST_BOUND_SLACK : INFINITY;
}

/* Before the rounding to the output format. */
static double lse_error(const attest_claim *c, const attest_row_error *row, double rescales,
                        double lse) {
  const double theta = sum_error(c, row->keys, rescales);
  const double logarithm = log(c->top * row->keys) + 1; /* |log| of the sum of weights, at most */
  double moved = row->gained > row->lost / row->kept ? row->gained : row->lost / row->kept;

  if (!promised(c, row, rescales) || !(theta < 63.0 / 64)) return INFINITY;
  if (!(moved < row->widest)) moved = row->widest;
  moved += theta / (1 - theta);
  return moved + 4 * c->accum.u * (lse + logarithm + moved) + c->log_error * logarithm +
         4 * c->accum.tiny;
}

double attest_bound_lse(const attest_claim *c, const attest_row_error *row, double rescales,
                        double lse) {
  const double e = lse_error(c, row, rescales, lse);
  const double all = (e + c->output.u * (lse + e) + c->output.tiny) * ATTEST_BOUND_SLACK;
  return lse + all < c->output.largest && lse + all < c->accum.largest ? all : INFINITY;
}

double attest_bound_lse_base_2(const attest_claim *c, const attest_row_error *row,
                               double rescales, double lse) {
  const double log2e = 1.4426950408889637;
  const double natural = lse_error(c, row, rescales, lse);
  double e = log2e * (natural + 3 * c->accum.u * (lse + natural)) + c->accum.tiny;
  e = (e + c->output.u * (log2e * lse + e) + c->output.tiny) * ATTEST_BOUND_SLACK;
  return log2e * lse + e < c->output.largest && log2e * lse + e < c->accum.largest ? e : INFINITY;
}

/* How far a share of a row may be from the exact one (proofs/fixed.md, "Outputs"). */
static double q16_share(double keys) { return 3.5e-8 + keys * 0x1p-38; }

double attest_bound_q16_output(double keys, double spread) {
  return (0x1p-17 + spread * q16_share(keys)) * (1 + 1e-6);
}

double attest_bound_q16_stream(double keys, double spread) {
  return attest_bound_q16_output(keys, spread) + 0x1p-16 / 32;
}

double attest_bound_q16_weight(double keys) {
  return (1 + 0x1p-10) * 0x1p-16 + 2 * q16_share(keys) * (1 + 1e-6);
}
