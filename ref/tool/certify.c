#include "certify.h"

#include "engine.h"

#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#endif

/* Rows of one call of the oracle: a few blocks of lanes, and enough calls for threads to share. */
enum { BLOCK = 128 };

#ifdef _OPENMP
static void *wait_for_gate(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

/* How many of `wanted` threads this process can have. OpenMP ends the program, with an exit code that
   means something else here, where it cannot start one; so they are started and ended beforehand. One
   more than OpenMP will start: it needs some memory itself. */
static int affordable(int wanted) {
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_t *started = wanted < 2 ? NULL : malloc((size_t)wanted * sizeof *started);
  int count = 0;

  if (started == NULL)
    return 1;
  pthread_mutex_lock(&gate);
  while (count < wanted && pthread_create(&started[count], NULL, wait_for_gate, &gate) == 0)
    count++;
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < count; i++)
    pthread_join(started[i], NULL);
  free(started);
  return count < 1 ? 1 : count;
}
#endif

int attest_threads(size_t asked) {
#ifdef _OPENMP
  return affordable(asked == 0 ? omp_get_max_threads() : (int)asked);
#else
  (void)asked;
  return 1;
#endif
}

attest_slice attest_slice_all(const attest_problem *p) {
  const attest_slice all = {0, p->shape.q_len, 0, p->shape.q_heads};
  return all;
}

int attest_slice_take(const char *option, const char *text, size_t all, size_t *first,
                      size_t *count, attest_fault *fault) {
  char from[32] = "0";
  const char *colon = strchr(text, ':');
  const size_t length = colon == NULL ? 0 : (size_t)(colon - text);
  size_t begin = 0, end = all;

  if (colon == NULL || length >= sizeof from)
    return ATTEST_FAIL(fault, "%s: '%s' is not of the form A:B", option, text);
  memcpy(from, text, length);
  from[length] = '\0';
  if ((length > 0 && attest_parse_size(option, from, 0, all, &begin, fault) != 0) ||
      (colon[1] != '\0' && attest_parse_size(option, colon + 1, 0, all, &end, fault) != 0))
    return -1;
  if (begin > end)
    return ATTEST_FAIL(fault, "%s: '%s' ends before it begins", option, text);
  *first = begin;
  *count = end - begin;
  return 0;
}

attest_format attest_format_of(attest_dtype dtype) {
  switch (dtype) {
  case ATTEST_DT_F32:
    return ATTEST_FORMAT_F32;
  case ATTEST_DT_F16:
    return ATTEST_FORMAT_F16;
  case ATTEST_DT_BF16:
    return ATTEST_FORMAT_BF16;
  case ATTEST_DT_I32:
    return ATTEST_FORMAT_Q16;
  default:
    return ATTEST_FORMAT_F64;
  }
}

attest_arrays_f64 attest_exact_inputs(const attest_problem *p) {
  attest_arrays_f64 a = {0};
  a.q = p->q.data;
  a.k = p->k.data;
  a.v = p->v.data;
  a.bias = p->bias.data;
  a.mask = p->mask;
  return a;
}

typedef struct work {
  const attest_problem *p;
  attest_slice slice;
  const attest_oracle_options *options;
  attest_certified_arrays *arrays;
  attest_arrays_f64 inputs;
  size_t blocks; /* of one head */
} work;

typedef struct block {
  size_t batch, head, first, rows; /* head and first from the start of the slice */
} block;

static block block_at(const work *w, size_t n) {
  block b;
  b.first = n % w->blocks * BLOCK;
  b.head = n / w->blocks % w->slice.heads;
  b.batch = n / w->blocks / w->slice.heads;
  b.rows = w->slice.rows - b.first < BLOCK ? w->slice.rows - b.first : BLOCK;
  return b;
}

/* Where the output row of a slice begins: heads side by side for 3-D input, else apart. */
static size_t out_row(const work *w, block b, size_t i) {
  const attest_slice s = w->slice;
  const size_t width = w->p->shape.value_width, row = b.first + i;
  if (w->p->q.ndim == 3) return ((b.batch * s.rows + row) * s.heads + b.head) * width;
  return ((b.batch * s.heads + b.head) * s.rows + row) * width;
}

/* One block; its out goes through `memory`, since its rows may lie apart. */
static attest_oracle_status run_block(const work *w, size_t n, double *memory,
                                      attest_oracle_result *r, attest_status *refusal) {
  const attest_shape *shape = &w->p->shape;
  const block b = block_at(w, n);
  const size_t row = (b.batch * w->slice.heads + b.head) * w->slice.rows + b.first;
  attest_oracle_status status;

  memset(r, 0, sizeof *r);
  r->out.value = w->arrays->out != NULL ? memory : NULL;
  r->weights.value = w->arrays->weights != NULL ? w->arrays->weights + row * shape->kv_len : NULL;
  r->lse.value = w->arrays->lse != NULL ? w->arrays->lse + row : NULL;
  status = attest_oracle_rows(shape, &w->inputs, b.batch, w->slice.first_head + b.head,
                              w->slice.first_row + b.first, b.rows, w->options, r, refusal);
  if (status == ATTEST_ORACLE_OK && w->arrays->out != NULL)
    for (size_t i = 0; i < b.rows; i++)
      memcpy(w->arrays->out + out_row(w, b, i), memory + i * shape->value_width,
             shape->value_width * sizeof *memory);
  return status;
}

int attest_certify(const attest_problem *p, attest_slice slice,
                   const attest_oracle_options *options, size_t threads,
                   attest_certified_arrays *arrays, attest_progress *progress,
                   attest_fault *fault) {
  work w = {p, slice, options, arrays, attest_exact_inputs(p), (slice.rows + BLOCK - 1) / BLOCK};
  const size_t blocks = p->shape.batch * slice.heads * w.blocks;
  attest_oracle_status failure = ATTEST_ORACLE_OK;
  attest_status refusal = ATTEST_OK;
  size_t done = 0;

  (void)threads; /* unused without OpenMP */
  if (blocks == 0) { /* nothing to do still says what is wrong with the problem */
    attest_oracle_result none = {0};
    failure = attest_oracle_rows(&p->shape, &w.inputs, 0, 0, 0, 0, options, &none, &refusal);
    if (failure == ATTEST_ORACLE_REFUSED && p->shape.batch == 0) failure = ATTEST_ORACLE_OK;
  }
#ifdef _OPENMP
#pragma omp parallel num_threads(attest_threads(threads))
#endif
  {
    double *memory = malloc(BLOCK * p->shape.value_width * sizeof *memory);
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
    for (size_t n = 0; n < blocks; n++) {
      attest_oracle_result r;
      attest_status why = ATTEST_OK;
      const attest_oracle_status status =
          memory == NULL ? ATTEST_ORACLE_MEMORY : run_block(&w, n, memory, &r, &why);
#ifdef _OPENMP
#pragma omp critical
#endif
      {
        if (status != ATTEST_ORACLE_OK) {
          failure = status;
          refusal = why;
        } else {
          for (size_t k = 0; k < ATTEST_RUNGS; k++) arrays->decided[k] += r.decided[k];
        }
        attest_progress_step(progress, (double)++done, (double)blocks);
      }
    }
    free(memory);
    mpfr_free_cache();
  }
  if (failure == ATTEST_ORACLE_MEMORY)
    return ATTEST_FAIL(fault, "oracle: not enough memory");
  return failure == ATTEST_ORACLE_OK ? 0 : attest_engine_fail(refusal, fault);
}
