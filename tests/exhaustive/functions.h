/* What functions_f32.c and functions_f64.c offer to functions.c: the functions of ref/ on arrays,
   so that compilers vectorise them here as inside the kernels, and the stated bounds. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <stddef.h>

enum { EXP2, LOG, TANH, FUNCTIONS };

struct bound {
  double ulps;     /* of the exact value */
  double relative; /* to the exact value */
};

void apply_f32(int function, const float *x, float *y, size_t n);
void round_f32(const float *x, float *y, size_t n);
void pow2_f32(const float *x, float *y, size_t n);
extern const struct bound bounds_f32[FUNCTIONS];

void apply_f64(int function, const double *x, double *y, size_t n);
void round_f64(const double *x, double *y, size_t n);
void pow2_f64(const double *x, double *y, size_t n);
extern const struct bound bounds_f64[FUNCTIONS];

#endif
