/* One line a group of problems: its name and a hash of every bit of the outputs, weights and
   log-sum-exps; one group compares the nests with each other on the way. Inputs come from integer arithmetic alone, so they are the same everywhere; two
   builds that print different lines compute different bits. Built once for float and once, with
   ATTEST_F64, for double. */
#include "trial.h"

/* FNV-1a over the bits of each number, most significant first: no byte order in it. */
static uint64_t hash;

static void start(void) { hash = UINT64_C(14695981039346656037); }

static void add(const real *from, size_t count) {
  for (size_t n = 0; n < count; n++) {
    const uint64_t bits = bits_of(from[n]);
    for (int shift = 56; shift >= 0; shift -= 8) {
      hash ^= bits >> shift & 0xff;
      hash *= UINT64_C(1099511628211);
    }
  }
}

static void finish(const char *group) {
  printf("%s %s %016llx\n", sizeof(real) == sizeof(float) ? "f32" : "f64", group,
         (unsigned long long)hash);
}

static void fail(const char *what) {
  fprintf(stderr, "digest: %s\n", what);
  exit(1);
}

static void run_and_add(const problem *p, attest_engine engine, size_t tile) {
  result r;
  result_make(p, &r);
  if (run(p, engine, tile, &r) != ATTEST_OK) fail("a problem is refused");
  add(r.out, r.out_count);
  add(r.weights, r.weights_count);
  add(r.lse, r.lse_count);
  result_free(&r);
}

/* Random problems under the given options by one engine. Scores beyond the condition of the same
   bits from every engine are welcome here: each engine alone must give its bits everywhere. */
static void problems(const char *group, unsigned options, attest_engine engine, int reach,
                     unsigned count) {
  uint64_t state = UINT64_C(88172645463325252) + options;
  char name[60];
  start();
  for (unsigned n = 0; n < count; n++) {
    problem p;
    problem_random(&p, &state, 20, 70, 12, options);
    if (n % 8 == 7) { /* a full block of lanes */
      problem_free(&p);
      problem_random(&p, &state, 90, 40, 9, options);
    }
    for (size_t at = 0; reach > 1 && at < p.k_count; at++)
      if (p.k[at] == p.k[at]) p.k[at] *= power((int)below(&state, (size_t)reach));
    for (size_t at = 0; reach > 1 && at < p.v_count; at++)
      if (p.v[at] == p.v[at]) p.v[at] *= power((int)below(&state, 150) - 100);
    run_and_add(&p, engine, 1 + below(&state, 40));
    problem_free(&p);
  }
  snprintf(name, sizeof name, "%s/%s", group, engine_names[engine]);
  finish(name);
}

/* naive against decode and against tiled with every tile size that divides the keys in another way,
   where the bits must be the same (inputs of problem_random lie within the condition). */
static void every_tile(void) {
  const unsigned options[] = {0, WITH_CAUSAL, WITH_ALL, WITH_WINDOW | WITH_MASK};
  uint64_t state = 7;
  start();
  for (unsigned n = 0; n < 16; n++) {
    problem p;
    result want, r;
    if (n < 2) { /* full blocks of lanes and a part of one */
      problem_dense(&p, &state, 1, 2, 1, 70, 40, 5, 6);
      p.shape.causal = n == 1;
    } else {
      problem_random(&p, &state, 20, 70, 12, options[n % 4]);
    }
    result_make(&p, &want);
    result_make(&p, &r);
    if (run(&p, ATTEST_NAIVE, 1, &want) != ATTEST_OK) fail("a problem is refused");
    add(want.out, want.out_count);
    for (size_t tile = 1; tile <= p.shape.kv_len + 1; tile++) {
      if (run(&p, ATTEST_TILED, tile, &r) != ATTEST_OK) fail("a tile size is refused");
      if (!same_result(&want, &r)) fail("naive and tiled differ");
    }
    if (run(&p, ATTEST_DECODE, 1, &r) != ATTEST_OK) fail("a problem is refused by decode");
    if (!same_result(&want, &r)) fail("naive and decode differ");
    result_free(&want);
    result_free(&r);
    problem_free(&p);
  }
  finish("every-tile");
}

static void not_finite(attest_engine engine) {
  const real odd[] = {(real)NAN, (real)INFINITY, -(real)INFINITY, ATTEST_MAX, -ATTEST_MAX,
                      real_of(1), -real_of(3), 0, -(real)0};
  uint64_t state = 99;
  char name[60];
  start();
  for (unsigned n = 0; n < 60; n++) {
    problem p;
    problem_random(&p, &state, 8, 20, 4, WITH_MASK | WITH_CAUSAL | (n % 2 ? WITH_BIAS : 0));
    for (size_t at = 0; at < p.k_count; at++)
      if (below(&state, 9) == 0) p.k[at] = odd[below(&state, 9)];
    for (size_t at = 0; at < p.v_count; at++)
      if (below(&state, 9) == 0) p.v[at] = odd[below(&state, 9)];
    for (size_t at = 0; at < p.bias_count; at++)
      if (below(&state, 9) == 0) p.bias[at] = odd[below(&state, 9)];
    run_and_add(&p, engine, 1 + below(&state, 9));
    problem_free(&p);
  }
  snprintf(name, sizeof name, "not-finite/%s", engine_names[engine]);
  finish(name);
}

static void parts(void) {
  uint64_t state = 5;
  start();
  for (unsigned n = 0; n < 40; n++) {
    problem p;
    problem_random(&p, &state, 3, 40, 8, (unsigned)below(&state, WITH_ALL + 1));
    const size_t keys = p.shape.kv_len, split = below(&state, keys + 1);
    real *scratch = reals(keys + 1), low_acc[8], high_acc[8], lse;
    for (size_t i = 0; i < p.shape.q_len; i++) {
      attest_partial low, high;
      attest_status status = attest_part(&p.shape, &p.in, 0, 0, i, 0, split, &low, low_acc, scratch,
                                         keys);
      if (status == ATTEST_OK)
        status = attest_part(&p.shape, &p.in, 0, 0, i, split, keys, &high, high_acc, scratch, keys);
      if (status != ATTEST_OK) fail("a part is refused");
      attest_merge(&low, low_acc, &high, high_acc, p.shape.value_width);
      attest_finish(&low, low_acc, p.shape.value_width, low_acc, &lse);
      add(low_acc, p.shape.value_width);
      add(&lse, 1);
    }
    free(scratch);
    problem_free(&p);
  }
  finish("parts");
}

static void layers(void) {
  uint64_t state = 6;
  start();
  for (unsigned n = 0; n < 30; n++) {
    attest_layer_shape s;
    real data[7 * 60], out[8 * 60];
    memset(&s, 0, sizeof s);
    s.len = 1 + below(&state, 8);
    s.model = 1 + below(&state, 7);
    s.kv_heads = 1 + below(&state, 2);
    s.heads = 2 * s.kv_heads;
    s.width = 1 + below(&state, 3);
    s.value_width = 1 + below(&state, 3);
    s.out = 1 + below(&state, 7);
    s.causal = (int)below(&state, 2);
    s.softcap = below(&state, 2) ? 0 : 3;
    for (size_t at = 0; at < 7 * 60; at++) data[at] = spread(&state, 0);
    const attest_engine engine = (attest_engine)(n % ENGINES);
    const size_t need = attest_layer_scratch(&s, engine, 3);
    real *scratch = reals(need);
    if (attest_layer(&s, data, data + 60, data + 150, data + 210, data + 270, out, engine, 3,
                     scratch, need) != ATTEST_OK)
      fail("a layer is refused");
    add(out, s.len * s.out);
    free(scratch);
  }
  finish("layers");
}

int main(void) {
  static const struct {
    const char *name;
    unsigned options;
  } groups[] = {
    {"plain", 0},
    {"scale", WITH_SCALE},
    {"softcap", WITH_SOFTCAP},
    {"mask", WITH_MASK},
    {"bias", WITH_BIAS},
    {"causal", WITH_CAUSAL},
    {"window", WITH_WINDOW},
    {"lengths", WITH_LENGTHS},
    {"gaps", WITH_GAPS},
    {"all", WITH_ALL},
  };
  if (attest_selftest() != ATTEST_OK) fail("the arithmetic is not IEEE 754 to nearest");
  for (int e = 0; e < ENGINES; e++) {
    for (size_t n = 0; n < sizeof groups / sizeof groups[0]; n++)
      problems(groups[n].name, groups[n].options, (attest_engine)e, 1, 10);
    problems("steep", 0, (attest_engine)e, 12, 10);
    problems("steep-all", WITH_ALL, (attest_engine)e, 12, 10);
    not_finite((attest_engine)e);
  }
  every_tile();
  parts();
  layers();
  return 0;
}
