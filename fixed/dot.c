#include "dot.h"

/*@ ghost
  /@ requires -x_most <= x <= x_most <= 65536 && -y_most <= y <= y_most <= 65536;
     assigns \nothing;
     ensures -(x_most * y_most) <= x * y <= x_most * y_most;
     ensures 0 <= x && 0 <= y ==> 0 <= x * y; @/
  static inline void attest_q16_piece_bound(int32_t x, int32_t y, uint32_t x_most,
                                            uint32_t y_most) {}

  /@ requires q == x1 * 1024 + x0 && k == y1 * 65536 + y0;
     assigns \nothing;
     ensures q * k == x1 * y1 * 67108864 + x1 * y0 * 1024 + x0 * y1 * 65536 + x0 * y0; @/
  static inline void attest_q16_pieces(int32_t q, int32_t k, int32_t x1, int32_t x0, int32_t y1,
                                       int32_t y0) {}
*/

uint32_t attest_q16_peak(const int32_t *q, uint32_t width) {
  uint32_t peak = 0;
  /*@ loop invariant 0 <= c <= width && peak <= 2147483648;
      loop invariant attest_q16_within(q, c, peak);
      loop assigns c, peak;
      loop variant width - c; */
  for (uint32_t c = 0; c < width; c++) {
    const int64_t x = q[c];
    const uint32_t size = (uint32_t)(x < 0 ? -x : x);
    if (size > peak) peak = size;
  }
  return peak;
}

int64_t attest_q16_dot_pieces(const int32_t *q, const int32_t *k, uint32_t width) {
  int64_t dot = 0;
  uint32_t c = 0;
  /*@ loop invariant 0 <= c <= width;
      loop invariant value: dot == attest_q16_dot_product(q, k, c);
      loop invariant -(c * 4503599627370496) <= dot <= c * 4503599627370496;
      loop assigns c, dot;
      loop variant width - c; */
  while (c < width) {
    const uint32_t end = width - c > 16U ? c + 16U : width;
    //@ ghost uint32_t first = c;
    int32_t upper = 0, left = 0, right = 0, lower = 0;
    /*@ loop invariant first <= c <= end;
        loop invariant -((c - first) * 33554432) <= upper <= (c - first) * 33554432;
        loop invariant -((c - first) * 67108864) <= left <= (c - first) * 67108864;
        loop invariant -((c - first) * 33554432) <= right <= (c - first) * 33554432;
        loop invariant 0 <= lower <= (c - first) * 67108864;
        loop invariant value: dot + upper * 67108864 + left * 1024 + right * 65536 + lower ==
          attest_q16_dot_product(q, k, c);
        loop assigns c, upper, left, right, lower;
        loop variant end - c; */
    for (; c < end; c++) {
      const int32_t x1 = attest_q16_floor_10(q[c]), x0 = q[c] - x1 * 1024;
      const int32_t y1 = attest_q16_floor_16(k[c]), y0 = k[c] - y1 * 65536;
      //@ assert pieces: -1024 <= x1 <= 1023 && -32768 <= y1 <= 32767;
      //@ ghost attest_q16_piece_bound(x1, y1, 1024U, 32768U);
      //@ ghost attest_q16_piece_bound(x1, y0, 1024U, 65536U);
      //@ ghost attest_q16_piece_bound(x0, y1, 1024U, 32768U);
      //@ ghost attest_q16_piece_bound(x0, y0, 1024U, 65536U);
      //@ ghost attest_q16_pieces(q[c], k[c], x1, x0, y1, y0);
      upper += x1 * y1;
      left += x1 * y0;
      right += x0 * y1;
      lower += x0 * y0;
    }
    dot += (int64_t)upper * 67108864 + (int64_t)left * 1024 + (int64_t)right * 65536 + lower;
  }
  return dot;
}
