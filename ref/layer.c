#include "attention.h"
#include "matmul.h"
#include "sizes.h"

enum { MAX_MODEL = 1048576 }; /* model and out: 2^20 */

/* The arrays between the steps, one after the other in scratch: all queries, keys, values and
   concatenated heads, each (len, columns), then the scratch of the heads. */
typedef struct {
  size_t q_cols, k_cols, v_cols, cat_cols;
  size_t q, k, v, cat; /* elements of each */
} layer_plan;

/*@ predicate layer_sizes(attest_layer_shape s) =
      1 <= s.model <= MAX_MODEL && 1 <= s.out <= MAX_MODEL && s.len <= ATTEST_MAX_KEYS &&
      1 <= s.kv_heads <= s.heads <= ATTEST_MAX_HEADS && 1 <= s.width <= ATTEST_MAX_WIDTH &&
      1 <= s.value_width <= ATTEST_MAX_WIDTH;

    logic integer x_cells(attest_layer_shape s) = s.len * s.model;
    logic integer wq_cells(attest_layer_shape s) = s.model * (s.heads * s.width);
    logic integer wk_cells(attest_layer_shape s) = s.model * (s.kv_heads * s.width);
    logic integer wv_cells(attest_layer_shape s) = s.model * (s.kv_heads * s.value_width);
    logic integer wo_cells(attest_layer_shape s) = (s.heads * s.value_width) * s.out;
    logic integer out_cells(attest_layer_shape s) = s.len * s.out;

    predicate plan_ok(attest_layer_shape s, layer_plan p) =
      p.q_cols == s.heads * s.width && p.k_cols == s.kv_heads * s.width &&
      p.v_cols == s.kv_heads * s.value_width && p.cat_cols == s.heads * s.value_width &&
      1 <= p.q_cols && 1 <= p.k_cols && 1 <= p.v_cols && 1 <= p.cat_cols &&
      p.q == s.len * p.q_cols && p.k == s.len * p.k_cols && p.v == s.len * p.v_cols &&
      p.cat == s.len * p.cat_cols && attest_fits(p.q + p.k + p.v + p.cat) &&
      attest_fits(s.len * s.model) && attest_fits(s.len * s.out) &&
      attest_fits(s.model * p.q_cols) && attest_fits(s.model * p.k_cols) &&
      attest_fits(s.model * p.v_cols) && attest_fits(p.cat_cols * s.out);

    // the four arrays in scratch
    logic integer own_cells(attest_layer_shape s) =
      s.len * (s.heads * s.width) + s.len * (s.kv_heads * s.width) +
      s.len * (s.kv_heads * s.value_width) + s.len * (s.heads * s.value_width);

    // what a layer with this much scratch reads and writes; anything else is refused
    predicate layer_fits(attest_layer_shape s, integer count) =
      layer_sizes(s) && attest_fits(x_cells(s)) && attest_fits(wq_cells(s)) &&
      attest_fits(wk_cells(s)) && attest_fits(wv_cells(s)) && attest_fits(wo_cells(s)) &&
      attest_fits(out_cells(s)) && own_cells(s) <= count;
*/

#ifdef ATTEST_EXACT
/*@ // the elements of scratch that hold queries, keys and values, and in front of the heads' outputs
    logic integer all_queries(attest_layer_shape s) = s.len * (s.heads * s.width);
    logic integer all_keys(attest_layer_shape s) = s.len * (s.kv_heads * s.width);
    logic integer all_values(attest_layer_shape s) = s.len * (s.kv_heads * s.value_width);
    logic integer all_outputs(attest_layer_shape s) = s.len * (s.heads * s.value_width);

    // queries, keys and values in state B are x times each matrix, as these were in state A
    predicate projected{A, B}(attest_layer_shape s, float *x, float *wq, float *wk, float *wv,
                              float *scratch) =
      attest_is_product{A, B}(x, wq, s.len, s.model, s.heads * s.width, scratch) &&
      attest_is_product{A, B}(x, wk, s.len, s.model, s.kv_heads * s.width,
                              scratch + all_queries(s)) &&
      attest_is_product{A, B}(x, wv, s.len, s.model, s.kv_heads * s.value_width,
                              scratch + (all_queries(s) + all_keys(s)));

    // the sums that make x times w are the same in both states
    predicate sums_stay{A, B}(attest_layer_shape s, float *x, float *w, integer cols) =
      \forall integer i, c; 0 <= i < s.len && 0 <= c < cols ==>
        attest_cell{A}(x + attest_place(i, s.model), w, cols, c, s.model) ==
        attest_cell{B}(x + attest_place(i, s.model), w, cols, c, s.model);

    predicate scratch_kept{A, B}(float *scratch, integer n) =
      \forall integer m; 0 <= m < n ==> \at(scratch[m], A) == \at(scratch[m], B);

    // the outputs are the heads', side by side in scratch, times wo
    predicate put_together{L}(attest_layer_shape s, float *wo, float *scratch, float *out) =
      attest_is_product{L, L}(scratch + (all_queries(s) + all_keys(s) + all_values(s)), wo, s.len,
                              s.heads * s.value_width, s.out, out);

    // n elements that are in none of the inputs
    predicate layer_apart(attest_layer_shape s, float *x, float *wq, float *wk, float *wv, float *p,
                          integer n) =
      \separated(p + (0 .. n - 1), x + (0 .. x_cells(s) - 1)) &&
      \separated(p + (0 .. n - 1), wq + (0 .. wq_cells(s) - 1)) &&
      \separated(p + (0 .. n - 1), wk + (0 .. wk_cells(s) - 1)) &&
      \separated(p + (0 .. n - 1), wv + (0 .. wv_cells(s) - 1));
    predicate wo_apart(attest_layer_shape s, float *wo, float *scratch, integer n, float *out) =
      \separated(wo + (0 .. wo_cells(s) - 1), scratch + (0 .. n - 1)) &&
      \separated(wo + (0 .. wo_cells(s) - 1), out + (0 .. out_cells(s) - 1));
*/
#endif

/*@ assigns \nothing;
    ensures \result == ATTEST_OK ==> layer_sizes(s);
*/
static attest_status check_layer(const attest_layer_shape s) {
  if (s.model == 0 || s.out == 0 || s.heads == 0 || s.kv_heads == 0 || s.width == 0 ||
      s.value_width == 0)
    return ATTEST_SHAPE;
  if (s.model > MAX_MODEL || s.out > MAX_MODEL || s.len > ATTEST_MAX_KEYS ||
      s.heads > ATTEST_MAX_HEADS || s.width > ATTEST_MAX_WIDTH ||
      s.value_width > ATTEST_MAX_WIDTH)
    return ATTEST_LIMIT;
  return s.kv_heads > s.heads ? ATTEST_HEADS : ATTEST_OK;
}

/* Sizes beyond ATTEST_MAX_ELEMENTS stand for any that do not fit: plan_fits refuses them. */
/*@ assigns \nothing;
    ensures layer_sizes(s) ==> 1 <= \result.q_cols && 1 <= \result.k_cols &&
            1 <= \result.v_cols && 1 <= \result.cat_cols;
    ensures attest_fits(\result.q_cols) ==> \result.q_cols == s.heads * s.width;
    ensures attest_fits(\result.k_cols) ==> \result.k_cols == s.kv_heads * s.width;
    ensures attest_fits(\result.v_cols) ==> \result.v_cols == s.kv_heads * s.value_width;
    ensures attest_fits(\result.cat_cols) ==> \result.cat_cols == s.heads * s.value_width;
    ensures attest_fits(\result.q) ==> \result.q == s.len * \result.q_cols;
    ensures attest_fits(\result.k) ==> \result.k == s.len * \result.k_cols;
    ensures attest_fits(\result.v) ==> \result.v == s.len * \result.v_cols;
    ensures attest_fits(\result.cat) ==> \result.cat == s.len * \result.cat_cols;
*/
static layer_plan plan_of(const attest_layer_shape s) {
  layer_plan p;
  p.q_cols = attest_product(s.heads, s.width);
  p.k_cols = attest_product(s.kv_heads, s.width);
  p.v_cols = attest_product(s.kv_heads, s.value_width);
  p.cat_cols = attest_product(s.heads, s.value_width);
  p.q = attest_product(s.len, p.q_cols);
  p.k = attest_product(s.len, p.k_cols);
  p.v = attest_product(s.len, p.v_cols);
  p.cat = attest_product(s.len, p.cat_cols);
  return p;
}

/*@ requires layer_sizes(s);
    requires 1 <= p.q_cols && 1 <= p.k_cols && 1 <= p.v_cols && 1 <= p.cat_cols;
    requires attest_fits(p.q_cols) ==> p.q_cols == s.heads * s.width;
    requires attest_fits(p.k_cols) ==> p.k_cols == s.kv_heads * s.width;
    requires attest_fits(p.v_cols) ==> p.v_cols == s.kv_heads * s.value_width;
    requires attest_fits(p.cat_cols) ==> p.cat_cols == s.heads * s.value_width;
    requires attest_fits(p.q) ==> p.q == s.len * p.q_cols;
    requires attest_fits(p.k) ==> p.k == s.len * p.k_cols;
    requires attest_fits(p.v) ==> p.v == s.len * p.v_cols;
    requires attest_fits(p.cat) ==> p.cat == s.len * p.cat_cols;
    assigns \nothing;
    ensures \result != 0 ==> plan_ok(s, p);
*/
static int plan_fits(const attest_layer_shape s, const layer_plan p) {
  const size_t most = ATTEST_MAX_ELEMENTS;
  if (p.q_cols > most || p.k_cols > most || p.v_cols > most || p.cat_cols > most) return 0;
  if (p.q > most / 4 || p.k > most / 4 || p.v > most / 4 || p.cat > most / 4) return 0;
  return attest_product(s.len, s.model) <= most && attest_product(s.len, s.out) <= most &&
         attest_product(s.model, p.q_cols) <= most && attest_product(s.model, p.k_cols) <= most &&
         attest_product(s.model, p.v_cols) <= most && attest_product(p.cat_cols, s.out) <= most;
}

/* Sizes, strides and options of a layer's attention over (len, heads * width) arrays. */
/*@ requires layer_sizes(s) && plan_ok(s, plan);
    assigns \nothing;
    ensures \result.batch == 1 && \result.q_heads == s.heads && \result.kv_heads == s.kv_heads;
    ensures \result.q_len == s.len && \result.kv_len == s.len;
    ensures \result.width == s.width && \result.value_width == s.value_width;
    ensures \result.key_lengths == \null;
    ensures \result.q.head == s.width && \result.q.row == plan.q_cols;
    ensures \result.k.head == s.width && \result.k.row == plan.k_cols;
    ensures \result.v.head == s.value_width && \result.v.row == plan.v_cols;
    ensures \result.out.head == s.value_width && \result.out.row == plan.cat_cols;
*/
static attest_shape options_of(const attest_layer_shape s, const layer_plan plan) {
  attest_shape p = {0};
  p.batch = 1;
  p.q_heads = s.heads;
  p.kv_heads = s.kv_heads;
  p.q_len = s.len;
  p.kv_len = s.len;
  p.width = s.width;
  p.value_width = s.value_width;
  p.q.head = s.width;
  p.q.row = plan.q_cols;
  p.k.head = s.width;
  p.k.row = plan.k_cols;
  p.v.head = s.value_width;
  p.v.row = plan.v_cols;
  p.out.head = s.value_width;
  p.out.row = plan.cat_cols;
  p.scale_given = s.scale_given;
  p.scale = s.scale;
  p.softcap = s.softcap;
  p.causal = s.causal;
  p.window = s.window;
  p.left = s.left;
  p.right = s.right;
  p.offset = s.offset;
  return p;
}

/*@ ghost
  // one batch of dense rows of `cols` elements, each row holding `heads` heads
  /@ requires s.head == width && s.row == cols && cols == heads * width && all == len * cols;
     assigns \nothing;
     ensures attest_extent4(1, heads, len, width, s) == all; @/
  static void dense_extent(attest_strides s, size_t heads, size_t width, size_t cols, size_t len,
                           size_t all) {}
*/

/* The same, with what its arrays extend to. */
/*@ requires layer_sizes(s) && plan_ok(s, plan);
    assigns \nothing;
    ensures \result.q_len == s.len && \result.kv_len == s.len && \result.batch == 1;
    ensures \result.key_lengths == \null;
    ensures attest_q_extent(\result) == plan.q;
    ensures attest_k_extent(\result) == plan.k;
    ensures attest_v_extent(\result) == plan.v;
    ensures attest_out_extent(\result) == plan.cat;
*/
static attest_shape problem_of(const attest_layer_shape s, const layer_plan plan) {
  const attest_shape p = options_of(s, plan);
  //@ ghost dense_extent(p.q, s.heads, s.width, plan.q_cols, s.len, plan.q);
  //@ ghost dense_extent(p.k, s.kv_heads, s.width, plan.k_cols, s.len, plan.k);
  //@ ghost dense_extent(p.v, s.kv_heads, s.value_width, plan.v_cols, s.len, plan.v);
  //@ ghost dense_extent(p.out, s.heads, s.value_width, plan.cat_cols, s.len, plan.cat);
  return p;
}

/*@ requires shape == \null || \valid_read(shape);
    assigns \nothing;
*/
size_t attest_layer_scratch(const attest_layer_shape *shape, attest_engine engine, size_t tile) {
  if (!shape) return 0;
  const attest_layer_shape s = *shape;
  if (check_layer(s) != ATTEST_OK) return 0;
  const layer_plan plan = plan_of(s);
  if (!plan_fits(s, plan)) return 0;
  const size_t heads = attest_scratch_of(problem_of(s, plan), engine, tile);
  if (heads == 0) return 0;
  return plan.q + plan.k + plan.v + plan.cat + heads;
}

/* The heads of a layer, from its projected arrays. */
/*@ requires p.key_lengths == \null;
    requires \valid_read(q + (0 .. attest_q_extent(p) - 1));
    requires \valid_read(k + (0 .. attest_k_extent(p) - 1));
    requires \valid_read(v + (0 .. attest_v_extent(p) - 1));
    requires \valid(out + (0 .. attest_out_extent(p) - 1));
    requires \valid(scratch + (0 .. count - 1));
    assigns scratch[0 .. count - 1], out[0 .. attest_out_extent(p) - 1];
*/
static attest_status run_heads(const attest_shape p, const real *q, const real *k, const real *v,
                               real *out, attest_engine engine, size_t tile, real *scratch,
                               size_t count) {
  attest_arrays arrays = {0};
  arrays.q = q;
  arrays.k = k;
  arrays.v = v;
  arrays.out = out;
  return attest_run(p, arrays, engine, tile, scratch, count);
}

#ifdef ATTEST_EXACT
/*@ ghost
  // rows of `cols` elements, one after the other
  /@ requires rows <= ATTEST_MAX_CELLS && attest_fits(rows * cols);
     assigns \nothing;
     ensures attest_place(rows, cols) == rows * cols;
     ensures \forall integer i; 0 <= i < rows ==>
       0 <= attest_place(i, cols) && attest_place(i, cols) + cols <= rows * cols; @/
  static inline void rows_within(size_t rows, size_t cols) {
    attest_place_is(rows, cols, rows + 1);
    /@ loop invariant 0 <= n <= rows && 0 <= attest_place(n, cols);
       loop invariant \forall integer i; 0 <= i < n ==>
         0 <= attest_place(i, cols) && attest_place(i, cols) + cols <= attest_place(n, cols);
       loop assigns n;
       loop variant rows - n; @/
    for (size_t n = 0; n != rows; n++) {}
  }

  // the plan's sizes are those of the shape
  /@ requires layer_sizes(s) && plan_ok(s, p);
     assigns \nothing;
     ensures p.q == all_queries(s) && p.k == all_keys(s) && p.v == all_values(s);
     ensures p.cat == all_outputs(s) && p.cat_cols <= ATTEST_MAX_CELLS; @/
  static inline void plan_sizes(attest_layer_shape s, layer_plan p) {
    attest_product_of_three(s.len, s.heads, s.width, p.q_cols);
    attest_product_of_three(s.len, s.kv_heads, s.width, p.k_cols);
    attest_product_of_three(s.len, s.kv_heads, s.value_width, p.v_cols);
    attest_product_of_three(s.len, s.heads, s.value_width, p.cat_cols);
    /@ assert most: s.heads * s.value_width <= ATTEST_MAX_HEADS * s.value_width; @/
  }
*/
#endif

/* attest_matmul; a and b are afterwards what they were. */
/*@ requires inner >= 1 && cols >= 1;
    requires attest_fits(rows * inner) && attest_fits(inner * cols) && attest_fits(rows * cols);
    requires \valid_read(a + (0 .. rows * inner - 1));
    requires \valid_read(b + (0 .. inner * cols - 1));
    requires \valid(out + (0 .. rows * cols - 1));
    ATTEST_EXACTLY(
      requires rows <= ATTEST_MAX_KEYS && inner <= ATTEST_MAX_CELLS;
      requires \separated(out + (0 .. rows * cols - 1), a + (0 .. rows * inner - 1));
      requires \separated(out + (0 .. rows * cols - 1), b + (0 .. inner * cols - 1));)
    assigns out[0 .. rows * cols - 1];
    ATTEST_EXACTLY(ensures product: attest_is_product{Post, Post}(a, b, rows, inner, cols, out);)
*/
static void multiply(const real *a, const real *b, size_t rows, size_t inner, size_t cols,
                     real *out) {
  //@ ghost ATTEST_EXACTLY(rows_within(rows, inner));
  //@ ghost ATTEST_EXACTLY(rows_within(inner, cols));
  /*@ ghost ATTEST_EXACTLY(
        /@ assert a_apart: \forall integer i; 0 <= i < rows ==> \separated(
             out + (0 .. rows * cols - 1), a + attest_place(i, inner) + (0 .. inner - 1)); @/
        /@ assert b_apart: \separated(out + (0 .. rows * cols - 1),
                                     b + (0 .. attest_place(inner, cols) - 1)); @/); */
  attest_matmul(a, b, rows, inner, cols, out);
  /*@ ghost ATTEST_EXACTLY(
        /@ assert stay: attest_cells_stay{Pre, Here}(out, rows * cols, inner); @/
        /@ assert sums: \forall integer i, c; 0 <= i < rows && 0 <= c < cols ==>
             attest_cell(a + attest_place(i, inner), b, cols, c, inner) ==
             \at(attest_cell(a + attest_place(i, inner), b, cols, c, inner), Pre); @/); */
}

/* The queries, keys and values of all heads: x times each matrix. */
/*@ requires layer_sizes(s) && plan_ok(s, plan) && s.len >= 1;
    requires \valid_read(x + (0 .. s.len * s.model - 1));
    requires \valid_read(wq + (0 .. s.model * plan.q_cols - 1));
    requires \valid_read(wk + (0 .. s.model * plan.k_cols - 1));
    requires \valid_read(wv + (0 .. s.model * plan.v_cols - 1));
    requires \valid(to + (0 .. plan.q + plan.k + plan.v - 1));
    ATTEST_EXACTLY(
      requires \separated(to + (0 .. plan.q + plan.k + plan.v - 1), x + (0 .. s.len * s.model - 1));
      requires \separated(to + (0 .. plan.q + plan.k + plan.v - 1),
                          wq + (0 .. s.model * plan.q_cols - 1));
      requires \separated(to + (0 .. plan.q + plan.k + plan.v - 1),
                          wk + (0 .. s.model * plan.k_cols - 1));
      requires \separated(to + (0 .. plan.q + plan.k + plan.v - 1),
                          wv + (0 .. s.model * plan.v_cols - 1));)
    assigns to[0 .. plan.q + plan.k + plan.v - 1];
    ATTEST_EXACTLY(
      ensures queries: attest_is_product{Pre, Post}(x, wq, s.len, s.model, plan.q_cols, to);
      ensures keys: attest_is_product{Pre, Post}(x, wk, s.len, s.model, plan.k_cols, to + plan.q);
      ensures values: attest_is_product{Pre, Post}(x, wv, s.len, s.model, plan.v_cols,
                                                   to + (plan.q + plan.k));)
*/
static void project(const attest_layer_shape s, const layer_plan plan, const real *x,
                    const real *wq, const real *wk, const real *wv, real *to) {
  //@ ghost ATTEST_EXACTLY(rows_within(s.len, s.model));
  //@ ghost ATTEST_EXACTLY(rows_within(s.len, plan.q_cols));
  //@ ghost ATTEST_EXACTLY(rows_within(s.len, plan.k_cols));
  //@ ghost ATTEST_EXACTLY(rows_within(s.model, plan.k_cols));
  //@ ghost ATTEST_EXACTLY(rows_within(s.model, plan.v_cols));
  /*@ ghost ATTEST_EXACTLY(
        /@ assert x_apart: \forall integer i; 0 <= i < s.len ==>
             \separated(to + (0 .. s.len * plan.q_cols - 1),
                        x + attest_place(i, s.model) + (0 .. s.model - 1)); @/
        /@ assert wk_apart: \separated(to + (0 .. s.len * plan.q_cols - 1),
                                      wk + (0 .. attest_place(s.model, plan.k_cols) - 1)); @/
        /@ assert wv_apart: \separated(to + (0 .. s.len * plan.q_cols - 1),
                                      wv + (0 .. attest_place(s.model, plan.v_cols) - 1)); @/); */
  attest_matmul(x, wq, s.len, s.model, plan.q_cols, to);
  /*@ ghost ATTEST_EXACTLY(
        /@ assert stay: attest_cells_stay{Pre, Here}(to, s.len * plan.q_cols, s.model); @/
        /@ assert keys: sums_stay{Pre, Here}(s, x, wk, plan.k_cols); @/
        /@ assert values: sums_stay{Pre, Here}(s, x, wv, plan.v_cols); @/
        /@ assert x_next: \forall integer i; 0 <= i < s.len ==>
             \separated(to + plan.q + (0 .. s.len * plan.k_cols - 1),
                        x + attest_place(i, s.model) + (0 .. s.model - 1)); @/
        /@ assert wv_next: \separated(to + plan.q + (0 .. s.len * plan.k_cols - 1),
                                     wv + (0 .. attest_place(s.model, plan.v_cols) - 1)); @/); */
  //@ ghost ATTEST_EXACTLY(queries_done: ;)
  attest_matmul(x, wk, s.len, s.model, plan.k_cols, to + plan.q);
  /*@ ghost ATTEST_EXACTLY(
        /@ assert stay_next: attest_cells_stay{queries_done, Here}(to + plan.q, s.len * plan.k_cols,
                                                                  s.model); @/
        /@ assert values_next: sums_stay{queries_done, Here}(s, x, wv, plan.v_cols); @/
        /@ assert values_still: sums_stay{Pre, Here}(s, x, wv, plan.v_cols); @/); */
  attest_matmul(x, wv, s.len, s.model, plan.v_cols, to + (plan.q + plan.k));
}

/* The steps of a layer whose sizes passed. */
/*@ requires layer_sizes(s) && plan_ok(s, plan) && s.len >= 1;
    requires \valid_read(x + (0 .. x_cells(s) - 1));
    requires \valid_read(wq + (0 .. wq_cells(s) - 1));
    requires \valid_read(wk + (0 .. wk_cells(s) - 1));
    requires \valid_read(wv + (0 .. wv_cells(s) - 1));
    requires wo != \null ==> \valid_read(wo + (0 .. wo_cells(s) - 1));
    requires wo == \null ==> s.out == plan.cat_cols;
    requires \valid(out + (0 .. out_cells(s) - 1));
    requires heads <= 8388608 && own == plan.q + plan.k + plan.v + plan.cat;
    requires \valid(scratch + (0 .. own + heads - 1));
    ATTEST_EXACTLY(
      requires layer_apart(s, x, wq, wk, wv, scratch, own + heads);
      requires \separated(scratch + (0 .. own + heads - 1), out + (0 .. out_cells(s) - 1));
      requires wo != \null ==> wo_apart(s, wo, scratch, own + heads, out);)
    assigns scratch[0 .. own + heads - 1], out[0 .. out_cells(s) - 1];
    ATTEST_EXACTLY(
      ensures projections: projected{Pre, Post}(s, x, wq, wk, wv, scratch);
      ensures outputs: \result == ATTEST_OK && wo != \null ==> put_together(s, wo, scratch, out);)
*/
static attest_status run_layer(const attest_layer_shape s, const layer_plan plan, const real *x,
                               const real *wq, const real *wk, const real *wv, const real *wo,
                               real *out, attest_engine engine, size_t tile, real *scratch,
                               size_t heads) /*@ ghost (size_t own) */ {
  //@ ghost attest_product_of_three(s.model, s.heads, s.width, plan.q_cols);
  //@ ghost attest_product_of_three(s.model, s.kv_heads, s.width, plan.k_cols);
  //@ ghost attest_product_of_three(s.model, s.kv_heads, s.value_width, plan.v_cols);
  //@ ghost attest_product_of_three(s.out, s.heads, s.value_width, plan.cat_cols);
  real *q = scratch;
  real *k = scratch + plan.q;
  real *v = scratch + (plan.q + plan.k);
  real *cat = scratch + (plan.q + plan.k + plan.v);
  //@ ghost ATTEST_EXACTLY(plan_sizes(s, plan));
  //@ ghost ATTEST_EXACTLY(rows_within(s.len, plan.q_cols));
  //@ ghost ATTEST_EXACTLY(rows_within(s.len, plan.k_cols));
  //@ ghost ATTEST_EXACTLY(rows_within(s.len, plan.v_cols));
  project(s, plan, x, wq, wk, wv, scratch);
  //@ ghost ATTEST_EXACTLY(projections: ;)
  //@ ghost if (!wo) attest_equal_products(s.len, plan.cat_cols, s.out);
  const attest_shape problem = problem_of(s, plan);
  if (!wo) {
    const attest_status status =
        run_heads(problem, q, k, v, out, engine, tile, cat + plan.cat, heads);
    /*@ ghost ATTEST_EXACTLY(
          /@ assert kept: scratch_kept{projections, Here}(scratch, plan.q + plan.k + plan.v); @/
          /@ assert q_still: attest_is_product{Pre, Here}(x, wq, s.len, s.model, plan.q_cols, q); @/
          /@ assert k_still: attest_is_product{Pre, Here}(x, wk, s.len, s.model, plan.k_cols, k); @/
          /@ assert v_still: attest_is_product{Pre, Here}(x, wv, s.len, s.model, plan.v_cols, v); @/
          /@ assert projected_still: projected{Pre, Here}(s, x, wq, wk, wv, scratch); @/); */
    return status;
  }
  const attest_status status =
      run_heads(problem, q, k, v, cat, engine, tile, cat + plan.cat, heads);
  /*@ ghost ATTEST_EXACTLY(
        /@ assert kept: scratch_kept{projections, Here}(scratch, plan.q + plan.k + plan.v); @/
        /@ assert q_still: attest_is_product{Pre, Here}(x, wq, s.len, s.model, plan.q_cols, q); @/
        /@ assert k_still: attest_is_product{Pre, Here}(x, wk, s.len, s.model, plan.k_cols, k); @/
        /@ assert v_still: attest_is_product{Pre, Here}(x, wv, s.len, s.model, plan.v_cols, v); @/
        /@ assert projected_still: projected{Pre, Here}(s, x, wq, wk, wv, scratch); @/); */
  if (status != ATTEST_OK) return status;
  multiply(cat, wo, s.len, plan.cat_cols, s.out, out);
  /*@ ghost ATTEST_EXACTLY(
        /@ assert kept_on: scratch_kept{projections, Here}(scratch, plan.q + plan.k + plan.v); @/
        /@ assert q_on: attest_is_product{Pre, Here}(x, wq, s.len, s.model, plan.q_cols, q); @/
        /@ assert k_on: attest_is_product{Pre, Here}(x, wk, s.len, s.model, plan.k_cols, k); @/
        /@ assert v_on: attest_is_product{Pre, Here}(x, wv, s.len, s.model, plan.v_cols, v); @/
        /@ assert projected_on: projected{Pre, Here}(s, x, wq, wk, wv, scratch); @/); */
  return status;
}

/*@ ghost
  // the plan in terms of the shape
  /@ requires layer_sizes(s) && plan_ok(s, p) && p.q + p.k + p.v + p.cat <= count;
     assigns \nothing;
     ensures layer_fits(s, count); @/
  static void plan_is(attest_layer_shape s, layer_plan p, size_t count) {
    attest_product_of_three(s.model, s.heads, s.width, p.q_cols);
    attest_product_of_three(s.model, s.kv_heads, s.width, p.k_cols);
    attest_product_of_three(s.model, s.kv_heads, s.value_width, p.v_cols);
    attest_product_of_three(s.out, s.heads, s.value_width, p.cat_cols);
    attest_product_of_three(s.len, s.heads, s.width, p.q_cols);
    attest_product_of_three(s.len, s.kv_heads, s.width, p.k_cols);
    attest_product_of_three(s.len, s.kv_heads, s.value_width, p.v_cols);
    attest_product_of_three(s.len, s.heads, s.value_width, p.cat_cols);
  }
*/

/*@ requires shape == \null || \valid_read(shape);
    requires shape != \null && layer_fits(*shape, scratch_count) && x != \null ==>
      \valid_read(x + (0 .. x_cells(*shape) - 1));
    requires shape != \null && layer_fits(*shape, scratch_count) && wq != \null ==>
      \valid_read(wq + (0 .. wq_cells(*shape) - 1));
    requires shape != \null && layer_fits(*shape, scratch_count) && wk != \null ==>
      \valid_read(wk + (0 .. wk_cells(*shape) - 1));
    requires shape != \null && layer_fits(*shape, scratch_count) && wv != \null ==>
      \valid_read(wv + (0 .. wv_cells(*shape) - 1));
    requires shape != \null && layer_fits(*shape, scratch_count) && wo != \null ==>
      \valid_read(wo + (0 .. wo_cells(*shape) - 1));
    requires shape != \null && layer_fits(*shape, scratch_count) && out != \null ==>
      \valid(out + (0 .. out_cells(*shape) - 1));
    requires scratch == \null || \valid(scratch + (0 .. scratch_count - 1));
    ATTEST_EXACTLY(
      requires shape != \null && layer_fits(*shape, scratch_count) ==>
        layer_apart(*shape, x, wq, wk, wv, scratch, scratch_count) &&
        \separated(scratch + (0 .. scratch_count - 1), out + (0 .. out_cells(*shape) - 1)) &&
        (wo != \null ==> wo_apart(*shape, wo, scratch, scratch_count, out));)
    assigns scratch[0 .. scratch_count - 1], out[0 .. out_cells(*shape) - 1];
    ensures null: shape == \null || x == \null || wq == \null || wk == \null || wv == \null ||
      out == \null || scratch == \null ==> \result == ATTEST_NULL;
    ATTEST_EXACTLY(
      ensures projections: \result == ATTEST_OK && \old(shape->len) >= 1 ==>
        projected{Pre, Post}(\old(*shape), x, wq, wk, wv, scratch);
      ensures outputs: \result == ATTEST_OK && \old(shape->len) >= 1 && wo != \null ==>
        put_together(\old(*shape), wo, scratch, out);)
*/
attest_status attest_layer(const attest_layer_shape *shape, const real *x, const real *wq,
                           const real *wk, const real *wv, const real *wo, real *out,
                           attest_engine engine, size_t tile, real *scratch,
                           size_t scratch_count) {
  if (!shape || !x || !wq || !wk || !wv || !out || !scratch) return ATTEST_NULL;
  const attest_layer_shape s = *shape;
  attest_status status = check_layer(s);
  if (status != ATTEST_OK) return status;
  const layer_plan plan = plan_of(s);
  if (!plan_fits(s, plan)) return ATTEST_LIMIT;
  if (!wo && s.out != plan.cat_cols) return ATTEST_SHAPE;
  const attest_shape problem = problem_of(s, plan);
  const attest_arrays none = {0};
  status = attest_check(problem, none);
  if (status != ATTEST_OK) return status;
  const size_t heads = attest_scratch_of(problem, engine, tile);
  if (heads == 0) return ATTEST_ENGINE;
  const size_t own = plan.q + plan.k + plan.v + plan.cat;
  if (scratch_count < own || scratch_count - own < heads) return ATTEST_SCRATCH;
  //@ ghost plan_is(s, plan, scratch_count);
  if (s.len == 0) return ATTEST_OK;
  return run_layer(s, plan, x, wq, wk, wv, wo, out, engine, tile, scratch, heads)
      /*@ ghost (own) */;
}
