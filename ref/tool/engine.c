#define _POSIX_C_SOURCE 200809L

#include "engine.h"

#include <stdlib.h>

attest_engine attest_engine_for(attest_engine engine, size_t q_len) {
  return engine == ATTEST_TILED && q_len <= ATTEST_DECODE_ROWS ? ATTEST_DECODE : engine;
}

int attest_engine_fail(attest_status status, attest_fault *fault) {
  switch (status) {
  case ATTEST_NUMBER:
    return ATTEST_FAIL(fault, "--scale or --softcap: outside the range of the working format");
  case ATTEST_REACH:
    return ATTEST_FAIL(fault, "--causal or --window: out of range");
  default:
    return ATTEST_FAIL(fault, "%s", attest_status_text(status));
  }
}

int attest_engine_check_machine(attest_fault *fault) {
  attest_status status = attest_selftest_f32();

  if (status == ATTEST_OK)
    status = attest_selftest_f64();
  return status == ATTEST_OK ? 0 : attest_engine_fail(status, fault);
}

void *attest_engine_scratch(size_t count, int wide, attest_fault *fault) {
  const size_t size = attest_real_size(wide);
  void *memory;

  if (attest_memory_allows(count, size, "scratch memory", fault) != 0)
    return NULL;
  if (posix_memalign(&memory, 64, count * size) != 0) {
    ATTEST_FAIL(fault, "scratch memory: not enough memory for %zu bytes", count * size);
    return NULL;
  }
  return memory;
}

/* Rows in one call: a fraction of a second of work even for a slow nest, and for the tiled one a
   multiple of its lanes, so that no lane stays empty. */
#ifndef ATTEST_CHUNK_WORK
#define ATTEST_CHUNK_WORK 268435456u
#endif
static size_t chunk_rows(const attest_shape *s, attest_engine engine) {
  const size_t lanes = 64;
  const size_t row = s->kv_len * (s->width + s->value_width) + 1;
  const size_t rows = ATTEST_CHUNK_WORK / row;

  if (engine == ATTEST_NAIVE)
    return rows < 1 ? 1 : rows;
  return rows < lanes ? lanes : rows - rows % lanes;
}

#define REAL float
#define F(name) name##_f32
#include "engine_real.h"
#undef REAL
#undef F
#define REAL double
#define F(name) name##_f64
#include "engine_real.h"
#undef REAL
#undef F

int attest_engine_run(const attest_problem *problem, attest_engine engine, size_t tile, void *out,
                      void *weights, void *lse, attest_progress *progress, attest_fault *fault) {
  engine = attest_engine_for(engine, problem->shape.q_len);
  return problem->wide ? run_f64(problem, engine, tile, out, weights, lse, progress, fault)
                       : run_f32(problem, engine, tile, out, weights, lse, progress, fault);
}
