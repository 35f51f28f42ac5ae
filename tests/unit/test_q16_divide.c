/* Division by the total of a row's weights against GMP: to nearest, ties to even. */
#include "../../fixed/divide.h"
#include "test_q16_problem.h"

#define MOST_TOTAL 36028797018963968U /* 2^55 */

static void set_64(mpz_t x, uint64_t n) {
  mpz_set_ui(x, (unsigned long)(n / 4294967296U));
  mpz_mul_2exp(x, x, 32);
  mpz_add_ui(x, x, (unsigned long)(n % 4294967296U));
}

/* round(value / total), ties to even */
static void quotient_of(const mpz_t value, const mpz_t total, mpz_t quotient) {
  mpz_t rest;
  mpz_init(rest);
  mpz_fdiv_qr(quotient, rest, value, total);
  mpz_mul_2exp(rest, rest, 1);
  const int side = mpz_cmp(rest, total);
  if (side > 0 || (side == 0 && mpz_odd_p(quotient))) mpz_add_ui(quotient, quotient, 1);
  mpz_clear(rest);
}

/* The divisor is the one of `total`; a quotient beyond 2^32 - 1 is that. */
static void expect_quotient(const mpz_t value, uint64_t total, const attest_q16_divisor *divisor) {
  mpz_t n, right;
  attest_q16_sum sum;
  mpz_inits(n, right, (mpz_ptr)0);
  sum.low = mpz_fdiv_q_ui(n, value, 4294967296U);
  sum.high = mpz_get_ui(n);
  set_64(n, total);
  quotient_of(value, n, right);
  if (mpz_cmp_ui(right, 4294967295U) > 0) mpz_set_ui(right, 4294967295U);
  const uint32_t got = attest_q16_divide(sum, divisor);
  if (mpz_cmp_ui(right, got) != 0)
    fail_msg("(%llu 2^32 + %llu) / %llu: got %lu, right is %lu", (unsigned long long)sum.high,
             (unsigned long long)sum.low, (unsigned long long)total, (unsigned long)got,
             mpz_get_ui(right));
  mpz_clears(n, right, (mpz_ptr)0);
}

/* All values within 2 of quotient * total and of half a total above it. */
static void around(uint64_t total, uint32_t quotient) {
  mpz_t divisor, place, value;
  const attest_q16_divisor ready = attest_q16_divisor_of(total);
  mpz_inits(divisor, place, value, (mpz_ptr)0);
  set_64(divisor, total);
  mpz_mul_ui(place, divisor, quotient);
  mpz_fdiv_q_2exp(divisor, divisor, 1);
  for (int half = 0; half < 2; half++) {
    for (long off = -2; off <= 2; off++) {
      if (off < 0)
        mpz_sub_ui(value, place, (unsigned long)-off);
      else
        mpz_add_ui(value, place, (unsigned long)off);
      if (mpz_sgn(value) >= 0) expect_quotient(value, total, &ready);
    }
    mpz_add(place, place, divisor);
  }
  mpz_clears(divisor, place, value, (mpz_ptr)0);
}

static const uint32_t quotients[] = {0,          1,          2,          255,        256,
                                     65535,      65536,      16777215,   16777216,   2147483647,
                                     2147483648, 2147483649, 4278190080, 4294967294, 4294967295};
#define QUOTIENTS (sizeof quotients / sizeof *quotients)

/* Ties and their neighbours; totals on both sides of 2^24 and near every power of two. */
static void near_powers(void **unused) {
  (void)unused;
  for (int bits = 0; bits <= 55; bits++)
    for (int off = -3; off <= 3; off++) {
      const uint64_t total = ((uint64_t)1 << bits) + (uint64_t)(int64_t)off;
      if (total == 0 || total > MOST_TOTAL) continue;
      for (size_t n = 0; n < QUOTIENTS; n++) around(total, quotients[n]);
    }
}

static void small_totals(void **unused) {
  (void)unused;
  for (uint64_t total = 1; total <= 3000; total++)
    for (size_t n = 0; n < QUOTIENTS; n++) around(total, quotients[n]);
}

static void random_totals(void **unused) {
  uint64_t state = 29;
  (void)unused;
  for (int n = 0; n < 200000; n++) {
    const uint64_t total = next(&state) % MOST_TOTAL >> next(&state) % 55;
    around(total + 1U, (uint32_t)(next(&state) >> 32) >> next(&state) % 32);
  }
}

/* Any dividend, not only one near a multiple or a half. */
static void random_values(void **unused) {
  uint64_t state = 31;
  mpz_t value;
  (void)unused;
  mpz_init(value);
  for (int n = 0; n < 400000; n++) {
    const uint64_t total = (next(&state) % MOST_TOTAL >> next(&state) % 55) + 1U;
    const attest_q16_divisor divisor = attest_q16_divisor_of(total);
    set_64(value, next(&state) % total);
    mpz_mul_2exp(value, value, 32);
    mpz_add_ui(value, value, (unsigned long)(next(&state) >> 32));
    expect_quotient(value, total, &divisor);
  }
  mpz_clear(value);
}

/* The largest sum of 65536 keys: each with the largest weight, 2^39, and the largest value. */
static void largest(void **unused) {
  (void)unused;
  around(MOST_TOTAL, 4294967295U);
  around(MOST_TOTAL - 1U, 4294967295U);
  around(16777215, 4294967295U);
  around(16777216, 4294967295U);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(near_powers),   cmocka_unit_test(small_totals), cmocka_unit_test(random_totals),
    cmocka_unit_test(random_values), cmocka_unit_test(largest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
