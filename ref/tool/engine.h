/* Runs an engine of the library in float or double. */
#ifndef ATTEST_TOOL_ENGINE_H
#define ATTEST_TOOL_ENGINE_H

#include "problem.h"
#include "progress.h"

/* Query rows up to which the decode nest is taken in place of the tiled one. */
enum { ATTEST_DECODE_ROWS = 4 };

/* The nest that runs where `engine` is asked for. */
attest_engine attest_engine_for(attest_engine engine, size_t q_len);

/* Self-tests of both formats: 0, or -1 with *fault set on a machine that is not fit. */
int attest_engine_check_machine(attest_fault *fault);

/* Attention for the whole problem. out, weights and lse are double where the problem is wide,
   float otherwise; the last two may be NULL. A call of the library takes one head and some rows
   of it, which changes no bit and lets progress be shown. */
int attest_engine_run(const attest_problem *problem, attest_engine engine, size_t tile, void *out,
                      void *weights, void *lse, attest_progress *progress, attest_fault *fault);

/* One call of the library with scratch memory of its own. */
int attest_attend_f32(const attest_shape *shape, const attest_arrays_f32 *arrays,
                      attest_engine engine, size_t tile, attest_fault *fault);
int attest_attend_f64(const attest_shape *shape, const attest_arrays_f64 *arrays,
                      attest_engine engine, size_t tile, attest_fault *fault);

/* Scratch memory of count elements, at a multiple of 64 bytes; to be freed. */
void *attest_engine_scratch(size_t count, int wide, attest_fault *fault);

/* A status of the library as a line. */
int attest_engine_fail(attest_status status, attest_fault *fault);

#endif
