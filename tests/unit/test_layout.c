/* Dense strides: every element of every tensor at a place of its own, none left over. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "attest.h"

/* Element (b, h, s, 0) must stand at the given place of the dense array. */
static void expect_dense(size_t batch, size_t heads, size_t len, size_t width, attest_strides at,
                         int rows_first) {
  for (size_t b = 0; b < batch; b++)
    for (size_t h = 0; h < heads; h++)
      for (size_t s = 0; s < len; s++) {
        const size_t want = rows_first ? ((b * heads + h) * len + s) * width
                                       : ((b * len + s) * heads + h) * width;
        assert_int_equal(b * at.batch + h * at.head + s * at.row, want);
      }
}

static attest_shape shape_of(size_t batch, size_t q_heads, size_t kv_heads, size_t q_len,
                             size_t kv_len, size_t width, size_t value_width) {
  attest_shape s;
  memset(&s, 0, sizeof s);
  s.batch = batch;
  s.q_heads = q_heads;
  s.kv_heads = kv_heads;
  s.q_len = q_len;
  s.kv_len = kv_len;
  s.width = width;
  s.value_width = value_width;
  return s;
}

static void every_small_shape(void **unused) {
  (void)unused;
  for (unsigned n = 0; n < 3 * 3 * 4 * 4 * 3 * 3; n++) {
    const size_t batch = n % 3, kv_heads = 1 + n / 3 % 3, q_heads = 2 * kv_heads;
    const size_t q_len = n / 9 % 4, kv_len = n / 36 % 4, width = 1 + n / 144 % 3,
                 value_width = 1 + n / 432 % 3;
    for (int rows_first = 0; rows_first < 2; rows_first++) {
      attest_shape s = shape_of(batch, q_heads, kv_heads, q_len, kv_len, width, value_width);
      attest_shape rest;
      assert_int_equal(rows_first ? attest_layout_bhsd(&s) : attest_layout_bshd(&s), ATTEST_OK);
      expect_dense(batch, q_heads, q_len, width, s.q, rows_first);
      expect_dense(batch, kv_heads, kv_len, width, s.k, rows_first);
      expect_dense(batch, kv_heads, kv_len, value_width, s.v, rows_first);
      expect_dense(batch, q_heads, q_len, value_width, s.out, rows_first);
      /* nothing else is touched */
      rest = shape_of(batch, q_heads, kv_heads, q_len, kv_len, width, value_width);
      rest.q = s.q;
      rest.k = s.k;
      rest.v = s.v;
      rest.out = s.out;
      assert_memory_equal(&rest, &s, sizeof s);
    }
  }
}

static void expect_status(attest_shape s, attest_status want) {
  for (int rows_first = 0; rows_first < 2; rows_first++) {
    attest_shape got = s;
    assert_int_equal(rows_first ? attest_layout_bhsd(&got) : attest_layout_bshd(&got), want);
    if (want != ATTEST_OK) assert_memory_equal(&got, &s, sizeof s);
  }
}

static void limits(void **unused) {
  attest_shape s;
  (void)unused;
  assert_int_equal(attest_layout_bhsd(NULL), ATTEST_NULL);
  assert_int_equal(attest_layout_bshd(NULL), ATTEST_NULL);
  /* each limit, reached and passed by one; strides start as a pattern that must survive */
  for (int which = 0; which < 6; which++)
    for (size_t above = 0; above < 2; above++) {
      s = shape_of(2, 2, 2, 2, 2, 2, 2);
      memset(&s.q, 0xA5, sizeof s.q);
      memset(&s.k, 0xA5, sizeof s.k);
      memset(&s.v, 0xA5, sizeof s.v);
      memset(&s.out, 0xA5, sizeof s.out);
      if (which == 0) s.q_heads = ATTEST_MAX_HEADS + above;
      if (which == 1) s.kv_heads = ATTEST_MAX_HEADS + above;
      if (which == 2) s.q_len = ATTEST_MAX_KEYS + above;
      if (which == 3) s.kv_len = ATTEST_MAX_KEYS + above;
      if (which == 4) s.width = ATTEST_MAX_WIDTH + above;
      if (which == 5) s.value_width = ATTEST_MAX_WIDTH + above;
      expect_status(s, above ? ATTEST_LIMIT : ATTEST_OK);
    }
  /* the largest tensors there are: 2^16 heads of 2^22 rows of 2^12 = 2^50 elements */
  expect_status(shape_of(1, ATTEST_MAX_HEADS, 1, ATTEST_MAX_KEYS, 1, ATTEST_MAX_WIDTH, 1),
                ATTEST_OK);
  expect_status(shape_of(1, 1, ATTEST_MAX_HEADS, 1, ATTEST_MAX_KEYS, 1, ATTEST_MAX_WIDTH),
                ATTEST_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_small_shape),
    cmocka_unit_test(limits),
  };
  return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
