#include "power.h"

/* AVR compilers copy tables to RAM unless told to leave them in flash. */
#ifdef __FLASH
#define TABLE static const __flash
#else
#define TABLE static const
#endif

/* 2^(32 - i / 32), nearest; the first one less, to fit. */
TABLE uint32_t powers[32] = {
  4294967295U, 4202935003U, 4112874773U, 4024744348U, 3938502376U, 3854108391U,
  3771522796U, 3690706840U, 3611622603U, 3534232978U, 3458501653U, 3384393094U,
  3311872529U, 3240905930U, 3171459999U, 3103502151U, 3037000500U, 2971923842U,
  2908241642U, 2845924021U, 2784941738U, 2725266179U, 2666869345U, 2609723834U,
  2553802834U, 2499080105U, 2445529972U, 2393127307U, 2341847524U, 2291666561U,
  2242560872U, 2194507417U,
};

/* 1 - 2^-r = r (LINEAR - r (SQUARE - r CUBE)) on [0, 1/32], by Sollya's fpminimax; times 2^32. */
#define LINEAR 2977044433U
#define SQUARE 1031742492U
#define CUBE 236462803U

/*@ ghost
  /@ assigns \nothing;
     ensures \result == attest_q16_high_part(x, share);
     ensures \result <= x;
     ensures small: share <= 134217727 ==> 32 * \result <= x; @/
  static uint32_t share_bound(uint32_t x, uint32_t share) {
    /@ assert least: 0 <= x * share; @/
    /@ assert most: x * share <= x * 4294967295; @/
    /@ assert small: share <= 134217727 ==> x * share <= x * 134217727; @/
    return (uint32_t)((uint64_t)x * share / 4294967296U);
  }

  /@ requires r <= 134217727;
     assigns \nothing;
     ensures \result == attest_q16_loss(r);
     ensures \result <= r; @/
  static uint32_t loss_bound(uint32_t r) {
    const uint32_t bend = 1031742492U - share_bound(236462803U, r);
    const uint32_t slope = 2977044433U - share_bound(bend, r);
    return share_bound(r, slope);
  }

  void attest_q16_power_bound(uint32_t fraction) {
    const uint32_t from = powers[fraction / 134217728U];
    /@ assert table: from == attest_q16_root(fraction / 134217728); @/
    const uint32_t loss = loss_bound(fraction % 134217728U);
    const uint32_t share = share_bound(from, loss);
  }
*/

uint32_t attest_q16_power(uint32_t fraction) {
  const uint32_t from = powers[fraction / 134217728U];
  const uint32_t r = fraction % 134217728U;
  //@ assert table: from == attest_q16_root(fraction / 134217728);
  const uint32_t bend = SQUARE - attest_q16_high(CUBE, r);
  //@ assert bend: bend == 1031742492 - attest_q16_high_part(236462803, r);
  const uint32_t slope = LINEAR - attest_q16_high(bend, r);
  //@ assert slope: slope == 2977044433 - attest_q16_high_part(bend, r);
  const uint32_t loss = attest_q16_high(r, slope);
  //@ assert loss: loss == attest_q16_loss(r);
  return from - attest_q16_high(from, loss);
}
