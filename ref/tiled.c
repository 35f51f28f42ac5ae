#include "tiled.h"

#include "finish.h"
#include "lanes.h"
#include "score.h"
#include "softmax.h"

/* ATTEST_LANES consecutive query rows, the last block fewer. */
typedef struct {
  size_t row, count;    /* rows row .. row + count - 1 in lanes 0 .. count - 1 */
  size_t begin, end;    /* every key that some row may see by position */
  size_t inner, outer;  /* between them, every row sees every key by position */
  int plain;            /* neither mask, bias, softcap nor a factor above 1 */
} lane_block;

/*@ predicate block_ok(attest_head h, lane_block b) =
      1 <= b.count <= ATTEST_LANES && b.row + b.count <= h.q_len &&
      b.begin <= b.end <= h.key_length;

    predicate tile_ok(lane_block b, integer j, integer keys) =
      b.begin <= j && 1 <= keys <= ATTEST_MAX_TILE && j + keys <= b.end;
*/

/*@ assigns \nothing; */
static int plain_problem(const attest_head h, attest_rule rule) {
  return !h.mask && !h.bias && !(rule.softcap > 0) && rule.scale2 <= 1 && rule.scale2 >= -1;
}

/* The keys row i of a block may see, counted from key j of a tile and cut to 0 .. keys. */
/*@ requires attest_sizes(h) && i < h.q_len && j + keys <= h.key_length;
    requires 0 <= keys <= ATTEST_MAX_TILE;
    requires \valid(first) && \valid(last) && \separated(first, last);
    assigns *first, *last;
    ensures 0 <= *first <= keys && 0 <= *last <= keys;
*/
static void span_in_tile(const attest_head h, size_t i, size_t j, size_t keys, int32_t *first,
                         int32_t *last) {
  const size_t begin = attest_bound(i, h.low, h.key_length);
  const size_t end = attest_bound(i, h.high, h.key_length);
  *first = (int32_t)(begin <= j ? 0 : (begin - j < keys ? begin - j : keys));
  *last = (int32_t)(end <= j ? 0 : (end - j < keys ? end - j : keys));
}

/* The keys of a tile that each lane may see by position: first[r] .. last[r] - 1. Lanes without a row
   see none, or all where every row does. Returns whether any row has a hidden one. */
/*@ requires attest_sizes(h) && block_ok(h, b) && tile_ok(b, j, keys);
    requires \valid(first + (0 .. ATTEST_LANES - 1)) && \valid(last + (0 .. ATTEST_LANES - 1));
    assigns first[0 .. ATTEST_LANES - 1], last[0 .. ATTEST_LANES - 1];
*/
static int spans(const attest_head h, lane_block b, size_t j, size_t keys, int32_t *first,
                 int32_t *last) {
  const int hidden = j < b.inner || b.outer < j + keys;
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, first[0 .. ATTEST_LANES - 1], last[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) {
    first[r] = 0;
    last[r] = hidden ? 0 : (int32_t)keys;
  }
  if (!hidden) return 0;
  /*@ loop invariant 0 <= r <= b.count;
      loop assigns r, first[0 .. ATTEST_LANES - 1], last[0 .. ATTEST_LANES - 1];
      loop variant b.count - r; */
  for (size_t r = 0; r < b.count; r++) {
    int32_t from, to;
    span_in_tile(h, b.row + r, j, keys, &from, &to);
    first[r] = from;
    last[r] = to;
  }
  return 1;
}

/* Dot products of a tile to scores in base 2, -inf where hidden. Returns whether a key is hidden from
   any lane. seen[r] becomes nonzero where lane r has a visible one. */
/*@ requires attest_sizes(h) && attest_inputs(h) && block_ok(h, b) && tile_ok(b, j, keys);
    requires \valid_read(first + (0 .. ATTEST_LANES - 1));
    requires \valid_read(last + (0 .. ATTEST_LANES - 1));
    requires \valid(s + (0 .. keys * ATTEST_LANES - 1));
    requires \valid(seen + (0 .. ATTEST_LANES - 1));
    assigns s[0 .. keys * ATTEST_LANES - 1], seen[0 .. ATTEST_LANES - 1];
*/
static int score_general(const attest_head h, attest_rule rule, lane_block b, size_t j,
                         size_t keys, const int32_t *first, const int32_t *last, real *s,
                         int *seen) {
  int hidden = 0;
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, hidden, s[0 .. keys * ATTEST_LANES - 1], seen[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) {
    /*@ loop invariant 0 <= t <= keys;
        loop assigns t, hidden, s[0 .. keys * ATTEST_LANES - 1], seen[0 .. ATTEST_LANES - 1];
        loop variant keys - t; */
    for (size_t t = 0; t < keys; t++) {
      real y = ATTEST_HIDDEN;
      if (r < b.count && first[r] <= (int32_t)t && (int32_t)t < last[r] &&
          !attest_masked(h, b.row + r, j + t)) {
        y = attest_score_at(h, rule, b.row + r, j + t, s[t * ATTEST_LANES + r]);
        seen[r] = 1;
      } else {
        hidden = 1;
      }
      s[t * ATTEST_LANES + r] = y;
    }
  }
  return hidden;
}

/* The same for a plain problem, whose scores are done but for what positions hide. */
/*@ requires 1 <= keys <= ATTEST_MAX_TILE;
    requires \valid_read(first + (0 .. ATTEST_LANES - 1));
    requires \valid_read(last + (0 .. ATTEST_LANES - 1));
    requires \valid(s + (0 .. keys * ATTEST_LANES - 1));
    requires \valid(seen + (0 .. ATTEST_LANES - 1));
    assigns s[0 .. keys * ATTEST_LANES - 1], seen[0 .. ATTEST_LANES - 1];
*/
static int score_plain(int hidden, size_t keys, const int32_t *first, const int32_t *last, real *s,
                       int *seen) {
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, seen[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) seen[r] |= first[r] < last[r];
  if (hidden) attest_lanes_hide(s, keys, first, last);
  return hidden;
}

/* What is read or written soon, from key j of a block on: the block's outputs, the queries of the next
   and, under a causal mask, as many keys. A row is asked for with each key, until there is none left. */
/*@ requires attest_sizes(h) && block_ok(h, b) && b.begin <= j <= b.end;
    assigns \nothing;
    ensures attest_ahead_ok(\result);
*/
static attest_ahead ahead_of(const attest_head h, lane_block b, size_t j) {
  const size_t asked = j - b.begin;
  attest_ahead a;
  a.head = h;
  a.out = b.row;
  a.q = b.row + b.count;
  a.key = b.end;
  a.count = 0;
  if (asked < ATTEST_LANES) {
    a.out += asked;
    a.q += asked;
    a.key += asked;
    a.count = ATTEST_LANES - asked;
  }
  return a;
}

/* Scores of a tile, and first and last as spans sets them. Returns whether a key is hidden. */
/*@ requires attest_sizes(h) && attest_inputs(h) && block_ok(h, b) && tile_ok(b, j, keys);
    requires \valid_read(qt + (0 .. h.width * ATTEST_LANES - 1));
    requires \valid(first + (0 .. ATTEST_LANES - 1)) && \valid(last + (0 .. ATTEST_LANES - 1));
    requires \valid(s + (0 .. keys * ATTEST_LANES - 1));
    requires \valid(seen + (0 .. ATTEST_LANES - 1));
    assigns first[0 .. ATTEST_LANES - 1], last[0 .. ATTEST_LANES - 1],
            s[0 .. keys * ATTEST_LANES - 1], seen[0 .. ATTEST_LANES - 1];
*/
static int score_tile(const attest_head h, attest_rule rule, lane_block b, size_t j, size_t keys,
                      const real *qt, int32_t *first, int32_t *last, real *s, int *seen) {
  const real *k = h.k + attest_rows(j, h.k_row) /*@ ghost (keys, h.kv_len) */;
  const int hidden = spans(h, b, j, keys, first, last);
  attest_lanes_scores(qt, k, h.k_row, keys, h.width, b.plain ? rule.scale2 : 1, last,
                      ahead_of(h, b, j), s) /*@ ghost (b.row, b.count, j) */;
  if (b.plain) return score_plain(hidden, keys, first, last, s, seen);
  return score_general(h, rule, b, j, keys, first, last, s, seen);
}

/* The weights of a block, from its final exponents and sums: the scores once more, tile by tile. */
/*@ requires attest_sizes(h) && attest_inputs(h) && attest_outputs(h) && block_ok(h, b);
    requires h.weights != \null;
    requires 1 <= tile <= ATTEST_MAX_TILE;
    requires \valid_read(qt + (0 .. h.width * ATTEST_LANES - 1));
    requires \valid(s + (0 .. tile * ATTEST_LANES - 1));
    requires \valid_read(exponent + (0 .. ATTEST_LANES - 1));
    requires \valid_read(sum + (0 .. ATTEST_LANES - 1));
    assigns s[0 .. tile * ATTEST_LANES - 1],
            h.weights[0 .. attest_extent(h.q_len, h.kv_len, h.kv_len) - 1];
*/
static void weigh_block(const attest_head h, attest_rule rule, lane_block b, size_t tile,
                        const real *qt, real *s, const real *exponent, const real *sum) {
  int32_t first[ATTEST_LANES], last[ATTEST_LANES];
  int seen[ATTEST_LANES];
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, seen[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) seen[r] = 0;
  /*@ loop invariant 0 <= r <= b.count;
      loop assigns r, h.weights[0 .. attest_extent(h.q_len, h.kv_len, h.kv_len) - 1];
      loop variant b.count - r; */
  for (size_t r = 0; r < b.count; r++) {
    real *weights = h.weights + attest_row(b.row + r, h.kv_len) /*@ ghost (h.q_len) */;
    /*@ loop invariant 0 <= t <= h.kv_len;
        loop assigns t, weights[0 .. h.kv_len - 1];
        loop variant h.kv_len - t; */
    for (size_t t = 0; t < h.kv_len; t++) weights[t] = 0;
  }
  size_t j = b.begin;
  /*@ loop invariant b.begin <= j <= b.end;
      loop assigns j, s[0 .. tile * ATTEST_LANES - 1], seen[0 .. ATTEST_LANES - 1],
                   first[0 .. ATTEST_LANES - 1], last[0 .. ATTEST_LANES - 1],
                   h.weights[0 .. attest_extent(h.q_len, h.kv_len, h.kv_len) - 1];
      loop variant b.end - j; */
  while (j < b.end) {
    const size_t keys = b.end - j < tile ? b.end - j : tile;
    score_tile(h, rule, b, j, keys, qt, first, last, s, seen);
    /*@ loop invariant 0 <= r <= b.count;
        loop assigns r, h.weights[0 .. attest_extent(h.q_len, h.kv_len, h.kv_len) - 1];
        loop variant b.count - r; */
    for (size_t r = 0; r < b.count; r++) {
      real *weights = h.weights + attest_row(b.row + r, h.kv_len) /*@ ghost (h.q_len) */;
      /*@ loop invariant 0 <= t <= keys;
          loop assigns t, weights[0 .. h.kv_len - 1];
          loop variant keys - t; */
      for (size_t t = 0; t < keys; t++) {
        if (first[r] <= (int32_t)t && (int32_t)t < last[r] && !attest_masked(h, b.row + r, j + t))
          weights[j + t] =
              attest_quotient(attest_weight(s[t * ATTEST_LANES + r], exponent[r]), sum[r]);
      }
    }
    j += keys;
  }
}

/* Weight -1, as attest_lanes_add_seen wants it, for the hidden keys of a tile, and in lanes without a
   row. */
/*@ requires attest_sizes(h) && attest_inputs(h) && block_ok(h, b) && tile_ok(b, j, keys);
    requires \valid_read(first + (0 .. ATTEST_LANES - 1));
    requires \valid_read(last + (0 .. ATTEST_LANES - 1));
    requires \valid(s + (0 .. keys * ATTEST_LANES - 1));
    assigns s[0 .. keys * ATTEST_LANES - 1];
*/
static void mark_hidden(const attest_head h, lane_block b, size_t j, size_t keys,
                        const int32_t *first, const int32_t *last, real *s) {
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, s[0 .. keys * ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) {
    /*@ loop invariant 0 <= t <= keys;
        loop assigns t, s[0 .. keys * ATTEST_LANES - 1];
        loop variant keys - t; */
    for (size_t t = 0; t < keys; t++) {
      if (r >= b.count || (int32_t)t < first[r] || last[r] <= (int32_t)t ||
          attest_masked(h, b.row + r, j + t))
        s[t * ATTEST_LANES + r] = -1;
    }
  }
}

/* How many keys of a tile come before the first that is hidden from some row; the last one is. */
/*@ requires tile_ok(b, j, keys);
    assigns \nothing;
    ensures 0 <= \result < keys;
*/
static size_t clear_keys(lane_block b, size_t j, size_t keys) {
  if (!b.plain || j < b.inner || b.outer <= j || b.outer - j >= keys) return 0;
  return b.outer - j;
}

/* Whether every value is finite that a hidden key of a tile has. */
/*@ requires attest_sizes(h) && attest_inputs(h) && block_ok(h, b) && tile_ok(b, j, keys);
    requires \valid_read(v + (0 .. attest_extent(keys, h.v_row, h.value_width) - 1));
    assigns \nothing;
*/
static int hidden_finite(const attest_head h, lane_block b, size_t j, size_t keys, const real *v) {
  const size_t clear = clear_keys(b, j, keys);
  const real *rest = v + attest_rows(clear, h.v_row) /*@ ghost (keys - clear, keys) */;
  return attest_lanes_finite(rest, h.v_row, keys - clear, h.value_width);
}

/* acc and the values of a tile, weighted by s. */
/*@ requires attest_sizes(h) && attest_inputs(h) && block_ok(h, b) && tile_ok(b, j, keys);
    requires \valid_read(first + (0 .. ATTEST_LANES - 1));
    requires \valid_read(last + (0 .. ATTEST_LANES - 1));
    requires \valid(s + (0 .. keys * ATTEST_LANES - 1));
    requires \valid(acc + (0 .. h.value_width * ATTEST_LANES - 1));
    requires \valid_read(factor + (0 .. ATTEST_LANES - 1));
    assigns s[0 .. keys * ATTEST_LANES - 1], acc[0 .. h.value_width * ATTEST_LANES - 1];
*/
static void add_tile(const attest_head h, lane_block b, size_t j, size_t keys, int hidden,
                     const int32_t *first, const int32_t *last, real *s, real *acc,
                     const real *factor) {
  const real *v = h.v + attest_rows(j, h.v_row) /*@ ghost (keys, h.kv_len) */;
  if (hidden && !hidden_finite(h, b, j, keys, v)) {
    mark_hidden(h, b, j, keys, first, last, s);
    attest_lanes_add_seen(s, v, h.v_row, keys, h.value_width, acc, factor);
  } else {
    attest_lanes_add(s, v, h.v_row, keys, h.value_width, acc, factor, last)
        /*@ ghost (first, factor, b.row, b.count, j) */;
  }
}

/* The rows of a block, from their accumulators, which become the outputs. */
/*@ requires attest_sizes(h) && attest_outputs(h) && block_ok(h, b);
    requires \valid(acc + (0 .. h.value_width * ATTEST_LANES - 1));
    requires \valid_read(exponent + (0 .. ATTEST_LANES - 1));
    requires \valid_read(sum + (0 .. ATTEST_LANES - 1));
    requires \valid_read(seen + (0 .. ATTEST_LANES - 1));
    assigns acc[0 .. h.value_width * ATTEST_LANES - 1],
            h.out[0 .. attest_extent(h.q_len, h.out_row, h.value_width) - 1],
            h.lse[0 .. h.q_len - 1];
*/
static void finish_block(const attest_head h, lane_block b, real *acc, const real *exponent,
                         const real *sum, const int *seen) {
  real *out = h.out + attest_rows(b.row, h.out_row) /*@ ghost (b.count, h.q_len) */;
  attest_lanes_divide(acc, h.value_width, sum, seen);
  attest_lanes_store(acc, b.count, h.value_width, out, h.out_row);
  if (!h.lse) return;
  /*@ loop invariant 0 <= r <= b.count;
      loop assigns r, h.lse[0 .. h.q_len - 1];
      loop variant b.count - r; */
  for (size_t r = 0; r < b.count; r++)
    h.lse[b.row + r] = attest_log_sum_exp(exponent[r], sum[r], seen[r]);
}

/*@ requires attest_sizes(h) && attest_inputs(h) && attest_outputs(h) && block_ok(h, b);
    requires 1 <= tile <= ATTEST_MAX_TILE;
    requires \valid(qt + (0 .. h.width * ATTEST_LANES - 1));
    requires \valid(acc + (0 .. h.value_width * ATTEST_LANES - 1));
    requires \valid(s + (0 .. tile * ATTEST_LANES - 1));
    assigns qt[0 .. h.width * ATTEST_LANES - 1], acc[0 .. h.value_width * ATTEST_LANES - 1],
            s[0 .. tile * ATTEST_LANES - 1],
            h.out[0 .. attest_extent(h.q_len, h.out_row, h.value_width) - 1],
            h.weights[0 .. attest_extent(h.q_len, h.kv_len, h.kv_len) - 1],
            h.lse[0 .. h.q_len - 1];
*/
static void tiled_block(const attest_head h, attest_rule rule, lane_block b, size_t tile,
                        real *qt, real *acc, real *s) {
  real exponent[ATTEST_LANES], sum[ATTEST_LANES], factor[ATTEST_LANES];
  int32_t first[ATTEST_LANES], last[ATTEST_LANES];
  int seen[ATTEST_LANES];
  /*@ loop invariant 0 <= r <= ATTEST_LANES;
      loop assigns r, exponent[0 .. ATTEST_LANES - 1], sum[0 .. ATTEST_LANES - 1],
                   seen[0 .. ATTEST_LANES - 1];
      loop variant ATTEST_LANES - r; */
  for (size_t r = 0; r < ATTEST_LANES; r++) {
    exponent[r] = ATTEST_HIDDEN;
    sum[r] = 0;
    seen[r] = 0;
  }
  const size_t count = h.value_width * ATTEST_LANES;
  /*@ loop invariant 0 <= n <= count;
      loop assigns n, acc[0 .. count - 1];
      loop variant count - n; */
  for (size_t n = 0; n < count; n++) acc[n] = 0;

  const real *q = h.q + attest_rows(b.row, h.q_row) /*@ ghost (b.count, h.q_len) */;
  attest_lanes_load(q, h.q_row, b.count, h.width, qt);

  size_t j = b.begin;
  /*@ loop invariant b.begin <= j <= b.end;
      loop assigns j, s[0 .. tile * ATTEST_LANES - 1], acc[0 .. h.value_width * ATTEST_LANES - 1],
                   exponent[0 .. ATTEST_LANES - 1], sum[0 .. ATTEST_LANES - 1],
                   factor[0 .. ATTEST_LANES - 1], seen[0 .. ATTEST_LANES - 1],
                   first[0 .. ATTEST_LANES - 1], last[0 .. ATTEST_LANES - 1];
      loop variant b.end - j; */
  while (j < b.end) {
    const size_t keys = b.end - j < tile ? b.end - j : tile;
    const int hidden = score_tile(h, rule, b, j, keys, qt, first, last, s, seen);
    attest_lanes_weights(s, keys, exponent, sum, factor, last);
    add_tile(h, b, j, keys, hidden, first, last, s, acc, factor);
    j += keys;
  }
  finish_block(h, b, acc, exponent, sum, seen);
  if (h.weights) weigh_block(h, rule, b, tile, qt, s, exponent, sum);
}

void attest_tiled_head(const attest_head h, attest_rule rule, size_t tile, real *scratch) {
  real *qt = scratch;
  real *acc = qt + h.width * ATTEST_LANES;
  real *s = acc + h.value_width * ATTEST_LANES;
  size_t row = 0;
  /*@ loop invariant 0 <= row <= h.q_len;
      loop assigns row, scratch[0 .. attest_tiled_scratch(h.width, h.value_width, tile) - 1],
                   h.out[0 .. attest_extent(h.q_len, h.out_row, h.value_width) - 1],
                   h.weights[0 .. attest_extent(h.q_len, h.kv_len, h.kv_len) - 1],
                   h.lse[0 .. h.q_len - 1];
      loop variant h.q_len - row; */
  while (row < h.q_len) {
    lane_block b;
    b.row = row;
    b.count = h.q_len - row < ATTEST_LANES ? h.q_len - row : ATTEST_LANES;
    /* The bounds grow with the row, so the first and last row of the block span it. */
    b.begin = attest_bound(row, h.low, h.key_length);
    b.end = attest_bound(row + b.count - 1, h.high, h.key_length);
    if (b.end < b.begin) b.end = b.begin;
    b.inner = attest_bound(row + b.count - 1, h.low, h.key_length);
    b.outer = attest_bound(row, h.high, h.key_length);
    b.plain = plain_problem(h, rule);
    tiled_block(h, rule, b, tile, qt, acc, s);
    row += b.count;
  }
}
