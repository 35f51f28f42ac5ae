/* The narrow float formats, against definitions written another way: values by ldexp, rounding by
   the midpoint between neighbours, binary32 by the compiler's own conversion. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "half.h"

static uint64_t bits64(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double from_bits64(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static float from_bits32(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint32_t bits32(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* 64-bit xorshift, so that every run tries the same values. */
static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

typedef struct format {
  double (*widen)(uint16_t);
  int (*narrow)(double, uint16_t *);
  int fraction;
  int exponent;
  uint16_t nan;
} format;

static const format f16 = {attest_f64_from_f16, attest_f16_from_f64, 10, 5, 0x7e00};
static const format bf16 = {attest_f64_from_bf16, attest_bf16_from_f64, 7, 8, 0x7fc0};

static uint32_t infinity_of(const format *f) {
  return ((UINT32_C(1) << f->exponent) - 1) << f->fraction;
}

/* The definition: (hidden bit + fraction) * 2^(exponent - bias - fraction bits). */
static double defined_value(const format *f, uint32_t pattern) {
  const int bias = (1 << (f->exponent - 1)) - 1;
  const int stored = (int)((pattern & 0x7fff) >> f->fraction);
  const int fraction = (int)(pattern & ((UINT32_C(1) << f->fraction) - 1));
  const int whole = stored == 0 ? fraction : fraction + (1 << f->fraction);
  const double size = ldexp((double)whole, (stored == 0 ? 1 : stored) - bias - f->fraction);
  return (pattern & 0x8000) != 0 ? -size : size;
}

static void every_pattern(const format *f) {
  for (uint32_t pattern = 0; pattern < 65536; pattern++) {
    const double x = f->widen((uint16_t)pattern);
    const uint32_t magnitude = pattern & 0x7fff;
    uint16_t back;
    assert_int_equal(f->narrow(x, &back), 0);
    if (magnitude > infinity_of(f)) {
      assert_int_equal(bits64(x), UINT64_C(0x7ff8000000000000));
      assert_int_equal(back, f->nan);
      continue;
    }
    assert_int_equal(back, pattern);
    if (magnitude == infinity_of(f))
      assert_int_equal(bits64(x), bits64((pattern & 0x8000) != 0 ? -INFINITY : INFINITY));
    else
      assert_int_equal(bits64(x), bits64(defined_value(f, pattern)));
  }
}

static void check_both_signs(const format *f, double x, uint32_t expected) {
  const int status = expected == infinity_of(f) ? -1 : 0;
  uint16_t got;

  assert_int_equal(f->narrow(x, &got), status);
  assert_int_equal(got, expected);
  assert_int_equal(f->narrow(-x, &got), status);
  assert_int_equal(got, expected | 0x8000);
}

static void every_midpoint(const format *f) {
  const uint32_t infinity = infinity_of(f);

  for (uint32_t low = 0; low < infinity; low++) {
    /* Above the largest number the format would go on with 2^(bias+1), which narrow knows as
       the infinity; defined_value gives that number. */
    const double a = defined_value(f, low), b = defined_value(f, low + 1);
    const double middle = (a + b) / 2;
    check_both_signs(f, middle, low % 2 == 0 ? low : low + 1);
    check_both_signs(f, nextafter(middle, 0), low);
    check_both_signs(f, nextafter(middle, INFINITY), low + 1);
    check_both_signs(f, nextafter(a, INFINITY), low);
    check_both_signs(f, nextafter(b, 0), low + 1);
  }
}

static void specials(const format *f) {
  uint16_t got;

  assert_int_equal(f->narrow(0.0, &got), 0);
  assert_int_equal(got, 0);
  assert_int_equal(f->narrow(-0.0, &got), 0);
  assert_int_equal(got, 0x8000);
  assert_int_equal(f->narrow(INFINITY, &got), 0);
  assert_int_equal(got, infinity_of(f));
  assert_int_equal(f->narrow(-INFINITY, &got), 0);
  assert_int_equal(got, infinity_of(f) | 0x8000);
  assert_int_equal(f->narrow(from_bits64(UINT64_C(0xfff0000000000001)), &got), 0);
  assert_int_equal(got, f->nan);
  check_both_signs(f, DBL_MAX, infinity_of(f));
  check_both_signs(f, DBL_MIN, 0);
  check_both_signs(f, from_bits64(1), 0);
}

static void test_f16_patterns(void **state) { (void)state, every_pattern(&f16); }
static void test_bf16_patterns(void **state) { (void)state, every_pattern(&bf16); }
static void test_f16_midpoints(void **state) { (void)state, every_midpoint(&f16); }
static void test_bf16_midpoints(void **state) { (void)state, every_midpoint(&bf16); }

static void test_specials(void **state) {
  (void)state;
  specials(&f16);
  specials(&bf16);
}

static void test_known_values(void **state) {
  uint16_t got;
  (void)state;

  assert_int_equal(attest_f16_from_f64(1.0, &got), 0);
  assert_int_equal(got, 0x3c00);
  assert_int_equal(attest_f16_from_f64(65504.0, &got), 0);
  assert_int_equal(got, 0x7bff);
  assert_int_equal(attest_f16_from_f64(0x1p-24, &got), 0);
  assert_int_equal(got, 0x0001);
  assert_int_equal(attest_f16_from_f64(1.0 / 3.0, &got), 0);
  assert_int_equal(got, 0x3555);
  assert_int_equal(attest_bf16_from_f64(1.0, &got), 0);
  assert_int_equal(got, 0x3f80);
  assert_int_equal(attest_bf16_from_f64(1.0 / 3.0, &got), 0);
  assert_int_equal(got, 0x3eab);
  assert_int_equal(attest_bf16_from_f64(0x1p-133, &got), 0);
  assert_int_equal(got, 0x0001);
}

/* Just above a midpoint of the narrow format, and so close that binary32 rounds it onto the
   midpoint: a second rounding would then go to even, the wrong way. */
static void test_rounds_once(void **state) {
  const double x = 1.0 + 0x1p-11 + 0x1p-40, y = 1.0 + 0x1p-8 + 0x1p-40;
  uint16_t once, twice;
  (void)state;

  assert_int_equal(attest_f16_from_f64(x, &once), 0);
  assert_int_equal(attest_f16_from_f64((double)(float)x, &twice), 0);
  assert_int_equal(once, 0x3c01);
  assert_int_equal(twice, 0x3c00);
  assert_int_equal(attest_bf16_from_f64(y, &once), 0);
  assert_int_equal(attest_bf16_from_f64((double)(float)y, &twice), 0);
  assert_int_equal(once, 0x3f81);
  assert_int_equal(twice, 0x3f80);
}

static void check_f32(double x) {
  const float expected = (float)x;
  uint32_t got;
  const int status = attest_f32_bits_from_f64(x, &got);

  if (x != x) {
    assert_int_equal(status, 0);
    assert_int_equal(got, 0x7fc00000);
    return;
  }
  assert_int_equal(got, bits32(expected));
  assert_int_equal(status, isinf(expected) && !isinf(x) ? -1 : 0);
}

static void test_f32_narrowing(void **state) {
  uint64_t seed = UINT64_C(88172645463325252);
  (void)state;

  for (int i = 0; i < 2000000; i++)
    check_f32(from_bits64(next_random(&seed)));
  /* Most doubles are out of the range of binary32; these are not. */
  for (int i = 0; i < 2000000; i++) {
    const uint64_t random = next_random(&seed);
    const uint64_t exponent = 1023 - 152 + (random >> 12) % 282;
    check_f32(from_bits64((random & UINT64_C(0x800fffffffffffff)) | exponent << 52));
  }
  for (int i = 0; i < 1000000; i++) {
    const uint32_t low = (uint32_t)(next_random(&seed) % 0x7f800000);
    const double a = (double)from_bits32(low);
    const double b = low == 0x7f7fffff ? 0x1p128 : (double)from_bits32(low + 1);
    const double middle = (a + b) / 2;
    check_f32(middle);
    check_f32(-middle);
    check_f32(nextafter(middle, 0));
    check_f32(nextafter(middle, INFINITY));
  }
  check_f32(0.0);
  check_f32(-0.0);
  check_f32(INFINITY);
  check_f32(-INFINITY);
  check_f32(NAN);
  check_f32(DBL_MAX);
  check_f32(DBL_MIN);
  check_f32((double)FLT_MAX);
  check_f32(nextafter((double)FLT_MAX + 0x1p103, 0));
  check_f32((double)FLT_MAX + 0x1p103);
}

static void test_f32_widening(void **state) {
  (void)state;
  /* A stride without a common divisor with 2^32 meets every exponent and both signs. */
  for (uint64_t i = 0; i < UINT64_C(0x100000000); i += 1021) {
    const float x = from_bits32((uint32_t)i);
    const uint64_t got = bits64(attest_f64_from_f32_bits((uint32_t)i));
    assert_int_equal(got, x != x ? UINT64_C(0x7ff8000000000000) : bits64((double)x));
  }
  for (uint32_t i = 0; i < 2048; i++)
    assert_int_equal(bits64(attest_f64_from_f32_bits(i)), bits64((double)from_bits32(i)));
}

static void test_canonical(void **state) {
  (void)state;
  assert_int_equal(bits64(attest_f64_canonical(from_bits64(UINT64_C(0xfff0000000000001)))),
                   UINT64_C(0x7ff8000000000000));
  assert_int_equal(bits64(attest_f64_canonical(-0.0)), UINT64_C(0x8000000000000000));
  assert_int_equal(bits64(attest_f64_canonical(-INFINITY)), UINT64_C(0xfff0000000000000));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_f16_patterns),  cmocka_unit_test(test_bf16_patterns),
      cmocka_unit_test(test_f16_midpoints), cmocka_unit_test(test_bf16_midpoints),
      cmocka_unit_test(test_specials),      cmocka_unit_test(test_known_values),
      cmocka_unit_test(test_rounds_once),   cmocka_unit_test(test_f32_narrowing),
      cmocka_unit_test(test_f32_widening),  cmocka_unit_test(test_canonical),
  };
  return cmocka_run_group_tests_name("half", tests, NULL, NULL);
}
