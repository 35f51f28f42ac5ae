#define ATTEST_F64
#include "onnx_scores.h"

#include "attention.h"
#include "head.h"

#include <float.h>
#include <math.h>
#include <mpfi.h>
#include <stdlib.h>

/* Sums and products of doubles are exact with about 6400 bits; what could remain beyond them is an
   irrational score next to a midpoint, and FULL bits are far more than one needs. */
enum { START = 192, FULL = 16384 };

struct attest_onnx_scorer {
  const attest_shape *shape;
  const attest_arrays_f64 *arrays;
  attest_onnx_mode mode;
  mpfi_t score, term;
  mpfr_t high, rest;
};

attest_onnx_scorer *attest_onnx_scorer_start(const attest_shape *shape,
                                             const attest_arrays_f64 *arrays,
                                             attest_onnx_mode mode, attest_status *refusal) {
  attest_onnx_scorer *s;

  *refusal = attest_check(*shape, *arrays);
  if (*refusal != ATTEST_OK)
    return NULL;
  s = malloc(sizeof *s);
  if (s == NULL)
    return NULL;
  s->shape = shape;
  s->arrays = arrays;
  s->mode = mode;
  mpfi_init2(s->score, START);
  mpfi_init2(s->term, START);
  mpfr_init2(s->high, DBL_MANT_DIG);
  mpfr_init2(s->rest, START);
  return s;
}

void attest_onnx_scorer_end(attest_onnx_scorer *scorer) {
  if (scorer == NULL)
    return;
  mpfi_clear(scorer->score);
  mpfi_clear(scorer->term);
  mpfr_clear(scorer->high);
  mpfr_clear(scorer->rest);
  free(scorer);
}

/* <q, k> where it is not finite: an infinity or NaN; else 0. */
static double dot_rule(const double *q, const double *k, size_t width) {
  double sum = 0;

  for (size_t c = 0; c < width; c++)
    if (!isfinite(q[c]) || !isfinite(k[c]))
      sum += q[c] * k[c];
  return sum;
}

/* A multiple of the last place, the multiplier an integer and so a double: exact. */
static double round_to(attest_format format, mpfr_srcptr x) {
  const attest_arithmetic a = attest_arithmetic_of(format);
  const int precision = -ilogb(a.u), lowest = ilogb(a.tiny);
  long place;
  double value;
  mpfr_t scaled;

  if (mpfr_zero_p(x))
    return 0;
  place = (long)mpfr_get_exp(x) - precision;
  if (place < lowest)
    place = lowest;
  if (place > DBL_MAX_EXP)
    return mpfr_sgn(x) > 0 ? HUGE_VAL : -HUGE_VAL;
  mpfr_init2(scaled, mpfr_get_prec(x));
  mpfr_mul_2si(scaled, x, -place, MPFR_RNDN);
  mpfr_rint(scaled, scaled, MPFR_RNDN);
  value = ldexp(mpfr_get_d(scaled, MPFR_RNDN), (int)place);
  mpfr_clear(scaled);
  return fabs(value) > a.largest ? copysign(HUGE_VAL, value) : value;
}

/* high + low and a radius that covers what they leave out. */
static attest_enclosure enclose(attest_onnx_scorer *s) {
  attest_enclosure e;
  double up, down;

  mpfr_set_prec(s->rest, mpfi_get_prec(s->score) + 64);
  mpfi_mid(s->rest, s->score);
  e.high = mpfr_get_d(s->rest, MPFR_RNDN);
  if (!isfinite(e.high)) {
    e.low = 0;
    e.radius = HUGE_VAL;
    return e;
  }
  mpfr_sub_d(s->rest, s->rest, e.high, MPFR_RNDN);
  e.low = mpfr_get_d(s->rest, MPFR_RNDN);
  mpfr_sub_d(s->rest, &s->score->right, e.high, MPFR_RNDU);
  mpfr_sub_d(s->rest, s->rest, e.low, MPFR_RNDU);
  up = mpfr_get_d(s->rest, MPFR_RNDU);
  mpfr_d_sub(s->rest, e.high, &s->score->left, MPFR_RNDU);
  mpfr_add_d(s->rest, s->rest, e.low, MPFR_RNDU);
  down = mpfr_get_d(s->rest, MPFR_RNDU);
  e.radius = fmax(fmax(up, down), 0);
  return e;
}

/* The score without the bias, as an interval at working precision `bits`. */
static void score_at(attest_onnx_scorer *s, const double *q, const double *k, mpfr_prec_t bits) {
  const attest_shape *shape = s->shape;

  mpfi_set_prec(s->score, bits);
  mpfi_set_prec(s->term, bits);
  mpfi_set_ui(s->score, 0);
  for (size_t c = 0; c < shape->width; c++) {
    mpfi_set_d(s->term, q[c]);
    mpfi_mul_d(s->term, s->term, k[c]);
    mpfi_add(s->score, s->score, s->term);
  }
  if (shape->scale_given) {
    mpfi_mul_d(s->score, s->score, shape->scale);
  } else {
    mpfi_set_ui(s->term, (unsigned long)shape->width);
    mpfi_sqrt(s->term, s->term);
    mpfi_div(s->score, s->score, s->term);
  }
  if (s->mode != ATTEST_ONNX_RAW && shape->softcap > 0) {
    mpfi_div_d(s->score, s->score, shape->softcap);
    mpfi_tanh(s->score, s->score);
    mpfi_mul_d(s->score, s->score, shape->softcap);
  }
}

static double known(double value, attest_enclosure *enclosure) {
  enclosure->high = value;
  enclosure->low = 0;
  enclosure->radius = isfinite(value) ? 0 : HUGE_VAL;
  return value;
}

double attest_onnx_score(attest_onnx_scorer *scorer, size_t batch, size_t head, size_t i,
                         size_t j, attest_format format, attest_enclosure *enclosure) {
  const attest_head h = attest_head_at(*scorer->shape, *scorer->arrays, batch, head);
  const double *q = h.q + i * h.q_row, *k = h.k + j * h.k_row;
  const int biased = scorer->mode == ATTEST_ONNX_BIASED;
  const int capped = scorer->mode != ATTEST_ONNX_RAW && scorer->shape->softcap > 0;
  attest_enclosure unused;
  double bias = 0, rule = dot_rule(q, k, h.width);

  if (enclosure == NULL)
    enclosure = &unused;
  if (biased) {
    const int hidden = j < attest_bound(i, h.low, h.key_length) ||
                       j >= attest_bound(i, h.high, h.key_length) || attest_masked(h, i, j);
    bias = hidden           ? -HUGE_VAL
           : h.bias != NULL ? h.bias[i * h.bias_row + j * h.bias_key]
                            : 0;
  }
  if (rule != 0 && scorer->shape->scale_given)
    rule *= scorer->shape->scale;
  if (isnan(rule))
    return known(NAN, enclosure);
  if (rule != 0 && capped) /* tanh of an infinity is 1 */
    rule = copysign(scorer->shape->softcap, rule);
  if (!isfinite(rule) || !isfinite(bias))
    return known(rule + bias, enclosure);
  for (mpfr_prec_t bits = START;; bits *= 2) {
    double low, high;
    if (rule != 0) {
      mpfi_set_prec(scorer->score, bits);
      mpfi_set_d(scorer->score, rule);
    } else {
      score_at(scorer, q, k, bits);
    }
    if (biased)
      mpfi_add_d(scorer->score, scorer->score, bias);
    low = round_to(format, &scorer->score->left);
    high = round_to(format, &scorer->score->right);
    if (low == high || bits >= FULL) {
      *enclosure = enclose(scorer);
      return low;
    }
  }
}
