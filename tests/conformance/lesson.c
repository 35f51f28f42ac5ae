/* The lesson's own numbers: causal attention of six tokens, worked out by NumPy in float64. From
   ref/tool/lesson.c, and from the .npy files in the folder that ATTEST_LESSON names, where set.

   How near a result must be. A figure w has a first-order condition number kappa: if every product
   and sum on the way to it is off by a relative eps, w is off by at most kappa eps |w|; it is
   computed here from the figures themselves (see `condition`). The limit is what one ulp in each
   of them amounts to: where kappa <= 4 a figure is called well conditioned and must lie within
   4 ulp of NumPy's; elsewhere within kappa ulp. (The worst case of both computations together is
   2 width + 8 times that; the derived bound is tested in tests/unit.) In float the inputs are
   rounded too, each by half an ulp: a dot product of two rounded rows then carries three errors
   where it carried one, so the limit is 3 times as wide. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lesson.h"
#include "npy.h"
#include "trial.h"

enum { LEN = ATTEST_LESSON_LEN, MODEL = ATTEST_LESSON_MODEL, WIDTH = ATTEST_LESSON_WIDTH };

typedef struct {
  double x[LEN * MODEL], wq[MODEL * WIDTH], wk[MODEL * WIDTH], wv[MODEL * WIDTH];
  double q[LEN * WIDTH], k[LEN * WIDTH], v[LEN * WIDTH];
  double wq2[MODEL * 2 * WIDTH], wk2[MODEL * 2 * WIDTH], wv2[MODEL * 2 * WIDTH];
  double wo[2 * WIDTH * MODEL];
  double expect_w[LEN * LEN], expect_out[LEN * WIDTH];
  double expect_noscale[LEN * LEN], expect_zeroed[LEN * LEN], expect_two[LEN * MODEL];
} lesson;

static lesson numbers[2]; /* from the sources; from files */
static int sources = 1;

#define COPY(to, from) memcpy(to, from, sizeof to)

static void from_source(lesson *l) {
  COPY(l->x, attest_lesson_x);
  COPY(l->wq, attest_lesson_wq);
  COPY(l->wk, attest_lesson_wk);
  COPY(l->wv, attest_lesson_wv);
  COPY(l->q, attest_lesson_q);
  COPY(l->k, attest_lesson_k);
  COPY(l->v, attest_lesson_v);
  COPY(l->wq2, attest_lesson_wq2);
  COPY(l->wk2, attest_lesson_wk2);
  COPY(l->wv2, attest_lesson_wv2);
  COPY(l->wo, attest_lesson_wo);
  COPY(l->expect_w, attest_lesson_expect_w);
  COPY(l->expect_out, attest_lesson_expect_out);
  COPY(l->expect_noscale, attest_lesson_expect_w_noscale);
  COPY(l->expect_zeroed, attest_lesson_expect_w_zeroed);
  COPY(l->expect_two, attest_lesson_expect_two_heads);
}

static void read(const char *folder, const char *name, double *to, size_t rows, size_t cols) {
  char path[1000], error[300];
  attest_array array;
  snprintf(path, sizeof path, "%s/%s.npy", folder, name);
  if (attest_npy_read_file(path, &array, error, sizeof error) != 0 ||
      (array.ndim != 2 || array.dims[0] != rows || array.dims[1] != cols) ||
      attest_array_to_f64(&array, to, path, error, sizeof error) != 0) {
    fprintf(stderr, "lesson: cannot use %s as %zu x %zu\n", path, rows, cols);
    exit(1);
  }
  attest_array_free(&array);
}

/* Two (MODEL, WIDTH) projections side by side. */
static void beside(const double *a, const double *b, double *to) {
  for (size_t r = 0; r < MODEL; r++)
    for (size_t c = 0; c < WIDTH; c++) {
      to[r * 2 * WIDTH + c] = a[r * WIDTH + c];
      to[r * 2 * WIDTH + WIDTH + c] = b[r * WIDTH + c];
    }
}

static void from_files(lesson *l, const char *folder) {
  static const char *const heads[3][2] = {
    {"head0_Wq", "head1_Wq"}, {"head0_Wk", "head1_Wk"}, {"head0_Wv", "head1_Wv"}};
  double *const joined[3] = {l->wq2, l->wk2, l->wv2};
  read(folder, "X", l->x, LEN, MODEL);
  read(folder, "Wq", l->wq, MODEL, WIDTH);
  read(folder, "Wk", l->wk, MODEL, WIDTH);
  read(folder, "Wv", l->wv, MODEL, WIDTH);
  read(folder, "Q", l->q, LEN, WIDTH);
  read(folder, "K", l->k, LEN, WIDTH);
  read(folder, "V", l->v, LEN, WIDTH);
  read(folder, "Wo", l->wo, 2 * WIDTH, MODEL);
  read(folder, "expect_W", l->expect_w, LEN, LEN);
  read(folder, "expect_out", l->expect_out, LEN, WIDTH);
  read(folder, "expect_W_noscale", l->expect_noscale, LEN, LEN);
  read(folder, "expect_W_zeroed_after", l->expect_zeroed, LEN, LEN);
  read(folder, "expect_multihead", l->expect_two, LEN, MODEL);
  for (int n = 0; n < 3; n++) {
    double a[MODEL * WIDTH], b[MODEL * WIDTH];
    read(folder, heads[n][0], a, MODEL, WIDTH);
    read(folder, heads[n][1], b, MODEL, WIDTH);
    beside(a, b, joined[n]);
  }
}

/* What the result of one head is sensitive to: reach[i][j], the change of score ij for a change of
   1 in every product and sum behind it; and rows of Q, K, V with the change behind each element. */
typedef struct {
  double q[LEN * WIDTH], k[LEN * WIDTH], v[LEN * WIDTH];       /* values */
  double dq[LEN * WIDTH], dk[LEN * WIDTH], dv[LEN * WIDTH];    /* changes; 0: given, not computed */
  double weight[LEN * LEN], out[LEN * WIDTH];
  double dweight[LEN * LEN], dout[LEN * WIDTH];                /* absolute changes */
} conditions;

static void project(const double *x, const double *w, size_t cols, size_t first, double *to,
                    double *change) {
  for (size_t i = 0; i < LEN; i++)
    for (size_t c = 0; c < WIDTH; c++) {
      double sum = 0, size = 0;
      for (size_t m = 0; m < MODEL; m++) {
        sum += x[i * MODEL + m] * w[m * cols + first + c];
        size += fabs(x[i * MODEL + m] * w[m * cols + first + c]);
      }
      to[i * WIDTH + c] = sum;
      change[i * WIDTH + c] = size;
    }
}

/* Weight: d log w_ij = d s_ij - sum_l w_il d s_il. Output: d o = sum_j w_ij (v_j - o) d s_ij
   + sum_j w_ij d v_j, and the sum itself adds sum_j w_ij |v_j|. */
static void condition(conditions *k, double scale, int causal) {
  for (size_t i = 0; i < LEN; i++) {
    double score[LEN], reach[LEN], sum = 0, mean_reach = 0, top = -INFINITY;
    const size_t end = causal ? i + 1 : LEN;
    for (size_t j = 0; j < end; j++) {
      score[j] = reach[j] = 0;
      for (size_t c = 0; c < WIDTH; c++) {
        const double a = k->q[i * WIDTH + c], b = k->k[j * WIDTH + c];
        score[j] += scale * a * b;
        reach[j] += scale * (fabs(a * b) + k->dq[i * WIDTH + c] * fabs(b) +
                             fabs(a) * k->dk[j * WIDTH + c]);
      }
      if (score[j] > top) top = score[j];
    }
    for (size_t j = 0; j < end; j++) sum += exp(score[j] - top);
    for (size_t j = 0; j < LEN; j++) k->weight[i * LEN + j] = k->dweight[i * LEN + j] = 0;
    for (size_t j = 0; j < end; j++) {
      k->weight[i * LEN + j] = exp(score[j] - top) / sum;
      mean_reach += k->weight[i * LEN + j] * reach[j];
    }
    for (size_t j = 0; j < end; j++)
      k->dweight[i * LEN + j] = k->weight[i * LEN + j] * (reach[j] + mean_reach + 1);
    for (size_t c = 0; c < WIDTH; c++) {
      double o = 0, change = 0;
      for (size_t j = 0; j < end; j++) o += k->weight[i * LEN + j] * k->v[j * WIDTH + c];
      for (size_t j = 0; j < end; j++) {
        const double v = k->v[j * WIDTH + c];
        change += k->weight[i * LEN + j] *
                  (fabs(v - o) * reach[j] + fabs(v) + k->dv[j * WIDTH + c]);
      }
      k->out[i * WIDTH + c] = o;
      k->dout[i * WIDTH + c] = change;
    }
  }
}

static unsigned compared, well; /* figures; those well conditioned */

static void near(double got, double want, double change, const char *what, size_t at) {
  int exponent;
  if (want == 0) {
    if (got != 0) fail_msg("%s[%zu] is %g, not 0", what, at, got);
    return;
  }
  const double kappa = change / fabs(want);
  const double slope = sizeof(real) == sizeof(float) ? 3 : 1;
  frexp(want, &exponent);
  const double ulp = ldexp(1, exponent - ATTEST_FRACTION_BITS - 1);
  const double limit = slope * (kappa <= 4 ? 4 : kappa);
  compared++;
  well += kappa <= 4;
  if (!(fabs(got - want) <= limit * ulp))
    fail_msg("%s[%zu]: %.17g, NumPy %.17g: %.2f ulp of at most %.2f (condition %.3g)", what, at,
             got, want, fabs(got - want) / ulp, limit, kappa);
}

static void problem_of(problem *p, const lesson *l) {
  uint64_t state = 1;
  problem_dense(p, &state, 1, 1, 1, LEN, LEN, WIDTH, WIDTH);
  for (size_t n = 0; n < LEN * WIDTH; n++) {
    p->q[n] = (real)l->q[n];
    p->k[n] = (real)l->k[n];
    p->v[n] = (real)l->v[n];
  }
}

/* One head from Q, K, V with every engine and tile: weights against `want`, and the output. */
static void one_head(const lesson *l, double scale, int causal, const double *want_weights,
                     const double *want_out, const char *what) {
  conditions k;
  problem p;
  result r;
  memset(&k, 0, sizeof k);
  COPY(k.q, l->q);
  COPY(k.k, l->k);
  COPY(k.v, l->v);
  condition(&k, scale, causal);
  problem_of(&p, l);
  p.shape.causal = causal;
  p.shape.scale_given = scale == 1;
  p.shape.scale = scale;
  result_make(&p, &r);
  for (int engine = 0; engine < ENGINES; engine++)
    for (size_t tile = 1; tile <= LEN + 1; tile++) {
      assert_int_equal(run(&p, (attest_engine)engine, tile, &r), ATTEST_OK);
      for (size_t i = 0; i < LEN; i++)
        for (size_t j = 0; j < LEN; j++) {
          const size_t at = i * LEN + j;
          /* set to zero after the softmax: only what is left can be compared */
          if (!causal && j > i)
            assert_true(want_weights[at] == 0 && r.weights[at] > 0);
          else
            near((double)r.weights[at], want_weights[at], k.dweight[at], what, at);
        }
      for (size_t at = 0; want_out && at < LEN * WIDTH; at++)
        near((double)r.out[at], want_out[at], k.dout[at], "output", at);
    }
  problem_free(&p);
  result_free(&r);
}

static void weights_and_output(void **unused) {
  (void)unused;
  for (int n = 0; n < sources; n++)
    one_head(&numbers[n], 0.5, 1, numbers[n].expect_w, numbers[n].expect_out, "weights");
}

static void without_scale(void **unused) {
  (void)unused;
  for (int n = 0; n < sources; n++)
    one_head(&numbers[n], 1, 1, numbers[n].expect_noscale, NULL, "weights without scale");
}

/* The wrong way: a softmax over all keys, the later ones set to zero afterwards. Its rows do not
   sum to one; attest's weights over all keys agree with what it left. */
static void zeroed_after(void **unused) {
  (void)unused;
  for (int n = 0; n < sources; n++) {
    one_head(&numbers[n], 0.5, 0, numbers[n].expect_zeroed, NULL, "weights zeroed after");
    double least = 1;
    for (size_t i = 0; i < LEN; i++) {
      double sum = 0;
      for (size_t j = 0; j <= i; j++) sum += numbers[n].expect_zeroed[i * LEN + j];
      if (sum < least) least = sum;
    }
    assert_true(least < 0.9);
  }
}

static real *as_real(const double *from, size_t count) {
  real *to = reals(count);
  for (size_t n = 0; n < count; n++) to[n] = (real)from[n];
  return to;
}

/* A layer from X, heads heads of (MODEL, heads * WIDTH) projections, through wo where given. */
static void layer(const lesson *l, size_t heads, const double *wq, const double *wk,
                  const double *wv, const double *wo, const double *want, const char *what) {
  const size_t cols = heads * WIDTH, out_cols = wo ? MODEL : cols;
  double change[LEN * MODEL];
  attest_layer_shape s;
  conditions k[2];
  for (size_t h = 0; h < heads; h++) {
    project(l->x, wq, cols, h * WIDTH, k[h].q, k[h].dq);
    project(l->x, wk, cols, h * WIDTH, k[h].k, k[h].dk);
    project(l->x, wv, cols, h * WIDTH, k[h].v, k[h].dv);
    condition(&k[h], 0.5, 1);
  }
  for (size_t i = 0; i < LEN; i++)
    for (size_t c = 0; c < out_cols; c++) {
      change[i * out_cols + c] = wo ? 0 : k[0].dout[i * WIDTH + c];
      for (size_t m = 0; wo && m < cols; m++)
        change[i * out_cols + c] +=
            (k[m / WIDTH].dout[i * WIDTH + m % WIDTH] +
             fabs(k[m / WIDTH].out[i * WIDTH + m % WIDTH])) * fabs(wo[m * MODEL + c]);
    }
  memset(&s, 0, sizeof s);
  s.len = LEN;
  s.model = MODEL;
  s.heads = s.kv_heads = heads;
  s.width = s.value_width = WIDTH;
  s.out = out_cols;
  s.causal = 1;
  real *x = as_real(l->x, LEN * MODEL), *q = as_real(wq, MODEL * cols),
       *key = as_real(wk, MODEL * cols), *v = as_real(wv, MODEL * cols),
       *o = wo ? as_real(wo, cols * MODEL) : NULL, *got = reals(LEN * out_cols);
  for (int engine = 0; engine < ENGINES; engine++)
    for (size_t tile = 1; tile <= LEN + 1; tile++) {
      const size_t need = attest_layer_scratch(&s, (attest_engine)engine, tile);
      real *scratch = reals(need);
      pattern(got, LEN * out_cols);
      assert_int_equal(attest_layer(&s, x, q, key, v, o, got, (attest_engine)engine, tile, scratch,
                                    need), ATTEST_OK);
      for (size_t at = 0; at < LEN * out_cols; at++)
        near((double)got[at], want[at], change[at], what, at);
      free(scratch);
    }
  free(x);
  free(q);
  free(key);
  free(v);
  free(o);
  free(got);
}

static void layer_of_one_head(void **unused) {
  (void)unused;
  for (int n = 0; n < sources; n++) {
    const lesson *l = &numbers[n];
    layer(l, 1, l->wq, l->wk, l->wv, NULL, l->expect_out, "layer of one head");
  }
}

static void layer_of_two_heads(void **unused) {
  (void)unused;
  for (int n = 0; n < sources; n++) {
    const lesson *l = &numbers[n];
    layer(l, 2, l->wq2, l->wk2, l->wv2, l->wo, l->expect_two, "layer of two heads");
  }
}

/* The numbers in the repository are those of the files. */
static void files_agree(void **unused) {
  (void)unused;
  if (sources == 1) {
    skip();
  }
  assert_memory_equal(&numbers[0], &numbers[1], sizeof numbers[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(weights_and_output),
    cmocka_unit_test(without_scale),
    cmocka_unit_test(zeroed_after),
    cmocka_unit_test(layer_of_one_head),
    cmocka_unit_test(layer_of_two_heads),
    cmocka_unit_test(files_agree),
  };
  const char *folder = getenv("ATTEST_LESSON");
  from_source(&numbers[0]);
  if (folder && *folder) {
    from_files(&numbers[1], folder);
    sources = 2;
  } else {
    puts("lesson: ATTEST_LESSON is not set: its files are not read");
  }
  const int failed = cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
  printf("lesson: %u figures compared, %u of them well conditioned\n", compared, well);
  return failed;
}
