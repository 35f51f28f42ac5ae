#include "engines.h"

#include <string.h>

#include "fence.h"

enum { SCRATCH = 32768, TILES = 16, SMALL = 4 };

const char *const fuzz_engine_names[FUZZ_ENGINES] = {"naive", "tiled", "decode"};

/* Outputs hold 0xA5 before a run: no number that an engine would compute. */
static void prepare(void *at, size_t used, size_t size) {
  fuzz_open(at, used);
  memset(at, 0xa5, used);
  fuzz_forget(at, used);
  fuzz_close(at, used, size);
}
#define PREPARE(array, count) prepare(array, (count) * sizeof *(array), sizeof(array))

/* The same for scratch, of which a run uses a small part: what lies behind *open bytes has its fence
   already. */
static void prepare_scratch(void *at, size_t used, size_t *open) {
  prepare(at, used, used < *open ? *open : used);
  *open = used;
}

typedef struct {
  size_t out, weights, lse;
} counts;

static counts counts_of(const attest_shape *s) {
  counts c;
  c.lse = s->batch * s->q_heads * s->q_len;
  c.out = c.lse * s->value_width;
  c.weights = c.lse * s->kv_len;
  return c;
}

static void widen(double *to, const float *from, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] = (double)from[i];
}

/* Each tile costs the tiled nest the work of all its lanes. So the problem's tile, raised to one of which there
   are no more than TILES; but one input in SMALL keeps its own. */
static size_t tile_of(const fuzz_problem *p) {
  const size_t least = (p->shape.kv_len + TILES - 1) / TILES;
  return p->tile < least && p->draw / 64 % SMALL != 0 ? least : p->tile;
}

static attest_status run_f32(const fuzz_problem *p, attest_engine engine, size_t need,
                             fuzz_result *r) {
  static float scratch[SCRATCH], out[FUZZ_ELEMENTS], weights[FUZZ_ELEMENTS], lse[FUZZ_ROWS];
  static size_t open = sizeof scratch;
  const counts c = counts_of(&p->shape);
  attest_arrays_f32 a = p->f32;
  attest_status status;
  prepare_scratch(scratch, need * sizeof *scratch, &open);
  PREPARE(out, c.out);
  PREPARE(weights, c.weights);
  PREPARE(lse, c.lse);
  fuzz_open(r, sizeof *r); /* of the fences of another format */
  a.out = out;
  a.weights = weights;
  a.lse = lse;
  status = attest_attention_f32(&p->shape, &a, engine, tile_of(p), scratch, need);
  if (status != ATTEST_OK) return status;
  widen(r->out, out, c.out);
  widen(r->weights, weights, c.weights);
  widen(r->lse, lse, c.lse);
  return status;
}

static attest_status run_f64(const fuzz_problem *p, attest_engine engine, size_t need,
                             fuzz_result *r) {
  static double scratch[SCRATCH];
  static size_t open = sizeof scratch;
  const counts c = counts_of(&p->shape);
  attest_arrays_f64 a = p->f64;
  prepare_scratch(scratch, need * sizeof *scratch, &open);
  PREPARE(r->out, c.out);
  PREPARE(r->weights, c.weights);
  PREPARE(r->lse, c.lse);
  a.out = r->out;
  a.weights = r->weights;
  a.lse = r->lse;
  return attest_attention_f64(&p->shape, &a, engine, tile_of(p), scratch, need);
}

int fuzz_run(const fuzz_problem *p, attest_engine engine, fuzz_result *r) {
  const size_t need = p->wide ? attest_scratch_f64(&p->shape, engine, tile_of(p))
                              : attest_scratch_f32(&p->shape, engine, tile_of(p));
  attest_status status;
  if (need > SCRATCH) fuzz_fail(p, "%s asks for %zu of scratch", fuzz_engine_names[engine], need);
  status = p->wide ? run_f64(p, engine, need, r) : run_f32(p, engine, need, r);
  if (status != ATTEST_OK && status != ATTEST_NUMBER)
    fuzz_fail(p, "%s: %s", fuzz_engine_names[engine], attest_status_text(status));
  return status == ATTEST_OK;
}

double *fuzz_out(const fuzz_problem *p, fuzz_result *r, size_t batch, size_t head, size_t i) {
  return r->out + batch * p->shape.out.batch + head * p->shape.out.head + i * p->shape.out.row;
}

static size_t row_number(const fuzz_problem *p, size_t batch, size_t head, size_t i) {
  return (batch * p->shape.q_heads + head) * p->shape.q_len + i;
}

double *fuzz_weights(const fuzz_problem *p, fuzz_result *r, size_t batch, size_t head, size_t i) {
  return r->weights + row_number(p, batch, head, i) * p->shape.kv_len;
}

double *fuzz_lse(const fuzz_problem *p, fuzz_result *r, size_t batch, size_t head, size_t i) {
  return r->lse + row_number(p, batch, head, i);
}

int fuzz_same_results(const fuzz_problem *p, const fuzz_result *a, const fuzz_result *b) {
  const counts c = counts_of(&p->shape);
  return fuzz_same(a->out, b->out, c.out) && fuzz_same(a->weights, b->weights, c.weights) &&
         fuzz_same(a->lse, b->lse, c.lse);
}

int fuzz_same(const double *a, const double *b, size_t count) {
  return memcmp(a, b, count * sizeof *a) == 0;
}
