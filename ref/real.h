/* The working format of ref/: one source, two builds.
   `real` is float unless ATTEST_F64 is defined; every external name ends in
   _f32 or _f64 accordingly, and the sources write it without the ending. */
#ifndef ATTEST_REAL_H
#define ATTEST_REAL_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>

/* The promise of the same bits everywhere holds only where a float expression
   means one IEEE 754 rounding per operation. Builds that give this up are
   refused here; what a macro cannot see is left to attest_selftest. */
#ifndef __FRAMAC__
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "attest: build without -ffast-math and -ffinite-math-only"
#endif
#if !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error "attest: FLT_EVAL_METHOD must be 0 (x86-32: -msse2 -mfpmath=sse; s390x: -fexcess-precision=fast)"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && (!defined(__GCC_IEC_559) || __GCC_IEC_559 < 1)
#error "attest: gcc needs -std=c99 (or later) and -ffp-contract=off"
#endif
#endif

#ifdef ATTEST_F64
typedef double real;
typedef uint64_t attest_bits;
#define ATTEST_R(name) name##_f64
#define ATTEST_MAX DBL_MAX
enum {
  ATTEST_FRACTION_BITS = 52, /* stored bits of the significand */
  ATTEST_EXPONENT_BIAS = 1023
};
#else
typedef float real;
typedef uint32_t attest_bits;
#define ATTEST_R(name) name##_f32
#define ATTEST_MAX FLT_MAX
enum {
  ATTEST_FRACTION_BITS = 23,
  ATTEST_EXPONENT_BIAS = 127
};
#endif

#endif
