/* Attention in Q16.16: naive, tiled and decode against each other, the definition and MPFR. */
#include "test_q16_problem.h"

/* All tile sizes near the lengths; returns nothing, fails on any difference. */
static void expect_nests(const problem *p) {
  static const uint32_t tiles[] = {1, 2, 3, 5, 7, 8, 16, 31, 64, 128, 1000, 65536};
  result naive, tiled;
  result_make(p, &naive);
  run(p, 0, &naive);
  expect_sound(p, &naive);
  for (size_t n = 0; n < sizeof tiles / sizeof *tiles; n++) {
    result_make(p, &tiled);
    run(p, tiles[n], &tiled);
    expect_equal(&naive, &tiled);
    result_free(&tiled);
  }
  result_free(&naive);
}

static void random_mask(problem *p, uint64_t *state) {
  const size_t count = (size_t)p->shape.q_heads * p->shape.q_len * p->shape.kv_len;
  p->mask = malloc(count + 1);
  assert_non_null(p->mask);
  for (size_t n = 0; n < count; n++) p->mask[n] = (uint8_t)(next(state) % 3 * 77);
}

static void random_shapes(void **unused) {
  static const int32_t limits[] = {65536, 262144, 4194304, INT32_MAX};
  uint64_t state = 11;
  (void)unused;
  for (int n = 0; n < 400; n++) {
    problem p;
    const uint32_t kv_heads = 1 + (uint32_t)(next(&state) % 3);
    const uint32_t group = 1 + (uint32_t)(next(&state) % 3);
    problem_make(&p, &state, kv_heads * group, kv_heads, (uint32_t)(next(&state) % 12),
                 (uint32_t)(next(&state) % 70), 1 + (uint32_t)(next(&state) % 20),
                 1 + (uint32_t)(next(&state) % 9), limits[next(&state) % 4],
                 limits[next(&state) % 4]);
    attest_q16_shape *s = &p.shape;
    if (next(&state) % 2) random_mask(&p, &state);
    s->causal = (int)(next(&state) % 2);
    s->offset = number(&state, 20) + (next(&state) % 2 ? (int32_t)s->kv_len - (int32_t)s->q_len : 0);
    s->window = (int)(next(&state) % 2);
    s->left = (int32_t)(next(&state) % 12) - 1;
    s->right = (int32_t)(next(&state) % 12) - 1;
    if (next(&state) % 3 == 0) s->key_length = (uint32_t)(next(&state) % (s->kv_len + 1));
    expect_nests(&p);
    problem_free(&p);
  }
}

/* The lengths around tile edges. */
static void edges(void **unused) {
  uint64_t state = 13;
  (void)unused;
  for (uint32_t keys = 63; keys <= 65; keys++)
    for (uint32_t tile = 1; tile <= 66; tile++) {
      problem p;
      result naive, tiled;
      problem_make(&p, &state, 1, 1, 3, keys, 5, 3, 524288, 524288);
      p.shape.causal = 1;
      p.shape.offset = (int32_t)keys - 3;
      result_make(&p, &naive);
      result_make(&p, &tiled);
      run(&p, 0, &naive);
      run(&p, tile, &tiled);
      expect_equal(&naive, &tiled);
      result_free(&naive);
      result_free(&tiled);
      problem_free(&p);
    }
}

/* Strides other than the dense ones, of interleaved heads and repeated keys, change nothing. */
static void strides(void **unused) {
  uint64_t state = 17;
  problem dense, inter;
  result a, b;
  (void)unused;
  problem_make(&dense, &state, 4, 2, 5, 9, 3, 2, 65536, 65536);
  problem_make(&inter, &state, 4, 2, 5, 9, 3, 2, 65536, 65536);
  attest_q16_shape *s = &inter.shape;
  s->q.head = s->width;
  s->q.row = 4 * s->width;
  s->k.head = s->width;
  s->k.row = 2 * s->width;
  s->v.head = s->value_width;
  s->v.row = 2 * s->value_width;
  s->out.head = s->value_width;
  s->out.row = 4 * s->value_width;
  for (uint32_t h = 0; h < 4; h++) {
    for (uint32_t i = 0; i < 5; i++)
      for (uint32_t c = 0; c < 3; c++) inter.q[(i * 4 + h) * 3 + c] = q_row(&dense, h, i)[c];
    for (uint32_t j = 0; j < 9; j++) {
      for (uint32_t c = 0; c < 3; c++)
        inter.k[(j * 2 + h / 2) * 3 + c] = k_row(&dense, h, j)[c];
      for (uint32_t c = 0; c < 2; c++)
        inter.v[(j * 2 + h / 2) * 2 + c] = v_row(&dense, h, j)[c];
    }
  }
  result_make(&dense, &a);
  result_make(&inter, &b);
  for (uint32_t tile = 0; tile <= 4; tile += 4) {
    run(&dense, tile, &a);
    run(&inter, tile, &b);
    for (uint32_t h = 0; h < 4; h++)
      for (uint32_t i = 0; i < 5; i++)
        for (uint32_t c = 0; c < 2; c++)
          assert_int_equal(a.out[(h * 5 + i) * 2 + c], b.out[(i * 4 + h) * 2 + c]);
    assert_memory_equal(a.weights, b.weights, a.weights_count * sizeof *a.weights);
  }
  result_free(&a);
  result_free(&b);
  problem_free(&dense);
  problem_free(&inter);
}

/* What hidden keys hold changes nothing. */
static void hidden(void **unused) {
  uint64_t state = 19;
  (void)unused;
  for (int n = 0; n < 60; n++) {
    problem p;
    result before, after;
    problem_make(&p, &state, 2, 1, 6, 20, 4, 3, 262144, 262144);
    const size_t count = 2 * 6 * 20;
    p.mask = malloc(count);
    assert_non_null(p.mask);
    const uint32_t gone = (uint32_t)(next(&state) % 20);
    for (size_t m = 0; m < count; m++) p.mask[m] = m % 20 != gone && next(&state) % 4 != 0;
    result_make(&p, &before);
    result_make(&p, &after);
    run(&p, 0, &before);
    for (uint32_t c = 0; c < 4; c++) p.k[gone * 4 + c] = n % 2 ? INT32_MIN : INT32_MAX;
    for (uint32_t c = 0; c < 3; c++) p.v[gone * 3 + c] = n % 2 ? INT32_MAX : INT32_MIN;
    run(&p, 0, &after);
    expect_equal(&before, &after);
    run(&p, 6, &after);
    expect_equal(&before, &after);
    result_free(&before);
    result_free(&after);
    problem_free(&p);
  }
}

static void fill(int32_t *x, size_t count, int32_t value) {
  for (size_t n = 0; n < count; n++) x[n] = value;
}

/* Ends of the range everywhere, width 1024, one key. */
static void extremes(void **unused) {
  static const int32_t ends[] = {INT32_MIN, -1, 0, 1, INT32_MAX};
  uint64_t state = 23;
  (void)unused;
  for (uint32_t keys = 1; keys <= 4; keys += 3)
    for (int a = 0; a < 5; a++)
      for (int b = 0; b < 5; b++)
        for (int c = 0; c < 5; c++) {
          problem p;
          result r;
          problem_make(&p, &state, 1, 1, 2, keys, 1024, 3, 1, 1);
          fill(p.q, 2 * 1024, ends[a]);
          fill(p.k, (size_t)keys * 1024, ends[b]);
          fill(p.v, (size_t)keys * 3, ends[c]);
          p.k[0] = ends[c]; /* one key a little apart */
          result_make(&p, &r);
          run(&p, 0, &r);
          expect_sound(&p, &r);
          for (size_t n = 0; n < r.out_count; n++) assert_int_equal(r.out[n], ends[c]);
          run(&p, 1, &r);
          expect_sound(&p, &r);
          for (size_t n = 0; n < r.out_count; n++) assert_int_equal(r.out[n], ends[c]);
          result_free(&r);
          problem_free(&p);
        }
}

/* 65536 keys that weigh the same, values of both ends: every limb at its fullest. */
static void many_keys(void **unused) {
  uint64_t state = 29;
  problem p;
  result r;
  (void)unused;
  problem_make(&p, &state, 1, 1, 1, 65536, 1, 3, 0, 1);
  fill(p.v, (size_t)65536 * 3, INT32_MAX);
  for (uint32_t j = 0; j < 65536; j++) p.v[3 * j + 1] = j % 2 ? INT32_MAX : INT32_MIN;
  for (uint32_t j = 0; j < 65536; j++) p.v[3 * j + 2] = j % 2 ? 65536 : 65537;
  result_make(&p, &r);
  for (uint32_t tile = 0; tile <= 1000; tile += 500) {
    run(&p, tile, &r);
    assert_int_equal(r.out[0], INT32_MAX);
    assert_int_equal(r.out[1], 0); /* -1/2, to even */
    assert_int_equal(r.out[2], 65536);
    for (size_t n = 0; n < 65536; n++) assert_int_equal(r.weights[n], 1);
  }
  result_free(&r);
  problem_free(&p);
}

static void no_keys(void **unused) {
  uint64_t state = 31;
  problem p;
  result r;
  (void)unused;
  problem_make(&p, &state, 2, 2, 3, 0, 4, 2, 65536, 65536);
  result_make(&p, &r);
  attest_q16_arrays a = {p.q, NULL, NULL, NULL, r.out, r.weights};
  uint64_t scratch[ATTEST_Q16_TILED_SCRATCH(1, 2)];
  assert_int_equal(attest_q16_naive(&p.shape, &a, scratch, 0), ATTEST_Q16_OK);
  for (size_t n = 0; n < r.out_count; n++) assert_int_equal(r.out[n], 0);
  memset(r.out, 1, r.out_count * sizeof *r.out);
  assert_int_equal(attest_q16_tiled(&p.shape, &a, 1, scratch, 9), ATTEST_Q16_OK);
  for (size_t n = 0; n < r.out_count; n++) assert_int_equal(r.out[n], 0);
  result_free(&r);
  problem_free(&p);
}

/* One row of `keys` keys, width 1 and q = 1, so that the score of key j is k[j]. Worst error of
   naive, in ulp. */
static double row_of(const int32_t *k, const int32_t *v, uint32_t keys) {
  uint64_t state = 37;
  problem p;
  result r;
  problem_make(&p, &state, 1, 1, 1, keys, 1, 1, 1, 1);
  p.q[0] = 65536;
  memcpy(p.k, k, keys * sizeof *k);
  memcpy(p.v, v, keys * sizeof *v);
  result_make(&p, &r);
  run(&p, 0, &r);
  expect_sound(&p, &r);
  const double error = row_error(&p, 0, 0, r.out);
  result_free(&r);
  problem_free(&p);
  return error;
}

static void expect_small(const char *what, double error, double *worst) {
  if (error > *worst) {
    *worst = error;
    print_message("    %s: %.4f ulp\n", what, error);
  }
  assert_true(error <= 1);
}

/* At most 1 ulp for up to 4096 keys and |v| <= 8. */
static void accuracy(void **unused) {
  enum { KEYS = 4096, EIGHT = 524288 };
  static int32_t k[KEYS], v[KEYS];
  uint64_t state = 41;
  double worst = 0;
  (void)unused;
  /* one large key against 4095 tiny ones, at every distance */
  for (int32_t gap = 0; gap <= 30 * 65536; gap += 21845) {
    for (uint32_t j = 0; j < KEYS; j++) {
      k[j] = j == 7 ? gap : 0;
      v[j] = j == 7 ? EIGHT : -EIGHT;
    }
    expect_small("one large key", row_of(k, v, KEYS), &worst);
    for (uint32_t j = 0; j < KEYS; j++) {
      k[j] = j == 7 ? gap : number(&state, 65536);
      v[j] = j == 7 ? EIGHT : -EIGHT + number(&state, 99) + 99;
    }
    expect_small("one large key, the others apart", row_of(k, v, KEYS), &worst);
  }
  /* two groups of equal keys */
  for (int32_t gap = 0; gap <= 12 * 65536; gap += 9973) {
    for (uint32_t j = 0; j < KEYS; j++) {
      k[j] = j % 2 ? gap : 0;
      v[j] = j % 2 ? EIGHT : -EIGHT;
    }
    expect_small("two groups", row_of(k, v, 64), &worst);
  }
  /* slowly rising scores, values rising, falling and alternating */
  for (int32_t step = 1; step <= 2048; step *= 2)
    for (int order = 0; order < 3; order++) {
      for (uint32_t j = 0; j < KEYS; j++) {
        const int32_t at = (int32_t)j * 256 - EIGHT;
        k[j] = (int32_t)j * step;
        v[j] = order == 0 ? at : order == 1 ? -at : j % 2 ? EIGHT : -EIGHT;
      }
      expect_small("rising scores", row_of(k, v, KEYS), &worst);
    }
  /* anything */
  for (int n = 0; n < 400; n++) {
    const uint32_t keys = 1 + (uint32_t)(next(&state) % (n % 20 == 0 ? 4096 : 64));
    const int32_t limit = 1 << next(&state) % 22;
    for (uint32_t j = 0; j < keys; j++) {
      k[j] = number(&state, limit);
      v[j] = next(&state) % 2 ? EIGHT : number(&state, EIGHT);
    }
    expect_small("random", row_of(k, v, keys), &worst);
  }
  print_message("    worst %.4f ulp\n", worst);
}

/* Whole heads of random queries and keys: outputs within 1 ulp, weights within 1.01. */
static void heads(void **unused) {
  uint64_t state = 43;
  double worst = 0;
  (void)unused;
  for (uint32_t width = 1; width <= 128; width *= 2) {
    problem p;
    result r;
    problem_make(&p, &state, 2, 1, 4, 64, width, 4, 196608, 524288);
    p.shape.causal = 1;
    p.shape.offset = 60;
    result_make(&p, &r);
    run(&p, 16, &r);
    for (uint32_t h = 0; h < 2; h++)
      for (uint32_t i = 0; i < 4; i++) {
        mpfr_t w[64];
        expect_small("head", row_error(&p, h, i, r.out + (h * 4 + i) * 4), &worst);
        for (int j = 0; j < 64; j++) mpfr_init2(w[j], EXACT_BITS);
        exact_weights(&p, h, i, w);
        for (int j = 0; j < 64; j++) {
          const int32_t got = r.weights[(h * 4 + i) * 64 + (uint32_t)j];
          mpfr_mul_2ui(w[j], w[j], 16, MPFR_RNDN);
          mpfr_sub_si(w[j], w[j], got, MPFR_RNDN);
          assert_true(mpfr_cmp_d(w[j], 1.01) < 0 && mpfr_cmp_d(w[j], -1.01) > 0);
          mpfr_clear(w[j]);
        }
      }
    result_free(&r);
    problem_free(&p);
  }
}

/* Decoding token by token gives the rows of causal attention over the whole. */
static void decode(void **unused) {
  uint64_t state = 47;
  (void)unused;
  for (int32_t left = -1; left <= 5; left += 3) {
    enum { TOKENS = 20, HEADS = 4, KV = 2, WIDTH = 6, VALUES = 3, ROOM = 23 };
    problem p;
    result r;
    int32_t keys[KV * ROOM * WIDTH], values[KV * ROOM * VALUES], out[HEADS * VALUES];
    int32_t q[HEADS * WIDTH], k[KV * WIDTH], v[KV * VALUES];
    uint64_t scratch[ATTEST_Q16_TILED_SCRATCH(7, VALUES)];
    attest_q16_cache cache = {keys, values, KV, ROOM, 0, WIDTH, VALUES};
    problem_make(&p, &state, HEADS, KV, TOKENS, TOKENS, WIDTH, VALUES, 262144, 262144);
    p.shape.causal = 1;
    p.shape.window = left >= 0;
    p.shape.left = left;
    p.shape.right = -1;
    result_make(&p, &r);
    run(&p, 0, &r);
    for (uint32_t t = 0; t < TOKENS; t++) {
      for (uint32_t h = 0; h < HEADS; h++)
        memcpy(q + h * WIDTH, q_row(&p, h, t), WIDTH * sizeof *q);
      for (uint32_t h = 0; h < KV; h++) {
        memcpy(k + h * WIDTH, k_row(&p, h * HEADS / KV, t), WIDTH * sizeof *k);
        memcpy(v + h * VALUES, v_row(&p, h * HEADS / KV, t), VALUES * sizeof *v);
      }
      assert_int_equal(attest_q16_append(&cache, k, v), ATTEST_Q16_OK);
      assert_int_equal(cache.length, t + 1);
      assert_int_equal(attest_q16_decode(&cache, q, HEADS, p.shape.scale, left, out, 7, scratch,
                                         ATTEST_Q16_TILED_SCRATCH(7, VALUES)),
                       ATTEST_Q16_OK);
      for (uint32_t h = 0; h < HEADS; h++)
        assert_memory_equal(out + h * VALUES, r.out + (h * TOKENS + t) * VALUES,
                            VALUES * sizeof *out);
    }
    for (int n = 0; n < ROOM - TOKENS; n++)
      assert_int_equal(attest_q16_append(&cache, k, v), ATTEST_Q16_OK);
    assert_int_equal(attest_q16_append(&cache, k, v), ATTEST_Q16_FULL);
    assert_int_equal(cache.length, ROOM);
    result_free(&r);
    problem_free(&p);
  }
}

/* A step with a mask and weights over the arrays of a cache, by attest_q16_tiled as attest_q16.h says: the
   rows of masked attention over the whole; and without a mask the bits of attest_q16_decode. */
static void masked_step(void **unused) {
  enum { TOKENS = 20, HEADS = 4, KV = 2, WIDTH = 6, VALUES = 3, ROOM = 23, TILE = 7 };
  uint64_t state = 53, scratch[ATTEST_Q16_TILED_SCRATCH(TILE, VALUES)];
  const uint32_t count = ATTEST_Q16_TILED_SCRATCH(TILE, VALUES);
  (void)unused;
  for (int32_t left = -1; left <= 5; left += 3) {
    problem p;
    result r;
    int32_t keys[KV * ROOM * WIDTH], values[KV * ROOM * VALUES], out[HEADS * VALUES];
    int32_t q[HEADS * WIDTH], weights[HEADS * ROOM], plain[HEADS * VALUES];
    uint8_t mask[HEADS * ROOM];
    attest_q16_cache cache = {keys, values, KV, ROOM, TOKENS, WIDTH, VALUES};
    attest_q16_shape s = {0};
    attest_q16_arrays a = {q, keys, values, mask, out, weights};
    problem_make(&p, &state, HEADS, KV, TOKENS, TOKENS, WIDTH, VALUES, 262144, 262144);
    p.shape.causal = 1;
    p.shape.window = left >= 0;
    p.shape.left = left;
    p.shape.right = -1;
    p.mask = malloc((size_t)HEADS * TOKENS * TOKENS);
    assert_non_null(p.mask);
    for (size_t n = 0; n < (size_t)HEADS * TOKENS * TOKENS; n++) p.mask[n] = next(&state) % 3 != 0;
    result_make(&p, &r);
    run(&p, 0, &r);
    memset(keys, 0x77, sizeof keys); /* rows beyond the length hold anything */
    memset(values, 0x77, sizeof values);
    memset(mask, 1, sizeof mask);
    for (uint32_t h = 0; h < KV; h++)
      for (uint32_t t = 0; t < TOKENS; t++) {
        memcpy(keys + (h * ROOM + t) * WIDTH, k_row(&p, h * HEADS / KV, t), WIDTH * sizeof *keys);
        memcpy(values + (h * ROOM + t) * VALUES, v_row(&p, h * HEADS / KV, t),
               VALUES * sizeof *values);
      }
    for (uint32_t h = 0; h < HEADS; h++) {
      memcpy(q + h * WIDTH, q_row(&p, h, TOKENS - 1), WIDTH * sizeof *q);
      memcpy(mask + h * ROOM, p.mask + (h * TOKENS + TOKENS - 1) * TOKENS, TOKENS);
    }
    s.q_heads = HEADS;
    s.kv_heads = KV;
    s.q_len = 1;
    s.kv_len = ROOM;
    s.width = WIDTH;
    s.value_width = VALUES;
    assert_int_equal(attest_q16_layout(&s), ATTEST_Q16_OK);
    s.key_length = cache.length;
    s.window = left >= 0;
    s.left = left;
    s.right = -1;
    s.offset = (int32_t)cache.length - 1;
    assert_int_equal(attest_q16_tiled(&s, &a, TILE, scratch, count), ATTEST_Q16_OK);
    for (uint32_t h = 0; h < HEADS; h++) {
      const size_t row = (size_t)h * TOKENS + TOKENS - 1;
      assert_memory_equal(out + h * VALUES, r.out + row * VALUES, VALUES * sizeof *out);
      assert_memory_equal(weights + h * ROOM, r.weights + row * TOKENS, TOKENS * sizeof *weights);
      for (uint32_t j = TOKENS; j < ROOM; j++) assert_int_equal(weights[h * ROOM + j], 0);
    }
    a.mask = NULL;
    assert_int_equal(attest_q16_tiled(&s, &a, TILE, scratch, count), ATTEST_Q16_OK);
    assert_int_equal(attest_q16_decode(&cache, q, HEADS, s.scale, left, plain, TILE, scratch, count),
                     ATTEST_Q16_OK);
    assert_memory_equal(out, plain, sizeof out);
    result_free(&r);
    problem_free(&p);
  }
}

static void statuses(void **unused) {
  uint64_t state = 53;
  uint64_t scratch[64];
  problem p;
  result r;
  (void)unused;
  problem_make(&p, &state, 2, 1, 2, 4, 3, 2, 65536, 65536);
  result_make(&p, &r);
  const attest_q16_shape good = p.shape;
  const attest_q16_arrays a = {p.q, p.k, p.v, NULL, r.out, r.weights};
  attest_q16_arrays missing = a;
  attest_q16_shape bad;
  assert_int_equal(attest_q16_naive(&good, &a, scratch, 12), ATTEST_Q16_OK);
  assert_int_equal(attest_q16_naive(&good, &a, scratch, 11), ATTEST_Q16_SCRATCH);
  assert_int_equal(attest_q16_naive(&good, &a, NULL, 12), ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_naive(NULL, &a, scratch, 12), ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_naive(&good, NULL, scratch, 12), ATTEST_Q16_NULL);
  assert_int_equal(attest_q16_tiled(&good, &a, 0, scratch, 64), ATTEST_Q16_SCRATCH);
  assert_int_equal(attest_q16_tiled(&good, &a, 5, scratch, 13), ATTEST_Q16_OK);
  assert_int_equal(attest_q16_tiled(&good, &a, 5, scratch, 12), ATTEST_Q16_SCRATCH);
  assert_int_equal(attest_q16_tiled(&good, &a, UINT32_MAX, scratch, 64), ATTEST_Q16_SCRATCH);
  assert_int_equal(attest_q16_layout(NULL), ATTEST_Q16_NULL);
  missing.out = NULL;
  assert_int_equal(attest_q16_naive(&good, &missing, scratch, 12), ATTEST_Q16_NULL);
  missing = a;
  missing.v = NULL;
  assert_int_equal(attest_q16_naive(&good, &missing, scratch, 12), ATTEST_Q16_NULL);
#define EXPECT(field, value, status)                                             \
  bad = good;                                                                    \
  bad.field = value;                                                             \
  assert_int_equal(attest_q16_naive(&bad, &a, scratch, 64), ATTEST_Q16_##status)
  EXPECT(width, 0, SHAPE);
  EXPECT(value_width, 0, SHAPE);
  EXPECT(q_heads, 0, SHAPE);
  EXPECT(kv_heads, 0, SHAPE);
  EXPECT(kv_heads, 3, SHAPE);
  EXPECT(width, 1025, LIMIT);
  EXPECT(value_width, 1025, LIMIT);
  EXPECT(kv_len, 65537, LIMIT);
  EXPECT(q_len, 65537, LIMIT);
  EXPECT(q_heads, 65537, LIMIT);
  EXPECT(q.row, 4294967295U, LIMIT);
  EXPECT(k.row, 2147483648U, LIMIT);
  EXPECT(out.head, 4294967295U, LIMIT);
  EXPECT(key_length, 5, REACH);
  EXPECT(offset, 268435457, REACH);
  EXPECT(offset, -268435457, REACH);
  EXPECT(offset, 268435456, OK);
  EXPECT(offset, -268435456, OK);
  EXPECT(scale.exponent, -65, SCALE);
  EXPECT(scale.exponent, -16, SCALE);
  bad = good;
  bad.window = 1;
  bad.left = -2;
  assert_int_equal(attest_q16_naive(&bad, &a, scratch, 64), ATTEST_Q16_REACH);
  bad.left = -1;
  bad.right = 268435457;
  assert_int_equal(attest_q16_naive(&bad, &a, scratch, 64), ATTEST_Q16_REACH);
  bad.right = 268435456;
  assert_int_equal(attest_q16_naive(&bad, &a, scratch, 64), ATTEST_Q16_OK);
  result_free(&r);
  problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_shapes), cmocka_unit_test(edges),    cmocka_unit_test(strides),
    cmocka_unit_test(hidden),        cmocka_unit_test(extremes), cmocka_unit_test(many_keys),
    cmocka_unit_test(no_keys),       cmocka_unit_test(accuracy), cmocka_unit_test(heads),
    cmocka_unit_test(decode),        cmocka_unit_test(masked_step),
    cmocka_unit_test(statuses)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  mpfr_free_cache();
  return failed;
}
