/* A layer made of a problem's sizes and numbers, checked by layer_real.c, which is built as float and as
   double. */
#ifndef FUZZ_LAYER_H
#define FUZZ_LAYER_H

#include "problem.h"

enum {
  FUZZ_MODEL = 8,    /* model, out, width and value_width at most; out one more where it is refused */
  FUZZ_LAYER_HEADS = 10,
  FUZZ_COLUMNS = FUZZ_LAYER_HEADS * FUZZ_MODEL
};

typedef struct {
  attest_layer_shape shape;
  int with_wo;
  size_t tile;
  size_t count;                     /* of the numbers */
  double numbers[3 * FUZZ_ELEMENTS];
} fuzz_layer;

void fuzz_check_layer_f32(const fuzz_problem *p, const fuzz_layer *l);
void fuzz_check_layer_f64(const fuzz_problem *p, const fuzz_layer *l);

#endif
