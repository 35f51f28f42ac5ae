/* Attention as a textbook writes it, in long double and row by row, and how far ref/ may be from
   it. Shares no code with ref/: the exponential, tanh and logarithm are libm's. For finite inputs
   whose scores stay far from overflow. */
#ifndef TESTS_TEXTBOOK_H
#define TESTS_TEXTBOOK_H

#include <float.h>

#include "bound.h"
#include "trial.h"

typedef long double wide;

typedef struct {
  size_t seen;                  /* visible keys */
  wide *score;                  /* s_ij */
  attest_score_size *size;      /* what the bound asks of s_ij */
  wide *weight, *weight_allow;  /* kv_len of each */
  wide *out, *out_allow;        /* value_width of each */
  wide lse, lse_allow;
  wide highest, lowest;         /* visible scores in base 2 */
  wide largest, smallest;       /* |v| of visible values; smallest: of those that are not 0 */
  unsigned char *visible;
} book;

static inline wide *wides(size_t count) { return memory(count * sizeof(wide)); }

static inline void book_make(const attest_shape *s, book *k) {
  k->score = wides(s->kv_len);
  k->size = memory(s->kv_len * sizeof *k->size);
  k->weight = wides(s->kv_len);
  k->weight_allow = wides(s->kv_len);
  k->out = wides(s->value_width);
  k->out_allow = wides(s->value_width);
  k->visible = memory(s->kv_len);
}

static inline void book_free(book *k) {
  free(k->score);
  free(k->size);
  free(k->weight);
  free(k->weight_allow);
  free(k->out);
  free(k->out_allow);
  free(k->visible);
}

/* The textbook's own arithmetic as a claim: ref/'s steps with the unit roundoff of long double, and
   libm's functions taken to 4 ulps. */
static inline attest_claim book_claim(void) {
  const double u = 0x1p-64;
  attest_claim c = attest_claim_engine(ATTEST_FORMAT_F64, ATTEST_FORMAT_F64);
  c.accum.u = u;
  c.scale_error = c.plain_error = c.cap_error = c.base_error = 16 * u;
  c.shift_error = 2 * u;
  c.exp_error = c.log_error = 8 * u;
  return c;
}

/* The allowances of a row under a claim, added to what is there. */
static inline void book_add(const problem *p, size_t b, size_t h, const attest_claim *claim,
                            book *k) {
  const attest_shape *s = &p->shape;
  const size_t kv_head = h / (s->q_heads / s->kv_heads);
  const attest_bound_problem bound = {s->width,
      fabs(s->scale_given ? s->scale : 1 / sqrt((double)s->width)) * (1 + 0x1p-50), s->softcap,
      p->bias != NULL};
  attest_score_error *e = memory(s->kv_len * sizeof *e);
  attest_row_error row;
  double most = 0;
  attest_bound_row_start(&row);
  for (size_t j = 0; j < s->kv_len; j++)
    if (k->visible[j] && k->size[j].score > most) most = k->size[j].score;
  for (size_t j = 0; j < s->kv_len; j++) {
    if (!k->visible[j]) continue;
    e[j] = attest_bound_score(claim, &bound, k->size[j], most, 0);
    attest_bound_row_add(&row, e[j], (double)k->weight[j] * (1 + 0x1p-40),
                         (double)(k->score[j] - k->lse));
  }
  for (size_t c = 0; c < s->value_width && k->seen > 0; c++) {
    attest_column_size column = {0, 0, 0, 0, 0};
    for (size_t j = 0; j < s->kv_len; j++) {
      if (!k->visible[j]) continue;
      const double v = fabs((double)p->v[b * s->v.batch + kv_head * s->v.head + j * s->v.row + c]);
      const double away =
          (double)fabsl(p->v[b * s->v.batch + kv_head * s->v.head + j * s->v.row + c] - k->out[c]) *
          (1 + 0x1p-40);
      const double weight = (double)k->weight[j] * (1 + 0x1p-40);
      const double log_weight = (double)(k->score[j] - k->lse);
      column.moved += attest_bound_share_error(e[j], weight, log_weight) * away;
      column.mean += attest_bound_share(e[j], weight, log_weight) * v;
      if (v > column.largest) column.largest = v;
      if (away > column.spread) column.spread = away;
    }
    column.moved *= ATTEST_BOUND_SLACK / row.kept;
    column.mean *= ATTEST_BOUND_SLACK / row.kept;
    column.output = (double)fabsl(k->out[c]) * (1 + 0x1p-40);
    k->out_allow[c] += attest_bound_output(claim, &row, 0, column);
  }
  for (size_t j = 0; j < s->kv_len; j++)
    if (k->visible[j])
      k->weight_allow[j] += attest_bound_weight(claim, &row, 0, e[j],
                                                (double)k->weight[j] * (1 + 0x1p-40),
                                                (double)(k->score[j] - k->lse));
  if (k->seen > 0) k->lse_allow += attest_bound_lse(claim, &row, 0, (double)fabsl(k->lse));
  free(e);
}

/* How far the results of ref/ may be from the textbook's, for every engine and for parts merged in
   any order: the project's bound (proofs/bounds.md) for ref/, and again for the textbook. */
static inline void book_allow(const problem *p, size_t b, size_t h, book *k) {
  const attest_format format =
      sizeof(real) == sizeof(float) ? ATTEST_FORMAT_F32 : ATTEST_FORMAT_F64;
  const attest_claim ours = attest_claim_engine(format, format), books = book_claim();
  for (size_t c = 0; c < p->shape.value_width; c++) k->out_allow[c] = 0;
  for (size_t j = 0; j < p->shape.kv_len; j++) k->weight_allow[j] = 0;
  k->lse_allow = 0;
  book_add(p, b, h, &ours, k);
  book_add(p, b, h, &books, k);
}

/* Row i of head h of batch b. */
static inline void book_row(const problem *p, size_t b, size_t h, size_t i, book *k) {
  const attest_shape *s = &p->shape;
  const size_t kv_head = h / (s->q_heads / s->kv_heads);
  const wide scale = s->scale_given ? (wide)s->scale : 1 / sqrtl((wide)s->width);
  const real *q = p->q + b * s->q.batch + h * s->q.head + i * s->q.row;
  wide top = -INFINITY, bottom = INFINITY, sum = 0;
  k->seen = 0;
  k->largest = 0;
  k->smallest = INFINITY;
  for (size_t j = 0; j < s->kv_len; j++) {
    const real *key = p->k + b * s->k.batch + kv_head * s->k.head + j * s->k.row;
    const real *value = p->v + b * s->v.batch + kv_head * s->v.head + j * s->v.row;
    const double up = 1 + 0x1p-40; /* sizes are long doubles rounded up */
    attest_score_size *size = &k->size[j];
    wide dot = 0, products = 0, elements = 0, bias = 0, score;
    k->visible[j] = (unsigned char)visible(p, b, h, i, j);
    k->score[j] = -INFINITY;
    k->weight[j] = 0;
    if (!k->visible[j]) continue;
    for (size_t c = 0; c < s->width; c++) {
      dot += (wide)q[c] * key[c];
      products += fabsl((wide)q[c] * key[c]);
      elements += fabsl((wide)q[c]) + fabsl((wide)key[c]);
    }
    score = scale * dot;
    size->meets = 0; /* all inputs are finite */
    size->products = (double)products * up;
    size->elements = (double)elements * up;
    size->raw = (double)fabsl(score) * up;
    if (s->softcap > 0) score = (wide)s->softcap * tanhl(score / (wide)s->softcap);
    if (p->bias)
      bias = p->bias[b * s->bias.batch + h * s->bias.head + i * s->bias.row + j * s->bias.key];
    score += bias;
    size->bias = (double)fabsl(bias);
    size->score = (double)fabsl(score) * up;
    size->signed_score = (double)score;
    k->score[j] = score;
    k->seen++;
    if (score > top) top = score;
    if (score < bottom) bottom = score;
    for (size_t c = 0; c < s->value_width; c++) {
      const wide v = fabsl((wide)value[c]);
      if (v > k->largest) k->largest = v;
      if (v > 0 && v < k->smallest) k->smallest = v;
    }
  }
  for (size_t j = 0; j < s->kv_len; j++)
    if (k->visible[j]) sum += expl(k->score[j] - top);
  for (size_t c = 0; c < s->value_width; c++) k->out[c] = 0;
  for (size_t j = 0; j < s->kv_len; j++) {
    const real *value = p->v + b * s->v.batch + kv_head * s->v.head + j * s->v.row;
    if (!k->visible[j]) continue;
    k->weight[j] = expl(k->score[j] - top) / sum;
    for (size_t c = 0; c < s->value_width; c++) k->out[c] += k->weight[j] * value[c];
  }
  k->lse = k->seen > 0 ? top + logl(sum) : -(wide)INFINITY;
  k->highest = top * 1.44269504088896340736L;
  k->lowest = bottom * 1.44269504088896340736L;
  book_allow(p, b, h, k);
}

/* The condition under which all engines give the same bits: with R the largest minus the smallest
   rounded score, R <= 125, nonzero |v| >= 2^(R - 125), and n sqrt(2) max|v| < 2^127 (double: 1021,
   1021, 1023). Scores are the textbook's here, so R is taken 2 larger than they say. */
static inline int book_same_bits(const book *k) {
  const wide limit = sizeof(real) == sizeof(float) ? 125 : 1021;
  if (k->seen == 0) return 1;
  const wide range = rintl(k->highest) - rintl(k->lowest) + 2;
  if (!(range <= limit) || fabsl(k->highest) > 1e6L || fabsl(k->lowest) > 1e6L) return 0;
  if (k->smallest < exp2l(range - limit)) return 0;
  return (wide)k->seen * 1.5L * k->largest < exp2l(limit + 2);
}

/* The first of what differs between a row of a result and the textbook, or NULL. */
static inline const char *book_differs(const problem *p, const book *k, const result *r, size_t b,
                                       size_t h, size_t i) {
  const real *out = out_at(p, r, b, h, i), *weights = weights_at(p, r, b, h, i);
  const real lse = *lse_at(p, r, b, h, i);
  for (size_t c = 0; c < p->shape.value_width; c++) {
    if (k->seen == 0 && bits_of(out[c]) != 0) return "output of an empty row";
    if (!(fabsl(out[c] - k->out[c]) <= k->out_allow[c])) return "output";
  }
  for (size_t j = 0; j < p->shape.kv_len; j++) {
    if (!k->visible[j] && bits_of(weights[j]) != 0) return "weight of a hidden key";
    if (!(fabsl(weights[j] - k->weight[j]) <= k->weight_allow[j])) return "weight";
  }
  if (k->seen == 0 ? lse != -(real)INFINITY : !(fabsl(lse - k->lse) <= k->lse_allow)) return "lse";
  return NULL;
}

#endif
