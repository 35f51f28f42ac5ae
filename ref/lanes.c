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
#if defined(__AVX512BF16__) && defined(__AVX512VBMI2__) && !defined(__AVX512FP16__) && \
    !defined(__AVX512VP2INTERSECT__)
/* Zen 4, where to spread a number over a register of 512 bits costs as much as half an addition, and
   nothing as the operand of a multiplication: each is used once. */
#if defined(__clang__)
enum { GROUP = VECTOR / sizeof(real), KEYS = 8, COLUMNS = 8 };
#else
enum { GROUP = VECTOR / sizeof(real), KEYS = 8, COLUMNS = 16 };
#endif
#elif defined(__AVX512F__)
enum { GROUP = 2 * VECTOR / sizeof(real), KEYS = 8, COLUMNS = 8 };
#elif defined(__clang__)
enum { GROUP = 2 * VECTOR / sizeof(real), KEYS = 4, COLUMNS = 4 };
#else
enum { GROUP = VECTOR / sizeof(real), KEYS = 12, COLUMNS = 12 };
#endif

/* clang keeps the sums of a kernel in registers from beginning to end only where it unrolls the lane
   loops in full before it makes vectors. Where it unrolls the loop around those, it computes each
   address from the one before, and the sums wait. ACROSS rows and DOWN columns are transposed at once. */
#if defined(__clang__) && defined(__AVX512F__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#define ROLLED _Pragma("clang loop unroll(disable)")
enum { ACROSS = 4, DOWN = 16 };
#else
#define UNROLLED
#define ROLLED
enum { ACROSS = 8, DOWN = 16 };
#endif

enum { WIDE = 2 * VECTOR / sizeof(real) };

enum { SOFT = ATTEST_SOFT };

/* One step of a sum, and its only product: two roundings. */
/*@ assigns \nothing;
    ATTEST_EXACTLY(ensures \result == sum + attest_times(x, y);)
*/
static inline real plus_product(real sum, real x, real y) {
  //@ ghost ATTEST_EXACTLY(attest_named_product(x, y));
  return sum + x * y;
}

/*@ assigns \nothing;
    ATTEST_EXACTLY(ensures \result == attest_times(x, y);)
*/
static inline real product(real x, real y) {
  //@ ghost ATTEST_EXACTLY(attest_named_product(x, y));
  return x * y;
}

/* *at := x, for the proof: element (t, r) of a tile, and nothing else of it. */
/*@ requires \valid(at);
    ATTEST_EXACTLY(requires at == tile + (t * ATTEST_LANES + r) && r < ATTEST_LANES;)
    assigns *at;
    ATTEST_EXACTLY(
      ensures attest_at(tile, t, r) == x;
      ensures \forall integer m, n; 0 <= n < ATTEST_LANES && !(m == t && n == r) ==>
        attest_at(tile, m, n) == \old(attest_at(tile, m, n));)
*/
static inline void put(real *at, real x) /*@ ghost (real *tile, size_t t, size_t r) */ { *at = x; }

/* Keys of a tile that some of the lanes can see: up to the last of them. */
/*@ requires \valid_read(last + (0 .. lanes - 1));
    ATTEST_EXACTLY(requires last == every + g;)
    assigns \nothing;
    ensures 0 <= \result <= keys;
    ATTEST_EXACTLY(ensures reach: \forall integer t; 0 <= t < keys ==>
      (t < \result <==> attest_reached(last, lanes, t));
    ensures top: \result == 0 || \exists integer r; g <= r < g + lanes && \result <= every[r];
    ensures all: \forall integer r; g <= r < g + lanes ==> every[r] <= \result || \result == keys;)
*/
static size_t group_keys(const int32_t *last, size_t lanes, size_t keys)
/*@ ghost (const int32_t *every, size_t g) */ {
  int32_t top = 0;
  /*@ loop invariant 0 <= r <= lanes;
      loop invariant 0 <= top;
      ATTEST_EXACTLY(loop invariant \forall integer t; 0 <= t ==>
        (t < top <==> attest_reached(last, r, t));
      loop invariant \forall integer n; g <= n < g + r ==> every[n] <= top;
      loop invariant top == 0 || \exists integer n; g <= n < g + r && top <= every[n];)
      loop assigns r, top;
      loop variant lanes - r; */
  for (size_t r = 0; r < lanes; r++) {
    //@ ghost ATTEST_EXACTLY(attest_reached_next(last, r));
    top = last[r] > top ? last[r] : top;
  }
  return (size_t)top < keys ? (size_t)top : keys;
}

/* group_keys of every group. */
/*@ requires \valid_read(last + (0 .. ATTEST_LANES - 1));
    requires \valid(ends + (0 .. ATTEST_LANES / GROUP - 1));
    assigns ends[0 .. ATTEST_LANES / GROUP - 1];
    ATTEST_EXACTLY(ensures \forall integer r; 0 <= r < ATTEST_LANES ==>
      last[r] <= ends[r / GROUP] || ends[r / GROUP] == keys;)
*/
static void group_ends(const int32_t *restrict last, size_t keys, size_t *restrict ends) {
  /*@ loop invariant 0 <= i <= ATTEST_LANES / GROUP;
      ATTEST_EXACTLY(loop invariant \forall integer r; 0 <= r < i * GROUP ==>
        last[r] <= ends[r / GROUP] || ends[r / GROUP] == keys;)
      loop assigns i, ends[0 .. ATTEST_LANES / GROUP - 1];
      loop variant ATTEST_LANES / GROUP - i; */
  for (size_t i = 0; i < ATTEST_LANES / GROUP; i++) {
    ends[i] = group_keys(last + i * GROUP, GROUP, keys) /*@ ghost (last, i * GROUP) */;
    /*@ ghost ATTEST_EXACTLY(/@ assert \forall integer r; i * GROUP <= r < (i + 1) * GROUP ==>
          r / GROUP == i && (last[r] <= ends[i] || ends[i] == keys); @/); */
  }
}

/* dst[c * dst_row + b] = src[b * src_row + c] for ACROSS rows b and DOWN columns c. The rows are first
   interleaved, which compilers do with shuffles, and then written in pieces of ACROSS. */
/*@ requires attest_fits((ACROSS - 1) * src_row) && attest_fits((DOWN - 1) * dst_row);
    requires \valid_read(src + (0 .. attest_extent(ACROSS, src_row, DOWN) - 1));
    requires \valid(dst + (0 .. attest_extent(DOWN, dst_row, ACROSS) - 1));
    assigns dst[0 .. attest_extent(DOWN, dst_row, ACROSS) - 1];
*/
static void turn(const real *restrict src, size_t src_row, real *restrict dst, size_t dst_row) {
  real t[ACROSS * DOWN];
  /*@ loop invariant 0 <= c <= DOWN;
      loop assigns c, t[0 .. ACROSS * DOWN - 1];
      loop variant DOWN - c; */
  for (size_t c = 0; c < DOWN; c++) {
    /*@ loop invariant 0 <= b <= ACROSS;
        loop assigns b, t[0 .. ACROSS * DOWN - 1];
        loop variant ACROSS - b; */
    for (size_t b = 0; b < ACROSS; b++)
      t[c * ACROSS + b] = src[attest_row(b, src_row) /*@ ghost (ACROSS) */ + c];
  }
  /*@ loop invariant 0 <= c <= DOWN;
      loop assigns c, dst[0 .. attest_extent(DOWN, dst_row, ACROSS) - 1];
      loop variant DOWN - c; */
  for (size_t c = 0; c < DOWN; c++) {
    real *to = dst + attest_row(c, dst_row) /*@ ghost (DOWN) */;
    /*@ loop invariant 0 <= b <= ACROSS;
        loop assigns b, to[0 .. ACROSS - 1];
        loop variant ACROSS - b; */
    for (size_t b = 0; b < ACROSS; b++) to[b] = t[c * ACROSS + b];
  }
}

/* Columns from .. width - 1 of a query row into its lane. */
/*@ requires from <= width <= ATTEST_MAX_WIDTH;
    requires \valid_read(row + (0 .. width - 1));
    requires \valid(qt + (0 .. (width - 1) * ATTEST_LANES));
    assigns qt[0 .. (width - 1) * ATTEST_LANES];
*/
static void load_row(const real *row, size_t from, size_t width, real *qt) {
  /*@ loop invariant from <= c <= width;
      loop assigns c, qt[0 .. (width - 1) * ATTEST_LANES];
      loop variant width - c; */
  for (size_t c = from; c < width; c++) qt[c * ATTEST_LANES] = row[c];
}

void attest_lanes_load(const real *q, size_t q_row, size_t count, size_t width, real *qt) {
  const size_t blocks = count - count % ACROSS, columns = width - width % DOWN;
  /*@ loop invariant 0 <= r <= blocks && r % ACROSS == 0;
      loop assigns r, qt[0 .. width * ATTEST_LANES - 1];
      loop variant blocks - r; */
  for (size_t r = 0; r < blocks; r += ACROSS) {
    const real *rows = q + attest_rows(r, q_row) /*@ ghost (ACROSS, count) */;
    /*@ loop invariant 0 <= c <= columns && c % DOWN == 0;
        loop assigns c, qt[0 .. width * ATTEST_LANES - 1];
        loop variant columns - c; */
    for (size_t c = 0; c < columns; c += DOWN)
      turn(rows + c, q_row, qt + (c * ATTEST_LANES + r), ATTEST_LANES);
  }
  /*@ loop invariant 0 <= r <= count;
      loop assigns r, qt[0 .. width * ATTEST_LANES - 1];
      loop variant count - r; */
  for (size_t r = 0; r < count; r++)
    load_row(q + attest_row(r, q_row) /*@ ghost (count) */, r < blocks ? columns : 0, width, qt + r);
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

/* Columns from .. width - 1 of an output row out of its lane. */
/*@ requires from <= width <= ATTEST_MAX_WIDTH;
    requires \valid_read(acc + (0 .. (width - 1) * ATTEST_LANES));
    requires \valid(row + (0 .. width - 1));
    assigns row[0 .. width - 1];
*/
static void store_row(const real *acc, size_t from, size_t width, real *row) {
  /*@ loop invariant from <= c <= width;
      loop assigns c, row[0 .. width - 1];
      loop variant width - c; */
  for (size_t c = from; c < width; c++) row[c] = acc[c * ATTEST_LANES];
}

void attest_lanes_store(const real *acc, size_t count, size_t width, real *out, size_t out_row) {
  const size_t blocks = count - count % DOWN, columns = width - width % ACROSS;
  /*@ loop invariant 0 <= r <= blocks && r % DOWN == 0;
      loop assigns r, out[0 .. attest_extent(count, out_row, width) - 1];
      loop variant blocks - r; */
  for (size_t r = 0; r < blocks; r += DOWN) {
    real *rows = out + attest_rows(r, out_row) /*@ ghost (DOWN, count) */;
    /*@ loop invariant 0 <= c <= columns && c % ACROSS == 0;
        loop assigns c, out[0 .. attest_extent(count, out_row, width) - 1];
        loop variant columns - c; */
    for (size_t c = 0; c < columns; c += ACROSS)
      turn(acc + (c * ATTEST_LANES + r), ATTEST_LANES, rows + c, out_row);
  }
  /*@ loop invariant 0 <= r <= count;
      loop assigns r, out[0 .. attest_extent(count, out_row, width) - 1];
      loop variant count - r; */
  for (size_t r = 0; r < count; r++)
    store_row(acc + r, r < blocks ? columns : 0, width,
              out + attest_row(r, out_row) /*@ ghost (count) */);
}

/* Asks for the share of one group of lanes of rows j .. j + KEYS - 1 of ahead. */
/*@ requires attest_ahead_ok(ahead) && g + GROUP <= ATTEST_LANES && j <= ATTEST_MAX_TILE;
    assigns \nothing;
*/
static void ask_share(const attest_ahead ahead, size_t j, size_t g) {
  const size_t end = j + KEYS * (g + GROUP) / ATTEST_LANES;
  /*@ loop invariant 0 <= n <= j + KEYS;
      loop assigns n;
      loop variant end - n; */
  for (size_t n = j + KEYS * g / ATTEST_LANES; n < end; n++) attest_ask(ahead, n);
}

/* One key for attest_lanes_scores, every lane. */
/*@ requires 1 <= width <= ATTEST_MAX_WIDTH;
    requires \valid_read(qt + (0 .. width * ATTEST_LANES - 1));
    requires \valid_read(k + (0 .. width - 1));
    requires \valid(s + (0 .. ATTEST_LANES - 1));
    assigns s[0 .. ATTEST_LANES - 1];
    ATTEST_EXACTLY(behavior numbers:
      assumes attest_lanes_queries(qt, width, i, count) && count <= ATTEST_LANES;
      assumes attest_key_held(k, width, i, count, j, t);
      ensures score: \forall integer r; 0 <= r < count && attest_lane_sees(i, r, j, t) ==>
        s[r] == attest_times(factor, attest_lane_dot(i, r, j, t, width));)
*/
static void score_one(const real *restrict qt, const real *restrict k, size_t width, real factor,
                      real *restrict s) /*@ ghost (size_t i, size_t count, size_t j, size_t t) */ {
  real a[ATTEST_LANES];
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      ATTEST_EXACTLY(loop invariant \forall integer n; 0 <= n < r ==> attest_zero(a[n]);)
      loop assigns r, a[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) a[r] = 0;
  //@ ghost ATTEST_EXACTLY(attest_lane_dot_next(i, j, 0));
  /*@ loop invariant 0 <= c <= width;
      ATTEST_EXACTLY(for numbers: loop invariant \forall integer r;
        0 <= r < count && attest_lane_sees(i, r, j, t) ==>
          a[r] == attest_lane_dot(i, r, j, t, c);)
      loop assigns c, a[0 .. ATTEST_LANES - 1];
      loop variant width - c; */
  for (size_t c = 0; c < width; c++) {
    const real x = k[c];
    //@ ghost ATTEST_EXACTLY(attest_lane_dot_next(i, j, c));
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        ATTEST_EXACTLY(
          for numbers: loop invariant \forall integer n; 0 <= n < r && n < count &&
            attest_lane_sees(i, n, j, t) ==> a[n] == attest_lane_dot(i, n, j, t, c + 1);
          for numbers: loop invariant \forall integer n; r <= n < count &&
            attest_lane_sees(i, n, j, t) ==> a[n] == attest_lane_dot(i, n, j, t, c);)
        loop assigns r, a[0 .. ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++) {
      /*@ ghost ATTEST_EXACTLY(/@ for numbers: assert query: r < count ==>
            attest_at(qt, c, r) == attest_lane_q(i, r, c); @/); */
      a[r] = plus_product(a[r], qt[c * ATTEST_LANES + r], x);
    }
  }
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      ATTEST_EXACTLY(for numbers: loop invariant \forall integer n; 0 <= n < r && n < count &&
        attest_lane_sees(i, n, j, t) ==>
          s[n] == attest_times(factor, attest_lane_dot(i, n, j, t, width));)
      loop assigns r, s[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) s[r] = product(factor, a[r]);
}

/* KEYS keys, k_row apart, for attest_lanes_scores, one group of lanes. */
/*@ requires 1 <= width <= ATTEST_MAX_WIDTH && attest_fits((KEYS - 1) * k_row);
    requires \valid_read(qt + (0 .. attest_extent(width, ATTEST_LANES, GROUP) - 1));
    requires \valid_read(k + (0 .. attest_extent(KEYS, k_row, width) - 1));
    requires \valid(s + (0 .. attest_extent(KEYS, ATTEST_LANES, GROUP) - 1));
    ATTEST_EXACTLY(requires qt == queries + g && s == all + (first * ATTEST_LANES + g);
                   requires i <= ATTEST_MAX_KEYS && j <= ATTEST_MAX_KEYS;)
    requires g + GROUP <= ATTEST_LANES && first <= ATTEST_MAX_TILE;
    assigns s[0 .. attest_extent(KEYS, ATTEST_LANES, GROUP) - 1];
    ATTEST_EXACTLY(
      ensures others: \forall integer t, r; 0 <= t && 0 <= r < ATTEST_LANES &&
        !(first <= t < first + KEYS && g <= r < g + GROUP) ==>
          attest_at(all, t, r) == \old(attest_at(all, t, r));
      behavior numbers:
        assumes attest_lanes_queries(queries, width, i, count) && count <= ATTEST_LANES;
        assumes attest_keys_held(k, k_row, first, KEYS, width, i, count, j);
        ensures scores: \forall integer t, r; first <= t < first + KEYS && g <= r < g + GROUP &&
          r < count && attest_lane_sees(i, r, j, t) ==>
            attest_at(all, t, r) == attest_times(factor, attest_lane_dot(i, r, j, t, width));)
*/
static void score_few(const real *restrict qt, const real *restrict k, size_t k_row, size_t width,
                      real factor, real *restrict s)
/*@ ghost (const real *queries, real *all, size_t first, size_t g, size_t i, size_t count,
           size_t j) */ {
  real a[KEYS * GROUP];
  /*@ loop invariant 0 <= r <= GROUP;
      ATTEST_EXACTLY(loop invariant \forall integer n; 0 <= n < KEYS * GROUP && n % GROUP < r ==>
        attest_zero(a[n]);)
      loop assigns r, a[0 .. KEYS * GROUP - 1];
      loop variant GROUP - r; */
  UNROLLED
  for (size_t r = 0; r < GROUP; r++) {
    /*@ loop invariant 0 <= b <= KEYS;
        ATTEST_EXACTLY(loop invariant \forall integer n; 0 <= n < KEYS * GROUP &&
          (n % GROUP < r || n % GROUP == r && n / GROUP < b) ==> attest_zero(a[n]);)
        loop assigns b, a[0 .. KEYS * GROUP - 1];
        loop variant KEYS - b; */
    for (size_t b = 0; b < KEYS; b++) a[b * GROUP + r] = 0;
  }
  //@ ghost ATTEST_EXACTLY(attest_lane_dot_next(i + g, j + first, 0));
  /*@ loop invariant 0 <= c <= width;
      ATTEST_EXACTLY(for numbers: loop invariant \forall integer b, r; 0 <= b < KEYS &&
        0 <= r < GROUP && r < count - g && attest_lane_sees(i + g, r, j + first, b) ==>
          a[b * GROUP + r] == attest_lane_dot(i + g, r, j + first, b, c);)
      loop assigns c, a[0 .. KEYS * GROUP - 1];
      loop variant width - c; */
  ROLLED
  for (size_t c = 0; c < width; c++) {
    //@ ghost ATTEST_EXACTLY(attest_lane_dot_next(i + g, j + first, c));
    /*@ loop invariant 0 <= r <= GROUP;
        ATTEST_EXACTLY(
          for numbers: loop invariant \forall integer b, n; 0 <= b < KEYS && 0 <= n < r &&
            n < count - g && attest_lane_sees(i + g, n, j + first, b) ==>
              a[b * GROUP + n] == attest_lane_dot(i + g, n, j + first, b, c + 1);
          for numbers: loop invariant \forall integer b, n; 0 <= b < KEYS && r <= n < GROUP &&
            n < count - g && attest_lane_sees(i + g, n, j + first, b) ==>
              a[b * GROUP + n] == attest_lane_dot(i + g, n, j + first, b, c);)
        loop assigns r, a[0 .. KEYS * GROUP - 1];
        loop variant GROUP - r; */
    UNROLLED
    for (size_t r = 0; r < GROUP; r++) {
      const real q = qt[c * ATTEST_LANES + r];
      /*@ ghost ATTEST_EXACTLY(
            /@ for numbers: assert at: q == attest_at(queries, c, g + r); @/
            /@ for numbers: assert query: r < count - g ==> q == attest_lane_q(i + g, r, c); @/); */
      /*@ loop invariant 0 <= b <= KEYS;
          ATTEST_EXACTLY(
            for numbers: loop invariant \forall integer m, n; 0 <= m < KEYS && 0 <= n < GROUP &&
              n * KEYS + m < r * KEYS + b && n < count - g &&
              attest_lane_sees(i + g, n, j + first, m) ==>
                a[m * GROUP + n] == attest_lane_dot(i + g, n, j + first, m, c + 1);
            for numbers: loop invariant \forall integer m, n; 0 <= m < KEYS && 0 <= n < GROUP &&
              r * KEYS + b <= n * KEYS + m && n < count - g &&
              attest_lane_sees(i + g, n, j + first, m) ==>
                a[m * GROUP + n] == attest_lane_dot(i + g, n, j + first, m, c);)
          loop assigns b, a[0 .. KEYS * GROUP - 1];
          loop variant KEYS - b; */
      for (size_t b = 0; b < KEYS; b++) {
        const real x = k[attest_row(b, k_row) /*@ ghost (KEYS) */ + c];
        /*@ ghost ATTEST_EXACTLY(
              /@ for numbers: assert at: x == attest_row_at(k, k_row, b, c); @/
              /@ for numbers: assert seen: r < count - g &&
                   attest_lane_sees(i, g + r, j, first + b) ==>
                     x == attest_lane_k(j, first + b, c); @/
              /@ for numbers: assert key: r < count - g &&
                   attest_lane_sees(i + g, r, j + first, b) ==>
                     x == attest_lane_k(j + first, b, c); @/); */
        a[b * GROUP + r] = plus_product(a[b * GROUP + r], q, x);
      }
    }
  }
  /*@ ghost ATTEST_EXACTLY( // from the group's lanes and keys to those of the tile
        /@ for numbers: assert same: \forall integer t, n; attest_lane_sees(i, n, j, t) ==>
             attest_lane_sees(i + g, n - g, j + first, t - first) &&
             attest_lane_dot(i + g, n - g, j + first, t - first, width) ==
             attest_lane_dot(i, n, j, t, width); @/
        /@ for numbers: assert dots: \forall integer t, n; first <= t < first + KEYS &&
             g <= n < g + GROUP && n < count && attest_lane_sees(i, n, j, t) ==>
               a[(t - first) * GROUP + (n - g)] == attest_lane_dot(i, n, j, t, width); @/); */
  /*@ loop invariant 0 <= r <= GROUP;
      ATTEST_EXACTLY(loop invariant \forall integer t, n; 0 <= t && 0 <= n < ATTEST_LANES ==>
        attest_at(all, t, n) == (first <= t < first + KEYS && g <= n < g + r ?
          attest_times(factor, a[(t - first) * GROUP + (n - g)]) :
          \at(attest_at(all, t, n), Pre));)
      loop assigns r, s[0 .. attest_extent(KEYS, ATTEST_LANES, GROUP) - 1];
      loop variant GROUP - r; */
  UNROLLED
  for (size_t r = 0; r < GROUP; r++) {
    /*@ loop invariant 0 <= b <= KEYS;
        ATTEST_EXACTLY(loop invariant \forall integer t, n; 0 <= t && 0 <= n < ATTEST_LANES ==>
          attest_at(all, t, n) ==
            (first <= t < first + KEYS && g <= n && (n < g + r || n == g + r && t < first + b) ?
             attest_times(factor, a[(t - first) * GROUP + (n - g)]) :
             \at(attest_at(all, t, n), Pre));)
        loop assigns b, s[0 .. attest_extent(KEYS, ATTEST_LANES, GROUP) - 1];
        loop variant KEYS - b; */
    for (size_t b = 0; b < KEYS; b++)
      put(s + (b * ATTEST_LANES + r), product(factor, a[b * GROUP + r]))
          /*@ ghost (all, first + b, g + r) */;
  }
}

void attest_lanes_scores(const real *restrict qt, const real *restrict k, size_t k_row,
                         size_t keys, size_t width, real factor, const int32_t *restrict last,
                         const attest_ahead ahead, real *restrict s)
/*@ ghost (size_t row, size_t count, size_t key) */ {
  size_t ends[ATTEST_LANES / GROUP];
  size_t j = 0;
  group_ends(last, keys, ends);
  /*@ loop invariant 0 <= j <= keys;
      ATTEST_EXACTLY(
        for numbers: loop invariant attest_lanes_queries(qt, width, row, count);
        for numbers: loop invariant
          attest_keys_held(k, k_row, 0, keys, width, row, count, key);
        for numbers: loop invariant
          attest_lanes_dots(s, j, last, factor, width, row, count, key);)
      loop assigns j, s[0 .. keys * ATTEST_LANES - 1];
      loop variant keys - j; */
  for (; keys - j >= KEYS; j += KEYS) {
    const real *few = k + attest_rows(j, k_row) /*@ ghost (KEYS, keys) */;
    /*@ loop invariant 0 <= g <= ATTEST_LANES && g % GROUP == 0;
        ATTEST_EXACTLY(
          for numbers: loop invariant attest_lanes_queries(qt, width, row, count);
          for numbers: loop invariant
            attest_keys_held(k, k_row, 0, keys, width, row, count, key);
          for numbers: loop invariant
            attest_lanes_dots(s, j, last, factor, width, row, count, key);
          for numbers: loop invariant \forall integer t, r; j <= t < j + KEYS && 0 <= r < g &&
            r < count && t < last[r] && attest_lane_sees(row, r, key, t) ==>
              attest_at(s, t, r) == attest_times(factor, attest_lane_dot(row, r, key, t, width));)
        loop assigns g, s[0 .. keys * ATTEST_LANES - 1];
        loop variant ATTEST_LANES - g; */
    for (size_t g = 0; g < ATTEST_LANES; g += GROUP) {
      /*@ ghost ATTEST_EXACTLY(
            attest_keys_from(k, k_row, keys, width, row, count, key, j, KEYS);
            /@ assert lanes: \forall integer r; g <= r < g + GROUP ==> r / GROUP == g / GROUP; @/); */
      if (j < ends[g / GROUP])
        score_few(qt + g, few, k_row, width, factor, s + (j * ATTEST_LANES + g))
            /*@ ghost (qt, s, j, g, row, count, key) */;
      ask_share(ahead, j, g);
    }
  }
  /*@ loop invariant 0 <= j <= keys;
      ATTEST_EXACTLY(
        for numbers: loop invariant attest_lanes_queries(qt, width, row, count);
        for numbers: loop invariant
          attest_keys_held(k, k_row, 0, keys, width, row, count, key);
        for numbers: loop invariant
          attest_lanes_dots(s, j, last, factor, width, row, count, key);)
      loop assigns j, s[0 .. keys * ATTEST_LANES - 1];
      loop variant keys - j; */
  for (; j < keys; j++) {
    //@ ghost ATTEST_EXACTLY(attest_key_from(k, k_row, keys, width, row, count, key, j));
    score_one(qt, k + attest_row(j, k_row) /*@ ghost (keys) */, width, factor,
              s + j * ATTEST_LANES) /*@ ghost (row, count, key, j) */;
  }
}

/* attest_lanes_hide for a group of lanes. */
/*@ requires 0 <= keys <= ATTEST_MAX_TILE;
    requires \valid(s + (0 .. attest_extent(keys, ATTEST_LANES, SOFT) - 1));
    requires \valid_read(first + (0 .. SOFT - 1));
    requires \valid_read(last + (0 .. SOFT - 1));
    ATTEST_EXACTLY(requires s == all + g && first == f + g && last == l + g;
                   requires g + SOFT <= ATTEST_LANES;)
    assigns s[0 .. attest_extent(keys, ATTEST_LANES, SOFT) - 1];
    ATTEST_EXACTLY(ensures \forall integer t, r; 0 <= t && 0 <= r < ATTEST_LANES ==>
      attest_at(all, t, r) ==
        (t < keys && g <= r < g + SOFT && !(f[r] <= t < l[r]) ? -1.0e40 :
         \old(attest_at(all, t, r)));)
*/
static void hide_group(real *restrict s, size_t keys, const int32_t *restrict first,
                       const int32_t *restrict last)
/*@ ghost (real *all, const int32_t *f, const int32_t *l, size_t g) */ {
  /*@ loop invariant 0 <= j <= keys;
      ATTEST_EXACTLY(loop invariant \forall integer t, n; 0 <= t && 0 <= n < ATTEST_LANES ==>
        attest_at(all, t, n) == (t < j && g <= n < g + SOFT && !(f[n] <= t < l[n]) ? -1.0e40 :
                                 \at(attest_at(all, t, n), Pre));)
      loop assigns j, s[0 .. attest_extent(keys, ATTEST_LANES, SOFT) - 1];
      loop variant keys - j; */
  for (size_t j = 0; j < keys; j++) {
    const int32_t at = (int32_t)j;
    /*@ loop invariant 0 <= r <= SOFT;
        ATTEST_EXACTLY(loop invariant \forall integer t, n; 0 <= t && 0 <= n < ATTEST_LANES ==>
          attest_at(all, t, n) ==
            ((t < j || t == j && n < g + r) && g <= n < g + SOFT && !(f[n] <= t < l[n]) ?
             -1.0e40 : \at(attest_at(all, t, n), Pre));)
        loop assigns r, s[0 .. attest_extent(keys, ATTEST_LANES, SOFT) - 1];
        loop variant SOFT - r; */
    for (size_t r = 0; r < SOFT; r++) {
      const real y = s[j * ATTEST_LANES + r];
      s[j * ATTEST_LANES + r] = first[r] <= at && at < last[r] ? y : ATTEST_HIDDEN;
    }
  }
}

void attest_lanes_hide(real *restrict s, size_t keys, const int32_t *restrict first,
                       const int32_t *restrict last) {
  /*@ loop invariant 0 <= g <= ATTEST_LANES && g % SOFT == 0;
      ATTEST_EXACTLY(
        loop invariant \forall integer t, r; 0 <= t < keys && 0 <= r < ATTEST_LANES &&
          (g <= r || first[r] <= t < last[r]) ==>
            attest_at(s, t, r) == \at(attest_at(s, t, r), Pre);
        loop invariant \forall integer t, r; 0 <= t < keys && 0 <= r < g &&
          !(first[r] <= t < last[r]) && attest_looked_at(last, r, t) ==>
            attest_at(s, t, r) == -1.0e40;)
      loop assigns g, s[0 .. keys * ATTEST_LANES - 1];
      loop variant ATTEST_LANES - g; */
  for (size_t g = 0; g < ATTEST_LANES; g += SOFT)
    hide_group(s + g, group_keys(last + g, SOFT, keys) /*@ ghost (last, g) */, first + g, last + g)
        /*@ ghost (s, first, last, g) */;
}

/* Whether attest_near_weight serves a group of lanes. */
/*@ requires \valid_read(exponent + (0 .. SOFT - 1));
    assigns \nothing;
*/
static int all_near(const real *restrict exponent) {
  int far = 0;
  /*@ loop invariant 0 <= r <= SOFT;
      loop assigns r, far;
      loop variant SOFT - r; */
  for (size_t r = 0; r < SOFT; r++) far |= !attest_near(exponent[r]);
  return !far;
}

/* The largest score of each lane of a group. */
/*@ requires 0 <= keys <= ATTEST_MAX_TILE;
    requires \valid_read(s + (0 .. attest_extent(keys, ATTEST_LANES, SOFT) - 1));
    requires \valid(top + (0 .. SOFT - 1));
    assigns top[0 .. SOFT - 1];
*/
static void top_group(const real *restrict s, size_t keys, real *restrict top) {
  real a[SOFT];
  /*@ loop invariant 0 <= r <= SOFT;
      loop assigns r, a[0 .. SOFT - 1];
      loop variant SOFT - r; */
  for (size_t r = 0; r < SOFT; r++) a[r] = ATTEST_HIDDEN;
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, a[0 .. SOFT - 1];
      loop variant keys - j; */
  for (size_t j = 0; j < keys; j++) {
    /*@ loop invariant 0 <= r <= SOFT;
        loop assigns r, a[0 .. SOFT - 1];
        loop variant SOFT - r; */
    for (size_t r = 0; r < SOFT; r++) {
      const real y = s[j * ATTEST_LANES + r];
      a[r] = y > a[r] ? y : a[r];
    }
  }
  /*@ loop invariant 0 <= r <= SOFT;
      loop assigns r, top[0 .. SOFT - 1];
      loop variant SOFT - r; */
  for (size_t r = 0; r < SOFT; r++) top[r] = a[r];
}

/* Raises the exponents to the largest scores of a tile, and rescales the sums. */
/*@ requires \valid_read(top + (0 .. ATTEST_LANES - 1));
    requires \valid(exponent + (0 .. ATTEST_LANES - 1));
    requires \valid(sum + (0 .. ATTEST_LANES - 1));
    requires \valid(factor + (0 .. ATTEST_LANES - 1));
    assigns exponent[0 .. ATTEST_LANES - 1], sum[0 .. ATTEST_LANES - 1],
            factor[0 .. ATTEST_LANES - 1];
*/
static void raise_lanes(const real *restrict top, real *restrict exponent, real *restrict sum,
                        real *restrict factor) {
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, exponent[0 .. ATTEST_LANES - 1], sum[0 .. ATTEST_LANES - 1],
                   factor[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) {
    const real raised = attest_raise(exponent[r], top[r]); /* rounding keeps the order of scores */
    const real by = attest_pow2(exponent[r] - raised);
    exponent[r] = raised;
    factor[r] = by;
    sum[r] *= by;
  }
}

/* Scores to weights for a group of lanes, any exponents. */
/*@ requires 0 <= keys <= ATTEST_MAX_TILE;
    requires \valid(s + (0 .. attest_extent(keys, ATTEST_LANES, SOFT) - 1));
    requires \valid_read(exponent + (0 .. SOFT - 1));
    requires \valid(sum + (0 .. SOFT - 1));
    assigns s[0 .. attest_extent(keys, ATTEST_LANES, SOFT) - 1], sum[0 .. SOFT - 1];
*/
static void weigh_far(real *restrict s, size_t keys, const real *restrict exponent,
                      real *restrict sum) {
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, sum[0 .. SOFT - 1],
                   s[0 .. attest_extent(keys, ATTEST_LANES, SOFT) - 1];
      loop variant keys - j; */
  for (size_t j = 0; j < keys; j++) {
    /*@ loop invariant 0 <= r <= SOFT;
        loop assigns r, sum[0 .. SOFT - 1],
                     s[0 .. attest_extent(keys, ATTEST_LANES, SOFT) - 1];
        loop variant SOFT - r; */
    for (size_t r = 0; r < SOFT; r++) {
      const real p = attest_weight(s[j * ATTEST_LANES + r], exponent[r]);
      s[j * ATTEST_LANES + r] = p;
      sum[r] += p;
    }
  }
}

/* The same where attest_near holds for each exponent. */
/*@ requires 0 <= keys <= ATTEST_MAX_TILE;
    requires \valid(s + (0 .. attest_extent(keys, ATTEST_LANES, SOFT) - 1));
    requires \valid_read(exponent + (0 .. SOFT - 1));
    requires \valid(sum + (0 .. SOFT - 1));
    assigns s[0 .. attest_extent(keys, ATTEST_LANES, SOFT) - 1], sum[0 .. SOFT - 1];
*/
static void weigh_near(real *restrict s, size_t keys, const real *restrict exponent,
                       real *restrict sum) {
  real low[SOFT], total[SOFT];
  attest_bits fields[SOFT];
  const size_t fours = keys - keys % 4;
  /*@ loop invariant 0 <= r <= SOFT;
      loop assigns r, low[0 .. SOFT - 1], fields[0 .. SOFT - 1], total[0 .. SOFT - 1];
      loop variant SOFT - r; */
  for (size_t r = 0; r < SOFT; r++) {
    low[r] = attest_near_low(exponent[r]);
    fields[r] = attest_near_fields(exponent[r]);
    total[r] = sum[r];
  }
  /*@ loop invariant 0 <= j <= fours && j % 4 == 0;
      loop assigns j, total[0 .. SOFT - 1],
                   s[0 .. attest_extent(keys, ATTEST_LANES, SOFT) - 1];
      loop variant fours - j; */
  for (size_t j = 0; j < fours; j += 4) {
    real *at = s + j * ATTEST_LANES;
    /*@ loop invariant 0 <= r <= SOFT;
        loop assigns r, total[0 .. SOFT - 1], at[0 .. 3 * ATTEST_LANES + SOFT - 1];
        loop variant SOFT - r; */
    for (size_t r = 0; r < SOFT; r++) {
      attest_four y;
      y.a = at[r];
      y.b = at[ATTEST_LANES + r];
      y.c = at[2 * ATTEST_LANES + r];
      y.d = at[3 * ATTEST_LANES + r];
      const attest_four p = attest_near_weights(y, low[r], fields[r]);
      at[r] = p.a;
      at[ATTEST_LANES + r] = p.b;
      at[2 * ATTEST_LANES + r] = p.c;
      at[3 * ATTEST_LANES + r] = p.d;
      total[r] = total[r] + p.a + p.b + p.c + p.d; /* left to right, as one by one */
    }
  }
  /*@ loop invariant fours <= j <= keys;
      loop assigns j, total[0 .. SOFT - 1],
                   s[0 .. attest_extent(keys, ATTEST_LANES, SOFT) - 1];
      loop variant keys - j; */
  for (size_t j = fours; j < keys; j++) {
    /*@ loop invariant 0 <= r <= SOFT;
        loop assigns r, total[0 .. SOFT - 1],
                     s[0 .. attest_extent(keys, ATTEST_LANES, SOFT) - 1];
        loop variant SOFT - r; */
    for (size_t r = 0; r < SOFT; r++) {
      const real p = attest_near_weight(s[j * ATTEST_LANES + r], low[r], fields[r]);
      s[j * ATTEST_LANES + r] = p;
      total[r] += p;
    }
  }
  /*@ loop invariant 0 <= r <= SOFT;
      loop assigns r, sum[0 .. SOFT - 1];
      loop variant SOFT - r; */
  for (size_t r = 0; r < SOFT; r++) sum[r] = total[r];
}

void attest_lanes_weights(real *restrict s, size_t keys, real *restrict exponent,
                          real *restrict sum, real *restrict factor,
                          const int32_t *restrict last) {
  real top[ATTEST_LANES];
  /*@ loop invariant 0 <= g <= ATTEST_LANES && g % SOFT == 0;
      loop assigns g, top[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - g; */
  for (size_t g = 0; g < ATTEST_LANES; g += SOFT)
    top_group(s + g, group_keys(last + g, SOFT, keys) /*@ ghost (last, g) */, top + g);
  raise_lanes(top, exponent, sum, factor);
  /*@ loop invariant 0 <= g <= ATTEST_LANES && g % SOFT == 0;
      loop assigns g, s[0 .. keys * ATTEST_LANES - 1], sum[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - g; */
  for (size_t g = 0; g < ATTEST_LANES; g += SOFT) {
    const size_t end = group_keys(last + g, SOFT, keys) /*@ ghost (last, g) */;
    if (all_near(exponent + g))
      weigh_near(s + g, end, exponent + g, sum + g);
    else
      weigh_far(s + g, end, exponent + g, sum + g);
  }
}

/* One column for attest_lanes_add, one group of lanes. */
/*@ requires attest_tile_sizes(keys, 1) && attest_fits((keys - 1) * v_row);
    requires \valid_read(p + (0 .. attest_extent(keys, ATTEST_LANES, GROUP) - 1));
    requires \valid_read(v + (0 .. attest_extent(keys, v_row, 1) - 1));
    requires \valid(acc + (0 .. GROUP - 1));
    requires \valid_read(factor + (0 .. GROUP - 1));
    ATTEST_EXACTLY(requires p == ps + g && v == vs + col && factor == fs + g;
                   requires acc == accs + (col * ATTEST_LANES + g);)
    requires g + GROUP <= ATTEST_LANES && col < width <= ATTEST_MAX_WIDTH;
    assigns acc[0 .. GROUP - 1];
    ATTEST_EXACTLY(
      ensures others: \forall integer c, r; 0 <= c && 0 <= r < ATTEST_LANES &&
        !(c == col && g <= r < g + GROUP) ==>
          attest_at(accs, c, r) == \old(attest_at(accs, c, r));
      behavior numbers:
        assumes attest_lanes_weigh(ps, keys, first, last, e, i, g,
                                   g + GROUP < count ? g + GROUP : count, key);
        assumes attest_values_held(vs, v_row, keys, width, i, count, key);
        assumes \forall integer r; 0 <= r < ATTEST_LANES ==> 0 <= first[r] && 0 <= last[r];
        ensures sums: \forall integer r; g <= r < g + GROUP && r < count ==>
          attest_at(accs, col, r) == \at(attest_lane_sum(accs, fs, first, last, e, i, r, col, key, keys), Pre);)
*/
static void add_one(const real *restrict p, const real *restrict v, size_t v_row, size_t keys,
                    real *restrict acc, const real *restrict factor)
/*@ ghost (const real *ps, const real *vs, real *accs, const real *fs, const int32_t *first,
           const int32_t *last, const real *e, size_t g, size_t col, size_t width, size_t i,
           size_t count, size_t key) */ {
  real a[GROUP];
  /*@ loop invariant 0 <= r <= GROUP;
      ATTEST_EXACTLY(loop invariant \forall integer n; 0 <= n < r ==>
        a[n] == attest_times(acc[n], factor[n]);)
      loop assigns r, a[0 .. GROUP - 1];
      loop variant GROUP - r; */
  for (size_t r = 0; r < GROUP; r++) a[r] = product(acc[r], factor[r]);
  /*@ ghost ATTEST_EXACTLY(
        /@ for numbers: assert none: \forall integer n; 0 <= n < GROUP ==>
             attest_zero(attest_lane_moment(first, last, e, i, g, n, col, 0, key, 0)); @/); */
  /*@ loop invariant 0 <= j <= keys;
      ATTEST_EXACTLY(for numbers: loop invariant \forall integer n; 0 <= n < GROUP && n < count - g ==>
        a[n] == attest_times(acc[n], factor[n]) +
          attest_lane_moment(first, last, e, i, g, n, col, 0, key, j);)
      loop assigns j, a[0 .. GROUP - 1];
      loop variant keys - j; */
  for (size_t j = 0; j < keys; j++) {
    const real x = v[attest_row(j, v_row) /*@ ghost (keys) */];
    /*@ ghost ATTEST_EXACTLY(
          attest_lane_moment_next(first, last, e, i, g, col, key, j);
          /@ for numbers: assert at: x == attest_row_at(vs, v_row, j, col); @/
          /@ for numbers: assert name: attest_lane_v(key, j, 0, col) ==
               attest_lane_v(key, j, col, 0); @/); */
    /*@ loop invariant 0 <= r <= GROUP;
        ATTEST_EXACTLY(
          for numbers: loop invariant \forall integer n; 0 <= n < r && n < count - g ==>
            a[n] == attest_times(acc[n], factor[n]) +
              attest_lane_moment(first, last, e, i, g, n, col, 0, key, j + 1);
          for numbers: loop invariant \forall integer n; r <= n < GROUP && n < count - g ==>
            a[n] == attest_times(acc[n], factor[n]) +
              attest_lane_moment(first, last, e, i, g, n, col, 0, key, j);)
        loop assigns r, a[0 .. GROUP - 1];
        loop variant GROUP - r; */
    for (size_t r = 0; r < GROUP; r++) {
      /*@ ghost ATTEST_EXACTLY(
            attest_lane_unseen(first, last, e, i, g, r, key, j, col, 0, p[j * ATTEST_LANES + r], x);
            /@ for numbers: assert at: p[j * ATTEST_LANES + r] == attest_at(ps, j, g + r); @/
            /@ for numbers: assert weight: r < count - g ==> p[j * ATTEST_LANES + r] ==
                 attest_lane_weight(first, last, e, i, g, r, key, j); @/
            /@ for numbers: assert value: r < count - g && attest_lane_sees(i, g + r, key, j) ==>
                 x == attest_lane_v(key, j, col, 0); @/
            /@ for numbers: assert next: r < count - g ==>
                 a[r] + attest_times(p[j * ATTEST_LANES + r], x) ==
                   attest_times(acc[r], factor[r]) +
                   attest_lane_moment(first, last, e, i, g, r, col, 0, key, j + 1); @/); */
      a[r] = plus_product(a[r], p[j * ATTEST_LANES + r], x);
    }
  }
  /*@ ghost ATTEST_EXACTLY( // from the group's lanes to those of the tile
        /@ assert same: \forall integer r;
             attest_lane_moment(first, last, e, i, 0, r, 0, col, key, keys) ==
             attest_lane_moment(first, last, e, i, g, r - g, col, 0, key, keys) &&
             attest_at(accs, col, r) == acc[r - g]; @/
        /@ for numbers: assert all: \forall integer r; g <= r < g + GROUP && r < count ==>
             a[r - g] == attest_times(attest_at(accs, col, r), fs[r]) +
               attest_lane_moment(first, last, e, i, 0, r, 0, col, key, keys); @/); */
  /*@ loop invariant 0 <= r <= GROUP;
      ATTEST_EXACTLY(loop invariant \forall integer c, n; 0 <= c && 0 <= n < ATTEST_LANES ==>
        attest_at(accs, c, n) ==
          (c == col && g <= n < g + r ? a[n - g] : \at(attest_at(accs, c, n), Pre));)
      loop assigns r, acc[0 .. GROUP - 1];
      loop variant GROUP - r; */
  for (size_t r = 0; r < GROUP; r++) put(acc + r, a[r]) /*@ ghost (accs, col, g + r) */;
}

/* COLUMNS columns for attest_lanes_add, one group of lanes. */
/*@ requires attest_tile_sizes(keys, COLUMNS) && attest_fits((keys - 1) * v_row);
    requires \valid_read(p + (0 .. attest_extent(keys, ATTEST_LANES, GROUP) - 1));
    requires \valid_read(v + (0 .. attest_extent(keys, v_row, COLUMNS) - 1));
    requires \valid(acc + (0 .. attest_extent(COLUMNS, ATTEST_LANES, GROUP) - 1));
    requires \valid_read(factor + (0 .. GROUP - 1));
    ATTEST_EXACTLY(requires p == ps + g && v == vs + col && factor == fs + g;
                   requires acc == accs + (col * ATTEST_LANES + g);)
    requires g + GROUP <= ATTEST_LANES && col + COLUMNS <= width <= ATTEST_MAX_WIDTH;
    assigns acc[0 .. attest_extent(COLUMNS, ATTEST_LANES, GROUP) - 1];
    ATTEST_EXACTLY(
      ensures others: \forall integer c, r; 0 <= c && 0 <= r < ATTEST_LANES &&
        !(col <= c < col + COLUMNS && g <= r < g + GROUP) ==>
          attest_at(accs, c, r) == \old(attest_at(accs, c, r));
      behavior numbers:
        assumes attest_lanes_weigh(ps, keys, first, last, e, i, g,
                                   g + GROUP < count ? g + GROUP : count, key);
        assumes attest_values_held(vs, v_row, keys, width, i, count, key);
        assumes \forall integer r; 0 <= r < ATTEST_LANES ==> 0 <= first[r] && 0 <= last[r];
        ensures sums: \forall integer c, r; col <= c < col + COLUMNS && g <= r < g + GROUP &&
          r < count ==>
            attest_at(accs, c, r) == \at(attest_lane_sum(accs, fs, first, last, e, i, r, c, key, keys), Pre);)
*/
static void add_few(const real *restrict p, const real *restrict v, size_t v_row, size_t keys,
                    real *restrict acc, const real *restrict factor)
/*@ ghost (const real *ps, const real *vs, real *accs, const real *fs, const int32_t *first,
           const int32_t *last, const real *e, size_t g, size_t col, size_t width, size_t i,
           size_t count, size_t key) */ {
  real a[COLUMNS * GROUP];
  /*@ loop invariant 0 <= r <= GROUP;
      ATTEST_EXACTLY(loop invariant \forall integer m, n; 0 <= m < COLUMNS && 0 <= n < r ==>
        a[m * GROUP + n] == attest_times(attest_at(acc, m, n), factor[n]);)
      loop assigns r, a[0 .. COLUMNS * GROUP - 1];
      loop variant GROUP - r; */
  UNROLLED
  for (size_t r = 0; r < GROUP; r++) {
    /*@ loop invariant 0 <= b <= COLUMNS;
        ATTEST_EXACTLY(loop invariant \forall integer m, n; 0 <= m < COLUMNS && 0 <= n < GROUP &&
          n * COLUMNS + m < r * COLUMNS + b ==>
            a[m * GROUP + n] == attest_times(attest_at(acc, m, n), factor[n]);)
        loop assigns b, a[0 .. COLUMNS * GROUP - 1];
        loop variant COLUMNS - b; */
    for (size_t b = 0; b < COLUMNS; b++) {
      /*@ ghost ATTEST_EXACTLY(
            /@ assert at: acc[b * ATTEST_LANES + r] == attest_at(acc, b, r); @/); */
      a[b * GROUP + r] = product(acc[b * ATTEST_LANES + r], factor[r]);
    }
  }
  /*@ ghost ATTEST_EXACTLY(
        /@ for numbers: assert none: \forall integer m, n; 0 <= m < COLUMNS && 0 <= n < GROUP ==>
             attest_zero(attest_lane_moment(first, last, e, i, g, n, col, m, key, 0)); @/); */
  /*@ loop invariant 0 <= j <= keys;
      ATTEST_EXACTLY(for numbers: loop invariant \forall integer m, n; 0 <= m < COLUMNS &&
        0 <= n < GROUP && n < count - g ==>
          a[m * GROUP + n] == attest_times(attest_at(acc, m, n), factor[n]) +
            attest_lane_moment(first, last, e, i, g, n, col, m, key, j);)
      loop assigns j, a[0 .. COLUMNS * GROUP - 1];
      loop variant keys - j; */
  ROLLED
  for (size_t j = 0; j < keys; j++) {
    const real *row = v + attest_row(j, v_row) /*@ ghost (keys) */;
    //@ ghost ATTEST_EXACTLY(attest_lane_moment_next(first, last, e, i, g, col, key, j));
    /*@ loop invariant 0 <= r <= GROUP;
        ATTEST_EXACTLY(
          for numbers: loop invariant \forall integer m, n; 0 <= m < COLUMNS && 0 <= n < r &&
            n < count - g ==>
              a[m * GROUP + n] == attest_times(attest_at(acc, m, n), factor[n]) +
                attest_lane_moment(first, last, e, i, g, n, col, m, key, j + 1);
          for numbers: loop invariant \forall integer m, n; 0 <= m < COLUMNS && r <= n < GROUP &&
            n < count - g ==>
              a[m * GROUP + n] == attest_times(attest_at(acc, m, n), factor[n]) +
                attest_lane_moment(first, last, e, i, g, n, col, m, key, j);)
        loop assigns r, a[0 .. COLUMNS * GROUP - 1];
        loop variant GROUP - r; */
    UNROLLED
    for (size_t r = 0; r < GROUP; r++) {
      const real weight = p[j * ATTEST_LANES + r];
      /*@ ghost ATTEST_EXACTLY(
            /@ for numbers: assert at: weight == attest_at(ps, j, g + r); @/
            /@ for numbers: assert weight: r < count - g ==>
                 weight == attest_lane_weight(first, last, e, i, g, r, key, j); @/); */
      /*@ loop invariant 0 <= b <= COLUMNS;
          ATTEST_EXACTLY(
            for numbers: loop invariant \forall integer m, n; 0 <= m < COLUMNS && 0 <= n < GROUP &&
              (n < r || n == r && m < b) && n < count - g ==>
                a[m * GROUP + n] == attest_times(attest_at(acc, m, n), factor[n]) +
                  attest_lane_moment(first, last, e, i, g, n, col, m, key, j + 1);
            for numbers: loop invariant \forall integer m, n; 0 <= m < COLUMNS && 0 <= n < GROUP &&
              r * COLUMNS + b <= n * COLUMNS + m && n < count - g ==>
                a[m * GROUP + n] == attest_times(attest_at(acc, m, n), factor[n]) +
                  attest_lane_moment(first, last, e, i, g, n, col, m, key, j);)
          loop assigns b, a[0 .. COLUMNS * GROUP - 1];
          loop variant COLUMNS - b; */
      for (size_t b = 0; b < COLUMNS; b++) {
        /*@ ghost ATTEST_EXACTLY(
              attest_lane_unseen(first, last, e, i, g, r, key, j, col, b, weight, row[b]);
              /@ for numbers: assert at: row[b] == attest_row_at(vs, v_row, j, col + b); @/
              /@ for numbers: assert name: attest_lane_v(key, j, 0, col + b) ==
                   attest_lane_v(key, j, col, b); @/
              /@ for numbers: assert value: r < count - g && attest_lane_sees(i, g + r, key, j) ==>
                   row[b] == attest_lane_v(key, j, col, b); @/
              /@ for numbers: assert term: r < count - g ==> attest_times(weight, row[b]) ==
                   attest_times(attest_lane_weight(first, last, e, i, g, r, key, j),
                                attest_lane_v(key, j, col, b)); @/
              /@ for numbers: assert next: r < count - g ==>
                   a[b * GROUP + r] + attest_times(weight, row[b]) ==
                     attest_times(attest_at(acc, b, r), factor[r]) +
                     attest_lane_moment(first, last, e, i, g, r, col, b, key, j + 1); @/); */
        a[b * GROUP + r] = plus_product(a[b * GROUP + r], weight, row[b]);
      }
    }
  }
  /*@ ghost ATTEST_EXACTLY( // from the group's lanes and columns to those of the tile
        /@ assert same: \forall integer c, r;
             attest_lane_moment(first, last, e, i, 0, r, 0, c, key, keys) ==
             attest_lane_moment(first, last, e, i, g, r - g, col, c - col, key, keys) &&
             attest_at(accs, c, r) == attest_at(acc, c - col, r - g); @/
        /@ for numbers: assert all: \forall integer c, r; col <= c < col + COLUMNS &&
             g <= r < g + GROUP && r < count ==>
               a[(c - col) * GROUP + (r - g)] ==
                 attest_times(attest_at(accs, c, r), fs[r]) +
                 attest_lane_moment(first, last, e, i, 0, r, 0, c, key, keys); @/); */
  /*@ loop invariant 0 <= r <= GROUP;
      ATTEST_EXACTLY(loop invariant \forall integer c, n; 0 <= c && 0 <= n < ATTEST_LANES ==>
        attest_at(accs, c, n) == (col <= c < col + COLUMNS && g <= n < g + r ?
          a[(c - col) * GROUP + (n - g)] : \at(attest_at(accs, c, n), Pre));)
      loop assigns r, acc[0 .. attest_extent(COLUMNS, ATTEST_LANES, GROUP) - 1];
      loop variant GROUP - r; */
  UNROLLED
  for (size_t r = 0; r < GROUP; r++) {
    /*@ loop invariant 0 <= b <= COLUMNS;
        ATTEST_EXACTLY(loop invariant \forall integer c, n; 0 <= c && 0 <= n < ATTEST_LANES ==>
          attest_at(accs, c, n) ==
            (col <= c < col + COLUMNS && g <= n && (n < g + r || n == g + r && c < col + b) ?
             a[(c - col) * GROUP + (n - g)] : \at(attest_at(accs, c, n), Pre));)
        loop assigns b, acc[0 .. attest_extent(COLUMNS, ATTEST_LANES, GROUP) - 1];
        loop variant COLUMNS - b; */
    for (size_t b = 0; b < COLUMNS; b++)
      put(acc + (b * ATTEST_LANES + r), a[b * GROUP + r]) /*@ ghost (accs, col + b, g + r) */;
  }
}

void attest_lanes_add(const real *restrict p, const real *restrict v, size_t v_row, size_t keys,
                      size_t width, real *restrict acc, const real *restrict factor,
                      const int32_t *restrict last)
/*@ ghost (const int32_t *first, const real *e, size_t row, size_t count, size_t key) */ {
  const size_t blocks = width - width % COLUMNS;
  /*@ loop invariant 0 <= g <= ATTEST_LANES && g % GROUP == 0;
      ATTEST_EXACTLY(
        for numbers: loop invariant \forall integer t, r; 0 <= t < keys && 0 <= r < ATTEST_LANES ==>
          attest_at(p, t, r) == \at(attest_at(p, t, r), Pre);
        for numbers: loop invariant attest_values_held(v, v_row, keys, width, row, count, key);
        for numbers: loop invariant \forall integer r; 0 <= r < ATTEST_LANES ==>
          factor[r] == \at(factor[r], Pre) && e[r] == \at(e[r], Pre);
        for numbers: loop invariant \forall integer m, r; 0 <= m < width && 0 <= r < g &&
          r < count ==>
            attest_at(acc, m, r) == \at(attest_lane_sum(acc, factor, first, last, e, row, r, m, key, keys), Pre);
        for numbers: loop invariant \forall integer m, r; 0 <= m < width && g <= r < ATTEST_LANES
          ==> attest_at(acc, m, r) == \at(attest_at(acc, m, r), Pre);)
      loop assigns g, acc[0 .. width * ATTEST_LANES - 1];
      loop variant ATTEST_LANES - g; */
  for (size_t g = 0; g < ATTEST_LANES; g += GROUP) {
    const size_t end = group_keys(last + g, GROUP, keys) /*@ ghost (last, g) */;
    /*@ ghost ATTEST_EXACTLY(/@ for numbers: assert whole: \forall integer m, r;
          g <= r < g + GROUP && r < count ==>
            \at(attest_lane_moment(first, last, e, row, 0, r, 0, m, key, \at(end, Here)), Pre) ==
            \at(attest_lane_moment(first, last, e, row, 0, r, 0, m, key, keys), Pre); @/
          /@ for numbers: assert weigh: \at(attest_lanes_weigh(p, \at(end, Here), first, last, e,
               row, \at(g, Here), \at(g, Here) + GROUP < count ? \at(g, Here) + GROUP : count,
               key), Pre); @/
          attest_times_one();
          /@ for numbers: assert unseen: end == 0 ==> \forall integer r; g <= r < g + GROUP ==>
               last[r] <= 0; @/
          /@ for numbers: assert unscaled: end == 0 ==> \forall integer r; g <= r < g + GROUP &&
               r < count ==> \at(factor[r], Pre) == 1.0; @/
          /@ for numbers: assert blind: end == 0 ==> \forall integer m, r; g <= r < g + GROUP &&
               r < count ==> attest_zero(
                 \at(attest_lane_moment(first, last, e, row, 0, r, 0, m, key, keys), Pre)); @/
          /@ for numbers: assert kept: end == 0 ==> \forall integer m, r; 0 <= m < width &&
               g <= r < g + GROUP && r < count ==>
                 attest_at(acc, m, r) == \at(attest_lane_sum(acc, factor, first, last, e, row, r, m, key, keys), Pre); @/); */
    if (end == 0) continue; /* these lanes see nothing: factor is 1 */
    /*@ loop invariant 0 <= c <= blocks && c % COLUMNS == 0;
        ATTEST_EXACTLY(
          for numbers: loop invariant \forall integer t, r; 0 <= t < keys && 0 <= r < ATTEST_LANES ==>
            attest_at(p, t, r) == \at(attest_at(p, t, r), Pre);
          for numbers: loop invariant attest_values_held(v, v_row, keys, width, row, count, key);
          for numbers: loop invariant \forall integer r; 0 <= r < ATTEST_LANES ==>
            factor[r] == \at(factor[r], Pre) && e[r] == \at(e[r], Pre);
          for numbers: loop invariant \forall integer m, r; 0 <= m < width && 0 <= r < count &&
            (r < g || r < g + GROUP && m < c) ==>
              attest_at(acc, m, r) == \at(attest_lane_sum(acc, factor, first, last, e, row, r, m, key, keys), Pre);
          for numbers: loop invariant \forall integer m, r; 0 <= m < width && r < ATTEST_LANES &&
            (g + GROUP <= r || g <= r && c <= m) ==>
              attest_at(acc, m, r) == \at(attest_at(acc, m, r), Pre);)
        loop assigns c, acc[0 .. width * ATTEST_LANES - 1];
        loop variant width - c; */
    for (size_t c = 0; c < blocks; c += COLUMNS) {
      /*@ ghost ATTEST_EXACTLY(
            /@ for numbers: assert same: \forall integer t, r; 0 <= r < ATTEST_LANES ==>
                 attest_lane_weight(first, last, e, row, 0, r, key, t) ==
                 \at(attest_lane_weight(first, last, e, row, 0, r, key, t), Pre); @/
            /@ for numbers: assert weights: attest_lanes_weigh(p, end, first, last, e, row, g,
                 g + GROUP < count ? g + GROUP : count, key); @/
            /@ for numbers: assert moment: \forall integer m, r; g <= r < g + GROUP && r < count ==>
                 attest_lane_moment(first, last, e, row, 0, r, 0, m, key, end) ==
                 \at(attest_lane_moment(first, last, e, row, 0, r, 0, m, key, keys), Pre); @/
            /@ for numbers: assert start: \forall integer m, r; c <= m < width && g <= r < g + GROUP &&
                 r < count ==> attest_times(attest_at(acc, m, r), factor[r]) ==
                   \at(attest_times(attest_at(acc, m, r), factor[r]), Pre); @/); */
      add_few(p + g, v + c, v_row, end, acc + (c * ATTEST_LANES + g), factor + g)
          /*@ ghost (p, v, acc, factor, first, last, e, g, c, width, row, count, key) */;
      /*@ ghost ATTEST_EXACTLY(
            /@ for numbers: assert new: \forall integer m, r; c <= m < c + COLUMNS &&
                 g <= r < g + GROUP && r < count ==>
                   attest_at(acc, m, r) == \at(attest_lane_sum(acc, factor, first, last, e, row, r, m, key, keys), Pre); @/
            /@ for numbers: assert old: \forall integer m, r; 0 <= m < width && 0 <= r < count &&
                 (r < g || r < g + GROUP && m < c) ==>
                   attest_at(acc, m, r) == \at(attest_lane_sum(acc, factor, first, last, e, row, r, m, key, keys), Pre); @/); */
    }
    /*@ loop invariant blocks <= c <= width;
        ATTEST_EXACTLY(
          for numbers: loop invariant \forall integer t, r; 0 <= t < keys && 0 <= r < ATTEST_LANES ==>
            attest_at(p, t, r) == \at(attest_at(p, t, r), Pre);
          for numbers: loop invariant attest_values_held(v, v_row, keys, width, row, count, key);
          for numbers: loop invariant \forall integer r; 0 <= r < ATTEST_LANES ==>
            factor[r] == \at(factor[r], Pre) && e[r] == \at(e[r], Pre);
          for numbers: loop invariant \forall integer m, r; 0 <= m < width && 0 <= r < count &&
            (r < g || r < g + GROUP && m < c) ==>
              attest_at(acc, m, r) == \at(attest_lane_sum(acc, factor, first, last, e, row, r, m, key, keys), Pre);
          for numbers: loop invariant \forall integer m, r; 0 <= m < width && r < ATTEST_LANES &&
            (g + GROUP <= r || g <= r && c <= m) ==>
              attest_at(acc, m, r) == \at(attest_at(acc, m, r), Pre);)
        loop assigns c, acc[0 .. width * ATTEST_LANES - 1];
        loop variant width - c; */
    for (size_t c = blocks; c < width; c++) {
      /*@ ghost ATTEST_EXACTLY(
            /@ for numbers: assert same: \forall integer t, r; 0 <= r < ATTEST_LANES ==>
                 attest_lane_weight(first, last, e, row, 0, r, key, t) ==
                 \at(attest_lane_weight(first, last, e, row, 0, r, key, t), Pre); @/
            /@ for numbers: assert weights: attest_lanes_weigh(p, end, first, last, e, row, g,
                 g + GROUP < count ? g + GROUP : count, key); @/
            /@ for numbers: assert moment: \forall integer m, r; g <= r < g + GROUP && r < count ==>
                 attest_lane_moment(first, last, e, row, 0, r, 0, m, key, end) ==
                 \at(attest_lane_moment(first, last, e, row, 0, r, 0, m, key, keys), Pre); @/
            /@ for numbers: assert start: \forall integer m, r; c <= m < width && g <= r < g + GROUP &&
                 r < count ==> attest_times(attest_at(acc, m, r), factor[r]) ==
                   \at(attest_times(attest_at(acc, m, r), factor[r]), Pre); @/); */
      add_one(p + g, v + c, v_row, end, acc + (c * ATTEST_LANES + g), factor + g)
          /*@ ghost (p, v, acc, factor, first, last, e, g, c, width, row, count, key) */;
      /*@ ghost ATTEST_EXACTLY(
            /@ for numbers: assert new: \forall integer m, r; m == c &&
                 g <= r < g + GROUP && r < count ==>
                   attest_at(acc, m, r) == \at(attest_lane_sum(acc, factor, first, last, e, row, r, m, key, keys), Pre); @/
            /@ for numbers: assert old: \forall integer m, r; 0 <= m < width && 0 <= r < count &&
                 (r < g || r < g + GROUP && m < c) ==>
                   attest_at(acc, m, r) == \at(attest_lane_sum(acc, factor, first, last, e, row, r, m, key, keys), Pre); @/); */
    }
  }
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

/* x 0 is 0 but where x is NaN or infinite, and what is added up is NaN from then on. */
int attest_lanes_finite(const real *v, size_t v_row, size_t keys, size_t width) {
  real a[WIDE];
  int wild = 0;
  const size_t blocks = width - width % WIDE;
  /*@ loop invariant 0 <= b <= WIDE;
      loop assigns b, a[0 .. WIDE - 1];
      loop variant WIDE - b; */
  for (size_t b = 0; b < WIDE; b++) a[b] = 0;
  /*@ loop invariant 0 <= j <= keys;
      loop assigns j, wild, a[0 .. WIDE - 1];
      loop variant keys - j; */
  for (size_t j = 0; j < keys; j++) {
    const real *row = v + attest_row(j, v_row) /*@ ghost (keys) */;
    /*@ loop invariant 0 <= c <= blocks && c % WIDE == 0;
        loop assigns c, a[0 .. WIDE - 1];
        loop variant blocks - c; */
    for (size_t c = 0; c < blocks; c += WIDE) {
      /*@ loop invariant 0 <= b <= WIDE;
          loop assigns b, a[0 .. WIDE - 1];
          loop variant WIDE - b; */
      for (size_t b = 0; b < WIDE; b++) a[b] += row[c + b] * 0;
    }
    /*@ loop invariant blocks <= c <= width;
        loop assigns c, wild;
        loop variant width - c; */
    for (size_t c = blocks; c < width; c++) wild |= row[c] * 0 != 0;
  }
  /*@ loop invariant 0 <= b <= WIDE;
      loop assigns b, wild;
      loop variant WIDE - b; */
  for (size_t b = 0; b < WIDE; b++) wild |= a[b] != 0;
  return !wild;
}

void attest_lanes_divide(real *restrict acc, size_t width, const real *restrict sum,
                         const int *restrict seen) {
  /*@ loop invariant 0 <= c <= width;
      ATTEST_EXACTLY(
        loop invariant \forall integer n; 0 <= n < ATTEST_LANES ==> sum[n] == \at(sum[n], Pre);
        loop invariant \forall integer m, n; 0 <= m < c && 0 <= n < ATTEST_LANES ==>
          attest_lane_divided{Pre, Here}(acc, sum, seen, m, n);
        loop invariant \forall integer m, n; c <= m < width && 0 <= n < ATTEST_LANES ==>
          attest_at(acc, m, n) == \at(attest_at(acc, m, n), Pre);)
      loop assigns c, acc[0 .. width * ATTEST_LANES - 1];
      loop variant width - c; */
  for (size_t c = 0; c < width; c++) {
    /*@ loop invariant 0 <= r <= ATTEST_LANES;
        ATTEST_EXACTLY(
          loop invariant \forall integer n; 0 <= n < ATTEST_LANES ==> sum[n] == \at(sum[n], Pre);
          loop invariant \forall integer m, n; 0 <= n < ATTEST_LANES && 0 <= m <= c &&
            (m < c || n < r) ==> attest_lane_divided{Pre, Here}(acc, sum, seen, m, n);
          loop invariant \forall integer m, n; 0 <= n < ATTEST_LANES && c <= m < width &&
            (c < m || r <= n) ==> attest_at(acc, m, n) == \at(attest_at(acc, m, n), Pre);)
        loop assigns r, acc[0 .. width * ATTEST_LANES - 1];
        loop variant ATTEST_LANES - r; */
    for (size_t r = 0; r < ATTEST_LANES; r++) {
      const real share = attest_output(acc[c * ATTEST_LANES + r], sum[r], seen[r]);
      /*@ ghost ATTEST_EXACTLY(
            attest_divided(acc[c * ATTEST_LANES + r], sum[r], share);
            /@ assert at: acc[c * ATTEST_LANES + r] == attest_at(acc, c, r); @/); */
      put(acc + (c * ATTEST_LANES + r), share) /*@ ghost (acc, c, r) */;
      /*@ ghost ATTEST_EXACTLY(
            /@ assert this: attest_lane_divided{Pre, Here}(acc, sum, seen, c, r); @/
            /@ assert others: \forall integer m, n; 0 <= n < ATTEST_LANES && 0 <= m <= c &&
                 (m < c || n < r) ==> attest_lane_divided{Pre, Here}(acc, sum, seen, m, n); @/); */
    }
  }
}
