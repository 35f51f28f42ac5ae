/* ATmega of the 328P's kind: UART 0 for output; Timer 1 counts cycles, 256 at a time. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#include "port.h"

static uint16_t last;
static uint32_t wraps;

void port_start(void) {
  UBRR0 = 0;
  UCSR0B = _BV(TXEN0);
  TCCR1A = 0;
  TCCR1B = _BV(CS12);
}

void port_char(char c) {
  while ((UCSR0A & _BV(UDRE0)) == 0) {
  }
  UDR0 = (uint8_t)c;
}

/* The counter has 16 bits: what is timed must be shorter than 65536 ticks. */
uint32_t port_ticks(void) {
  const uint16_t now = TCNT1;
  if (now < last) wraps += 65536UL;
  last = now;
  return (wraps + now) & 0xFFFFFFUL;
}

/* simavr ends when the processor sleeps with interrupts off; the last characters need time. */
void port_end(void) {
  for (volatile uint16_t i = 0; i < 20000; i++) {
  }
  cli();
  sleep_enable();
  sleep_cpu();
}
