/* Counts by the target's own counter; tests/port/run turns ticks into instructions.

   exp ARGUMENTS CALLS TOTAL BASE WORST
     CALLS calls for each of ARGUMENTS arguments in [-12, 0]: ticks of all, of the loops, of the
     worst without its loop
   NAME T D TICKS
     one call of attention on T keys and queries of width D: 16, or with PORT_SMALL, for 2 KB of RAM,
     8 and 4 */
#include "attest_q16.h"
#include "port.h"

enum { CALLS = 125, STRIDE = 4093 };

static void print(const char *s) {
  while (*s) port_char(*s++);
}

static void print_number(uint32_t x) {
  char digits[11];
  uint8_t at = 10;
  digits[10] = 0;
  do {
    digits[--at] = (char)('0' + x % 10U);
    x /= 10U;
  } while (x != 0);
  port_char(' ');
  print(digits + at);
}

static volatile int32_t sink;

static uint32_t since(uint32_t start) { return (port_ticks() - start) & 0xFFFFFFU; }

static void measure_exp(void) {
  uint32_t arguments = 0, total = 0, base = 0, worst = 0;
  for (int32_t x = -12 * 65536; x <= 0; x += STRIDE) {
    uint32_t start = port_ticks();
    for (uint8_t i = 0; i < CALLS; i++) sink = x;
    const uint32_t alone = since(start);
    start = port_ticks();
    for (uint8_t i = 0; i < CALLS; i++) sink = attest_q16_exp(x);
    const uint32_t ticks = since(start);
    arguments++;
    total += ticks;
    base += alone;
    if (ticks - alone > worst) worst = ticks - alone;
  }
  print("exp");
  print_number(arguments);
  print_number(CALLS);
  print_number(total);
  print_number(base);
  print_number(worst);
  print("\n");
}

#ifdef PORT_SMALL
enum { T = 8, D = 4 };
#else
enum { T = 16, D = 16 };
#endif

static int32_t q[T * D], k[T * D], v[T * D], out[T * D], weights[T * T];
static uint64_t words[T + 4 * D];

static void fill(int32_t *x, uint32_t seed) {
  for (uint32_t i = 0; i < T * D; i++) {
    seed = seed * 1664525U + 1013904223U;
    x[i] = (int32_t)(seed >> 14) - 131072; /* -2 .. 2 */
  }
}

static void measure_attention(const char *name, uint32_t width, uint32_t tile,
                              int32_t *into_weights) {
  attest_q16_shape shape = {0};
  shape.q_heads = 1;
  shape.kv_heads = 1;
  shape.q_len = T;
  shape.kv_len = T;
  shape.width = width;
  shape.value_width = width;
  (void)attest_q16_layout(&shape);
  attest_q16_arrays arrays = {0};
  arrays.q = q;
  arrays.k = k;
  arrays.v = v;
  arrays.out = out;
  arrays.weights = into_weights;
  const uint32_t start = port_ticks();
  const attest_q16_status status =
    tile == 0 ? attest_q16_naive(&shape, &arrays, words, sizeof words / sizeof words[0])
              : attest_q16_tiled(&shape, &arrays, tile, words, sizeof words / sizeof words[0]);
  const uint32_t ticks = since(start);
  print(status == ATTEST_Q16_OK ? name : "failed");
  print_number(T);
  print_number(width);
  print_number(ticks);
  print("\n");
}

static void measure_nests(void) {
  fill(q, 1);
  fill(k, 2);
  fill(v, 3);
  measure_attention("naive", D, 0, 0);
  measure_attention("tiled", D, T, 0);
  measure_attention("weights", 1, 0, weights);
}

int main(void) {
  port_start();
  measure_exp();
  measure_nests();
  port_end();
  return 0;
}
