/* Public failures of attention implementations, with the right answers. Each was reported against a
   widely used one; the numbers are this project's list, and each test runs the case's whole family:
   every engine, tile sizes around every edge, other shapes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "bound.h"
#include "trial.h"

/* What proofs/bounds.md allows a row of `keys` visible keys of equal scores, or of any scores where
   the values do not differ: largest |v|, largest |v - mean|, |mean|. */
typedef struct {
  attest_claim claim;
  attest_score_error score;
  attest_row_error row;
} allowance;

static allowance allow(size_t keys) {
  const attest_format format =
      sizeof(real) == sizeof(float) ? ATTEST_FORMAT_F32 : ATTEST_FORMAT_F64;
  const attest_bound_problem plain = {1, 1, 0, 0};
  const attest_score_size size = {0, 0, 0, 0, 0, 0, 0};
  allowance a;
  a.claim = attest_claim_engine(format, format);
  a.score = attest_bound_score(&a.claim, &plain, size, 0, 0);
  attest_bound_row_start(&a.row);
  for (size_t j = 0; j < keys; j++)
    attest_bound_row_add(&a.row, a.score, 1.0 / (double)keys, -log((double)keys));
  return a;
}

static double allow_output(size_t keys, double largest, double spread, double mean) {
  const allowance a = allow(keys);
  const double weight = 1.0 / (double)keys;
  const double share = attest_bound_share_error(a.score, weight, -log((double)keys));
  const attest_column_size column = {share * (double)keys * spread / a.row.kept * (1 + 0x1p-20),
                                     largest, largest, spread, mean};
  return attest_bound_output(&a.claim, &a.row, 0, column);
}

static double allow_row_sum(size_t keys) {
  const allowance a = allow(keys);
  return attest_bound_row_sum(&a.claim, &a.row, 0);
}

static const size_t tiles[] = {1, 2, 3, 4, 5, 7, 8, 13, 31, 32, 33, 63, 64, 65, 127, 128, 129};
enum { TILES = 17 };

/* Calls `check` on the result of every engine and tile size. */
typedef void checker(const problem *p, const result *r);

static void everywhere(const problem *p, checker *check) {
  result r;
  result_make(p, &r);
  for (int engine = 0; engine < ENGINES; engine++)
    for (size_t t = 0; t < (engine == ATTEST_TILED ? TILES : 1); t++) {
      assert_int_equal(run(p, (attest_engine)engine, tiles[t], &r), ATTEST_OK);
      check(p, &r);
    }
  result_free(&r);
}

/* The same bits from every engine and tile size. */
static void expect_one_answer(const problem *p) {
  result want, r;
  result_make(p, &want);
  result_make(p, &r);
  assert_int_equal(run(p, ATTEST_NAIVE, 1, &want), ATTEST_OK);
  assert_int_equal(run(p, ATTEST_DECODE, 1, &r), ATTEST_OK);
  assert_true(same_result(&want, &r));
  for (size_t t = 0; t < TILES; t++) {
    assert_int_equal(run(p, ATTEST_TILED, tiles[t], &r), ATTEST_OK);
    assert_true(same_result(&want, &r));
  }
  result_free(&want);
  result_free(&r);
}

/* Hidden weights are exactly 0, visible ones not; rows sum to 1 within the bound, or are 0, with a
   log-sum-exp of -inf. */
static void expect_visible_only(const problem *p, const result *r) {
  for (size_t b = 0; b < p->shape.batch; b++)
    for (size_t h = 0; h < p->shape.q_heads; h++)
      for (size_t i = 0; i < p->shape.q_len; i++) {
        const real *w = weights_at(p, r, b, h, i);
        long double sum = 0;
        size_t count = 0;
        for (size_t j = 0; j < p->shape.kv_len; j++) {
          const int seen = visible(p, b, h, i, j);
          assert_true(seen ? w[j] > 0 : bits_of(w[j]) == 0);
          sum += w[j];
          count += seen ? 1 : 0;
        }
        if (count > 0) {
          assert_true(fabsl(sum - 1) <= allow_row_sum(count));
          assert_true(fabs((double)*lse_at(p, r, b, h, i)) < 1e6);
        } else {
          for (size_t c = 0; c < p->shape.value_width; c++)
            assert_true(bits_of(out_at(p, r, b, h, i)[c]) == 0);
          assert_true(*lse_at(p, r, b, h, i) == -(real)INFINITY);
        }
      }
}

static void expect_finite(const problem *p, const result *r) {
  (void)p;
  for (size_t n = 0; n < r->out_count; n++) assert_true(fabs((double)r->out[n]) <= 1e30);
  for (size_t n = 0; n < r->weights_count; n++)
    assert_true(r->weights[n] >= 0 && r->weights[n] <= 1);
}

/* ---- 1: a key hidden by a mask holds NaN (pytorch 101967) ---- */

static void first_row_only(const problem *p, const result *r) {
  for (size_t i = 0; i < 2; i++)
    for (size_t c = 0; c < 4; c++) assert_true(r->out[4 * i + c] == p->v[c]);
}

static void case_01_hidden_nan(void **unused) {
  const real bad[] = {(real)NAN, (real)INFINITY, -(real)INFINITY, ATTEST_MAX, -ATTEST_MAX};
  uint64_t state = 1;
  (void)unused;
  for (int kind = 0; kind < 5; kind++)
    for (int where = 1; where < 4; where++)
      for (int biased = 0; biased < 2; biased++) {
        problem p;
        problem_dense(&p, &state, 1, 1, 1, 2, 2, 4, 4);
        for (size_t n = 0; n < 8; n++) p.q[n] = p.k[n] = p.v[n] = (real)n;
        if (biased) {
          problem_bias(&p);
          p.bias[1] = p.bias[3] = -(real)INFINITY;
        } else {
          problem_mask(&p);
          p.mask[1] = p.mask[3] = 0;
        }
        for (size_t c = 4; c < 8; c++) {
          if (where & 1) p.k[c] = bad[kind];
          if (where & 2) p.v[c] = bad[kind];
        }
        everywhere(&p, first_row_only);
        expect_one_answer(&p);
        problem_free(&p);
      }
}

/* The family: in a long row, at every key, by mask, key length or causal offset. */
static problem clean;
static result clean_results[ENGINES];

static void case_01_family(void **unused) {
  uint64_t state = 2;
  (void)unused;
  for (size_t key = 0; key < 130; key += 5)
    for (int how = 0; how < 3; how++) {
      result r;
      problem_dense(&clean, &state, 1, 2, 1, 3, 130, 5, 6);
      if (how == 0) {
        problem_mask(&clean);
        for (size_t row = 0; row < 6; row++) clean.mask[row * 130 + key] = 0;
      } else if (how == 1) {
        clean.lengths[0] = key;
        clean.shape.key_lengths = clean.lengths;
      } else {
        clean.shape.causal = 1;
        clean.shape.offset = (int64_t)key - 3;
      }
      result_make(&clean, &r);
      for (int e = 0; e < ENGINES; e++) {
        result_make(&clean, &clean_results[e]);
        assert_int_equal(run(&clean, (attest_engine)e, 16, &clean_results[e]), ATTEST_OK);
      }
      for (size_t c = 0; c < 5; c++) clean.k[key * 5 + c] = (real)NAN;
      for (size_t c = 0; c < 6; c++) clean.v[key * 6 + c] = (real)NAN;
      for (int e = 0; e < ENGINES; e++) {
        assert_int_equal(run(&clean, (attest_engine)e, 16, &r), ATTEST_OK);
        assert_true(same_result(&clean_results[e], &r));
        expect_visible_only(&clean, &r);
        result_free(&clean_results[e]);
      }
      result_free(&r);
      problem_free(&clean);
    }
}

/* ---- 2: one row of a mask hides everything (pytorch 103749, 103963) ---- */

static void case_02_empty_row(void **unused) {
  uint64_t state = 3;
  (void)unused;
  for (size_t row = 0; row < 6; row++)
    for (int biased = 0; biased < 2; biased++) {
      problem p;
      result before, after;
      problem_dense(&p, &state, 1, 2, 2, 6, 10, 8, 8);
      if (biased)
        problem_bias(&p);
      else
        problem_mask(&p);
      result_make(&p, &before);
      result_make(&p, &after);
      for (int e = 0; e < ENGINES; e++) {
        for (size_t h = 0; h < 2; h++)
          for (size_t j = 0; j < 10; j++) {
            if (biased)
              p.bias[(h * 6 + row) * 10 + j] = 0;
            else
              p.mask[(h * 6 + row) * 10 + j] = 1;
          }
        assert_int_equal(run(&p, (attest_engine)e, 4, &before), ATTEST_OK);
        for (size_t h = 0; h < 2; h++)
          for (size_t j = 0; j < 10; j++) {
            if (biased)
              p.bias[(h * 6 + row) * 10 + j] = -(real)INFINITY;
            else
              p.mask[(h * 6 + row) * 10 + j] = 0;
          }
        assert_int_equal(run(&p, (attest_engine)e, 4, &after), ATTEST_OK);
        expect_visible_only(&p, &after);
        for (size_t h = 0; h < 2; h++)
          for (size_t i = 0; i < 6; i++)
            if (i != row)
              assert_true(same_bits(out_at(&p, &before, 0, h, i), out_at(&p, &after, 0, h, i), 8));
      }
      expect_one_answer(&p);
      result_free(&before);
      result_free(&after);
      problem_free(&p);
    }
}

/* ---- 3: a band mask that hides whole tiles (pytorch 127055) ---- */

static void expect_ones(const problem *p, const result *r) {
  expect_finite(p, r);
  expect_visible_only(p, r);
  /* triu(1) + tril(-10): every row of 640 sees something */
  for (size_t n = 0; n < r->out_count; n++)
    assert_true(fabs((double)r->out[n] - 1) <= allow_output(640, 1, 0, 1));
}

static void band(size_t length, int64_t above, int64_t below_diagonal, checker *check) {
  uint64_t state = 4;
  problem p;
  problem_dense(&p, &state, 1, 1, 1, length, length, 4, 4);
  problem_mask(&p);
  for (size_t n = 0; n < p.q_count; n++) p.q[n] = p.k[n] = p.v[n] = 1;
  for (size_t i = 0; i < length; i++)
    for (size_t j = 0; j < length; j++) {
      const int64_t from_diagonal = (int64_t)j - (int64_t)i;
      p.mask[i * length + j] = from_diagonal >= above || from_diagonal <= -below_diagonal;
    }
  everywhere(&p, check);
  problem_free(&p);
}

static void finite_and_visible(const problem *p, const result *r) {
  expect_finite(p, r);
  expect_visible_only(p, r);
}

static void case_03_band_mask(void **unused) {
  static const size_t lengths[] = {63, 64, 65, 129, 200};
  (void)unused;
  band(640, 1, 10, expect_ones);
  for (size_t n = 0; n < 5; n++) {
    band(lengths[n], 1, 10, finite_and_visible);
    band(lengths[n], 70, 1000, finite_and_visible); /* many rows see nothing */
    band(lengths[n], 1000, 65, finite_and_visible);
  }
}

/* ---- 4: causal with unequal lengths (pytorch 108108, 103082) ---- */

static void expect_rows(size_t queries, size_t keys, int64_t offset, const char *const *rows) {
  uint64_t state = 5;
  for (int by_end = 0; by_end < 2; by_end++) {
    problem p;
    result r;
    problem_dense(&p, &state, 1, 1, 1, queries, keys, 3, 2);
    p.shape.causal = 1;
    p.shape.offset = offset;
    if (by_end) {
      p.shape.align_end = 1; /* the same offset, counted from the end */
      p.shape.offset = offset - ((int64_t)keys - (int64_t)queries);
    }
    result_make(&p, &r);
    for (int engine = 0; engine < ENGINES; engine++)
      for (size_t t = 0; t < TILES; t++) {
        assert_int_equal(run(&p, (attest_engine)engine, tiles[t], &r), ATTEST_OK);
        for (size_t i = 0; i < queries; i++)
          for (size_t j = 0; j < keys; j++)
            assert_int_equal(r.weights[i * keys + j] > 0, rows[i][j] == '1');
        expect_visible_only(&p, &r);
      }
    result_free(&r);
    problem_free(&p);
  }
}

static void case_04_causal_alignment(void **unused) {
  static const char *const top_left[] = {"10000", "11000"};
  static const char *const bottom_right[] = {"11110", "11111"};
  static const char *const tall_end[] = {"00", "00", "00", "10", "11"};
  static const char *const tall_top[] = {"10", "11", "11", "11", "11"};
  static const char *const square[] = {"100", "110", "111"};
  (void)unused;
  expect_rows(2, 5, 0, top_left);
  expect_rows(2, 5, 3, bottom_right);
  expect_rows(5, 2, -3, tall_end);
  expect_rows(5, 2, 0, tall_top);
  expect_rows(3, 3, 0, square);
}

/* ---- 5: value width unlike head width (pytorch 176767) ---- */

static void case_05_value_width(void **unused) {
  static const size_t widths[][2] = {{32, 24}, {24, 32}, {32, 1}, {1, 32}, {5, 4}, {4, 5}, {64, 3}};
  uint64_t state = 6;
  (void)unused;
  for (size_t n = 0; n < 7; n++) {
    problem p;
    result r;
    problem_dense(&p, &state, 2, 2, 1, 5, 7, widths[n][0], widths[n][1]);
    /* every value row constant, so that a column read from elsewhere shows */
    for (size_t at = 0; at < p.v_count; at++) p.v[at] = (real)(at % widths[n][1]);
    result_make(&p, &r);
    assert_int_equal(r.out_count, 2 * 2 * 5 * widths[n][1]);
    for (int engine = 0; engine < ENGINES; engine++) {
      assert_int_equal(run(&p, (attest_engine)engine, 3, &r), ATTEST_OK);
      for (size_t at = 0; at < r.out_count; at++) {
        const double want = (double)(at % widths[n][1]);
        assert_true(fabs((double)r.out[at] - want) <= allow_output(7, want, 0, want));
      }
    }
    expect_one_answer(&p);
    problem_free(&p);
    result_free(&r);
  }
}

/* ---- 6: log-sum-exp of a row that sees nothing (flash-attention 978) ---- */

static void case_06_lse_of_empty_row(void **unused) {
  uint64_t state = 7;
  (void)unused;
  for (int how = 0; how < 4; how++) {
    problem p;
    problem_dense(&p, &state, 2, 1, 1, 4, how == 0 ? 0 : 5, 3, 2);
    if (how == 1) {
      problem_mask(&p);
      memset(p.mask, 0, p.mask_count / 2);
    }
    if (how == 2) {
      p.shape.key_lengths = p.lengths; /* zeros */
      p.lengths[1] = 3;
    }
    if (how == 3) {
      p.shape.causal = 1;
      p.shape.offset = -2;
    }
    everywhere(&p, expect_visible_only); /* -inf there, finite elsewhere */
    problem_free(&p);
  }
}

/* ---- 7: causal to the bottom right with more queries than keys (flash-attention 1778) ---- */

static void first_rows_zero(const problem *p, const result *r) {
  const size_t zero = p->shape.q_len - p->shape.kv_len, width = p->shape.value_width;
  for (size_t n = 0; n < zero * width; n++) assert_true(bits_of(r->out[n]) == 0);
  for (size_t i = 0; i < zero; i++) assert_true(r->lse[i] == -(real)INFINITY);
  for (size_t i = zero; i < p->shape.q_len; i++) {
    assert_true(r->lse[i] == r->lse[i] && r->lse[i] > -(real)INFINITY);
    assert_true(r->out[i * width] != 0);
  }
  for (size_t c = 0; c < width; c++) /* the first row that sees a key sees only that */
    assert_true(fabs((double)r->out[zero * width + c] - (double)p->v[c]) <=
                allow_output(1, fabs((double)p->v[c]), 0, fabs((double)p->v[c])));
}

static void case_07_more_queries_than_keys(void **unused) {
  static const size_t pairs[][2] = {{2048, 1024}, {65, 64}, {64, 1}, {130, 65}, {129, 3}};
  uint64_t state = 8;
  (void)unused;
  for (size_t n = 0; n < 5; n++) {
    problem p;
    result r;
    problem_dense(&p, &state, 1, 1, 1, pairs[n][0], pairs[n][1], 4, 2);
    p.shape.causal = 1;
    p.shape.offset = (int64_t)pairs[n][1] - (int64_t)pairs[n][0];
    if (n > 0) {
      everywhere(&p, first_rows_zero);
    } else {
      result_make(&p, &r);
      for (int engine = 0; engine < ENGINES; engine++) {
        assert_int_equal(run(&p, (attest_engine)engine, 128, &r), ATTEST_OK);
        first_rows_zero(&p, &r);
      }
      result_free(&r);
    }
    problem_free(&p);
  }
}

/* ---- 8: decoding with key lengths (onnx 8054, 8068) ---- */

static void case_08_decode_key_lengths(void **unused) {
  uint64_t state = 9;
  (void)unused;
  for (size_t second = 1; second <= 8; second++) {
    problem p;
    result r;
    problem_dense(&p, &state, 2, 2, 2, 1, 8, 4, 4);
    p.shape.causal = 1;
    p.shape.align_end = 1; /* the query is the last of each batch's keys */
    p.shape.key_lengths = p.lengths;
    p.lengths[0] = 8;
    p.lengths[1] = second;
    result_make(&p, &r);
    for (int engine = 0; engine < ENGINES; engine++)
      for (size_t t = 0; t < TILES; t++) {
        assert_int_equal(run(&p, (attest_engine)engine, tiles[t], &r), ATTEST_OK);
        for (size_t b = 0; b < 2; b++)
          for (size_t h = 0; h < 2; h++)
            for (size_t j = 0; j < 8; j++)
              assert_int_equal(weights_at(&p, &r, b, h, 0)[j] > 0, j < p.lengths[b]);
        expect_visible_only(&p, &r);
      }
    expect_one_answer(&p);
    /* the same by a top-left offset of 7: past 7, one new; batch 1 is cut by its length alone */
    p.shape.align_end = 0;
    p.shape.offset = 7;
    assert_int_equal(run(&p, ATTEST_DECODE, 4, &r), ATTEST_OK);
    for (size_t j = 0; j < 8; j++)
      assert_int_equal(weights_at(&p, &r, 1, 0, 0)[j] > 0, j < second);
    result_free(&r);
    problem_free(&p);
  }
}

/* ---- 9: softcap comes before the mask (onnx 7867, llama.cpp 29034) ---- */

static void hidden_thousands(const problem *p, const result *r) {
  expect_visible_only(p, r);
  /* a mean of visible values, which are at most 2, whatever the errors of its weights */
  const double most = 2 + allow_output(p->shape.kv_len, 2, 0, 2);
  for (size_t n = 0; n < r->out_count; n++) assert_true(fabs((double)r->out[n]) <= most);
}

static void case_09_softcap_before_mask(void **unused) {
  static const double caps[] = {1, 0.5, 30, 1e-3, 1e4};
  static const size_t sizes[][2] = {{64, 65}, {1, 65}, {65, 64}, {3, 130}, {128, 129}};
  uint64_t state = 10;
  (void)unused;
  for (size_t n = 0; n < 5; n++)
    for (int biased = 0; biased < 2; biased++) {
      const size_t queries = sizes[n][0], keys = sizes[n][1];
      problem p;
      problem_dense(&p, &state, 1, 1, 1, queries, keys, 4, 2);
      p.shape.softcap = caps[n];
      if (biased)
        problem_bias(&p);
      else
        problem_mask(&p);
      for (size_t j = 0; j < keys; j++) {
        if (below(&state, 2) && j > 0) continue;
        if (j == 1) continue; /* something stays visible */
        for (size_t i = 0; i < queries; i++) {
          if (biased)
            p.bias[i * keys + j] = -(real)INFINITY;
          else
            p.mask[i * keys + j] = 0;
        }
        p.v[2 * j] = p.v[2 * j + 1] = 1000;
      }
      everywhere(&p, hidden_thousands);
      expect_one_answer(&p);
      problem_free(&p);
    }
}

/* ---- 10: grouped heads (onnx 7274) ---- */

static void case_10_grouped_heads(void **unused) {
  static const size_t groups[][2] = {{6, 2}, {6, 3}, {4, 2}, {8, 4}, {9, 3}, {12, 2},
                                     {4, 4}, {5, 1}};
  uint64_t state = 11;
  (void)unused;
  for (size_t n = 0; n < 8; n++) {
    const size_t heads = groups[n][0], kv = groups[n][1];
    problem p, alone;
    result r, one;
    problem_dense(&p, &state, 2, heads, kv, 5, 9, 4, 3);
    result_make(&p, &r);
    for (int engine = 0; engine < ENGINES; engine++) {
      assert_int_equal(run(&p, (attest_engine)engine, 4, &r), ATTEST_OK);
      for (size_t b = 0; b < 2; b++)
        for (size_t h = 0; h < heads; h++) {
          /* the same head alone, with the keys repeat-interleave would give it */
          const size_t from = b * kv + h / (heads / kv);
          problem_dense(&alone, &state, 1, 1, 1, 5, 9, 4, 3);
          memcpy(alone.q, p.q + (b * heads + h) * 20, 20 * sizeof(real));
          memcpy(alone.k, p.k + from * 36, 36 * sizeof(real));
          memcpy(alone.v, p.v + from * 27, 27 * sizeof(real));
          result_make(&alone, &one);
          assert_int_equal(run(&alone, ATTEST_NAIVE, 1, &one), ATTEST_OK);
          assert_true(same_bits(out_at(&p, &r, b, h, 0), one.out, 15));
          assert_true(same_bits(weights_at(&p, &r, b, h, 0), one.weights, 45));
          result_free(&one);
          problem_free(&alone);
        }
    }
    result_free(&r);
    problem_free(&p);
  }
}

/* ---- 11: a window (w, 0) sees w + 1 keys (transformers 39408) ---- */

static void case_11_window(void **unused) {
  uint64_t state = 12;
  (void)unused;
  for (int64_t w = 0; w <= 70; w += w < 5 ? 1 : 13)
    for (int causal = 0; causal < 2; causal++) {
      problem p;
      result r;
      problem_dense(&p, &state, 1, 1, 1, 80, 80, 3, 2);
      p.shape.window = 1;
      p.shape.causal = causal;
      p.shape.left = w;
      p.shape.right = causal ? -1 : 0;
      result_make(&p, &r);
      for (int engine = 0; engine < ENGINES; engine++)
        for (size_t t = 0; t < TILES; t++) {
          assert_int_equal(run(&p, (attest_engine)engine, tiles[t], &r), ATTEST_OK);
          for (size_t i = 0; i < 80; i++) {
            int64_t count = 0;
            for (size_t j = 0; j < 80; j++) count += r.weights[i * 80 + j] > 0;
            assert_int_equal(count, (int64_t)i < w ? (int64_t)i + 1 : w + 1);
            assert_true(r.weights[i * 80 + i] > 0);
          }
          expect_visible_only(&p, &r);
        }
      result_free(&r);
      problem_free(&p);
    }
}

/* ---- 12: very low scores (llm.c attention_forward) ---- */

static void all_ones(const problem *p, const result *r) {
  for (size_t n = 0; n < r->out_count; n++) assert_true(r->out[n] == 1);
  const double weight = 1.0 / (double)p->shape.kv_len, log_weight = log(weight);
  const allowance a = allow(p->shape.kv_len);
  for (size_t n = 0; n < r->weights_count; n++)
    assert_true(fabsl((long double)r->weights[n] - 1.0L / (long double)p->shape.kv_len) <=
                attest_bound_weight(&a.claim, &a.row, 0, a.score, weight, log_weight));
}

static void case_12_low_scores(void **unused) {
  static const double scores[] = {-80000, -10000, -9999, -10001, -1e30, -3e38, 80000, 1e30};
  uint64_t state = 13;
  (void)unused;
  for (size_t n = 0; n < 8; n++)
    for (size_t keys = 1; keys <= 129; keys += 32) {
      problem p;
      problem_dense(&p, &state, 1, 1, 1, 3, keys, 1, 2);
      p.shape.scale_given = 1;
      p.shape.scale = 1;
      for (size_t at = 0; at < p.q_count; at++) p.q[at] = 1;
      for (size_t at = 0; at < p.k_count; at++) p.k[at] = (real)scores[n];
      for (size_t at = 0; at < p.v_count; at++) p.v[at] = 1;
      everywhere(&p, all_ones);
      expect_one_answer(&p);
      problem_free(&p);
    }
}

/* ---- 13: 65536 equal keys (any f16 accumulator) ---- */

static void case_13_many_keys(void **unused) {
  static const size_t some[] = {1, 64, 100, 4096, 65536};
  enum { KEYS = 65536 };
  uint64_t state = 14;
  (void)unused;
  for (int kind = 0; kind < 2; kind++) {
    problem p;
    result want, r;
    long double mean = 0;
    problem_dense(&p, &state, 1, 1, 1, 1, KEYS, 2, 1);
    for (size_t n = 0; n < p.q_count; n++) p.q[n] = 0;
    for (size_t n = 0; n < p.k_count; n++) p.k[n] = 0;
    for (size_t n = 0; n < KEYS; n++) {
      p.v[n] = kind == 0 ? 1 : (real)0.5 + spread(&state, 0) / 10; /* 0.5 +- 0.1 */
      mean += (long double)p.v[n] / KEYS;
    }
    result_make(&p, &want);
    result_make(&p, &r);
    assert_int_equal(run(&p, ATTEST_NAIVE, 1, &want), ATTEST_OK);
    /* every weight is 2^0, so the sum of weights is exact, and so is a mean of ones */
    assert_true(fabsl(want.out[0] - mean) <=
                (kind == 0 ? 0 : allow_output(KEYS, 0.6, 0.2, (double)mean)));
    assert_true(want.weights[0] == (real)1 / KEYS && want.weights[KEYS - 1] == (real)1 / KEYS);
    {
      const allowance a = allow(KEYS);
      assert_true(fabsl(want.lse[0] - 16 * logl(2.0L)) <=
                  attest_bound_lse(&a.claim, &a.row, 0, 16 * log(2.0)));
    }
    assert_int_equal(run(&p, ATTEST_DECODE, 1, &r), ATTEST_OK);
    assert_true(same_result(&want, &r));
    for (size_t n = 0; n < 5; n++) {
      assert_int_equal(run(&p, ATTEST_TILED, some[n], &r), ATTEST_OK);
      assert_true(same_result(&want, &r));
    }
    result_free(&want);
    result_free(&r);
    problem_free(&p);
  }
}

/* ---- 14: where the largest score stands ---- */

static void case_14_largest_score(void **unused) {
  uint64_t state = 15;
  (void)unused;
  for (size_t keys = 2; keys <= 200; keys = keys * 3 / 2 + 1)
    for (int order = 0; order < 4; order++) {
      problem p;
      problem_dense(&p, &state, 1, 1, 1, 65, keys, 1, 3);
      p.shape.scale_given = 1;
      p.shape.scale = 0.5;
      for (size_t i = 0; i < 65; i++) p.q[i] = i % 2 ? 1 : -1; /* every other row the other way */
      for (size_t j = 0; j < keys; j++) {
        const real at = 60 * (real)j / (real)keys;
        p.k[j] = order == 0 ? (j + 1 == keys ? 60 : p.k[j]) /* in the last tile */
               : order == 1 ? (j == 0 ? 60 : p.k[j])        /* in the first */
               : order == 2 ? at                            /* rises with every key */
                            : (j % 7 == 3 ? at : -at);
      }
      expect_one_answer(&p);
      problem_free(&p);
    }
}

/* ---- 15: lengths around the tile sizes ---- */

static void case_15_lengths(void **unused) {
  static const size_t edges[] = {63, 64, 65, 127, 128, 129};
  uint64_t state = 16;
  (void)unused;
  for (size_t a = 0; a < 6; a++)
    for (size_t b = 0; b < 6; b++)
      for (int kind = 0; kind < 3; kind++) {
        problem p;
        problem_dense(&p, &state, 1, 2, 1, edges[a], edges[b], 4, 5);
        if (kind == 1) p.shape.causal = 1;
        if (kind == 2) {
          problem_bias(&p);
          for (size_t n = 0; n < p.bias_count; n++)
            p.bias[n] = below(&state, 4) ? spread(&state, 2) : -(real)INFINITY;
        }
        expect_one_answer(&p); /* against every tile size: tests/unit/test_bits.c */
        problem_free(&p);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(case_01_hidden_nan),
    cmocka_unit_test(case_01_family),
    cmocka_unit_test(case_02_empty_row),
    cmocka_unit_test(case_03_band_mask),
    cmocka_unit_test(case_04_causal_alignment),
    cmocka_unit_test(case_05_value_width),
    cmocka_unit_test(case_06_lse_of_empty_row),
    cmocka_unit_test(case_07_more_queries_than_keys),
    cmocka_unit_test(case_08_decode_key_lengths),
    cmocka_unit_test(case_09_softcap_before_mask),
    cmocka_unit_test(case_10_grouped_heads),
    cmocka_unit_test(case_11_window),
    cmocka_unit_test(case_12_low_scores),
    cmocka_unit_test(case_13_many_keys),
    cmocka_unit_test(case_14_largest_score),
    cmocka_unit_test(case_15_lengths),
  };
  return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
