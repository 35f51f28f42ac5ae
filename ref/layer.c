#include "attention.h"
#include "matmul.h"
#include "sizes.h"

enum { MAX_MODEL = 1048576 }; /* model and out: 2^20 */

/* The arrays between the steps, one after the other in scratch: all queries, keys, values and
   concatenated heads, each (len, columns), then the scratch of the heads. */
typedef struct {
  size_t q_cols, k_cols, v_cols, cat_cols;
  size_t q, k, v, cat;   /* elements of each */
  size_t heads;          /* elements for attest_attention */
} layer_plan;

/*@ predicate layer_sizes(attest_layer_shape s) =
      1 <= s.model <= MAX_MODEL && 1 <= s.out <= MAX_MODEL && s.len <= ATTEST_MAX_KEYS &&
      1 <= s.kv_heads <= s.heads <= ATTEST_MAX_HEADS && 1 <= s.width <= ATTEST_MAX_WIDTH &&
      1 <= s.value_width <= ATTEST_MAX_WIDTH;
*/

/* The layer's attention as a problem over (len, heads * width) arrays. */
/*@ requires layer_sizes(s);
    assigns \nothing;
    ensures \result.batch == 1 && \result.q_heads == s.heads && \result.kv_heads == s.kv_heads;
    ensures \result.q_len == s.len && \result.kv_len == s.len;
    ensures \result.width == s.width && \result.value_width == s.value_width;
    ensures \result.key_lengths == \null;
    ensures \result.q.batch == 0 && \result.k.batch == 0 && \result.v.batch == 0 &&
            \result.out.batch == 0;
    ensures \result.q.head == s.width && \result.q.row == s.heads * s.width;
    ensures \result.k.head == s.width && \result.k.row == s.kv_heads * s.width;
    ensures \result.v.head == s.value_width && \result.v.row == s.kv_heads * s.value_width;
    ensures \result.out.head == s.value_width && \result.out.row == s.heads * s.value_width;
*/
static attest_shape problem_of(const attest_layer_shape s) {
  attest_shape p = {0};
  p.batch = 1;
  p.q_heads = s.heads;
  p.kv_heads = s.kv_heads;
  p.q_len = s.len;
  p.kv_len = s.len;
  p.width = s.width;
  p.value_width = s.value_width;
  p.q.head = s.width;
  p.q.row = s.heads * s.width;
  p.k.head = s.width;
  p.k.row = s.kv_heads * s.width;
  p.v.head = s.value_width;
  p.v.row = s.kv_heads * s.value_width;
  p.out.head = s.value_width;
  p.out.row = s.heads * s.value_width;
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

/* 0 where the sizes are refused. */
/*@ requires \valid(plan);
    assigns *plan;
    ensures \result == ATTEST_OK ==> layer_sizes(s) &&
      plan->q_cols == s.heads * s.width && plan->k_cols == s.kv_heads * s.width &&
      plan->v_cols == s.kv_heads * s.value_width && plan->cat_cols == s.heads * s.value_width &&
      plan->q == s.len * plan->q_cols && plan->k == s.len * plan->k_cols &&
      plan->v == s.len * plan->v_cols && plan->cat == s.len * plan->cat_cols &&
      attest_fits(plan->q + plan->k + plan->v + plan->cat) &&
      attest_fits(s.len * s.model) && attest_fits(s.len * s.out) &&
      attest_fits(s.model * plan->q_cols) && attest_fits(s.model * plan->k_cols) &&
      attest_fits(s.model * plan->v_cols) && attest_fits(plan->cat_cols * s.out);
*/
static attest_status plan_layer(const attest_layer_shape s, layer_plan *plan) {
  if (s.model == 0 || s.out == 0 || s.heads == 0 || s.kv_heads == 0 || s.width == 0 ||
      s.value_width == 0)
    return ATTEST_SHAPE;
  if (s.model > MAX_MODEL || s.out > MAX_MODEL || s.len > ATTEST_MAX_KEYS ||
      s.heads > ATTEST_MAX_HEADS || s.width > ATTEST_MAX_WIDTH ||
      s.value_width > ATTEST_MAX_WIDTH)
    return ATTEST_LIMIT;
  if (s.kv_heads > s.heads) return ATTEST_HEADS;
  size_t q_cols = s.width, k_cols = s.width, v_cols = s.value_width, cat_cols = s.value_width;
  if (!attest_times(&q_cols, s.heads) || !attest_times(&k_cols, s.kv_heads) ||
      !attest_times(&v_cols, s.kv_heads) || !attest_times(&cat_cols, s.heads))
    return ATTEST_LIMIT;
  size_t q = q_cols, k = k_cols, v = v_cols, cat = cat_cols;
  size_t wq = q_cols, wk = k_cols, wv = v_cols, wo = cat_cols, x = s.model, y = s.out;
  if (!attest_times(&q, s.len) || !attest_times(&k, s.len) || !attest_times(&v, s.len) ||
      !attest_times(&cat, s.len) || !attest_times(&wq, s.model) || !attest_times(&wk, s.model) ||
      !attest_times(&wv, s.model) || !attest_times(&wo, s.out) || !attest_times(&x, s.len) ||
      !attest_times(&y, s.len))
    return ATTEST_LIMIT;
  if (k > ATTEST_MAX_ELEMENTS - q || v > ATTEST_MAX_ELEMENTS - q - k ||
      cat > ATTEST_MAX_ELEMENTS - q - k - v)
    return ATTEST_LIMIT;
  plan->q_cols = q_cols;
  plan->k_cols = k_cols;
  plan->v_cols = v_cols;
  plan->cat_cols = cat_cols;
  plan->q = q;
  plan->k = k;
  plan->v = v;
  plan->cat = cat;
  return ATTEST_OK;
}

/*@ requires shape == \null || \valid_read(shape);
    assigns \nothing;
*/
size_t attest_layer_scratch(const attest_layer_shape *shape, attest_engine engine, size_t tile) {
  layer_plan plan;
  if (!shape || plan_layer(*shape, &plan) != ATTEST_OK) return 0;
  const attest_shape problem = problem_of(*shape);
  const size_t heads = attest_scratch(&problem, engine, tile);
  if (heads == 0) return 0;
  const size_t own = plan.q + plan.k + plan.v + plan.cat;
  if (heads > ATTEST_MAX_ELEMENTS - own) return 0;
  return own + heads;
}

/*@ requires shape == \null || \valid_read(shape);
    requires shape != \null && layer_sizes(*shape) && x != \null ==>
      \valid_read(x + (0 .. shape->len * shape->model - 1));
    requires shape != \null && layer_sizes(*shape) && wq != \null ==>
      \valid_read(wq + (0 .. shape->model * (shape->heads * shape->width) - 1));
    requires shape != \null && layer_sizes(*shape) && wk != \null ==>
      \valid_read(wk + (0 .. shape->model * (shape->kv_heads * shape->width) - 1));
    requires shape != \null && layer_sizes(*shape) && wv != \null ==>
      \valid_read(wv + (0 .. shape->model * (shape->kv_heads * shape->value_width) - 1));
    requires shape != \null && layer_sizes(*shape) && wo != \null ==>
      \valid_read(wo + (0 .. (shape->heads * shape->value_width) * shape->out - 1));
    requires shape != \null && layer_sizes(*shape) && out != \null ==>
      \valid(out + (0 .. shape->len * shape->out - 1));
    requires scratch == \null || \valid(scratch + (0 .. scratch_count - 1));
    assigns scratch[0 .. scratch_count - 1], out[0 .. shape->len * shape->out - 1];
*/
attest_status attest_layer(const attest_layer_shape *shape, const real *x, const real *wq,
                           const real *wk, const real *wv, const real *wo, real *out,
                           attest_engine engine, size_t tile, real *scratch,
                           size_t scratch_count) {
  if (!shape || !x || !wq || !wk || !wv || !out || !scratch) return ATTEST_NULL;
  const attest_layer_shape s = *shape;
  layer_plan plan;
  attest_status status = plan_layer(s, &plan);
  if (status != ATTEST_OK) return status;
  if (!wo && s.out != plan.cat_cols) return ATTEST_SHAPE;
  const attest_shape problem = problem_of(s);
  attest_arrays arrays = {0};
  status = attest_check(problem, arrays);
  if (status != ATTEST_OK) return status;
  const size_t heads = attest_scratch(&problem, engine, tile);
  if (heads == 0) return ATTEST_ENGINE;
  const size_t own = plan.q + plan.k + plan.v + plan.cat;
  if (scratch_count < own || scratch_count - own < heads) return ATTEST_SCRATCH;
  if (s.len == 0) return ATTEST_OK;

  real *q = scratch;
  real *k = q + plan.q;
  real *v = k + plan.k;
  real *cat = v + plan.v;
  attest_matmul(x, wq, s.len, s.model, plan.q_cols, q);
  attest_matmul(x, wk, s.len, s.model, plan.k_cols, k);
  attest_matmul(x, wv, s.len, s.model, plan.v_cols, v);
  arrays.q = q;
  arrays.k = k;
  arrays.v = v;
  arrays.out = wo ? cat : out;
  status = attest_attention(&problem, &arrays, engine, tile, cat + plan.cat, heads);
  if (status == ATTEST_OK && wo) attest_matmul(cat, wo, s.len, plan.cat_cols, s.out, out);
  return status;
}
