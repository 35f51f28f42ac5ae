#include "attest.h"
#include "real.h"

/* Every operand is volatile, so that the compiler cannot fold the sums under its own idea of the
   arithmetic and each operation runs as it would in the nests. */

/*@ assigns \nothing; */
attest_status attest_selftest(void) {
  volatile real one = 1, half_step = (real)0.5, tiny, back, product, large = ATTEST_MAX, x, y;
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

  /* no wider format in between: the product overflows before the division */
  x = 2;
  y = large * x / x;
  if (!(y > ATTEST_MAX)) return ATTEST_ENVIRONMENT;
  return ATTEST_OK;
}
