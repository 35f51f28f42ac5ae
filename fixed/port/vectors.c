/* The same inputs and calls on every target; prints checksums of everything that comes out.

   small PART XXXXXXXX    shapes that fit 2 KB of RAM: 8 keys, width 8, two query rows at a time
   large PART XXXXXXXX    with -DPORT_LARGE more shapes, within 16 KB

   PART is nests (naive and tiled), decode, stream or functions (exp, softmax, scales). Where the program is
   too large for a target, -DPORT_PART=1 to 4 builds one part of it. The checksums are the same on
   all targets: fixed/port/expected. Also compared on the target: that the tiled nest and decoding
   give the bits of the naive nest. */
#include "attest_q16.h"
#include "port.h"

#ifdef PORT_LARGE
enum { INPUTS = 600, CELLS = 384, WORDS = 192 };
#elif defined PORT_PART && PORT_PART == 1
enum { INPUTS = 64, CELLS = 16, WORDS = 35 };
#else
enum { INPUTS = 64, CELLS = 24, WORDS = 35 };
#endif

#ifdef PORT_PART
#define HAS_PART(part) (PORT_PART == (part))
#else
#define HAS_PART(part) 1
#endif

/* One output at a time: what is hashed is not kept. */
static int32_t q[CELLS], k[INPUTS], v[INPUTS], out[CELLS];
static uint8_t mask[CELLS];
static int32_t weights[CELLS];
static uint64_t words[WORDS];

static uint32_t hash, state;
static uint8_t failed;

static void print(const char *s) {
  while (*s) port_char(*s++);
}

/* Parts start alike, so that each can run alone. */
static void start(void) {
  hash = 2166136261U;
  state = 2463534242U;
}

static void print_hash(const char *size, const char *part) {
  print(size);
  print(part);
  for (uint8_t digit = 0; digit < 8; digit++) {
    const uint8_t x = (uint8_t)(hash >> (28 - 4 * digit) & 15U);
    port_char((char)(x < 10 ? '0' + x : 'A' + x - 10));
  }
  port_char('\n');
}

/* FNV-1a, the low byte first whatever the machine's order. */
static void add(uint32_t x) {
  for (uint8_t byte = 0; byte < 4; byte++) {
    hash = (hash ^ (x & 255U)) * 16777619U;
    x >>= 8;
  }
}

static void add_all(const int32_t *x, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) add((uint32_t)x[i]);
}

/* Marsaglia's xorshift of 32 bits. */
static uint32_t next(void) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

/* Numbers of magnitude 2^bits and below; all of int32 with bits 31. */
static void fill(int32_t *x, uint32_t count, uint8_t bits) {
  for (uint32_t i = 0; i < count; i++)
    x[i] = (int32_t)((int64_t)(next() >> (31 - bits)) - ((int64_t)1 << bits));
}

typedef struct {
  uint8_t q_heads, kv_heads, q_len, kv_len, width, value_width;
  uint8_t bits; /* of the inputs */
  uint8_t causal, window, masked, hidden; /* hidden: keys beyond key_length */
  int8_t left, right, offset;
} problem;

static void check_same(uint32_t expected) {
  if (hash == expected) return;
  print("other bits\n");
  failed = 1;
}

/* The naive nest with weights, then tiles without and with: all must hash to the same. */
static void attend(const problem *p) {
  attest_q16_shape shape = {0};
  shape.q_heads = p->q_heads;
  shape.kv_heads = p->kv_heads;
  shape.q_len = p->q_len;
  shape.kv_len = p->kv_len;
  shape.width = p->width;
  shape.value_width = p->value_width;
  add((uint32_t)attest_q16_layout(&shape));
  shape.key_length = (uint32_t)p->kv_len - p->hidden;
  shape.causal = p->causal;
  shape.window = p->window;
  shape.left = p->left;
  shape.right = p->right;
  shape.offset = p->offset;

  const uint32_t outputs = (uint32_t)p->q_heads * p->q_len * p->value_width;
  const uint32_t cells = (uint32_t)p->q_heads * p->q_len * p->kv_len;
  fill(q, (uint32_t)p->q_heads * p->q_len * p->width, p->bits);
  fill(k, (uint32_t)p->kv_heads * p->kv_len * p->width, p->bits);
  fill(v, (uint32_t)p->kv_heads * p->kv_len * p->value_width, p->bits);
  if (p->masked)
    for (uint32_t i = 0; i < cells; i++) mask[i] = (uint8_t)(next() >> 30);

  attest_q16_arrays arrays = {0};
  arrays.q = q;
  arrays.k = k;
  arrays.v = v;
  arrays.mask = p->masked ? mask : 0;
  arrays.out = out;
  arrays.weights = weights;
  const uint32_t before = hash;
  add((uint32_t)attest_q16_naive(&shape, &arrays, words, WORDS));
  add_all(out, outputs);
  const uint32_t without = hash;
  add_all(weights, cells);
  const uint32_t with = hash;
  for (uint32_t tile = 1; tile <= 3; tile += 2) {
    hash = before;
    arrays.weights = tile == 1 ? 0 : weights;
    add((uint32_t)attest_q16_tiled(&shape, &arrays, tile, words, WORDS));
    add_all(out, outputs);
    if (arrays.weights) add_all(weights, cells);
    check_same(arrays.weights ? with : without);
  }
}

/* Tokens appended one by one and decoded, one head: the last row against the naive nest. */
static void decode(uint8_t capacity, uint8_t width, uint8_t bits, int32_t left) {
  attest_q16_cache cache = {0};
  cache.k = k;
  cache.v = v;
  cache.kv_heads = 1;
  cache.capacity = capacity;
  cache.width = width;
  cache.value_width = width;
  const attest_q16_scale scale = attest_q16_default_scale(width);
  for (uint8_t t = 0; t < capacity; t++) {
    fill(q, 3U * width, bits);
    add((uint32_t)attest_q16_append(&cache, q + width, q + 2 * width));
    add((uint32_t)attest_q16_decode(&cache, q, 1, scale, left, out, 3, words, WORDS));
    add_all(out, width);
  }
  add((uint32_t)attest_q16_append(&cache, q + width, q + 2 * width)); /* full */

  attest_q16_shape shape = {0};
  shape.q_heads = 1;
  shape.kv_heads = 1;
  shape.q_len = 1;
  shape.kv_len = capacity;
  shape.width = width;
  shape.value_width = width;
  (void)attest_q16_layout(&shape);
  shape.causal = 1;
  shape.window = left >= 0;
  shape.left = left;
  shape.right = 0;
  shape.offset = capacity - 1;
  attest_q16_arrays arrays = {0};
  arrays.q = q;
  arrays.k = k;
  arrays.v = v;
  arrays.out = out + width;
  if (attest_q16_naive(&shape, &arrays, words, WORDS) != ATTEST_Q16_OK) failed = 1;
  for (uint8_t c = 0; c < width; c++)
    if (out[c] != out[width + c]) failed = 1;
  if (failed) print("decode: other bits\n");
}

/* Keys that come one at a time, with the output after each. */
static void stream(uint8_t keys, uint8_t width, uint8_t bits) {
  attest_q16_stream s;
  /* 24 bytes a column, in memory aligned for 64 bits. */
  attest_q16_column *columns = (attest_q16_column *)(void *)words;
  const attest_q16_scale scale = attest_q16_scale_of(3, -3);
  fill(q, width, bits);
  add((uint32_t)attest_q16_stream_start(&s, columns, width));
  for (uint8_t j = 0; j < keys; j++) {
    fill(k, width, bits);
    fill(v, width, bits);
    add((uint32_t)attest_q16_stream_add(&s, columns, q, k, width, v, width, scale));
    add((uint32_t)attest_q16_stream_output(&s, columns, width, out));
    add_all(out, width);
  }
}

static void exps(int32_t step) {
  for (int32_t x = -800000; x < 2 * step; x += step) add((uint32_t)attest_q16_exp(x));
  add((uint32_t)attest_q16_exp(-2147483647 - 1));
  add((uint32_t)attest_q16_exp(2147483647));
  for (int32_t x = -3; x <= 1; x++) add((uint32_t)attest_q16_exp(x));
}

/* Scores that differ little, and by all of int32. */
static void softmaxes(uint16_t count) {
  for (uint8_t bits = 10; bits <= 31; bits += 3) {
    fill(k, count, bits);
    add((uint32_t)attest_q16_softmax(k, count, weights));
    add_all(weights, count);
  }
}

static void add_scale(attest_q16_scale scale) {
  add(scale.mantissa);
  add((uint32_t)scale.exponent);
}

static void scales(uint32_t step) {
  for (uint32_t width = 0; width <= 1025; width += step)
    add_scale(attest_q16_default_scale(width));
  for (int32_t exponent = -100; exponent < 40; exponent += 7)
    add_scale(attest_q16_scale_of(next() >> 7, exponent));
}

static const problem small[] = {
  {1, 1, 2, 8, 8, 8, 17, 0, 0, 0, 0, 0, 0, 0},
  {1, 1, 2, 8, 8, 8, 17, 1, 0, 0, 0, 0, 0, 4},
  {1, 1, 2, 8, 8, 8, 19, 0, 0, 1, 0, 0, 0, 0},
  {1, 1, 2, 8, 8, 8, 18, 0, 1, 0, 1, 2, 1, 3},
  {1, 1, 2, 8, 8, 8, 31, 1, 0, 0, 0, 0, 0, 5},
  {2, 1, 1, 8, 8, 8, 24, 1, 1, 1, 0, 3, -1, 6},
};

#ifdef PORT_LARGE
static const problem large[] = {
  {1, 1, 16, 16, 16, 16, 17, 0, 0, 0, 0, 0, 0, 0},
  {1, 1, 16, 16, 16, 16, 16, 1, 0, 0, 0, 0, 0, 0},
  {4, 2, 4, 24, 8, 12, 18, 1, 0, 0, 0, 0, 0, 20},
  {1, 1, 9, 37, 16, 3, 20, 0, 0, 1, 2, 0, 0, 0},
  {2, 2, 5, 30, 5, 10, 31, 1, 1, 0, 0, 6, 0, 25},
  {1, 1, 2, 60, 10, 10, 16, 0, 1, 1, 0, -1, 5, 50},
  {1, 1, 1, 9, 64, 1, 31, 0, 0, 0, 0, 0, 0, 0},
  {1, 1, 3, 5, 1, 33, 15, 1, 0, 0, 5, 0, 0, 0},
};
#endif

static void attend_all(const char *size, const problem *problems, uint8_t count) {
  start();
  for (uint8_t i = 0; i < count; i++) attend(&problems[i]);
  print_hash(size, "nests ");
}

static void decode_all(const char *size, uint8_t keys, uint8_t width) {
  start();
  decode(keys, width, 18, -1);
  decode(keys, width, 31, 3);
  print_hash(size, "decode ");
}

static void stream_all(const char *size, uint8_t keys, uint8_t width) {
  start();
  stream(keys, width, 18);
  stream(keys, width, 31);
  print_hash(size, "stream ");
}

static void functions_all(const char *size, int32_t exp_step, uint16_t scores,
                          uint32_t width_step) {
  start();
  exps(exp_step);
  softmaxes(scores);
  scales(width_step);
  print_hash(size, "functions ");
}

int main(void) {
  port_start();
  if (HAS_PART(1)) attend_all("small ", small, sizeof small / sizeof small[0]);
  if (HAS_PART(2)) decode_all("small ", 8, 8);
  if (HAS_PART(3)) stream_all("small ", 8, 8);
  if (HAS_PART(4)) functions_all("small ", 2999, 16, 93);
#ifdef PORT_LARGE
  attend_all("large ", large, sizeof large / sizeof large[0]);
  decode_all("large ", 20, 16);
  stream_all("large ", 50, 16);
  functions_all("large ", 97, 300, 1);
#endif
  if (failed) print("failed\n");
  port_end();
  return failed;
}
