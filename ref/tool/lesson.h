/* The numbers of a lesson on causal attention, in float64, row by row: six tokens, a model of
   width 8, a head of width 4. The expect_ arrays are what NumPy computed from the others. */
#ifndef ATTEST_LESSON_H
#define ATTEST_LESSON_H

enum { ATTEST_LESSON_LEN = 6, ATTEST_LESSON_MODEL = 8, ATTEST_LESSON_WIDTH = 4 };

/* The tokens (6, 8); one head's projections (8, 4) and its Q = X Wq, K = X Wk, V = X Wv (6, 4). */
extern const double attest_lesson_x[6 * 8];
extern const double attest_lesson_wq[8 * 4];
extern const double attest_lesson_wk[8 * 4];
extern const double attest_lesson_wv[8 * 4];
extern const double attest_lesson_q[6 * 4];
extern const double attest_lesson_k[6 * 4];
extern const double attest_lesson_v[6 * 4];

/* Two heads side by side (8, 2*4), and the output projection (8, 8). */
extern const double attest_lesson_wq2[8 * 8];
extern const double attest_lesson_wk2[8 * 8];
extern const double attest_lesson_wv2[8 * 8];
extern const double attest_lesson_wo[8 * 8];

/* Causal weights (6, 6) and output (6, 4) of the one head. */
extern const double attest_lesson_expect_w[6 * 6];
extern const double attest_lesson_expect_out[6 * 4];

/* The weights with scores not divided by sqrt(4); those of a softmax over all keys with the
   later keys set to 0 afterwards; the output of the two heads through Wo (6, 8). */
extern const double attest_lesson_expect_w_noscale[6 * 6];
extern const double attest_lesson_expect_w_zeroed[6 * 6];
extern const double attest_lesson_expect_two_heads[6 * 8];

#endif
