/* A layer by every nest, against its steps: products by plain loops, heads by attest_attention, the same
   bits. Naive against the others where README promises the same bits. Refusals as attest.h states. */
#include "layer.h"

#include <string.h>

#include "target.h"

const fuzz_format fuzz_target_format = FUZZ_EITHER;

static size_t at_most(size_t x, size_t most) { return x < most ? x : most; }

static void add(fuzz_layer *l, const double *x, size_t count) {
  memcpy(l->numbers + l->count, x, count * sizeof *x);
  l->count += count;
}

static void make(const fuzz_problem *p, fuzz_layer *l) {
  const attest_shape *from = &p->shape;
  attest_layer_shape *s = &l->shape;
  const unsigned heads = p->extra[0], columns = p->extra[1];
  const size_t most = from->q_len > 8 ? 2 : 3;
  memset(s, 0, sizeof *s);
  s->len = from->q_len;
  s->model = at_most(from->width, FUZZ_MODEL);
  s->kv_heads = 1 + heads % most;
  /* one in 16 where they do not divide */
  s->heads = s->kv_heads * (1 + heads / 4 % most) + (heads / 16 == 15 ? 1 : 0);
  s->width = 1 + columns / 32;
  s->value_width = at_most(from->value_width, FUZZ_MODEL);
  l->with_wo = (columns & 1) == 0;
  s->out = l->with_wo ? 1 + columns / 4 % 8 : s->heads * s->value_width + (columns & 2) / 2;
  s->scale_given = from->scale_given;
  s->scale = from->scale;
  s->softcap = from->softcap;
  s->causal = from->causal;
  s->window = from->window;
  s->left = from->left;
  s->right = from->right;
  s->offset = from->offset;
  l->tile = p->tile;
  l->count = 0;
  add(l, p->q64, p->layout.count[FUZZ_Q]);
  add(l, p->k64, p->layout.count[FUZZ_K]);
  add(l, p->v64, p->layout.count[FUZZ_V]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_problem p;
  static fuzz_layer l;
  fuzz_decode(&p, data, size, FUZZ_EITHER);
  make(&p, &l);
  if (p.wide)
    fuzz_check_layer_f64(&p, &l);
  else
    fuzz_check_layer_f32(&p, &l);
  return 0;
}
