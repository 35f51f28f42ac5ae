/* Every status of fixed/ from every function that can return it, each with one thing wrong, and that
   nothing is written then. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "../../fixed/attest_q16.h"

enum { HEADS = 2, ROWS = 3, KEYS = 4, WIDTH = 2, VALUES = 3, TILE = 2, WORDS = 64 };

static int32_t q[HEADS * ROWS * WIDTH], k[HEADS * KEYS * WIDTH], v[HEADS * KEYS * VALUES];
static int32_t out[HEADS * ROWS * VALUES], weights[HEADS * ROWS * KEYS];
static uint8_t mask[HEADS * ROWS * KEYS];
static uint64_t words[WORDS];

static void prefill(void) {
  memset(out, 0xA5, sizeof out);
  memset(weights, 0xA5, sizeof weights);
  memset(words, 0xA5, sizeof words);
}

static int is_prefilled(const void *memory, size_t bytes) {
  const unsigned char *at = memory;
  for (size_t i = 0; i < bytes; i++)
    if (at[i] != 0xA5) return 0;
  return 1;
}

static int untouched(void) {
  return is_prefilled(out, sizeof out) && is_prefilled(weights, sizeof weights) &&
         is_prefilled(words, sizeof words);
}

/* --- attention ------------------------------------------------------------------------------- */

typedef struct {
  attest_q16_shape s, *shape;
  attest_q16_arrays a, *arrays;
  uint64_t *scratch;
  uint32_t tile, count;
} call;

static void valid(call *c) {
  memset(c, 0, sizeof *c);
  c->s.q_heads = c->s.kv_heads = HEADS;
  c->s.q_len = ROWS;
  c->s.kv_len = KEYS;
  c->s.width = WIDTH;
  c->s.value_width = VALUES;
  if (attest_q16_layout(&c->s) != ATTEST_Q16_OK) abort();
  memset(mask, 1, sizeof mask);
  c->a.q = q;
  c->a.k = k;
  c->a.v = v;
  c->a.mask = mask;
  c->a.out = out;
  c->a.weights = weights;
  c->shape = &c->s;
  c->arrays = &c->a;
  c->scratch = words;
  c->tile = TILE;
  c->count = WORDS;
}

static void expect(call *c, attest_q16_status want) {
  prefill();
  assert_int_equal(attest_q16_naive(c->shape, c->arrays, c->scratch, c->count), want);
  assert_int_equal(untouched(), want != ATTEST_Q16_OK);
  prefill();
  assert_int_equal(attest_q16_tiled(c->shape, c->arrays, c->tile, c->scratch, c->count), want);
  assert_int_equal(untouched(), want != ATTEST_Q16_OK);
}

static void attention_null(void **unused) {
  call c;
  (void)unused;
  valid(&c);
  expect(&c, ATTEST_Q16_OK);
  for (int which = 0; which < 7; which++) {
    valid(&c);
    if (which == 0) c.shape = NULL;
    if (which == 1) c.arrays = NULL;
    if (which == 2) c.a.q = NULL;
    if (which == 3) c.a.k = NULL;
    if (which == 4) c.a.v = NULL;
    if (which == 5) c.a.out = NULL;
    if (which == 6) c.scratch = NULL;
    expect(&c, ATTEST_Q16_NULL);
  }
  /* what is not there need not be pointed to */
  valid(&c);
  c.s.q_len = 0;
  c.a.q = NULL;
  c.a.out = NULL;
  prefill();
  assert_int_equal(attest_q16_naive(c.shape, c.arrays, c.scratch, c.count), ATTEST_Q16_OK);
  valid(&c);
  c.s.kv_len = c.s.key_length = 0;
  c.a.k = c.a.v = NULL;
  expect(&c, ATTEST_Q16_OK);
}

static void attention_shape(void **unused) {
  call c;
  (void)unused;
  for (int which = 0; which < 6; which++) {
    valid(&c);
    if (which == 0) c.s.q_heads = 0;
    if (which == 1) c.s.kv_heads = 0;
    if (which == 2) c.s.width = 0;
    if (which == 3) c.s.value_width = 0;
    if (which == 4) c.s.q_heads = 3;
    if (which == 5) c.s.kv_heads = 4;
    expect(&c, ATTEST_Q16_SHAPE);
  }
}

/* Output rows may stand head by head or side by side; they must not overlap. */
static void attention_rows(void **unused) {
  static const struct {
    uint32_t heads, rows, head, row;
    attest_q16_status want;
  } cases[] = {
    {HEADS, ROWS, ROWS * VALUES, VALUES, ATTEST_Q16_OK},
    {HEADS, ROWS, VALUES, HEADS * VALUES, ATTEST_Q16_OK},
    {HEADS, ROWS, ROWS * VALUES, VALUES - 1, ATTEST_Q16_SHAPE},
    {HEADS, ROWS, ROWS * VALUES - 1, VALUES, ATTEST_Q16_SHAPE},
    {HEADS, ROWS, VALUES - 1, HEADS * VALUES, ATTEST_Q16_SHAPE},
    {HEADS, ROWS, VALUES, HEADS * VALUES - 1, ATTEST_Q16_SHAPE},
    {HEADS, ROWS, VALUES, VALUES, ATTEST_Q16_SHAPE},
    {HEADS, ROWS, 0, VALUES, ATTEST_Q16_SHAPE},
    {HEADS, ROWS, ROWS * VALUES, 0, ATTEST_Q16_SHAPE},
    {HEADS, 1, VALUES, 0, ATTEST_Q16_OK},
    {HEADS, 1, VALUES - 1, VALUES, ATTEST_Q16_SHAPE},
    {1, ROWS, 0, VALUES, ATTEST_Q16_OK},
    {1, ROWS, ROWS * VALUES, VALUES - 1, ATTEST_Q16_SHAPE},
    {1, 1, 0, 0, ATTEST_Q16_OK},
  };
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    call c;
    valid(&c);
    c.s.q_heads = cases[i].heads;
    c.s.kv_heads = 1;
    c.s.q_len = cases[i].rows;
    c.s.out.head = cases[i].head;
    c.s.out.row = cases[i].row;
    expect(&c, cases[i].want);
    c.s.kv_len = c.s.key_length = 0;
    expect(&c, cases[i].want);
  }
  /* rows that are not there do not overlap */
  call c;
  valid(&c);
  c.s.q_len = 0;
  c.s.out.head = c.s.out.row = 0;
  prefill();
  assert_int_equal(attest_q16_naive(c.shape, c.arrays, c.scratch, c.count), ATTEST_Q16_OK);
  assert_true(untouched());
}

static void attention_limit(void **unused) {
  call c;
  (void)unused;
  for (int which = 0; which < 11; which++) {
    valid(&c);
    if (which == 0) c.s.q_heads = ATTEST_Q16_MAX_HEADS + 1;
    if (which == 1) c.s.q_len = ATTEST_Q16_MAX_KEYS + 1;
    if (which == 2) c.s.kv_len = ATTEST_Q16_MAX_KEYS + 1;
    if (which == 3) c.s.width = ATTEST_Q16_MAX_WIDTH + 1;
    if (which == 4) c.s.value_width = ATTEST_Q16_MAX_WIDTH + 1;
    if (which == 5) c.s.q.head = UINT32_MAX;
    if (which == 6) c.s.k.row = UINT32_MAX;
    if (which == 7) c.s.v.head = UINT32_MAX;
    if (which == 8) c.s.out.row = UINT32_MAX;
    if (which == 9) c.s.mask.head = UINT32_MAX;
    if (which == 10) { /* 2^32 weights of as many queries, all the same row */
      c.s.q_len = c.s.kv_len = ATTEST_Q16_MAX_KEYS;
      c.s.q.head = c.s.q.row = c.s.k.head = c.s.k.row = c.s.v.head = c.s.v.row = 0;
      c.s.out.head = c.s.out.row = c.s.mask.head = c.s.mask.row = 0;
    }
    expect(&c, ATTEST_Q16_LIMIT);
  }
}

/* The limits themselves are allowed: without a query, nothing of these arrays is read. */
static void attention_at_limit(void **unused) {
  static int32_t all[ATTEST_Q16_MAX_KEYS];
  call c;
  (void)unused;
  valid(&c);
  c.s.q_len = 0;
  c.s.kv_len = c.s.key_length = ATTEST_Q16_MAX_KEYS;
  c.s.width = ATTEST_Q16_MAX_WIDTH;
  assert_int_equal(attest_q16_tiled(c.shape, c.arrays, c.tile, c.scratch, c.count),
                   ATTEST_Q16_OK);
  c.s.kv_len = c.s.key_length = 0;
  c.s.width = WIDTH;
  c.s.q_len = ATTEST_Q16_MAX_KEYS; /* all the same query */
  c.s.q.row = c.s.q.head = 0;
  c.s.q_heads = c.s.kv_heads = c.s.value_width = c.s.out.row = 1;
  c.a.out = all;
  c.a.mask = NULL;
  c.a.weights = NULL;
  assert_int_equal(attest_q16_tiled(c.shape, c.arrays, c.tile, c.scratch, c.count),
                   ATTEST_Q16_OK);
}

static void attention_numbers(void **unused) {
  call c;
  (void)unused;
  for (int which = 0; which < 2; which++) {
    valid(&c);
    c.s.scale.exponent = which == 0 ? -65 : -16;
    expect(&c, ATTEST_Q16_SCALE);
  }
  for (int which = 0; which < 7; which++) {
    valid(&c);
    c.s.window = 1;
    c.s.left = c.s.right = -1;
    if (which == 0) c.s.offset = ATTEST_Q16_MAX_REACH + 1;
    if (which == 1) c.s.offset = -ATTEST_Q16_MAX_REACH - 1;
    if (which == 2) c.s.left = -2;
    if (which == 3) c.s.left = ATTEST_Q16_MAX_REACH + 1;
    if (which == 4) c.s.right = -2;
    if (which == 5) c.s.right = ATTEST_Q16_MAX_REACH + 1;
    if (which == 6) c.s.key_length = KEYS + 1;
    expect(&c, ATTEST_Q16_REACH);
  }
}

static void attention_scratch(void **unused) {
  call c;
  (void)unused;
  valid(&c);
  c.count = ATTEST_Q16_NAIVE_SCRATCH(KEYS) - 1;
  prefill();
  assert_int_equal(attest_q16_naive(c.shape, c.arrays, c.scratch, c.count), ATTEST_Q16_SCRATCH);
  c.count = ATTEST_Q16_TILED_SCRATCH(TILE, VALUES) - 1;
  assert_int_equal(attest_q16_tiled(c.shape, c.arrays, c.tile, c.scratch, c.count),
                   ATTEST_Q16_SCRATCH);
  assert_int_equal(attest_q16_tiled(c.shape, c.arrays, 0, c.scratch, WORDS), ATTEST_Q16_SCRATCH);
  assert_true(untouched());
}

static void layout(void **unused) {
  attest_q16_shape s = {0};
  (void)unused;
  assert_int_equal(attest_q16_layout(NULL), ATTEST_Q16_NULL);
  for (int which = 0; which < 4; which++) {
    attest_q16_shape before;
    memset(&s, 0, sizeof s);
    if (which == 0) s.q_len = ATTEST_Q16_MAX_KEYS + 1;
    if (which == 1) s.kv_len = ATTEST_Q16_MAX_KEYS + 1;
    if (which == 2) s.width = ATTEST_Q16_MAX_WIDTH + 1;
    if (which == 3) s.value_width = ATTEST_Q16_MAX_WIDTH + 1;
    before = s;
    assert_int_equal(attest_q16_layout(&s), ATTEST_Q16_LIMIT);
    assert_memory_equal(&s, &before, sizeof s);
  }
  /* a mask of more than 2^32 bytes: its stride cannot be told, and its use is refused */
  memset(&s, 0, sizeof s);
  s.q_len = s.kv_len = ATTEST_Q16_MAX_KEYS;
  assert_int_equal(attest_q16_layout(&s), ATTEST_Q16_OK);
  assert_int_equal(s.mask.head, UINT32_MAX);
}

/* --- the cache ------------------------------------------------------------------------------- */

static void start_cache(attest_q16_cache *c) {
  memset(c, 0, sizeof *c);
  c->k = k;
  c->v = v;
  c->kv_heads = HEADS;
  c->capacity = KEYS;
  c->length = KEYS - 1;
  c->width = WIDTH;
  c->value_width = VALUES;
}

static attest_q16_status decode_step(const attest_q16_cache *c, uint32_t tile) {
  return attest_q16_decode(c, q, HEADS, attest_q16_default_scale(WIDTH), -1, out, tile, words,
                           WORDS);
}

/* Both functions refuse the cache, and change nothing of it. */
static void cache_refused(const attest_q16_cache *c, attest_q16_status want) {
  attest_q16_cache copy = *c;
  assert_int_equal(attest_q16_append(&copy, q, q), want);
  assert_memory_equal(&copy, c, sizeof copy);
  prefill();
  assert_int_equal(decode_step(c, TILE), want);
  assert_true(untouched());
}

static void cache(void **unused) {
  attest_q16_cache c;
  const attest_q16_scale scale = attest_q16_default_scale(WIDTH);
  (void)unused;
  for (int which = 0; which < 2; which++) {
    start_cache(&c);
    if (which == 0) c.k = NULL;
    if (which == 1) c.v = NULL;
    cache_refused(&c, ATTEST_Q16_NULL);
  }
  start_cache(&c);
  assert_int_equal(attest_q16_append(NULL, q, q), ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_append(&c, NULL, q), ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_append(&c, q, NULL), ATTEST_Q16_NULL);
  prefill();
  assert_int_equal(decode_step(NULL, TILE), ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_decode(&c, NULL, HEADS, scale, -1, out, TILE, words, WORDS),
                   ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_decode(&c, q, HEADS, scale, -1, NULL, TILE, words, WORDS),
                   ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_decode(&c, q, HEADS, scale, -1, out, TILE, NULL, WORDS),
                   ATTEST_Q16_NULL);
  assert_int_equal(decode_step(&c, 0), ATTEST_Q16_SCRATCH);
  assert_true(untouched());
  for (int which = 0; which < 11; which++) {
    start_cache(&c);
    if (which == 0) c.kv_heads = 0;
    if (which == 1) c.kv_heads = ATTEST_Q16_MAX_HEADS + 1;
    if (which == 2) c.capacity = 0;
    if (which == 3) c.capacity = ATTEST_Q16_MAX_KEYS + 1;
    if (which == 4) c.length = KEYS + 1;
    if (which == 5) c.width = 0;
    if (which == 6) c.width = ATTEST_Q16_MAX_WIDTH + 1;
    if (which == 7) c.value_width = 0;
    if (which == 8) c.value_width = ATTEST_Q16_MAX_WIDTH + 1;
    if (which >= 9) { /* 2^32 elements and more */
      c.kv_heads = 64;
      c.capacity = ATTEST_Q16_MAX_KEYS;
      if (which == 9) c.width = ATTEST_Q16_MAX_WIDTH;
      if (which == 10) c.value_width = ATTEST_Q16_MAX_WIDTH;
    }
    cache_refused(&c, ATTEST_Q16_LIMIT);
  }
  start_cache(&c);
  prefill();
  assert_int_equal(decode_step(&c, TILE), ATTEST_Q16_OK);
  assert_int_equal(attest_q16_append(&c, q, q), ATTEST_Q16_OK);
  assert_int_equal(c.length, KEYS);
  assert_int_equal(attest_q16_append(&c, q, q), ATTEST_Q16_FULL);
  /* A tile beyond all keys counts as one of the most keys, and needs as much scratch. */
  assert_int_equal(decode_step(&c, UINT32_MAX), ATTEST_Q16_SCRATCH);
}

/* --- one pass -------------------------------------------------------------------------------- */

static void stream(void **unused) {
  const attest_q16_scale scale = attest_q16_default_scale(WIDTH);
  attest_q16_scale wrong = scale;
  attest_q16_column columns[VALUES];
  attest_q16_stream s;
  (void)unused;
  assert_int_equal(attest_q16_stream_start(NULL, columns, VALUES), ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_stream_start(&s, NULL, VALUES), ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_stream_start(&s, columns, ATTEST_Q16_MAX_WIDTH + 1),
                   ATTEST_Q16_LIMIT);
  assert_int_equal(attest_q16_stream_start(&s, columns, VALUES), ATTEST_Q16_OK);
  for (int which = 0; which < 5; which++)
    assert_int_equal(attest_q16_stream_add(which == 0 ? NULL : &s, which == 1 ? NULL : columns,
                                           which == 2 ? NULL : q, which == 3 ? NULL : k, WIDTH,
                                           which == 4 ? NULL : v, VALUES, scale),
                     ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_stream_add(&s, columns, q, k, 0, v, VALUES, scale),
                   ATTEST_Q16_SHAPE);
  assert_int_equal(attest_q16_stream_add(&s, columns, q, k, WIDTH, v, 0, scale),
                   ATTEST_Q16_SHAPE);
  assert_int_equal(
    attest_q16_stream_add(&s, columns, q, k, ATTEST_Q16_MAX_WIDTH + 1, v, VALUES, scale),
    ATTEST_Q16_LIMIT);
  assert_int_equal(
    attest_q16_stream_add(&s, columns, q, k, WIDTH, v, ATTEST_Q16_MAX_WIDTH + 1, scale),
    ATTEST_Q16_LIMIT);
  for (int which = 0; which < 2; which++) {
    wrong.exponent = which == 0 ? -65 : -16;
    assert_int_equal(attest_q16_stream_add(&s, columns, q, k, WIDTH, v, VALUES, wrong),
                     ATTEST_Q16_SCALE);
  }
  assert_int_equal(s.keys, 0);
  assert_int_equal(attest_q16_stream_add(&s, columns, q, k, WIDTH, v, VALUES, scale),
                   ATTEST_Q16_OK);
  s.keys = ATTEST_Q16_MAX_KEYS;
  assert_int_equal(attest_q16_stream_add(&s, columns, q, k, WIDTH, v, VALUES, scale),
                   ATTEST_Q16_LIMIT);
  prefill();
  assert_int_equal(attest_q16_stream_output(NULL, columns, VALUES, out), ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_stream_output(&s, NULL, VALUES, out), ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_stream_output(&s, columns, VALUES, NULL), ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_stream_output(&s, columns, ATTEST_Q16_MAX_WIDTH + 1, out),
                   ATTEST_Q16_LIMIT);
  assert_true(untouched());
  assert_int_equal(attest_q16_stream_output(&s, columns, VALUES, out), ATTEST_Q16_OK);
}

/* --- softmax --------------------------------------------------------------------------------- */

static void softmax(void **unused) {
  (void)unused;
  prefill();
  assert_int_equal(attest_q16_softmax(NULL, 2, out), ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_softmax(k, 2, NULL), ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_softmax(k, ATTEST_Q16_MAX_KEYS + 1, out), ATTEST_Q16_LIMIT);
  assert_int_equal(attest_q16_softmax(k, UINT32_MAX, out), ATTEST_Q16_LIMIT);
  assert_int_equal(attest_q16_softmax(k, 0, out), ATTEST_Q16_OK);
  assert_true(untouched());
  assert_int_equal(attest_q16_softmax(k, 2, out), ATTEST_Q16_OK);
  assert_false(untouched());
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(attention_null),    cmocka_unit_test(attention_shape),
    cmocka_unit_test(attention_rows),
    cmocka_unit_test(attention_limit),   cmocka_unit_test(attention_at_limit),
    cmocka_unit_test(attention_numbers), cmocka_unit_test(attention_scratch),
    cmocka_unit_test(layout),            cmocka_unit_test(cache),
    cmocka_unit_test(stream),            cmocka_unit_test(softmax)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
