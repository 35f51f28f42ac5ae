/* The condition of "The same bits" in README, from the scores that the naive nest computes. Built
   twice, as float and as double. */
#include "attention.h"
#include "dot.h"
#include "engines.h"
#include "score.h"

#ifdef ATTEST_F64
enum { RANGE = 1021 };
#else
enum { RANGE = 125 };
#endif

#define SQRT2 1.4142135623730952 /* rounded up */

static int finite(double x) { return x - x == 0; }

/* Where a score is NaN or +inf the row is NaN in every nest, and one of -inf counts for nothing. */
int ATTEST_R(fuzz_same_bits)(const attest_shape *shape, const attest_arrays *arrays, size_t batch,
                             size_t head, size_t i, size_t column) {
  const attest_head h = attest_head_at(*shape, *arrays, batch, head);
  const attest_rule rule = attest_rule_of(*shape);
  const size_t end = attest_bound(i, h.high, h.key_length);
  double most = -INFINITY, least = INFINITY, largest = 0, smallest = INFINITY, keys = 0;
  for (size_t j = attest_bound(i, h.low, h.key_length); j < end; j++) {
    real y;
    double n;
    if (attest_masked(h, i, j)) continue;
    y = attest_score_at(h, rule, i, j, attest_dot(h.q + i * h.q_row, h.k + j * h.k_row, h.width));
    if (y != y || y > ATTEST_MAX) return 1;
    keys++;
    if (column < h.value_width) {
      const double v = fabs((double)h.v[j * h.v_row + column]);
      if (!finite(v)) return 0;
      if (v > largest) largest = v;
      if (v > 0 && v < smallest) smallest = v;
    }
    if (y < -ATTEST_MAX) continue;
    n = (double)attest_round(y);
    if (n > most) most = n;
    if (n < least) least = n;
  }
  if (most < least) return 1; /* no finite score */
  if (!(most - least <= RANGE) || !(smallest >= ldexp(1, (int)(most - least) - RANGE))) return 0;
  return keys * SQRT2 * ldexp(largest, -RANGE) < 4;
}
