/* Partial results: split keys at every point, merged in any order, against the whole row within the
   textbook's allowance; parts that saw nothing change no bit. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "textbook.h"

enum { MOST = 16 };

typedef struct {
  attest_partial part;
  real acc[MOST];
} piece;

static piece take(const problem *p, size_t b, size_t h, size_t i, size_t first, size_t last) {
  piece got;
  real *scratch = reals(p->shape.kv_len + 1);
  memset(scratch, 0xff, (p->shape.kv_len + 1) * sizeof(real));
  memset(&got, 0xff, sizeof got);
  assert_int_equal(attest_part(&p->shape, &p->in, b, h, i, first, last, &got.part, got.acc, scratch,
                               p->shape.kv_len), ATTEST_OK);
  free(scratch);
  return got;
}

static void merge(piece *into, const piece *other, size_t width) {
  attest_merge(&into->part, into->acc, &other->part, other->acc, width);
}

static int same_piece(const piece *a, const piece *b, size_t width) {
  return same_bits(&a->part.exponent, &b->part.exponent, 1) &&
         same_bits(&a->part.sum, &b->part.sum, 1) && !a->part.seen == !b->part.seen &&
         same_bits(a->acc, b->acc, width);
}

/* The textbook against a merged row, through a result of the naive engine whose row it replaces. */
static void expect_row(const problem *p, result *r, book *k, const piece *got, size_t b, size_t h,
                       size_t i, const char *what) {
  real *out = out_at(p, r, b, h, i);
  attest_finish(&got->part, got->acc, p->shape.value_width, out, lse_at(p, r, b, h, i));
  book_row(p, b, h, i, k);
  const char *wrong = book_differs(p, k, r, b, h, i);
  if (wrong) fail_msg("%s: %s at b %zu h %zu i %zu", what, wrong, b, h, i);
}

static void split_everywhere(void **unused) {
  uint64_t state = 61;
  (void)unused;
  for (unsigned n = 0; n < 120; n++) {
    problem p;
    result whole, r;
    book k;
    problem_random(&p, &state, 4, 20, 8, (unsigned)below(&state, WITH_ALL + 1));
    result_make(&p, &whole);
    result_make(&p, &r);
    book_make(&p.shape, &k);
    assert_int_equal(run(&p, ATTEST_NAIVE, 1, &whole), ATTEST_OK);
    assert_int_equal(run(&p, ATTEST_NAIVE, 1, &r), ATTEST_OK);
    const size_t width = p.shape.value_width, keys = p.shape.kv_len;
    for (size_t b = 0; b < p.shape.batch; b++)
      for (size_t h = 0; h < p.shape.q_heads; h++)
        for (size_t i = 0; i < p.shape.q_len; i++) {
          /* the whole row in one part: the bits of the naive engine */
          const piece all = take(&p, b, h, i, 0, keys);
          real out[MOST], lse;
          attest_finish(&all.part, all.acc, width, out, &lse);
          assert_true(same_bits(out, out_at(&p, &whole, b, h, i), width));
          assert_true(same_bits(&lse, lse_at(&p, &whole, b, h, i), 1));
          for (size_t at = 0; at <= keys; at++) {
            const piece left = take(&p, b, h, i, 0, at), right = take(&p, b, h, i, at, keys);
            piece ahead = left, behind = right;
            merge(&ahead, &right, width);
            merge(&behind, &left, width);
            expect_row(&p, &r, &k, &ahead, b, h, i, "left with right");
            expect_row(&p, &r, &k, &behind, b, h, i, "right with left");
            /* the two additions commute; where a part is empty the other is returned */
            assert_true(same_piece(&ahead, &behind, width));
            if (at == 0 || at == keys) assert_true(same_piece(&ahead, &all, width));
          }
        }
    result_free(&whole);
    result_free(&r);
    book_free(&k);
    problem_free(&p);
  }
}

static void many_parts(void **unused) {
  uint64_t state = 62;
  (void)unused;
  for (unsigned n = 0; n < 60; n++) {
    problem p;
    result r;
    book k;
    problem_random(&p, &state, 3, 60, 6, (unsigned)below(&state, WITH_ALL + 1));
    const size_t keys = p.shape.kv_len, width = p.shape.value_width;
    result_make(&p, &r);
    book_make(&p.shape, &k);
    assert_int_equal(run(&p, ATTEST_NAIVE, 1, &r), ATTEST_OK);
    for (size_t i = 0; i < p.shape.q_len; i++) {
      piece total = take(&p, 0, 0, i, 0, 0);
      for (size_t at = 0; at < keys;) {
        const size_t next = at + 1 + below(&state, keys - at);
        const piece more = take(&p, 0, 0, i, at, next);
        merge(&total, &more, width);
        at = next;
      }
      expect_row(&p, &r, &k, &total, 0, 0, i, "many parts");
    }
    result_free(&r);
    book_free(&k);
    problem_free(&p);
  }
}

/* Bits stay when nothing is merged in, or into nothing; even what no sum would keep. */
static void empty_parts(void **unused) {
  const real odd[] = {0, -(real)0, 1, (real)INFINITY, -(real)INFINITY, real_of(1), ATTEST_MAX};
  uint64_t state = 63;
  problem p;
  (void)unused;
  problem_dense(&p, &state, 1, 1, 1, 1, 6, 2, 7);
  const piece empty = take(&p, 0, 0, 0, 3, 3);
  assert_true(!empty.part.seen && empty.part.sum == 0);
  assert_true(empty.part.exponent == -(real)INFINITY);
  for (size_t c = 0; c < 7; c++) assert_true(bits_of(empty.acc[c]) == 0);
  for (unsigned n = 0; n < 7; n++) {
    piece full = take(&p, 0, 0, 0, 0, 6), before, into = empty;
    for (size_t c = 0; c < 7; c++) full.acc[c] = odd[(c + n) % 7];
    before = full;
    merge(&full, &empty, 7);
    assert_true(same_piece(&full, &before, 7));
    merge(&into, &full, 7);
    assert_true(same_piece(&into, &before, 7));
  }
  piece nothing = empty;
  merge(&nothing, &empty, 7);
  assert_true(same_piece(&nothing, &empty, 7));
  problem_free(&p);
}

/* A part that saw nothing takes no part, whatever else stands in it: cleared to zeros by its owner,
   its exponent 0 is above that of the other. */
static void into_zeros(void **unused) {
  (void)unused;
  attest_partial into = {0}, other = {0};
  real acc[2] = {7, 7}, more[2] = {3, -5}, out[2], lse;
  other.exponent = -1000;
  other.sum = 1;
  other.seen = 1;
  attest_merge(&into, acc, &other, more, 2);
  attest_finish(&into, acc, 2, out, &lse);
  assert_true(out[0] == 3 && out[1] == -5);
  assert_true(lse < -693 && lse > -694);
}

/* No key: zeros and -inf. Visible keys that all score -inf: NaN, merged or not. */
static void finish(void **unused) {
  const attest_bits stored = bits_of((real)NAN);
  uint64_t state = 64;
  real out[3], lse;
  problem p;
  (void)unused;
  problem_dense(&p, &state, 1, 1, 1, 1, 6, 1, 3);
  const piece empty = take(&p, 0, 0, 0, 2, 2);
  pattern(out, 3);
  attest_finish(&empty.part, empty.acc, 3, out, &lse);
  for (size_t c = 0; c < 3; c++) assert_true(bits_of(out[c]) == 0);
  assert_true(lse == -(real)INFINITY);
  pattern(out, 3);
  attest_finish(&empty.part, empty.acc, 2, out, NULL);
  assert_true(is_pattern(out + 2, 1));
  /* in place */
  piece all = take(&p, 0, 0, 0, 0, 6);
  attest_finish(&all.part, all.acc, 3, out, NULL);
  attest_finish(&all.part, all.acc, 3, all.acc, NULL);
  assert_true(same_bits(out, all.acc, 3));
  /* a visible part of weight nothing */
  p.q[0] = 1;
  for (size_t j = 0; j < 6; j++) p.k[j] = -(real)INFINITY;
  piece low = take(&p, 0, 0, 0, 0, 3);
  const piece high = take(&p, 0, 0, 0, 3, 6);
  assert_true(low.part.seen && low.part.sum == 0);
  merge(&low, &high, 3);
  attest_finish(&low.part, low.acc, 3, out, &lse);
  for (size_t c = 0; c < 3; c++) assert_true(bits_of(out[c]) == stored);
  assert_true(bits_of(lse) == stored);
  /* beside a real key it adds nothing */
  p.k[5] = 2;
  const piece one = take(&p, 0, 0, 0, 3, 6);
  merge(&low, &one, 3);
  attest_finish(&low.part, low.acc, 3, out, &lse);
  for (size_t c = 0; c < 3; c++)
    assert_true(fabs((double)(out[c] - p.v[15 + c])) <= 1e-6 * fabs((double)out[c]));
  problem_free(&p);
}

/* Exponents far apart: the lower part underflows to nothing. A NaN in either part stays. */
static void far_apart(void **unused) {
  uint64_t state = 65;
  real out[2], lse;
  problem p;
  (void)unused;
  problem_dense(&p, &state, 1, 1, 1, 1, 2, 1, 2);
  p.shape.scale_given = 1;
  p.shape.scale = 1;
  p.q[0] = 1;
  p.k[0] = -80000;
  p.k[1] = 80000;
  piece low = take(&p, 0, 0, 0, 0, 1), high = take(&p, 0, 0, 0, 1, 2), sum = high;
  merge(&sum, &low, 2);
  assert_true(same_piece(&sum, &high, 2));
  sum = low;
  merge(&sum, &high, 2);
  assert_true(same_piece(&sum, &high, 2));
  attest_finish(&sum.part, sum.acc, 2, out, &lse);
  assert_true(fabs((double)lse / 80000 - 1) < 1e-6);
  p.k[0] = (real)NAN;
  low = take(&p, 0, 0, 0, 0, 1);
  sum = high;
  merge(&sum, &low, 2);
  attest_finish(&sum.part, sum.acc, 2, out, &lse);
  assert_true(bits_of(out[0]) == bits_of((real)NAN) && bits_of(lse) == bits_of((real)NAN));
  sum = low;
  merge(&sum, &high, 2);
  attest_finish(&sum.part, sum.acc, 2, out, &lse);
  assert_true(bits_of(out[0]) == bits_of((real)NAN) && bits_of(lse) == bits_of((real)NAN));
  problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(split_everywhere),
    cmocka_unit_test(many_parts),
    cmocka_unit_test(empty_parts),
    cmocka_unit_test(into_zeros),
    cmocka_unit_test(finish),
    cmocka_unit_test(far_apart),
  };
  return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
