/* Every status from every function that can return it, and that nothing is written then. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fenv.h>
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "trial.h"

/* A valid problem and all it writes to; a test breaks one thing of it. */
enum { OUT = 2 * 2 * 3 * 2, WEIGHTS = 2 * 2 * 3 * 4, LSE = 2 * 2 * 3, SCRATCH = 65536 };

static real q_data[64], k_data[64], v_data[64], bias_data[64];
static real out_data[OUT], weights_data[WEIGHTS], lse_data[LSE], acc_data[8];
static real scratch_data[SCRATCH];
static uint8_t mask_data[64];
static size_t lengths_data[2];

typedef struct {
  attest_shape s, *shape;
  attest_arrays a, *arrays;
  attest_engine engine;
  size_t tile, batch, head, i, first, last;
  attest_partial part_data, *part;
  real *acc, *scratch;
  size_t count;
} call;

static void valid(call *c) {
  memset(c, 0, sizeof *c);
  c->s.batch = 2;
  c->s.q_heads = 2;
  c->s.kv_heads = 1;
  c->s.q_len = 3;
  c->s.kv_len = 4;
  c->s.width = 3;
  c->s.value_width = 2;
  if (attest_layout_bhsd(&c->s) != ATTEST_OK) abort();
  c->a.q = q_data;
  c->a.k = k_data;
  c->a.v = v_data;
  c->a.out = out_data;
  c->a.weights = weights_data;
  c->a.lse = lse_data;
  c->shape = &c->s;
  c->arrays = &c->a;
  c->tile = 2;
  c->last = 4;
  c->part = &c->part_data;
  c->acc = acc_data;
  c->scratch = scratch_data;
  c->count = SCRATCH;
}

static void prefill(call *c) {
  pattern(out_data, OUT);
  pattern(weights_data, WEIGHTS);
  pattern(lse_data, LSE);
  pattern(acc_data, 8);
  pattern(scratch_data, SCRATCH);
  memset(&c->part_data, 0xA5, sizeof c->part_data);
}

static int untouched(const call *c) {
  attest_partial same;
  memset(&same, 0xA5, sizeof same);
  return is_pattern(out_data, OUT) && is_pattern(weights_data, WEIGHTS) &&
         is_pattern(lse_data, LSE) && is_pattern(acc_data, 8) &&
         is_pattern(scratch_data, SCRATCH) && memcmp(&same, &c->part_data, sizeof same) == 0;
}

static attest_status attend(call *c) {
  prefill(c);
  return attest_attention(c->shape, c->arrays, c->engine, c->tile, c->scratch, c->count);
}

static attest_status part(call *c) {
  prefill(c);
  return attest_part(c->shape, c->arrays, c->batch, c->head, c->i, c->first, c->last, c->part,
                     c->acc, c->scratch, c->count);
}

#define REFUSES(function, c, want) \
  do { \
    assert_int_equal(function(c), want); \
    assert_true(untouched(c)); \
  } while (0)

/* Both functions that take a problem. */
static void both_refuse(call *c, attest_status want) {
  for (int engine = 0; engine < ENGINES; engine++) {
    c->engine = (attest_engine)engine;
    REFUSES(attend, c, want);
  }
  REFUSES(part, c, want);
}

/* ... and the function that tells the scratch refuses too. */
static void shape_refused(call *c, attest_status want) {
  both_refuse(c, want);
  for (int engine = 0; engine < ENGINES; engine++)
    assert_int_equal(attest_scratch(c->shape, (attest_engine)engine, c->tile), 0);
}

static void accepted(void **unused) {
  call c;
  (void)unused;
  for (int engine = 0; engine < ENGINES; engine++) {
    valid(&c);
    c.engine = (attest_engine)engine;
    c.count = attest_scratch(c.shape, c.engine, c.tile);
    assert_true(c.count > 0);
    assert_int_equal(attend(&c), ATTEST_OK);
    assert_false(is_pattern(out_data, 1) || is_pattern(out_data + OUT - 1, 1));
    assert_false(is_pattern(weights_data + WEIGHTS - 1, 1) || is_pattern(lse_data + LSE - 1, 1));
    /* nothing beyond what it asked for is used */
    assert_true(is_pattern(scratch_data + c.count, SCRATCH - c.count));
  }
  valid(&c);
  c.count = attest_scratch(c.shape, ATTEST_NAIVE, 1);
  assert_int_equal(part(&c), ATTEST_OK);
  assert_false(is_pattern(acc_data, 1));
  assert_true(is_pattern(out_data, OUT)); /* it writes acc, not out */
}

static void null(void **unused) {
  call c;
  (void)unused;
  for (int which = 0; which < 5; which++) {
    valid(&c);
    if (which == 0) c.shape = NULL;
    if (which == 1) c.arrays = NULL;
    if (which == 2) c.a.q = NULL;
    if (which == 3) c.a.k = NULL;
    if (which == 4) c.a.v = NULL;
    both_refuse(&c, ATTEST_NULL);
  }
  valid(&c);
  c.scratch = NULL;
  both_refuse(&c, ATTEST_NULL);
  valid(&c);
  c.a.out = NULL;
  REFUSES(attend, &c, ATTEST_NULL);
  assert_int_equal(part(&c), ATTEST_OK); /* it has no use for it */
  valid(&c);
  c.part = NULL;
  REFUSES(part, &c, ATTEST_NULL);
  valid(&c);
  c.acc = NULL;
  REFUSES(part, &c, ATTEST_NULL);
  assert_int_equal(attest_scratch(NULL, ATTEST_NAIVE, 1), 0);
  /* no keys: no key and value arrays */
  valid(&c);
  c.s.kv_len = 0;
  c.a.k = c.a.v = NULL;
  assert_int_equal(attend(&c), ATTEST_OK);
}

static void shape(void **unused) {
  call c;
  (void)unused;
  for (int which = 0; which < 5; which++) {
    valid(&c);
    if (which == 0) c.s.width = 0;
    if (which == 1) c.s.value_width = 0;
    if (which == 2) c.s.q_heads = 0;
    if (which == 3) c.s.kv_heads = 0;
    if (which == 4) c.s.out.row = 1;
    shape_refused(&c, ATTEST_SHAPE);
  }
  /* heads or batches on top of each other, or into each other's rows */
  for (int which = 0; which < 4; which++) {
    valid(&c);
    c.s.batch = which < 2 ? 1 : 2;
    assert_true(c.s.q_heads > 1 && c.s.q_len > 1);
    if (which == 0) c.s.out.head = 0;
    if (which == 1) c.s.out.head = (c.s.q_len - 1) * c.s.out.row + c.s.value_width - 1;
    if (which == 2) c.s.out.batch = 0;
    if (which == 3) c.s.out.batch = (c.s.q_heads - 1) * c.s.out.head + 1;
    shape_refused(&c, ATTEST_SHAPE);
  }
  /* a single output row cannot overlap another */
  valid(&c);
  c.s.q_len = 1;
  c.s.out.row = 0;
  assert_int_equal(attend(&c), ATTEST_OK);
}

static void limit(void **unused) {
  const size_t far = SIZE_MAX / 3;
  call c;
  (void)unused;
  for (int which = 0; which < 6; which++) {
    valid(&c);
    if (which == 0) c.s.batch = (size_t)ATTEST_MAX_BATCH + 1;
    if (which == 1) c.s.q_heads = (size_t)ATTEST_MAX_HEADS + 1;
    if (which == 2) c.s.q_len = (size_t)ATTEST_MAX_KEYS + 1;
    if (which == 3) c.s.kv_len = (size_t)ATTEST_MAX_KEYS + 1;
    if (which == 4) c.s.width = (size_t)ATTEST_MAX_WIDTH + 1;
    if (which == 5) c.s.value_width = (size_t)ATTEST_MAX_WIDTH + 1;
    shape_refused(&c, ATTEST_LIMIT);
    if (which == 0) c.s.batch = SIZE_MAX;
    if (which == 3) c.s.kv_len = SIZE_MAX;
    if (which == 4) c.s.width = SIZE_MAX;
    shape_refused(&c, ATTEST_LIMIT);
  }
  /* every stride of every tensor: by its own size, and by a product that would wrap to little */
  for (int which = 0; which < 12; which++)
    for (int wrap = 0; wrap < 2; wrap++) {
      const size_t step = wrap ? SIZE_MAX / 2 + 1 : far;
      valid(&c);
      c.s.kv_heads = 2;
      c.s.q_heads = 2;
      attest_strides *at = which < 3 ? &c.s.q : which < 6 ? &c.s.k : which < 9 ? &c.s.v : &c.s.out;
      if (which % 3 == 0) at->batch = step;
      if (which % 3 == 1) at->head = step;
      if (which % 3 == 2) at->row = step;
      shape_refused(&c, ATTEST_LIMIT);
    }
  /* strides that are in reach one by one, but not together; and one that is used once does not matter */
  valid(&c);
  c.s.q.batch = c.s.q.head = (size_t)(PTRDIFF_MAX / 16);
  shape_refused(&c, ATTEST_LIMIT);
  valid(&c);
  c.s.batch = 1;
  c.s.q.batch = c.s.k.batch = c.s.v.batch = c.s.out.batch = SIZE_MAX;
  assert_int_equal(attend(&c), ATTEST_OK);
  for (int which = 0; which < 8; which++) {
    valid(&c);
    attest_mask_strides *at = which < 4 ? &c.s.mask : &c.s.bias;
    if (which < 4)
      c.a.mask = mask_data;
    else
      c.a.bias = bias_data;
    if (which % 4 == 0) at->batch = far;
    if (which % 4 == 1) at->head = far;
    if (which % 4 == 2) at->row = far;
    if (which % 4 == 3) at->key = far;
    both_refuse(&c, ATTEST_LIMIT);
    /* without the array its strides do not matter */
    c.a.mask = NULL;
    c.a.bias = NULL;
    assert_int_equal(attend(&c), ATTEST_OK);
  }
  /* weights: 2^20 * 2^16 * 2^22 rows of 2^22 */
  valid(&c);
  memset(&c.s.q, 0, sizeof c.s.q);
  memset(&c.s.k, 0, sizeof c.s.k);
  memset(&c.s.v, 0, sizeof c.s.v);
  memset(&c.s.out, 0, sizeof c.s.out);
  c.s.out.row = 2;
  c.s.batch = ATTEST_MAX_BATCH;
  c.s.q_heads = ATTEST_MAX_HEADS;
  c.s.q_len = ATTEST_MAX_KEYS;
  c.s.kv_len = ATTEST_MAX_KEYS;
  for (int engine = 0; engine < ENGINES; engine++) {
    c.engine = (attest_engine)engine;
    REFUSES(attend, &c, ATTEST_LIMIT);
  }
  /* indices of a part */
  for (int which = 0; which < 6; which++) {
    valid(&c);
    if (which == 0) c.batch = 2;
    if (which == 1) c.head = 2;
    if (which == 2) c.i = 3;
    if (which == 3) c.last = 5;
    if (which == 4) c.first = 5;
    if (which == 5) {
      c.first = 3;
      c.last = 2;
    }
    REFUSES(part, &c, ATTEST_LIMIT);
  }
}

static void heads(void **unused) {
  static const size_t pairs[][2] = {{3, 2}, {1, 2}, {5, 3}, {65536, 3}};
  call c;
  (void)unused;
  for (int n = 0; n < 4; n++) {
    valid(&c);
    c.s.q_heads = pairs[n][0];
    c.s.kv_heads = pairs[n][1];
    shape_refused(&c, ATTEST_HEADS);
  }
}

static void number(void **unused) {
  const double large = sizeof(real) == sizeof(float) ? 3.5e38 : 1.7e308;
  const double scales[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, large, -large};
  const double caps[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -1, -1e-300};
  call c;
  (void)unused;
  for (int n = 0; n < 5; n++) {
    valid(&c);
    c.s.scale = scales[n];
    assert_int_equal(attend(&c), ATTEST_OK); /* not given */
    c.s.scale_given = 1;
    shape_refused(&c, ATTEST_NUMBER);
    valid(&c);
    c.s.softcap = caps[n];
    shape_refused(&c, ATTEST_NUMBER);
  }
  /* a cap too small for a float; a scale that overflows only after the change of base */
  if (sizeof(real) == sizeof(float)) {
    valid(&c);
    c.s.softcap = 1e-60;
    shape_refused(&c, ATTEST_NUMBER);
    c.s.softcap = 1e60;
    shape_refused(&c, ATTEST_NUMBER);
  }
  valid(&c);
  c.s.scale_given = 1;
  c.s.scale = (double)ATTEST_MAX * 0.99;
  shape_refused(&c, ATTEST_NUMBER);
  c.s.scale = (double)ATTEST_MAX * 0.69;
  assert_int_equal(attend(&c), ATTEST_OK);
}

static void reach(void **unused) {
  const int64_t most = ATTEST_MAX_REACH;
  const int64_t offsets[] = {most + 1, -most - 1, INT64_MAX, INT64_MIN};
  const int64_t sides[] = {-2, most + 1, INT64_MAX, INT64_MIN};
  call c;
  (void)unused;
  for (int n = 0; n < 4; n++) {
    valid(&c);
    c.s.offset = offsets[n];
    shape_refused(&c, ATTEST_REACH);
    valid(&c);
    c.s.left = sides[n];
    assert_int_equal(attend(&c), ATTEST_OK); /* no window asked for */
    c.s.window = 1;
    shape_refused(&c, ATTEST_REACH);
    valid(&c);
    c.s.window = 1;
    c.s.right = sides[n];
    shape_refused(&c, ATTEST_REACH);
  }
  for (int n = 0; n < 2; n++) {
    valid(&c);
    c.s.key_lengths = lengths_data;
    lengths_data[0] = lengths_data[1] = 4;
    assert_int_equal(attend(&c), ATTEST_OK);
    lengths_data[n] = 5;
    shape_refused(&c, ATTEST_REACH);
    lengths_data[n] = SIZE_MAX;
    shape_refused(&c, ATTEST_REACH);
  }
  valid(&c);
  c.s.causal = c.s.window = 1;
  c.s.left = c.s.right = c.s.offset = most;
  assert_int_equal(attend(&c), ATTEST_OK);
  c.s.left = c.s.right = -1;
  c.s.offset = -most;
  assert_int_equal(attend(&c), ATTEST_OK);
}

static void engine(void **unused) {
  static const size_t tiles[] = {0, (size_t)ATTEST_MAX_TILE + 1, SIZE_MAX};
  call c;
  (void)unused;
  for (int e = 0; e < ENGINES; e++)
    for (int n = 0; n < 3; n++) {
      valid(&c);
      c.engine = (attest_engine)e;
      c.tile = tiles[n];
      REFUSES(attend, &c, ATTEST_ENGINE);
      assert_int_equal(attest_scratch(c.shape, c.engine, c.tile), 0);
    }
  valid(&c);
  c.engine = (attest_engine)3;
  REFUSES(attend, &c, ATTEST_ENGINE);
  assert_int_equal(attest_scratch(c.shape, c.engine, c.tile), 0);
}

static void scratch(void **unused) {
  call c;
  (void)unused;
  for (int e = 0; e < ENGINES; e++) {
    valid(&c);
    c.engine = (attest_engine)e;
    c.count = attest_scratch(c.shape, c.engine, c.tile) - 1;
    REFUSES(attend, &c, ATTEST_SCRATCH);
    c.count = 0;
    REFUSES(attend, &c, ATTEST_SCRATCH);
  }
  valid(&c);
  c.count = attest_scratch(c.shape, ATTEST_NAIVE, 1) - 1;
  REFUSES(part, &c, ATTEST_SCRATCH);
}

/* attest_scratch is 0 exactly where attest_attention refuses the shape. */
static void scratch_of_odd_shapes(void **unused) {
  call c;
  (void)unused;
  for (unsigned n = 0; n < 64; n++) {
    valid(&c);
    if (n & 1) c.s.kv_len = 0;
    if (n & 2) c.s.q_len = 0;
    if (n & 4) c.s.batch = 0;
    c.engine = (attest_engine)(n / 8 % 3);
    c.count = attest_scratch(c.shape, c.engine, c.tile);
    assert_true(c.count > 0 && c.count <= SCRATCH);
    assert_int_equal(attend(&c), ATTEST_OK);
    if (n & 6) assert_true(untouched(&c));
  }
}

static void append(void **unused) {
  real cache[6], rows[6];
  size_t len = 1;
  (void)unused;
  memset(rows, 0, sizeof rows);
  pattern(cache, 6);
  assert_int_equal(attest_append(NULL, 3, 2, &len, rows, 1), ATTEST_NULL);
  assert_int_equal(attest_append(cache, 3, 2, NULL, rows, 1), ATTEST_NULL);
  assert_int_equal(attest_append(cache, 3, 2, &len, NULL, 1), ATTEST_NULL);
  assert_int_equal(attest_append(cache, 3, 2, &len, rows, 3), ATTEST_LIMIT);
  assert_int_equal(attest_append(cache, 3, 2, &len, rows, SIZE_MAX), ATTEST_LIMIT);
  assert_int_equal(len, 1);
  len = 4;
  assert_int_equal(attest_append(cache, 3, 2, &len, rows, 0), ATTEST_LIMIT);
  assert_int_equal(attest_append(cache, 3, 2, &len, rows, SIZE_MAX - 2), ATTEST_LIMIT);
  assert_int_equal(len, 4);
  assert_true(is_pattern(cache, 6));
}

typedef struct {
  attest_layer_shape s, *shape;
  const real *x, *wq, *wk, *wv, *wo;
  real *out, *scratch;
  attest_engine engine;
  size_t tile, count;
} layer;

static void valid_layer(layer *l) {
  memset(l, 0, sizeof *l);
  l->s.len = 3;
  l->s.model = 4;
  l->s.heads = 2;
  l->s.kv_heads = 1;
  l->s.width = 2;
  l->s.value_width = 2;
  l->s.out = 4;
  l->shape = &l->s;
  l->x = l->wq = l->wk = l->wv = l->wo = q_data;
  l->out = out_data;
  l->scratch = scratch_data;
  l->tile = 2;
  l->count = SCRATCH;
}

static attest_status run_layer(layer *l) {
  pattern(out_data, OUT);
  pattern(scratch_data, SCRATCH);
  return attest_layer(l->shape, l->x, l->wq, l->wk, l->wv, l->wo, l->out, l->engine, l->tile,
                      l->scratch, l->count);
}

static void layer_refuses(layer *l, attest_status want, int shape_alone) {
  assert_int_equal(run_layer(l), want);
  assert_true(is_pattern(out_data, OUT) && is_pattern(scratch_data, SCRATCH));
  if (shape_alone) assert_int_equal(attest_layer_scratch(l->shape, l->engine, l->tile), 0);
}

static void layers(void **unused) {
  layer l;
  (void)unused;
  for (int e = 0; e < ENGINES; e++) {
    valid_layer(&l);
    l.engine = (attest_engine)e;
    l.count = attest_layer_scratch(l.shape, l.engine, l.tile);
    assert_true(l.count > 0);
    assert_int_equal(run_layer(&l), ATTEST_OK);
    assert_false(is_pattern(out_data + 11, 1));
    assert_true(is_pattern(out_data + 12, OUT - 12));
    assert_true(is_pattern(scratch_data + l.count, SCRATCH - l.count));
    l.count--;
    layer_refuses(&l, ATTEST_SCRATCH, 0);
    l.count = 0;
    layer_refuses(&l, ATTEST_SCRATCH, 0);
    valid_layer(&l);
    l.engine = (attest_engine)e;
    l.tile = 0;
    layer_refuses(&l, ATTEST_ENGINE, 1);
    l.tile = (size_t)ATTEST_MAX_TILE + 1;
    layer_refuses(&l, ATTEST_ENGINE, 1);
  }
  valid_layer(&l);
  l.engine = (attest_engine)3;
  layer_refuses(&l, ATTEST_ENGINE, 1);
  for (int which = 0; which < 7; which++) {
    valid_layer(&l);
    if (which == 0) l.shape = NULL;
    if (which == 1) l.x = NULL;
    if (which == 2) l.wq = NULL;
    if (which == 3) l.wk = NULL;
    if (which == 4) l.wv = NULL;
    if (which == 5) l.out = NULL;
    if (which == 6) l.scratch = NULL;
    layer_refuses(&l, ATTEST_NULL, which == 0);
  }
  for (int which = 0; which < 6; which++) {
    size_t *sizes[] = {&l.s.model, &l.s.heads, &l.s.kv_heads, &l.s.width, &l.s.value_width,
                       &l.s.out};
    valid_layer(&l);
    *sizes[which] = 0;
    layer_refuses(&l, ATTEST_SHAPE, 1);
  }
  valid_layer(&l);
  l.wo = NULL;
  assert_int_equal(run_layer(&l), ATTEST_OK); /* out = heads * value_width */
  l.s.out = 5;
  layer_refuses(&l, ATTEST_SHAPE, 0);
  for (int which = 0; which < 7; which++) {
    size_t *sizes[] = {&l.s.model, &l.s.heads, &l.s.kv_heads, &l.s.width, &l.s.value_width,
                       &l.s.out, &l.s.len};
    static const size_t tops[] = {1048576, ATTEST_MAX_HEADS, ATTEST_MAX_HEADS, ATTEST_MAX_WIDTH,
                                  ATTEST_MAX_WIDTH, 1048576, ATTEST_MAX_KEYS};
    valid_layer(&l);
    *sizes[which] = tops[which] + 1;
    layer_refuses(&l, which == 2 ? ATTEST_HEADS : ATTEST_LIMIT, 1);
    *sizes[which] = SIZE_MAX;
    layer_refuses(&l, which == 2 ? ATTEST_HEADS : ATTEST_LIMIT, 1);
  }
  valid_layer(&l);
  l.s.heads = 3;
  l.s.kv_heads = 2;
  layer_refuses(&l, ATTEST_HEADS, 1);
  l.s.heads = 1;
  layer_refuses(&l, ATTEST_HEADS, 1);
  valid_layer(&l);
  l.s.scale_given = 1;
  l.s.scale = (double)NAN;
  layer_refuses(&l, ATTEST_NUMBER, 1);
  valid_layer(&l);
  l.s.softcap = -1;
  layer_refuses(&l, ATTEST_NUMBER, 1);
  valid_layer(&l);
  l.s.offset = (int64_t)ATTEST_MAX_REACH + 1;
  layer_refuses(&l, ATTEST_REACH, 1);
  valid_layer(&l);
  l.s.window = 1;
  l.s.left = -2;
  layer_refuses(&l, ATTEST_REACH, 1);
  /* no rows: fine, and nothing to write */
  valid_layer(&l);
  l.s.len = 0;
  assert_int_equal(run_layer(&l), ATTEST_OK);
  assert_true(is_pattern(out_data, OUT));
  /* arrays beyond the address space: 2^22 rows of 2^16 heads of 2^12, eight times over */
  valid_layer(&l);
  l.s.model = 1048576;
  l.s.heads = l.s.kv_heads = ATTEST_MAX_HEADS;
  l.s.width = l.s.value_width = ATTEST_MAX_WIDTH;
  l.s.len = ATTEST_MAX_KEYS;
  layer_refuses(&l, ATTEST_SCRATCH, 0); /* 2^52 elements: they fit, the scratch does not */
}

static void environment(void **unused) {
  static const int roundings[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  (void)unused;
  assert_int_equal(attest_selftest(), ATTEST_OK);
  for (int n = 0; n < 3; n++) {
    attest_status status;
    assert_int_equal(fesetround(roundings[n]), 0);
    status = attest_selftest();
    assert_int_equal(fesetround(FE_TONEAREST), 0);
    assert_int_equal(status, ATTEST_ENVIRONMENT);
  }
#ifdef __SSE2__
  for (int n = 1; n < 4; n++) {
    const unsigned before = _mm_getcsr(); /* bit 15 flushes results to zero, bit 6 operands */
    attest_status status;
    _mm_setcsr(before | (n & 1 ? 0x8000u : 0) | (n & 2 ? 0x40u : 0));
    status = attest_selftest();
    _mm_setcsr(before);
    assert_int_equal(status, ATTEST_ENVIRONMENT);
  }
#endif
  assert_int_equal(attest_selftest(), ATTEST_OK);
}

static void texts(void **unused) {
  (void)unused;
  for (int a = ATTEST_OK; a <= ATTEST_ENVIRONMENT; a++) {
    const char *text = attest_status_text((attest_status)a);
    assert_non_null(text);
    assert_true(strlen(text) > 3 && !strchr(text, '\n'));
    assert_string_not_equal(text, attest_status_text((attest_status)99));
    for (int b = ATTEST_OK; b < a; b++)
      assert_string_not_equal(text, attest_status_text((attest_status)b));
  }
  assert_non_null(attest_status_text((attest_status)99));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(accepted),
    cmocka_unit_test(null),
    cmocka_unit_test(shape),
    cmocka_unit_test(limit),
    cmocka_unit_test(heads),
    cmocka_unit_test(number),
    cmocka_unit_test(reach),
    cmocka_unit_test(engine),
    cmocka_unit_test(scratch),
    cmocka_unit_test(scratch_of_odd_shapes),
    cmocka_unit_test(append),
    cmocka_unit_test(layers),
    cmocka_unit_test(environment),
    cmocka_unit_test(texts),
  };
  return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
