/* fixed/ as it is built for machines with narrow multiplication (ATTEST_Q16_NARROW) against the ordinary
   build: the same bits, naive, tiled and in one pass. The narrow build's names begin with narrow_. */
#include <string.h>

#include "fence.h"
#include "target.h"

const fuzz_format fuzz_target_format = FUZZ_NARROW;

enum { SCRATCH = ATTEST_Q16_TILED_SCRATCH(130, FUZZ_WIDTH) + 3 * FUZZ_LONG };

attest_q16_status narrow_attest_q16_naive(const attest_q16_shape *shape,
                                          const attest_q16_arrays *arrays, uint64_t *scratch,
                                          uint32_t scratch_count);
attest_q16_status narrow_attest_q16_tiled(const attest_q16_shape *shape,
                                          const attest_q16_arrays *arrays, uint32_t tile,
                                          uint64_t *scratch, uint32_t scratch_count);
attest_q16_status narrow_attest_q16_stream_start(attest_q16_stream *stream,
                                                 attest_q16_column *columns, uint32_t value_width);
attest_q16_status narrow_attest_q16_stream_add(attest_q16_stream *stream,
                                               attest_q16_column *columns, const int32_t *q,
                                               const int32_t *k, uint32_t width, const int32_t *v,
                                               uint32_t value_width, attest_q16_scale scale);
attest_q16_status narrow_attest_q16_stream_output(const attest_q16_stream *stream,
                                                  const attest_q16_column *columns,
                                                  uint32_t value_width, int32_t *out);
int32_t narrow_attest_q16_exp(int32_t x);
attest_q16_scale narrow_attest_q16_scale_of(uint32_t mantissa, int32_t exponent);
attest_q16_scale narrow_attest_q16_default_scale(uint32_t width);

enum { ORDINARY, NARROW, BUILDS };

typedef struct {
  int32_t out[FUZZ_ELEMENTS], weights[FUZZ_ELEMENTS];
} result;

static void run(fuzz_q16 *p, int build, int tiled, result *r) {
  static uint64_t scratch[SCRATCH];
  attest_q16_status status;
  memset(scratch, 0xa5, sizeof scratch);
  fuzz_forget(scratch, sizeof scratch);
  memset(r, 0, sizeof *r);
  p->arrays.out = r->out;
  p->arrays.weights = r->weights;
  if (build == NARROW)
    status = tiled ? narrow_attest_q16_tiled(&p->shape, &p->arrays, p->tile, scratch, SCRATCH)
                   : narrow_attest_q16_naive(&p->shape, &p->arrays, scratch, SCRATCH);
  else
    status = tiled ? attest_q16_tiled(&p->shape, &p->arrays, p->tile, scratch, SCRATCH)
                   : attest_q16_naive(&p->shape, &p->arrays, scratch, SCRATCH);
  if (status != fuzz_status_q16(p))
    fuzz_fail(NULL, "q16%s: status %d, not %d", build == NARROW ? ", narrow" : "", (int)status,
              (int)fuzz_status_q16(p));
}

/* The first query row over all keys, hidden or not. */
static void stream(const fuzz_q16 *p, int build, result *r) {
  static attest_q16_column columns[FUZZ_WIDTH];
  const attest_q16_shape *s = &p->shape;
  attest_q16_stream state;
  memset(r, 0, sizeof *r);
  if (build == NARROW)
    narrow_attest_q16_stream_start(&state, columns, s->value_width);
  else
    attest_q16_stream_start(&state, columns, s->value_width);
  for (uint32_t j = 0; j < s->kv_len; j++) {
    const int32_t *const k = p->k + j * s->k.row, *const v = p->v + j * s->v.row;
    if (build == NARROW)
      narrow_attest_q16_stream_add(&state, columns, p->q, k, s->width, v, s->value_width, s->scale);
    else
      attest_q16_stream_add(&state, columns, p->q, k, s->width, v, s->value_width, s->scale);
  }
  if (build == NARROW)
    narrow_attest_q16_stream_output(&state, columns, s->value_width, r->out);
  else
    attest_q16_stream_output(&state, columns, s->value_width, r->out);
}

static void same(const result *a, const result *b, const char *what) {
  for (size_t n = 0; n < FUZZ_ELEMENTS; n++)
    if (a->out[n] != b->out[n] || a->weights[n] != b->weights[n])
      fuzz_fail(NULL, "q16, %s: element %zu is %ld, narrow %ld; weight %ld, narrow %ld", what, n,
                (long)a->out[n], (long)b->out[n], (long)a->weights[n], (long)b->weights[n]);
}

static void check_functions(const fuzz_q16 *p) {
  for (size_t n = 0; n < p->shape.width && p->shape.q_len > 0; n++) {
    const int32_t x = p->q[n], e = -(int32_t)((uint32_t)x % 100);
    const uint32_t w = (uint32_t)x % (ATTEST_Q16_MAX_WIDTH + 2);
    const attest_q16_scale a = attest_q16_scale_of((uint32_t)x, e);
    const attest_q16_scale b = narrow_attest_q16_scale_of((uint32_t)x, e);
    const attest_q16_scale c = attest_q16_default_scale(w), d = narrow_attest_q16_default_scale(w);
    if (attest_q16_exp(x) != narrow_attest_q16_exp(x) || a.mantissa != b.mantissa ||
        a.exponent != b.exponent || c.mantissa != d.mantissa || c.exponent != d.exponent)
      fuzz_fail(NULL, "q16: exp or a scale of %ld is another in the narrow build", (long)x);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_q16 p;
  static result naive[BUILDS], tiled[BUILDS], one_pass[BUILDS];
  fuzz_decode_q16(&p, data, size);
  for (int build = 0; build < BUILDS; build++) {
    run(&p, build, 0, &naive[build]);
    run(&p, build, 1, &tiled[build]);
    if (p.shape.q_len > 0) stream(&p, build, &one_pass[build]);
  }
  same(&naive[ORDINARY], &naive[NARROW], "naive");
  same(&tiled[ORDINARY], &tiled[NARROW], "tiled");
  same(&one_pass[ORDINARY], &one_pass[NARROW], "one pass");
  check_functions(&p);
  return 0;
}
