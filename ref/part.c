#include "attention.h"
#include "finish.h"
#include "naive.h"
#include "softmax.h"

/*@ requires shape == \null || \valid_read(shape);
    requires arrays == \null || \valid_read(arrays);
    requires shape != \null ==> attest_lengths_readable(*shape);
    requires shape != \null && arrays != \null && attest_some_rows(*shape) &&
      attest_problem_ok(*shape, *arrays) && attest_inputs_given(*shape, *arrays) ==>
        attest_readable(*shape, *arrays) && attest_writable(*shape, *arrays);
    requires part == \null || \valid(part);
    requires acc != \null && shape != \null && shape->value_width <= ATTEST_MAX_WIDTH ==>
      \valid(acc + (0 .. shape->value_width - 1));
    requires scratch == \null || \valid(scratch + (0 .. scratch_count - 1));
    assigns *part, acc[0 .. shape->value_width - 1], scratch[0 .. scratch_count - 1];
    ensures null: shape == \null || arrays == \null || part == \null || acc == \null ||
      scratch == \null ==> \result == ATTEST_NULL;
    ensures within: \result == ATTEST_OK ==> batch < shape->batch && head < shape->q_heads &&
      i < shape->q_len && first <= last <= shape->kv_len;
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

/* into_acc := into_acc * keep + other_acc * take */
/*@ requires \valid(into_acc + (0 .. value_width - 1));
    requires \valid_read(other_acc + (0 .. value_width - 1));
    ATTEST_EXACTLY(requires \separated(into_acc + (0 .. value_width - 1),
                                       other_acc + (0 .. value_width - 1));)
    assigns into_acc[0 .. value_width - 1];
    ATTEST_EXACTLY(ensures sums: \forall integer c; 0 <= c < value_width ==> into_acc[c] ==
      attest_times(\old(into_acc[c]), keep) + attest_times(\old(other_acc[c]), take);)
*/
static void add_scaled(real *into_acc, real keep, const real *other_acc, real take,
                       size_t value_width) {
  /*@ loop invariant 0 <= c <= value_width;
      ATTEST_EXACTLY(
        loop invariant \forall integer e; 0 <= e < c ==> into_acc[e] ==
          attest_times(\at(into_acc[e], Pre), keep) + attest_times(\at(other_acc[e], Pre), take);
        loop invariant \forall integer e; c <= e < value_width ==>
          into_acc[e] == \at(into_acc[e], Pre);)
      loop assigns c, into_acc[0 .. value_width - 1];
      loop variant value_width - c; */
  for (size_t c = 0; c < value_width; c++) {
    //@ ghost ATTEST_EXACTLY(attest_named_product(into_acc[c], keep));
    //@ ghost ATTEST_EXACTLY(attest_named_product(other_acc[c], take));
    into_acc[c] = into_acc[c] * keep + other_acc[c] * take;
  }
}

/*@ assigns \nothing;
    ATTEST_EXACTLY(ensures a <= \result && b <= \result && (\result == a || \result == b);)
*/
static inline real larger(real a, real b) { return b > a ? b : a; }

/* into := into merged with other, where both have seen keys. */
/*@ requires \valid(into) && \valid_read(other);
    requires \valid(into_acc + (0 .. value_width - 1));
    requires \valid_read(other_acc + (0 .. value_width - 1));
    ATTEST_EXACTLY(
      requires attest_whole(into->exponent) && attest_whole(other->exponent);
      requires \separated(into, other, into_acc + (0 .. value_width - 1),
                          other_acc + (0 .. value_width - 1));)
    assigns into->exponent, into->sum, into_acc[0 .. value_width - 1];
    ATTEST_EXACTLY(
      ensures attest_whole(into->exponent);
      ensures mass: \forall integer i, a, b, d; attest_keys(a, b) && attest_keys(b, d) &&
        \old(into->sum) == attest_mass(i, a, b, \old(into->exponent)) &&
        \old(other->sum) == attest_mass(i, b, d, \old(other->exponent)) ==>
          into->sum == attest_mass(i, a, d, into->exponent);
      ensures moment: \forall integer c, i, a, b, d; 0 <= c < value_width &&
        attest_keys(a, b) && attest_keys(b, d) &&
        \old(into_acc[c]) == attest_moment(i, c, a, b, \old(into->exponent)) &&
        \old(other_acc[c]) == attest_moment(i, c, b, d, \old(other->exponent)) ==>
          into_acc[c] == attest_moment(i, c, a, d, into->exponent);)
*/
static void merge_seen(attest_partial *into, real *into_acc, const attest_partial *other,
                       const real *other_acc, size_t value_width) {
  const attest_partial a = *into, b = *other;
  const real top = larger(a.exponent, b.exponent);
  //@ ghost ATTEST_EXACTLY(attest_power_between(a.exponent, top));
  //@ ghost ATTEST_EXACTLY(attest_power_between(b.exponent, top));
  const real keep = attest_pow2(a.exponent - top), take = attest_pow2(b.exponent - top);
  /*@ ghost ATTEST_EXACTLY(
        attest_all_merge(value_width, a.exponent, keep, b.exponent, take, top)); */
  add_scaled(into_acc, keep, other_acc, take, value_width);
  //@ ghost ATTEST_EXACTLY(attest_named_product(a.sum, keep));
  //@ ghost ATTEST_EXACTLY(attest_named_product(b.sum, take));
  into->exponent = top;
  into->sum = a.sum * keep + b.sum * take;
}

/*@ requires \valid(into) && \valid_read(other);
    requires \valid(into_acc + (0 .. value_width - 1));
    requires \valid_read(other_acc + (0 .. value_width - 1));
    ATTEST_EXACTLY(requires into->seen != 0 ==> attest_whole(into->exponent);
                   requires other->seen != 0 ==> attest_whole(other->exponent);
                   requires \separated(into, other, into_acc + (0 .. value_width - 1),
                                       other_acc + (0 .. value_width - 1));)
    assigns *into, into_acc[0 .. value_width - 1];
    ATTEST_EXACTLY(ensures whole: \forall integer i, a, b, d;
      \old(attest_part_of(into->exponent, into->sum, into->seen, into_acc, value_width, i, a, b)) &&
      \old(attest_part_of(other->exponent, other->sum, other->seen, other_acc, value_width, i, b, d))
        ==> attest_part_of(into->exponent, into->sum, into->seen, into_acc, value_width, i, a, d);)
*/
void attest_merge(attest_partial *into, real *into_acc, const attest_partial *other,
                  const real *other_acc, size_t value_width) {
  //@ ghost ATTEST_EXACTLY(attest_all_any());
  if (!other->seen) {
    //@ ghost ATTEST_EXACTLY(attest_all_extend(value_width, into->exponent));
    return;
  }
  if (!into->seen) { /* whatever it holds: it need not even be cleared */
    //@ ghost ATTEST_EXACTLY(attest_all_extend(value_width, other->exponent));
    /*@ loop invariant 0 <= c <= value_width;
        ATTEST_EXACTLY(loop invariant \forall integer e; 0 <= e < c ==>
          into_acc[e] == \at(other_acc[e], Pre);)
        loop assigns c, into_acc[0 .. value_width - 1];
        loop variant value_width - c; */
    for (size_t c = 0; c < value_width; c++) into_acc[c] = other_acc[c];
    *into = *other;
    return;
  }
  merge_seen(into, into_acc, other, other_acc, value_width);
}

/*@ requires \valid_read(part);
    requires \valid_read(acc + (0 .. value_width - 1)) && \valid(out + (0 .. value_width - 1));
    requires lse == \null || \valid(lse);
    ATTEST_EXACTLY(requires out == acc || \separated(out + (0 .. value_width - 1),
                                                     acc + (0 .. value_width - 1));
                   requires lse != \null ==> \separated(lse, out + (0 .. value_width - 1));)
    assigns out[0 .. value_width - 1], *lse;
    ATTEST_EXACTLY(
      ensures seen: \old(part->seen) != 0 ==> \forall integer c; 0 <= c < value_width ==>
        out[c] == \old(acc[c]) / \old(part->sum);
      ensures empty: \old(part->seen) == 0 ==> \forall integer c; 0 <= c < value_width ==>
        attest_zero(out[c]);)
*/
void attest_finish(const attest_partial *part, const real *acc, size_t value_width, real *out,
                   real *lse) {
  const attest_partial p = *part;
  /*@ loop invariant 0 <= c <= value_width;
      ATTEST_EXACTLY(
        loop invariant \forall integer e; 0 <= e < c ==>
          (p.seen != 0 ==> out[e] == \at(acc[e], Pre) / p.sum) &&
          (p.seen == 0 ==> attest_zero(out[e]));
        loop invariant \forall integer e; c <= e < value_width ==> acc[e] == \at(acc[e], Pre);)
      loop assigns c, out[0 .. value_width - 1];
      loop variant value_width - c; */
  for (size_t c = 0; c < value_width; c++) out[c] = attest_output(acc[c], p.sum, p.seen);
  if (lse) *lse = attest_log_sum_exp(p.exponent, p.sum, p.seen);
}

/*@ requires len == \null || \valid(len);
    requires attest_fits(capacity * width);
    requires cache != \null && len != \null && rows != \null && *len + count <= capacity ==>
      \valid(cache + (0 .. capacity * width - 1)) &&
      \valid_read(rows + (0 .. count * width - 1));
    assigns *len, cache[0 .. capacity * width - 1];
    ensures null: cache == \null || len == \null || rows == \null ==> \result == ATTEST_NULL;
    behavior beyond:
      assumes cache != \null && len != \null && rows != \null && *len + count > capacity;
      ensures limit: \result == ATTEST_LIMIT;
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
