/* For comparison: the same attention in plain float C, with expf of the target's library. */
#include <math.h>

#include "port.h"

enum { T = 16, D = 16 };

static float q[T * D], k[T * D], v[T * D], scores[T];
float out[T * D]; /* not static: what nobody reads would not be computed */

static void attention(void) {
  for (int i = 0; i < T; i++) {
    float top = -INFINITY, total = 0;
    for (int j = 0; j < T; j++) {
      float dot = 0;
      for (int c = 0; c < D; c++) dot += q[i * D + c] * k[j * D + c];
      scores[j] = dot * 0.25F;
      if (scores[j] > top) top = scores[j];
    }
    for (int j = 0; j < T; j++) {
      scores[j] = expf(scores[j] - top);
      total += scores[j];
    }
    for (int c = 0; c < D; c++) {
      float sum = 0;
      for (int j = 0; j < T; j++) sum += scores[j] * v[j * D + c];
      out[i * D + c] = sum / total;
    }
  }
}

static void fill(float *x, uint32_t seed) {
  for (int i = 0; i < T * D; i++) {
    seed = seed * 1664525U + 1013904223U;
    x[i] = (float)((int32_t)(seed >> 14) - 131072) / 65536.0F; /* -2 .. 2 */
  }
}

static void print_number(uint32_t x) {
  if (x >= 10U) print_number(x / 10U);
  port_char((char)('0' + x % 10U));
}

int main(void) {
  port_start();
  fill(q, 1);
  fill(k, 2);
  fill(v, 3);
  const uint32_t start = port_ticks();
  attention();
  const uint32_t ticks = (port_ticks() - start) & 0xFFFFFFU;
  for (const char *s = "float 16 16 "; *s; s++) port_char(*s);
  print_number(ticks);
  port_char('\n');
  port_end();
  return 0;
}
