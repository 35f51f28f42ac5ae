#include "attention.h"

#include "naive.h"
#include "sizes.h"
#include "sqrt.h"

/* Whether a tensor with rows fits into an object. */
/*@ requires batch >= 1 && heads >= 1 && rows >= 1 && 1 <= width <= ATTEST_MAX_WIDTH;
    assigns \nothing;
    ensures \result != 0 ==> attest_tensor_fits(batch, heads, rows, width, s);
*/
static int tensor_fits(size_t batch, size_t heads, size_t rows, size_t width,
                       const attest_strides s) {
  size_t total = width;
  return attest_reach(&total, batch, s.batch) && attest_reach(&total, heads, s.head) &&
         attest_reach(&total, rows, s.row);
}

/*@ requires batch >= 1 && heads >= 1 && rows >= 1 && keys >= 1;
    assigns \nothing;
    ensures \result != 0 ==> attest_mask_fits(batch, heads, rows, keys, s);
*/
static int mask_fits(size_t batch, size_t heads, size_t rows, size_t keys,
                     const attest_mask_strides s) {
  size_t total = 1;
  return attest_reach(&total, batch, s.batch) && attest_reach(&total, heads, s.head) &&
         attest_reach(&total, rows, s.row) && attest_reach(&total, keys, s.key);
}

/* The same for log-sum-exp and weights, which are dense. */
/*@ requires attest_counts_ok(s) && attest_some_rows(s);
    assigns \nothing;
    ensures \result != 0 ==>
      0 <= (s.batch - 1) * s.q_heads && attest_fits(s.batch * s.q_heads) &&
      0 <= (s.batch * s.q_heads - 1) * s.q_len && attest_fits(attest_rows_extent(s)) &&
      0 <= s.q_len * s.kv_len && attest_fits(s.q_len * s.kv_len) &&
      0 <= (s.batch * s.q_heads - 1) * (s.q_len * s.kv_len) &&
      (weights != 0 ==> attest_fits(attest_weights_extent(s)));
*/
static int dense_fits(const attest_shape s, int weights) {
  size_t heads = s.q_heads;
  if (!attest_reach(&heads, s.batch, s.q_heads)) return 0;
  //@ assert heads: heads == s.batch * s.q_heads;
  size_t rows = s.q_len;
  if (!attest_reach(&rows, heads, s.q_len)) return 0;
  size_t cells = s.q_len;
  if (!attest_times(&cells, s.kv_len)) return 0;
  //@ ghost attest_product_not_negative(heads - 1, cells);
  size_t all = cells;
  if (weights && !attest_reach(&all, heads, cells)) return 0;
  return 1;
}

/* What is wrong with the sizes alone. */
/*@ assigns \nothing;
    ensures \result == ATTEST_OK ==> attest_counts_ok(s);
*/
static attest_status check_sizes(const attest_shape s) {
  if (s.q_heads == 0 || s.kv_heads == 0 || s.width == 0 || s.value_width == 0)
    return ATTEST_SHAPE;
  if (s.batch > ATTEST_MAX_BATCH || s.q_heads > ATTEST_MAX_HEADS || s.q_len > ATTEST_MAX_KEYS ||
      s.kv_len > ATTEST_MAX_KEYS || s.width > ATTEST_MAX_WIDTH ||
      s.value_width > ATTEST_MAX_WIDTH)
    return ATTEST_LIMIT;
  if (s.kv_heads > s.q_heads || s.q_heads % s.kv_heads != 0) return ATTEST_HEADS;
  return ATTEST_OK;
}

/* Whether output rows are apart, taking the three strides as nested in the order given: each no
   smaller than what the ones before it extend to. A stride that is used once does not matter. */
/*@ requires 1 <= width <= ATTEST_MAX_WIDTH && n1 >= 1 && n2 >= 1 && n3 >= 1;
    assigns \nothing;
*/
static int nested(size_t width, size_t n1, size_t s1, size_t n2, size_t s2, size_t n3,
                  size_t s3) {
  size_t extent = width;
  if (n1 > 1 && s1 < extent) return 0;
  if (!attest_reach(&extent, n1, s1)) return 0;
  if (n2 > 1 && s2 < extent) return 0;
  if (!attest_reach(&extent, n2, s2)) return 0;
  return n3 == 1 || s3 >= extent;
}

/*@ requires attest_counts_ok(s) && attest_some_rows(s);
    assigns \nothing;
*/
static int output_rows_apart(const attest_shape s) {
  const size_t w = s.value_width, b = s.batch, h = s.q_heads, r = s.q_len;
  const attest_strides o = s.out;
  return nested(w, r, o.row, h, o.head, b, o.batch) || nested(w, h, o.head, r, o.row, b, o.batch) ||
         nested(w, r, o.row, b, o.batch, h, o.head) || nested(w, h, o.head, b, o.batch, r, o.row) ||
         nested(w, b, o.batch, r, o.row, h, o.head) || nested(w, b, o.batch, h, o.head, r, o.row);
}

/* What is wrong with offset, window and key lengths. */
/*@ requires attest_lengths_readable(s);
    assigns \nothing;
    ensures \result == ATTEST_OK ==> attest_reach_ok(s) && attest_lengths_ok(s);
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
  if (!dense_fits(s, a.weights != NULL)) return ATTEST_LIMIT;
  const attest_status apart = output_rows_apart(s) ? ATTEST_OK : ATTEST_SHAPE;
  if (s.kv_len == 0) return apart;
  if (!tensor_fits(s.batch, s.kv_heads, s.kv_len, s.width, s.k)) return ATTEST_LIMIT;
  if (!tensor_fits(s.batch, s.kv_heads, s.kv_len, s.value_width, s.v)) return ATTEST_LIMIT;
  if (a.mask && !mask_fits(s.batch, s.q_heads, s.q_len, s.kv_len, s.mask)) return ATTEST_LIMIT;
  if (a.bias && !mask_fits(s.batch, s.q_heads, s.q_len, s.kv_len, s.bias)) return ATTEST_LIMIT;
  return apart;
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
/*@ requires attest_counts_ok(s) && attest_reach_ok(s) && key_length <= s.kv_len;
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

/* Elements from the start of a tensor to one of its heads. */
/*@ requires batch < batches && head < heads;
    requires 0 <= (batches - 1) * batch_stride && 0 <= (heads - 1) * head_stride;
    requires attest_fits((batches - 1) * batch_stride + (heads - 1) * head_stride);
    assigns \nothing;
    ensures \result == batch * batch_stride + head * head_stride;
    ensures \result <= (batches - 1) * batch_stride + (heads - 1) * head_stride;
*/
static size_t head_offset(size_t batch_stride, size_t head_stride, size_t batch, size_t head)
    /*@ ghost (size_t batches, size_t heads) */ {
  return attest_row(batch, batch_stride) /*@ ghost (batches) */ +
         attest_row(head, head_stride) /*@ ghost (heads) */;
}

/* A tensor's rows for one head: input, output, mask, and the dense outputs. A tensor without rows is
   not moved into, since it may have no elements at all. */

/*@ requires batch < batches && head < heads && 1 <= width <= ATTEST_MAX_WIDTH;
    requires rows >= 1 ==> attest_tensor_fits(batches, heads, rows, width, s) &&
      \valid_read(p + (0 .. attest_extent4(batches, heads, rows, width, s) - 1));
    assigns \nothing;
    ensures attest_fits(attest_extent(rows, s.row, width));
    ensures \valid_read(\result + (0 .. attest_extent(rows, s.row, width) - 1));
*/
static const real *input_head(const real *p, size_t rows, const attest_strides s, size_t batch,
                              size_t head)
    /*@ ghost (size_t batches, size_t heads, size_t width) */ {
  if (rows == 0) return p;
  return p + head_offset(s.batch, s.head, batch, head) /*@ ghost (batches, heads) */;
}

/*@ requires batch < batches && head < heads && 1 <= width <= ATTEST_MAX_WIDTH && rows >= 1;
    requires attest_tensor_fits(batches, heads, rows, width, s);
    requires p != \null ==>
      \valid(p + (0 .. attest_extent4(batches, heads, rows, width, s) - 1));
    assigns \nothing;
    ensures attest_fits(attest_extent(rows, s.row, width));
    ensures p == \null ==> \result == \null;
    ensures p != \null ==> \valid(\result + (0 .. attest_extent(rows, s.row, width) - 1));
    ensures p != \null ==> \result == p + (batch * s.batch + head * s.head);
    ensures 0 <= batch * s.batch + head * s.head <=
      (batches - 1) * s.batch + (heads - 1) * s.head;
*/
static real *output_head(real *p, const attest_strides s, size_t batch, size_t head)
    /*@ ghost (size_t batches, size_t heads, size_t rows, size_t width) */ {
  const size_t offset = head_offset(s.batch, s.head, batch, head) /*@ ghost (batches, heads) */;
  return p ? p + offset : p;
}

/*@ requires batch < batches && head < heads && rows >= 1;
    requires keys >= 1 && p != \null ==> attest_mask_fits(batches, heads, rows, keys, s) &&
      \valid_read(p + (0 .. attest_mask_extent4(batches, heads, rows, keys, s) - 1));
    assigns \nothing;
    ensures p == \null ==> \result == \null;
    ensures p != \null ==> attest_fits(attest_mask_extent(rows, s.row, keys, s.key)) &&
      \valid_read(\result + (0 .. attest_mask_extent(rows, s.row, keys, s.key) - 1));
*/
static const uint8_t *mask_head(const uint8_t *p, size_t keys, const attest_mask_strides s,
                                size_t batch, size_t head)
    /*@ ghost (size_t batches, size_t heads, size_t rows) */ {
  if (!p || keys == 0) return p;
  return p + head_offset(s.batch, s.head, batch, head) /*@ ghost (batches, heads) */;
}

/*@ requires batch < batches && head < heads && rows >= 1;
    requires keys >= 1 && p != \null ==> attest_mask_fits(batches, heads, rows, keys, s) &&
      \valid_read(p + (0 .. attest_mask_extent4(batches, heads, rows, keys, s) - 1));
    assigns \nothing;
    ensures p == \null ==> \result == \null;
    ensures p != \null ==> attest_fits(attest_mask_extent(rows, s.row, keys, s.key)) &&
      \valid_read(\result + (0 .. attest_mask_extent(rows, s.row, keys, s.key) - 1));
*/
static const real *bias_head(const real *p, size_t keys, const attest_mask_strides s,
                             size_t batch, size_t head)
    /*@ ghost (size_t batches, size_t heads, size_t rows) */ {
  if (!p || keys == 0) return p;
  return p + head_offset(s.batch, s.head, batch, head) /*@ ghost (batches, heads) */;
}

/*@ requires batch < batches && head < heads;
    requires 0 <= (batches - 1) * heads && attest_fits(batches * heads);
    requires 0 <= (batches * heads - 1) * cells;
    requires p != \null ==> attest_fits((batches * heads - 1) * cells + cells) &&
      \valid(p + (0 .. (batches * heads - 1) * cells + cells - 1));
    assigns \nothing;
    ensures p == \null ==> \result == \null;
    ensures p != \null ==> \result == p + (batch * heads + head) * cells;
    ensures p != \null ==> 0 <= (batch * heads + head) * cells <= (batches * heads - 1) * cells;
    ensures p != \null ==> \valid(\result + (0 .. cells - 1));
*/
static real *dense_head(real *p, size_t heads, size_t cells, size_t batch, size_t head)
    /*@ ghost (size_t batches) */ {
  if (!p) return p;
  const size_t at = attest_row(batch, heads) /*@ ghost (batches) */ + head;
  return p + attest_row(at, cells) /*@ ghost (batches * heads) */;
}

attest_head attest_head_at(const attest_shape s, const attest_arrays a, size_t batch,
                           size_t head) {
  const size_t kv_head = attest_kv_head(head, s.q_heads, s.kv_heads);
  const size_t key_length = s.key_lengths ? s.key_lengths[batch] : s.kv_len;
  int64_t low, high;
  reach(s, key_length, &low, &high);
  attest_head h;
  h.q_len = s.q_len;
  h.kv_len = s.kv_len;
  h.key_length = key_length;
  h.low = low;
  h.high = high;
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
  h.q = input_head(a.q, s.q_len, s.q, batch, head) /*@ ghost (s.batch, s.q_heads, s.width) */;
  h.k = input_head(a.k, s.kv_len, s.k, batch, kv_head)
        /*@ ghost (s.batch, s.kv_heads, s.width) */;
  h.v = input_head(a.v, s.kv_len, s.v, batch, kv_head)
        /*@ ghost (s.batch, s.kv_heads, s.value_width) */;
  h.mask = mask_head(a.mask, s.kv_len, s.mask, batch, head)
           /*@ ghost (s.batch, s.q_heads, s.q_len) */;
  h.bias = bias_head(a.bias, s.kv_len, s.bias, batch, head)
           /*@ ghost (s.batch, s.q_heads, s.q_len) */;
  h.out = output_head(a.out, s.out, batch, head)
          /*@ ghost (s.batch, s.q_heads, s.q_len, s.value_width) */;
  h.weights = dense_head(a.weights, s.q_heads, s.q_len * s.kv_len, batch, head)
              /*@ ghost (s.batch) */;
  h.lse = dense_head(a.lse, s.q_heads, s.q_len, batch, head) /*@ ghost (s.batch) */;
  //@ assert cells: attest_extent(h.q_len, h.kv_len, h.kv_len) == s.q_len * s.kv_len;
  /*@ assert out: h.out != \null ==>
        \valid(h.out + (0 .. attest_extent(h.q_len, h.out_row, h.value_width) - 1)); */
  //@ assert weights: h.weights != \null ==> \valid(h.weights + (0 .. s.q_len * s.kv_len - 1));
  //@ assert lse: h.lse != \null ==> \valid(h.lse + (0 .. h.q_len - 1));
  return h;
}

/*@ assigns \nothing;
    ensures \result != 0 ==> 1 <= tile <= ATTEST_MAX_TILE &&
      (engine == ATTEST_NAIVE || engine == ATTEST_TILED || engine == ATTEST_DECODE);
*/
static int engine_allowed(attest_engine engine, size_t tile) {
  if (engine != ATTEST_NAIVE && engine != ATTEST_TILED && engine != ATTEST_DECODE) return 0;
  return tile >= 1 && tile <= ATTEST_MAX_TILE;
}

/* Scratch of one head, in reals; every nest clears what it reads of it. */
/*@ requires attest_counts_ok(s) && 1 <= tile <= ATTEST_MAX_TILE;
    assigns \nothing;
    ensures engine == ATTEST_NAIVE ==> \result >= s.kv_len;
    ensures engine == ATTEST_TILED ==>
      \result >= attest_tiled_scratch(s.width, s.value_width, tile);
    ensures engine == ATTEST_DECODE ==> \result >= ATTEST_LANES;
    ensures 1 <= \result <= 8388608;
*/
static size_t scratch_for(const attest_shape s, attest_engine engine, size_t tile) {
  if (engine == ATTEST_TILED) return (s.width + s.value_width + tile) * ATTEST_LANES;
  if (engine == ATTEST_DECODE) return ATTEST_LANES;
  return s.kv_len > 0 ? s.kv_len : 1;
}

size_t attest_scratch_of(const attest_shape s, attest_engine engine, size_t tile) {
  if (!engine_allowed(engine, tile)) return 0;
  const attest_arrays none = {0};
  if (attest_check(s, none) != ATTEST_OK) return 0;
  return scratch_for(s, engine, tile);
}

size_t attest_scratch(const attest_shape *shape, attest_engine engine, size_t tile) {
  return shape ? attest_scratch_of(*shape, engine, tile) : 0;
}

/*@ requires attest_sizes(h) && attest_inputs(h) && attest_outputs(h);
    requires 1 <= tile <= ATTEST_MAX_TILE;
    requires engine == ATTEST_NAIVE || engine == ATTEST_TILED || engine == ATTEST_DECODE;
    requires \valid(scratch + (0 .. size - 1));
    requires engine == ATTEST_NAIVE ==> size >= h.kv_len;
    requires engine == ATTEST_TILED ==> size >= attest_tiled_scratch(h.width, h.value_width, tile);
    requires engine == ATTEST_DECODE ==> size >= ATTEST_LANES;
    assigns scratch[0 .. size - 1],
            h.out[0 .. attest_extent(h.q_len, h.out_row, h.value_width) - 1],
            h.weights[0 .. attest_extent(h.q_len, h.kv_len, h.kv_len) - 1],
            h.lse[0 .. h.q_len - 1];
*/
static void one_head(const attest_head h, attest_rule rule, attest_engine engine, size_t tile,
                     real *scratch) /*@ ghost (size_t size) */ {
  if (engine == ATTEST_TILED)
    attest_tiled_head(h, rule, tile, scratch);
  else if (engine == ATTEST_DECODE)
    attest_decode_head(h, rule, scratch);
  else
    attest_naive_head(h, rule, scratch);
}

/*@ requires attest_counts_ok(s) && attest_reach_ok(s) && attest_some_rows(s);
    requires attest_extents_ok(s) && attest_optional_ok(s, a);
    requires attest_readable(s, a) && attest_writable(s, a) && a.out != \null;
    requires attest_lengths_readable(s) && attest_lengths_ok(s);
    requires 1 <= tile <= ATTEST_MAX_TILE;
    requires engine == ATTEST_NAIVE || engine == ATTEST_TILED || engine == ATTEST_DECODE;
    requires size >= 1 && \valid(scratch + (0 .. size - 1));
    requires engine == ATTEST_NAIVE ==> size >= s.kv_len;
    requires engine == ATTEST_TILED ==> size >= attest_tiled_scratch(s.width, s.value_width, tile);
    requires engine == ATTEST_DECODE ==> size >= ATTEST_LANES;
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
      one_head(h, rule, engine, tile, scratch) /*@ ghost (size) */;
    }
  }
}

attest_status attest_run(const attest_shape s, const attest_arrays a, attest_engine engine,
                         size_t tile, real *scratch, size_t scratch_count) {
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

attest_status attest_attention(const attest_shape *shape, const attest_arrays *arrays,
                               attest_engine engine, size_t tile, real *scratch,
                               size_t scratch_count) {
  if (!shape || !arrays || !scratch) return ATTEST_NULL;
  return attest_run(*shape, *arrays, engine, tile, scratch, scratch_count);
}
