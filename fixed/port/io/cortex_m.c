/* Any Cortex-M: semihosting for output, through putchar of picolibc; SysTick counts. */
#include <stdio.h>

#include "port.h"

#define SYSTICK_CONTROL (*(volatile uint32_t *)0xE000E010U)
#define SYSTICK_RELOAD (*(volatile uint32_t *)0xE000E014U)
#define SYSTICK_VALUE (*(volatile uint32_t *)0xE000E018U)

void port_start(void) {
  SYSTICK_RELOAD = 0xFFFFFFU;
  SYSTICK_VALUE = 0;
  SYSTICK_CONTROL = 5U; /* enabled, by the processor's clock, no interrupt */
}

void port_char(char c) { putchar(c); }

/* SysTick counts down. */
uint32_t port_ticks(void) { return (0xFFFFFFU - SYSTICK_VALUE) & 0xFFFFFFU; }

void port_end(void) {}
