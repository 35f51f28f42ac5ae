/* The formats an answer can be rounded to. A number of any of them is held in a double, which has
   them all: f16 and bf16 and f32 exactly, Q16.16 as the integer over 65536. */
#ifndef ATTEST_ORACLE_FORMAT_H
#define ATTEST_ORACLE_FORMAT_H

typedef enum {
  ATTEST_FORMAT_F64 = 0,
  ATTEST_FORMAT_F32,
  ATTEST_FORMAT_F16,
  ATTEST_FORMAT_BF16,
  ATTEST_FORMAT_Q16 /* two's complement, 16 bits before and 16 after the point */
} attest_format;

/* What arithmetic in a format does to a result: relative error at most u, or near 0 an absolute one
   of at most tiny / 2; largest is its largest finite number. Q16.16 has u = 0. */
typedef struct {
  double u, tiny, largest;
} attest_arithmetic;

attest_arithmetic attest_arithmetic_of(attest_format format);

/* A number between high + low - radius and high + low + radius, the three taken exactly; radius may
   be infinite, and then says nothing. */
typedef struct {
  double high, low, radius;
} attest_enclosure;

/* The number of `format` nearest to high + low (taken exactly, |low| at most half an ulp of high),
   ties to even. Beyond the range: infinite where |x| is at least halfway to the next power of two
   (IEEE 754), saturated in Q16.16. A result of 0 keeps the sign of x; an exact 0 is +0. */
double attest_format_nearest(attest_format format, double high, double low);

/* Nonzero, and *value, where every number of the enclosure rounds to the same number of `format`.
   An enclosure with numbers of both signs never decides between -0 and +0. */
int attest_format_decide(attest_format format, attest_enclosure e, double *value);

/* The distance from |x| to the next number of `format` above it, where x is finite and within the
   format's range: the unit in which errors are told. Largest finite number: the one below it. */
double attest_format_ulp(attest_format format, double x);

#endif
