/* Rows that a nest reads or writes soon. Memory answers late, and many requests at once wait for one
   another: kernels ask for row after row while they compute. A hint, which changes no value. */
#ifndef ATTEST_AHEAD_H
#define ATTEST_AHEAD_H

#include "attest.h"
#include "head.h"
#include "real.h"

/* The first row of each array, and how many; fewer where an array ends. */
typedef struct {
  attest_head head;
  size_t out, q, key; /* key: of k and of v */
  size_t count;
} attest_ahead;

/*@ predicate attest_ahead_ok(attest_ahead a) =
      attest_sizes(a.head) && a.out <= 2 * ATTEST_MAX_KEYS && a.q <= 2 * ATTEST_MAX_KEYS &&
      a.key <= 2 * ATTEST_MAX_KEYS && a.count <= ATTEST_LANES;
*/

enum { ATTEST_LINE = 64 / sizeof(real) }; /* reals in a line of memory on most machines */

/* Asks for the line that holds *p, where compilers have a word for it. */
/*@ assigns \nothing; */
static inline void attest_ask_line(const real *p) {
#if defined(__GNUC__) && !defined(__FRAMAC__)
  __builtin_prefetch(p, 0, 2);
#else
  (void)p;
#endif
}

/*@ requires width <= ATTEST_MAX_WIDTH;
    assigns \nothing;
*/
static inline void attest_ask_row(const real *row, size_t width) {
  /*@ loop invariant 0 <= c && c % ATTEST_LINE == 0;
      loop assigns c;
      loop variant width + ATTEST_LINE - c; */
  for (size_t c = 0; c < width; c += ATTEST_LINE) attest_ask_line(row + c);
}

/* Asks for row n of each array. */
/*@ requires attest_ahead_ok(a);
    assigns \nothing;
*/
static inline void attest_ask(const attest_ahead a, size_t n) {
  const attest_head h = a.head;
  if (n >= a.count) return;
  if (a.out + n < h.q_len)
    attest_ask_row(h.out + attest_row(a.out + n, h.out_row) /*@ ghost (h.q_len) */, h.value_width);
  if (a.q + n < h.q_len)
    attest_ask_row(h.q + attest_row(a.q + n, h.q_row) /*@ ghost (h.q_len) */, h.width);
  if (a.key + n < h.key_length) {
    attest_ask_row(h.k + attest_row(a.key + n, h.k_row) /*@ ghost (h.kv_len) */, h.width);
    attest_ask_row(h.v + attest_row(a.key + n, h.v_row) /*@ ghost (h.kv_len) */, h.value_width);
  }
}

#endif
