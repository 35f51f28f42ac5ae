#include "format.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Bits of the significand, exponent of the smallest positive number, largest finite number. */
typedef struct {
  int precision, lowest;
  double largest;
} format_facts;

static format_facts facts(attest_format format) {
  static const format_facts table[] = {
      {53, -1074, DBL_MAX},
      {24, -149, FLT_MAX},
      {11, -24, 65504},
      {8, -133, 0x1.fep127},
      {31, -16, 0x1.fffffffcp14},
  };
  return table[format];
}

attest_arithmetic attest_arithmetic_of(attest_format format) {
  const format_facts f = facts(format);
  attest_arithmetic a;
  a.u = format == ATTEST_FORMAT_Q16 ? 0 : ldexp(1, -f.precision);
  a.tiny = ldexp(1, f.lowest);
  a.largest = f.largest;
  return a;
}

/* s + *rest is exactly a + b, s the nearest double (Knuth's two-sum; no overflow). */
static double two_sum(double a, double b, double *rest) {
  const double s = a + b;
  const double part = s - a;
  *rest = (a - (s - part)) + (b - part);
  return s;
}

/* The exponent of the last place of |x| in a format. */
static int last_place(format_facts f, double x) {
  int exponent;
  if (x == 0) return f.lowest;
  frexp(x, &exponent);
  return exponent - f.precision > f.lowest ? exponent - f.precision : f.lowest;
}

/* The integer nearest to y, ties to even, |y| < 2^51: adding 2^52 leaves no fraction. */
static double nearest_integer(double y) {
  const double shift = y < 0 ? -0x1p52 : 0x1p52;
  return (y + shift) - shift;
}

static double nearest_q16(double x) {
  double n;
  if (x >= 32768) return 0x1.fffffffcp14;
  if (x <= -32768) return -32768;
  n = nearest_integer(x * 65536);
  if (n > 2147483647) n = 2147483647;
  return n / 65536 + 0;
}

double attest_format_nearest(attest_format format, double high, double low) {
  const format_facts f = facts(format);
  double x, rest, result;
  int place;

  if (high == 0 && low == 0) return 0;
  if (format == ATTEST_FORMAT_F64) return high + low;
  if (!(fabs(high) <= DBL_MAX)) return high;
  x = two_sum(high, low, &rest);
  /* Rounded to odd instead of to nearest, a double can be rounded again to at most 51 bits as if it
     had been the exact number: an odd last bit says that something follows. */
  if (rest != 0) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (bits % 2 == 0) x = nextafter(x, rest > 0 ? INFINITY : -INFINITY);
  }
  if (format == ATTEST_FORMAT_Q16) return nearest_q16(x);
  place = last_place(f, x);
  if (fabs(x) > f.largest * 2) return copysign(INFINITY, x);
  result = ldexp(nearest_integer(ldexp(x, -place)), place);
  if (fabs(result) > f.largest) return copysign(INFINITY, x);
  return copysign(result, x);
}

/* The common case by conversions alone. The ends are moved out by more than their own rounding. */
static int decide_f32(attest_enclosure e, double *value) {
  const double margin = e.radius * (1 + 0x1p-20) + fabs(e.high) * 0x1p-52 + DBL_MIN;
  const float first = (float)(e.high - margin), last = (float)(e.high + margin);
  *value = (double)first;
  return first == last && signbit(first) == signbit(last);
}

int attest_format_decide(attest_format format, attest_enclosure e, double *value) {
  double end, rest, first, last;

  if (!(e.radius < INFINITY) || !(fabs(e.high) <= DBL_MAX)) return 0;
  if (format == ATTEST_FORMAT_F32 && e.low == 0 && e.radius > 0) return decide_f32(e, value);
  if (e.radius == 0) {
    *value = attest_format_nearest(format, e.high, e.low);
    return 1;
  }
  end = two_sum(e.high, nextafter(e.low - e.radius, -INFINITY), &rest);
  first = attest_format_nearest(format, end, rest);
  end = two_sum(e.high, nextafter(e.low + e.radius, INFINITY), &rest);
  last = attest_format_nearest(format, end, rest);
  *value = first;
  return first == last && signbit(first) == signbit(last);
}

double attest_format_ulp(attest_format format, double x) {
  const format_facts f = facts(format);
  if (format == ATTEST_FORMAT_Q16) return 0x1p-16;
  if (!(fabs(x) < f.largest)) return ldexp(1, last_place(f, f.largest));
  return ldexp(1, last_place(f, x));
}
