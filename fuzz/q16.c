/* fixed/ against the oracle: outputs within the derived bound, and those of the one-pass form within its
   own; rows of weights that sum to exactly 65536, each within its bound; outputs between the smallest
   and largest visible value; naive and tiled the same bits. */
#include <math.h>
#include <string.h>

#include "fence.h"
#include "judge.h"
#include "target.h"

const fuzz_format fuzz_target_format = FUZZ_NARROW;

enum { SCRATCH = ATTEST_Q16_TILED_SCRATCH(130, FUZZ_WIDTH) + 3 * FUZZ_LONG };
#define ULP 0x1p-16

/* To the oracle the default scale is 1/sqrt(width). Another is mantissa 2^exponent log 2 as a double, within
   3 2^-53 of itself: the bound allows for 2^-32 (proofs/fixed.md, "Weights inside"). */
static void scale_of(const attest_q16_shape *s, attest_shape *t) {
  const attest_q16_scale usual = attest_q16_default_scale(s->width);
  if (s->scale.mantissa == usual.mantissa && s->scale.exponent == usual.exponent) return;
  t->scale_given = 1;
  t->scale = ldexp(s->scale.mantissa * 0x1.62e42fefa39efp-1, s->scale.exponent);
}

/* The problem as the oracle takes it. */
static void as_float(const fuzz_q16 *p, fuzz_problem *f) {
  const attest_q16_shape *s = &p->shape;
  attest_shape *t = &f->shape;
  memset(t, 0, sizeof *t);
  f->draw = p->draw;
  t->batch = 1;
  t->q_heads = s->q_heads;
  t->kv_heads = s->kv_heads;
  t->q_len = s->q_len;
  t->kv_len = s->kv_len;
  t->width = s->width;
  t->value_width = s->value_width;
  attest_layout_bhsd(t);
  scale_of(s, t);
  t->causal = s->causal;
  t->window = s->window;
  t->left = s->left;
  t->right = s->right;
  t->offset = s->offset;
  f->lengths[0] = s->key_length;
  t->key_lengths = f->lengths;
  f->wide = 1;
  f->tile = p->tile;
  for (size_t n = 0; n < (size_t)s->q_heads * s->q_len * s->width; n++) f->q64[n] = p->q[n] * ULP;
  for (size_t n = 0; n < (size_t)s->kv_heads * s->kv_len * s->width; n++)
    f->k64[n] = p->k[n] * ULP;
  for (size_t n = 0; n < (size_t)s->kv_heads * s->kv_len * s->value_width; n++)
    f->v64[n] = p->v[n] * ULP;
  memset(&f->f64, 0, sizeof f->f64);
  f->f64.q = f->q64;
  f->f64.k = f->k64;
  f->f64.v = f->v64;
  if (!p->arrays.mask) return;
  f->f64.mask = p->mask;
  t->mask.head = s->mask.head;
  t->mask.row = s->mask.row;
  t->mask.key = 1;
}

/* The keys a row sees, and the range of a column among them. */
static size_t range(const fuzz_q16 *p, uint32_t head, uint32_t i, uint32_t column, int32_t *least,
                    int32_t *most) {
  const attest_q16_shape *s = &p->shape;
  const int32_t *const v = p->v + head / (s->q_heads / s->kv_heads) * s->v.head + column;
  size_t count = 0;
  *least = INT32_MAX;
  *most = INT32_MIN;
  for (uint32_t j = 0; j < s->kv_len; j++) {
    if (!fuzz_visible_q16(p, head, i, j)) continue;
    count++;
    if (v[j * s->v.row] < *least) *least = v[j * s->v.row];
    if (v[j * s->v.row] > *most) *most = v[j * s->v.row];
  }
  return count;
}

static void judge_out(const fuzz_problem *f, const fuzz_q16 *p, const char *engine,
                      double (*bound)(double keys, double spread), const fuzz_truth *truth, uint32_t h,
                      uint32_t i, const int32_t *out) {
  for (uint32_t c = 0; c < p->shape.value_width; c++) {
    const attest_enclosure box = truth->out_box[i * p->shape.value_width + c];
    int32_t least, most;
    const size_t keys = range(p, h, i, c, &least, &most);
    double allowed, off;
    if (keys == 0 ? out[c] != 0 : out[c] < least || out[c] > most)
      fuzz_fail(f, "q16 %s: output %u of row %u, head %u is %ld, visible values %ld to %ld", engine,
                (unsigned)c, (unsigned)i, (unsigned)h, (long)out[c], (long)least, (long)most);
    if (keys == 0) continue;
    allowed = bound((double)keys, ((double)most - least) * ULP);
    off = fuzz_off(out[c] * ULP, box);
    if (!(off <= allowed))
      fuzz_fail(f, "q16 %s: output %u of row %u, head %u is %ld, exact %a ulp, off by %g ulp, bound %g",
                engine, (unsigned)c, (unsigned)i, (unsigned)h, (long)out[c], box.high / ULP, off / ULP,
                allowed / ULP);
    fuzz_ratio(engine, "output", off, allowed);
  }
}

static void judge_weights(const fuzz_problem *f, const fuzz_q16 *p, const fuzz_truth *truth,
                          uint32_t h, uint32_t i, const int32_t *w) {
  int64_t sum = 0;
  int32_t least, most;
  const size_t keys = range(p, h, i, 0, &least, &most);
  for (uint32_t j = 0; j < p->shape.kv_len; j++) {
    const double allowed = attest_bound_q16_weight((double)keys);
    const double off = fuzz_off(w[j] * ULP, truth->weight_box[i * p->shape.kv_len + j]);
    sum += w[j];
    if (w[j] < 0 || (w[j] != 0 && !fuzz_visible_q16(p, h, i, j)))
      fuzz_fail(f, "q16: weight %u of row %u, head %u is %ld", (unsigned)j, (unsigned)i, (unsigned)h,
                (long)w[j]);
    if (!fuzz_visible_q16(p, h, i, j)) continue;
    if (!(off <= allowed))
      fuzz_fail(f, "q16: weight %u of row %u, head %u is %ld, off by %g ulp, bound %g", (unsigned)j,
                (unsigned)i, (unsigned)h, (long)w[j], off / ULP, allowed / ULP);
    fuzz_ratio("q16", "weight", off, allowed);
  }
  if (sum != (keys > 0 ? 65536 : 0))
    fuzz_fail(f, "q16: the weights of row %u, head %u sum to %ld", (unsigned)i, (unsigned)h,
              (long)sum);
}

/* A row in one pass over its visible keys. */
static void stream(const fuzz_q16 *p, uint32_t h, uint32_t i, int32_t *out) {
  static attest_q16_column columns[FUZZ_WIDTH];
  const attest_q16_shape *s = &p->shape;
  const uint32_t kv_head = h / (s->q_heads / s->kv_heads);
  attest_q16_stream state;
  attest_q16_stream_start(&state, columns, s->value_width);
  for (uint32_t j = 0; j < s->kv_len; j++)
    if (fuzz_visible_q16(p, h, i, j) &&
        attest_q16_stream_add(&state, columns, p->q + h * s->q.head + i * s->q.row,
                              p->k + kv_head * s->k.head + j * s->k.row, s->width,
                              p->v + kv_head * s->v.head + j * s->v.row, s->value_width,
                              s->scale) != ATTEST_Q16_OK)
      fuzz_fail(NULL, "q16 stream refuses key %u", (unsigned)j);
  attest_q16_stream_output(&state, columns, s->value_width, out);
}

/* Scratch holds 0xA5 before each run, whatever ran before, and no more words than are asked for. */
static attest_q16_status run(const fuzz_q16 *p, int tiled) {
  static uint64_t scratch[SCRATCH];
  const attest_q16_shape *s = &p->shape;
  const uint32_t need = tiled ? ATTEST_Q16_TILED_SCRATCH(p->tile, s->value_width)
                              : ATTEST_Q16_NAIVE_SCRATCH(s->kv_len);
  fuzz_open(scratch, sizeof scratch);
  memset(scratch, 0xa5, sizeof scratch);
  fuzz_forget(scratch, sizeof scratch);
  FUZZ_FENCE(scratch, need);
  return tiled ? attest_q16_tiled(s, &p->arrays, p->tile, scratch, need)
               : attest_q16_naive(s, &p->arrays, scratch, need);
}

/* What is beyond the limits is refused, by both in the same way. */
static void check_refusal(const fuzz_q16 *p) {
  const attest_q16_status want = fuzz_status_q16(p);
  for (int tiled = 0; tiled < 2; tiled++) {
    const attest_q16_status status = run(p, tiled);
    if (status != want)
      fuzz_fail(NULL, "q16 %s: status %d, not %d", tiled ? "tiled" : "naive", (int)status, (int)want);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_q16 p;
  static fuzz_problem f;
  static fuzz_truth truth;
  static int32_t out[FUZZ_ELEMENTS], weights[FUZZ_ELEMENTS], again[FUZZ_ELEMENTS];
  static int32_t weights_again[FUZZ_ELEMENTS], row[FUZZ_WIDTH];
  attest_q16_shape *s = &p.shape;
  fuzz_decode_q16(&p, data, size);
  p.arrays.out = out;
  p.arrays.weights = weights;
  check_refusal(&p);
  memset(out, 0, sizeof out);
  memset(weights, 0, sizeof weights);
  memset(again, 0, sizeof again);
  memset(weights_again, 0, sizeof weights_again);
  if (fuzz_status_q16(&p) != ATTEST_Q16_OK) return 0;
  run(&p, 0);
  p.arrays.out = again;
  p.arrays.weights = weights_again;
  as_float(&p, &f);
  run(&p, 1);
  if (memcmp(out, again, sizeof out) != 0 || memcmp(weights, weights_again, sizeof weights) != 0)
    fuzz_fail(&f, "q16: tiled and naive differ");
  for (uint32_t h = 0; h < s->q_heads; h++) {
    fuzz_ask(&f, 0, h, ATTEST_FORMAT_Q16, &truth);
    for (uint32_t i = 0; i < s->q_len; i++) {
      judge_out(&f, &p, "q16", attest_bound_q16_output, &truth, h, i, out + h * s->out.head + i * s->out.row);
      judge_weights(&f, &p, &truth, h, i, weights + (h * s->q_len + i) * s->kv_len);
      stream(&p, h, i, row);
      judge_out(&f, &p, "stream", attest_bound_q16_stream, &truth, h, i, row);
    }
  }
  return 0;
}
