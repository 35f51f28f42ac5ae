/* The layer against its steps done one by one: products row by column in order, attention through
   the naive engine, heads side by side. Every sum has the layer's order, so the bits are equal. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "trial.h"

static void multiply(const real *a, const real *b, size_t rows, size_t inner, size_t cols,
                     real *out) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++) {
      real sum = 0;
      for (size_t k = 0; k < inner; k++) sum = sum + a[i * inner + k] * b[k * cols + j];
      out[i * cols + j] = sum;
    }
}

typedef struct {
  attest_layer_shape s;
  real *x, *wq, *wk, *wv, *wo, *want, *got;
  size_t cat, count;
} layer;

static real *drawn(uint64_t *state, size_t count) {
  real *a = reals(count);
  for (size_t n = 0; n < count; n++) a[n] = spread(state, 0);
  return a;
}

static void layer_make(layer *l, uint64_t *state, int with_wo) {
  memset(l, 0, sizeof *l);
  attest_layer_shape *s = &l->s;
  s->len = 1 + below(state, 9);
  s->model = 1 + below(state, 7);
  s->kv_heads = 1 + below(state, 2);
  s->heads = s->kv_heads * (1 + below(state, 3));
  s->width = 1 + below(state, 5);
  s->value_width = 1 + below(state, 5);
  l->cat = s->heads * s->value_width;
  s->out = with_wo ? 1 + below(state, 6) : l->cat;
  s->scale_given = (int)below(state, 2);
  s->scale = 0.375;
  s->softcap = below(state, 2) ? 0 : 2.5;
  s->causal = (int)below(state, 2);
  s->window = (int)below(state, 2);
  s->left = (int64_t)below(state, 4) - 1;
  s->right = (int64_t)below(state, 4) - 1;
  s->offset = (int64_t)below(state, 5) - 2;
  l->x = drawn(state, s->len * s->model);
  l->wq = drawn(state, s->model * s->heads * s->width);
  l->wk = drawn(state, s->model * s->kv_heads * s->width);
  l->wv = drawn(state, s->model * s->kv_heads * s->value_width);
  l->wo = drawn(state, l->cat * s->out);
  l->count = s->len * s->out;
  l->want = reals(l->count);
  l->got = reals(l->count);
}

static void layer_free(layer *l) {
  free(l->x);
  free(l->wq);
  free(l->wk);
  free(l->wv);
  free(l->wo);
  free(l->want);
  free(l->got);
}

/* One step after the other, into want; the heads' arrays are (S, H * D). */
static void step_by_step(layer *l, int with_wo) {
  const attest_layer_shape *s = &l->s;
  problem p;
  result r;
  memset(&p, 0, sizeof p);
  p.shape.batch = 1;
  p.shape.q_heads = s->heads;
  p.shape.kv_heads = s->kv_heads;
  p.shape.q_len = p.shape.kv_len = s->len;
  p.shape.width = s->width;
  p.shape.value_width = s->value_width;
  assert_int_equal(attest_layout_bshd(&p.shape), ATTEST_OK);
  problem_allocate(&p, 0, 0);
  assert_int_equal(p.out_count, s->len * l->cat);
  p.shape.scale_given = s->scale_given;
  p.shape.scale = s->scale;
  p.shape.softcap = s->softcap;
  p.shape.causal = s->causal;
  p.shape.window = s->window;
  p.shape.left = s->left;
  p.shape.right = s->right;
  p.shape.offset = s->offset;
  multiply(l->x, l->wq, s->len, s->model, s->heads * s->width, p.q);
  multiply(l->x, l->wk, s->len, s->model, s->kv_heads * s->width, p.k);
  multiply(l->x, l->wv, s->len, s->model, s->kv_heads * s->value_width, p.v);
  result_make(&p, &r);
  assert_int_equal(run(&p, ATTEST_NAIVE, 1, &r), ATTEST_OK);
  if (with_wo)
    multiply(r.out, l->wo, s->len, l->cat, s->out, l->want);
  else
    memcpy(l->want, r.out, l->count * sizeof(real));
  result_free(&r);
  problem_free(&p);
}

static void against_steps(int with_wo) {
  uint64_t state = 71;
  for (unsigned n = 0; n < 300; n++) {
    const attest_engine engine = (attest_engine)(n % ENGINES);
    const size_t tile = 1 + below(&state, 9);
    layer l;
    layer_make(&l, &state, with_wo);
    step_by_step(&l, with_wo);
    const size_t need = attest_layer_scratch(&l.s, engine, tile);
    real *scratch = reals(need);
    memset(scratch, 0xff, need * sizeof(real));
    pattern(l.got, l.count);
    assert_int_equal(attest_layer(&l.s, l.x, l.wq, l.wk, l.wv, with_wo ? l.wo : NULL, l.got, engine,
                                  tile, scratch, need), ATTEST_OK);
    if (!same_bits(l.want, l.got, l.count))
      fail_msg("%s, tile %zu: len %zu model %zu heads %zu/%zu width %zu/%zu out %zu",
               engine_names[engine], tile, l.s.len, l.s.model, l.s.heads, l.s.kv_heads, l.s.width,
               l.s.value_width, l.s.out);
    free(scratch);
    layer_free(&l);
  }
}

static void with_output_weights(void **unused) {
  (void)unused;
  against_steps(1);
}

static void heads_concatenated(void **unused) {
  (void)unused;
  against_steps(0);
}

/* p v / p for a weight p: one product and one quotient, each rounded once. */
static int twice_rounded(real got, real want) {
  const double u = sizeof(real) == sizeof(float) ? 0x1p-24 : 0x1p-53;
  return fabs((double)got - (double)want) <= 2 * u * fabs((double)want) * (1 + u);
}

/* The products themselves, on numbers where no sum rounds: X = 1 2 3 4, identity weights. */
static void by_hand(void **unused) {
  const real x[] = {1, 2, 3, 4}, identity[] = {1, 0, 0, 1}, swap[] = {0, 1, 1, 0};
  attest_layer_shape s;
  real out[4], scratch[512];
  (void)unused;
  memset(&s, 0, sizeof s);
  s.len = s.model = s.width = s.value_width = s.out = 2;
  s.heads = s.kv_heads = 1;
  s.scale_given = 1;
  s.scale = 100; /* the second key wins by far in the second row, and in the first */
  assert_true(attest_layer_scratch(&s, ATTEST_NAIVE, 1) <= 512);
  assert_int_equal(attest_layer(&s, x, identity, identity, identity, swap, out, ATTEST_NAIVE, 1,
                                scratch, 512), ATTEST_OK);
  for (size_t n = 0; n < 4; n++) assert_true(twice_rounded(out[n], n % 2 ? 3 : 4));
  s.causal = 1; /* now the first row sees itself alone */
  assert_int_equal(attest_layer(&s, x, identity, identity, identity, swap, out, ATTEST_NAIVE, 1,
                                scratch, 512), ATTEST_OK);
  assert_true(twice_rounded(out[0], 2) && twice_rounded(out[1], 1));
  assert_true(twice_rounded(out[2], 4) && twice_rounded(out[3], 3));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(with_output_weights),
    cmocka_unit_test(heads_concatenated),
    cmocka_unit_test(by_hand),
  };
  return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
