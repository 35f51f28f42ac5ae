/* Operations that may be undefined, a function each: tests/port/run looks for a trap in every one. */
#include <stdint.h>

static int32_t table[4];

int32_t undefined_sum(int32_t a, int32_t b) { return a + b; }
int64_t undefined_product(int64_t a, int64_t b) { return a * b; }
uint32_t undefined_shift(uint32_t a, int b) { return a << b; }
int32_t undefined_quotient(int32_t a, int32_t b) { return a / b; }
int32_t *undefined_index(int i) {
  table[i]++;
  return table;
}
