/* Built twice, as float and as double. */
#include "layer.h"

#include <string.h>

#include "attention.h"
#include "engines.h"
#include "fence.h"

enum {
  CELLS = FUZZ_LONG * FUZZ_COLUMNS, /* of each array between the steps */
  OWN = 32768,                      /* scratch of the heads */
  SCRATCH = 4 * CELLS + OWN
};

typedef struct {
  real x[FUZZ_LONG * FUZZ_MODEL], wq[FUZZ_MODEL * FUZZ_COLUMNS], wk[FUZZ_MODEL * FUZZ_COLUMNS];
  real wv[FUZZ_MODEL * FUZZ_COLUMNS], wo[FUZZ_COLUMNS * FUZZ_MODEL];
  size_t next; /* of the numbers */
} inputs;

/* What the steps give. */
typedef struct {
  attest_shape shape;
  attest_arrays arrays;
  real q[CELLS], k[CELLS], v[CELLS], cat[CELLS], out[CELLS];
} steps;

/* The numbers over and over; each time around the other sign, so that rows do not repeat. */
static void take(const fuzz_layer *l, inputs *in, real *to, size_t count, size_t size) {
  fuzz_open(to, size * sizeof *to);
  for (size_t n = 0; n < count; n++, in->next++) {
    const real x = l->count > 0 ? (real)l->numbers[in->next % l->count] : 0;
    to[n] = l->count > 0 && in->next / l->count % 2 == 1 ? -x : x;
  }
  fuzz_close(to, count * sizeof *to, size * sizeof *to);
}
#define TAKE(l, in, array, count) take(l, in, (in)->array, count, sizeof (in)->array / sizeof(real))

static void take_inputs(const fuzz_layer *l, inputs *in) {
  const attest_layer_shape *s = &l->shape;
  in->next = 0;
  TAKE(l, in, x, s->len * s->model);
  TAKE(l, in, wq, s->model * s->heads * s->width);
  TAKE(l, in, wk, s->model * s->kv_heads * s->width);
  TAKE(l, in, wv, s->model * s->kv_heads * s->value_width);
  TAKE(l, in, wo, l->with_wo ? s->heads * s->value_width * s->out : 0);
}

/* Sums from left to right, as ref/matmul.c says. */
static void product(const real *a, const real *b, size_t rows, size_t inner, size_t cols, real *to) {
  for (size_t i = 0; i < rows; i++)
    for (size_t c = 0; c < cols; c++) {
      real sum = 0;
      for (size_t n = 0; n < inner; n++) sum += a[i * inner + n] * b[n * cols + c];
      to[i * cols + c] = sum;
    }
}

static void set_shape(const attest_layer_shape *s, attest_shape *t) {
  memset(t, 0, sizeof *t);
  t->batch = 1;
  t->q_heads = s->heads;
  t->kv_heads = s->kv_heads;
  t->q_len = t->kv_len = s->len;
  t->width = s->width;
  t->value_width = s->value_width;
  attest_layout_bshd(t);
  t->scale_given = s->scale_given;
  t->scale = s->scale;
  t->softcap = s->softcap;
  t->causal = s->causal;
  t->window = s->window;
  t->left = s->left;
  t->right = s->right;
  t->offset = s->offset;
}

static attest_status run_steps(const fuzz_layer *l, const inputs *in, attest_engine engine,
                               steps *r) {
  static real scratch[OWN];
  const attest_layer_shape *s = &l->shape;
  const size_t columns = s->heads * s->value_width;
  attest_status status;
  if (!l->with_wo && s->out != columns) return ATTEST_SHAPE;
  set_shape(s, &r->shape);
  product(in->x, in->wq, s->len, s->model, s->heads * s->width, r->q);
  product(in->x, in->wk, s->len, s->model, s->kv_heads * s->width, r->k);
  product(in->x, in->wv, s->len, s->model, s->kv_heads * s->value_width, r->v);
  memset(&r->arrays, 0, sizeof r->arrays);
  r->arrays.q = r->q;
  r->arrays.k = r->k;
  r->arrays.v = r->v;
  r->arrays.out = l->with_wo ? r->cat : r->out;
  status = attest_attention(&r->shape, &r->arrays, engine, l->tile, scratch, OWN);
  if (status == ATTEST_OK && l->with_wo) product(r->cat, in->wo, s->len, columns, s->out, r->out);
  return status;
}

/* 0xA5 in out and scratch before, and in what is not written after. */
static attest_status run_layer(const fuzz_layer *l, const inputs *in, attest_engine engine,
                               size_t scratch_count, real *out) {
  static real scratch[SCRATCH];
  const size_t count = l->shape.len * l->shape.out;
  fuzz_open(scratch, sizeof scratch);
  fuzz_open(out, CELLS * sizeof *out);
  memset(scratch, 0xa5, scratch_count * sizeof *scratch);
  memset(out, 0xa5, CELLS * sizeof *out);
  fuzz_forget(scratch, scratch_count * sizeof *scratch);
  FUZZ_FENCE(scratch, scratch_count);
  fuzz_close(out, count * sizeof *out, CELLS * sizeof *out);
  return attest_layer(&l->shape, in->x, in->wq, in->wk, in->wv, l->with_wo ? in->wo : NULL, out,
                      engine, l->tile, scratch, scratch_count);
}

/* The sign and payload of a NaN are not promised. */
static int same(real a, real b) { return a != a ? b != b : memcmp(&a, &b, sizeof a) == 0; }

static void check_status(const fuzz_problem *p, const fuzz_layer *l, attest_status status,
                         attest_status want, const real *out, const char *what) {
  unsigned char bytes[sizeof *out];
  if (status != want)
    fuzz_fail(p, "layer, %s: %s, not %s", what, attest_status_text(status),
              attest_status_text(want));
  if (status == ATTEST_OK) return;
  for (size_t n = 0; n < l->shape.len * l->shape.out; n++) {
    memcpy(bytes, out + n, sizeof bytes);
    for (size_t b = 0; b < sizeof bytes; b++)
      if (bytes[b] != 0xa5) fuzz_fail(p, "layer, %s: refused, and writes element %zu", what, n);
  }
}

/* Whether row i of the layer's output is promised the same bits by every nest. */
static int promised(const steps *r, size_t i) {
  for (size_t h = 0; h < r->shape.q_heads; h++)
    for (size_t c = 0; c < r->shape.value_width; c++)
      if (!ATTEST_R(fuzz_same_bits)(&r->shape, &r->arrays, 0, h, i, c)) return 0;
  return 1;
}

static void compare(const fuzz_problem *p, const fuzz_layer *l, const real *a, const real *b,
                    const steps *where, const char *engine, const char *other) {
  const size_t columns = l->shape.out;
  for (size_t i = 0; i < l->shape.len; i++) {
    if (where && !promised(where, i)) continue;
    for (size_t c = 0; c < columns; c++)
      if (!same(a[i * columns + c], b[i * columns + c]))
        fuzz_fail(p, "layer, %s: column %zu of row %zu is %a, by %s %a; model %zu H %zu/%zu D %zu/%zu"
                  " out %zu Wo %d", engine, c, i, (double)a[i * columns + c], other,
                  (double)b[i * columns + c], l->shape.model, l->shape.heads, l->shape.kv_heads,
                  l->shape.width, l->shape.value_width, columns, l->with_wo);
  }
}

static void check_engines(const fuzz_problem *p, const fuzz_layer *l, const inputs *in) {
  static steps want;
  static real naive[CELLS], got[CELLS];
  for (int e = FUZZ_ENGINES; e-- > 0;) {
    const attest_engine engine = (attest_engine)e;
    const char *const name = fuzz_engine_names[e];
    const size_t need = attest_layer_scratch(&l->shape, engine, l->tile);
    const attest_status status = run_steps(l, in, engine, &want);
    if (need > SCRATCH) fuzz_fail(p, "layer, %s: asks for %zu of scratch", name, need);
    if (need == 0 && status == ATTEST_OK) fuzz_fail(p, "layer, %s: no scratch", name);
    check_status(p, l, run_layer(l, in, engine, need, got), status, got, name);
    if (status != ATTEST_OK) return;
    compare(p, l, got, want.out, NULL, name, "its steps");
    check_status(p, l, run_layer(l, in, engine, need - 1, got), ATTEST_SCRATCH, got, "short scratch");
    if (e == ATTEST_NAIVE) continue;
    run_layer(l, in, engine, need, got);
    run_layer(l, in, ATTEST_NAIVE, attest_layer_scratch(&l->shape, ATTEST_NAIVE, l->tile), naive);
    compare(p, l, got, naive, &want, name, "naive");
  }
}

/* Sizes one beyond the limits and of 0 are refused, those at the limit are not. */
static void check_limits(const fuzz_problem *p, const fuzz_layer *l, const inputs *in) {
  static fuzz_layer one;
  static real out[CELLS];
  size_t *const sizes[] = {&one.shape.model, &one.shape.out,         &one.shape.heads,
                           &one.shape.width, &one.shape.value_width, &one.shape.len};
  static const size_t limits[] = {1048576, 1048576, ATTEST_MAX_HEADS,
                                  ATTEST_MAX_WIDTH, ATTEST_MAX_WIDTH, ATTEST_MAX_KEYS};
  const size_t n = p->extra[0] % (sizeof limits / sizeof *limits);
  real x = 0;
  for (int beyond = 0; beyond < 2; beyond++) {
    one = *l;
    if (!beyond && sizes[n] == &one.shape.len) continue; /* no rows are allowed */
    *sizes[n] = beyond ? limits[n] + 1 : 0;
    const attest_status want = beyond ? ATTEST_LIMIT : ATTEST_SHAPE;
    const attest_status status =
        attest_layer(&one.shape, in->x, in->wq, in->wk, in->wv, in->wo, out, ATTEST_NAIVE, 1, &x, 1);
    if (status != want || attest_layer_scratch(&one.shape, ATTEST_NAIVE, 1) != 0)
      fuzz_fail(p, "layer: size %zu of %zu gives %s", n, *sizes[n], attest_status_text(status));
  }
  one = *l;
  *sizes[n] = limits[n];
  one.shape.kv_heads = one.shape.heads; /* divides */
  one.shape.scale_given = 0;
  one.shape.softcap = 0;
  if (SIZE_MAX > UINT32_MAX && attest_layer_scratch(&one.shape, ATTEST_NAIVE, 1) == 0)
    fuzz_fail(p, "layer: size %zu of %zu is refused", n, *sizes[n]);
}

static void check_missing(const fuzz_problem *p, const fuzz_layer *l, const inputs *in) {
  static real out[CELLS], scratch[SCRATCH];
  for (unsigned n = 0; n < 7; n++) {
    const attest_status status = attest_layer(
        n == 0 ? NULL : &l->shape, n == 1 ? NULL : in->x, n == 2 ? NULL : in->wq,
        n == 3 ? NULL : in->wk, n == 4 ? NULL : in->wv, in->wo, n == 5 ? NULL : out, ATTEST_NAIVE,
        l->tile, n == 6 ? NULL : scratch, SCRATCH);
    if (status != ATTEST_NULL)
      fuzz_fail(p, "layer: without pointer %u: %s", n, attest_status_text(status));
  }
}

void ATTEST_R(fuzz_check_layer)(const fuzz_problem *p, const fuzz_layer *l) {
  static inputs in;
  take_inputs(l, &in);
  check_engines(p, l, &in);
  check_limits(p, l, &in);
  check_missing(p, l, &in);
}
