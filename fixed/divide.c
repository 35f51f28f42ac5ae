#include "divide.h"

attest_q16_divisor attest_q16_divisor_of(uint64_t total) {
  const uint32_t small = total < 16777216U ? 1U : 0U;
  const uint64_t first = small != 0 ? total * ATTEST_Q16_WORD : total;
  uint64_t scaled = first;
  uint32_t factor = 1;
  /*@ loop invariant scaled == first * factor;
      loop invariant first <= scaled <= 72057594037927935;
      loop invariant factor: 1 <= factor && factor * 16777216 <= scaled;
      loop assigns scaled, factor;
      loop variant 72057594037927936 - scaled; */
  while (scaled < 36028797018963968U) {
    scaled *= 2U;
    factor *= 2U;
  }
  //@ assert plain: small == 0 ==> scaled == total * factor;
  //@ assert small: small != 0 ==> scaled == total * (factor * 4294967296);
  attest_q16_divisor d;
  d.total = total;
  d.scaled = scaled;
  d.factor = factor;
  d.inverse = 2147483648U / ((uint32_t)(scaled / 1099511627776U) + 1U);
  d.small = small;
  //@ assert factor: attest_q16_factor(d) == (small != 0 ? factor * 4294967296 : factor);
  return d;
}

/*@ predicate attest_q16_inverse_of(integer inverse, integer scaled) =
      36028797018963968 <= scaled <= 72057594037927935 &&
      inverse == 2147483648 / (scaled / 1099511627776 + 1);
*/

/*@ ghost
  // with `upper` the remainder's first 16 bits and `top` the divisor's
  /@ requires digit * 8388608 <= upper * inverse && inverse * (top + 1) <= 2147483648;
     requires scaled < (top + 1) * 1099511627776 && upper * 281474976710656 <= remainder;
     assigns \nothing;
     ensures digit * scaled <= remainder; @/
  static inline void attest_q16_digit_least(uint32_t digit, uint32_t upper, uint32_t inverse,
                                            uint32_t top, uint64_t scaled, uint64_t remainder) {
    /@ assert a: digit * 8388608 * (top + 1) <= upper * inverse * (top + 1); @/
    /@ assert b: upper * (inverse * (top + 1)) <= upper * 2147483648; @/
    /@ assert c: digit * (top + 1) <= upper * 256; @/
    /@ assert d: digit * scaled <= digit * ((top + 1) * 1099511627776); @/
  }

  /@ requires upper * inverse + 1 <= (digit + 1) * 8388608;
     requires inverse * (top + 1) >= 2147483648 - top && 32768 <= top <= 65535;
     requires top * 1099511627776 <= scaled && remainder < (upper + 1) * 281474976710656;
     requires upper <= 65535 && inverse <= 65535;
     assigns \nothing;
     ensures remainder < (digit + 2) * scaled; @/
  static inline void attest_q16_digit_most(uint32_t digit, uint32_t upper, uint32_t inverse,
                                           uint32_t top, uint64_t scaled, uint64_t remainder) {
    /@ assert a: upper * (inverse * (top + 1)) >= upper * (2147483648 - top); @/
    /@ assert b: (upper * inverse + 1) * top <= (digit + 1) * 8388608 * top; @/
    /@ assert c: 0 <= upper * inverse <= 65535 * 65535; @/
    /@ assert d: 0 <= upper * top <= 65535 * 65535; @/
    /@ assert e: upper * (inverse * (top + 1)) == upper * inverse * top + upper * inverse; @/
    /@ assert f: (upper + 1) * 2147483648 <= (digit + 2) * 8388608 * top; @/
    /@ assert g: (upper + 1) * 256 <= (digit + 2) * top; @/
    /@ assert h: (digit + 2) * (top * 1099511627776) <= (digit + 2) * scaled; @/
  }
*/

/* The next 8 bits of a quotient, or one less: the upper 16 bits of the remainder times the inverse
   of the upper 16 of the divisor. What is cut off from these errs by less than 1/32, so that only
   the last rounding down can take one away. */
/*@ requires attest_q16_inverse_of(inverse, scaled) && remainder < 256 * scaled;
    assigns \nothing;
    ensures least: \result * scaled <= remainder;
    ensures most: remainder < (\result + 2) * scaled;
*/
static inline uint32_t digit_of(uint64_t remainder, uint32_t inverse)
    /*@ ghost (uint64_t scaled) */ {
  const uint32_t upper = (uint32_t)(remainder / 281474976710656U);
  //@ ghost uint32_t top = (uint32_t)(scaled / 1099511627776U);
  //@ assert top: 32768 <= top <= 65535;
  //@ assert inverse: inverse * (top + 1) <= 2147483648 < (inverse + 1) * (top + 1);
  //@ assert below: inverse <= 65535;
  //@ assert product: 0 <= upper * inverse <= 65535 * 65535;
  const uint32_t digit = upper * inverse / 8388608U;
  //@ ghost attest_q16_digit_least(digit, upper, inverse, top, scaled, remainder);
  //@ ghost attest_q16_digit_most(digit, upper, inverse, top, scaled, remainder);
  return digit;
}

/* Dividend and divisor times the same number. */
/*@ requires \valid_read(d) && attest_q16_divisor_ok(*d);
    requires sum.low <= 4294967295 && sum.high < d->total;
    assigns \nothing;
    ensures \result.low <= 4294967295 && \result.high < d->scaled;
    ensures attest_q16_value(\result) == attest_q16_value(sum) * attest_q16_factor(*d);
*/
static inline attest_q16_sum scaled_up(attest_q16_sum sum, const attest_q16_divisor *d) {
  const uint32_t factor = d->factor;
  //@ ghost attest_q16_sum old = sum;
  //@ ghost uint64_t limit = d->small != 0 ? d->total * ATTEST_Q16_WORD : d->total;
  //@ assert limit: limit * factor == d->scaled;
  if (d->small != 0) {
    sum.high = sum.high * ATTEST_Q16_WORD + sum.low;
    sum.low = 0;
  }
  //@ assert below: sum.high + 1 <= limit;
  //@ assert high: (sum.high + 1) * factor <= limit * factor;
  //@ assert low: 0 <= sum.low * factor <= 4294967295 * factor;
  const uint64_t carried = attest_q16_product((uint32_t)sum.low, factor);
  sum.high = attest_q16_product_64(sum.high, factor) + carried / ATTEST_Q16_WORD;
  sum.low = carried % ATTEST_Q16_WORD;
  /*@ assert plain: d->small == 0 ==>
        attest_q16_value(sum) == (old.high * 4294967296 + old.low) * factor; */
  /*@ assert small: d->small != 0 ==>
        attest_q16_value(sum) == (old.high * 4294967296 + old.low) * (4294967296 * factor); */
  //@ assert factor: attest_q16_factor(*d) == (d->small != 0 ? 4294967296 * factor : factor);
  return sum;
}

/* A quotient rounded by its remainder. */
/*@ requires remainder < divisor;
    assigns \nothing;
    ensures \result == quotient || \result == quotient + 1;
    ensures down: \result == quotient ==> 2 * remainder <= divisor || quotient == 4294967295;
    ensures up: \result == quotient + 1 ==> 2 * remainder >= divisor;
    ensures even: 2 * remainder == divisor ==> \result % 2 == 0 || quotient == 4294967295;
*/
static inline uint32_t rounded(uint32_t quotient, uint64_t remainder, uint64_t divisor) {
  const uint64_t rest = divisor - remainder;
  const int up = remainder > rest || (remainder == rest && quotient % 2U != 0);
  return up && quotient < 4294967295U ? quotient + 1U : quotient;
}

/*@ predicate attest_q16_is_digits(integer digits, integer power) =
      digits == 0 && power == 1 || digits == 1 && power == 256 ||
      digits == 2 && power == 65536 || digits == 3 && power == 16777216 ||
      digits == 4 && power == 4294967296;

    // what one step of the division keeps
    predicate attest_q16_divided(integer high, integer power, integer taken, integer quotient,
                                 integer divisor, integer remainder) =
      high * power + taken == quotient * divisor + remainder;
*/

/*@ ghost
  /@ requires attest_q16_divided(high, power, taken, quotient, divisor, remainder);
     requires remainder * 256 + byte == digit * divisor + rest && power <= 16777216;
     assigns \nothing;
     ensures attest_q16_divided(high, power * 256, taken * 256 + byte, quotient * 256 + digit,
                                divisor, rest); @/
  static inline void attest_q16_divided_on(uint64_t high, uint64_t power, uint64_t taken,
                                           uint64_t quotient, uint64_t divisor,
                                           uint64_t remainder, uint32_t byte, uint32_t digit,
                                           uint64_t rest) {
    /@ assert a: (quotient * 256 + digit) * divisor ==
         256 * (quotient * divisor) + digit * divisor; @/
    /@ assert b: high * (power * 256) == 256 * (high * power); @/
  }
*/

/*@ ghost
  /@ requires attest_q16_value(sum) == quotient * divisor + remainder && remainder < divisor;
     requires result == quotient && 2 * remainder <= divisor ||
       result == quotient + 1 && 2 * remainder >= divisor;
     requires 2 * remainder == divisor ==> result % 2 == 0;
     assigns \nothing;
     ensures attest_q16_nearest(attest_q16_value(sum), divisor, result); @/
  static inline void attest_q16_rounding(attest_q16_sum sum, uint64_t divisor, uint32_t quotient,
                                         uint64_t remainder, uint32_t result) {
    /@ assert product: (quotient + 1) * divisor == quotient * divisor + divisor; @/
    /@ assert kept: result == quotient ==>
         2 * attest_q16_value(sum) == 2 * result * divisor + 2 * remainder; @/
    /@ assert raised: result == quotient + 1 ==>
         2 * attest_q16_value(sum) + 2 * divisor == 2 * result * divisor + 2 * remainder; @/
  }

  /@ requires f >= 1;
     assigns \nothing;
     ensures attest_q16_value(sum) <= 4294967295 * divisor ==>
       attest_q16_value(sum) * f <= 4294967295 * (divisor * f);
     ensures attest_q16_nearest(attest_q16_value(sum) * f, divisor * f, result) ==>
       attest_q16_nearest(attest_q16_value(sum), divisor, result); @/
  static inline void attest_q16_nearest_scaled(attest_q16_sum sum, uint64_t divisor, uint64_t f,
                                               uint32_t result) {
    /@ assert least: 2 * (attest_q16_value(sum) * f) - divisor * f <= 2 * result * (divisor * f)
         ==> (2 * attest_q16_value(sum) - divisor) * f <= 2 * result * divisor * f; @/
    /@ assert most: 2 * result * (divisor * f) <= 2 * (attest_q16_value(sum) * f) + divisor * f
         ==> 2 * result * divisor * f <= (2 * attest_q16_value(sum) + divisor) * f; @/
    /@ assert up: 2 * attest_q16_value(sum) == 2 * result * divisor + divisor ==>
         2 * (attest_q16_value(sum) * f) == 2 * result * (divisor * f) + divisor * f; @/
    /@ assert down: 2 * attest_q16_value(sum) == 2 * result * divisor - divisor ==>
         2 * (attest_q16_value(sum) * f) == 2 * result * (divisor * f) - divisor * f; @/
  }
*/

/* Long division, 8 bits of the quotient at a time. After `digits` of them, with power =
   256^digits and `taken` the first digits of the dividend's lower word, high power + taken =
   quotient divisor + remainder. The remainder stays below the divisor, below 2^56. */
/*@ requires attest_q16_inverse_of(inverse, divisor);
    requires sum.low <= 4294967295 && sum.high < divisor;
    assigns \nothing;
    ensures nearest: attest_q16_value(sum) <= 4294967295 * divisor ==>
      attest_q16_nearest(attest_q16_value(sum), divisor, \result);
*/
static inline uint32_t divided(attest_q16_sum sum, uint64_t divisor, uint32_t inverse) {
  uint64_t remainder = sum.high;
  uint32_t low = (uint32_t)sum.low;
  uint32_t quotient = 0;
  //@ ghost uint64_t power = 1;
  //@ ghost uint64_t taken = 0;
  /*@ loop invariant 0 <= digits <= 4;
      loop invariant remainder: remainder < divisor;
      loop invariant power: attest_q16_is_digits(digits, power);
      loop invariant small: quotient < power && taken < power;
      loop invariant rest: sum.low * power == taken * 4294967296 + low;
      loop invariant quotient: attest_q16_divided(sum.high, power, taken, quotient, divisor,
                                                  remainder);
      loop assigns digits, remainder, low, quotient, power, taken;
      loop variant 4 - digits; */
  for (uint32_t digits = 0; digits < 4U; digits++) {
    //@ assert room: power <= 16777216;
    //@ ghost uint64_t old_remainder = remainder;
    //@ ghost uint32_t byte = low / 16777216U;
    //@ ghost uint32_t old_quotient = quotient;
    remainder = remainder * 256U + low / 16777216U;
    low = low % 16777216U * 256U;
    uint32_t digit = digit_of(remainder, inverse) /*@ ghost (divisor) */;
    //@ assert next: (digit + 1) * divisor == digit * divisor + divisor;
    //@ assert next_2: (digit + 2) * divisor == digit * divisor + 2 * divisor;
    //@ assert digit: digit <= 255;
    //@ assert upper: 0 <= digit * (divisor / 4294967296) <= 255 * 16777215;
    /*@ assert parts: digit * divisor ==
          digit * (divisor / 4294967296) * 4294967296 + digit * (divisor % 4294967296); */
    //@ ghost uint64_t before = remainder;
    remainder -= attest_q16_product_8(digit, (uint32_t)(divisor % ATTEST_Q16_WORD)) +
                 (uint64_t)(digit * (uint32_t)(divisor / ATTEST_Q16_WORD)) * ATTEST_Q16_WORD;
    //@ assert before: before == digit * divisor + remainder;
    if (remainder >= divisor) {
      remainder -= divisor;
      digit++;
    }
    //@ assert digits: digit <= 255;
    quotient = quotient * 256U + digit;
    /*@ ghost attest_q16_divided_on(sum.high, power, taken, old_quotient, divisor, old_remainder,
                                    byte, digit, remainder); */
    //@ ghost taken = taken * 256U + byte;
    //@ ghost power = power * 256U;
  }
  //@ assert whole: power == 4294967296 && taken == sum.low;
  //@ assert division: attest_q16_value(sum) == quotient * divisor + remainder;
  /*@ assert last: quotient == 4294967295 && attest_q16_value(sum) <= 4294967295 * divisor ==>
        remainder == 0; */
  const uint32_t result = rounded(quotient, remainder, divisor);
  /*@ ghost if (quotient < 4294967295U || remainder == 0U)
        attest_q16_rounding(sum, divisor, quotient, remainder, result); */
  return result;
}

uint32_t attest_q16_divide(attest_q16_sum sum, const attest_q16_divisor *d) {
  //@ assert large: sum.high >= d->total ==> sum.high * 4294967296 >= d->total * 4294967296;
  if (sum.high >= d->total) return 4294967295U;
  const attest_q16_sum scaled = scaled_up(sum, d);
  const uint32_t result = divided(scaled, d->scaled, d->inverse);
  //@ ghost uint64_t factor = d->small != 0 ? d->factor * ATTEST_Q16_WORD : d->factor;
  //@ assert factor: factor == attest_q16_factor(*d);
  //@ ghost attest_q16_nearest_scaled(sum, d->total, factor, result);
  return result;
}
