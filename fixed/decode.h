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

    // elements of one vector a head
    logic integer attest_q16_vectors(integer heads, integer width) = heads * width;

    predicate attest_q16_cache_valid{L}(attest_q16_cache c) =
      \valid(c.k + (0 .. attest_q16_cache_keys(c) - 1)) &&
      \valid(c.v + (0 .. attest_q16_cache_values(c) - 1));

    // the output of a step overlaps neither the query row nor the cache
    predicate attest_q16_step_apart{L}(attest_q16_cache *c, int32_t *q, integer q_heads,
                                       int32_t *out) =
      \separated(out + (0 .. attest_q16_vectors(q_heads, c->value_width) - 1),
                 q + (0 .. attest_q16_vectors(q_heads, c->width) - 1)) &&
      \separated(out + (0 .. attest_q16_vectors(q_heads, c->value_width) - 1),
                 c->k + (0 .. attest_q16_cache_keys(*c) - 1)) &&
      \separated(out + (0 .. attest_q16_vectors(q_heads, c->value_width) - 1),
                 c->v + (0 .. attest_q16_cache_values(*c) - 1));
*/

/* The problem of one decoding step. */
/*@ requires \valid_read(c) && attest_q16_cache_ok(*c) && \valid(s) && \separated(c, s);
    assigns *s;
    ensures s->q_heads == q_heads && s->kv_heads == \old(c->kv_heads);
    ensures s->q_len == 1 && s->kv_len == \old(c->length);
    ensures s->width == \old(c->width) && s->value_width == \old(c->value_width);
    ensures q: attest_q16_whole(s->q_heads, s->q_len, s->width, s->q) ==
      attest_q16_vectors(q_heads, \old(c->width));
    ensures out: attest_q16_whole(s->q_heads, s->q_len, s->value_width, s->out) ==
      attest_q16_vectors(q_heads, \old(c->value_width));
    ensures k: attest_q16_whole(s->kv_heads, s->kv_len, s->width, s->k) <=
      \old(attest_q16_cache_keys(*c));
    ensures v: attest_q16_whole(s->kv_heads, s->kv_len, s->value_width, s->v) <=
      \old(attest_q16_cache_values(*c));
*/
void attest_q16_decode_shape(const attest_q16_cache *c, uint32_t q_heads, attest_q16_scale scale,
                             int32_t left, attest_q16_shape *s);

/*@ requires cache == \null || \valid(cache);
    requires cache != \null && attest_q16_cache_ok(*cache) && k != \null && v != \null ==>
      \valid_read(k + (0 .. cache->kv_heads * cache->width - 1)) &&
      \valid_read(v + (0 .. cache->kv_heads * cache->value_width - 1));
    requires cache != \null && attest_q16_cache_ok(*cache) && cache->k != \null &&
      cache->v != \null ==> attest_q16_cache_valid(*cache);
    assigns cache->length, cache->k[0 .. attest_q16_cache_keys(*cache) - 1],
      cache->v[0 .. attest_q16_cache_values(*cache) - 1];
*/
attest_q16_status attest_q16_append(attest_q16_cache *cache, const int32_t *k, const int32_t *v);

/*@ requires cache == \null || \valid_read(cache);
    requires cache != \null && attest_q16_cache_ok(*cache) && 1 <= q_heads <= 65536 ==>
      (cache->k != \null && cache->v != \null ==> attest_q16_cache_valid(*cache)) &&
      (q != \null ==> \valid_read(q + (0 .. attest_q16_vectors(q_heads, cache->width) - 1))) &&
      (out != \null ==> \valid(out + (0 .. attest_q16_vectors(q_heads, cache->value_width) - 1)));
    requires cache != \null && attest_q16_cache_ok(*cache) && 1 <= q_heads <= 65536 &&
      out != \null ==> attest_q16_step_apart(cache, q, q_heads, out);
    requires scratch != \null ==> \valid(scratch + (0 .. scratch_count - 1));
    assigns scratch[0 .. scratch_count - 1],
      out[0 .. attest_q16_vectors(q_heads, cache->value_width) - 1];
*/
attest_q16_status attest_q16_decode(const attest_q16_cache *cache, const int32_t *q,
                                    uint32_t q_heads, attest_q16_scale scale, int32_t left,
                                    int32_t *out, uint32_t tile, uint64_t *scratch,
                                    uint32_t scratch_count);

#endif
