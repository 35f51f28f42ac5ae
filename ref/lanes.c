#include "lanes.h"

#include "finish.h"
#include "softmax.h"

/* Lanes that are worked on at once, and the keys (in scores) or value columns (in sums) that go
   through them together, so that a lane vector is loaded once for all of those and their sums stay
   in registers. Any sizes give the same bits; these are the fastest measured (tests/bench). With
   the lane loop outside a short loop of fixed length, compilers unroll the inner one and make
   vectors of the outer one. */
#if defined(__AVX512F__)
enum { VECTOR = 64 };
#elif defined(__AVX__)
enum { VECTOR = 32 };
#else
enum { VECTOR = 16 };
#endif
#if defined(__AVX512F__)
enum { GROUP = VECTOR / sizeof(real), KEYS = 8, COLUMNS = 16 };
#elif defined(__clang__)
enum { GROUP = 2 * VECTOR / sizeof(real), KEYS = 4, COLUMNS = 4 };
#else
enum { GROUP = VECTOR / sizeof(real), KEYS = 12, COLUMNS = 12 };
#endif

/* Keys of a tile that some lane of a group can see: up to the last of them. */
/*@ requires \valid_read(last + (0 .. GROUP - 1));
    assigns \nothing;
    ensures 0 <= \result <= keys;
*/
static size_t group_keys(const int32_t *last, size_t keys) {
  int32_t top = 0;
  /*@ loop invariant 0 <= r <= GROUP;
      loop invariant 0 <= top;
      loop assigns r, top;
      loop variant GROUP - r; */
  for (size_t r = 0; r < GROUP; r++) top = last[r] > top ? last[r] : top;
  return (size_t)top < keys ? (size_t)top : keys;
}

void attest_lanes_load(const real *q, size_t q_row, size_t count, size_t width, real *qt) {
  /*@ loop invariant 0 <= r <= count;
      loop assigns r, qt[0 .. width * ATTEST_LANES - 1];
      loop variant count - r; */
  for (size_t r = 0; r < count; r++) {
    const real *row = q + attest_row(r, q_row) /*@ ghost (count) */;
    /*@ loop invariant 0 <= c <= width;
        loop assigns c, qt[0 .. width * ATTEST_LANES - 1];
        loop variant width - c; */
    for (size_t c = 0; c < width; c++) qt[c * ATTEST_LANES + r] = row[c];
  }
  /*@ loop invariant count <= r <= ATTEST_LANES;
      loop assigns r, qt[0 .. width * ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = count; r < ATTEST_LANES; r++) {
    /*@ loop invariant 0 <= c <= width;
        loop assigns c, qt[0 .. width * ATTEST_LANES - 1];
        loop variant width - c; */
    for (size_t c = 0; c < width; c++) qt[c * ATTEST_LANES + r] = 0;
  }
}

/* One key for attest_lanes_scores, every lane. */
/*@ requires 1 <= width <= ATTEST_MAX_WIDTH;
    requires \valid_read(qt + (0 .. width * ATTEST_LANES - 1));
    requires \valid_read(k + (0 .. width - 1));
    requires \valid(s + (0 .. ATTEST_LANES - 1));
    assigns s[0 .. ATTEST_LANES - 1];
*/
static void score_one(const real *restrict qt, const real *restrict k, size_t width, real factor,
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
  for (size_t r = 0; r < ATTEST_LANES; r++) s[r] = factor * a[r];
}

/* KEYS keys, k_row apart, for attest_lanes_scores, one group of lanes. */
/*@ requires 1 <= width <= ATTEST_MAX_WIDTH && attest_fits((KEYS - 1) * k_row);
    requires \valid_read(qt + (0 .. attest_extent(width, ATTEST_LANES, GROUP) - 1));
    requires \valid_read(k + (0 .. attest_extent(KEYS, k_row, width) - 1));
    requires \valid(s + (0 .. attest_extent(KEYS, ATTEST_LANES, GROUP) - 1));
    assigns s[0 .. attest_extent(KEYS, ATTEST_LANES, GROUP) - 1];
*/
static void score_few(const real *restrict qt, const real *restrict k, size_t k_row, size_t width,
                      real factor, real *restrict s) {
  real a[KEYS * GROUP];
  /*@ loop invariant 0 <= r <= GROUP;
      loop assigns r, a[0 .. KEYS * GROUP - 1];
      loop variant GROUP - r; */
  for (size_t r = 0; r < GROUP; r++) {
    /*@ loop invariant 0 <= b <= KEYS;
        loop assigns b, a[0 .. KEYS * GROUP - 1];
        loop variant KEYS - b; */
    for (size_t b = 0; b < KEYS; b++) a[b * GROUP + r] = 0;
  }
  /*@ loop invariant 0 <= c <= width;
      loop assigns c, a[0 .. KEYS * GROUP - 1];
      loop variant width - c; */
  for (size_t c = 0; c < width; c++) {
    /*@ loop invariant 0 <= r <= GROUP;
        loop assigns r, a[0 .. KEYS * GROUP - 1];
        loop variant GROUP - r; */
    for (size_t r = 0; r < GROUP; r++) {
      const real q = qt[c * ATTEST_LANES + r];
      /*@ loop invariant 0 <= b <= KEYS;
          loop assigns b, a[0 .. KEYS * GROUP - 1];
          loop variant KEYS - b; */
      for (size_t b = 0; b < KEYS; b++)
        a[b * GROUP + r] += q * k[attest_row(b, k_row) /*@ ghost (KEYS) */ + c];
    }
  }
  /*@ loop invariant 0 <= r <= GROUP;
      loop assigns r, s[0 .. attest_extent(KEYS, ATTEST_LANES, GROUP) - 1];
      loop variant GROUP - r; */
  for (size_t r = 0; r < GROUP; r++) {
    /*@ loop invariant 0 <= b <= KEYS;
        loop assigns b, s[0 .. attest_extent(KEYS, ATTEST_LANES, GROUP) - 1];
        loop variant KEYS - b; */
    for (size_t b = 0; b < KEYS; b++) s[b * ATTEST_LANES + r] = factor * a[b * GROUP + r];
  }
}

void attest_lanes_scores(const real *restrict qt, const real *restrict k, size_t k_row,
                         size_t keys, size_t width, real factor, const int32_t *restrict last,
                         real *restrict s) {
  size_t j = 0;
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, s[0 .. keys * ATTEST_LANES - 1];
      loop variant keys - j; */
  for (; keys - j >= KEYS; j += KEYS) {
    const real *few = k + attest_rows(j, k_row) /*@ ghost (KEYS, keys) */;
    /*@ loop invariant 0 <= g <= ATTEST_LANES && g % GROUP == 0;
        loop assigns g, s[0 .. keys * ATTEST_LANES - 1];
        loop variant ATTEST_LANES - g; */
    for (size_t g = 0; g < ATTEST_LANES; g += GROUP) {
      if (j < group_keys(last + g, keys))
        score_few(qt + g, few, k_row, width, factor, s + (j * ATTEST_LANES + g));
    }
  }
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, s[0 .. keys * ATTEST_LANES - 1];
      loop variant keys - j; */
  for (; j < keys; j++)
    score_one(qt, k + attest_row(j, k_row) /*@ ghost (keys) */, width, factor,
              s + j * ATTEST_LANES);
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

/* Scores to weights for one group of lanes. top: the largest score of the tile in each lane. */
/*@ requires 1 <= keys <= ATTEST_MAX_TILE;
    requires \valid(s + (0 .. attest_extent(keys, ATTEST_LANES, GROUP) - 1));
    requires \valid_read(top + (0 .. GROUP - 1));
    requires \valid(exponent + (0 .. GROUP - 1));
    requires \valid(sum + (0 .. GROUP - 1));
    requires \valid(factor + (0 .. GROUP - 1));
    assigns s[0 .. attest_extent(keys, ATTEST_LANES, GROUP) - 1], exponent[0 .. GROUP - 1],
            sum[0 .. GROUP - 1], factor[0 .. GROUP - 1];
*/
static void weigh_group(real *restrict s, size_t keys, const real *restrict top,
                        real *restrict exponent, real *restrict sum, real *restrict factor) {
  real against[GROUP], total[GROUP];
  /*@ loop invariant 0 <= r <= GROUP;
      loop assigns r, factor[0 .. GROUP - 1], total[0 .. GROUP - 1], against[0 .. GROUP - 1],
                   exponent[0 .. GROUP - 1];
      loop variant GROUP - r; */
  for (size_t r = 0; r < GROUP; r++) {
    const real raised = attest_raise(exponent[r], top[r]); /* rounding keeps the order of scores */
    factor[r] = attest_pow2(exponent[r] - raised);
    total[r] = sum[r] * factor[r];
    against[r] = raised;
    exponent[r] = raised;
  }
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, total[0 .. GROUP - 1],
                   s[0 .. attest_extent(keys, ATTEST_LANES, GROUP) - 1];
      loop variant keys - j; */
  for (size_t j = 0; j < keys; j++) {
    /*@ loop invariant 0 <= r <= GROUP;
        loop assigns r, total[0 .. GROUP - 1],
                     s[0 .. attest_extent(keys, ATTEST_LANES, GROUP) - 1];
        loop variant GROUP - r; */
    for (size_t r = 0; r < GROUP; r++) {
      const real p = attest_weight(s[j * ATTEST_LANES + r], against[r]);
      s[j * ATTEST_LANES + r] = p;
      total[r] += p;
    }
  }
  /*@ loop invariant 0 <= r <= GROUP;
      loop assigns r, sum[0 .. GROUP - 1];
      loop variant GROUP - r; */
  for (size_t r = 0; r < GROUP; r++) sum[r] = total[r];
}

void attest_lanes_weights(real *restrict s, size_t keys, real *restrict exponent,
                          real *restrict sum, real *restrict factor) {
  real top[ATTEST_LANES];
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, top[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) top[r] = ATTEST_HIDDEN;
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, top[0 .. ATTEST_LANES - 1];
      loop variant keys - j; */
  for (size_t j = 0; j < keys; j++) {
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        loop assigns r, top[0 .. ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++) {
      const real y = s[j * ATTEST_LANES + r];
      top[r] = y > top[r] ? y : top[r];
    }
  }
  /*@ loop invariant 0 <= g <= ATTEST_LANES && g % GROUP == 0;
      loop assigns g, s[0 .. keys * ATTEST_LANES - 1], exponent[0 .. ATTEST_LANES - 1],
                   sum[0 .. ATTEST_LANES - 1], factor[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - g; */
  for (size_t g = 0; g < ATTEST_LANES; g += GROUP)
    weigh_group(s + g, keys, top + g, exponent + g, sum + g, factor + g);
}

/* One column for attest_lanes_add, every lane. */
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

/* COLUMNS columns for attest_lanes_add, one group of lanes. */
/*@ requires attest_tile_sizes(keys, COLUMNS) && attest_fits((keys - 1) * v_row);
    requires \valid_read(p + (0 .. attest_extent(keys, ATTEST_LANES, GROUP) - 1));
    requires \valid_read(v + (0 .. attest_extent(keys, v_row, COLUMNS) - 1));
    requires \valid(acc + (0 .. attest_extent(COLUMNS, ATTEST_LANES, GROUP) - 1));
    requires \valid_read(factor + (0 .. GROUP - 1));
    assigns acc[0 .. attest_extent(COLUMNS, ATTEST_LANES, GROUP) - 1];
*/
static void add_few(const real *restrict p, const real *restrict v, size_t v_row, size_t keys,
                    real *restrict acc, const real *restrict factor) {
  real a[COLUMNS * GROUP];
  /*@ loop invariant 0 <= r <= GROUP;
      loop assigns r, a[0 .. COLUMNS * GROUP - 1];
      loop variant GROUP - r; */
  for (size_t r = 0; r < GROUP; r++) {
    /*@ loop invariant 0 <= b <= COLUMNS;
        loop assigns b, a[0 .. COLUMNS * GROUP - 1];
        loop variant COLUMNS - b; */
    for (size_t b = 0; b < COLUMNS; b++)
      a[b * GROUP + r] = acc[b * ATTEST_LANES + r] * factor[r];
  }
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, a[0 .. COLUMNS * GROUP - 1];
      loop variant keys - j; */
  for (size_t j = 0; j < keys; j++) {
    const real *row = v + attest_row(j, v_row) /*@ ghost (keys) */;
    /*@ loop invariant 0 <= r <= GROUP;
        loop assigns r, a[0 .. COLUMNS * GROUP - 1];
        loop variant GROUP - r; */
    for (size_t r = 0; r < GROUP; r++) {
      const real weight = p[j * ATTEST_LANES + r];
      /*@ loop invariant 0 <= b <= COLUMNS;
          loop assigns b, a[0 .. COLUMNS * GROUP - 1];
          loop variant COLUMNS - b; */
      for (size_t b = 0; b < COLUMNS; b++) a[b * GROUP + r] += weight * row[b];
    }
  }
  /*@ loop invariant 0 <= r <= GROUP;
      loop assigns r, acc[0 .. attest_extent(COLUMNS, ATTEST_LANES, GROUP) - 1];
      loop variant GROUP - r; */
  for (size_t r = 0; r < GROUP; r++) {
    /*@ loop invariant 0 <= b <= COLUMNS;
        loop assigns b, acc[0 .. attest_extent(COLUMNS, ATTEST_LANES, GROUP) - 1];
        loop variant COLUMNS - b; */
    for (size_t b = 0; b < COLUMNS; b++) acc[b * ATTEST_LANES + r] = a[b * GROUP + r];
  }
}

void attest_lanes_add(const real *restrict p, const real *restrict v, size_t v_row, size_t keys,
                      size_t width, real *restrict acc, const real *restrict factor,
                      const int32_t *restrict last) {
  const size_t blocks = width - width % COLUMNS;
  /*@ loop invariant 0 <= g <= ATTEST_LANES && g % GROUP == 0;
      loop assigns g, acc[0 .. width * ATTEST_LANES - 1];
      loop variant ATTEST_LANES - g; */
  for (size_t g = 0; g < ATTEST_LANES; g += GROUP) {
    const size_t end = group_keys(last + g, keys);
    if (end == 0) continue; /* these lanes see nothing: factor is 1 */
    /*@ loop invariant 0 <= c <= blocks && c % COLUMNS == 0;
        loop assigns c, acc[0 .. width * ATTEST_LANES - 1];
        loop variant width - c; */
    for (size_t c = 0; c < blocks; c += COLUMNS)
      add_few(p + g, v + c, v_row, end, acc + (c * ATTEST_LANES + g), factor + g);
  }
  /*@ loop invariant blocks <= c <= width;
      loop assigns c, acc[0 .. width * ATTEST_LANES - 1];
      loop variant width - c; */
  for (size_t c = blocks; c < width; c++)
    add_one(p, v + c, v_row, keys, acc + c * ATTEST_LANES, factor);
}

/* One column for attest_lanes_add_seen, every lane. */
/*@ requires attest_tile_sizes(keys, 1) && attest_fits((keys - 1) * v_row);
    requires \valid_read(p + (0 .. keys * ATTEST_LANES - 1));
    requires \valid_read(v + (0 .. attest_extent(keys, v_row, 1) - 1));
    requires \valid(acc + (0 .. ATTEST_LANES - 1));
    requires \valid_read(factor + (0 .. ATTEST_LANES - 1));
    assigns acc[0 .. ATTEST_LANES - 1];
*/
static void add_seen_one(const real *restrict p, const real *restrict v, size_t v_row, size_t keys,
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
    for (size_t r = 0; r < ATTEST_LANES; r++) {
      const real weight = p[j * ATTEST_LANES + r];
      const real more = a[r] + weight * x;
      a[r] = weight < 0 ? a[r] : more;
    }
  }
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, acc[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) acc[r] = a[r];
}

void attest_lanes_add_seen(const real *restrict p, const real *restrict v, size_t v_row,
                           size_t keys, size_t width, real *restrict acc,
                           const real *restrict factor) {
  /*@ loop invariant 0 <= c <= width;
      loop assigns c, acc[0 .. width * ATTEST_LANES - 1];
      loop variant width - c; */
  for (size_t c = 0; c < width; c++)
    add_seen_one(p, v + c, v_row, keys, acc + c * ATTEST_LANES, factor);
}

int attest_lanes_finite(const real *v, size_t v_row, size_t keys, size_t width) {
  int wild = 0;
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, wild;
      loop variant keys - j; */
  for (size_t j = 0; j < keys; j++) {
    const real *row = v + attest_row(j, v_row) /*@ ghost (keys) */;
    /*@ loop invariant 0 <= c <= width;
        loop assigns c, wild;
        loop variant width - c; */
    for (size_t c = 0; c < width; c++) wild |= row[c] - row[c] != 0;
  }
  return !wild;
}

void attest_lanes_divide(real *restrict acc, size_t width, const real *restrict sum,
                         const int *restrict seen) {
  /*@ loop invariant 0 <= c <= width;
      loop assigns c, acc[0 .. width * ATTEST_LANES - 1];
      loop variant width - c; */
  for (size_t c = 0; c < width; c++) {
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        loop assigns r, acc[0 .. width * ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++)
      acc[c * ATTEST_LANES + r] = attest_output(acc[c * ATTEST_LANES + r], sum[r], seen[r]);
  }
}
