#include "lanes.h"

#include "softmax.h"

/* Keys (or value columns) that go through the lanes at once, so that a lane vector is loaded once
   for all of them and the sums stay in registers. */
enum { TOGETHER = 4 };

void attest_lanes_load(const real *q, size_t q_row, size_t count, size_t width, real *qt) {
  /*@ loop invariant 0 <= c <= width;
      loop assigns c, qt[0 .. width * ATTEST_LANES - 1];
      loop variant width - c; */
  for (size_t c = 0; c < width; c++) {
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        loop assigns r, qt[0 .. width * ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++) {
      real x = 0;
      if (r < count) x = q[attest_row(r, q_row) /*@ ghost (count) */ + c];
      qt[c * ATTEST_LANES + r] = x;
    }
  }
}

/* One key for attest_lanes_scores. */
/*@ requires 1 <= width <= ATTEST_MAX_WIDTH;
    requires \valid_read(qt + (0 .. width * ATTEST_LANES - 1));
    requires \valid_read(k + (0 .. width - 1));
    requires \valid(s + (0 .. ATTEST_LANES - 1));
    assigns s[0 .. ATTEST_LANES - 1];
*/
static void score_one(const real *restrict qt, const real *restrict k, size_t width,
                      real *restrict s) {
  real a[ATTEST_LANES];
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, a[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) a[r] = 0;
  /*@ loop invariant 0 <= c <= width;
      loop assigns c, a[0 .. ATTEST_LANES - 1];
      loop variant width - c; */
  for (size_t c = 0; c < width; c++) {
    const real x = k[c];
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        loop assigns r, a[0 .. ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++) a[r] += qt[c * ATTEST_LANES + r] * x;
  }
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, s[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) s[r] = a[r];
}

/* TOGETHER keys, k_row apart, for attest_lanes_scores. */
/*@ requires 1 <= width <= ATTEST_MAX_WIDTH && attest_fits((TOGETHER - 1) * k_row);
    requires \valid_read(qt + (0 .. width * ATTEST_LANES - 1));
    requires \valid_read(k + (0 .. attest_extent(TOGETHER, k_row, width) - 1));
    requires \valid(s + (0 .. TOGETHER * ATTEST_LANES - 1));
    assigns s[0 .. TOGETHER * ATTEST_LANES - 1];
*/
static void score_few(const real *restrict qt, const real *restrict k, size_t k_row,
                      size_t width, real *restrict s) {
  real a[TOGETHER * ATTEST_LANES];
  /*@ loop invariant 0 <= b <= TOGETHER;
      loop assigns b, a[0 .. TOGETHER * ATTEST_LANES - 1];
      loop variant TOGETHER - b; */
  for (size_t b = 0; b < TOGETHER; b++) {
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        loop assigns r, a[0 .. TOGETHER * ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++) a[b * ATTEST_LANES + r] = 0;
  }
  /*@ loop invariant 0 <= c <= width;
      loop assigns c, a[0 .. TOGETHER * ATTEST_LANES - 1];
      loop variant width - c; */
  for (size_t c = 0; c < width; c++) {
    /*@ loop invariant 0 <= b <= TOGETHER;
        loop assigns b, a[0 .. TOGETHER * ATTEST_LANES - 1];
        loop variant TOGETHER - b; */
    for (size_t b = 0; b < TOGETHER; b++) {
      const real x = k[attest_row(b, k_row) /*@ ghost (TOGETHER) */ + c];
      /*@ loop invariant 0 <= r <= ATTEST_LANES;
          loop assigns r, a[0 .. TOGETHER * ATTEST_LANES - 1];
          loop variant ATTEST_LANES - r; */
      for (size_t r = 0; r < ATTEST_LANES; r++) a[b * ATTEST_LANES + r] += qt[c * ATTEST_LANES + r] * x;
    }
  }
  /*@ loop invariant 0 <= b <= TOGETHER;
      loop assigns b, s[0 .. TOGETHER * ATTEST_LANES - 1];
      loop variant TOGETHER - b; */
  for (size_t b = 0; b < TOGETHER; b++) {
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        loop assigns r, s[0 .. TOGETHER * ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++) s[b * ATTEST_LANES + r] = a[b * ATTEST_LANES + r];
  }
}

void attest_lanes_scores(const real *restrict qt, const real *restrict k, size_t k_row,
                         size_t keys, size_t width, real *restrict s) {
  size_t j = 0;
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, s[0 .. keys * ATTEST_LANES - 1];
      loop variant keys - j; */
  for (; keys - j >= TOGETHER; j += TOGETHER)
    score_few(qt, k + attest_rows(j, k_row) /*@ ghost (TOGETHER, keys) */, k_row, width,
              s + j * ATTEST_LANES);
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, s[0 .. keys * ATTEST_LANES - 1];
      loop variant keys - j; */
  for (; j < keys; j++)
    score_one(qt, k + attest_row(j, k_row) /*@ ghost (keys) */, width, s + j * ATTEST_LANES);
}

void attest_lanes_scale(real *s, size_t keys, real factor) {
  const size_t count = keys * ATTEST_LANES;
  /*@ loop invariant 0 <= n <= count;
      loop assigns n, s[0 .. count - 1];
      loop variant count - n; */
  for (size_t n = 0; n < count; n++) s[n] *= factor;
}

void attest_lanes_hide(real *restrict s, size_t keys, const int32_t *restrict first,
                       const int32_t *restrict last) {
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, s[0 .. keys * ATTEST_LANES - 1];
      loop variant keys - j; */
  for (size_t j = 0; j < keys; j++) {
    const int32_t at = (int32_t)j;
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        loop assigns r, s[0 .. keys * ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++) {
      const real y = s[j * ATTEST_LANES + r];
      s[j * ATTEST_LANES + r] = first[r] <= at && at < last[r] ? y : ATTEST_HIDDEN;
    }
  }
}

void attest_lanes_weights(real *restrict s, size_t keys, real *restrict exponent,
                          real *restrict sum, real *restrict factor) {
  real top[ATTEST_LANES];
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, top[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) top[r] = exponent[r];
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, top[0 .. ATTEST_LANES - 1];
      loop variant keys - j; */
  for (size_t j = 0; j < keys; j++) {
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        loop assigns r, top[0 .. ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++)
      top[r] = attest_raise(top[r], s[j * ATTEST_LANES + r]);
  }
  real total[ATTEST_LANES];
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, factor[0 .. ATTEST_LANES - 1], total[0 .. ATTEST_LANES - 1],
                   exponent[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) {
    factor[r] = attest_pow2(exponent[r] - top[r]);
    total[r] = sum[r] * factor[r];
    exponent[r] = top[r];
  }
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, total[0 .. ATTEST_LANES - 1], s[0 .. keys * ATTEST_LANES - 1];
      loop variant keys - j; */
  for (size_t j = 0; j < keys; j++) {
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        loop assigns r, total[0 .. ATTEST_LANES - 1], s[0 .. keys * ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++) {
      const real p = attest_weight(s[j * ATTEST_LANES + r], top[r]);
      s[j * ATTEST_LANES + r] = p;
      total[r] += p;
    }
  }
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, sum[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) sum[r] = total[r];
}

/* One column for attest_lanes_add. */
/*@ requires attest_tile_sizes(keys, 1) && attest_fits((keys - 1) * v_row);
    requires \valid_read(p + (0 .. keys * ATTEST_LANES - 1));
    requires \valid_read(v + (0 .. attest_extent(keys, v_row, 1) - 1));
    requires \valid(acc + (0 .. ATTEST_LANES - 1));
    requires \valid_read(factor + (0 .. ATTEST_LANES - 1));
    assigns acc[0 .. ATTEST_LANES - 1];
*/
static void add_one(const real *restrict p, const real *restrict v, size_t v_row, size_t keys,
                    real *restrict acc, const real *restrict factor) {
  real a[ATTEST_LANES];
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, a[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) a[r] = acc[r] * factor[r];
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, a[0 .. ATTEST_LANES - 1];
      loop variant keys - j; */
  for (size_t j = 0; j < keys; j++) {
    const real x = v[attest_row(j, v_row) /*@ ghost (keys) */];
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        loop assigns r, a[0 .. ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++) a[r] += p[j * ATTEST_LANES + r] * x;
  }
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, acc[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) acc[r] = a[r];
}

/* TOGETHER columns for attest_lanes_add. */
/*@ requires attest_tile_sizes(keys, TOGETHER) && attest_fits((keys - 1) * v_row);
    requires \valid_read(p + (0 .. keys * ATTEST_LANES - 1));
    requires \valid_read(v + (0 .. attest_extent(keys, v_row, TOGETHER) - 1));
    requires \valid(acc + (0 .. TOGETHER * ATTEST_LANES - 1));
    requires \valid_read(factor + (0 .. ATTEST_LANES - 1));
    assigns acc[0 .. TOGETHER * ATTEST_LANES - 1];
*/
static void add_few(const real *restrict p, const real *restrict v, size_t v_row, size_t keys,
                    real *restrict acc, const real *restrict factor) {
  real a[TOGETHER * ATTEST_LANES];
  /*@ loop invariant 0 <= b <= TOGETHER;
      loop assigns b, a[0 .. TOGETHER * ATTEST_LANES - 1];
      loop variant TOGETHER - b; */
  for (size_t b = 0; b < TOGETHER; b++) {
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        loop assigns r, a[0 .. TOGETHER * ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++) a[b * ATTEST_LANES + r] = acc[b * ATTEST_LANES + r] * factor[r];
  }
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, a[0 .. TOGETHER * ATTEST_LANES - 1];
      loop variant keys - j; */
  for (size_t j = 0; j < keys; j++) {
    const real *row = v + attest_row(j, v_row) /*@ ghost (keys) */;
    /*@ loop invariant 0 <= b <= TOGETHER;
        loop assigns b, a[0 .. TOGETHER * ATTEST_LANES - 1];
        loop variant TOGETHER - b; */
    for (size_t b = 0; b < TOGETHER; b++) {
      const real x = row[b];
      /*@ loop invariant 0 <= r <= ATTEST_LANES;
          loop assigns r, a[0 .. TOGETHER * ATTEST_LANES - 1];
          loop variant ATTEST_LANES - r; */
      for (size_t r = 0; r < ATTEST_LANES; r++) a[b * ATTEST_LANES + r] += p[j * ATTEST_LANES + r] * x;
    }
  }
  /*@ loop invariant 0 <= b <= TOGETHER;
      loop assigns b, acc[0 .. TOGETHER * ATTEST_LANES - 1];
      loop variant TOGETHER - b; */
  for (size_t b = 0; b < TOGETHER; b++) {
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        loop assigns r, acc[0 .. TOGETHER * ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++) acc[b * ATTEST_LANES + r] = a[b * ATTEST_LANES + r];
  }
}

void attest_lanes_add(const real *restrict p, const real *restrict v, size_t v_row, size_t keys,
                      size_t width, real *restrict acc, const real *restrict factor) {
  size_t c = 0;
  /*@ loop invariant 0 <= c <= width;
      loop assigns c, acc[0 .. width * ATTEST_LANES - 1];
      loop variant width - c; */
  for (; width - c >= TOGETHER; c += TOGETHER)
    add_few(p, v + c, v_row, keys, acc + c * ATTEST_LANES, factor);
  /*@ loop invariant 0 <= c <= width;
      loop assigns c, acc[0 .. width * ATTEST_LANES - 1];
      loop variant width - c; */
  for (; c < width; c++) add_one(p, v + c, v_row, keys, acc + c * ATTEST_LANES, factor);
}

void attest_lanes_add_seen(const real *restrict p, const real *restrict v, size_t v_row,
                           size_t keys, size_t width, real *restrict acc,
                           const real *restrict factor) {
  /*@ loop invariant 0 <= c <= width;
      loop assigns c, acc[0 .. width * ATTEST_LANES - 1];
      loop variant width - c; */
  for (size_t c = 0; c < width; c++) {
    real a[ATTEST_LANES];
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        loop assigns r, a[0 .. ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++) a[r] = acc[c * ATTEST_LANES + r] * factor[r];
    /*@ loop invariant 0 <= j <= keys;
        loop assigns j, a[0 .. ATTEST_LANES - 1];
        loop variant keys - j; */
    for (size_t j = 0; j < keys; j++) {
      const real x = v[attest_row(j, v_row) /*@ ghost (keys) */ + c];
      /*@ loop invariant 0 <= r <= ATTEST_LANES;
          loop assigns r, a[0 .. ATTEST_LANES - 1];
          loop variant ATTEST_LANES - r; */
      for (size_t r = 0; r < ATTEST_LANES; r++) {
        const real weight = p[j * ATTEST_LANES + r];
        const real more = a[r] + weight * x;
        a[r] = weight == 0 ? a[r] : more;
      }
    }
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        loop assigns r, acc[0 .. width * ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++) acc[c * ATTEST_LANES + r] = a[r];
  }
}
