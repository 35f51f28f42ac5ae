#include "attest.h"
#include "real.h"

/* Every operand is or was volatile, so that the compiler cannot fold the sums under its own idea of
   the arithmetic and each operation runs as it would in the nests. */

enum { TERMS = 16 };

/* Loops as in the nests, whose order and division a compiler may change where it is told that
   arithmetic is associative or that x / y is x * (1 / y). */
/*@ requires \valid_read(x + (0 .. TERMS - 1));
    assigns \nothing;
*/
static real sum_of(const real *x) {
  real sum = 0;
  /*@ loop invariant 0 <= i <= TERMS;
      loop assigns i, sum;
      loop variant TERMS - i;
  */
  for (size_t i = 0; i < TERMS; i++) sum += x[i];
  return sum;
}

/*@ requires \valid(x + (0 .. TERMS - 1));
    assigns x[0 .. TERMS - 1];
*/
static void divide(real *x, real divisor) {
  /*@ loop invariant 0 <= i <= TERMS;
      loop assigns i, x[0 .. TERMS - 1];
      loop variant TERMS - i;
  */
  for (size_t i = 0; i < TERMS; i++) x[i] /= divisor;
}

/* 1 and TERMS - 1 halves of a step, each of which is lost in turn; 1 + half - 1; 0 to TERMS - 1 over
   3, four of which differ from their product with 1/3. */
/*@ assigns \nothing; */
static int is_in_order(real one, real half_step, real three) {
  real terms[TERMS];
  const real third_5 = (real)5 / 3, third_7 = (real)7 / 3, third_10 = (real)10 / 3,
             third_14 = (real)14 / 3;
  terms[0] = one;
  /*@ loop invariant 1 <= i <= TERMS;
      loop assigns i, terms[1 .. TERMS - 1];
      loop variant TERMS - i;
  */
  for (size_t i = 1; i < TERMS; i++) terms[i] = half_step;
  const int out_of_order = (sum_of(terms) != one) + ((one + half_step) - one != 0);
  terms[0] = 0;
  /*@ loop invariant 1 <= i <= TERMS;
      loop assigns i, terms[1 .. TERMS - 1];
      loop variant TERMS - i;
  */
  for (size_t i = 1; i < TERMS; i++) terms[i] = terms[i - 1] + one;
  divide(terms, three);
  return out_of_order + (terms[5] != third_5) + (terms[7] != third_7) + (terms[10] != third_10) +
           (terms[14] != third_14) ==
         0;
}

/*@ assigns \nothing; */
attest_status attest_selftest(void) {
  volatile real one = 1, half_step = (real)0.5, three = 3, tiny, back, product, large = ATTEST_MAX, x, y;
#ifdef ATTEST_F64
  const real step = DBL_EPSILON, least = DBL_MIN;
#else
  const real step = FLT_EPSILON, least = FLT_MIN;
#endif
  /* to nearest, ties to even: 1 + step/2 is a tie that goes down, 1 + 3 step/2 one that goes up */
  half_step = half_step * step;
  x = one + half_step;
  y = one + step;
  y = y + half_step;
  if (x != 1 || y != 1 + 2 * step) return ATTEST_ENVIRONMENT;
  x = -one - half_step;
  if (x != -1) return ATTEST_ENVIRONMENT;
  tiny = least;
  x = one - tiny;
  y = -one + tiny;
  if (x != 1 || y != -1) return ATTEST_ENVIRONMENT;

  /* subnormals are kept, as results and as operands */
  tiny = least;
  tiny = tiny / 4;
  back = tiny * 4;
  if (!(tiny > 0) || back != least) return ATTEST_ENVIRONMENT;

  /* no fused multiply-add: (1 + step)^2 = 1 + 2 step + step^2, of which rounding leaves 1 + 2 step */
  x = one + step;
  product = x * x;
  y = x * x - product;
  if (y != 0) return ATTEST_ENVIRONMENT;

  if (!is_in_order(one, half_step, three)) return ATTEST_ENVIRONMENT;

  /* no wider format in between: the product overflows before the division */
  x = 2;
  y = large * x / x;
  if (!(y > ATTEST_MAX)) return ATTEST_ENVIRONMENT;
  return ATTEST_OK;
}
