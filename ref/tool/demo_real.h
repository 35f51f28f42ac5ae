/* The loop nests side by side for one format; included twice by demo.c with REAL and F(name). */

/* One row of the table: a causal problem (len, width) by all nests. *same becomes 0 where the bits
   differ. */
static int F(compare_nests)(demo *d, const double *q, const double *k, const double *v, int len,
                            int width, int *same) {
  const size_t count = (size_t)len * (size_t)width, rows = (size_t)len;
  /* q, k, v, then outputs and log-sum-exps of naive and of another nest */
  REAL *memory = attest_allocate(5 * count + 2 * rows, sizeof *memory, "demo", &d->fault);
  REAL *naive, *other;
  F(attest_arrays) a = {0};
  attest_shape s = {0};
  int result = -1;

  if (memory == NULL)
    return -1;
  for (size_t i = 0; i < count; i++) {
    memory[i] = (REAL)q[i];
    memory[count + i] = (REAL)k[i];
    memory[2 * count + i] = (REAL)v[i];
  }
  naive = memory + 3 * count;
  other = naive + count + rows;
  s.batch = s.q_heads = s.kv_heads = 1;
  s.q_len = s.kv_len = rows;
  s.width = s.value_width = (size_t)width;
  s.causal = 1;
  attest_layout_bhsd(&s);
  a.q = memory;
  a.k = memory + count;
  a.v = memory + 2 * count;
  a.out = naive;
  a.lse = naive + count;
  if (F(attest_attend)(&s, &a, ATTEST_NAIVE, 1, &d->fault) != 0)
    goto done;
  a.out = other;
  a.lse = other + count;
  printf("   %6d  %5d  %-6s", len, width, sizeof(REAL) == sizeof(double) ? "f64" : "f32");
  for (int t = -1; t < TILES; t++) {
    const attest_engine engine = t < 0 ? ATTEST_DECODE : ATTEST_TILED;
    memset(other, 0xff, (count + rows) * sizeof *other);
    if (F(attest_attend)(&s, &a, engine, t < 0 ? 1 : tiles[t], &d->fault) != 0)
      goto done;
    const int equal = memcmp(naive, other, (count + rows) * sizeof *other) == 0;
    printf(t < 0 ? "  %4s    " : "%4s", equal ? "=" : "x");
    if (!equal)
      *same = 0;
  }
  printf("\n");
  result = 0;

done:
  free(memory);
  return result;
}
