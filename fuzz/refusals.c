/* A good problem with one thing wrong, for every thing that attest.h and attest_q16.h name: the status
   they state, from ref/ in float and double, a part, and fixed/ with its cache and one-pass form. */
#include <math.h>
#include <string.h>

#include "target.h"

const fuzz_format fuzz_target_format = FUZZ_EITHER;

enum { SCRATCH = 32768, OUT = 8 * FUZZ_ELEMENTS, SCRATCH_Q16 = ATTEST_Q16_TILED_SCRATCH(130, FUZZ_WIDTH) + 3 * FUZZ_LONG };

static void expect(const fuzz_problem *p, const char *what, size_t number, int status, int want) {
  if (status != want) fuzz_fail(p, "%s, wrong thing %zu: status %d, not %d", what, number, status, want);
}

/* --- ref/ ----------------------------------------------------------------------------------- */

typedef struct {
  attest_shape shape;
  size_t tile;
  int engine;
  size_t less; /* scratch than is asked for */
  int no_q, no_k, no_v, no_scratch;
} request;

static void leave_out(const request *r, attest_arrays_f64 *a, attest_arrays_f32 *b) {
  if (r->no_q) {
    a->q = NULL;
    b->q = NULL;
  }
  if (r->no_k) {
    a->k = NULL;
    b->k = NULL;
  }
  if (r->no_v) {
    a->v = NULL;
    b->v = NULL;
  }
}

static attest_status ask(const fuzz_problem *p, const request *r, size_t need) {
  static double scratch64[SCRATCH], out64[OUT];
  static float scratch32[SCRATCH], out32[OUT];
  attest_arrays_f64 a = p->f64;
  attest_arrays_f32 b = p->f32;
  a.out = out64;
  b.out = out32;
  leave_out(r, &a, &b);
  return p->wide ? attest_attention_f64(&r->shape, &a, (attest_engine)r->engine, r->tile,
                                        r->no_scratch ? NULL : scratch64, need - r->less)
                 : attest_attention_f32(&r->shape, &b, (attest_engine)r->engine, r->tile,
                                        r->no_scratch ? NULL : scratch32, need - r->less);
}

static attest_status ask_part(const fuzz_problem *p, const request *r, size_t i) {
  static double scratch64[FUZZ_LONG], acc64[FUZZ_WIDTH];
  static float scratch32[FUZZ_LONG], acc32[FUZZ_WIDTH];
  attest_partial_f64 part64;
  attest_partial_f32 part32;
  attest_arrays_f64 a = p->f64;
  attest_arrays_f32 b = p->f32;
  leave_out(r, &a, &b);
  return p->wide ? attest_part_f64(&r->shape, &a, 0, 0, i, 0, 1, &part64, acc64,
                                   r->no_scratch ? NULL : scratch64, r->shape.kv_len - r->less)
                 : attest_part_f32(&r->shape, &b, 0, 0, i, 0, 1, &part32, acc32,
                                   r->no_scratch ? NULL : scratch32, r->shape.kv_len - r->less);
}

/* Makes one thing of the request wrong: the status that is due, ATTEST_OK after the last. */
static attest_status spoil(request *r, size_t number) {
  static size_t lengths[FUZZ_BATCHES];
  attest_shape *s = &r->shape;
  switch (number) {
    case 0: r->no_q = 1; return ATTEST_NULL;
    case 1: r->no_k = 1; return ATTEST_NULL;
    case 2: r->no_v = 1; return ATTEST_NULL;
    case 3: r->no_scratch = 1; return ATTEST_NULL;
    case 4: s->q_heads = 0; return ATTEST_SHAPE;
    case 5: s->kv_heads = 0; return ATTEST_SHAPE;
    case 6: s->width = 0; return ATTEST_SHAPE;
    case 7: s->value_width = 0; return ATTEST_SHAPE;
    case 8: s->batch = ATTEST_MAX_BATCH + 1; return ATTEST_LIMIT;
    case 9: s->q_heads = ATTEST_MAX_HEADS + 1; return ATTEST_LIMIT;
    case 10: s->q_len = ATTEST_MAX_KEYS + 1; return ATTEST_LIMIT;
    case 11: s->kv_len = ATTEST_MAX_KEYS + 1; return ATTEST_LIMIT;
    case 12: s->width = ATTEST_MAX_WIDTH + 1; return ATTEST_LIMIT;
    case 13: s->value_width = ATTEST_MAX_WIDTH + 1; return ATTEST_LIMIT;
    case 14: s->kv_heads = s->q_heads + 1; return ATTEST_HEADS;
    case 15: s->scale_given = 1; s->scale = (double)NAN; return ATTEST_NUMBER;
    case 16: s->softcap = -1; return ATTEST_NUMBER;
    case 17: s->softcap = (double)INFINITY; return ATTEST_NUMBER;
    case 18: s->offset = ATTEST_MAX_REACH + INT64_C(1); return ATTEST_REACH;
    case 19: s->offset = -ATTEST_MAX_REACH - INT64_C(1); return ATTEST_REACH;
    case 20: s->window = 1; s->left = -2; s->right = -1; return ATTEST_REACH;
    case 21: s->window = 1; s->left = -1; s->right = -2; return ATTEST_REACH;
    case 22: s->window = 1; s->left = ATTEST_MAX_REACH + INT64_C(1); return ATTEST_REACH;
    case 23: s->window = 1; s->right = ATTEST_MAX_REACH + INT64_C(1); return ATTEST_REACH;
    case 24:
      for (size_t b = 0; b < FUZZ_BATCHES; b++) lengths[b] = s->kv_len + 1;
      s->key_lengths = lengths;
      return ATTEST_REACH;
    case 25: r->less = 1; return ATTEST_SCRATCH;
    case 26: r->tile = 0; return ATTEST_ENGINE;
    case 27: r->tile = ATTEST_MAX_TILE + 1; return ATTEST_ENGINE;
    case 28: r->engine = 3; return ATTEST_ENGINE;
    default: return ATTEST_OK;
  }
}

/* The strides of an output in an order of nesting, wider by a gap, and then one of them by one less. Rows
   are apart if, smallest stride first, each is no less than what is inside it extends to. */
static void check_strides(const fuzz_problem *p, const request *good, size_t need, unsigned choice) {
  static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const int *const order = orders[choice % 6];
  const size_t gap = choice / 6 % 3, less = choice / 18 % 4;
  request r = *good;
  const size_t counts[3] = {r.shape.q_len, r.shape.q_heads, r.shape.batch};
  size_t *const strides[3] = {&r.shape.out.row, &r.shape.out.head, &r.shape.out.batch};
  size_t extent = r.shape.value_width;
  int apart = 1;
  for (int n = 0; n < 3; n++) {
    *strides[order[n]] = extent + gap;
    extent += (counts[order[n]] - 1) * (extent + gap);
  }
  if (less < 3) *strides[less] -= 1;
  for (int n = 0; n < 3 && choice >= 72; n++) /* a stride that is used once does not matter */
    if (counts[n] == 1) *strides[n] = 0;
  for (int n = 0; n < 3; n++) {
    size_t inside = r.shape.value_width;
    for (int m = 0; m < 3; m++)
      if (m != n && counts[m] > 1 && *strides[m] <= *strides[n])
        inside += (counts[m] - 1) * *strides[m];
    if (counts[n] > 1 && *strides[n] < inside) apart = 0;
  }
  if (extent <= OUT)
    expect(p, "strides", choice, (int)ask(p, &r, need), apart ? ATTEST_OK : ATTEST_SHAPE);
}

static void check_ref(fuzz_problem *p) {
  request good, bad;
  size_t need;
  attest_status want;
  p->shape.scale_given = 0;
  p->shape.softcap = 0;
  if (p->shape.q_len == 0 || p->shape.kv_len == 0) return;
  memset(&good, 0, sizeof good);
  good.shape = p->shape;
  good.tile = p->tile;
  good.engine = (int)(p->extra[0] % 3);
  need = p->wide ? attest_scratch_f64(&p->shape, (attest_engine)good.engine, p->tile)
                 : attest_scratch_f32(&p->shape, (attest_engine)good.engine, p->tile);
  expect(p, "attention", 0, need <= SCRATCH ? (int)ask(p, &good, need) : -1, ATTEST_OK);
  expect(p, "part", 0, (int)ask_part(p, &good, 0), ATTEST_OK);
  expect(p, "part", 1, (int)ask_part(p, &good, good.shape.q_len), ATTEST_LIMIT);
  for (unsigned choice = 0; choice < 144; choice++) check_strides(p, &good, need, choice);
  for (size_t number = 0; bad = good, want = spoil(&bad, number), want != ATTEST_OK; number++) {
    expect(p, "attention", number, (int)ask(p, &bad, need), (int)want);
    if (want != ATTEST_ENGINE) expect(p, "part", number, (int)ask_part(p, &bad, 0), (int)want);
  }
}

/* Layouts are dense in the order of their names; sizes beyond the limits change nothing. */
static void check_layouts(const fuzz_problem *p) {
  const attest_shape *s = &p->shape;
  attest_shape rows = *s, heads = *s, beyond;
  expect(p, "layout", 0, (int)attest_layout_bhsd(&rows), ATTEST_OK);
  expect(p, "layout", 1, (int)attest_layout_bshd(&heads), ATTEST_OK);
  if (rows.k.row != s->width || rows.k.head != s->kv_len * s->width ||
      rows.k.batch != s->kv_heads * s->kv_len * s->width || heads.k.head != s->width ||
      heads.k.row != s->kv_heads * s->width || heads.k.batch != rows.k.batch ||
      rows.out.head != s->q_len * s->value_width || heads.out.row != s->q_heads * s->value_width ||
      rows.q.head != s->q_len * s->width || heads.q.row != s->q_heads * s->width ||
      rows.v.head != s->kv_len * s->value_width || heads.v.row != s->kv_heads * s->value_width)
    fuzz_fail(p, "a layout is not dense");
  memcpy(&beyond, s, sizeof beyond); /* with what lies between the members, for memcmp */
  beyond.width = ATTEST_MAX_WIDTH + 1;
  memcpy(&rows, &beyond, sizeof rows);
  memcpy(&heads, &beyond, sizeof heads);
  expect(p, "layout", 2, (int)attest_layout_bhsd(&rows), ATTEST_LIMIT);
  expect(p, "layout", 3, (int)attest_layout_bshd(&heads), ATTEST_LIMIT);
  if (memcmp(&rows, &beyond, sizeof rows) != 0 || memcmp(&heads, &beyond, sizeof heads) != 0)
    fuzz_fail(p, "a layout is refused and changes strides");
}

/* Pointers that no problem may lack, and a cache of rows. */
static void check_missing(const fuzz_problem *p) {
  float cache[2] = {0, 0}, row = 1;
  size_t length = 0;
  attest_q16_shape fixed;
  expect(p, "missing", 0, (int)attest_layout_bhsd(NULL), ATTEST_NULL);
  expect(p, "missing", 1, (int)attest_layout_bshd(NULL), ATTEST_NULL);
  expect(p, "missing", 2, (int)attest_attention_f32(NULL, &p->f32, ATTEST_NAIVE, 1, cache, 2),
         ATTEST_NULL);
  expect(p, "missing", 3, (int)attest_attention_f32(&p->shape, NULL, ATTEST_NAIVE, 1, cache, 2),
         ATTEST_NULL);
  expect(p, "missing", 4, (int)attest_append_f32(NULL, 2, 1, &length, &row, 1), ATTEST_NULL);
  expect(p, "missing", 5, (int)attest_append_f32(cache, 2, 1, NULL, &row, 1), ATTEST_NULL);
  expect(p, "missing", 6, (int)attest_append_f32(cache, 2, 1, &length, NULL, 1), ATTEST_NULL);
  expect(p, "append", 0, (int)attest_append_f32(cache, 2, 1, &length, &row, 1), ATTEST_OK);
  expect(p, "append", 1, (int)attest_append_f32(cache, 2, 1, &length, cache, 2), ATTEST_LIMIT);
  if (length != 1 || !(cache[0] > 0) || cache[1] > 0) fuzz_fail(p, "attest_append: another cache");
  expect(p, "missing", 7, (int)attest_q16_layout(NULL), ATTEST_Q16_NULL);
  memset(&fixed, 0, sizeof fixed);
  fixed.width = ATTEST_Q16_MAX_WIDTH + 1;
  expect(p, "q16 layout", 0, (int)attest_q16_layout(&fixed), ATTEST_Q16_LIMIT);
}

/* --- fixed/ --------------------------------------------------------------------------------- */

typedef struct {
  attest_q16_shape shape;
  attest_q16_arrays arrays;
  uint32_t less;
  int no_scratch;
} request_q16;

static attest_q16_status ask_q16(const request_q16 *r, uint32_t tile) {
  static uint64_t scratch[SCRATCH_Q16];
  const uint32_t need = tile > 0 ? ATTEST_Q16_TILED_SCRATCH(tile, r->shape.value_width)
                                 : ATTEST_Q16_NAIVE_SCRATCH(r->shape.kv_len);
  uint64_t *const words = r->no_scratch ? NULL : scratch;
  return tile > 0 ? attest_q16_tiled(&r->shape, &r->arrays, tile, words, need - r->less)
                  : attest_q16_naive(&r->shape, &r->arrays, words, need - r->less);
}

static attest_q16_status spoil_q16(request_q16 *r, size_t number) {
  const int32_t beyond = ATTEST_Q16_MAX_REACH + 1;
  attest_q16_shape *s = &r->shape;
  switch (number) {
    case 0: r->arrays.q = NULL; return ATTEST_Q16_NULL;
    case 1: r->arrays.k = NULL; return ATTEST_Q16_NULL;
    case 2: r->arrays.v = NULL; return ATTEST_Q16_NULL;
    case 3: r->arrays.out = NULL; return ATTEST_Q16_NULL;
    case 4: r->no_scratch = 1; return ATTEST_Q16_NULL;
    case 5: s->q_heads = 0; return ATTEST_Q16_SHAPE;
    case 6: s->kv_heads = 0; return ATTEST_Q16_SHAPE;
    case 7: s->width = 0; return ATTEST_Q16_SHAPE;
    case 8: s->value_width = 0; return ATTEST_Q16_SHAPE;
    case 9: s->kv_heads = s->q_heads + 1; return ATTEST_Q16_SHAPE;
    case 10: s->q_heads = ATTEST_Q16_MAX_HEADS + 1; return ATTEST_Q16_LIMIT;
    case 11: s->q_len = ATTEST_Q16_MAX_KEYS + 1; return ATTEST_Q16_LIMIT;
    case 12: s->kv_len = ATTEST_Q16_MAX_KEYS + 1; return ATTEST_Q16_LIMIT;
    case 13: s->width = ATTEST_Q16_MAX_WIDTH + 1; return ATTEST_Q16_LIMIT;
    case 14: s->value_width = ATTEST_Q16_MAX_WIDTH + 1; return ATTEST_Q16_LIMIT;
    case 15: s->scale.exponent = -16; return ATTEST_Q16_SCALE;
    case 16: s->scale.exponent = -65; return ATTEST_Q16_SCALE;
    case 17: s->key_length = s->kv_len + 1; return ATTEST_Q16_REACH;
    case 18: s->offset = beyond; return ATTEST_Q16_REACH;
    case 19: s->offset = -beyond; return ATTEST_Q16_REACH;
    case 20: s->window = 1; s->left = -2; s->right = -1; return ATTEST_Q16_REACH;
    case 21: s->window = 1; s->left = -1; s->right = -2; return ATTEST_Q16_REACH;
    case 22: s->window = 1; s->left = beyond; return ATTEST_Q16_REACH;
    case 23: s->window = 1; s->right = beyond; return ATTEST_Q16_REACH;
    case 24: r->less = 1; return ATTEST_Q16_SCRATCH;
    default: return ATTEST_Q16_OK;
  }
}

static void check_q16(fuzz_q16 *p) {
  static int32_t out[FUZZ_ELEMENTS];
  request_q16 good, bad;
  attest_q16_status want;
  memset(&good, 0, sizeof good);
  p->arrays.out = out;
  p->shape.scale = attest_q16_default_scale(p->shape.width);
  p->shape.offset = 0;
  good.shape = p->shape;
  good.arrays = p->arrays;
  for (uint32_t tile = 0; tile <= p->tile; tile += p->tile) {
    expect(NULL, "q16", 0, (int)ask_q16(&good, tile), ATTEST_Q16_OK);
    for (size_t number = 0; bad = good, want = spoil_q16(&bad, number), want != ATTEST_Q16_OK; number++)
      expect(NULL, "q16", number, (int)ask_q16(&bad, tile), (int)want);
  }
}

static void check_cache(const fuzz_q16 *p) {
  static int32_t keys[FUZZ_ELEMENTS], values[FUZZ_ELEMENTS], out[FUZZ_ELEMENTS];
  static uint64_t scratch[SCRATCH_Q16];
  const attest_q16_shape *s = &p->shape;
  const attest_q16_cache good = {keys, values, s->kv_heads, 2, 1, s->width, s->value_width};
  uint32_t before;
  for (size_t number = 0; number < 14; number++) {
    attest_q16_cache c = good;
    attest_q16_status want = ATTEST_Q16_LIMIT;
    switch (number) {
      case 0: want = ATTEST_Q16_OK; break;
      case 1: c.k = NULL; want = ATTEST_Q16_NULL; break;
      case 2: c.v = NULL; want = ATTEST_Q16_NULL; break;
      case 3: c.kv_heads = 0; break;
      case 4: c.kv_heads = ATTEST_Q16_MAX_HEADS + 1; break;
      case 5: c.capacity = 0; c.length = 0; break;
      case 6: c.capacity = ATTEST_Q16_MAX_KEYS + 1; break;
      case 7: c.length = 3; break;
      case 8: c.width = 0; break;
      case 9: c.width = ATTEST_Q16_MAX_WIDTH + 1; break;
      case 10: c.value_width = 0; break;
      case 11: c.value_width = ATTEST_Q16_MAX_WIDTH + 1; break;
      case 12: c.width = UINT32_MAX; break;
      default: /* more than 2^32 elements */
        c.kv_heads = ATTEST_Q16_MAX_HEADS;
        c.capacity = ATTEST_Q16_MAX_KEYS;
        break;
    }
    expect(NULL, "q16 decode", number,
           (int)attest_q16_decode(&c, p->q, s->q_heads, s->scale, -1, out, 1, scratch, SCRATCH_Q16),
           (int)want);
    before = c.length;
    expect(NULL, "q16 append", number, (int)attest_q16_append(&c, p->k, p->v), (int)want);
    if (c.length != before + (want == ATTEST_Q16_OK ? 1 : 0))
      fuzz_fail(NULL, "q16 append, wrong thing %zu: length %lu, then %lu", number,
                (unsigned long)before, (unsigned long)c.length);
  }
}

static void check_stream(const fuzz_q16 *p) {
  static attest_q16_column columns[FUZZ_WIDTH];
  static int32_t out[FUZZ_WIDTH];
  const attest_q16_shape *s = &p->shape;
  attest_q16_stream state;
  expect(NULL, "q16 stream's start", 0,
         (int)attest_q16_stream_start(NULL, columns, s->value_width), ATTEST_Q16_NULL);
  expect(NULL, "q16 stream's start", 1,
         (int)attest_q16_stream_start(&state, NULL, s->value_width), ATTEST_Q16_NULL);
  attest_q16_stream_start(&state, columns, s->value_width);
  for (size_t number = 0; number < 12; number++) {
    const uint32_t width = number == 6 ? 0 : number == 7 ? ATTEST_Q16_MAX_WIDTH + 1 : s->width;
    const uint32_t value_width =
        number == 8 ? 0 : number == 9 ? ATTEST_Q16_MAX_WIDTH + 1 : s->value_width;
    attest_q16_scale scale = s->scale;
    const attest_q16_status want = number == 0                  ? ATTEST_Q16_OK
                                   : number < 6                 ? ATTEST_Q16_NULL
                                   : number == 6 || number == 8 ? ATTEST_Q16_SHAPE
                                   : number < 10                ? ATTEST_Q16_LIMIT
                                                                : ATTEST_Q16_SCALE;
    if (number == 10) scale.exponent = -16;
    if (number == 11) scale.exponent = -65;
    expect(NULL, "q16 stream", number,
           (int)attest_q16_stream_add(number == 1 ? NULL : &state, number == 2 ? NULL : columns,
                                      number == 3 ? NULL : p->q, number == 4 ? NULL : p->k, width,
                                      number == 5 ? NULL : p->v, value_width, scale),
           (int)want);
  }
  for (size_t number = 0; number < 4; number++)
    expect(NULL, "q16 stream's output", number,
           (int)attest_q16_stream_output(number == 1 ? NULL : &state, number == 2 ? NULL : columns,
                                         s->value_width, number == 3 ? NULL : out),
           number == 0 ? ATTEST_Q16_OK : ATTEST_Q16_NULL);
  state.keys = ATTEST_Q16_MAX_KEYS;
  expect(NULL, "q16 stream", 12,
         (int)attest_q16_stream_add(&state, columns, p->q, p->k, s->width, p->v, s->value_width,
                                    s->scale),
         ATTEST_Q16_LIMIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_problem p;
  static fuzz_q16 fixed;
  fuzz_decode(&p, data, size, FUZZ_EITHER);
  check_layouts(&p);
  check_missing(&p);
  check_ref(&p);
  fuzz_decode_q16(&fixed, data, size);
  if (fixed.shape.q_len == 0 || fixed.shape.kv_len == 0) return 0;
  check_q16(&fixed);
  check_cache(&fixed);
  check_stream(&fixed);
  return 0;
}
