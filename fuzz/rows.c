/* Rows of weights: each weight from 0 to 1, exactly +0 where its key is hidden, and their sum within
   the stated bound of 1; all nests. */
#include <math.h>

#include "judge.h"
#include "target.h"

const fuzz_format fuzz_target_format = FUZZ_EITHER;

/* Weights of at least 0 that add up to no more than 1 + allowed are no larger. */
static void check_range(const fuzz_row *row, const char *engine, const double *w, double allowed) {
  for (size_t j = 0; j < row->p->shape.kv_len; j++)
    if (!(w[j] >= 0 && w[j] <= 1 + allowed) || signbit(w[j]))
      fuzz_fail(row->p, "%s: weight %zu of row %zu, head %zu, batch %zu is %a; the sum may be off 1 "
                "by %a", engine, j, row->i, row->head, row->batch, w[j], allowed);
}

static void check_row(const fuzz_problem *p, fuzz_result *results, size_t b, size_t h, size_t i) {
  static fuzz_row row;
  fuzz_row_start(&row, p, NULL, b, h, i);
  for (int e = 0; e < FUZZ_ENGINES && row.view.kind == ATTEST_ROW_FINITE && !row.silent; e++) {
    const double *const w = fuzz_weights(p, &results[e], b, h, i);
    check_range(&row, fuzz_engine_names[e], w, attest_allowance_row_sum(row.allowance));
    fuzz_judge_sum(&row, fuzz_engine_names[e], w);
  }
  fuzz_row_end(&row);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_problem p;
  static fuzz_result results[FUZZ_ENGINES];
  const attest_shape *s = &p.shape;
  fuzz_decode(&p, data, size, FUZZ_EITHER);
  for (int e = 0; e < FUZZ_ENGINES; e++)
    if (!fuzz_run(&p, (attest_engine)e, &results[e])) return 0;
  for (size_t b = 0; b < s->batch; b++)
    for (size_t h = 0; h < s->q_heads; h++)
      for (size_t i = 0; i < s->q_len; i++) {
        check_row(&p, results, b, h, i);
        for (size_t j = 0; j < s->kv_len; j++)
          for (int e = 0; e < FUZZ_ENGINES; e++) {
            const double w = fuzz_weights(&p, &results[e], b, h, i)[j];
            if (fuzz_visible(&p, b, h, i, j) != 1 && (w != 0 || signbit(w)))
              fuzz_fail(&p, "%s: hidden key %zu of row %zu, head %zu, batch %zu weighs %a",
                        fuzz_engine_names[e], j, i, h, b, w);
          }
      }
  return 0;
}
