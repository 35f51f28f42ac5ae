/* The functions under test, float; functions_f64.c includes this file for double. */
#include "../../ref/exp2.h"
#include "../../ref/log.h"
#include "../../ref/tanh.h"
#include "functions.h"

const struct bound ATTEST_R(bounds)[FUNCTIONS] = {
  {ATTEST_EXP2_ULPS, ATTEST_EXP2_ERROR},
  {ATTEST_LOG_ULPS, ATTEST_LOG_ERROR},
  {ATTEST_TANH_ULPS, ATTEST_TANH_ERROR}
};

void ATTEST_R(apply)(int function, const real *x, real *y, size_t n) {
  size_t i;
  if (function == EXP2) {
    for (i = 0; i < n; i++) y[i] = attest_exp2_fraction(x[i]);
  } else if (function == LOG) {
    for (i = 0; i < n; i++) y[i] = attest_log(x[i]);
  } else {
    for (i = 0; i < n; i++) y[i] = attest_tanh(x[i]);
  }
}

void ATTEST_R(round)(const real *x, real *y, size_t n) {
  size_t i;
  for (i = 0; i < n; i++) y[i] = attest_round(x[i]);
}

void ATTEST_R(pow2)(const real *x, real *y, size_t n) {
  size_t i;
  for (i = 0; i < n; i++) y[i] = attest_pow2(x[i]);
}
