#include "attest_q16.h"

/*@ requires 0 <= len <= 65536 && 0 <= width <= 65536;
    assigns \nothing;
    ensures \result.row == width;
*/
static attest_q16_strides dense(uint32_t len, uint32_t width) {
  //@ assert most: 0 <= len * width <= 65536 * 65536;
  const uint64_t head = (uint64_t)len * width;
  attest_q16_strides strides;
  strides.row = width;
  /* Only a mask of 65536 times 65536 keys would not fit, and is refused later. */
  strides.head = head <= 4294967295U ? (uint32_t)head : 4294967295U;
  return strides;
}

attest_q16_status attest_q16_layout(attest_q16_shape *shape) {
  if (!shape) return ATTEST_Q16_NULL;
  if (shape->q_len > ATTEST_Q16_MAX_KEYS || shape->kv_len > ATTEST_Q16_MAX_KEYS ||
      shape->width > ATTEST_Q16_MAX_WIDTH || shape->value_width > ATTEST_Q16_MAX_WIDTH)
    return ATTEST_Q16_LIMIT;
  shape->q = dense(shape->q_len, shape->width);
  shape->k = dense(shape->kv_len, shape->width);
  shape->v = dense(shape->kv_len, shape->value_width);
  shape->out = dense(shape->q_len, shape->value_width);
  shape->mask = dense(shape->q_len, shape->kv_len);
  shape->key_length = shape->kv_len;
  shape->scale = attest_q16_default_scale(shape->width);
  return ATTEST_Q16_OK;
}
