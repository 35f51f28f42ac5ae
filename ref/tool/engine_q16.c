#include "engine_q16.h"

#include "attest_q16.h"
#include "format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The arrays in Q16.16. Outputs are dense, one entry of the batch at a time. */
typedef struct q16_work {
  int32_t *q, *k, *v, *out, *weights;
  uint8_t *mask;
  uint64_t *scratch;
} q16_work;

static void free_work(q16_work *w) {
  free(w->q);
  free(w->k);
  free(w->v);
  free(w->out);
  free(w->weights);
  free(w->mask);
  free(w->scratch);
}

static int32_t *rounded(const attest_tensor *t, attest_fault *fault) {
  const double *values = t->data;
  int32_t *to = attest_allocate(t->count, sizeof *to, t->name, fault);

  for (size_t i = 0; to != NULL && i < t->count; i++) {
    const double x = attest_format_nearest(ATTEST_FORMAT_Q16, values[i], 0) * 65536;
    if (!(fabs(values[i]) <= 32768) || fabs(x - values[i] * 65536) > 0.5) {
      ATTEST_FAIL(fault, "%s: element %zu = %g is beyond Q16.16", t->name, i, values[i]);
      free(to);
      return NULL;
    }
    to[i] = (int32_t)x;
  }
  return to;
}

/* A dense mask (q_heads, q_len, kv_len) of one entry of the batch from mask and bias. */
static int make_mask(const attest_problem *p, size_t batch, uint8_t *mask, attest_fault *fault) {
  const attest_shape *s = &p->shape;
  const double *bias = p->bias.data;

  for (size_t h = 0; h < s->q_heads; h++)
    for (size_t i = 0; i < s->q_len; i++)
      for (size_t j = 0; j < s->kv_len; j++) {
        uint8_t *to = &mask[(h * s->q_len + i) * s->kv_len + j];
        *to = 1;
        if (p->mask != NULL)
          *to = p->mask[batch * s->mask.batch + h * s->mask.head + i * s->mask.row +
                        j * s->mask.key];
        if (bias != NULL) {
          const double b = bias[batch * s->bias.batch + h * s->bias.head + i * s->bias.row +
                                j * s->bias.key];
          if (b != 0 && !(b < 0 && isinf(b)))
            return ATTEST_FAIL(fault, "%s: holds %g; q16 has masks of 0 and -inf only",
                               p->bias.name, b);
          if (b != 0)
            *to = 0;
        }
      }
  return 0;
}

/* The scale with its 32 leading bits. */
static int take_scale(const attest_problem *p, attest_q16_scale *scale, attest_fault *fault) {
  int exponent;
  double significand;

  if (!p->shape.scale_given) {
    *scale = attest_q16_default_scale((uint32_t)p->shape.width);
    return 0;
  }
  if (p->shape.scale < 0)
    return ATTEST_FAIL(fault, "--scale: q16 has none below 0");
  significand = nearbyint(ldexp(frexp(p->shape.scale, &exponent), 32));
  if (significand >= 0x1p32) {
    significand /= 2;
    exponent++;
  }
  *scale = attest_q16_scale_of((uint32_t)significand, exponent - 32);
  return 0;
}

static int refuse(attest_q16_status status, attest_fault *fault) {
  switch (status) {
  case ATTEST_Q16_LIMIT:
    return ATTEST_FAIL(fault, "--engine: q16 takes at most %u keys and width %u",
                       ATTEST_Q16_MAX_KEYS, ATTEST_Q16_MAX_WIDTH);
  case ATTEST_Q16_SCALE:
    return ATTEST_FAIL(fault, "--scale: beyond the range of q16");
  case ATTEST_Q16_REACH:
    return ATTEST_FAIL(fault, "--causal or --window: beyond the range of q16");
  default:
    return ATTEST_FAIL(fault, "--engine: q16 refuses the problem (%d)", (int)status);
  }
}

int attest_engine_q16_check(const attest_problem *p, attest_fault *fault) {
  const attest_shape *s = &p->shape;
  attest_q16_scale scale;

  if (s->softcap > 0)
    return ATTEST_FAIL(fault, "--softcap: is not available in q16");
  if (s->q_len > ATTEST_Q16_MAX_KEYS || s->kv_len > ATTEST_Q16_MAX_KEYS ||
      s->width > ATTEST_Q16_MAX_WIDTH || s->value_width > ATTEST_Q16_MAX_WIDTH)
    return refuse(ATTEST_Q16_LIMIT, fault);
  if (take_scale(p, &scale, fault) != 0)
    return -1;
  /* fixed/ refuses the first; the second it takes for 0. */
  if (scale.exponent > -17 || (scale.mantissa == 0 && p->shape.scale > 0))
    return refuse(ATTEST_Q16_SCALE, fault);
  return 0;
}

static int start(const attest_problem *p, size_t tile, int weights, q16_work *w,
                 attest_fault *fault) {
  const attest_shape *s = &p->shape;
  const size_t rows = s->q_heads * s->q_len, cells = rows * s->kv_len;

  memset(w, 0, sizeof *w);
  if (attest_engine_q16_check(p, fault) != 0)
    return -1;
  if ((w->q = rounded(&p->q, fault)) == NULL || (w->k = rounded(&p->k, fault)) == NULL ||
      (w->v = rounded(&p->v, fault)) == NULL ||
      (w->out = attest_allocate(rows * s->value_width, sizeof *w->out, "output", fault)) == NULL ||
      (w->scratch = attest_allocate(ATTEST_Q16_TILED_SCRATCH(tile, s->value_width),
                                    sizeof *w->scratch, "scratch memory", fault)) == NULL)
    return -1;
  if (weights &&
      (w->weights = attest_allocate(cells, sizeof *w->weights, "weights", fault)) == NULL)
    return -1;
  if ((p->mask != NULL || p->bias.data != NULL) &&
      (w->mask = attest_allocate(cells, 1, "mask", fault)) == NULL)
    return -1;
  return 0;
}

static attest_q16_strides strides_of(attest_strides s) {
  attest_q16_strides to;
  to.head = s.head <= UINT32_MAX ? (uint32_t)s.head : UINT32_MAX;
  to.row = s.row <= UINT32_MAX ? (uint32_t)s.row : UINT32_MAX;
  return to;
}

/* One entry of the batch. */
static int run_entry(const attest_problem *p, size_t batch, size_t tile, q16_work *w,
                     attest_fault *fault) {
  const attest_shape *s = &p->shape;
  attest_q16_shape shape;
  attest_q16_arrays arrays;
  attest_q16_status status;
  int64_t offset = s->offset;

  memset(&shape, 0, sizeof shape);
  memset(&arrays, 0, sizeof arrays);
  shape.q_heads = (uint32_t)s->q_heads;
  shape.kv_heads = (uint32_t)s->kv_heads;
  shape.q_len = (uint32_t)s->q_len;
  shape.kv_len = (uint32_t)s->kv_len;
  shape.width = (uint32_t)s->width;
  shape.value_width = (uint32_t)s->value_width;
  status = attest_q16_layout(&shape); /* of out and mask; the others lie as in their files */
  if (status != ATTEST_Q16_OK)
    return refuse(status, fault);
  shape.q = strides_of(s->q);
  shape.k = strides_of(s->k);
  shape.v = strides_of(s->v);
  if (s->key_lengths != NULL)
    shape.key_length = (uint32_t)s->key_lengths[batch];
  if (s->align_end)
    offset += (int64_t)shape.key_length - (int64_t)s->q_len;
  if (offset < -ATTEST_Q16_MAX_REACH || offset > ATTEST_Q16_MAX_REACH ||
      (s->window && (s->left > ATTEST_Q16_MAX_REACH || s->right > ATTEST_Q16_MAX_REACH)))
    return refuse(ATTEST_Q16_REACH, fault);
  shape.causal = s->causal;
  shape.window = s->window;
  shape.left = (int32_t)s->left;
  shape.right = (int32_t)s->right;
  shape.offset = (int32_t)offset;
  if (take_scale(p, &shape.scale, fault) != 0 ||
      (w->mask != NULL && make_mask(p, batch, w->mask, fault) != 0))
    return -1;
  arrays.q = w->q + batch * s->q.batch;
  arrays.k = w->k + batch * s->k.batch;
  arrays.v = w->v + batch * s->v.batch;
  arrays.mask = w->mask;
  arrays.out = w->out;
  arrays.weights = w->weights;
  status = attest_q16_tiled(&shape, &arrays, (uint32_t)tile, w->scratch,
                            (uint32_t)ATTEST_Q16_TILED_SCRATCH(tile, s->value_width));
  return status == ATTEST_Q16_OK ? 0 : refuse(status, fault);
}

int attest_engine_q16(const attest_problem *p, size_t tile, double *out, double *weights,
                      attest_progress *progress, attest_fault *fault) {
  const attest_shape *s = &p->shape;
  const size_t cells = s->q_heads * s->q_len * s->kv_len;
  q16_work w;
  int result = start(p, tile, weights != NULL, &w, fault);

  for (size_t b = 0; b < s->batch && result == 0; b++) {
    result = run_entry(p, b, tile, &w, fault);
    for (size_t h = 0; h < s->q_heads && result == 0; h++)
      for (size_t i = 0; i < s->q_len; i++)
        for (size_t c = 0; c < s->value_width; c++)
          out[b * s->out.batch + h * s->out.head + i * s->out.row + c] =
              (double)w.out[(h * s->q_len + i) * s->value_width + c] / 65536;
    for (size_t n = 0; weights != NULL && n < cells && result == 0; n++)
      weights[b * cells + n] = (double)w.weights[n] / 65536;
    attest_progress_step(progress, (double)(b + 1), (double)s->batch);
  }
  free_work(&w);
  return result;
}
