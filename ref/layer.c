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
    assigns scratch[0 .. own + heads - 1], out[0 .. out_cells(s) - 1];
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
  attest_matmul(x, wq, s.len, s.model, plan.q_cols, q);
  attest_matmul(x, wk, s.len, s.model, plan.k_cols, k);
  attest_matmul(x, wv, s.len, s.model, plan.v_cols, v);
  //@ ghost if (!wo) attest_equal_products(s.len, plan.cat_cols, s.out);
  const attest_shape problem = problem_of(s, plan);
  if (!wo) return run_heads(problem, q, k, v, out, engine, tile, cat + plan.cat, heads);
  const attest_status status =
      run_heads(problem, q, k, v, cat, engine, tile, cat + plan.cat, heads);
  if (status == ATTEST_OK) attest_matmul(cat, wo, s.len, plan.cat_cols, s.out, out);
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
    assigns scratch[0 .. scratch_count - 1], out[0 .. out_cells(*shape) - 1];
    ensures null: shape == \null || x == \null || wq == \null || wk == \null || wv == \null ||
      out == \null || scratch == \null ==> \result == ATTEST_NULL;
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
