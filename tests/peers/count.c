/* exp by one library (PEER: 0 nothing, 1 attest, 2 CMSIS-NN, 3 libfixmath, 4 the compiler's expf), for
   tests/peers/run: as fixed/port/measure.c does,

   exp ARGUMENTS CALLS TICKS WORST
     CALLS calls for each of ARGUMENTS arguments in [-12, 0]; WORST: the slowest argument */
#include "port.h"

#if PEER == 1
#include "attest_q16.h"
#elif PEER == 2
#include "arm_nnsupportfunctions.h"
#elif PEER == 3
#include "fix16.h"
#elif PEER == 4
#include <math.h>
#endif

enum { CALLS = 125, STRIDE = 4093 };

static void print_number(uint32_t x) {
  if (x >= 10U) print_number(x / 10U);
  port_char((char)('0' + x % 10U));
}

#if PEER == 4
static volatile float sink;
typedef float number;
static number argument(int32_t x) { return (float)x / 65536.0F; }
#else
static volatile int32_t sink;
typedef int32_t number;
/* In the library's own format: CMSIS-NN takes 5 bits before the point. */
static number argument(int32_t x) { return PEER == 2 ? x * 1024 : x; }
#endif

static number call(number x) {
#if PEER == 1
  return attest_q16_exp(x);
#elif PEER == 2
  return arm_nn_exp_on_negative_values(x);
#elif PEER == 3
  return fix16_exp(x);
#elif PEER == 4
  return expf(x);
#else
  return x;
#endif
}

int main(void) {
  uint32_t arguments = 0, total = 0, worst = 0;

  port_start();
  for (int32_t x = -12 * 65536; x <= 0; x += STRIDE) {
    volatile number at = argument(x); /* so that no call is taken out of the loop */
    const uint32_t start = port_ticks();
    for (uint8_t i = 0; i < CALLS; i++) sink = call(at);
    const uint32_t ticks = (port_ticks() - start) & 0xFFFFFFU;
    arguments++;
    total += ticks;
    if (ticks > worst) worst = ticks;
  }
  for (const char *s = "exp "; *s; s++) port_char(*s);
  print_number(arguments);
  port_char(' ');
  print_number(CALLS);
  port_char(' ');
  print_number(total);
  port_char(' ');
  print_number(worst);
  port_char('\n');
  port_end();
  return 0;
}
