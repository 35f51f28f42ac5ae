/* Conversions between binary64 and the narrower formats, by bits: one rounding, to nearest,
   ties to even, whatever the rounding mode or the flush-to-zero flags of the machine. */
#ifndef ATTEST_HALF_H
#define ATTEST_HALF_H

#include <stdint.h>

/* The value of an IEEE 754 binary16 pattern, exact. Every NaN gives 7ff8000000000000. */
double attest_f64_from_f16(uint16_t bits);

/* The value of a bfloat16 pattern, exact. Every NaN gives 7ff8000000000000. */
double attest_f64_from_bf16(uint16_t bits);

/* The value of an IEEE 754 binary32 pattern, exact. Every NaN gives 7ff8000000000000. */
double attest_f64_from_f32_bits(uint32_t bits);

/* x rounded to binary16; a NaN gives 7e00, an infinity stays one.
   Returns 0, or -1 when a finite x rounds beyond 65504 (*bits is then the infinity). */
int attest_f16_from_f64(double x, uint16_t *bits);

/* x rounded to bfloat16; a NaN gives 7fc0, an infinity stays one.
   Returns 0, or -1 when a finite x overflows (*bits is then the infinity). */
int attest_bf16_from_f64(double x, uint16_t *bits);

/* x rounded to binary32; a NaN gives 7fc00000, an infinity stays one.
   Returns 0, or -1 when a finite x overflows (*bits is then the infinity). */
int attest_f32_bits_from_f64(double x, uint32_t *bits);

/* x itself, or 7ff8000000000000 for any NaN. */
double attest_f64_canonical(double x);

#endif
