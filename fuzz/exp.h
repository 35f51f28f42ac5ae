/* The elementary functions of ref/, from exp_real.c, which is built as float and as double. */
#ifndef FUZZ_EXP_H
#define FUZZ_EXP_H

enum { FUZZ_EXP2, FUZZ_LOG, FUZZ_TANH, FUZZ_FUNCTIONS };

float fuzz_apply_f32(int function, float x);
double fuzz_apply_f64(int function, double x);

/* 2^e for an integer e, 1 above 0, and 0 where it would be subnormal. */
float fuzz_power_f32(float e);
double fuzz_power_f64(double e);

/* The stated bounds. */
extern const double fuzz_ulps_f32[FUZZ_FUNCTIONS], fuzz_ulps_f64[FUZZ_FUNCTIONS];

#endif
