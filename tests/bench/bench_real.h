/* The benchmark for one format: included by bench.c with REAL, FORMAT and NAME(name). */

/* The machine's multiply-then-add peak: a row of sums in plain C that fits the vector registers and
   is long enough to hide the latency, each step one multiplication and one addition that depends on
   it. No memory is read in the loop. */
static void NAME(chain)(REAL *x, size_t steps, REAL factor, REAL more) {
  REAL a[PEAK_BYTES / sizeof(REAL)];
  for (size_t r = 0; r < PEAK_BYTES / sizeof(REAL); r++) a[r] = x[r];
  for (size_t n = 0; n < steps; n++)
    for (size_t r = 0; r < PEAK_BYTES / sizeof(REAL); r++) a[r] = a[r] * factor + more;
  for (size_t r = 0; r < PEAK_BYTES / sizeof(REAL); r++) x[r] = a[r];
}

static double NAME(peak)(void) {
  REAL x[PEAK_BYTES / sizeof(REAL)];
  const size_t steps = 1000000; /* several milliseconds, as long as a head or two of the nest */
  double best = 1e9;
  for (size_t r = 0; r < PEAK_BYTES / sizeof(REAL); r++) x[r] = (REAL)r;
  for (int n = 0; n < 8; n++) {
    const double begin = now();
    NAME(chain)(x, steps, (REAL)half, (REAL)half);
    best = least(best, now() - begin);
  }
  if (x[1] > 2) puts("never"); /* the result is used */
  return 2e-9 * (double)(PEAK_BYTES / sizeof(REAL)) * (double)steps / best;
}

/* One problem, one engine: the best time of several, and a hash of the output. */
static void NAME(run)(const char *what, attest_shape shape, attest_engine engine, size_t tile,
                      int repeats) {
  const size_t queries = shape.q_heads * shape.q_len * shape.width;
  const size_t keys = shape.kv_heads * shape.kv_len * shape.width;
  const size_t size = NAME(attest_scratch)(&shape, engine, tile);
  REAL *q = take(queries * sizeof(REAL)), *k = take(keys * sizeof(REAL));
  REAL *v = take(keys * sizeof(REAL)), *out = take(queries * sizeof(REAL));
  REAL *scratch = take(size * sizeof(REAL));
  uint64_t state = 1;
  for (size_t i = 0; i < queries; i++) q[i] = (REAL)noise(&state);
  for (size_t i = 0; i < keys; i++) k[i] = (REAL)noise(&state);
  for (size_t i = 0; i < keys; i++) v[i] = (REAL)noise(&state);
  NAME(attest_arrays) arrays;
  memset(&arrays, 0, sizeof arrays);
  arrays.q = q;
  arrays.k = k;
  arrays.v = v;
  arrays.out = out;
  double best = 1e9;
  for (int n = 0; n < repeats; n++) {
    const double begin = now();
    if (NAME(attest_attention)(&shape, &arrays, engine, tile, scratch, size) != ATTEST_OK) exit(2);
    best = least(best, now() - begin);
  }
  printf("%s %s %.9f %016llx\n", FORMAT, what, best,
         (unsigned long long)hash(out, queries * sizeof(REAL)));
  free(q);
  free(k);
  free(v);
  free(out);
  free(scratch);
}

static void NAME(bench)(size_t tile) {
  printf("%s peak %.3f -\n", FORMAT, NAME(peak)());
  NAME(run)("tiled", shape_of(12, 1024, 1024), ATTEST_TILED, tile, 6);
  NAME(run)("naive", shape_of(12, 1024, 1024), ATTEST_NAIVE, tile, 1);
  NAME(run)("decode", shape_of(12, 1, 8192), ATTEST_DECODE, tile, 6);
  NAME(run)("decode-naive", shape_of(12, 1, 8192), ATTEST_NAIVE, tile, 3);
}
