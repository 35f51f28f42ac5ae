/* The working format of ref/: one source, two builds.
   `real` is float unless ATTEST_F64 is defined; every external name ends in
   _f32 or _f64 accordingly, and the sources write it without the ending. */
#ifndef ATTEST_REAL_H
#define ATTEST_REAL_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>

#include "exact.h" /* before the type real: to the proofs it is the mathematical one until then */

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
#elif defined(__GNUC__) && \
    (!defined(__STRICT_ANSI__) || !defined(__GCC_IEC_559) || __GCC_IEC_559 < 1)
/* gcc says in __GCC_IEC_559 whether it contracts, but only under -std=cNN. */
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
  ATTEST_EXPONENT_BIAS = 1023,
  ATTEST_LANES = 32 /* query rows side by side in the tiled nest */
};
#else
typedef float real;
typedef uint32_t attest_bits;
#define ATTEST_R(name) name##_f32
#define ATTEST_MAX FLT_MAX
enum {
  ATTEST_FRACTION_BITS = 23,
  ATTEST_EXPONENT_BIAS = 127,
  ATTEST_LANES = 64
};
#endif

/* Lanes that go through the softmax together: gcc does not make vectors of a shorter loop. */
enum { ATTEST_SOFT = 32 };

#ifdef ATTEST_EXACT
#include "../proofs/acsl/ideal.h"
#endif

/* External names, written without the ending in the sources. */
#define attest_arrays ATTEST_R(attest_arrays)
#define attest_partial ATTEST_R(attest_partial)
#define attest_scratch ATTEST_R(attest_scratch)
#define attest_attention ATTEST_R(attest_attention)
#define attest_run ATTEST_R(attest_run)
#define attest_scratch_of ATTEST_R(attest_scratch_of)
#define attest_part ATTEST_R(attest_part)
#define attest_merge ATTEST_R(attest_merge)
#define attest_finish ATTEST_R(attest_finish)
#define attest_append ATTEST_R(attest_append)
#define attest_layer_scratch ATTEST_R(attest_layer_scratch)
#define attest_layer ATTEST_R(attest_layer)
#define attest_selftest ATTEST_R(attest_selftest)
#define attest_naive_part ATTEST_R(attest_naive_part)
#define attest_naive_row ATTEST_R(attest_naive_row)
#define attest_naive_head ATTEST_R(attest_naive_head)
#define attest_head_at ATTEST_R(attest_head_at)
#define attest_rule_of ATTEST_R(attest_rule_of)
#define attest_check ATTEST_R(attest_check)
#define attest_matmul ATTEST_R(attest_matmul)

/* The nests that are compiled once more for each vector width (ref/x86/dispatch.c) have the width
   in their names as well. */
#define ATTEST_JOINED(name, isa) ATTEST_R(name##_##isa)
#define ATTEST_JOIN(name, isa) ATTEST_JOINED(name, isa)
#ifdef ATTEST_ISA
#define ATTEST_NEST(name) ATTEST_JOIN(name, ATTEST_ISA)
#else
#define ATTEST_NEST(name) ATTEST_R(name)
#endif
#define attest_tiled_head ATTEST_NEST(attest_tiled_head)
#define attest_decode_head ATTEST_NEST(attest_decode_head)
#define attest_lanes_load ATTEST_NEST(attest_lanes_load)
#define attest_lanes_scores ATTEST_NEST(attest_lanes_scores)
#define attest_lanes_hide ATTEST_NEST(attest_lanes_hide)
#define attest_lanes_weights ATTEST_NEST(attest_lanes_weights)
#define attest_lanes_add ATTEST_NEST(attest_lanes_add)
#define attest_lanes_add_seen ATTEST_NEST(attest_lanes_add_seen)
#define attest_lanes_finite ATTEST_NEST(attest_lanes_finite)
#define attest_lanes_divide ATTEST_NEST(attest_lanes_divide)

#endif
