/* The same bits from every engine and tile size: == and no tolerance, wherever the condition holds
   that textbook.h states (book_same_bits); where it does not, what is still true. Hidden keys may
   hold anything. An argument N tries N times as many random problems. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "textbook.h"

static unsigned effort = 1;

static void differ(const problem *p, attest_engine engine, size_t tile, const char *what) {
  char text[300];
  describe(p, text, sizeof text);
  fail_msg("%s, tile %zu: %s in %s", engine_names[engine], tile, what, text);
}

static void expect_same(const problem *p, attest_engine engine, size_t tile, const result *want,
                        result *r) {
  assert_int_equal(run(p, engine, tile, r), ATTEST_OK);
  if (!same_result(want, r)) differ(p, engine, tile, "other bits than naive");
}

/* Naive against decode and tiled with some tile sizes. */
static void expect_all_same(const problem *p, const size_t *tiles, size_t count) {
  result want, r;
  result_make(p, &want);
  result_make(p, &r);
  assert_int_equal(run(p, ATTEST_NAIVE, 1, &want), ATTEST_OK);
  expect_same(p, ATTEST_DECODE, 1, &want, &r);
  for (size_t n = 0; n < count; n++) expect_same(p, ATTEST_TILED, tiles[n], &want, &r);
  result_free(&want);
  result_free(&r);
}

static int all_rows_inside(const problem *p) {
  book k;
  int inside = 1;
  book_make(&p->shape, &k);
  for (size_t b = 0; b < p->shape.batch; b++)
    for (size_t h = 0; h < p->shape.q_heads; h++)
      for (size_t i = 0; i < p->shape.q_len; i++) {
        book_row(p, b, h, i, &k);
        if (!book_same_bits(&k)) inside = 0;
      }
  book_free(&k);
  return inside;
}

static void random_small(void **unused) {
  uint64_t state = 1;
  unsigned inside = 0;
  (void)unused;
  for (unsigned n = 0; n < 2500 * effort; n++) {
    problem p;
    size_t tiles[3] = {1, 0, 0};
    problem_random(&p, &state, 8, 24, 12, (unsigned)below(&state, WITH_ALL + 1));
    tiles[1] = 1 + below(&state, 26);
    tiles[2] = 1 + below(&state, 200);
    if (all_rows_inside(&p)) {
      inside++;
      expect_all_same(&p, tiles, 3);
    }
    problem_free(&p);
  }
  assert_true(inside > 2400 * effort); /* the generator stays inside nearly always */
}

static void random_large(void **unused) {
  uint64_t state = 2;
  (void)unused;
  for (unsigned n = 0; n < 25 * effort; n++) {
    problem p;
    size_t tiles[3];
    problem_random(&p, &state, 140, 300, 12, (unsigned)below(&state, WITH_ALL + 1));
    for (int t = 0; t < 3; t++) tiles[t] = 1 + below(&state, 130);
    if (all_rows_inside(&p)) expect_all_same(&p, tiles, 3);
    problem_free(&p);
  }
}

/* 63, 64, 65, 127, 128 and 129 queries and keys against every tile size from 1 to 130. */
static void every_tile_size(void **unused) {
  static const size_t edges[] = {63, 64, 65, 127, 128, 129};
  uint64_t state = 3;
  (void)unused;
  for (size_t a = 0; a < 6; a++)
    for (size_t b = 0; b < 6; b++) {
      problem p;
      result want, r;
      problem_dense(&p, &state, 1, 1, 1, edges[a], edges[b], 3, 5);
      p.shape.causal = (a + b) % 2 == 0;
      p.shape.offset = (int64_t)edges[b] - (int64_t)edges[a];
      result_make(&p, &want);
      result_make(&p, &r);
      assert_true(all_rows_inside(&p));
      assert_int_equal(run(&p, ATTEST_NAIVE, 1, &want), ATTEST_OK);
      expect_same(&p, ATTEST_DECODE, 1, &want, &r);
      for (size_t tile = 1; tile <= 130; tile++) expect_same(&p, ATTEST_TILED, tile, &want, &r);
      result_free(&want);
      result_free(&r);
      problem_free(&p);
    }
}

/* The largest tile there is, and widths around the kernel's groups of columns and keys. */
static void edges_of_kernels(void **unused) {
  static const size_t tiles[] = {1, 2, 3, 4, 5, 7, 8, 9, ATTEST_MAX_TILE};
  uint64_t state = 4;
  (void)unused;
  for (size_t width = 1; width <= 9; width++)
    for (size_t value_width = 1; value_width <= 9; value_width++) {
      problem p;
      problem_dense(&p, &state, 1, 1, 1, 3, 10 + width, width, value_width);
      expect_all_same(&p, tiles, 9 - (value_width != 3));
      problem_free(&p);
    }
}

/* Scratch at any address. */
static void scratch_anywhere(void **unused) {
  uint64_t state = 5;
  problem p;
  result want, r;
  (void)unused;
  problem_dense(&p, &state, 1, 2, 1, 70, 40, 5, 6);
  result_make(&p, &want);
  result_make(&p, &r);
  assert_int_equal(run(&p, ATTEST_NAIVE, 1, &want), ATTEST_OK);
  for (int engine = 0; engine < ENGINES; engine++)
    for (size_t shift = 0; shift < 9; shift++) {
      const size_t need = attest_scratch(&p.shape, (attest_engine)engine, 8);
      real *scratch = reals(need + shift);
      attest_arrays a = p.in;
      a.out = r.out;
      a.weights = r.weights;
      a.lse = r.lse;
      assert_int_equal(attest_attention(&p.shape, &a, (attest_engine)engine, 8, scratch + shift,
                                        need), ATTEST_OK);
      assert_true(same_result(&want, &r));
      free(scratch);
    }
  problem_free(&p);
  result_free(&want);
  result_free(&r);
}

/* Rewrites what is hidden. A key or value row is hidden if no row of any of its heads sees the key;
   a bias is if its key is hidden by the mask, by position or by length from every row that the bias
   is broadcast to. */
static void poison(problem *p, uint64_t *state) {
  static const double huge = 1e30;
  const attest_shape *s = &p->shape;
  const size_t group = s->q_heads / s->kv_heads;
  const real *bias = p->bias;
  unsigned char *used = memory(p->bias_count);
  memset(used, 0, p->bias_count);
  for (size_t b = 0; b < s->batch; b++)
    for (size_t h = 0; h < s->q_heads; h++)
      for (size_t i = 0; i < s->q_len; i++)
        for (size_t j = 0; bias && j < s->kv_len; j++) {
          const size_t at = b * s->bias.batch + h * s->bias.head + i * s->bias.row +
                            j * s->bias.key;
          /* a bias of -inf is what hides, where nothing else does; it must stay */
          p->bias = NULL;
          if (visible(p, b, h, i, j)) used[at] = 1;
          p->bias = (real *)bias;
        }
  for (size_t b = 0; b < s->batch; b++)
    for (size_t kv = 0; kv < s->kv_heads; kv++)
      for (size_t j = 0; j < s->kv_len; j++) {
        const real bad[] = {(real)NAN, (real)INFINITY, -(real)INFINITY, (real)huge, -(real)huge,
                            ATTEST_MAX, -ATTEST_MAX};
        int seen = 0;
        for (size_t h = kv * group; h < (kv + 1) * group; h++)
          for (size_t i = 0; i < s->q_len; i++) seen |= visible(p, b, h, i, j);
        if (seen) continue;
        for (size_t c = 0; c < s->width; c++)
          p->k[b * s->k.batch + kv * s->k.head + j * s->k.row + c] = bad[below(state, 7)];
        for (size_t c = 0; c < s->value_width; c++)
          p->v[b * s->v.batch + kv * s->v.head + j * s->v.row + c] = bad[below(state, 7)];
      }
  for (size_t n = 0; n < p->bias_count; n++) {
    const real bad[] = {(real)NAN, (real)INFINITY, -(real)INFINITY, (real)huge, -ATTEST_MAX};
    if (!used[n]) p->bias[n] = bad[below(state, 5)];
  }
  free(used);
}

static void hidden_keys(void **unused) {
  uint64_t state = 6;
  (void)unused;
  for (unsigned n = 0; n < 1500 * effort; n++) {
    problem p;
    result want[ENGINES], r;
    const size_t tile = 1 + below(&state, 30);
    const size_t queries = n % 8 == 0 ? 140 : 5, keys = n % 8 == 0 ? 80 : 24;
    unsigned options = (unsigned)below(&state, WITH_ALL + 1);
    options |= below(&state, 2) ? WITH_MASK : WITH_LENGTHS; /* something must be hidden */
    problem_random(&p, &state, queries, keys, 6, options);
    result_make(&p, &r);
    for (int e = 0; e < ENGINES; e++) {
      result_make(&p, &want[e]);
      assert_int_equal(run(&p, (attest_engine)e, tile, &want[e]), ATTEST_OK);
    }
    poison(&p, &state);
    for (int e = 0; e < ENGINES; e++) {
      assert_int_equal(run(&p, (attest_engine)e, tile, &r), ATTEST_OK);
      if (!same_result(&want[e], &r)) differ(&p, (attest_engine)e, tile, "a hidden key is felt");
      result_free(&want[e]);
    }
    result_free(&r);
    problem_free(&p);
  }
}

/* A key hidden from one row and seen by the next: NaN in its value reaches the second row only. */
static void hidden_from_some(void **unused) {
  uint64_t state = 7;
  (void)unused;
  for (int engine = 0; engine < ENGINES; engine++)
    for (size_t tile = 1; tile <= 9; tile++)
      for (size_t key = 0; key < 8; key++) {
        problem p;
        result want, r;
        problem_dense(&p, &state, 1, 1, 1, 70, 8, 2, 3);
        problem_mask(&p);
        for (size_t i = 0; i < 70; i++) p.mask[i * 8 + key] = i % 3 == 0;
        result_make(&p, &want);
        result_make(&p, &r);
        assert_int_equal(run(&p, (attest_engine)engine, tile, &want), ATTEST_OK);
        p.v[3 * key + 1] = (real)NAN;
        assert_int_equal(run(&p, (attest_engine)engine, tile, &r), ATTEST_OK);
        for (size_t i = 0; i < 70; i++)
          for (size_t c = 0; c < 3; c++) {
            const real got = r.out[3 * i + c];
            if (i % 3 == 0 && c == 1)
              assert_true(got != got);
            else
              assert_true(bits_of(got) == bits_of(want.out[3 * i + c]));
          }
        problem_free(&p);
        result_free(&want);
        result_free(&r);
      }
}

/* One query of 1 with a key a score: the scores of a row at will. */
static void with_scores(problem *p, uint64_t *state, size_t queries, size_t keys,
                        size_t value_width, double scale) {
  problem_dense(p, state, 1, 1, 1, queries, keys, 1, value_width);
  p->shape.scale_given = 1;
  p->shape.scale = scale;
  for (size_t i = 0; i < queries; i++) p->q[i] = 1;
}

static const size_t some_tiles[] = {1, 2, 3, 7, 16, 64, 100};
enum { SOME_TILES = 7 };

/* The largest score first, last, rising, falling, and large in the middle. */
static void order_of_scores(void **unused) {
  uint64_t state = 8;
  (void)unused;
  for (int order = 0; order < 5; order++)
    for (size_t keys = 1; keys < 140; keys += 23) {
      problem p;
      with_scores(&p, &state, 3, keys, 4, 0.25);
      for (size_t j = 0; j < keys; j++) {
        const real at = (real)j;
        p.k[j] = order == 0 ? (j == 0 ? 200 : p.k[j])
               : order == 1 ? (j + 1 == keys ? 200 : p.k[j])
               : order == 2 ? at * 2
               : order == 3 ? -at * 2
                            : (j == keys / 2 ? 200 : p.k[j]);
      }
      assert_true(all_rows_inside(&p));
      expect_all_same(&p, some_tiles, SOME_TILES);
      problem_free(&p);
    }
}

/* Equal scores, from tiny to the largest there are: every weight is 1/n, in every engine. */
static void equal_scores(void **unused) {
  const double scores[] = {0, 1, -1, 1e30, -1e30, -80000, 80000, 1e-30, 3e38, -3e38};
  uint64_t state = 9;
  (void)unused;
  for (size_t n = 0; n < sizeof scores / sizeof scores[0]; n++)
    for (size_t keys = 1; keys < 130; keys += 43) {
      problem p;
      result r;
      with_scores(&p, &state, 2, keys, 3, 1);
      for (size_t j = 0; j < keys; j++) p.k[j] = (real)scores[n];
      expect_all_same(&p, some_tiles, SOME_TILES);
      result_make(&p, &r);
      assert_int_equal(run(&p, ATTEST_TILED, 5, &r), ATTEST_OK);
      /* all terms are one p; n p is rounded at most n - 1 times, the quotient once */
      for (size_t j = 0; j < r.weights_count; j++) {
        const double u = sizeof(real) == sizeof(float) ? 0x1p-24 : 0x1p-53;
        assert_true(fabs((double)r.weights[j] * (double)keys - 1) <= (double)keys * u);
      }
      result_free(&r);
      problem_free(&p);
    }
}

/* One score above all the others by far: its key alone, bit for bit, whatever the others were. */
static void one_hot(void **unused) {
  uint64_t state = 10;
  (void)unused;
  for (size_t key = 0; key < 70; key += 3)
    for (int kind = 0; kind < 3; kind++) {
      problem p;
      result r;
      with_scores(&p, &state, 2, 70, 3, 1);
      for (size_t j = 0; j < 70; j++) p.k[j] = kind == 0 ? (real)-1e30 : kind == 1 ? -80000 : -4000;
      p.k[key] = 0;
      result_make(&p, &r);
      for (int engine = 0; engine < ENGINES; engine++)
        for (size_t t = 0; t < SOME_TILES; t++) {
          assert_int_equal(run(&p, (attest_engine)engine, some_tiles[t], &r), ATTEST_OK);
          for (size_t i = 0; i < 2; i++) {
            for (size_t c = 0; c < 3; c++)
              assert_true(bits_of(r.out[3 * i + c]) == bits_of(p.v[3 * key + c]));
            for (size_t j = 0; j < 70; j++)
              assert_true(bits_of(r.weights[70 * i + j]) == bits_of(j == key ? 1 : 0));
            assert_true(r.lse[i] == 0);
          }
        }
      problem_free(&p);
      result_free(&r);
    }
}

/* Subnormal keys vanish in the scores; subnormal values obey the condition with R = 0. */
static void subnormals(void **unused) {
  const real least = real_of(1);
  uint64_t state = 11;
  (void)unused;
  for (size_t keys = 1; keys < 100; keys += 33) {
    problem p;
    result r;
    with_scores(&p, &state, 2, keys, 3, 1);
    for (size_t j = 0; j < keys; j++) p.k[j] = (real)(below(&state, 1000)) * least;
    for (size_t n = 0; n < p.v_count; n++) p.v[n] = 3 * (real)(below(&state, 1000)) * least;
    expect_all_same(&p, some_tiles, SOME_TILES);
    result_make(&p, &r);
    assert_int_equal(run(&p, ATTEST_NAIVE, 1, &r), ATTEST_OK);
    for (size_t c = 0; c < 3; c++) {
      wide mean = 0;
      for (size_t j = 0; j < keys; j++) mean += (wide)p.v[3 * j + c] / (wide)keys;
      /* the weights are 1 to n u, each product and sum is exact or rounds at half a least */
      assert_true(fabsl(r.out[c] - mean) <= least);
    }
    result_free(&r);
    problem_free(&p);
  }
}

/* The mean of the smallest negative number and three zeros rounds to -0, which is stored as +0. */
static void no_minus_zero(void **unused) {
  uint64_t state = 13;
  problem p;
  result r;
  (void)unused;
  problem_dense(&p, &state, 1, 1, 1, 1, 4, 1, 1);
  for (size_t j = 0; j < 4; j++) p.k[j] = p.v[j] = 0;
  p.v[0] = -real_of(1);
  result_make(&p, &r);
  for (int engine = 0; engine < ENGINES; engine++) {
    assert_int_equal(run(&p, (attest_engine)engine, 2, &r), ATTEST_OK);
    assert_true(bits_of(r.out[0]) == 0);
  }
  result_free(&r);
  problem_free(&p);
}

static void smallest(void **unused) {
  uint64_t state = 12;
  (void)unused;
  for (size_t queries = 1; queries <= 2; queries++)
    for (size_t keys = 1; keys <= 3; keys++)
      for (int causal = 0; causal < 2; causal++) {
        problem p;
        problem_dense(&p, &state, 1, 1, 1, queries, keys, 1, 1);
        p.shape.causal = causal;
        p.shape.offset = -1;
        expect_all_same(&p, some_tiles, SOME_TILES);
        problem_free(&p);
      }
}

/* Every score -inf by arithmetic, rows that see nothing, and both beside ordinary rows. */
static void empty_and_minus_infinite(void **unused) {
  uint64_t state = 13;
  (void)unused;
  for (size_t rows = 1; rows <= 129; rows += 32) {
    problem p;
    with_scores(&p, &state, rows, 30, 3, 1);
    problem_mask(&p);
    for (size_t i = 0; i < rows; i++) {
      if (i % 4 == 1) memset(p.mask + i * 30, 0, 30);
      if (i % 4 == 2) p.q[i] = 0; /* 0 * -inf: NaN */
    }
    for (size_t j = 0; j < 30; j++) p.k[j] = -(real)INFINITY;
    expect_all_same(&p, some_tiles, SOME_TILES);
    for (size_t j = 0; j < 30; j += 7) p.k[j] = 1;
    expect_all_same(&p, some_tiles, SOME_TILES);
    p.k[13] = (real)INFINITY;
    expect_all_same(&p, some_tiles, SOME_TILES);
    p.k[13] = (real)NAN;
    expect_all_same(&p, some_tiles, SOME_TILES);
    problem_free(&p);
  }
}

/* Scores whose R is at the condition's edge, with values as small as it lets them be: inside. */
static void edge_of_the_condition(void **unused) {
  const int limit = sizeof(real) == sizeof(float) ? 125 : 1021;
  uint64_t state = 14;
  (void)unused;
  for (int range = limit - 12; range <= limit - 2; range++)
    for (unsigned n = 0; n < 12 * effort; n++) {
      problem p;
      with_scores(&p, &state, 3, 40, 3, 0.69314718055994530942);
      for (size_t j = 0; j < 40; j++) p.k[j] = (real)below(&state, (size_t)range + 1);
      for (size_t at = 0; at < p.v_count; at++) {
        const real v = spread(&state, 0);
        p.v[at] = (v < 0 ? -1 : 1) * (power(range + 2 - limit) + power(range - limit) * v);
        if (below(&state, 4) == 0) p.v[at] = 0;
        if (below(&state, 4) == 0) p.v[at] = spread(&state, 3) * power((int)below(&state, 20));
        if (p.v[at] > -power(range + 2 - limit) && p.v[at] < power(range + 2 - limit)) p.v[at] = 0;
      }
      assert_true(all_rows_inside(&p));
      expect_all_same(&p, some_tiles, SOME_TILES);
      problem_free(&p);
    }
}

/* Outside the condition: finite inputs that cannot overflow give finite results in every engine,
   all within the textbook's allowance; log-sum-exp too. */
static void outside(void **unused) {
  uint64_t state = 15;
  unsigned outside = 0;
  (void)unused;
  for (unsigned n = 0; n < 300 * effort; n++) {
    problem p;
    result r;
    book k;
    with_scores(&p, &state, 2, 1 + below(&state, 60), 3, 1);
    p.shape.causal = (int)below(&state, 2);
    p.shape.offset = (int64_t)below(&state, 60);
    for (size_t j = 0; j < p.shape.kv_len; j++) p.k[j] = spread(&state, 1 + (int)(n % 12));
    for (size_t at = 0; at < p.v_count; at++)
      p.v[at] = spread(&state, (int)below(&state, 200) - 100);
    result_make(&p, &r);
    book_make(&p.shape, &k);
    if (!all_rows_inside(&p)) outside++;
    for (int engine = 0; engine < ENGINES; engine++) {
      const size_t tile = 1 + below(&state, 20);
      assert_int_equal(run(&p, (attest_engine)engine, tile, &r), ATTEST_OK);
      for (size_t i = 0; i < 2; i++) {
        book_row(&p, 0, 0, i, &k);
        const char *wrong = book_differs(&p, &k, &r, 0, 0, i);
        if (wrong) differ(&p, (attest_engine)engine, tile, wrong);
      }
    }
    book_free(&k);
    result_free(&r);
    problem_free(&p);
  }
  assert_true(outside > 100 * effort || sizeof(real) > sizeof(float));
}

/* The stated example of what is lost outside: y = 0, 80, 160 with V = 2^100 at the first key gives
   0 untiled and 2^-60 in tiles of one key. */
static void stated_example(void **unused) {
  const int half = sizeof(real) == sizeof(float) ? 80 : 640;
  const int large = sizeof(real) == sizeof(float) ? 100 : 900;
  uint64_t state = 16;
  problem p;
  result r;
  (void)unused;
  with_scores(&p, &state, 1, 3, 1, 0.69314718055994530942);
  for (size_t j = 0; j < 3; j++) {
    p.k[j] = (real)((int)j * half);
    p.v[j] = j == 0 ? power(large) : 0;
  }
  result_make(&p, &r);
  assert_false(all_rows_inside(&p));
  assert_int_equal(run(&p, ATTEST_NAIVE, 1, &r), ATTEST_OK);
  assert_true(r.out[0] == 0);
  assert_int_equal(run(&p, ATTEST_TILED, 1, &r), ATTEST_OK);
  assert_true(r.out[0] > 0 && r.out[0] < power(large - 2 * half + 1));
  result_free(&r);
  problem_free(&p);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_small),
    cmocka_unit_test(random_large),
    cmocka_unit_test(every_tile_size),
    cmocka_unit_test(edges_of_kernels),
    cmocka_unit_test(scratch_anywhere),
    cmocka_unit_test(hidden_keys),
    cmocka_unit_test(hidden_from_some),
    cmocka_unit_test(order_of_scores),
    cmocka_unit_test(equal_scores),
    cmocka_unit_test(one_hot),
    cmocka_unit_test(subnormals),
    cmocka_unit_test(no_minus_zero),
    cmocka_unit_test(smallest),
    cmocka_unit_test(empty_and_minus_infinite),
    cmocka_unit_test(edge_of_the_condition),
    cmocka_unit_test(outside),
    cmocka_unit_test(stated_example),
  };
  if (argc > 1) effort = (unsigned)strtoul(argv[1], NULL, 10);
  if (effort < 1) {
    fputs("usage: test_bits [TIMES]\n", stderr);
    return 2;
  }
  return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
