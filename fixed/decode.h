/* The key and value cache: contracts of its functions in attest_q16.h. */
#ifndef ATTEST_Q16_DECODE_H
#define ATTEST_Q16_DECODE_H

#include "attention.h"

/*@ predicate attest_q16_cache_ok(attest_q16_cache c) =
      1 <= c.kv_heads <= 65536 && 1 <= c.capacity <= 65536 && c.length <= c.capacity &&
      1 <= c.width <= 1024 && 1 <= c.value_width <= 1024 &&
      c.kv_heads * c.capacity * c.width <= 4294967295 &&
      c.kv_heads * c.capacity * c.value_width <= 4294967295;

    logic integer attest_q16_cache_part(integer heads, integer capacity, integer width) =
      heads * capacity * width;
    logic integer attest_q16_cache_keys(attest_q16_cache c) =
      attest_q16_cache_part(c.kv_heads, c.capacity, c.width);
    logic integer attest_q16_cache_values(attest_q16_cache c) =
      attest_q16_cache_part(c.kv_heads, c.capacity, c.value_width);

    // elements of one head
    logic integer attest_q16_cache_head(integer capacity, integer width) = capacity * width;

    // elements of one vector a head
    logic integer attest_q16_vectors(integer heads, integer width) = heads * width;

    predicate attest_q16_cache_valid{L}(attest_q16_cache c) =
      \valid(c.k + (0 .. attest_q16_cache_keys(c) - 1)) &&
      \valid(c.v + (0 .. attest_q16_cache_values(c) - 1));

    // row r of head h, counted through all heads, and where it begins
    logic integer attest_q16_cache_number(integer capacity, integer h, integer r) =
      attest_q16_place(h, capacity) + r;
    logic integer attest_q16_cache_row(integer capacity, integer width, integer h, integer r) =
      attest_q16_place(attest_q16_cache_number(capacity, h, r), width);

    // element c of that row, and of the vector of head h
    logic integer attest_q16_cached{L}(int32_t *p, integer capacity, integer width, integer h,
                                       integer r, integer c) =
      attest_q16_element(p, attest_q16_cache_row(capacity, width, h, r) + c);
    logic integer attest_q16_vector_at{L}(int32_t *p, integer width, integer h, integer c) =
      attest_q16_element(p, attest_q16_place(h, width) + c);

    // vectors are in no row of a cache
    predicate attest_q16_vectors_apart{L}(int32_t *from, int32_t *to, integer heads,
                                          integer capacity, integer width) =
      \separated(from + (0 .. attest_q16_vectors(heads, width) - 1),
                 to + (0 .. attest_q16_cache_part(heads, capacity, width) - 1));

    // row `at` of each head in state L is its vector in state K
    predicate attest_q16_rows_given{K, L}(int32_t *from, int32_t *to, integer heads,
                                          integer capacity, integer width, integer at) =
      \forall integer h, c; 0 <= h < heads && 0 <= c < width ==>
        attest_q16_cached{L}(to, capacity, width, h, at, c) ==
        attest_q16_vector_at{K}(from, width, h, c);
    // the other rows are the same
    predicate attest_q16_others_same{K, L}(int32_t *to, integer heads, integer capacity,
                                           integer width, integer at) =
      \forall integer h, r, c; 0 <= h < heads && 0 <= r < capacity && r != at &&
        0 <= c < width ==>
        attest_q16_cached{L}(to, capacity, width, h, r, c) ==
        attest_q16_cached{K}(to, capacity, width, h, r, c);

    // a cache with one token more
    predicate attest_q16_appended{K, L}(attest_q16_cache c, int32_t *k, int32_t *v) =
      attest_q16_rows_given{K, L}(k, c.k, c.kv_heads, c.capacity, c.width, c.length) &&
      attest_q16_others_same{K, L}(c.k, c.kv_heads, c.capacity, c.width, c.length) &&
      attest_q16_rows_given{K, L}(v, c.v, c.kv_heads, c.capacity, c.value_width, c.length) &&
      attest_q16_others_same{K, L}(c.v, c.kv_heads, c.capacity, c.value_width, c.length);

    // n elements at p are in neither part of a cache
    predicate attest_q16_not_in_cache{L}(attest_q16_cache c, int32_t *p, integer n) =
      \separated(p + (0 .. n - 1), c.k + (0 .. attest_q16_cache_keys(c) - 1)) &&
      \separated(p + (0 .. n - 1), c.v + (0 .. attest_q16_cache_values(c) - 1));
    // nor is a new token; and the two parts have no element in common
    predicate attest_q16_token_apart{L}(attest_q16_cache c, int32_t *k, int32_t *v) =
      attest_q16_not_in_cache(c, k, attest_q16_vectors(c.kv_heads, c.width)) &&
      attest_q16_not_in_cache(c, v, attest_q16_vectors(c.kv_heads, c.value_width)) &&
      \separated(c.k + (0 .. attest_q16_cache_keys(c) - 1),
                 c.v + (0 .. attest_q16_cache_values(c) - 1));

    // the output of a step overlaps neither the query row nor the cache
    predicate attest_q16_step_apart{L}(attest_q16_cache c, int32_t *q, integer q_heads,
                                       int32_t *out) =
      \separated(out + (0 .. attest_q16_vectors(q_heads, c.value_width) - 1),
                 q + (0 .. attest_q16_vectors(q_heads, c.width) - 1)) &&
      \separated(out + (0 .. attest_q16_vectors(q_heads, c.value_width) - 1),
                 c.k + (0 .. attest_q16_cache_keys(c) - 1)) &&
      \separated(out + (0 .. attest_q16_vectors(q_heads, c.value_width) - 1),
                 c.v + (0 .. attest_q16_cache_values(c) - 1));

    // s is the problem of a decoding step, in every field: one query row, of the last token
    predicate attest_q16_step_sizes(attest_q16_cache c, integer q_heads, attest_q16_shape s) =
      s.q_heads == q_heads && s.kv_heads == c.kv_heads && s.q_len == 1 &&
      s.kv_len == c.length && s.key_length == c.length && s.width == c.width &&
      s.value_width == c.value_width;
    predicate attest_q16_step_strides(attest_q16_cache c, attest_q16_shape s) =
      s.q.head == c.width && s.q.row == c.width &&
      s.k.head == attest_q16_cache_head(c.capacity, c.width) && s.k.row == c.width &&
      s.v.head == attest_q16_cache_head(c.capacity, c.value_width) && s.v.row == c.value_width &&
      s.out.head == c.value_width && s.out.row == c.value_width &&
      s.mask.head == 0 && s.mask.row == 0;
    predicate attest_q16_step_sight(attest_q16_cache c, integer left, attest_q16_shape s) =
      s.causal == 1 && s.offset == c.length - 1 && s.window == (left >= 0 ? 1 : 0) &&
      s.left == left && s.right == -1;
    predicate attest_q16_is_step(attest_q16_cache c, integer q_heads, attest_q16_scale scale,
                                 integer left, attest_q16_shape s) =
      attest_q16_step_sizes(c, q_heads, s) && attest_q16_step_strides(c, s) &&
      attest_q16_step_sight(c, left, s) && s.scale == scale;

    // elements of a head are the same in two states
    predicate attest_q16_head_kept{K, L}(attest_q16_head g) =
      g.kv_len <= 65536 && g.width <= 1024 && attest_q16_same_elements{K, L}(g);

    // p is in none of its inputs
    predicate attest_q16_step_beside{L}(attest_q16_cache c, integer q_heads, attest_q16_arrays a,
                                        attest_q16_shape *p) =
      \separated(p, a.q + (0 .. attest_q16_vectors(q_heads, c.width) - 1)) &&
      \separated(p, a.k + (0 .. attest_q16_cache_keys(c) - 1)) &&
      \separated(p, a.v + (0 .. attest_q16_cache_values(c) - 1));

    // the rows of its outputs are the same numbers in two states
    predicate attest_q16_step_same{K, L}(attest_q16_shape s, attest_q16_arrays a) =
      \forall integer w, i, c, attest_q16_head g; 0 <= w < s.q_heads &&
        attest_q16_is_head(s, a, w, g) && 0 <= i < g.q_len && 0 <= c < g.value_width ==>
        attest_q16_output_at{K}(g, i, c) == attest_q16_output_at{L}(g, i, c);

    // what its row sees: all keys, or the last left + 1
    predicate attest_q16_step_sees(attest_q16_cache c, integer left, attest_q16_shape s) =
      \forall attest_q16_arrays a, integer w, j, attest_q16_head g;
        a.mask == \null && attest_q16_is_head(s, a, w, g) && 0 <= j < c.length ==>
        (attest_q16_seen(g, 0, j) != 0 <==> left < 0 || c.length - 1 - left <= j);

    // a are its arrays
    predicate attest_q16_step_arrays(attest_q16_cache c, int32_t *q, int32_t *out,
                                     attest_q16_arrays a) =
      a.q == q && a.k == c.k && a.v == c.v && a.mask == \null && a.out == out &&
      a.weights == \null;
*/

/* The problem of one decoding step. What its heads are to give out stays the same. */
/*@ requires \valid_read(c) && attest_q16_cache_ok(*c) && \valid(p) && \separated(c, p);
    requires 1 <= q_heads <= 65536 && c->kv_heads <= q_heads;
    requires attest_q16_groups(q_heads, c->kv_heads);
    requires attest_q16_step_arrays(*c, a.q, a.out, a);
    requires attest_q16_step_beside(*c, q_heads, a, p);
    assigns *p;
    ensures is: attest_q16_is_step(\old(*c), q_heads, scale, left, *p);
    ensures seen: attest_q16_step_sees(\old(*c), left, *p);
    ensures same: attest_q16_step_same{Pre, Post}(*p, a);
*/
void attest_q16_decode_shape(const attest_q16_cache *c, uint32_t q_heads, attest_q16_scale scale,
                             int32_t left, attest_q16_shape *p)
    /*@ ghost (attest_q16_arrays a) */;

/*@ requires cache == \null || \valid(cache);
    requires cache != \null && attest_q16_cache_ok(*cache) && k != \null && v != \null ==>
      \valid_read(k + (0 .. cache->kv_heads * cache->width - 1)) &&
      \valid_read(v + (0 .. cache->kv_heads * cache->value_width - 1));
    requires cache != \null && attest_q16_cache_ok(*cache) && cache->k != \null &&
      cache->v != \null ==> attest_q16_cache_valid(*cache);
    assigns cache->length, cache->k[0 .. attest_q16_cache_keys(*cache) - 1],
      cache->v[0 .. attest_q16_cache_values(*cache) - 1];
    ensures length: \result == ATTEST_Q16_OK ==> cache->length == \old(cache->length) + 1;
    ensures appended: \result == ATTEST_Q16_OK && \old(attest_q16_token_apart(*cache, k, v)) ==>
      attest_q16_appended{Pre, Post}(\old(*cache), k, v);
    ensures refused: cache != \null && \result != ATTEST_Q16_OK ==> *cache == \old(*cache) &&
      \forall integer e;
        attest_q16_element(cache->k, e) == \old(attest_q16_element(cache->k, e)) &&
        attest_q16_element(cache->v, e) == \old(attest_q16_element(cache->v, e));
*/
attest_q16_status attest_q16_append(attest_q16_cache *cache, const int32_t *k, const int32_t *v);

/*@ requires cache == \null || \valid_read(cache);
    requires cache != \null && attest_q16_cache_ok(*cache) && 1 <= q_heads <= 65536 ==>
      (cache->k != \null && cache->v != \null ==> attest_q16_cache_valid(*cache)) &&
      (q != \null ==> \valid_read(q + (0 .. attest_q16_vectors(q_heads, cache->width) - 1))) &&
      (out != \null ==> \valid(out + (0 .. attest_q16_vectors(q_heads, cache->value_width) - 1)));
    requires cache != \null && attest_q16_cache_ok(*cache) && 1 <= q_heads <= 65536 &&
      out != \null ==> attest_q16_step_apart(*cache, q, q_heads, out);
    requires scratch != \null ==> \valid(scratch + (0 .. scratch_count - 1));
    assigns scratch[0 .. scratch_count - 1],
      out[0 .. attest_q16_vectors(q_heads, cache->value_width) - 1];
    ensures done: \result == ATTEST_Q16_OK ==> \forall attest_q16_shape s, attest_q16_arrays a;
      attest_q16_is_step(\old(*cache), q_heads, scale, left, s) &&
      attest_q16_step_arrays(\old(*cache), q, out, a) ==>
      attest_q16_heads_done{Pre, Post}(s, a, q_heads);
    ensures hold: \result == ATTEST_Q16_OK ==> \forall attest_q16_shape s, attest_q16_arrays a;
      attest_q16_is_step(\old(*cache), q_heads, scale, left, s) &&
      attest_q16_step_arrays(\old(*cache), q, out, a) ==> attest_q16_heads_hold(s, a, q_heads);
*/
attest_q16_status attest_q16_decode(const attest_q16_cache *cache, const int32_t *q,
                                    uint32_t q_heads, attest_q16_scale scale, int32_t left,
                                    int32_t *out, uint32_t tile, uint64_t *scratch,
                                    uint32_t scratch_count);

#endif
