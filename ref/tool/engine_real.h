/* The functions of engine.h for one format; included twice by engine.c with REAL and F(name). */

int F(attest_attend)(const attest_shape *shape, const F(attest_arrays) *arrays,
                     attest_engine engine, size_t tile, attest_fault *fault) {
  const size_t count = F(attest_scratch)(shape, engine, tile);
  attest_status status;
  REAL *scratch;

  scratch = attest_engine_scratch(count == 0 ? 1 : count, sizeof(REAL) == sizeof(double), fault);
  if (scratch == NULL)
    return -1;
  status = F(attest_attention)(shape, arrays, engine, tile, scratch, count);
  free(scratch);
  return status == ATTEST_OK ? 0 : attest_engine_fail(status, fault);
}

/* Rows first .. first + rows - 1 of one head as a problem of its own. The causal rule counts from
   row 0 of the whole, so the offset grows by `first`, and an alignment to the end is resolved
   here, where the number of rows is still that of the whole. */
static attest_shape F(rows_of)(const attest_problem *p, size_t batch, size_t first, size_t rows) {
  attest_shape s = p->shape;
  const size_t keys = s.key_lengths != NULL ? s.key_lengths[batch] : s.kv_len;

  if (s.align_end)
    s.offset += (int64_t)keys - (int64_t)s.q_len;
  s.align_end = 0;
  s.offset += (int64_t)first;
  if (s.key_lengths != NULL)
    s.key_lengths += batch;
  s.batch = 1;
  s.q_heads = 1;
  s.kv_heads = 1;
  s.q_len = rows;
  return s;
}

static F(attest_arrays) F(arrays_of)(const attest_problem *p, size_t b, size_t h, size_t first,
                                     REAL *out, REAL *weights, REAL *lse) {
  const attest_shape *s = &p->shape;
  const size_t kv = h / (s->q_heads / s->kv_heads);
  const size_t row = (b * s->q_heads + h) * s->q_len + first;
  F(attest_arrays) a = {0};

  a.q = (const REAL *)p->q.data + b * s->q.batch + h * s->q.head + first * s->q.row;
  a.k = (const REAL *)p->k.data + b * s->k.batch + kv * s->k.head;
  a.v = (const REAL *)p->v.data + b * s->v.batch + kv * s->v.head;
  if (p->bias.data != NULL)
    a.bias = (const REAL *)p->bias.data + b * s->bias.batch + h * s->bias.head +
             first * s->bias.row;
  if (p->mask != NULL)
    a.mask = p->mask + b * s->mask.batch + h * s->mask.head + first * s->mask.row;
  a.out = out + b * s->out.batch + h * s->out.head + first * s->out.row;
  if (weights != NULL)
    a.weights = weights + row * s->kv_len;
  if (lse != NULL)
    a.lse = lse + row;
  return a;
}

static int F(run)(const attest_problem *p, attest_engine engine, size_t tile, REAL *out,
                  REAL *weights, REAL *lse, attest_progress *progress, attest_fault *fault) {
  const attest_shape *s = &p->shape;
  const size_t chunk = chunk_rows(s, engine);
  const size_t count = F(attest_scratch)(s, engine, tile);
  const double total = (double)s->batch * (double)s->q_heads * (double)s->q_len;
  attest_status status = ATTEST_OK;
  double done = 0;
  REAL *scratch;

  /* A call with nothing to read or write says what is wrong with the shape. */
  if (count == 0) {
    const F(attest_arrays) none = {0};
    return F(attest_attend)(s, &none, engine, tile, fault);
  }
  scratch = attest_engine_scratch(count, sizeof(REAL) == sizeof(double), fault);
  if (scratch == NULL)
    return -1;
  for (size_t b = 0; b < s->batch && status == ATTEST_OK; b++)
    for (size_t h = 0; h < s->q_heads && status == ATTEST_OK; h++)
      for (size_t first = 0; first < s->q_len && status == ATTEST_OK; first += chunk) {
        const size_t rows = s->q_len - first < chunk ? s->q_len - first : chunk;
        const attest_shape part = F(rows_of)(p, b, first, rows);
        const F(attest_arrays) arrays = F(arrays_of)(p, b, h, first, out, weights, lse);
        status = F(attest_attention)(&part, &arrays, engine, tile, scratch, count);
        done += (double)rows;
        attest_progress_step(progress, done, total);
      }
  free(scratch);
  return status == ATTEST_OK ? 0 : attest_engine_fail(status, fault);
}
