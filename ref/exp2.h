/* Powers of two: the exponential of the float softmax.

   The score y (in base 2) is split into the nearest integer n and f = y - n, exactly. Then
   2^y = 2^f * 2^n, where 2^f is a polynomial and 2^n is built from bits, so a later change of the
   common exponent only multiplies by powers of two. No function here calls libm or branches. */
#ifndef ATTEST_EXP2_H
#define ATTEST_EXP2_H

#include "real.h"

/* 2^f = 1 + a f + f (C1 + f (C2 + f (...))), where a is 1 for float and 1/2 for double.
   Coefficients: Sollya fpminimax on [-1/2, 1/2]. Bounds, over that whole interval:
   ERROR  relative error of attest_exp2_fraction against 2^f
   ULPS   the same in ulps of 2^f
   Both are derived in proofs/functions.md and compared with this file by proofs/gappa/run. */
#ifdef ATTEST_F64
typedef int64_t attest_signed; /* signed, as wide as real */
#define ATTEST_EXP2_SLOPE 0.5 /* a; its product with f is exact */
#define ATTEST_EXP2_C1 0x1.8b90bfbe8e7bdp-3
#define ATTEST_EXP2_C2 0x1.ebfbdff82c5a5p-3
#define ATTEST_EXP2_C3 0x1.c6b08d704a0a6p-5
#define ATTEST_EXP2_C4 0x1.3b2ab6fb9ff51p-7
#define ATTEST_EXP2_C5 0x1.5d87fe78a7f06p-10
#define ATTEST_EXP2_C6 0x1.4309130f304a2p-13
#define ATTEST_EXP2_C7 0x1.ffcbfc5fe2bap-17
#define ATTEST_EXP2_C8 0x1.62bfc6cb08279p-20
#define ATTEST_EXP2_C9 0x1.b52501c49659dp-24
#define ATTEST_EXP2_C10 0x1.e61cab000f426p-28
#define ATTEST_EXP2_C11 0x1.e9d1d96ac0d2ep-32
#define ATTEST_EXP2_ERROR 0x1.4p-53
#define ATTEST_EXP2_ULPS 0x1.dp-1
#define ATTEST_LN2_HIGH 0x1.62e42fefa38p-1 /* log 2, its first 42 bits (float: 16) ... */
#define ATTEST_LN2_LOW 0x1.ef35793c7673p-45 /* ... and the rest: for log.h and tanh.h */
#define ATTEST_INTEGERS 0x1p52 /* from here on every real is an integer */
#define ATTEST_ROUNDING 0x1.8p52 /* y + this - this is the integer nearest to y, |y| <= 2^51 */
#define ATTEST_NEAR 0x1p50
#define ATTEST_EXPONENT_UNIT UINT64_C(4503599627370496) /* 2^52: 1 in the exponent field */
#define ATTEST_FIELDS UINT64_C(4096) /* values of sign and exponent field */
#else
typedef int32_t attest_signed;
#define ATTEST_EXP2_SLOPE 1.0f
#define ATTEST_EXP2_C1 (-0x1.3a379ep-2f)
#define ATTEST_EXP2_C2 0x1.ebfbep-3f
#define ATTEST_EXP2_C3 0x1.c6aea6p-5f
#define ATTEST_EXP2_C4 0x1.3b2a44p-7f
#define ATTEST_EXP2_C5 0x1.5f568p-10f
#define ATTEST_EXP2_C6 0x1.442924p-13f
#define ATTEST_EXP2_ERROR 0x1.ap-24f
#define ATTEST_EXP2_ULPS 0x1.2p0f
#define ATTEST_LN2_HIGH 0x1.62e4p-1f
#define ATTEST_LN2_LOW 0x1.7f7d1cp-20f
#define ATTEST_INTEGERS 0x1p23f
#define ATTEST_ROUNDING 0x1.8p23f /* |y| <= 2^22 */
#define ATTEST_NEAR 0x1p21f
#define ATTEST_EXPONENT_UNIT 8388608u
#define ATTEST_FIELDS 512u
#endif

/* 2^f for f in [-1/2, 1/2]; exactly 1 at f = 0; NaN gives NaN. Any other f gives some float.
   Why a f + f q and not f q with a absorbed: q is rounded, and in f q one ulp of it can outweigh
   a step of f, so that 2^f falls while f rises. With a f exact q is small. For float, a = 1 costs
   one addition and the result is monotone: every float was tried, and all are within 0.83 ulp
   (tests/exhaustive/functions.c). For double, where no sweep is possible, a = 1/2 costs one
   multiplication more and brings the derived bound under 1 ulp; monotone is not claimed. */
/*@ assigns \nothing; */
static inline real attest_exp2_fraction(real f) {
#ifdef ATTEST_F64
  real q = ATTEST_EXP2_C11;
  q = q * f + ATTEST_EXP2_C10;
  q = q * f + ATTEST_EXP2_C9;
  q = q * f + ATTEST_EXP2_C8;
  q = q * f + ATTEST_EXP2_C7;
  q = q * f + ATTEST_EXP2_C6;
  q = q * f + ATTEST_EXP2_C5;
  q = q * f + ATTEST_EXP2_C4;
  q = q * f + ATTEST_EXP2_C3;
  q = q * f + ATTEST_EXP2_C2;
  q = q * f + ATTEST_EXP2_C1;
#else
  real q = ATTEST_EXP2_C6;
  q = q * f + ATTEST_EXP2_C5;
  q = q * f + ATTEST_EXP2_C4;
  q = q * f + ATTEST_EXP2_C3;
  q = q * f + ATTEST_EXP2_C2;
  q = q * f + ATTEST_EXP2_C1;
#endif
  return 1 + (ATTEST_EXP2_SLOPE * f + f * q);
}

/* Four numbers that take the same steps side by side: one chain of operations, each of which waits for
   the one before, leaves a processor idle. */
typedef struct {
  real a, b, c, d;
} attest_four;

/* q f + more */
/*@ assigns \nothing; */
static inline attest_four attest_four_step(attest_four q, attest_four f, real more) {
  q.a = q.a * f.a;
  q.b = q.b * f.b;
  q.c = q.c * f.c;
  q.d = q.d * f.d;
  q.a = q.a + more;
  q.b = q.b + more;
  q.c = q.c + more;
  q.d = q.d + more;
  return q;
}

/* attest_exp2_fraction of each. */
/*@ assigns \nothing; */
static inline attest_four attest_exp2_fractions(attest_four f) {
#ifdef ATTEST_F64
  attest_four q = {ATTEST_EXP2_C11, ATTEST_EXP2_C11, ATTEST_EXP2_C11, ATTEST_EXP2_C11};
  q = attest_four_step(q, f, ATTEST_EXP2_C10);
  q = attest_four_step(q, f, ATTEST_EXP2_C9);
  q = attest_four_step(q, f, ATTEST_EXP2_C8);
  q = attest_four_step(q, f, ATTEST_EXP2_C7);
  q = attest_four_step(q, f, ATTEST_EXP2_C6);
#else
  attest_four q = {ATTEST_EXP2_C6, ATTEST_EXP2_C6, ATTEST_EXP2_C6, ATTEST_EXP2_C6};
#endif
  q = attest_four_step(q, f, ATTEST_EXP2_C5);
  q = attest_four_step(q, f, ATTEST_EXP2_C4);
  q = attest_four_step(q, f, ATTEST_EXP2_C3);
  q = attest_four_step(q, f, ATTEST_EXP2_C2);
  q = attest_four_step(q, f, ATTEST_EXP2_C1);
  q.a = f.a * q.a;
  q.b = f.b * q.b;
  q.c = f.c * q.c;
  q.d = f.d * q.d;
  q.a = ATTEST_EXP2_SLOPE * f.a + q.a;
  q.b = ATTEST_EXP2_SLOPE * f.b + q.b;
  q.c = ATTEST_EXP2_SLOPE * f.c + q.c;
  q.d = ATTEST_EXP2_SLOPE * f.d + q.d;
  q.a = 1 + q.a;
  q.b = 1 + q.b;
  q.c = 1 + q.c;
  q.d = 1 + q.d;
  return q;
}

/* The integer nearest to y, ties to even. Above 2^52 (float: 2^23) every real is an integer, so
   adding that constant rounds y to one, and subtracting it again is exact. The constant takes the
   sign of y so that the sum cannot fall into the finer numbers below the constant. Larger y,
   infinities and NaN come back unchanged. The sign of a zero result is not promised. */
/*@ assigns \nothing; */
static inline real attest_round(real y) {
  const real shift = y < 0 ? -ATTEST_INTEGERS : ATTEST_INTEGERS;
  const real nearest = (y + shift) - shift;
  return y > -ATTEST_INTEGERS && y < ATTEST_INTEGERS ? nearest : y;
}

/* 2^e for an integer-valued e <= 0; e < -1022 (float: -126), -inf and NaN give 0: the result is
   never subnormal. Any other e gives some float. e + bias is the exponent field, where 0 makes the
   value zero; adding 2^52 (2^23) puts it into the low bits of the significand, to be moved up.
   Trusted, not proven: that the members of the union are the same bits, and stand for what
   IEEE 754 says. tests/exhaustive/functions.c compares every exponent. */
/*@ assigns \nothing; */
static inline real attest_pow2_down(real e) {
  union {
    attest_bits bits;
    real value;
  } power;
  const real t = e > -(real)ATTEST_EXPONENT_BIAS ? e : -(real)ATTEST_EXPONENT_BIAS;
  power.value = t + (ATTEST_INTEGERS + ATTEST_EXPONENT_BIAS);
  power.bits = power.bits % ATTEST_FIELDS * ATTEST_EXPONENT_UNIT;
  return power.value;
}

/* The same for every integer-valued e: e >= 0 gives 1. */
/*@ assigns \nothing; */
static inline real attest_pow2(real e) { return attest_pow2_down(e > 0 ? 0 : e); }

/* The low bits of a float, as many as sign and exponent field have. Those of ATTEST_ROUNDING + n are n
   modulo ATTEST_FIELDS. */
/*@ assigns \nothing; */
static inline attest_bits attest_low_bits(real x) {
  union {
    attest_bits bits;
    real value;
  } whole;
  whole.value = x;
  return whole.bits % ATTEST_FIELDS;
}

/* The float whose sign and exponent field are a + b modulo ATTEST_FIELDS, and whose fraction is 0. */
/*@ assigns \nothing; */
static inline real attest_from_fields(attest_bits a, attest_bits b) {
  union {
    attest_bits bits;
    real value;
  } power;
  power.bits = (a % ATTEST_FIELDS + b % ATTEST_FIELDS) % ATTEST_FIELDS * ATTEST_EXPONENT_UNIT;
  return power.value;
}

#endif
