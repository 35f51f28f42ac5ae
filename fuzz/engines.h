/* The engines of ref/ on a problem, float or double, with results as doubles: equal bits stay equal
   and different ones different. */
#ifndef FUZZ_ENGINES_H
#define FUZZ_ENGINES_H

#include "problem.h"

enum { FUZZ_ROWS = 72, FUZZ_ENGINES = 3 };

typedef struct {
  double out[FUZZ_ELEMENTS], weights[FUZZ_ELEMENTS], lse[FUZZ_ROWS];
} fuzz_result;

extern const char *const fuzz_engine_names[FUZZ_ENGINES];

/* Nonzero, and *r, unless the problem is refused: then every engine refuses it. */
int fuzz_run(const fuzz_problem *p, attest_engine engine, fuzz_result *r);

/* The row of a result. */
double *fuzz_out(const fuzz_problem *p, fuzz_result *r, size_t batch, size_t head, size_t i);
double *fuzz_weights(const fuzz_problem *p, fuzz_result *r, size_t batch, size_t head, size_t i);
double *fuzz_lse(const fuzz_problem *p, fuzz_result *r, size_t batch, size_t head, size_t i);

int fuzz_same(const double *a, const double *b, size_t count);
int fuzz_same_results(const fuzz_problem *p, const fuzz_result *a, const fuzz_result *b);

/* Whether the nests promise the same bits (README, "The same bits") for the weights and log-sum-exp
   of a row, with column < value_width also for that column of its output. */
int fuzz_same_bits_f32(const attest_shape *shape, const attest_arrays_f32 *arrays, size_t batch,
                       size_t head, size_t i, size_t column);
int fuzz_same_bits_f64(const attest_shape *shape, const attest_arrays_f64 *arrays, size_t batch,
                       size_t head, size_t i, size_t column);

/* Fails unless a row of b has the bits of a where they are promised, and otherwise is no further from
   it than twice the bound. `what` names b's engine. */
void fuzz_compare_row(const fuzz_problem *p, fuzz_result *a, fuzz_result *b, size_t batch,
                      size_t head, size_t i, const char *what);
void fuzz_compare(const fuzz_problem *p, fuzz_result *a, fuzz_result *b, const char *what);

#endif
