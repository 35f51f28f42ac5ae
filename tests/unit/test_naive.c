/* Every engine against the textbook, over all options, within the derived allowance; what has an
   exact answer, exactly. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "exp2.h"
#include "textbook.h"

static void expect_book(const problem *p, attest_engine engine, size_t tile) {
  result r;
  book k;
  char text[300];
  result_make(p, &r);
  book_make(&p->shape, &k);
  assert_int_equal(run(p, engine, tile, &r), ATTEST_OK);
  for (size_t b = 0; b < p->shape.batch; b++)
    for (size_t h = 0; h < p->shape.q_heads; h++)
      for (size_t i = 0; i < p->shape.q_len; i++) {
        book_row(p, b, h, i, &k);
        const char *wrong = book_differs(p, &k, &r, b, h, i);
        if (!wrong) continue;
        describe(p, text, sizeof text);
        fail_msg("%s, tile %zu: %s at b %zu h %zu i %zu of %s", engine_names[engine], tile, wrong,
                 b, h, i, text);
      }
  book_free(&k);
  result_free(&r);
}

static void expect_books(unsigned options, unsigned count, size_t queries, size_t keys) {
  uint64_t state = 1 + options;
  for (unsigned n = 0; n < count; n++) {
    problem p;
    problem_random(&p, &state, queries, keys, 9, options);
    expect_book(&p, (attest_engine)(n % ENGINES), 1 + below(&state, keys + 2));
    problem_free(&p);
  }
}

static void plain(void **unused) {
  (void)unused;
  expect_books(0, 150, 6, 9);
}

static void one_option_at_a_time(void **unused) {
  (void)unused;
  for (unsigned option = 1; option < WITH_ALL; option *= 2) expect_books(option, 120, 6, 9);
}

static void options_together(void **unused) {
  uint64_t state = 77;
  (void)unused;
  for (unsigned n = 0; n < 300; n++) expect_books((unsigned)below(&state, WITH_ALL + 1), 3, 6, 9);
}

static void long_rows(void **unused) {
  (void)unused;
  expect_books(0, 3, 70, 300);
  expect_books(WITH_BIAS | WITH_CAUSAL | WITH_GAPS, 3, 70, 300);
  expect_books(WITH_SOFTCAP | WITH_MASK | WITH_LENGTHS, 3, 70, 300);
}

/* Large scores: the weights are close to one key's; the allowance grows with the scores. */
static void steep(void **unused) {
  uint64_t state = 5;
  (void)unused;
  for (unsigned n = 0; n < 90; n++) {
    problem p;
    problem_random(&p, &state, 4, 12, 6, WITH_BIAS | WITH_GAPS);
    p.shape.scale_given = 1;
    p.shape.scale = (double)(1 + below(&state, 2000));
    expect_book(&p, (attest_engine)(n % ENGINES), 1 + below(&state, 14));
    problem_free(&p);
  }
}

static void wide_heads(void **unused) {
  uint64_t state = 6;
  (void)unused;
  for (unsigned n = 0; n < 12; n++) {
    problem p;
    problem_dense(&p, &state, 1, 2, 1, 3, 20, 64 + n, 130 - n);
    expect_book(&p, (attest_engine)(n % ENGINES), 7);
    problem_free(&p);
  }
}

/* Nothing between the output rows is touched, and every row is written. */
static void gaps_stay(void **unused) {
  uint64_t state = 8;
  (void)unused;
  for (unsigned n = 0; n < 150; n++) {
    problem p;
    result r;
    unsigned char *inside;
    problem_random(&p, &state, 6, 6, 5, WITH_GAPS | (unsigned)below(&state, WITH_ALL + 1));
    result_make(&p, &r);
    inside = memory(r.out_count);
    memset(inside, 0, r.out_count);
    assert_int_equal(run(&p, (attest_engine)(n % ENGINES), 3, &r), ATTEST_OK);
    for (size_t b = 0; b < p.shape.batch; b++)
      for (size_t h = 0; h < p.shape.q_heads; h++)
        for (size_t i = 0; i < p.shape.q_len; i++)
          memset(inside + (out_at(&p, &r, b, h, i) - r.out), 1, p.shape.value_width);
    for (size_t at = 0; at < r.out_count; at++)
      assert_int_equal(is_pattern(r.out + at, 1), !inside[at]);
    for (size_t at = 0; at < r.weights_count; at++) assert_false(is_pattern(r.weights + at, 1));
    for (size_t at = 0; at < r.lse_count; at++) assert_false(is_pattern(r.lse + at, 1));
    free(inside);
    problem_free(&p);
    result_free(&r);
  }
}

/* Asking for weights or log-sum-exp, or not, changes no bit of the rest. */
static void optional_outputs(void **unused) {
  uint64_t state = 9;
  (void)unused;
  for (unsigned n = 0; n < 60; n++) {
    const attest_engine engine = (attest_engine)(n % ENGINES);
    problem p;
    result all, some;
    size_t need;
    problem_random(&p, &state, 6, 9, 5, (unsigned)below(&state, WITH_ALL + 1));
    result_make(&p, &all);
    result_make(&p, &some);
    assert_int_equal(run(&p, engine, 4, &all), ATTEST_OK);
    need = attest_scratch(&p.shape, engine, 4);
    for (int with = 0; with < 3; with++) {
      real *scratch = reals(need);
      attest_arrays a = p.in;
      pattern(some.out, some.out_count);
      a.out = some.out;
      a.weights = with == 1 ? some.weights : NULL;
      a.lse = with == 2 ? some.lse : NULL;
      assert_int_equal(attest_attention(&p.shape, &a, engine, 4, scratch, need), ATTEST_OK);
      assert_true(same_bits(all.out, some.out, all.out_count));
      if (with == 1) assert_true(same_bits(all.weights, some.weights, all.weights_count));
      if (with == 2) assert_true(same_bits(all.lse, some.lse, all.lse_count));
      free(scratch);
    }
    problem_free(&p);
    result_free(&all);
    result_free(&some);
  }
}

/* |sum w - 1| <= (n + 1) u: each weight is the quotient of a term and the computed sum of the terms
   (n - 1 roundings), rounded once; the test's own sum is in long double. */
static void rows_sum_to_one(void **unused) {
  const wide u = sizeof(real) == sizeof(float) ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
  uint64_t state = 10;
  (void)unused;
  for (unsigned n = 0; n < 120; n++) {
    problem p;
    result r;
    problem_random(&p, &state, 6, 60, 5, (unsigned)below(&state, WITH_ALL + 1));
    result_make(&p, &r);
    assert_int_equal(run(&p, (attest_engine)(n % ENGINES), 7, &r), ATTEST_OK);
    for (size_t b = 0; b < p.shape.batch; b++)
      for (size_t h = 0; h < p.shape.q_heads; h++)
        for (size_t i = 0; i < p.shape.q_len; i++) {
          const real *w = weights_at(&p, &r, b, h, i);
          wide sum = 0, seen = 0;
          for (size_t j = 0; j < p.shape.kv_len; j++) {
            assert_true(w[j] >= 0);
            sum += w[j];
            seen += visible(&p, b, h, i, j);
          }
          if (seen > 0)
            assert_true(fabsl(sum - 1) <= (seen + 1) * u * (1 + 0x1p-9L));
          else
            assert_true(sum == 0);
        }
    problem_free(&p);
    result_free(&r);
  }
}

/* Query head h reads kv head h / (q_heads / kv_heads): with values that name their head. */
static void grouped_heads(void **unused) {
  static const size_t groups[][2] = {{1, 1}, {2, 1}, {6, 2}, {6, 3}, {6, 6}, {8, 2}, {5, 1}};
  uint64_t state = 11;
  (void)unused;
  for (size_t n = 0; n < sizeof groups / sizeof groups[0]; n++)
    for (int engine = 0; engine < ENGINES; engine++) {
      problem p;
      result r;
      problem_dense(&p, &state, 2, groups[n][0], groups[n][1], 3, 4, 2, 2);
      for (size_t at = 0; at < p.v_count; at++)
        p.v[at] = (real)(at / p.shape.v.head); /* batch * kv_heads + kv head */
      result_make(&p, &r);
      assert_int_equal(run(&p, (attest_engine)engine, 3, &r), ATTEST_OK);
      for (size_t at = 0; at < r.out_count; at++) {
        const size_t b = at / p.shape.out.batch, h = at % p.shape.out.batch / p.shape.out.head;
        const real want = (real)(b * groups[n][1] + h / (groups[n][0] / groups[n][1]));
        assert_true(fabs((double)(r.out[at] - want)) < 1e-5);
      }
      problem_free(&p);
      result_free(&r);
    }
}

/* No key, no query, no batch. */
static void nothing(void **unused) {
  uint64_t state = 12;
  (void)unused;
  for (int engine = 0; engine < ENGINES; engine++)
    for (int which = 0; which < 3; which++) {
      problem p;
      result r;
      problem_dense(&p, &state, which == 0 ? 0 : 2, 2, 1, which == 1 ? 0 : 3, which == 2 ? 0 : 4, 2,
                    3);
      if (which == 2) p.in.k = p.in.v = NULL;
      result_make(&p, &r);
      assert_int_equal(run(&p, (attest_engine)engine, 3, &r), ATTEST_OK);
      for (size_t at = 0; at < r.out_count; at++) assert_true(bits_of(r.out[at]) == 0);
      for (size_t at = 0; at < r.lse_count; at++) assert_true(r.lse[at] == -(real)INFINITY);
      assert_int_equal(r.out_count, which == 2 ? 36 : 0);
      problem_free(&p);
      result_free(&r);
    }
}

/* Numbers that are not finite, visible: each engine says the same. */
static void not_finite(void **unused) {
  const real inf = (real)INFINITY, nan = (real)NAN;
  const attest_bits stored = bits_of(nan);
  uint64_t state = 13;
  (void)unused;
  assert_true(stored == ((attest_bits)2 * ATTEST_EXPONENT_BIAS + 1) * ATTEST_EXPONENT_UNIT +
                            ATTEST_EXPONENT_UNIT / 2);
  for (int engine = 0; engine < ENGINES; engine++)
    for (size_t tile = 1; tile <= 6; tile++)
      for (size_t key = 0; key < 5; key++) {
        problem p;
        result r;
        problem_dense(&p, &state, 1, 1, 1, 2, 5, 1, 2);
        p.shape.scale_given = 1;
        p.shape.scale = 1;
        p.q[0] = 1;
        p.q[1] = 0;
        result_make(&p, &r);
        /* a NaN key: row NaN, in the one pattern, weights and log-sum-exp too */
        p.k[key] = -nan;
        assert_int_equal(run(&p, (attest_engine)engine, tile, &r), ATTEST_OK);
        for (size_t at = 0; at < r.out_count; at++) assert_true(bits_of(r.out[at]) == stored);
        for (size_t at = 0; at < 10; at++) assert_true(bits_of(r.weights[at]) == stored);
        assert_true(bits_of(r.lse[0]) == stored && bits_of(r.lse[1]) == stored);
        /* a score of +inf: row NaN; the other row gets 0 * inf, NaN too */
        p.k[key] = inf;
        assert_int_equal(run(&p, (attest_engine)engine, tile, &r), ATTEST_OK);
        for (size_t at = 0; at < r.out_count; at++) assert_true(bits_of(r.out[at]) == stored);
        assert_true(bits_of(r.lse[0]) == stored);
        /* a score of -inf: weight exactly 0, the rest a softmax of the others */
        p.k[key] = -inf;
        assert_int_equal(run(&p, (attest_engine)engine, tile, &r), ATTEST_OK);
        assert_true(bits_of(r.weights[key]) == 0);
        assert_true(r.out[0] == r.out[0] && r.lse[0] == r.lse[0]);
        assert_true(bits_of(r.out[2]) == stored);
        /* all of them: NaN */
        for (size_t j = 0; j < 5; j++) p.k[j] = -inf;
        assert_int_equal(run(&p, (attest_engine)engine, tile, &r), ATTEST_OK);
        assert_true(bits_of(r.out[0]) == stored && bits_of(r.out[1]) == stored);
        assert_true(bits_of(r.lse[0]) == stored);
        for (size_t j = 0; j < 5; j++) assert_true(bits_of(r.weights[j]) == stored);
        problem_free(&p);
        result_free(&r);
        /* a NaN or infinite value: its column, no other */
        for (int n = 0; n < 3; n++) {
          const real bad = n == 0 ? nan : n == 1 ? inf : -inf;
          problem_dense(&p, &state, 1, 1, 1, 2, 5, 1, 2);
          p.v[2 * key] = bad;
          result_make(&p, &r);
          assert_int_equal(run(&p, (attest_engine)engine, tile, &r), ATTEST_OK);
          for (size_t i = 0; i < 2; i++) {
            if (n == 0)
              assert_true(bits_of(r.out[2 * i]) == stored);
            else
              assert_true(r.out[2 * i] == bad);
            assert_true(fabs((double)r.out[2 * i + 1]) <= 2.1);
          }
          problem_free(&p);
          result_free(&r);
        }
      }
}

/* A visible NaN value reaches the output even where its weight underflows to 0, whichever engine
   and tile: 'a visible NaN makes the row NaN'. */
static void faint_but_visible(void **unused) {
  uint64_t state = 14;
  (void)unused;
  for (int engine = 0; engine < ENGINES; engine++)
    for (size_t tile = 1; tile <= 6; tile++)
      for (size_t rows = 1; rows <= 129; rows += 64)
        for (size_t key = 0; key < 5; key++) {
          problem p;
          result r;
          problem_dense(&p, &state, 1, 1, 1, rows, 5, 1, 2);
          p.shape.scale_given = 1;
          p.shape.scale = 1;
          for (size_t i = 0; i < rows; i++) p.q[i] = 1;
          p.k[key] = -5000;
          p.v[2 * key] = (real)NAN;
          result_make(&p, &r);
          assert_int_equal(run(&p, (attest_engine)engine, tile, &r), ATTEST_OK);
          for (size_t i = 0; i < rows; i++) {
            if (r.out[2 * i] == r.out[2 * i])
              fail_msg("%s, tile %zu, %zu rows, key %zu", engine_names[engine], tile, rows, key);
            assert_true(r.out[2 * i + 1] == r.out[2 * i + 1]);
          }
          problem_free(&p);
          result_free(&r);
        }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(plain),
    cmocka_unit_test(one_option_at_a_time),
    cmocka_unit_test(options_together),
    cmocka_unit_test(long_rows),
    cmocka_unit_test(steep),
    cmocka_unit_test(wide_heads),
    cmocka_unit_test(gaps_stay),
    cmocka_unit_test(optional_outputs),
    cmocka_unit_test(rows_sum_to_one),
    cmocka_unit_test(grouped_heads),
    cmocka_unit_test(nothing),
    cmocka_unit_test(not_finite),
    cmocka_unit_test(faint_but_visible),
  };
  return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
