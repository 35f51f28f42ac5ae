#include "problem.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fence.h"

/* The bytes, with zeros behind them. */
typedef struct {
  const uint8_t *data;
  size_t size;
} bytes;

static size_t at_most(size_t x, size_t most) { return x < most ? x : most; }

static unsigned byte(bytes b, size_t at) { return at < b.size ? b.data[at] : 0; }

/* Little-endian. */
static uint64_t word(bytes b, size_t at, size_t width) {
  uint64_t w = 0;
  if (at >= b.size) return 0;
  for (size_t n = at_most(b.size - at, width); n-- > 0;) w = w << 8 | b.data[at + n];
  return w;
}

static unsigned hash(bytes b) {
  const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t h = b.size;
  for (size_t at = 0; at < b.size; at += 8) {
    h = (h ^ word(b, at, 8)) * odd;
    h ^= h >> 32;
  }
  return (unsigned)(h * odd >> 32);
}

/* --- sizes ---------------------------------------------------------------------------------- */

/* Mostly tiny. */
static size_t length(unsigned b) {
  if (b < 144) return 1 + b % 4;
  if (b < 240) return 1 + b % 24;
  return b == 255 ? 0 : 57 + b % 14; /* 240 is 59, 253 is 58: around the lanes of a block */
}
static size_t width(unsigned b) { return b < 176 ? 1 + b % 4 : 1 + b % FUZZ_WIDTH; }

/* Every tensor stays within FUZZ_ELEMENTS: 24 * 24, 70 * 8, or 8 heads of 8 * 8. */
static void sizes(attest_shape *s, bytes b) {
  const unsigned heads = byte(b, FUZZ_HEADS);
  s->batch = s->kv_heads = s->q_heads = 1;
  s->q_len = length(byte(b, FUZZ_QUERIES));
  s->kv_len = length(byte(b, FUZZ_KEYS));
  s->width = width(byte(b, FUZZ_KEY_WIDTH));
  s->value_width = width(byte(b, FUZZ_VALUE_WIDTH));
  if (heads >= 192) {
    s->kv_heads = 1 + heads % 2;
    s->q_heads = s->kv_heads * (1 + heads / 2 % 2);
    s->batch = 1 + heads / 4 % 2;
  }
  if (s->batch * s->q_heads > 1) {
    s->q_len = at_most(s->q_len, 8);
    s->kv_len = at_most(s->kv_len, 8);
    s->width = at_most(s->width, 8);
    s->value_width = at_most(s->value_width, 8);
  }
  if (s->q_len > 24) s->kv_len = at_most(s->kv_len, 8);
  if (s->kv_len > 24) s->q_len = at_most(s->q_len, 8);
  if (s->q_len > 24 || s->kv_len > 24) {
    s->width = at_most(s->width, 4);
    s->value_width = at_most(s->value_width, 4);
  }
}

/* Each dimension of a mask is there or broadcast. Returns the number of its elements. */
static size_t broadcast(const attest_shape *s, unsigned keep, attest_mask_strides *at) {
  size_t next = 1;
  memset(at, 0, sizeof *at);
  keep = ~keep;
  if (keep & 1) {
    at->key = next;
    next *= s->kv_len;
  }
  if (keep & 2) {
    at->row = next;
    next *= s->q_len;
  }
  if (keep & 4) {
    at->head = next;
    next *= s->q_heads;
  }
  if (keep & 8) {
    at->batch = next;
    next *= s->batch;
  }
  return next;
}

/* --- which keys are visible ----------------------------------------------------------------- */

enum { CAUSAL = 1, WINDOW = 2, OFFSET = 4, ALIGN = 8, LENGTHS = 16, MASK = 32, BIAS = 64 };

/* 201 and 202 are the ends of what is allowed. */
static int64_t offset_of(unsigned b) {
  if (b == 201) return ATTEST_MAX_REACH;
  if (b == 202) return -ATTEST_MAX_REACH;
  return b < 200 ? (int64_t)(b % 26) : (int64_t)b - 256;
}

static int64_t side(unsigned b) {
  return b < 240 ? (int64_t)(b % 26) - 1 : b == 255 ? ATTEST_MAX_REACH : (int64_t)b;
}

static void reach(fuzz_problem *p, bytes b) {
  attest_shape *s = &p->shape;
  const unsigned flags = byte(b, FUZZ_REACH);
  s->causal = (flags & CAUSAL) != 0;
  s->window = (flags & WINDOW) != 0;
  if (flags & OFFSET) s->offset = offset_of(byte(b, FUZZ_OFFSET));
  s->align_end = (flags & ALIGN) != 0;
  s->left = side(byte(b, FUZZ_LEFT));
  s->right = side(byte(b, FUZZ_RIGHT));
  for (size_t n = 0; n < FUZZ_BATCHES; n++)
    p->lengths[n] = byte(b, FUZZ_LENGTHS + n) % (s->kv_len + 1);
  if (flags & LENGTHS) s->key_lengths = p->lengths;
}

size_t fuzz_cell(attest_mask_strides at, size_t batch, size_t head, size_t i, size_t j) {
  return batch * at.batch + head * at.head + i * at.row + j * at.key;
}

int fuzz_visible(const fuzz_problem *p, size_t batch, size_t head, size_t i, size_t j) {
  const attest_shape *s = &p->shape;
  const int64_t keys = (int64_t)(s->key_lengths ? s->key_lengths[batch] : s->kv_len);
  const int64_t at =
      (int64_t)i + s->offset + (s->align_end ? keys - (int64_t)s->q_len : 0);
  const int64_t key = (int64_t)j;
  if (key >= keys) return 0;
  if (s->causal && key > at) return 0;
  if (s->window && s->left >= 0 && key < at - s->left) return 0;
  if (s->window && s->right >= 0 && key > at + s->right) return 0;
  if (p->f64.mask && !p->f64.mask[fuzz_cell(s->mask, batch, head, i, j)]) return 0;
  if (p->f64.bias && p->f64.bias[fuzz_cell(s->bias, batch, head, i, j)] == -(double)INFINITY)
    return -1;
  return 1;
}

int fuzz_visible_q16(const fuzz_q16 *p, size_t head, size_t i, size_t j) {
  const attest_q16_shape *s = &p->shape;
  const int64_t at = (int64_t)i + s->offset, key = (int64_t)j;
  if (j >= s->key_length) return 0;
  if (s->causal && key > at) return 0;
  if (s->window && s->left >= 0 && key < at - s->left) return 0;
  if (s->window && s->right >= 0 && key > at + s->right) return 0;
  return !p->arrays.mask || p->mask[head * s->mask.head + i * s->mask.row + j] != 0;
}

/* --- layout --------------------------------------------------------------------------------- */

static fuzz_layout layout_of(const attest_shape *s, unsigned flags, size_t bias, size_t mask,
                             int wide) {
  fuzz_layout l;
  size_t at = FUZZ_HEADER;
  memset(&l, 0, sizeof l);
  l.word = wide ? 8 : 4;
  l.count[FUZZ_Q] = s->batch * s->q_heads * s->q_len * s->width;
  l.count[FUZZ_K] = s->batch * s->kv_heads * s->kv_len * s->width;
  l.count[FUZZ_V] = s->batch * s->kv_heads * s->kv_len * s->value_width;
  l.count[FUZZ_BIAS] = flags & BIAS ? bias : 0;
  l.row[FUZZ_Q] = l.row[FUZZ_K] = s->width;
  l.row[FUZZ_V] = s->value_width;
  l.row[FUZZ_BIAS] = s->bias.key ? s->kv_len : 1;
  for (int t = 0; t < FUZZ_TENSORS; t++) {
    l.at[t] = at;
    at += l.count[t] * l.word;
  }
  l.mask_at = at;
  l.mask_count = flags & MASK ? mask : 0;
  l.total = at + (l.mask_count + 7) / 8;
  return l;
}

static fuzz_layout shape_of(fuzz_problem *p, bytes b, fuzz_format format) {
  attest_shape *s = &p->shape;
  const unsigned keep = byte(b, FUZZ_BROADCAST);
  size_t mask, bias;
  memset(s, 0, sizeof *s);
  p->wide = format == FUZZ_EITHER ? (int)(byte(b, FUZZ_FORMAT) & 1) : (int)format;
  sizes(s, b);
  if (byte(b, FUZZ_FORMAT) & 2)
    attest_layout_bshd(s);
  else
    attest_layout_bhsd(s);
  reach(p, b);
  mask = broadcast(s, keep, &s->mask);
  bias = broadcast(s, keep >> 4, &s->bias);
  return layout_of(s, byte(b, FUZZ_REACH), bias, mask, p->wide);
}

fuzz_layout fuzz_layout_of(const uint8_t *data, size_t size, fuzz_format format) {
  fuzz_problem p; /* little of it is touched */
  const bytes b = {data, size};
  return shape_of(&p, b, format);
}

/* --- numbers -------------------------------------------------------------------------------- */

/* The low three bits of a tensor's kind. A word is the bits of a number, but for the kinds other
   than RAW its exponent is taken into a range. */
enum { UNIT, RAW, INTEGER, SWEEP, LARGE, TINY, COARSE, SCORE };
/* The next two: elements made from those before them. */
enum { FREE, ROW_NEAR, ELEMENT_AGAIN, ROWS_TIED };

static const double specials[] = {
    INFINITY, NAN, 0, 1, 0x1p-126, 0x1p-149, 0x1.fffffep127, 0x1p126, 0x1p-125, 88.0, 0x1p24, 0.5,
    1024, 0x1.62e430p-1, 0x1p-24, 3.0};

double fuzz_from_bits(uint64_t w, int wide) {
  if (wide) {
    double x;
    memcpy(&x, &w, sizeof x);
    return x;
  } else {
    const uint32_t narrow = (uint32_t)w;
    float x;
    memcpy(&x, &narrow, sizeof x);
    return (double)x;
  }
}

static double number(uint64_t w, unsigned kind, int wide) {
  const int bits = wide ? 52 : 23;
  const uint64_t fields = wide ? 2048 : 256, bias = fields / 2 - 1;
  const uint64_t sign = w >> (wide ? 63 : 31) & 1, e = w >> bits & (fields - 1);
  uint64_t fraction = w & ((UINT64_C(1) << bits) - 1), exponent = e;
  if (kind == RAW) return fuzz_from_bits(w, wide);
  if (e == fields - 1) {
    const double x = specials[fraction % (sizeof specials / sizeof *specials)];
    return sign ? -x : x;
  }
  switch (kind) {
    case INTEGER: return (double)(fraction % 4) * (sign ? -1 : 1);
    case SWEEP: exponent = bias - 40 + e % 81; break;
    case LARGE: exponent = fields - 2 - e % 8; break;
    case TINY: exponent = e % 8; break;
    case COARSE: fraction &= UINT64_C(15) << (bits - 4); exponent = bias - 3 + e % 5; break;
    case SCORE: exponent = bias - 2 + e % 10; break;
    default: exponent = bias - 4 + e % 6; break;
  }
  return fuzz_from_bits(sign << (wide ? 63 : 31) | exponent << bits | fraction, wide);
}

/* The next number up or down, or the same; steps: -1, 0, 1. */
static double step(double x, int steps, int wide) {
  if (steps == 0 || !(fabs(x) < INFINITY)) return x;
  if (wide) return nextafter(x, steps > 0 ? (double)INFINITY : -(double)INFINITY);
  return (double)nextafterf((float)x, steps > 0 ? INFINITY : -INFINITY);
}

/* Where element n of a tensor comes from: itself, or an earlier one. */
static size_t source(uint64_t w, size_t n, size_t row, unsigned style) {
  const size_t r = n / row;
  if (style == ROW_NEAR && r % 2 == 1) return n - row;
  if (style == ELEMENT_AGAIN && n > 0 && (w & 1)) return n - 1 - (size_t)(w >> 1) % at_most(n, 15);
  if (style == ROWS_TIED) return n % row;
  return n;
}

static void fill(double *x, float *narrow, const fuzz_layout *l, int t, bytes b, int wide) {
  const unsigned kind = byte(b, (size_t)FUZZ_KINDS + (size_t)t), style = kind >> 3 & 3;
  for (size_t n = 0; n < l->count[t]; n++) {
    const uint64_t w = word(b, l->at[t] + n * l->word, l->word);
    const size_t from = source(w, n, l->row[t], style);
    if (from == n)
      x[n] = number(w, kind & 7, wide);
    else
      x[n] = step(x[from], style == ROW_NEAR ? (int)(w % 3) - 1 : 0, wide);
    if (!wide) narrow[n] = (float)x[n];
  }
}

static void fill_mask(uint8_t *mask, const fuzz_layout *l, bytes b) {
  for (size_t n = 0; n < l->mask_count; n++)
    mask[n] = byte(b, l->mask_at + n / 8) >> n % 8 & 1 ? 0 : 1;
}

static void choose_scale(attest_shape *s, bytes b) {
  static const double scales[] = {0, -0.3, 1e-60, 3, 1e-42, 1e30, -1, 64};
  static const double caps[] = {30, 2, 50, 0.1, 1, 1e-20, 1e30, 3.3e38};
  const unsigned scale = byte(b, FUZZ_SCALE), cap = byte(b, FUZZ_SOFTCAP);
  const uint64_t w = word(b, FUZZ_SCALE_WORD, 4), c = word(b, FUZZ_CAP_WORD, 4);
  switch (scale % 8) {
    case 4: s->scale = 1; break;
    case 5: s->scale = number(w, UNIT, 0); break;
    case 6: s->scale = scales[scale / 8 % 8]; break;
    case 7: s->scale = number(w, RAW, 0); break;
    default: break;
  }
  s->scale_given = scale % 8 >= 4;
  switch (cap % 8) {
    case 5: s->softcap = caps[cap / 8 % 8]; break;
    case 6: s->softcap = fabs(number(c, SWEEP, 0)); break;
    case 7: s->softcap = fabs(number(c, UNIT, 0)); break;
    default: break;
  }
}

void fuzz_decode(fuzz_problem *p, const uint8_t *data, size_t size, fuzz_format format) {
  const bytes b = {data, size};
  fuzz_layout *l = &p->layout;
  *l = shape_of(p, b, format);
  choose_scale(&p->shape, b);
  p->tile = 1 + byte(b, FUZZ_TILE) % 130;
  p->extra[0] = byte(b, FUZZ_EXTRA);
  p->extra[1] = byte(b, FUZZ_EXTRA + 1);
  p->draw = hash(b);
  fuzz_open(p, sizeof *p);
  fill(p->q64, p->q32, l, FUZZ_Q, b, p->wide);
  fill(p->k64, p->k32, l, FUZZ_K, b, p->wide);
  fill(p->v64, p->v32, l, FUZZ_V, b, p->wide);
  fill(p->bias64, p->bias32, l, FUZZ_BIAS, b, p->wide);
  fill_mask(p->mask, l, b);
  memset(&p->f64, 0, sizeof p->f64);
  memset(&p->f32, 0, sizeof p->f32);
  p->f64.q = p->q64;
  p->f64.k = p->k64;
  p->f64.v = p->v64;
  p->f64.bias = l->count[FUZZ_BIAS] ? p->bias64 : NULL;
  p->f64.mask = l->mask_count ? p->mask : NULL;
  p->f32.q = p->q32;
  p->f32.k = p->k32;
  p->f32.v = p->v32;
  p->f32.bias = l->count[FUZZ_BIAS] ? p->bias32 : NULL;
  p->f32.mask = p->f64.mask;
  FUZZ_FENCE(p->q64, l->count[FUZZ_Q]);
  FUZZ_FENCE(p->k64, l->count[FUZZ_K]);
  FUZZ_FENCE(p->v64, l->count[FUZZ_V]);
  FUZZ_FENCE(p->bias64, l->count[FUZZ_BIAS]);
  FUZZ_FENCE(p->q32, p->wide ? 0 : l->count[FUZZ_Q]);
  FUZZ_FENCE(p->k32, p->wide ? 0 : l->count[FUZZ_K]);
  FUZZ_FENCE(p->v32, p->wide ? 0 : l->count[FUZZ_V]);
  FUZZ_FENCE(p->bias32, p->wide ? 0 : l->count[FUZZ_BIAS]);
  FUZZ_FENCE(p->mask, l->mask_count);
}

/* --- fixed/ --------------------------------------------------------------------------------- */

static int32_t integer(uint32_t w, unsigned kind) {
  const int32_t sign = w >> 31 ? -1 : 1;
  switch (kind) {
    case RAW: return (int32_t)(w & 0x7fffffff) * sign - (int32_t)(w >> 31); /* every int32 */
    case INTEGER: return (int32_t)(w % 4) * 65536 * sign;
    case SWEEP: return (int32_t)((w & 0x7fffffff) >> (w >> 26 & 31)) * sign;
    case LARGE: return (int32_t)(0x7fffffff - w % 4) * sign - (int32_t)(w >> 31);
    case TINY: return (int32_t)(w % 8) * sign;
    case COARSE: return (int32_t)(w % 64) * 4096 * sign;
    case SCORE: return (int32_t)(w & 0xffffff) * sign;
    default: return (int32_t)(w & 0x1ffff) * sign;
  }
}

static void fill_q16(int32_t *x, const fuzz_layout *l, int t, bytes b) {
  const unsigned kind = byte(b, (size_t)FUZZ_KINDS + (size_t)t), style = kind >> 3 & 3;
  for (size_t n = 0; n < l->count[t]; n++) {
    const uint32_t w = (uint32_t)word(b, l->at[t] + n * l->word, l->word);
    const size_t from = source(w, n, l->row[t], style);
    x[n] = from == n ? integer(w, kind & 7) : x[from];
    if (from != n && style == ROW_NEAR && x[n] < INT32_MAX) x[n] += (int32_t)(w % 2);
  }
}

static int32_t reach_q16(int64_t x) {
  if (x > ATTEST_Q16_MAX_REACH) return ATTEST_Q16_MAX_REACH;
  return x < -ATTEST_Q16_MAX_REACH ? -ATTEST_Q16_MAX_REACH : (int32_t)x;
}

/* 4: one that is refused, and so are some of the last. */
static attest_q16_scale scale_q16(uint32_t key_width, bytes b) {
  const attest_q16_scale refused = {0, 0};
  const unsigned kind = byte(b, FUZZ_SCALE);
  const uint32_t mantissa = (uint32_t)word(b, FUZZ_SCALE_WORD, 4);
  switch (kind % 8) {
    case 4: return refused;
    case 5: return attest_q16_scale_of(mantissa, -32);
    case 6:
    case 7: return attest_q16_scale_of(mantissa, -(int32_t)(kind / 8) - 16);
    default: return attest_q16_default_scale(key_width);
  }
}

attest_q16_status fuzz_status_q16(const fuzz_q16 *p) {
  const int64_t offset = p->shape.offset;
  if (p->shape.scale.exponent < -64 || p->shape.scale.exponent > -17) return ATTEST_Q16_SCALE;
  return offset < -ATTEST_Q16_MAX_REACH || offset > ATTEST_Q16_MAX_REACH ? ATTEST_Q16_REACH
                                                                         : ATTEST_Q16_OK;
}

void fuzz_decode_q16(fuzz_q16 *p, const uint8_t *data, size_t size) {
  const bytes b = {data, size};
  fuzz_problem f;
  fuzz_layout l = shape_of(&f, b, FUZZ_NARROW);
  const attest_shape *from = &f.shape;
  attest_q16_shape *s = &p->shape;
  fuzz_open(p, sizeof *p);
  memset(s, 0, sizeof *s);
  s->q_heads = (uint32_t)from->q_heads;
  s->kv_heads = (uint32_t)from->kv_heads;
  s->q_len = (uint32_t)from->q_len;
  s->kv_len = (uint32_t)from->kv_len;
  s->width = (uint32_t)from->width;
  s->value_width = (uint32_t)from->value_width;
  attest_q16_layout(s);
  s->key_length = (uint32_t)(from->key_lengths ? from->key_lengths[0] : from->kv_len);
  s->causal = from->causal;
  s->window = from->window;
  s->left = reach_q16(from->left);
  s->right = reach_q16(from->right);
  s->offset = reach_q16(from->offset) +
              (from->align_end ? (int32_t)s->key_length - (int32_t)s->q_len : 0);
  s->scale = scale_q16(s->width, b);
  p->tile = 1 + byte(b, FUZZ_TILE) % 130;
  p->extra[0] = byte(b, FUZZ_EXTRA);
  p->extra[1] = byte(b, FUZZ_EXTRA + 1);
  p->draw = hash(b);
  fill_q16(p->q, &l, FUZZ_Q, b);
  fill_q16(p->k, &l, FUZZ_K, b);
  fill_q16(p->v, &l, FUZZ_V, b);
  memset(&p->arrays, 0, sizeof p->arrays);
  p->arrays.q = p->q;
  p->arrays.k = p->k;
  p->arrays.v = p->v;
  if (l.mask_count) {
    /* dense in keys; rows and heads broadcast as in the float problem */
    const size_t all = (size_t)s->q_heads * s->q_len * s->kv_len;
    l.mask_count = all;
    fill_mask(p->mask, &l, b);
    p->arrays.mask = p->mask;
    if (!from->mask.head) s->mask.head = 0;
    if (!from->mask.row) s->mask.row = 0;
    FUZZ_FENCE(p->mask, all);
  }
  FUZZ_FENCE(p->q, l.count[FUZZ_Q]);
  FUZZ_FENCE(p->k, l.count[FUZZ_K]);
  FUZZ_FENCE(p->v, l.count[FUZZ_V]);
}

/* --- failures ------------------------------------------------------------------------------- */

static void print_shape(const fuzz_problem *p) {
  const attest_shape *s = &p->shape;
  fprintf(stderr,
          "; %s B %zu H %zu/%zu S %zu/%zu D %zu/%zu scale %d %a softcap %a causal %d window %d %ld,%ld"
          " offset %ld end %d lengths %d mask %d bias %d tile %zu",
          p->wide ? "f64" : "f32", s->batch, s->q_heads, s->kv_heads, s->q_len, s->kv_len, s->width,
          s->value_width, s->scale_given, s->scale, s->softcap, s->causal, s->window, (long)s->left,
          (long)s->right, (long)s->offset, s->align_end, s->key_lengths != NULL,
          p->f64.mask != NULL, p->f64.bias != NULL, p->tile);
}

void fuzz_fail(const fuzz_problem *p, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("attest: ", stderr);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  if (p) print_shape(p);
  fputc('\n', stderr);
  abort();
}
