/* Golden vectors: the generator's numbers, the table of cases, the arrays drawn for them, sums. */
#define _XOPEN_SOURCE 700

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "digest.h"
#include "vectors_cases.h"
#include "vectors_input.h"
#include "vectors_random.h"

/* --- numbers ----------------------------------------------------------------------------- */

static void test_generator(void **state) {
  /* xoshiro256** from the state 1, 2, 3, 4 as its authors' code gives it. */
  static const uint64_t expected[] = {11520, 0, 1509978240, UINT64_C(1215971899390074240)};
  static const uint64_t named[] = {UINT64_C(0xc25aab8845c2f1d7), UINT64_C(0xfd721535e9ce52b8),
                                   UINT64_C(0xb728f9f581bbe013), UINT64_C(0xbc7ce4a48a5add43)};
  attest_random random = {{1, 2, 3, 4}};
  (void)state;

  for (size_t i = 0; i < 4; i++)
    assert_true(attest_random_next(&random) == expected[i]);
  random = attest_random_start(1, "default_scale/q");
  for (size_t i = 0; i < 4; i++)
    assert_true(attest_random_next(&random) == named[i]);
  random = attest_random_start(0, "");
  assert_true(attest_random_next(&random) == UINT64_C(0x1e28178eedbf0f30));
}

static void test_streams_differ(void **state) {
  attest_random a = attest_random_start(1, "case/q"), b = attest_random_start(1, "case/k");
  attest_random c = attest_random_start(2, "case/q");
  const uint64_t first = attest_random_next(&a);
  (void)state;

  assert_true(first != attest_random_next(&b));
  assert_true(first != attest_random_next(&c));
}

static void test_floats(void **state) {
  attest_random random = attest_random_start(1, "x");
  double sum = 0, squares = 0;
  (void)state;

  assert_true(attest_random_uniform(&random) == 0x1.454322e47ac70p-1);
  assert_true(attest_random_uniform(&random) == -0x1.2d80cc9c04984p-1);
  random = attest_random_start(1, "x");
  assert_true(attest_random_normal(&random) == 0x1.1c29681dp+0);
  assert_true(attest_random_scaled(3, -1) == 1.5);
  assert_true(attest_random_scaled(-1, 1023) == -0x1p1023);
  assert_true(attest_random_scaled(1, -1074) == 0x1p-1074);
  assert_true(attest_random_scaled(INT64_C(9007199254740991), 0) == 9007199254740991.0);
  for (int i = 0; i < 100000; i++) {
    const double u = attest_random_uniform(&random), n = attest_random_normal(&random);
    assert_true(u >= -1 && u < 1 && n > -6 && n < 6);
    sum += n;
    squares += n * n;
  }
  assert_true(fabs(sum / 100000) < 0.02 && fabs(squares / 100000 - 1) < 0.02);
}

/* --- the table --------------------------------------------------------------------------- */

static int with_option(const char *word) {
  int count = 0;

  for (size_t i = 0; i < attest_case_count; i++)
    count += attest_cases[i].options != NULL && strstr(attest_cases[i].options, word) != NULL;
  return count;
}

static void test_names(void **state) {
  (void)state;

  assert_true(attest_case_count >= 40);
  for (size_t i = 0; i < attest_case_count; i++) {
    const attest_case *c = &attest_cases[i];
    assert_true(strlen(c->name) > 0 && strlen(c->name) <= 40 && strlen(c->note) > 0);
    assert_int_equal(strspn(c->name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(c->name));
    assert_ptr_equal(attest_case_find(c->name), c);
    assert_true(c->options == NULL || strlen(c->options) < 200);
  }
  assert_null(attest_case_find("none of them"));
}

static void test_covers(void **state) {
  static const char *const options[] = {
      "--scale ", "--softcap ", "--causal", "--causal=top-left", "--causal=bottom-right",
      "--causal=1", "--causal=-2", "--window ", "--heads "};
  static const size_t edges[] = {63, 64, 65, 127, 128, 129};
  int masks[16] = {0}, biases[16] = {0}, pokes[4] = {0};
  int past = 0, lengths = 0, other_width = 0, grouped = 0, batch = 0, one = 0, width_1 = 0;
  int none = 0, header = 0, formats[4] = {0}, at_edge[6] = {0}, keys_4096 = 0, keys_65536 = 0;
  (void)state;

  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
    assert_true(with_option(options[i]) > 0);
  for (size_t i = 0; i < attest_case_count; i++) {
    const attest_case *c = &attest_cases[i];
    const attest_case_size *s = &c->full;
    if (c->mask.kind >= ATTEST_MASK_BIAS)
      biases[c->mask.axes]++;
    else if (c->mask.kind != ATTEST_MASK_NONE)
      masks[c->mask.axes]++;
    for (size_t p = 0; p < ATTEST_CASE_POKES; p++)
      pokes[c->pokes[p].kind]++;
    past += s->past > 0;
    lengths += c->kv_len_step > 0;
    other_width += s->width != s->value_width;
    grouped += s->q_heads > s->kv_heads;
    batch += s->batch > 1;
    one += s->q_len == 1 && s->kv_len == 1;
    none += s->kv_len == 0;
    width_1 += s->width == 1;
    header += c->in_header;
    formats[c->dtype]++;
    keys_4096 += s->kv_len == 4096;
    keys_65536 += s->kv_len == 65536;
    for (size_t e = 0; e < 6; e++)
      at_edge[e] += s->q_len == edges[e] && s->kv_len == edges[e];
  }
  for (size_t e = 0; e < 6; e++)
    assert_true(at_edge[e] > 0);
  for (size_t k = 0; k < 4; k++)
    assert_true(pokes[k] > 0 && formats[k] > 0);
  assert_true(past && lengths && other_width && grouped && batch && one && none && width_1);
  assert_true(header && keys_4096 && keys_65536);
  assert_true(masks[ATTEST_AXIS_K] && masks[ATTEST_AXIS_Q] &&
              masks[ATTEST_AXIS_Q | ATTEST_AXIS_K] && masks[ATTEST_AXIS_H | ATTEST_AXIS_K] &&
              masks[ATTEST_AXIS_B | ATTEST_AXIS_K] && masks[15]);
  assert_true(biases[ATTEST_AXIS_K] && biases[ATTEST_AXIS_Q | ATTEST_AXIS_K] &&
              biases[ATTEST_AXIS_H | ATTEST_AXIS_K] && biases[ATTEST_AXIS_B | ATTEST_AXIS_K] &&
              biases[15]);
}

/* --- the arrays -------------------------------------------------------------------------- */

static void draw_case(const attest_case *c, const attest_case_size *size, uint64_t seed,
                      attest_array arrays[ATTEST_CASE_ARRAYS]) {
  attest_fault fault;

  if (attest_case_draw(c, size, seed, arrays, &fault) != 0)
    fail_msg("%s: %s", c->name, fault.text);
}

static void free_all(attest_array arrays[ATTEST_CASE_ARRAYS]) {
  for (size_t i = 0; i < ATTEST_CASE_ARRAYS; i++)
    attest_array_free(&arrays[i]);
}

static void check_shapes(const attest_case *c, const attest_case_size *s) {
  attest_array arrays[ATTEST_CASE_ARRAYS];
  const size_t keys = s->kv_len - s->past;

  assert_true(s->past <= s->kv_len && s->q_heads % s->kv_heads == 0);
  draw_case(c, s, 1, arrays);
  assert_int_equal(arrays[ATTEST_CASE_Q].count, s->batch * s->q_heads * s->q_len * s->width);
  assert_int_equal(arrays[ATTEST_CASE_K].count, s->batch * s->kv_heads * keys * s->width);
  assert_int_equal(arrays[ATTEST_CASE_V].count, s->batch * s->kv_heads * keys * s->value_width);
  assert_true((arrays[ATTEST_CASE_PAST_K].data != NULL) == (s->past > 0));
  assert_true((arrays[ATTEST_CASE_KV_LEN].data != NULL) == (c->kv_len_step > 0));
  assert_true((arrays[ATTEST_CASE_MASK].data != NULL || arrays[ATTEST_CASE_BIAS].data != NULL) ==
              (c->mask.kind != ATTEST_MASK_NONE));
  for (int which = ATTEST_CASE_Q; which <= ATTEST_CASE_V && c->in_header; which++)
    for (size_t i = 0; i < arrays[which].count; i++) {
      double x = 0;
      assert_int_equal(attest_array_get(&arrays[which], i, &x), 0);
      x *= 65536;
      assert_true(x >= -0x1p31 && x < 0x1p31 && x == nearbyint(x));
    }
  free_all(arrays);
}

static void test_draws(void **state) {
  (void)state;

  for (size_t i = 0; i < attest_case_count; i++) {
    check_shapes(&attest_cases[i], &attest_cases[i].full);
    check_shapes(&attest_cases[i], &attest_cases[i].small);
  }
}

static void test_seed_decides(void **state) {
  const attest_case *c = attest_case_find("default_scale");
  attest_array a[ATTEST_CASE_ARRAYS], b[ATTEST_CASE_ARRAYS], other[ATTEST_CASE_ARRAYS];
  size_t bytes;
  (void)state;

  draw_case(c, &c->small, 1, a);
  draw_case(c, &c->small, 1, b);
  draw_case(c, &c->small, 2, other);
  bytes = a[ATTEST_CASE_Q].count * sizeof(float);
  assert_memory_equal(a[ATTEST_CASE_Q].data, b[ATTEST_CASE_Q].data, bytes);
  assert_memory_not_equal(a[ATTEST_CASE_Q].data, other[ATTEST_CASE_Q].data, bytes);
  assert_memory_not_equal(a[ATTEST_CASE_Q].data, a[ATTEST_CASE_K].data, bytes);
  free_all(a);
  free_all(b);
  free_all(other);
}

/* Hidden rows, and no others, are not finite. */
static void test_hidden(void **state) {
  const attest_case *c = attest_case_find("hidden_nan_lengths");
  const attest_case_size *s = &c->full;
  attest_array arrays[ATTEST_CASE_ARRAYS];
  int64_t lengths[8];
  char error[128];
  (void)state;

  draw_case(c, s, 1, arrays);
  assert_int_equal(attest_array_to_i64(&arrays[ATTEST_CASE_KV_LEN], lengths, "kv_len", error,
                                       sizeof error),
                   0);
  assert_true(lengths[0] == 8 && lengths[1] == 5);
  for (size_t i = 0; i < arrays[ATTEST_CASE_V].count; i++) {
    const size_t row = i / s->value_width % s->kv_len;
    const size_t batch = i / s->value_width / s->kv_len / s->kv_heads;
    double x = 0;
    attest_array_get(&arrays[ATTEST_CASE_V], i, &x);
    assert_true((isfinite(x) != 0) == (row < (size_t)lengths[batch]));
  }
  free_all(arrays);
}

/* --- sums -------------------------------------------------------------------------------- */

static void test_sha256(void **state) {
  /* FIPS 180-2, appendix B, and the sum of nothing. */
  static const char abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  static const char none[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  static const char a_million[] =
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
  char path[] = "/tmp/attest-test-XXXXXX", text[ATTEST_DIGEST_TEXT], error[256];
  const int descriptor = mkstemp(path);
  FILE *file;
  (void)state;

  attest_digest_bytes("abc", 3, text);
  assert_string_equal(text, abc);
  attest_digest_bytes("", 0, text);
  assert_string_equal(text, none);
  assert_true(descriptor >= 0);
  file = fdopen(descriptor, "wb");
  for (int i = 0; i < 1000000; i++)
    putc('a', file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(attest_digest_file(path, text, error, sizeof error), 0);
  assert_string_equal(text, a_million);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(attest_digest_file(path, text, error, sizeof error), -1);
  assert_non_null(strstr(error, "No such file"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_generator),    cmocka_unit_test(test_streams_differ),
      cmocka_unit_test(test_floats),       cmocka_unit_test(test_names),
      cmocka_unit_test(test_covers),       cmocka_unit_test(test_draws),
      cmocka_unit_test(test_seed_decides), cmocka_unit_test(test_hidden),
      cmocka_unit_test(test_sha256),
  };
  return cmocka_run_group_tests_name("vectors", tests, NULL, NULL);
}
