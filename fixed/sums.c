#include "sums.h"

attest_q16_terms attest_q16_append_term(uint64_t *terms, uint32_t capacity,
                                        attest_q16_terms list, attest_q16_weight weight,
                                        uint32_t place)
    /*@ ghost (uint32_t furthest) */ {
  const uint64_t term = (uint64_t)weight.value * ATTEST_Q16_WORD + place;
  //@ assert ok: attest_q16_term_ok(term, furthest);
  list.total += attest_q16_mass_of(weight);
  if (weight.near != 0) {
    terms[list.near] = term;
    list.near++;
  } else if (weight.value != 0) {
    terms[capacity - 1U - list.far] = term;
    list.far++;
  }
  return list;
}

attest_q16_sum attest_q16_gather(attest_q16_sum sum, const uint64_t *terms, uint32_t from,
                                 uint32_t to, const int32_t *v)
    /*@ ghost (uint32_t furthest, uint32_t keys) */ {
  /*@ loop invariant from <= t <= to;
      loop invariant attest_q16_sum_ok(sum, keys + (t - from));
      loop assigns t, sum;
      loop variant to - t; */
  for (uint32_t t = from; t < to; t++) {
    const uint32_t weight = (uint32_t)(terms[t] / ATTEST_Q16_WORD);
    const uint32_t place = (uint32_t)(terms[t] % ATTEST_Q16_WORD);
    const uint32_t value = attest_q16_unsigned(v[place]);
    //@ assert product: 0 <= weight * value <= 2147483648 * 4294967295;
    const uint64_t product = (uint64_t)weight * value;
    sum.low += product % ATTEST_Q16_WORD;
    sum.high += product / ATTEST_Q16_WORD;
  }
  return sum;
}

/* 256 near + far, both in units of the far terms; low below 2^32. */
/*@ requires attest_q16_sum_ok(near, 65536) && attest_q16_sum_ok(far, 65536);
    assigns \nothing;
    ensures \result.low <= 4294967295;
    ensures \result.high * 4294967296 + \result.low ==
      256 * (near.high * 4294967296 + near.low) + far.high * 4294967296 + far.low;
*/
static attest_q16_sum join(attest_q16_sum near, attest_q16_sum far) {
  const uint64_t low = near.low * 256U + far.low;
  attest_q16_sum sum;
  sum.high = near.high * 256U + far.high + low / ATTEST_Q16_WORD;
  sum.low = low % ATTEST_Q16_WORD;
  return sum;
}

/* A quotient rounded by its remainder. */
/*@ requires remainder < divisor;
    assigns \nothing;
    ensures \result == quotient || \result == quotient + 1;
    ensures down: \result == quotient ==> 2 * remainder <= divisor || quotient == 4294967295;
    ensures up: \result == quotient + 1 ==> 2 * remainder >= divisor;
*/
static uint32_t rounded(uint32_t quotient, uint64_t remainder, uint64_t divisor) {
  const uint64_t rest = divisor - remainder;
  const int up = remainder > rest || (remainder == rest && quotient % 2U != 0);
  return up && quotient < 4294967295U ? quotient + 1U : quotient;
}

/*@ predicate attest_q16_is_power(integer bit, integer power) =
      bit == 0 && power == 1 || bit == 1 && power == 2 ||
      bit == 2 && power == 4 || bit == 3 && power == 8 ||
      bit == 4 && power == 16 || bit == 5 && power == 32 ||
      bit == 6 && power == 64 || bit == 7 && power == 128 ||
      bit == 8 && power == 256 || bit == 9 && power == 512 ||
      bit == 10 && power == 1024 || bit == 11 && power == 2048 ||
      bit == 12 && power == 4096 || bit == 13 && power == 8192 ||
      bit == 14 && power == 16384 || bit == 15 && power == 32768 ||
      bit == 16 && power == 65536 || bit == 17 && power == 131072 ||
      bit == 18 && power == 262144 || bit == 19 && power == 524288 ||
      bit == 20 && power == 1048576 || bit == 21 && power == 2097152 ||
      bit == 22 && power == 4194304 || bit == 23 && power == 8388608 ||
      bit == 24 && power == 16777216 || bit == 25 && power == 33554432 ||
      bit == 26 && power == 67108864 || bit == 27 && power == 134217728 ||
      bit == 28 && power == 268435456 || bit == 29 && power == 536870912 ||
      bit == 30 && power == 1073741824 || bit == 31 && power == 2147483648 ||
      bit == 32 && power == 4294967296;
*/

/* One bit of the quotient at a time. After `bit` of them, with power = 2^bit and `taken` the first
   bits of the dividend's lower word, high power + taken = quotient divisor + remainder. The
   remainder stays below the divisor, so its double fits. */
uint32_t attest_q16_divide(attest_q16_sum sum, uint64_t divisor) {
  //@ assert large: sum.high >= divisor ==> sum.high * 4294967296 >= divisor * 4294967296;
  if (sum.high >= divisor) return 4294967295U;
  uint64_t remainder = sum.high;
  uint32_t low = (uint32_t)sum.low;
  uint32_t quotient = 0;
  //@ ghost uint64_t power = 1;
  //@ ghost uint64_t taken = 0;
  /*@ loop invariant 0 <= bit <= 32;
      loop invariant remainder: remainder < divisor;
      loop invariant power: attest_q16_is_power(bit, power);
      loop invariant small: quotient < power && taken < power;
      loop invariant rest: sum.low * power == taken * 4294967296 + low;
      loop invariant quotient: sum.high * power + taken == quotient * divisor + remainder;
      loop assigns bit, remainder, low, quotient, power, taken;
      loop variant 32 - bit; */
  for (uint32_t bit = 0; bit < 32U; bit++) {
    //@ assert half: power <= 2147483648;
    //@ ghost uint64_t old_power = power;
    //@ ghost uint64_t old_quotient = quotient;
    //@ ghost taken = taken * 2U + low / 2147483648U;
    //@ ghost power = power * 2U;
    remainder = remainder * 2U + low / 2147483648U;
    low = low % 2147483648U * 2U;
    quotient = quotient % 2147483648U * 2U;
    //@ assert twice: quotient == 2 * old_quotient;
    //@ assert products: quotient * divisor == 2 * (old_quotient * divisor);
    //@ assert dividends: sum.high * power == 2 * (sum.high * old_power);
    //@ assert lows: sum.low * power == 2 * (sum.low * old_power);
    //@ assert sum: sum.high * power + taken == quotient * divisor + remainder;
    //@ assert next: (quotient + 1) * divisor == quotient * divisor + divisor;
    //@ assert below: remainder < 2 * divisor;
    if (remainder >= divisor) {
      remainder -= divisor;
      quotient += 1U;
    }
  }
  //@ assert whole: power == 4294967296 && taken == sum.low;
  //@ assert division: attest_q16_value(sum) == quotient * divisor + remainder;
  //@ assert next: (quotient + 1) * divisor == quotient * divisor + divisor;
  /*@ assert last: quotient == 4294967295 && attest_q16_value(sum) <= 4294967295 * divisor ==>
        remainder == 0; */
  return rounded(quotient, remainder, divisor);
}

int32_t attest_q16_output(attest_q16_sum near, attest_q16_sum far, uint64_t total) {
  return attest_q16_signed(attest_q16_divide(join(near, far), total));
}
