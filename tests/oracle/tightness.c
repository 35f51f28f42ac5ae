/* How tight the bounds of proofs/bounds.md are: the allowance over the largest error seen, for ref/
   in float and double, as a Markdown table. Two numbers a cell: over rows made to be bad, and over
   random ones. Exit 1 if an error exceeds its allowance.

     tightness [KEYS]

   The largest number of keys to try; 65536. The bad rows make every rounding go the same way: a
   number of half a unit in the last place, added to one whose last bit is even, is swallowed. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../unit/bound_check.h"
#include "attest.h"

enum { VALUES = 2, WEIGHTS_SEEN = 64 };
enum { SUMS, SCORES, ONE_SCORE, BAD, UNIFORM = BAD, EQUAL, FAMILIES };

typedef struct {
  attest_shape shape;
  double *q, *k, *v;
  double u; /* of the engine */
} problem_row;

/* Marsaglia's 64-bit xorshift, as a float in (-1, 1). */
static double draw_float(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return ldexp((double)(*state >> 40) - 0x1p23, -23);
}

/* A float for the engine in float, so that its inputs are exact. */
static double number(const problem_row *r, double x) {
  return r->u > 0x1p-30 ? (double)(float)x : x;
}

/* Key 0 has weight 1, all others just under u, and every sum stays what it was after key 0: that of
   the weights 1, that of the values 1.5. */
static void make_sums(problem_row *r) {
  const attest_shape *s = &r->shape;
  const double score = log(r->u) * (1 + 16 * r->u);
  r->q[0] = 1;
  for (size_t j = 0; j < s->kv_len; j++) {
    r->k[j * s->width] = j ? number(r, score * sqrt((double)s->width)) : 0;
    r->v[j * VALUES] = j ? -1 : 1.5;
    r->v[j * VALUES + 1] = j ? -0.5 : 1.25;
  }
}

/* A dot product of 1 and d - 1 products of half its last place, all swallowed: up or down. */
static void make_score(problem_row *r, size_t j, int up) {
  double *k = r->k + j * r->shape.width;
  k[0] = 1 + 4 * r->u;
  for (size_t c = 1; c < r->shape.width; c++) k[c] = up ? r->u : -r->u;
}

static void make_scores(problem_row *r, int alternate) {
  attest_shape *s = &r->shape;
  s->scale_given = 1;
  s->scale = 64;
  for (size_t c = 0; c < s->width; c++) r->q[c] = 1;
  for (size_t j = 0; j < s->kv_len; j++) {
    make_score(r, j, alternate ? j % 2 == 0 : j == 0);
    r->v[j * VALUES] = (alternate ? j % 2 == 0 : j == 0) ? 1 : -1;
    r->v[j * VALUES + 1] = 1;
  }
}

static void make_random(problem_row *r, int equal, uint64_t *state) {
  const attest_shape *s = &r->shape;
  for (size_t c = 0; c < s->width; c++) r->q[c] = equal ? 1 : 3 * draw_float(state);
  for (size_t n = 0; n < s->kv_len * s->width; n++)
    r->k[n] = equal ? number(r, 1.1) : number(r, 3 * draw_float(state));
  for (size_t n = 0; n < s->kv_len * VALUES; n++)
    r->v[n] = equal ? (n % VALUES ? 1 : number(r, 1.7)) : draw_float(state);
}

static void make(problem_row *r, int family, uint64_t *state) {
  attest_shape *s = &r->shape;
  s->scale_given = 0;
  for (size_t c = 0; c < s->width; c++) r->q[c] = 0;
  for (size_t n = 0; n < s->kv_len * s->width; n++) r->k[n] = 0;
  switch (family) {
    case SUMS: make_sums(r); break;
    case SCORES: make_scores(r, 1); break;
    case ONE_SCORE: make_scores(r, 0); break;
    default: make_random(r, family == EQUAL, state); break;
  }
}

static void *memory(size_t count, size_t size) {
  void *p = malloc(count * size);
  if (!p) {
    fputs("tightness: not enough memory\n", stderr);
    exit(2);
  }
  return p;
}

static float *floats(const double *x, size_t n) {
  float *y = memory(n, sizeof *y);
  for (size_t i = 0; i < n; i++) y[i] = (float)x[i];
  return y;
}

static void run_float(const problem_row *r, double *out, double *weights, double *lse) {
  const attest_shape *s = &r->shape;
  const size_t n = s->kv_len, count = attest_scratch_f32(s, ATTEST_NAIVE, ATTEST_DEFAULT_TILE);
  float *q = floats(r->q, s->width), *k = floats(r->k, n * s->width), *v = floats(r->v, n * VALUES);
  float *scratch = memory(count, sizeof *scratch), *w = memory(n, sizeof *w), o[VALUES], l;
  const attest_arrays_f32 a = {.q = q, .k = k, .v = v, .out = o, .weights = w, .lse = &l};
  if (attest_attention_f32(s, &a, ATTEST_NAIVE, ATTEST_DEFAULT_TILE, scratch, count) != ATTEST_OK)
    exit(2);
  for (size_t c = 0; c < VALUES; c++) out[c] = (double)o[c];
  for (size_t j = 0; j < n; j++) weights[j] = (double)w[j];
  *lse = (double)l;
  free(q);
  free(k);
  free(v);
  free(scratch);
  free(w);
}

static void run_double(const problem_row *r, double *out, double *weights, double *lse) {
  const attest_shape *s = &r->shape;
  const size_t count = attest_scratch_f64(s, ATTEST_NAIVE, ATTEST_DEFAULT_TILE);
  double *scratch = memory(count, sizeof *scratch);
  const attest_arrays_f64 a = {
      .q = r->q, .k = r->k, .v = r->v, .out = out, .weights = weights, .lse = lse};
  if (attest_attention_f64(s, &a, ATTEST_NAIVE, ATTEST_DEFAULT_TILE, scratch, count) != ATTEST_OK)
    exit(2);
  free(scratch);
}

/* Returns how many errors exceed their allowance; the shares used go to bad and random. */
static size_t measure(problem_row *r, int wide, uint64_t *state, check_tally *bad,
                      check_tally *random) {
  const attest_format format = wide ? ATTEST_FORMAT_F64 : ATTEST_FORMAT_F32;
  const attest_claim claim = attest_claim_engine(format, format);
  const size_t n = r->shape.kv_len;
  double *weights = memory(n, sizeof *weights), out[VALUES], lse;
  r->u = claim.accum.u;
  for (int family = 0; family < FAMILIES; family++) {
    const attest_arrays_f64 inputs = {.q = r->q, .k = r->k, .v = r->v};
    check_row row;
    make(r, family, state);
    if (wide)
      run_double(r, out, weights, &lse);
    else
      run_float(r, out, weights, &lse);
    check_open(&row, &r->shape, &inputs, 0);
    check_results(family < BAD ? bad : random, &row, &claim, 0, out, weights, &lse, ATTEST_BASE_E,
                  n / WEIGHTS_SEEN);
    check_close(&row);
  }
  free(weights);
  return bad->wrong + random->wrong;
}

int main(int argc, char **argv) {
  static const size_t keys[] = {128, 1024, 65536}, widths[] = {64, 128};
  const size_t most = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 65536;
  uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
  size_t wrong = 0;
  puts("Allowance over the largest error: rows made to be bad (random rows)\n");
  puts("| keys | width | engine | output | weights | row sum | log-sum-exp |");
  puts("|---|---|---|---|---|---|---|");
  for (int n = 0; n < 3 && keys[n] <= most; n++) {
    for (int w = 0; w < 2; w++) {
      problem_row r = {{0}, NULL, NULL, NULL, 0};
      attest_shape *s = &r.shape;
      s->batch = s->q_heads = s->kv_heads = s->q_len = 1;
      s->kv_len = keys[n];
      s->width = widths[w];
      s->value_width = VALUES;
      attest_layout_bhsd(s);
      r.q = memory(s->width, sizeof *r.q);
      r.k = memory(s->kv_len * s->width, sizeof *r.k);
      r.v = memory(s->kv_len * VALUES, sizeof *r.v);
      for (int wide = 0; wide < 2; wide++) {
        check_tally bad = {{0}, {0}, 0, {0}, "bad"}, random = {{0}, {0}, 0, {0}, "random"};
        wrong += measure(&r, wide, &state, &bad, &random);
        printf("| %zu | %zu | %s |", keys[n], widths[w], wide ? "f64" : "f32");
        for (int p = 0; p < CHECK_PARTS; p++)
          printf(" %.2f (%.0f) |", 1 / bad.used[p], 1 / random.used[p]);
        puts("");
        fflush(stdout);
      }
      free(r.q);
      free(r.k);
      free(r.v);
    }
  }
  printf("\n%s tightness: %zu errors exceed their allowance\n", wrong ? "FAIL" : "ok", wrong);
  mpfr_free_cache();
  return wrong ? 1 : 0;
}
