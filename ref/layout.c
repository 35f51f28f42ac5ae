#include "attest.h"
#include "sizes.h"

/*@ assigns \nothing;
    ensures \result != 0 ==> s.width <= ATTEST_MAX_WIDTH && s.value_width <= ATTEST_MAX_WIDTH;
*/
static int sizes_allowed(const attest_shape s) {
  return s.q_heads <= ATTEST_MAX_HEADS && s.kv_heads <= ATTEST_MAX_HEADS &&
         s.q_len <= ATTEST_MAX_KEYS && s.kv_len <= ATTEST_MAX_KEYS &&
         s.width <= ATTEST_MAX_WIDTH && s.value_width <= ATTEST_MAX_WIDTH;
}

/* (B, H, S, D): rows adjacent, then heads. 0 where a stride would not fit. */
/*@ requires \valid(strides) && width <= ATTEST_MAX_WIDTH;
    assigns *strides;
*/
static int rows_first(size_t heads, size_t len, size_t width, attest_strides *strides) {
  size_t total = width;
  strides->row = total;
  if (!attest_times(&total, len)) return 0;
  strides->head = total;
  if (!attest_times(&total, heads)) return 0;
  strides->batch = total;
  return 1;
}

/* (B, S, H*D): heads adjacent, then rows. 0 where a stride would not fit. */
/*@ requires \valid(strides) && width <= ATTEST_MAX_WIDTH;
    assigns *strides;
*/
static int heads_first(size_t heads, size_t len, size_t width, attest_strides *strides) {
  size_t total = width;
  strides->head = total;
  if (!attest_times(&total, heads)) return 0;
  strides->row = total;
  if (!attest_times(&total, len)) return 0;
  strides->batch = total;
  return 1;
}

/*@ requires shape == \null || \valid(shape);
    assigns shape->q, shape->k, shape->v, shape->out;
*/
attest_status attest_layout_bhsd(attest_shape *shape) {
  if (!shape) return ATTEST_NULL;
  if (!sizes_allowed(*shape)) return ATTEST_LIMIT;
  const attest_shape s = *shape;
  attest_strides q, k, v, out;
  if (!rows_first(s.q_heads, s.q_len, s.width, &q) ||
      !rows_first(s.kv_heads, s.kv_len, s.width, &k) ||
      !rows_first(s.kv_heads, s.kv_len, s.value_width, &v) ||
      !rows_first(s.q_heads, s.q_len, s.value_width, &out))
    return ATTEST_LIMIT;
  shape->q = q;
  shape->k = k;
  shape->v = v;
  shape->out = out;
  return ATTEST_OK;
}

/*@ requires shape == \null || \valid(shape);
    assigns shape->q, shape->k, shape->v, shape->out;
*/
attest_status attest_layout_bshd(attest_shape *shape) {
  if (!shape) return ATTEST_NULL;
  if (!sizes_allowed(*shape)) return ATTEST_LIMIT;
  const attest_shape s = *shape;
  attest_strides q, k, v, out;
  if (!heads_first(s.q_heads, s.q_len, s.width, &q) ||
      !heads_first(s.kv_heads, s.kv_len, s.width, &k) ||
      !heads_first(s.kv_heads, s.kv_len, s.value_width, &v) ||
      !heads_first(s.q_heads, s.q_len, s.value_width, &out))
    return ATTEST_LIMIT;
  shape->q = q;
  shape->k = k;
  shape->v = v;
  shape->out = out;
  return ATTEST_OK;
}
