#include "attention.h"

#include "naive.h"
#include "sizes.h"
#include "sqrt.h"

/* Extent of a tensor with rows: 0 where it does not fit. */
/*@ requires batch >= 1 && heads >= 1 && rows >= 1 && 1 <= width <= ATTEST_MAX_WIDTH;
    assigns \nothing;
    ensures \result != 0 ==> attest_fits(attest_extent4(batch, s.batch, heads, s.head, rows, s.row,
                                                        width));
*/
static int tensor_fits(size_t batch, size_t heads, size_t rows, size_t width,
                       const attest_strides s) {
  size_t total = width;
  return attest_reach(&total, batch, s.batch) && attest_reach(&total, heads, s.head) &&
         attest_reach(&total, rows, s.row);
}

/*@ requires batch >= 1 && heads >= 1 && rows >= 1 && keys >= 1;
    assigns \nothing;
    ensures \result != 0 ==> attest_fits(attest_mask_extent4(batch, s.batch, heads, s.head, rows,
                                                             s.row, keys, s.key));
*/
static int mask_fits(size_t batch, size_t heads, size_t rows, size_t keys,
                     const attest_mask_strides s) {
  size_t total = 1;
  return attest_reach(&total, batch, s.batch) && attest_reach(&total, heads, s.head) &&
         attest_reach(&total, rows, s.row) && attest_reach(&total, keys, s.key);
}

/* What is wrong with the sizes alone. */
/*@ assigns \nothing;
    ensures \result == ATTEST_OK ==>
      s.batch <= ATTEST_MAX_BATCH && 1 <= s.kv_heads <= s.q_heads <= ATTEST_MAX_HEADS &&
      s.q_len <= ATTEST_MAX_KEYS && s.kv_len <= ATTEST_MAX_KEYS &&
      1 <= s.width <= ATTEST_MAX_WIDTH && 1 <= s.value_width <= ATTEST_MAX_WIDTH &&
      s.q_heads % s.kv_heads == 0;
*/
static attest_status check_sizes(const attest_shape s) {
  if (s.q_heads == 0 || s.kv_heads == 0 || s.width == 0 || s.value_width == 0)
    return ATTEST_SHAPE;
  if (s.batch > ATTEST_MAX_BATCH || s.q_heads > ATTEST_MAX_HEADS || s.q_len > ATTEST_MAX_KEYS ||
      s.kv_len > ATTEST_MAX_KEYS || s.width > ATTEST_MAX_WIDTH ||
      s.value_width > ATTEST_MAX_WIDTH)
    return ATTEST_LIMIT;
  if (s.kv_heads > s.q_heads || s.q_heads % s.kv_heads != 0) return ATTEST_HEADS;
  if (s.q_len > 1 && s.out.row < s.value_width) return ATTEST_SHAPE;
  return ATTEST_OK;
}

/* What is wrong with offset, window and key lengths. */
/*@ requires attest_lengths_readable(s);
    assigns \nothing;
    ensures \result == ATTEST_OK ==>
      -ATTEST_MAX_REACH <= s.offset <= ATTEST_MAX_REACH &&
      (s.window != 0 ==> -1 <= s.left <= ATTEST_MAX_REACH && -1 <= s.right <= ATTEST_MAX_REACH);
    ensures \result == ATTEST_OK && s.key_lengths != \null ==>
      \forall integer b; 0 <= b < s.batch ==> s.key_lengths[b] <= s.kv_len;
*/
static attest_status check_reach(const attest_shape s) {
  if (s.offset < -ATTEST_MAX_REACH || s.offset > ATTEST_MAX_REACH) return ATTEST_REACH;
  if (s.window && (s.left < -1 || s.left > ATTEST_MAX_REACH || s.right < -1 ||
                   s.right > ATTEST_MAX_REACH))
    return ATTEST_REACH;
  if (s.key_lengths) {
    /*@ loop invariant 0 <= b <= s.batch;
        loop invariant \forall integer c; 0 <= c < b ==> s.key_lengths[c] <= s.kv_len;
        loop assigns b;
        loop variant s.batch - b; */
    for (size_t b = 0; b < s.batch; b++)
      if (s.key_lengths[b] > s.kv_len) return ATTEST_REACH;
  }
  return ATTEST_OK;
}

/* Scale and softcap must survive the rounding to real: finite, and a softcap not 0. */
/*@ assigns \nothing; */
static attest_status check_numbers(const attest_shape s) {
  const attest_rule rule = attest_rule_of(s);
  if (!(rule.scale >= -ATTEST_MAX && rule.scale <= ATTEST_MAX)) return ATTEST_NUMBER;
  if (!(rule.scale2 >= -ATTEST_MAX && rule.scale2 <= ATTEST_MAX)) return ATTEST_NUMBER;
  if (!(s.softcap >= 0)) return ATTEST_NUMBER;
  if (s.softcap > 0 && !(rule.softcap > 0 && rule.softcap <= ATTEST_MAX)) return ATTEST_NUMBER;
  return ATTEST_OK;
}

attest_status attest_check(const attest_shape s, const attest_arrays a) {
  attest_status status = check_sizes(s);
  if (status == ATTEST_OK) status = check_reach(s);
  if (status == ATTEST_OK) status = check_numbers(s);
  if (status != ATTEST_OK) return status;
  if (s.batch == 0 || s.q_len == 0) return ATTEST_OK;
  if (!tensor_fits(s.batch, s.q_heads, s.q_len, s.width, s.q)) return ATTEST_LIMIT;
  if (!tensor_fits(s.batch, s.q_heads, s.q_len, s.value_width, s.out)) return ATTEST_LIMIT;
  size_t rows = s.batch;
  if (!attest_times(&rows, s.q_heads) || !attest_times(&rows, s.q_len)) return ATTEST_LIMIT;
  if (a.weights && !attest_times(&rows, s.kv_len)) return ATTEST_LIMIT;
  if (s.kv_len == 0) return ATTEST_OK;
  if (!tensor_fits(s.batch, s.kv_heads, s.kv_len, s.width, s.k)) return ATTEST_LIMIT;
  if (!tensor_fits(s.batch, s.kv_heads, s.kv_len, s.value_width, s.v)) return ATTEST_LIMIT;
  if (a.mask && !mask_fits(s.batch, s.q_heads, s.q_len, s.kv_len, s.mask)) return ATTEST_LIMIT;
  if (a.bias && !mask_fits(s.batch, s.q_heads, s.q_len, s.kv_len, s.bias)) return ATTEST_LIMIT;
  return ATTEST_OK;
}

attest_rule attest_rule_of(const attest_shape s) {
  const double scale = s.scale_given ? s.scale : 1.0 / attest_sqrt((double)s.width);
  attest_rule rule;
  rule.scale = (real)scale;
  rule.scale2 = (real)(scale * 0x1.71547652b82fep+0);
  rule.softcap = (real)s.softcap;
  return rule;
}

/* First and last key by position, relative to the row: i + low <= j < i + high. */
/*@ requires attest_shape_ok(s) && key_length <= s.kv_len;
    requires \valid(low) && \valid(high) && \separated(low, high);
    assigns *low, *high;
    ensures -4294967296 <= *low <= 4294967296 && -4294967296 <= *high <= 4294967296;
*/
static void reach(const attest_shape s, size_t key_length, int64_t *low, int64_t *high) {
  const int64_t far = 4294967296; /* beyond every key from every row */
  int64_t offset = s.offset;
  if (s.align_end) offset += (int64_t)key_length - (int64_t)s.q_len;
  *low = -far;
  *high = far;
  if (s.causal) *high = offset + 1;
  if (s.window && s.right >= 0 && offset + s.right + 1 < *high) *high = offset + s.right + 1;
  if (s.window && s.left >= 0) *low = offset - s.left;
}

attest_head attest_head_at(const attest_shape s, const attest_arrays a, size_t batch,
                           size_t head) {
  const size_t kv_head = head / (s.q_heads / s.kv_heads);
  attest_head h;
  h.q_len = s.q_len;
  h.kv_len = s.kv_len;
  h.key_length = s.key_lengths ? s.key_lengths[batch] : s.kv_len;
  h.width = s.width;
  h.value_width = s.value_width;
  h.q_row = s.q.row;
  h.k_row = s.k.row;
  h.v_row = s.v.row;
  h.out_row = s.out.row;
  h.mask_row = s.mask.row;
  h.mask_key = s.mask.key;
  h.bias_row = s.bias.row;
  h.bias_key = s.bias.key;
  reach(s, h.key_length, &h.low, &h.high);

  h.q = a.q + attest_row(batch, s.q.batch) /*@ ghost (s.batch) */;
  h.q = h.q + attest_row(head, s.q.head) /*@ ghost (s.q_heads) */;
  h.out = a.out + attest_row(batch, s.out.batch) /*@ ghost (s.batch) */;
  h.out = h.out + attest_row(head, s.out.head) /*@ ghost (s.q_heads) */;
  h.k = a.k;
  h.v = a.v;
  h.mask = a.mask;
  h.bias = a.bias;
  if (s.kv_len > 0) {
    h.k = h.k + attest_row(batch, s.k.batch) /*@ ghost (s.batch) */;
    h.k = h.k + attest_row(kv_head, s.k.head) /*@ ghost (s.kv_heads) */;
    h.v = h.v + attest_row(batch, s.v.batch) /*@ ghost (s.batch) */;
    h.v = h.v + attest_row(kv_head, s.v.head) /*@ ghost (s.kv_heads) */;
    if (h.mask) {
      h.mask = h.mask + attest_row(batch, s.mask.batch) /*@ ghost (s.batch) */;
      h.mask = h.mask + attest_row(head, s.mask.head) /*@ ghost (s.q_heads) */;
    }
    if (h.bias) {
      h.bias = h.bias + attest_row(batch, s.bias.batch) /*@ ghost (s.batch) */;
      h.bias = h.bias + attest_row(head, s.bias.head) /*@ ghost (s.q_heads) */;
    }
  }
  h.weights = a.weights;
  h.lse = a.lse;
  const size_t at = attest_row(batch, s.q_heads) /*@ ghost (s.batch) */ + head;
  if (h.weights) {
    const size_t cells = s.q_len * s.kv_len;
    h.weights = h.weights + attest_row(at, cells) /*@ ghost (s.batch * s.q_heads) */;
  }
  if (h.lse) h.lse = h.lse + attest_row(at, s.q_len) /*@ ghost (s.batch * s.q_heads) */;
  return h;
}

/*@ assigns \nothing; */
static int engine_allowed(attest_engine engine, size_t tile) {
  if (engine != ATTEST_NAIVE && engine != ATTEST_TILED && engine != ATTEST_DECODE) return 0;
  return tile >= 1 && tile <= ATTEST_MAX_TILE;
}

/* Scratch of one head, in reals; every nest clears what it reads of it. */
/*@ requires attest_shape_ok(s) && 1 <= tile <= ATTEST_MAX_TILE;
    assigns \nothing;
    ensures engine == ATTEST_NAIVE ==> \result >= s.kv_len;
    ensures engine == ATTEST_TILED ==>
      \result >= attest_tiled_scratch(s.width, s.value_width, tile);
    ensures engine == ATTEST_DECODE ==> \result >= attest_decode_scratch(s.width);
    ensures 1 <= \result <= 8388608;
*/
static size_t scratch_for(const attest_shape s, attest_engine engine, size_t tile) {
  if (engine == ATTEST_TILED) return (s.width + s.value_width + tile) * ATTEST_LANES;
  if (engine == ATTEST_DECODE) return (s.width + 1) * ATTEST_LANES;
  return s.kv_len > 0 ? s.kv_len : 1;
}

size_t attest_scratch(const attest_shape *shape, attest_engine engine, size_t tile) {
  if (!shape || !engine_allowed(engine, tile)) return 0;
  const attest_arrays none = {0};
  if (attest_check(*shape, none) != ATTEST_OK) return 0;
  return scratch_for(*shape, engine, tile);
}

/*@ requires attest_shape_ok(s) && attest_optional_ok(s, a);
    requires attest_readable(s, a) && attest_writable(s, a) && attest_lengths_readable(s);
    requires s.key_lengths != \null ==>
      \forall integer b; 0 <= b < s.batch ==> s.key_lengths[b] <= s.kv_len;
    requires 1 <= tile <= ATTEST_MAX_TILE && s.q_len >= 1;
    requires engine == ATTEST_NAIVE || engine == ATTEST_TILED || engine == ATTEST_DECODE;
    requires size >= 1 && \valid(scratch + (0 .. size - 1));
    requires engine == ATTEST_NAIVE ==> size >= s.kv_len;
    requires engine == ATTEST_TILED ==> size >= attest_tiled_scratch(s.width, s.value_width, tile);
    requires engine == ATTEST_DECODE ==> size >= attest_decode_scratch(s.width);
    assigns scratch[0 .. size - 1], a.out[0 .. attest_out_extent(s) - 1],
            a.weights[0 .. attest_weights_extent(s) - 1], a.lse[0 .. attest_rows_extent(s) - 1];
*/
static void every_head(const attest_shape s, const attest_arrays a, attest_rule rule,
                       attest_engine engine, size_t tile, real *scratch)
    /*@ ghost (size_t size) */ {
  /*@ loop invariant 0 <= b <= s.batch;
      loop assigns b, scratch[0 .. size - 1], a.out[0 .. attest_out_extent(s) - 1],
                   a.weights[0 .. attest_weights_extent(s) - 1],
                   a.lse[0 .. attest_rows_extent(s) - 1];
      loop variant s.batch - b; */
  for (size_t b = 0; b < s.batch; b++) {
    /*@ loop invariant 0 <= n <= s.q_heads;
        loop assigns n, scratch[0 .. size - 1], a.out[0 .. attest_out_extent(s) - 1],
                     a.weights[0 .. attest_weights_extent(s) - 1],
                     a.lse[0 .. attest_rows_extent(s) - 1];
        loop variant s.q_heads - n; */
    for (size_t n = 0; n < s.q_heads; n++) {
      const attest_head h = attest_head_at(s, a, b, n);
      if (engine == ATTEST_TILED)
        attest_tiled_head(h, rule, tile, scratch);
      else if (engine == ATTEST_DECODE)
        attest_decode_head(h, rule, scratch);
      else
        attest_naive_head(h, rule, scratch);
    }
  }
}

attest_status attest_attention(const attest_shape *shape, const attest_arrays *arrays,
                               attest_engine engine, size_t tile, real *scratch,
                               size_t scratch_count) {
  if (!shape || !arrays || !scratch) return ATTEST_NULL;
  const attest_shape s = *shape;
  const attest_arrays a = *arrays;
  if (!engine_allowed(engine, tile)) return ATTEST_ENGINE;
  const attest_status status = attest_check(s, a);
  if (status != ATTEST_OK) return status;
  if (s.batch == 0 || s.q_len == 0) return ATTEST_OK;
  if (!a.q || !a.out || (s.kv_len > 0 && (!a.k || !a.v))) return ATTEST_NULL;
  const size_t size = scratch_for(s, engine, tile);
  if (scratch_count < size) return ATTEST_SCRATCH;
  every_head(s, a, attest_rule_of(s), engine, tile, scratch) /*@ ghost (size) */;
  return ATTEST_OK;
}
