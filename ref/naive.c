#include "naive.h"

#include "dot.h"
#include "finish.h"
#include "row_ops.h"
#include "softmax.h"

#ifdef ATTEST_EXACT
/*@ // y holds the scores of the visible keys
    predicate attest_scored{L}(integer i, integer begin, integer end, real *y) =
      \forall integer j; begin <= j < end && attest_sees(i, j) ==> y[j] == attest_y(i, j);

    // a whole number, not below any of their rounded scores
    predicate attest_raised(integer i, integer begin, integer end, attest_number exponent) =
      attest_whole(exponent) &&
      \forall integer j; begin <= j < end && attest_sees(i, j) ==>
        attest_nearest(attest_y(i, j)) <= exponent;

    // what is written of the outputs of a row: times the sum of the weights, the weighted sum of the
    // values; 0 where no key is visible
    predicate attest_row_given{L}(integer i, integer a, integer b, integer width, real *out) =
      \forall integer c; 0 <= c < width ==>
        (attest_any(i, a, b) ==> attest_times(attest_mass(i, a, b, 0.0), out[c]) ==
                                 attest_moment(i, c, a, b, 0.0)) &&
        (!attest_any(i, a, b) ==> attest_zero(out[c]));

    // what a row writes is none of what the head holds for it, nor of each other
    predicate attest_row_apart(attest_head h, integer i, real *y, real *out, real *lse,
                               real *weights) =
      attest_apart(h, i, y, h.kv_len) && attest_apart(h, i, out, h.value_width) &&
      \separated(y + (0 .. h.kv_len - 1), out + (0 .. h.value_width - 1)) &&
      (lse != \null ==> \separated(lse, out + (0 .. h.value_width - 1))) &&
      (weights != \null ==>
        \separated(weights + (0 .. h.kv_len - 1), out + (0 .. h.value_width - 1)));
*/

/*@ ghost
  // what attest_score_at does
  /@ requires 0 <= j < h.kv_len;
     assigns \nothing;
     ensures attest_holds_b(h, i) && dot == attest_dot_of(i, j, h.width) ==>
       attest_score_number(h, rule, dot, attest_bias_at(h, i, j)) ==
       attest_score_number(h, rule, attest_dot_of(i, j, h.width), attest_b(i, j)); @/
  static inline void attest_score_is(attest_head h, attest_rule rule, size_t i, size_t j,
                                     real dot) {}

  // what attest_masked answers
  /@ requires 0 <= j < h.kv_len;
     assigns \nothing;
     ensures attest_holds_b(h, i) && attest_holds_masks(h, i) ==> (attest_sees(i, j) <==>
       attest_mask_shows(h, i, j) &&
       (h.bias != \null ==> -ATTEST_MAX <= attest_bias_at(h, i, j))); @/
  static inline void attest_sees_is(attest_head h, size_t i, size_t j) {}

  // outputs against the reference m are outputs against 0
  /@ requires a <= b;
     assigns \nothing;
     ensures (\forall integer c; 0 <= c < width ==> attest_times(attest_mass(i, a, b, m), out[c]) ==
                                                     attest_moment(i, c, a, b, m)) ==>
       (\forall integer c; 0 <= c < width ==> attest_times(attest_mass(i, a, b, 0.0), out[c]) ==
                                               attest_moment(i, c, a, b, 0.0)); @/
  static inline void attest_outputs_shift(const real *out, size_t width, size_t i, size_t a,
                                          size_t b, real m) {
    attest_mass_shift(i, a, b, m, 0);
    /@ loop invariant 0 <= d <= width;
       loop invariant \forall integer c; 0 <= c < d &&
         attest_times(attest_mass(i, a, b, m), out[c]) == attest_moment(i, c, a, b, m) ==>
           attest_times(attest_mass(i, a, b, 0.0), out[c]) == attest_moment(i, c, a, b, 0.0);
       loop assigns d;
       loop variant width - d; @/
    for (size_t d = 0; d != width; d++) {
      attest_moment_shift(i, d, a, b, m, 0);
      /@ assert step: \let w = attest_times(attest_mass(i, a, b, m), out[d]);
           attest_times(w, attest_two_to(m, 0.0)) ==
           attest_times(attest_mass(i, a, b, 0.0), out[d]); @/
    }
  }

  /@ assigns \nothing;
     ensures attest_whole(-1.0e40); @/
  static inline void attest_far_whole(void) {}
*/
#endif

/* y[j] := x, for the proof: y is no part of what the head holds. */
/*@ requires j < h.kv_len && \valid(y + (0 .. h.kv_len - 1));
    assigns y[j];
    ATTEST_EXACTLY(ensures y[j] == x;
    behavior numbers:
      assumes attest_holds(h, i) && attest_apart(h, i, y, h.kv_len);
      ensures attest_holds_q(h, i);
      ensures attest_holds_k(h, i);
      ensures attest_holds_v(h, i);
      ensures attest_holds_b(h, i);
      ensures attest_holds_masks(h, i);)
*/
static inline void put(real *y, size_t j, real x) /*@ ghost (attest_head h, size_t i) */ {
  y[j] = x;
}

/* The score of key j into y[j], -inf where hidden; returns whether it is visible. */
/*@ requires attest_sizes(h) && attest_inputs(h);
    requires i < h.q_len && j < h.kv_len;
    requires \valid(y + (0 .. h.kv_len - 1));
    assigns y[j];
    ATTEST_EXACTLY(behavior numbers:
      assumes attest_holds(h, i) && attest_holds_scores(h, rule, i);
      assumes attest_apart(h, i, y, h.kv_len);
      ensures attest_holds(h, i);
      ensures sees: \result != 0 <==> attest_sees(i, j);
      ensures score: attest_sees(i, j) ==> y[j] == attest_y(i, j);)
*/
static int score_key(const attest_head h, attest_rule rule, size_t i, size_t j, real *y) {
  //@ ghost ATTEST_EXACTLY(attest_sees_is(h, i, j));
  if (attest_masked(h, i, j)) {
    put(y, j, ATTEST_HIDDEN) /*@ ghost (h, i) */;
    return 0;
  }
  const real *q = h.q + attest_row(i, h.q_row) /*@ ghost (h.q_len) */;
  const real *k = h.k + attest_row(j, h.k_row) /*@ ghost (h.kv_len) */;
  //@ ghost ATTEST_EXACTLY(attest_dot_numbers(q, k, i, j, h.width));
  const real dot = attest_dot(q, k, h.width);
  //@ ghost ATTEST_EXACTLY(attest_score_is(h, rule, i, j, dot));
  /*@ ghost ATTEST_EXACTLY(
        /@ for numbers: assert product: dot == attest_dot_of(i, j, h.width); @/
        /@ for numbers: assert number: attest_y(i, j) ==
             attest_score_number(h, rule, dot, attest_bias_at(h, i, j)); @/); */
  put(y, j, attest_score_at(h, rule, i, j, dot)) /*@ ghost (h, i) */;
  return 1;
}

/* Scores of row i into y, -inf where hidden; returns whether any key was visible. */
/*@ requires attest_sizes(h) && attest_inputs(h);
    requires i < h.q_len && begin <= end <= h.kv_len;
    requires \valid(y + (0 .. h.kv_len - 1));
    assigns y[0 .. h.kv_len - 1];
    ATTEST_EXACTLY(behavior numbers:
      assumes attest_holds(h, i) && attest_holds_scores(h, rule, i);
      assumes attest_apart(h, i, y, h.kv_len);
      ensures attest_holds(h, i);
      ensures scores: attest_scored(i, begin, end, y);
      ensures any: \result != 0 <==> attest_any(i, begin, end);)
*/
static int score_row(const attest_head h, attest_rule rule, size_t i, size_t begin, size_t end,
                     real *y) {
  int seen = 0;
  /*@ loop invariant begin <= j <= end;
      ATTEST_EXACTLY(
        for numbers: loop invariant attest_holds(h, i);
        for numbers: loop invariant attest_scored(i, begin, j, y);
        for numbers: loop invariant seen != 0 <==> attest_any(i, begin, j);)
      loop assigns j, seen, y[0 .. h.kv_len - 1];
      loop variant end - j; */
  for (size_t j = begin; j < end; j++) {
    //@ ghost ATTEST_EXACTLY(attest_any_next(i, begin, j));
    if (score_key(h, rule, i, j, y)) seen = 1;
  }
  return seen;
}

/* The largest rounded score; -inf where there is none. */
/*@ requires begin <= end && \valid_read(y + (begin .. end - 1));
    assigns \nothing;
    ATTEST_EXACTLY(behavior numbers:
      assumes attest_scored(i, begin, end, y);
      ensures attest_raised(i, begin, end, \result);)
*/
static real exponent_of(size_t begin, size_t end, const real *y) /*@ ghost (size_t i) */ {
  real exponent = ATTEST_HIDDEN;
  //@ ghost ATTEST_EXACTLY(attest_far_whole());
  /*@ loop invariant begin <= j <= end;
      ATTEST_EXACTLY(for numbers: loop invariant attest_raised(i, begin, j, exponent);)
      loop assigns j, exponent;
      loop variant end - j; */
  for (size_t j = begin; j < end; j++) exponent = attest_raise(exponent, y[j]);
  return exponent;
}

/* acc := acc + p times the value row of key j */
/*@ requires attest_sizes(h) && attest_inputs(h);
    requires i < h.q_len && j < h.kv_len;
    requires \valid(acc + (0 .. h.value_width - 1));
    assigns acc[0 .. h.value_width - 1];
    ATTEST_EXACTLY(behavior numbers:
      assumes attest_holds(h, i) && attest_apart(h, i, acc, h.value_width) && attest_sees(i, j);
      ensures attest_holds(h, i);
      ensures sum: \forall integer c; 0 <= c < h.value_width ==>
        acc[c] == \old(acc[c]) + attest_times(p, attest_v(j, c));)
*/
static void add_key(const attest_head h, size_t j, real p, real *acc) /*@ ghost (size_t i) */ {
  const real *v = h.v + attest_row(j, h.v_row) /*@ ghost (h.kv_len) */;
  /*@ ghost ATTEST_EXACTLY(
        /@ for numbers: assert value: \forall integer c; 0 <= c < h.value_width ==>
             v[c] == attest_v(j, c); @/); */
  attest_add_row(acc, p, v, h.value_width);
  /*@ ghost ATTEST_EXACTLY(
        /@ for numbers: assert queries: attest_holds_q(h, i); @/
        /@ for numbers: assert keys: attest_holds_k(h, i); @/
        /@ for numbers: assert values: attest_holds_v(h, i); @/
        /@ for numbers: assert biases: attest_holds_b(h, i); @/); */
}

/* The weighted sum of the value rows of visible keys, from their scores y and an exponent that these
   have raised. Returns the sum of the weights. */
/*@ requires attest_sizes(h) && attest_inputs(h);
    requires i < h.q_len && begin <= end <= h.kv_len;
    requires \valid_read(y + (0 .. h.kv_len - 1)) && \valid(acc + (0 .. h.value_width - 1));
    assigns acc[0 .. h.value_width - 1];
    ATTEST_EXACTLY(behavior numbers:
      assumes attest_holds(h, i) && attest_holds_scores(h, rule, i);
      assumes attest_apart(h, i, acc, h.value_width);
      assumes \separated(y + (0 .. h.kv_len - 1), acc + (0 .. h.value_width - 1));
      assumes attest_scored(i, begin, end, y) && attest_raised(i, begin, end, exponent);
      ensures attest_holds(h, i);
      ensures attest_scored(i, begin, end, y);
      ensures mass: \result == attest_mass(i, begin, end, exponent);
      ensures moment: \forall integer c; 0 <= c < h.value_width ==>
        acc[c] == attest_moment(i, c, begin, end, exponent);)
*/
static real sum_row(const attest_head h, size_t i, size_t begin, size_t end, const real *y,
                    real exponent, real *acc) /*@ ghost (attest_rule rule) */ {
  attest_clear_row(acc, h.value_width);
  /*@ ghost ATTEST_EXACTLY(
        /@ for numbers: assert queries: attest_holds_q(h, i); @/
        /@ for numbers: assert keys: attest_holds_k(h, i); @/
        /@ for numbers: assert values: attest_holds_v(h, i); @/
        /@ for numbers: assert biases: attest_holds_b(h, i); @/); */
  real sum = 0;
  /*@ loop invariant begin <= j <= end;
      ATTEST_EXACTLY(
        for numbers: loop invariant attest_holds(h, i);
        for numbers: loop invariant attest_scored(i, begin, end, y);
        for numbers: loop invariant sum == attest_mass(i, begin, j, exponent);
        for numbers: loop invariant \forall integer c; 0 <= c < h.value_width ==>
          acc[c] == attest_moment(i, c, begin, j, exponent);)
      loop assigns j, sum, acc[0 .. h.value_width - 1];
      loop variant end - j; */
  for (size_t j = begin; j < end; j++) {
    //@ ghost ATTEST_EXACTLY(attest_sees_is(h, i, j));
    if (attest_masked(h, i, j)) continue; /* absent: its value row may hold anything */
    const real p = attest_weight(y[j], exponent);
    //@ ghost ATTEST_EXACTLY(/@ for numbers: assert weight: p == attest_term(i, j, exponent); @/);
    sum += p;
    add_key(h, j, p, acc) /*@ ghost (i) */;
  }
  return sum;
}

/* attest_naive_part, by value. */
/*@ requires attest_sizes(h) && attest_inputs(h);
    requires i < h.q_len && begin <= end <= h.kv_len;
    requires \valid(acc + (0 .. h.value_width - 1)) && \valid(y + (0 .. h.kv_len - 1));
    assigns acc[0 .. h.value_width - 1], y[0 .. h.kv_len - 1];
    ATTEST_EXACTLY(behavior numbers:
      assumes attest_holds(h, i) && attest_holds_scores(h, rule, i);
      assumes attest_apart(h, i, y, h.kv_len) && attest_apart(h, i, acc, h.value_width);
      assumes \separated(y + (0 .. h.kv_len - 1), acc + (0 .. h.value_width - 1));
      ensures attest_holds(h, i);
      ensures attest_scored(i, begin, end, y) && attest_raised(i, begin, end, \result.exponent);
      ensures row: attest_part_of(\result.exponent, \result.sum, \result.seen, acc, h.value_width,
                                  i, begin, end);)
*/
static attest_partial part_of(const attest_head h, attest_rule rule, size_t i, size_t begin,
                              size_t end, real *acc, real *y) {
  attest_partial part;
  part.seen = score_row(h, rule, i, begin, end, y);
  part.exponent = exponent_of(begin, end, y) /*@ ghost (i) */;
  part.sum = sum_row(h, i, begin, end, y, part.exponent, acc) /*@ ghost (rule) */;
  return part;
}

void attest_naive_part(const attest_head h, attest_rule rule, size_t i, size_t begin, size_t end,
                       attest_partial *part, real *acc, real *y) {
  *part = part_of(h, rule, i, begin, end, acc, y);
}

/* The weights of row i from its scores. Hidden keys are asked for again rather than told by a
   score of -inf, since in a row of NaN their weight is still 0. */
/*@ requires attest_sizes(h) && attest_inputs(h);
    requires i < h.q_len && begin <= end <= h.kv_len;
    requires \valid_read(y + (0 .. h.kv_len - 1)) && \valid(weights + (0 .. h.kv_len - 1));
    assigns weights[0 .. h.kv_len - 1];
*/
static void weigh_row(const attest_head h, size_t i, size_t begin, size_t end, const real *y,
                      real exponent, real sum, real *weights) {
  /*@ loop invariant 0 <= j <= h.kv_len;
      loop assigns j, weights[0 .. h.kv_len - 1];
      loop variant h.kv_len - j; */
  for (size_t j = 0; j < h.kv_len; j++) {
    weights[j] = 0;
    if (j >= begin && j < end && !attest_masked(h, i, j))
      weights[j] = attest_quotient(attest_weight(y[j], exponent), sum);
  }
}

/* From weighted sums to outputs. */
/*@ requires \valid(out + (0 .. value_width - 1));
    assigns out[0 .. value_width - 1];
    ATTEST_EXACTLY(
      ensures seen: seen != 0 && 0.0 < sum ==> \forall integer c; 0 <= c < value_width ==>
        attest_times(sum, out[c]) == \old(out[c]);
      ensures empty: seen == 0 ==> \forall integer c; 0 <= c < value_width ==>
        attest_zero(out[c]);)
*/
static void divide_row(real sum, int seen, size_t value_width, real *out) {
  /*@ loop invariant 0 <= c <= value_width;
      ATTEST_EXACTLY(
        loop invariant \forall integer d; 0 <= d < c ==>
          (seen != 0 && 0.0 < sum ==> attest_times(sum, out[d]) == \at(out[d], Pre)) &&
          (seen == 0 ==> attest_zero(out[d]));
        loop invariant \forall integer d; c <= d < value_width ==> out[d] == \at(out[d], Pre);)
      loop assigns c, out[0 .. value_width - 1];
      loop variant value_width - c; */
  for (size_t c = 0; c < value_width; c++) {
    const real share = attest_output(out[c], sum, seen);
    //@ ghost ATTEST_EXACTLY(attest_divided(out[c], sum, share));
    out[c] = share;
  }
}

/* Row i: outputs, and where asked for the log-sum-exp and the weights. */
/*@ requires attest_sizes(h) && attest_inputs(h) && i < h.q_len;
    requires \valid(y + (0 .. h.kv_len - 1)) && \valid(out + (0 .. h.value_width - 1));
    requires lse == \null || \valid(lse);
    requires weights == \null || \valid(weights + (0 .. h.kv_len - 1));
    assigns y[0 .. h.kv_len - 1], out[0 .. h.value_width - 1], *lse, weights[0 .. h.kv_len - 1];
    ATTEST_EXACTLY(behavior numbers:
      assumes attest_holds(h, i) && attest_holds_scores(h, rule, i);
      assumes attest_row_apart(h, i, y, out, lse, weights);
      ensures output: attest_row_given(i, attest_first(h, i), attest_last(h, i), h.value_width,
                                       out);)
*/
static void naive_row(const attest_head h, attest_rule rule, size_t i, real *y, real *out,
                      real *lse, real *weights) {
  const size_t begin = attest_bound(i, h.low, h.key_length);
  const size_t high = attest_bound(i, h.high, h.key_length);
  const size_t end = high > begin ? high : begin;
  const attest_partial part = part_of(h, rule, i, begin, end, out, y);
  /*@ ghost ATTEST_EXACTLY(
        attest_mass_sign(i, begin, end, part.exponent);
        /@ for numbers: assert place: begin == attest_first(h, i) && end == attest_last(h, i); @/
        /@ for numbers: assert any: part.seen != 0 <==> attest_any(i, begin, end); @/
        /@ for numbers: assert mass: part.seen != 0 ==>
             part.sum == attest_mass(i, begin, end, part.exponent); @/
        /@ for numbers: assert moment: part.seen != 0 ==>
             \forall integer c; 0 <= c < h.value_width ==>
               out[c] == attest_moment(i, c, begin, end, part.exponent); @/); */
  divide_row(part.sum, part.seen, h.value_width, out);
  /*@ ghost ATTEST_EXACTLY(
        /@ for numbers: assert quotient: part.seen != 0 ==>
             \forall integer c; 0 <= c < h.value_width ==>
               attest_times(attest_mass(i, begin, end, part.exponent), out[c]) ==
               attest_moment(i, c, begin, end, part.exponent); @/
        attest_outputs_shift(out, h.value_width, i, begin, end, part.exponent);
        /@ for numbers: assert done: attest_row_given(i, begin, end, h.value_width, out); @/); */
  if (lse) *lse = attest_log_sum_exp(part.exponent, part.sum, part.seen);
  /*@ ghost ATTEST_EXACTLY(
        /@ for numbers: assert still: attest_row_given(i, begin, end, h.value_width, out); @/); */
  if (weights) weigh_row(h, i, begin, end, y, part.exponent, part.sum, weights);
}

void attest_naive_head(const attest_head h, attest_rule rule, real *y) {
  /*@ loop invariant 0 <= i <= h.q_len;
      loop assigns i, y[0 .. h.kv_len - 1],
                   h.out[0 .. attest_extent(h.q_len, h.out_row, h.value_width) - 1],
                   h.weights[0 .. attest_extent(h.q_len, h.kv_len, h.kv_len) - 1], h.lse[0 .. h.q_len - 1];
      loop variant h.q_len - i; */
  for (size_t i = 0; i < h.q_len; i++) {
    real *out = h.out + attest_row(i, h.out_row) /*@ ghost (h.q_len) */;
    real *lse = h.lse ? h.lse + i : h.lse;
    real *weights = h.weights;
    if (weights) weights += attest_row(i, h.kv_len) /*@ ghost (h.q_len) */;
    naive_row(h, rule, i, y, out, lse, weights);
  }
}
