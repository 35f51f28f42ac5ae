#include "attention.h"
#include "finish.h"
#include "naive.h"
#include "softmax.h"

/*@ requires shape == \null || \valid_read(shape);
    requires arrays == \null || \valid_read(arrays);
    requires shape != \null ==> attest_lengths_readable(*shape);
    requires shape != \null && arrays != \null && attest_some_rows(*shape) &&
      attest_problem_ok(*shape, *arrays) ==>
        attest_readable(*shape, *arrays) && attest_writable(*shape, *arrays);
    requires part == \null || \valid(part);
    requires acc != \null && shape != \null ==> \valid(acc + (0 .. shape->value_width - 1));
    requires scratch == \null || \valid(scratch + (0 .. scratch_count - 1));
    assigns *part, acc[0 .. shape->value_width - 1], scratch[0 .. scratch_count - 1];
*/
attest_status attest_part(const attest_shape *shape, const attest_arrays *arrays, size_t batch,
                          size_t head, size_t i, size_t first, size_t last, attest_partial *part,
                          real *acc, real *scratch, size_t scratch_count) {
  if (!shape || !arrays || !part || !acc || !scratch) return ATTEST_NULL;
  const attest_shape s = *shape;
  const attest_arrays a = *arrays;
  const attest_status status = attest_check(s, a);
  if (status != ATTEST_OK) return status;
  if (batch >= s.batch || head >= s.q_heads || i >= s.q_len || first > last || last > s.kv_len)
    return ATTEST_LIMIT;
  if (!a.q || (s.kv_len > 0 && (!a.k || !a.v))) return ATTEST_NULL;
  if (scratch_count < s.kv_len) return ATTEST_SCRATCH;
  const attest_head h = attest_head_at(s, a, batch, head);
  size_t begin = attest_bound(i, h.low, h.key_length);
  size_t end = attest_bound(i, h.high, h.key_length);
  if (begin < first) begin = first;
  if (end > last) end = last;
  if (end < begin) end = begin;
  attest_naive_part(h, attest_rule_of(s), i, begin, end, part, acc, scratch);
  return ATTEST_OK;
}

/*@ requires \valid(into) && \valid_read(other);
    requires \valid(into_acc + (0 .. value_width - 1));
    requires \valid_read(other_acc + (0 .. value_width - 1));
    assigns *into, into_acc[0 .. value_width - 1];
*/
void attest_merge(attest_partial *into, real *into_acc, const attest_partial *other,
                  const real *other_acc, size_t value_width) {
  if (!other->seen) return;
  const attest_partial a = *into, b = *other;
  if (!a.seen) { /* whatever it holds: it need not even be cleared */
    /*@ loop invariant 0 <= c <= value_width;
        loop assigns c, into_acc[0 .. value_width - 1];
        loop variant value_width - c; */
    for (size_t c = 0; c < value_width; c++) into_acc[c] = other_acc[c];
    *into = b;
    return;
  }
  const real top = b.exponent > a.exponent ? b.exponent : a.exponent;
  const real keep = attest_pow2(a.exponent - top), take = attest_pow2(b.exponent - top);
  /*@ loop invariant 0 <= c <= value_width;
      loop assigns c, into_acc[0 .. value_width - 1];
      loop variant value_width - c; */
  for (size_t c = 0; c < value_width; c++)
    into_acc[c] = into_acc[c] * keep + other_acc[c] * take;
  into->exponent = top;
  into->sum = a.sum * keep + b.sum * take;
}

/*@ requires \valid_read(part);
    requires \valid_read(acc + (0 .. value_width - 1)) && \valid(out + (0 .. value_width - 1));
    requires lse == \null || \valid(lse);
    assigns out[0 .. value_width - 1], *lse;
*/
void attest_finish(const attest_partial *part, const real *acc, size_t value_width, real *out,
                   real *lse) {
  const attest_partial p = *part;
  /*@ loop invariant 0 <= c <= value_width;
      loop assigns c, out[0 .. value_width - 1];
      loop variant value_width - c; */
  for (size_t c = 0; c < value_width; c++) out[c] = attest_output(acc[c], p.sum, p.seen);
  if (lse) *lse = attest_log_sum_exp(p.exponent, p.sum, p.seen);
}

/*@ requires len == \null || \valid(len);
    requires cache != \null && len != \null && *len <= capacity ==>
      \valid(cache + (0 .. capacity * width - 1));
    requires rows != \null ==> \valid_read(rows + (0 .. count * width - 1));
    requires attest_fits(capacity * width);
    assigns *len, cache[0 .. capacity * width - 1];
*/
attest_status attest_append(real *cache, size_t capacity, size_t width, size_t *len,
                            const real *rows, size_t count) {
  if (!cache || !len || !rows) return ATTEST_NULL;
  const size_t at = *len;
  if (at > capacity || count > capacity - at) return ATTEST_LIMIT;
  const size_t first = at * width, total = count * width;
  /*@ loop invariant 0 <= n <= total;
      loop assigns n, cache[0 .. capacity * width - 1];
      loop variant total - n; */
  for (size_t n = 0; n < total; n++) cache[first + n] = rows[n];
  *len = at + count;
  return ATTEST_OK;
}
