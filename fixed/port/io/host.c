#include <stdio.h>

#include "port.h"

void port_start(void) {}

void port_char(char c) { putchar(c); }

uint32_t port_ticks(void) { return 0; }

void port_end(void) {}
