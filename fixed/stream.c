#include "stream.h"

#include "score.h"
#include "sums.h"
#include "weight.h"

/* A column's sum scaled down by 2^fall, cut off. */
/*@ requires attest_q16_column_ok(column, keys);
    assigns \nothing;
    ensures attest_q16_column_ok(\result, keys);
    ensures \result.least == column.least && \result.most == column.most;
*/
static attest_q16_column lowered(attest_q16_column column, uint64_t fall)
    /*@ ghost (uint32_t keys) */ {
  if (fall > 95U) fall = 95U; /* high is below 2^63, so nothing is left */
  uint32_t count = (uint32_t)fall;
  /*@ loop invariant count <= 95 && attest_q16_column_ok(column, keys);
      loop invariant column.least == \at(column.least, LoopEntry);
      loop invariant column.most == \at(column.most, LoopEntry);
      loop assigns count, column;
      loop variant count; */
  while (count >= 32U) {
    column.low = (uint32_t)(column.high % ATTEST_Q16_WORD);
    column.high /= ATTEST_Q16_WORD;
    count -= 32U;
  }
  const uint64_t both = column.high % ATTEST_Q16_WORD * ATTEST_Q16_WORD + column.low;
  column.low = (uint32_t)(attest_q16_down64(both, count) % ATTEST_Q16_WORD);
  column.high = attest_q16_down64(column.high, count);
  return column;
}

/* A column with one more key. The upper half of a product is below 2^31, 2^39 in units of far
   weights, and what the lower half carries is at most 2^8: 2^40 a key holds both. */
/*@ requires attest_q16_column_ok(column, keys) && keys < 65536 && attest_q16_weight_ok(weight);
    assigns \nothing;
    ensures attest_q16_column_ok(\result, keys + 1);
    ensures least: \result.least == \min(column.least, v + 2147483648);
    ensures most: \result.most == \max(column.most, v + 2147483648);
*/
static attest_q16_column added(attest_q16_column column, attest_q16_weight weight, int32_t v)
    /*@ ghost (uint32_t keys) */ {
  const uint32_t value = attest_q16_unsigned(v);
  const uint32_t unit = weight.near != 0 ? 256U : 1U;
  //@ assert product: 0 <= weight.value * value <= 2147483648 * 4294967295;
  const uint64_t product = attest_q16_product(weight.value, value);
  const uint64_t low = product % ATTEST_Q16_WORD * unit + column.low;
  column.high += product / ATTEST_Q16_WORD * unit + low / ATTEST_Q16_WORD;
  column.low = (uint32_t)(low % ATTEST_Q16_WORD);
  if (value < column.least) column.least = value;
  if (value > column.most) column.most = value;
  return column;
}

attest_q16_status attest_q16_stream_start(attest_q16_stream *stream, attest_q16_column *columns,
                                          uint32_t value_width) {
  const attest_q16_column empty = {0, 0, 4294967295U, 0};
  if (!stream || !columns) return ATTEST_Q16_NULL;
  if (value_width > ATTEST_Q16_MAX_WIDTH) return ATTEST_Q16_LIMIT;
  stream->top = 0;
  stream->total = 0;
  stream->keys = 0;
  /*@ loop invariant 0 <= c <= value_width;
      loop invariant attest_q16_columns_ok(columns, c, 0);
      loop invariant start: \forall integer t; 0 <= t < c ==>
        columns[t].least == 4294967295 && columns[t].most == 0;
      loop assigns c, columns[0 .. value_width - 1];
      loop variant value_width - c; */
  for (uint32_t c = 0; c < value_width; c++) columns[c] = empty;
  return ATTEST_Q16_OK;
}

/*@ requires \valid(columns + (0 .. value_width - 1));
    requires attest_q16_columns_ok(columns, value_width, keys);
    assigns columns[0 .. value_width - 1];
    ensures attest_q16_columns_ok(columns, value_width, keys);
    ensures same: \forall integer c; 0 <= c < value_width ==>
      columns[c].least == \old(columns[c].least) && columns[c].most == \old(columns[c].most);
*/
static void lower_all(attest_q16_column *columns, uint32_t value_width, uint64_t fall)
    /*@ ghost (uint32_t keys) */ {
  /*@ loop invariant 0 <= c <= value_width;
      loop invariant attest_q16_columns_ok(columns, value_width, keys);
      loop invariant same: \forall integer t; 0 <= t < value_width ==>
        columns[t].least == \at(columns[t].least, Pre) &&
        columns[t].most == \at(columns[t].most, Pre);
      loop assigns c, columns[0 .. value_width - 1];
      loop variant value_width - c; */
  for (uint32_t c = 0; c < value_width; c++) {
    columns[c] = lowered(columns[c], fall) /*@ ghost (keys) */;
    //@ assert this: attest_q16_column_ok(columns[c], keys);
    /*@ assert others: \forall integer t; 0 <= t < value_width && t != c ==>
          attest_q16_column_ok(columns[t], keys); */
  }
}

/*@ requires \valid(columns + (0 .. value_width - 1));
    requires \valid_read(v + (0 .. value_width - 1));
    requires keys < 65536 && attest_q16_weight_ok(weight);
    requires attest_q16_columns_ok(columns, value_width, keys);
    assigns columns[0 .. value_width - 1];
    ensures attest_q16_columns_ok(columns, value_width, keys + 1);
    ensures saw: attest_q16_columns_saw{Pre, Post}(columns, v, value_width);
*/
static void add_all(attest_q16_column *columns, uint32_t value_width, attest_q16_weight weight,
                    const int32_t *v) /*@ ghost (uint32_t keys) */ {
  /*@ loop invariant 0 <= c <= value_width;
      loop invariant attest_q16_columns_ok(columns, c, keys + 1);
      loop invariant \forall integer t; c <= t < value_width ==>
        attest_q16_column_ok(columns[t], keys);
      loop invariant saw: attest_q16_columns_saw{Pre, Here}(columns, v, c);
      loop invariant rest: \forall integer t; c <= t < value_width ==>
        columns[t].least == \at(columns[t].least, Pre) &&
        columns[t].most == \at(columns[t].most, Pre);
      loop assigns c, columns[0 .. value_width - 1];
      loop variant value_width - c; */
  for (uint32_t c = 0; c < value_width; c++)
    columns[c] = added(columns[c], weight, v[c]) /*@ ghost (keys) */;
}

/* The stream with a key of score y, its columns aside. */
/*@ requires attest_q16_score_ok(y) && stream.keys < 65536 && attest_q16_total_ok(stream);
    assigns \nothing;
    ensures \result.keys == stream.keys + 1 && stream.top <= \result.top;
    ensures attest_q16_total_ok(\result);
*/
static attest_q16_stream advanced(attest_q16_stream stream, attest_q16_score y) {
  if (y.whole > stream.top) {
    const uint64_t fall = y.whole - stream.top;
    stream.total = fall > 63U ? 0 : attest_q16_down64(stream.total, (uint32_t)fall);
    stream.top = y.whole;
  }
  stream.total += attest_q16_mass_of(attest_q16_weight_of(y, stream.top));
  stream.keys++;
  return stream;
}

attest_q16_status attest_q16_stream_add(attest_q16_stream *stream, attest_q16_column *columns,
                                        const int32_t *q, const int32_t *k, uint32_t width,
                                        const int32_t *v, uint32_t value_width,
                                        attest_q16_scale scale) {
  if (!stream || !columns || !q || !k || !v) return ATTEST_Q16_NULL;
  if (width == 0 || value_width == 0) return ATTEST_Q16_SHAPE;
  if (width > ATTEST_Q16_MAX_WIDTH || value_width > ATTEST_Q16_MAX_WIDTH ||
      stream->keys >= ATTEST_Q16_MAX_KEYS)
    return ATTEST_Q16_LIMIT;
  if (scale.exponent < -64 || scale.exponent > -17) return ATTEST_Q16_SCALE;
  const attest_q16_stream old = *stream;
  const attest_q16_dot dot = attest_q16_dot_of(q, k, width, attest_q16_peak(q, width));
  const attest_q16_score y = attest_q16_score_of(dot, scale);
  const attest_q16_stream now = advanced(old, y);
  if (now.top != old.top)
    lower_all(columns, value_width, now.top - old.top) /*@ ghost (old.keys) */;
  add_all(columns, value_width, attest_q16_weight_of(y, now.top), v) /*@ ghost (old.keys) */;
  *stream = now;
  return ATTEST_Q16_OK;
}

/* The output row of no key. */
/*@ requires \valid(out + (0 .. width - 1));
    assigns out[0 .. width - 1];
    ensures \forall integer c; 0 <= c < width ==> out[c] == 0;
*/
static void clear(int32_t *out, uint32_t width) {
  /*@ loop invariant 0 <= c <= width;
      loop invariant \forall integer d; 0 <= d < c ==> out[d] == 0;
      loop assigns c, out[0 .. width - 1];
      loop variant width - c; */
  for (uint32_t c = 0; c < width; c++) out[c] = 0;
}

attest_q16_status attest_q16_stream_output(const attest_q16_stream *stream,
                                           const attest_q16_column *columns, uint32_t value_width,
                                           int32_t *out) {
  if (!stream || !columns || !out) return ATTEST_Q16_NULL;
  if (value_width > ATTEST_Q16_MAX_WIDTH) return ATTEST_Q16_LIMIT;
  if (stream->total == 0) {
    clear(out, value_width);
    return ATTEST_Q16_OK;
  }
  const attest_q16_divisor divisor = attest_q16_divisor_of(stream->total);
  /*@ loop invariant 0 <= c <= value_width;
      loop invariant between: \forall integer d; 0 <= d < c ==>
        columns[d].least <= out[d] + 2147483648 <= columns[d].most;
      loop assigns c, out[0 .. value_width - 1];
      loop variant value_width - c; */
  for (uint32_t c = 0; c < value_width; c++) {
    const attest_q16_sum sum = {columns[c].high, columns[c].low};
    uint32_t value = attest_q16_divide(sum, &divisor);
    if (value < columns[c].least) value = columns[c].least;
    if (value > columns[c].most) value = columns[c].most;
    out[c] = attest_q16_signed(value);
  }
  return ATTEST_Q16_OK;
}
