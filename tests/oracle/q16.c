/* fixed/ against the oracle: every output within the derived bound, and within 1 ulp of Q16.16 where
   n <= 4096 and |v| <= 8; every row of weights sums to exactly 65536. Random and adversarial rows.

     q16 [OUTPUTS]   about that many (200000); three quarters within |v| <= 8, a fifth adversarial. No two
                     rows of a problem see the same keys with the same scores

   Prints a line a kind: 'ok ...' or 'FAIL ...', with the largest error seen in ulp. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../fixed/attest_q16.h"
#include "bound.h"
#include "oracle.h"

enum { WIDTH = 4, VALUES = 64, ROWS = 4, MOST_KEYS = 4096 };

static uint64_t state = 1;

static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* Uniform in -size .. size, size below 2^31. */
static int32_t within(int64_t size) {
  return (int32_t)((int64_t)((draw() >> 11) % (uint64_t)(2 * size + 1)) - size);
}

typedef struct {
  uint32_t keys;
  int causal; /* bottom-right: the last row sees all keys, each before it one less */
  int32_t q[ROWS * WIDTH], k[MOST_KEYS * WIDTH], v[MOST_KEYS * VALUES], out[ROWS * VALUES];
  int32_t weights[ROWS * MOST_KEYS];
  double exact_q[ROWS * WIDTH], exact_k[MOST_KEYS * WIDTH], exact_v[MOST_KEYS * VALUES];
  double exact_out[ROWS * VALUES], exact_weights[ROWS * MOST_KEYS];
  attest_enclosure out_enclosure[ROWS * VALUES], weight_enclosure[ROWS * MOST_KEYS];
  uint64_t scratch[ATTEST_Q16_TILED_SCRATCH(64, VALUES)];
} problem;

static void values(problem *p, int64_t size) {
  for (uint32_t n = 0; n < p->keys * VALUES; n++) p->v[n] = within(size);
}

static void queries(problem *p, int64_t size) {
  for (int n = 0; n < ROWS * WIDTH; n++) p->q[n] = within(size);
}

static void keys(problem *p, int64_t size) {
  for (uint32_t n = 0; n < p->keys * WIDTH; n++) p->k[n] = within(size);
}

/* Queries (q, 0, 0, 0) with q nearly 1, another in each row: the score of a key is half its first element,
   times q. */
static void first_only(problem *p) {
  memset(p->q, 0, sizeof p->q);
  memset(p->k, 0, sizeof p->k);
  for (int i = 0; i < ROWS; i++) p->q[i * WIDTH] = 65536 - 512 * i - (int32_t)(draw() % 512);
}

static void random_rows(problem *p) {
  p->keys = 1 + (uint32_t)(draw() % 300);
  queries(p, 2 * 65536);
  keys(p, 2 * 65536);
  values(p, 8 * 65536);
}

static void full_range(problem *p) {
  p->keys = 1 + (uint32_t)(draw() % 300);
  queries(p, 2147483647);
  keys(p, 2147483647);
  values(p, 2147483647);
}

/* Weights of all sizes, and the largest values: what an error of a weight weighs most. */
static void full_range_values(problem *p) {
  random_rows(p);
  values(p, 2147483647);
}

/* One large weight and many tiny ones, all of which pull the same way. */
static void one_large(problem *p) {
  const int32_t below = 65536 * (int32_t)(8 + draw() % 24) + within(65536);
  p->keys = MOST_KEYS;
  first_only(p);
  for (uint32_t j = 1; j < p->keys; j++) p->k[j * WIDTH] = -below + (int32_t)(draw() % 64);
  for (uint32_t n = 0; n < p->keys * VALUES; n++) p->v[n] = 8 * 65536 - (int32_t)(draw() % 32);
  for (int c = 0; c < VALUES; c++) p->v[c] = -8 * 65536 + within(64) + 64;
}

/* Rows differ by what they see. */
static void equal(problem *p) {
  p->keys = ROWS + (uint32_t)(draw() % (MOST_KEYS - ROWS + 1));
  p->causal = 1;
  first_only(p);
  values(p, 8 * 65536);
}

static void slowly_rising(problem *p) {
  const int32_t step = 1 + (int32_t)(draw() % 400);
  p->keys = MOST_KEYS;
  first_only(p);
  for (uint32_t j = 0; j < p->keys; j++) p->k[j * WIDTH] = (int32_t)j * step;
  for (uint32_t n = 0; n < p->keys * VALUES; n++)
    p->v[n] = n / VALUES < p->keys / 2 ? 8 * 65536 - (int32_t)(draw() % 16)
                                       : -8 * 65536 + (int32_t)(draw() % 16);
}

/* Query i is nearly 1 in element i alone, in which one key is far above the others, in each row another:
   at the end of the range, or so far that the rest of the weight is between 2^-2 and 2^-46. */
static void one_hot(problem *p) {
  const int saturating = draw() % 4 == 0;
  p->keys = 5 + (uint32_t)(draw() % 500);
  memset(p->q, 0, sizeof p->q);
  for (int i = 0; i < ROWS; i++) p->q[i * WIDTH + i] = 65536 - (int32_t)(draw() % 512);
  for (int i = 0; i < ROWS; i++) {
    const int32_t below = saturating ? 120 * 65536 : 65536 * (int32_t)(16 + draw() % 50);
    for (uint32_t j = 0; j < p->keys; j++) p->k[j * WIDTH + (uint32_t)i] = -below - within(65536);
  }
  const uint32_t first = (uint32_t)(draw() % p->keys);
  for (uint32_t i = 0; i < ROWS; i++)
    p->k[(first + i) % p->keys * WIDTH + i] = saturating ? 2147483647 : 0;
  values(p, 8 * 65536);
}

static const struct {
  const char *name;
  void (*make)(problem *);
  int weight;       /* of this kind among all outputs, in percent */
  int within_an_ulp; /* n <= 4096 and |v| <= 8 */
} kinds[] = {
    {"random", random_rows, 55, 1},     {"full-range int32", full_range, 20, 0},
    {"full-range values", full_range_values, 5, 0},
    {"one large, many tiny", one_large, 5, 1}, {"equal scores", equal, 5, 1},
    {"slowly rising", slowly_rising, 5, 1},    {"one-hot", one_hot, 5, 1},
};

typedef struct {
  double worst, worst_share, weight;
  size_t outputs, weights, wrong, sums;
} findings;

static void exactly(const int32_t *from, size_t count, double *to) {
  for (size_t n = 0; n < count; n++) to[n] = (double)from[n] / 65536;
}

static void solve(problem *p) {
  attest_q16_shape shape;
  attest_q16_arrays arrays;
  attest_shape s;
  attest_arrays_f64 a;
  attest_status refusal;
  attest_oracle_result r;
  const attest_oracle_options options = {ATTEST_FORMAT_Q16, ATTEST_BASE_E, ATTEST_RUNG_F64};

  memset(&shape, 0, sizeof shape);
  memset(&arrays, 0, sizeof arrays);
  shape.q_heads = shape.kv_heads = 1;
  shape.q_len = ROWS;
  shape.kv_len = p->keys;
  shape.width = WIDTH;
  shape.value_width = VALUES;
  attest_q16_layout(&shape);
  shape.causal = p->causal;
  shape.offset = (int32_t)p->keys - ROWS;
  arrays.q = p->q;
  arrays.k = p->k;
  arrays.v = p->v;
  arrays.out = p->out;
  arrays.weights = p->weights;
  if (attest_q16_tiled(&shape, &arrays, 64, p->scratch, sizeof p->scratch / sizeof *p->scratch) !=
      ATTEST_Q16_OK)
    exit(2);

  exactly(p->q, ROWS * WIDTH, p->exact_q);
  exactly(p->k, p->keys * WIDTH, p->exact_k);
  exactly(p->v, p->keys * VALUES, p->exact_v);
  memset(&s, 0, sizeof s);
  memset(&a, 0, sizeof a);
  memset(&r, 0, sizeof r);
  s.batch = s.q_heads = s.kv_heads = 1;
  s.q_len = ROWS;
  s.kv_len = p->keys;
  s.width = WIDTH;
  s.value_width = VALUES;
  attest_layout_bhsd(&s);
  s.causal = p->causal;
  s.offset = (int32_t)p->keys - ROWS;
  a.q = p->exact_q;
  a.k = p->exact_k;
  a.v = p->exact_v;
  r.out.value = p->exact_out;
  r.out.enclosure = p->out_enclosure;
  r.weights.value = p->exact_weights;
  r.weights.enclosure = p->weight_enclosure;
  if (attest_oracle_rows(&s, &a, 0, 0, 0, ROWS, &options, &r, &refusal) != ATTEST_ORACLE_OK) exit(2);
}

/* The largest distance of a number from the numbers of an enclosure. */
static double away(double x, attest_enclosure e) {
  return (fabs(x - e.high) + fabs(e.low) + e.radius) * (1 + 0x1p-50);
}

/* How many keys, the first, row i sees. */
static uint32_t seen_by(const problem *p, int i) {
  return p->causal ? p->keys - ROWS + 1 + (uint32_t)i : p->keys;
}

static void judge_output(const problem *p, int i, int c, int within_an_ulp, findings *f) {
  const uint32_t seen = seen_by(p, i);
  const double got = (double)p->out[i * VALUES + c] / 65536;
  const double error = away(got, p->out_enclosure[i * VALUES + c]);
  double least = INFINITY, most = -INFINITY, allowed;
  for (uint32_t j = 0; j < seen; j++) {
    least = fmin(least, p->exact_v[j * VALUES + (uint32_t)c]);
    most = fmax(most, p->exact_v[j * VALUES + (uint32_t)c]);
  }
  allowed = attest_bound_q16_output(seen, most - least);
  f->outputs++;
  if (!(error <= allowed) || (within_an_ulp && !(error <= 0x1p-16)) || got < least || got > most)
    f->wrong++;
  f->worst = fmax(f->worst, error * 65536);
  f->worst_share = fmax(f->worst_share, error / allowed);
}

static void judge_weights(const problem *p, int i, findings *f) {
  int64_t sum = 0;
  for (uint32_t j = 0; j < p->keys; j++) {
    const size_t at = (size_t)i * p->keys + j;
    const double error = away((double)p->weights[at] / 65536, p->weight_enclosure[at]);
    sum += p->weights[at];
    f->weights++;
    if (!(error <= attest_bound_q16_weight(seen_by(p, i)))) f->wrong++;
    f->weight = fmax(f->weight, error * 65536);
  }
  if (sum != 65536) f->sums++;
}

static void judge(const problem *p, int within_an_ulp, findings *f) {
  for (int i = 0; i < ROWS; i++) {
    for (int c = 0; c < VALUES; c++) judge_output(p, i, c, within_an_ulp, f);
    judge_weights(p, i, f);
  }
}

int main(int argc, char **argv) {
  const double outputs = argc > 1 ? strtod(argv[1], NULL) : 200000;
  problem *p = malloc(sizeof *p);
  int failed = 0;

  if (p == NULL) return 2;
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    findings f;
    memset(&f, 0, sizeof f);
    while ((double)f.outputs < outputs * kinds[k].weight / 100) {
      p->causal = 0;
      kinds[k].make(p);
      solve(p);
      judge(p, kinds[k].within_an_ulp, &f);
    }
    failed |= f.wrong > 0 || f.sums > 0;
    printf("%s q16, %s: %zu outputs, at most %.4f ulp, %.3f of the bound; %zu weights, at most %.4f ulp; "
           "%zu beyond a bound, %zu row sums not 65536\n",
           f.wrong > 0 || f.sums > 0 ? "FAIL" : "ok", kinds[k].name, f.outputs, f.worst, f.worst_share,
           f.weights, f.weight, f.wrong, f.sums);
  }
  free(p);
  return failed;
}
