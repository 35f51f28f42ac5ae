/* Which keys a row sees: the clamp of a bound, and whole problems against the definition. With
   q = 0 every visible key weighs the same, so the weights tell exactly who is seen. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "head.h"
#include "trial.h"

static void bound(void **unused) {
  static const int64_t far[] = {-4294967296, -1073741825, 1073741825, 4294967296};
  (void)unused;
  for (size_t i = 0; i <= 20; i++)
    for (int64_t at = -25; at <= 25; at++)
      for (size_t length = 0; length <= 12; length++) {
        size_t want = 0;
        while (want < length && (int64_t)want < (int64_t)i + at) want++;
        assert_int_equal(attest_bound(i, at, length), want);
      }
  for (size_t n = 0; n < 4; n++)
    for (size_t i = 0; i <= ATTEST_MAX_KEYS; i += ATTEST_MAX_KEYS / 4) {
      assert_int_equal(attest_bound(i, far[n], 0), 0);
      assert_int_equal(attest_bound(i, far[n], ATTEST_MAX_KEYS), far[n] < 0 ? 0 : ATTEST_MAX_KEYS);
    }
}

static void expect_seen(const problem *p, attest_engine engine, size_t tile) {
  result r;
  char text[300];
  result_make(p, &r);
  assert_int_equal(run(p, engine, tile, &r), ATTEST_OK);
  for (size_t b = 0; b < p->shape.batch; b++)
    for (size_t h = 0; h < p->shape.q_heads; h++)
      for (size_t i = 0; i < p->shape.q_len; i++) {
        const real *w = weights_at(p, &r, b, h, i);
        const real lse = *lse_at(p, &r, b, h, i);
        const real *out = out_at(p, &r, b, h, i);
        size_t count = 0;
        int right = 1;
        for (size_t j = 0; j < p->shape.kv_len; j++) count += (size_t)visible(p, b, h, i, j);
        for (size_t j = 0; j < p->shape.kv_len; j++) {
          const real want = visible(p, b, h, i, j) ? 1 / (real)count : 0;
          if (bits_of(w[j]) != bits_of(want)) right = 0;
        }
        if (count == 0 && (lse != -(real)INFINITY || bits_of(out[0]) != 0)) right = 0;
        if (count > 0 && !(lse >= 0 && fabs((double)lse - log((double)count)) < 1e-5)) right = 0;
        if (right) continue;
        describe(p, text, sizeof text);
        fail_msg("%s, tile %zu: b %zu h %zu i %zu of %s", engine_names[engine], tile, b, h, i,
                 text);
      }
  result_free(&r);
}

/* One head with queries of 0. */
static void blank(problem *p, size_t batch, size_t queries, size_t keys) {
  uint64_t state = 41;
  problem_dense(p, &state, batch, 1, 1, queries, keys, 1, 1);
  for (size_t n = 0; n < p->q_count; n++) p->q[n] = 0;
}

static void causal(void **unused) {
  (void)unused;
  for (int engine = 0; engine < ENGINES; engine++)
    for (size_t queries = 1; queries <= 5; queries += 2)
      for (size_t keys = 0; keys <= 7; keys++) {
        problem p;
        blank(&p, 1, queries, keys);
        p.shape.causal = 1;
        for (p.shape.align_end = 0; p.shape.align_end <= 1; p.shape.align_end++)
          for (p.shape.offset = -9; p.shape.offset <= 9; p.shape.offset++)
            for (size_t tile = 1; tile <= 4; tile += 3)
              expect_seen(&p, (attest_engine)engine, tile);
        problem_free(&p);
      }
}

static void window(void **unused) {
  (void)unused;
  for (int engine = 0; engine < ENGINES; engine++)
    for (size_t keys = 1; keys <= 6; keys += 5) {
      problem p;
      blank(&p, 1, 4, keys);
      p.shape.window = 1;
      for (p.shape.causal = 0; p.shape.causal <= 1; p.shape.causal++)
        for (p.shape.left = -1; p.shape.left <= 3; p.shape.left++)
          for (p.shape.right = -1; p.shape.right <= 3; p.shape.right++)
            for (p.shape.offset = -8; p.shape.offset <= 8; p.shape.offset++)
              expect_seen(&p, (attest_engine)engine, 3);
      problem_free(&p);
    }
}

/* left and right mean nothing without `window`. */
static void window_not_asked_for(void **unused) {
  (void)unused;
  for (int engine = 0; engine < ENGINES; engine++) {
    problem p;
    blank(&p, 1, 3, 4);
    p.shape.left = p.shape.right = 0;
    expect_seen(&p, (attest_engine)engine, 2);
    p.shape.left = p.shape.right = -77;
    expect_seen(&p, (attest_engine)engine, 2);
    problem_free(&p);
  }
}

static void key_lengths(void **unused) {
  (void)unused;
  for (int engine = 0; engine < ENGINES; engine++) {
    problem p;
    blank(&p, 3, 4, 6);
    p.shape.key_lengths = p.lengths;
    for (p.shape.causal = 0; p.shape.causal <= 1; p.shape.causal++)
      for (p.shape.window = 0; p.shape.window <= 1; p.shape.window++)
        for (p.shape.align_end = 0; p.shape.align_end <= 1; p.shape.align_end++)
          for (p.shape.offset = -7; p.shape.offset <= 7; p.shape.offset++)
            for (size_t n = 0; n < 7; n++) {
              p.shape.left = (int64_t)n - 1;
              p.shape.right = 1;
              p.lengths[0] = n;
              p.lengths[1] = 6 - n;
              p.lengths[2] = n / 2;
              expect_seen(&p, (attest_engine)engine, 4);
            }
    problem_free(&p);
  }
}

static void masks(void **unused) {
  uint64_t state = 42;
  (void)unused;
  for (unsigned n = 0; n < 300; n++) {
    problem p;
    problem_random(&p, &state, 5, 7, 2, WITH_ALL & ~(unsigned)(WITH_SOFTCAP | WITH_SCALE));
    for (size_t at = 0; at < p.q_count; at++) p.q[at] = 0;
    for (size_t at = 0; at < p.bias_count; at++)
      if (p.bias[at] > -(real)INFINITY) p.bias[at] = 0;
    expect_seen(&p, (attest_engine)(n % ENGINES), 1 + n % 8);
    problem_free(&p);
  }
}

/* More rows and keys than lanes, and limits far out. */
static void large(void **unused) {
  static const int64_t offsets[] = {-1073741824, -100, -64, -1, 0, 1, 63, 64, 65, 1073741824};
  static const int64_t reaches[] = {-1, 0, 31, 63, 64, 65, 1073741824};
  (void)unused;
  for (int engine = 0; engine < ENGINES; engine++) {
    problem p;
    blank(&p, 1, 130, 140);
    for (size_t n = 0; n < sizeof offsets / sizeof offsets[0]; n++) {
      p.shape.offset = offsets[n];
      p.shape.causal = 1;
      p.shape.window = 0;
      expect_seen(&p, (attest_engine)engine, 17);
      p.shape.causal = 0;
      p.shape.window = 1;
      for (size_t m = 0; m < sizeof reaches / sizeof reaches[0]; m++) {
        p.shape.left = reaches[m];
        p.shape.right = reaches[(m + n) % 7];
        expect_seen(&p, (attest_engine)engine, 64);
      }
    }
    problem_free(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bound),
    cmocka_unit_test(causal),
    cmocka_unit_test(window),
    cmocka_unit_test(window_not_asked_for),
    cmocka_unit_test(key_lengths),
    cmocka_unit_test(masks),
    cmocka_unit_test(large),
  };
  return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
