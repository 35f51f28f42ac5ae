/* ref/ on unknown contents: sizes, windows and strides are those below, every number of an array is any
   float (NaN and infinities too) and every mask byte any byte. Scratch memory is not initialised. */
#include "attest.h"
#include "real.h"

enum { BATCHES = 1, HEADS = 2, LEN = 2, KEYS = 3, WIDTH = 2, SCRATCH = 2048 };

static volatile real any_number;
static volatile uint8_t any_byte;
static real q[HEADS * LEN * WIDTH], k[HEADS * KEYS * WIDTH], v[HEADS * KEYS * WIDTH];
static real bias[HEADS * LEN * KEYS], out[HEADS * LEN * WIDTH], weights[HEADS * LEN * KEYS], lse[HEADS * LEN];
static uint8_t mask[HEADS * LEN * KEYS];

static void unknown(void) {
  for (int n = 0; n < HEADS * LEN * WIDTH; n++) q[n] = any_number;
  for (int n = 0; n < HEADS * KEYS * WIDTH; n++) k[n] = any_number;
  for (int n = 0; n < HEADS * KEYS * WIDTH; n++) v[n] = any_number;
  for (int n = 0; n < HEADS * LEN * KEYS; n++) bias[n] = any_number;
  for (int n = 0; n < HEADS * LEN * KEYS; n++) mask[n] = any_byte;
}

static attest_shape shape_of(size_t heads, size_t kv_heads, size_t q_len, size_t kv_len) {
  attest_shape shape = {0};
  shape.batch = BATCHES;
  shape.q_heads = heads;
  shape.kv_heads = kv_heads;
  shape.q_len = q_len;
  shape.kv_len = kv_len;
  shape.width = shape.value_width = WIDTH;
  attest_layout_bhsd(&shape);
  return shape;
}

static void nests(attest_shape shape, const uint8_t *hides, const real *adds) {
  attest_arrays a = {q, k, v, adds, hides, out, weights, lse};
  real scratch[SCRATCH];
  attest_attention(&shape, &a, ATTEST_NAIVE, 1, scratch, attest_scratch(&shape, ATTEST_NAIVE, 1));
  attest_attention(&shape, &a, ATTEST_TILED, 2, scratch, attest_scratch(&shape, ATTEST_TILED, 2));
  attest_attention(&shape, &a, ATTEST_DECODE, 1, scratch, attest_scratch(&shape, ATTEST_DECODE, 1));
}

static void attention(void) {
  attest_shape shape = shape_of(HEADS, 1, LEN, KEYS);
  shape.mask.head = shape.bias.head = LEN * KEYS;
  shape.mask.row = shape.bias.row = KEYS;
  shape.mask.key = shape.bias.key = 1;
  nests(shape, mask, bias);
  shape.causal = 1;
  shape.offset = -1; /* a row that sees no key */
  nests(shape, 0, 0);
  const size_t lengths[BATCHES] = {2};
  shape = shape_of(HEADS, HEADS, LEN, KEYS);
  shape.key_lengths = lengths;
  shape.window = 1;
  shape.left = 1;
  shape.right = 0;
  shape.softcap = 5;
  nests(shape, 0, 0);
  nests(shape_of(1, 1, LEN, 0), 0, 0);
}

static void parts(void) {
  const attest_shape shape = shape_of(1, 1, LEN, KEYS);
  const attest_arrays a = {q, k, v, 0, 0, out, weights, lse};
  attest_partial one, other;
  real acc[WIDTH], also[WIDTH], scratch[KEYS];
  if (attest_part(&shape, &a, 0, 0, 1, 0, 2, &one, acc, scratch, KEYS) != ATTEST_OK) return;
  if (attest_part(&shape, &a, 0, 0, 1, 2, 3, &other, also, scratch, KEYS) != ATTEST_OK) return;
  attest_merge(&one, acc, &other, also, WIDTH);
  attest_finish(&one, acc, WIDTH, out, lse);
}

static void cache(void) {
  size_t len = 0;
  for (int step = 0; step < 3; step++) attest_append(k, KEYS, WIDTH, &len, q, 1);
}

static void layer(void) {
  attest_layer_shape s = {0};
  real scratch[SCRATCH];
  s.len = 2;
  s.model = 2;
  s.heads = s.kv_heads = 1;
  s.width = s.value_width = s.out = 2;
  attest_layer(&s, q, k, v, bias, weights, out, ATTEST_NAIVE, 1, scratch, SCRATCH);
}

int main(void) {
  unknown();
  attention();
  parts();
  cache();
  layer();
  return 0;
}
