/* The ladder as a whole: what non-finite input does, that every rung and every cut of the rows gives
   the same answers, and what is refused. That the answers are right is tests/oracle's to show. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "random.h"

enum { KEYS = 9, ROWS = 7, WIDTH = 3, VALUES = 4 };

typedef struct {
  attest_shape shape;
  double q[ROWS * WIDTH], k[KEYS * WIDTH], v[KEYS * VALUES], bias[ROWS * KEYS];
  uint8_t mask[ROWS * KEYS];
  attest_arrays_f64 arrays;
} problem;

static double small(uint64_t *state) { return (double)(draw(state) >> 40) * 0x1p-22 - 2; }

static void make(problem *p, uint64_t *state) {
  memset(p, 0, sizeof *p);
  p->shape.batch = p->shape.q_heads = p->shape.kv_heads = 1;
  p->shape.q_len = ROWS;
  p->shape.kv_len = KEYS;
  p->shape.width = WIDTH;
  p->shape.value_width = VALUES;
  attest_layout_bhsd(&p->shape);
  p->shape.mask.row = p->shape.bias.row = KEYS;
  p->shape.mask.key = p->shape.bias.key = 1;
  for (int i = 0; i < ROWS * WIDTH; i++) p->q[i] = small(state);
  for (int i = 0; i < KEYS * WIDTH; i++) p->k[i] = small(state);
  for (int i = 0; i < KEYS * VALUES; i++) p->v[i] = small(state);
  for (int i = 0; i < ROWS * KEYS; i++) p->bias[i] = small(state);
  for (int i = 0; i < ROWS * KEYS; i++) p->mask[i] = below(state, 3) != 0;
  p->arrays.q = p->q;
  p->arrays.k = p->k;
  p->arrays.v = p->v;
}

typedef struct {
  double out[ROWS * VALUES], weights[ROWS * KEYS], lse[ROWS];
  size_t decided[ATTEST_RUNGS];
} answers;

static void ask_rows(const problem *p, size_t first, size_t count, attest_oracle_options o,
                     answers *a) {
  attest_oracle_result r;
  attest_status refusal;
  memset(&r, 0, sizeof r);
  r.out.value = a->out + first * VALUES;
  r.weights.value = a->weights + first * KEYS;
  r.lse.value = a->lse + first;
  assert_int_equal(attest_oracle_rows(&p->shape, &p->arrays, 0, 0, first, count, &o, &r, &refusal),
                   ATTEST_ORACLE_OK);
  for (int n = 0; n < ATTEST_RUNGS; n++) a->decided[n] += r.decided[n];
}

static answers ask(const problem *p, attest_format format, attest_rung first) {
  const attest_oracle_options o = {format, ATTEST_BASE_E, first};
  answers a;
  memset(&a, 0, sizeof a);
  ask_rows(p, 0, ROWS, o, &a);
  return a;
}

static answers engine(problem *p) {
  answers a;
  const size_t count = attest_scratch_f64(&p->shape, ATTEST_NAIVE, 1);
  double *scratch = malloc(count * sizeof *scratch);
  memset(&a, 0, sizeof a);
  p->arrays.out = a.out;
  p->arrays.weights = a.weights;
  p->arrays.lse = a.lse;
  assert_int_equal(attest_attention_f64(&p->shape, &p->arrays, ATTEST_NAIVE, 1, scratch, count),
                   ATTEST_OK);
  free(scratch);
  return a;
}

/* The same number, or both the same kind of no number. */
static int alike(double a, double b) {
  if (a != a || b != b) return a != a && b != b;
  if (isinf(a) || isinf(b)) return a == b;
  return 1;
}

static void all_alike(const double *a, const double *b, size_t count, const char *what) {
  for (size_t i = 0; i < count; i++)
    if (!alike(a[i], b[i])) fail_msg("%s %zu: the oracle has %g, the engine %g", what, i, a[i], b[i]);
}

static void compare_with_engine(problem *p) {
  const answers b = engine(p);
  const answers a = ask(p, ATTEST_FORMAT_F64, ATTEST_RUNG_F64);
  all_alike(a.out, b.out, ROWS * VALUES, "output");
  all_alike(a.weights, b.weights, ROWS * KEYS, "weight");
  all_alike(a.lse, b.lse, ROWS, "log-sum-exp");
}

/* Infinities and NaN anywhere, visible or hidden, with and without bias, mask and softcap. */
static void not_finite(void **unused) {
  static const double odd[] = {NAN, INFINITY, -INFINITY};
  uint64_t state = 5;
  (void)unused;
  for (int n = 0; n < 4000; n++) {
    problem p;
    double *arrays[4];
    const size_t sizes[4] = {ROWS * WIDTH, KEYS * WIDTH, KEYS * VALUES, ROWS * KEYS};
    make(&p, &state);
    arrays[0] = p.q;
    arrays[1] = p.k;
    arrays[2] = p.v;
    arrays[3] = p.bias;
    if (n & 1) p.arrays.mask = p.mask;
    if (n & 2) p.arrays.bias = p.bias;
    if (n & 4) p.shape.softcap = 2;
    if (n & 8) p.shape.causal = 1;
    for (size_t k = 0; k < 1 + below(&state, 4); k++) {
      const size_t which = below(&state, 4);
      arrays[which][below(&state, sizes[which])] = odd[below(&state, 3)];
    }
    compare_with_engine(&p);
  }
}

/* In a row that one score makes NaN every visible weight is NaN, that score's own as well, and every
   hidden one 0. */
static void nan_row(void **unused) {
  uint64_t state = 6;
  problem p;
  answers a;
  (void)unused;
  make(&p, &state);
  p.arrays.mask = p.mask;
  for (int j = 0; j < KEYS; j++) p.mask[j] = j % 2 == 0;
  p.k[4 * WIDTH] = NAN;
  a = ask(&p, ATTEST_FORMAT_F32, ATTEST_RUNG_F64);
  for (int j = 0; j < KEYS; j++) assert_true(j % 2 == 0 ? isnan(a.weights[j]) : a.weights[j] == 0);
  assert_true(isnan(a.lse[0]));
  for (int c = 0; c < VALUES; c++) assert_true(isnan(a.out[c]));
}

static void empty_row(void **unused) {
  uint64_t state = 8;
  problem p;
  (void)unused;
  make(&p, &state);
  p.arrays.mask = p.mask;
  memset(p.mask + 2 * KEYS, 0, KEYS);
  for (int format = ATTEST_FORMAT_F64; format <= ATTEST_FORMAT_Q16; format++) {
    const answers a = ask(&p, (attest_format)format, ATTEST_RUNG_F64);
    for (int c = 0; c < VALUES; c++) assert_true(a.out[2 * VALUES + c] == 0);
    for (int j = 0; j < KEYS; j++) assert_true(a.weights[2 * KEYS + j] == 0);
    assert_true(a.lse[2] == (format == ATTEST_FORMAT_Q16 ? -32768 : -INFINITY));
  }
}

static void rungs_and_cuts(void **unused) {
  uint64_t state = 9;
  (void)unused;
  for (int n = 0; n < 200; n++) {
    const attest_format format = (attest_format)below(&state, 5);
    const attest_oracle_options o = {format, ATTEST_BASE_E, ATTEST_RUNG_F64};
    problem p;
    answers a, cut;
    make(&p, &state);
    if (n & 1) p.arrays.mask = p.mask;
    if (n & 2) p.arrays.bias = p.bias;
    if (n & 4) p.shape.softcap = 1.5;
    if (n & 8) p.shape.causal = 1;
    if (n & 16) p.shape.scale_given = 1, p.shape.scale = 0.7;
    a = ask(&p, format, ATTEST_RUNG_F64);
    for (int rung = ATTEST_RUNG_WIDE; rung <= ATTEST_RUNG_INTERVAL; rung++) {
      const answers b = ask(&p, format, (attest_rung)rung);
      assert_memory_equal(a.out, b.out, sizeof a.out);
      assert_memory_equal(a.weights, b.weights, sizeof a.weights);
      assert_memory_equal(a.lse, b.lse, sizeof a.lse);
      assert_int_equal(b.decided[ATTEST_RUNG_F64], 0);
    }
    memset(&cut, 0, sizeof cut);
    ask_rows(&p, 0, 2, o, &cut);
    ask_rows(&p, 2, 0, o, &cut);
    ask_rows(&p, 2, 5, o, &cut);
    assert_memory_equal(&a, &cut, sizeof a); /* the counts too */
  }
}

static void refused(void **unused) {
  const attest_oracle_options o = {ATTEST_FORMAT_F32, ATTEST_BASE_E, ATTEST_RUNG_F64};
  uint64_t state = 10;
  attest_oracle_result r;
  attest_status refusal;
  problem p;
  (void)unused;
  make(&p, &state);
  memset(&r, 0, sizeof r);
#define ASK(b, h, i, n) \
  attest_oracle_rows(&p.shape, &p.arrays, b, h, i, n, &o, &r, &refusal)
  assert_int_equal(ASK(0, 0, ROWS, 0), ATTEST_ORACLE_OK);
  assert_int_equal(ASK(0, 0, ROWS, 1), ATTEST_ORACLE_REFUSED);
  assert_int_equal(refusal, ATTEST_LIMIT);
  assert_int_equal(ASK(1, 0, 0, 1), ATTEST_ORACLE_REFUSED);
  assert_int_equal(ASK(0, 1, 0, 1), ATTEST_ORACLE_REFUSED);
  p.arrays.k = NULL;
  assert_int_equal(ASK(0, 0, 0, 1), ATTEST_ORACLE_REFUSED);
  assert_int_equal(refusal, ATTEST_NULL);
  p.arrays.k = p.k;
  p.shape.softcap = -1;
  assert_int_equal(ASK(0, 0, 0, 1), ATTEST_ORACLE_REFUSED);
  assert_int_equal(refusal, ATTEST_NUMBER);
  assert_int_equal(attest_oracle_rows(NULL, &p.arrays, 0, 0, 0, 1, &o, &r, &refusal),
                   ATTEST_ORACLE_REFUSED);
#undef ASK
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(not_finite), cmocka_unit_test(nan_row),        cmocka_unit_test(empty_row),
      cmocka_unit_test(refused),    cmocka_unit_test(rungs_and_cuts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
