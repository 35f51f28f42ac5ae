/* What vectors.c and the measurements need of a target: one character out, and a counter. */
#ifndef ATTEST_PORT_H
#define ATTEST_PORT_H

#include <stdint.h>

void port_start(void);
void port_char(char c);
/* A free-running counter of at least 24 bits, upwards. */
uint32_t port_ticks(void);
/* Called last. Where a target cannot return a status from main it stops here. */
void port_end(void);

#endif
