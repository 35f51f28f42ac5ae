/* fixed/ on unknown contents: sizes, windows and strides are those below, every number of an array and
   every mask byte is any at all. Scratch memory is not initialised. */
#include "attest_q16.h"

enum { HEADS = 2, LEN = 3, KEYS = 4, WIDTH = 2 };

static volatile int32_t any_number;
static volatile uint8_t any_byte;
static int32_t q[HEADS * LEN * WIDTH], k[HEADS * KEYS * WIDTH], v[HEADS * KEYS * WIDTH];
static uint8_t mask[HEADS * LEN * KEYS];
static int32_t out[HEADS * LEN * WIDTH], weights[HEADS * LEN * KEYS];
enum { SCRATCH = ATTEST_Q16_NAIVE_SCRATCH(KEYS) + ATTEST_Q16_TILED_SCRATCH(KEYS, WIDTH) };

static void unknown(void) {
  for (int n = 0; n < HEADS * LEN * WIDTH; n++) q[n] = any_number;
  for (int n = 0; n < HEADS * KEYS * WIDTH; n++) k[n] = any_number;
  for (int n = 0; n < HEADS * KEYS * WIDTH; n++) v[n] = any_number;
  for (int n = 0; n < HEADS * LEN * KEYS; n++) mask[n] = any_byte;
}

/* Naive and tiled with exactly the scratch they ask for, with and without weights. */
static void nests(attest_q16_shape shape, const uint8_t *hides) {
  attest_q16_arrays a = {q, k, v, hides, out, weights};
  uint64_t scratch[SCRATCH];
  attest_q16_naive(&shape, &a, scratch, ATTEST_Q16_NAIVE_SCRATCH(shape.kv_len));
  for (uint32_t tile = 1; tile <= 3; tile += 2)
    attest_q16_tiled(&shape, &a, tile, scratch, ATTEST_Q16_TILED_SCRATCH(tile, shape.value_width));
  a.weights = 0;
  attest_q16_tiled(&shape, &a, 2, scratch, ATTEST_Q16_TILED_SCRATCH(2, shape.value_width));
}

static attest_q16_shape shape_of(uint32_t heads, uint32_t kv_heads, uint32_t q_len, uint32_t kv_len) {
  attest_q16_shape shape = {0};
  shape.q_heads = heads;
  shape.kv_heads = kv_heads;
  shape.q_len = q_len;
  shape.kv_len = kv_len;
  shape.width = shape.value_width = WIDTH;
  attest_q16_layout(&shape);
  return shape;
}

static void attention(void) {
  attest_q16_shape shape = shape_of(HEADS, 1, LEN, KEYS);
  nests(shape, mask);
  shape.mask.head = shape.mask.row = 0;
  nests(shape, mask);
  shape.causal = 1;
  nests(shape, 0);
  shape.offset = -2; /* rows that see no key */
  nests(shape, 0);
  shape = shape_of(HEADS, HEADS, LEN, KEYS);
  shape.window = 1;
  shape.left = 1;
  shape.right = 0;
  shape.key_length = 3;
  nests(shape, mask);
  nests(shape_of(1, 1, LEN, 0), 0);
  nests(shape_of(1, 1, 0, KEYS), 0);
}

static void decode(void) {
  attest_q16_cache cache = {k, v, 1, KEYS, 0, WIDTH, WIDTH};
  uint64_t scratch[SCRATCH];
  for (int step = 0; step < 3; step++) {
    attest_q16_append(&cache, q, weights);
    attest_q16_decode(&cache, q, HEADS, attest_q16_default_scale(WIDTH), step - 1, out, 2, scratch,
                      ATTEST_Q16_TILED_SCRATCH(2, WIDTH));
  }
}

static void stream(void) {
  attest_q16_stream one;
  attest_q16_column columns[WIDTH];
  attest_q16_stream_start(&one, columns, WIDTH);
  attest_q16_stream_output(&one, columns, WIDTH, out);
  for (int key = 0; key < 3; key++)
    attest_q16_stream_add(&one, columns, q, k, WIDTH, v, WIDTH, attest_q16_default_scale(WIDTH));
  attest_q16_stream_output(&one, columns, WIDTH, out);
}

static void softmax(void) {
  attest_q16_softmax(k, HEADS * KEYS, weights);
  attest_q16_softmax(k, 1, weights);
  attest_q16_softmax(k, 0, weights);
}

int main(void) {
  unknown();
  softmax();
  attention();
  decode();
  stream();
  attest_q16_exp(any_number);
  attest_q16_scale_of((uint32_t)any_number, any_number);
  attest_q16_default_scale((uint32_t)any_number);
  return 0;
}
