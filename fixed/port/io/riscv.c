/* RISC-V: semihosting for output, through putchar of picolibc; minstret counts. */
#include <stdio.h>

#include "port.h"

void port_start(void) {}

void port_char(char c) { putchar(c); }

uint32_t port_ticks(void) {
  uint32_t count;
  /* Newer assemblers want the extension named, which -march does not. */
  __asm__ volatile(".option push\n.option arch, +zicsr\ncsrr %0, minstret\n.option pop"
                   : "=r"(count));
  return count & 0xFFFFFFU;
}

void port_end(void) {}
