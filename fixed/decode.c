#include "decode.h"

/* Whether every element of a cache has an index below 2^32 - 1. */
/*@ requires \valid_read(c);
    assigns \nothing;
    ensures \result != 0 ==> attest_q16_cache_ok(*c);
*/
static int cache_fits(const attest_q16_cache *c) {
  if (c->kv_heads == 0 || c->kv_heads > ATTEST_Q16_MAX_HEADS || c->capacity == 0 ||
      c->capacity > ATTEST_Q16_MAX_KEYS || c->length > c->capacity)
    return 0;
  if (c->width == 0 || c->width > ATTEST_Q16_MAX_WIDTH || c->value_width == 0 ||
      c->value_width > ATTEST_Q16_MAX_WIDTH)
    return 0;
  //@ assert rows_fit: 1 <= c->kv_heads * c->capacity <= 65536 * 65536;
  const uint64_t rows = (uint64_t)c->kv_heads * c->capacity;
  //@ assert keys_fit: 1 <= rows * c->width <= 4294967296 * 1024;
  //@ assert values_fit: 1 <= rows * c->value_width <= 4294967296 * 1024;
  return rows * c->width <= 4294967295U && rows * c->value_width <= 4294967295U;
}

/*@ ghost
  // every row of a cache, and every vector of a token, is in its array
  /@ requires 1 <= heads <= 65536 && 1 <= capacity <= 65536 && 1 <= width <= 1024;
     requires heads * capacity * width <= 4294967295;
     assigns \nothing;
     ensures rows: \forall integer h, r; 0 <= h < heads && 0 <= r < capacity ==>
       0 <= attest_q16_cache_row(capacity, width, h, r) &&
       attest_q16_cache_row(capacity, width, h, r) + width <=
         attest_q16_cache_part(heads, capacity, width);
     ensures vectors: \forall integer h; 0 <= h < heads ==>
       0 <= attest_q16_place(h, width) &&
       attest_q16_place(h, width) + width <= attest_q16_vectors(heads, width); @/
  static inline void attest_q16_cache_rows_inside(uint32_t heads, uint32_t capacity,
                                                  uint32_t width) {
    /@ assert cells: 1 <= heads * capacity <= 65536 * 65536; @/
    attest_q16_product_grows(width, (uint64_t)heads * capacity);
    attest_q16_places_order(heads, capacity);
    attest_q16_places_order(heads, width);
    /@ assert all: attest_q16_place(heads, capacity) == heads * capacity; @/
    /@ assert head: \forall integer h; 0 <= h < heads ==>
         0 <= attest_q16_place(h, capacity) &&
         attest_q16_place(h, capacity) + capacity <= attest_q16_place(heads, capacity); @/
    /@ assert row: \forall integer h, r; 0 <= h < heads && 0 <= r < capacity ==>
         0 <= attest_q16_cache_number(capacity, h, r) < heads * capacity; @/
    attest_q16_places_order(heads * capacity, width);
    /@ assert last: attest_q16_place(heads * capacity, width) ==
         attest_q16_cache_part(heads, capacity, width); @/
    /@ assert vector: attest_q16_place(heads, width) == attest_q16_vectors(heads, width); @/
  }

  // row `at` of head `head` overlaps no other row
  /@ requires 1 <= heads <= 65536 && 1 <= capacity <= 65536 && 1 <= width <= 1024;
     requires heads * capacity * width <= 4294967295 && head < heads && at < capacity;
     assigns \nothing;
     ensures apart: \forall integer h, r; 0 <= h < heads && 0 <= r < capacity &&
       (h != head || r != at) ==>
       attest_q16_cache_row(capacity, width, h, r) + width <=
         attest_q16_cache_row(capacity, width, head, at) ||
       attest_q16_cache_row(capacity, width, head, at) + width <=
         attest_q16_cache_row(capacity, width, h, r); @/
  static inline void attest_q16_cache_rows_apart(uint32_t heads, uint32_t capacity,
                                                 uint32_t width, uint32_t head, uint32_t at) {
    /@ assert cells: 1 <= heads * capacity <= 65536 * 65536; @/
    attest_q16_product_grows(width, (uint64_t)heads * capacity);
    attest_q16_places_order(heads, capacity);
    /@ assert all: attest_q16_place(heads, capacity) == heads * capacity; @/
    /@ assert head: \forall integer h; 0 <= h < heads ==>
         0 <= attest_q16_place(h, capacity) &&
         attest_q16_place(h, capacity) + capacity <= attest_q16_place(heads, capacity); @/
    /@ assert row: \forall integer h, r; 0 <= h < heads && 0 <= r < capacity ==>
         0 <= attest_q16_cache_number(capacity, h, r) < heads * capacity; @/
    attest_q16_places_order(heads * capacity, width);
    /@ assert before: \forall integer h, r; 0 <= h < head && 0 <= r < capacity ==>
         attest_q16_cache_number(capacity, h, r) < attest_q16_place(head, capacity); @/
    /@ assert after: \forall integer h, r; head < h < heads && 0 <= r < capacity ==>
         attest_q16_cache_number(capacity, head, at) < attest_q16_cache_number(capacity, h, r); @/
    /@ assert other: \forall integer h, r; 0 <= h < heads && 0 <= r < capacity &&
         (h != head || r != at) ==>
         attest_q16_cache_number(capacity, h, r) < attest_q16_cache_number(capacity, head, at) ||
         attest_q16_cache_number(capacity, head, at) < attest_q16_cache_number(capacity, h, r); @/
    /@ assert this: 0 <= attest_q16_cache_number(capacity, head, at) < heads * capacity; @/
    /@ assert below: \forall integer n; 0 <= n < attest_q16_cache_number(capacity, head, at) ==>
         attest_q16_place(n, width) + width <=
           attest_q16_cache_row(capacity, width, head, at); @/
    /@ assert above: \forall integer n; attest_q16_cache_number(capacity, head, at) < n <
           heads * capacity ==>
         attest_q16_cache_row(capacity, width, head, at) + width <=
           attest_q16_place(n, width); @/
  }
*/

/* The vector of one head. */
/*@ requires source == attest_q16_place(head, width);
    requires place == attest_q16_cache_row(capacity, width, head, at);
    requires source + width <= 4294967295 && place + width <= 4294967295;
    requires \valid_read(from + (source .. source + width - 1));
    requires \valid(to + (place .. place + width - 1));
    assigns to[place .. place + width - 1];
    ensures given:
      \separated(from + (source .. source + width - 1), to + (place .. place + width - 1)) ==>
      \forall integer c; 0 <= c < width ==> attest_q16_cached(to, capacity, width, head, at, c) ==
        \old(attest_q16_vector_at(from, width, head, c));
*/
static void copy_vector(const int32_t *from, uint32_t source, uint32_t width, int32_t *to,
                        uint32_t place)
    /*@ ghost (uint32_t capacity, uint32_t head, uint32_t at) */ {
  /*@ loop invariant 0 <= c <= width;
      loop invariant given:
        \separated(from + (source .. source + width - 1), to + (place .. place + width - 1)) ==>
        \forall integer d; 0 <= d < c ==>
          attest_q16_cached(to, capacity, width, head, at, d) ==
          attest_q16_vector_at{Pre}(from, width, head, d);
      loop assigns c, to[place .. place + width - 1];
      loop variant width - c; */
  for (uint32_t c = 0; c < width; c++) to[place + c] = from[source + c];
}

/* One row to place `at` of every head. */
/*@ requires 1 <= heads <= 65536 && at < capacity <= 65536 && 1 <= width <= 1024;
    requires heads * capacity * width <= 4294967295;
    requires \valid_read(from + (0 .. attest_q16_vectors(heads, width) - 1));
    requires \valid(to + (0 .. attest_q16_cache_part(heads, capacity, width) - 1));
    assigns to[0 .. attest_q16_cache_part(heads, capacity, width) - 1];
    ensures given: attest_q16_vectors_apart(from, to, heads, capacity, width) ==>
      attest_q16_rows_given{Pre, Post}(from, to, heads, capacity, width, at);
    ensures others: attest_q16_others_same{Pre, Post}(to, heads, capacity, width, at);
*/
static void copy_row(const int32_t *from, uint32_t heads, uint32_t capacity, uint32_t width,
                     uint32_t at, int32_t *to) {
  //@ assert rows: 1 <= heads * capacity <= 65536 * 65536;
  //@ ghost attest_q16_product_grows(width, (uint64_t)heads * capacity);
  //@ assert rows_fit: heads * capacity <= 4294967295;
  //@ ghost attest_q16_products_order(1U, capacity, heads * width);
  //@ ghost attest_q16_cache_rows_inside(heads, capacity, width);
  /*@ loop invariant 0 <= head <= heads;
      loop invariant source: attest_q16_vectors_apart(from, to, heads, capacity, width) ==>
        \forall integer e; 0 <= e < attest_q16_vectors(heads, width) ==>
          attest_q16_element(from, e) == attest_q16_element{Pre}(from, e);
      loop invariant given: attest_q16_vectors_apart(from, to, heads, capacity, width) ==>
        attest_q16_rows_given{Pre, Here}(from, to, head, capacity, width, at);
      loop invariant others: attest_q16_others_same{Pre, Here}(to, heads, capacity, width, at);
      loop assigns head, to[0 .. attest_q16_cache_part(heads, capacity, width) - 1];
      loop variant heads - head; */
  for (uint32_t head = 0; head < heads; head++) {
    const uint32_t source = attest_q16_row(head, width) /*@ ghost (heads) */;
    const uint32_t row = attest_q16_row(head, capacity) /*@ ghost (heads) */ + at;
    //@ assert row: row <= heads * capacity - 1;
    //@ assert end: (heads * capacity - 1) * width == heads * capacity * width - width;
    const uint32_t place = attest_q16_row(row, width) /*@ ghost (heads * capacity) */;
    //@ ghost attest_q16_place_is(head, width);
    //@ ghost attest_q16_place_is(head, capacity);
    //@ ghost attest_q16_place_is(row, width);
    //@ assert source: source == attest_q16_place(head, width);
    //@ assert place: place == attest_q16_cache_row(capacity, width, head, at);
    //@ ghost attest_q16_cache_rows_apart(heads, capacity, width, head, at);
    //@ assert inside: source + width <= attest_q16_vectors(heads, width);
    //@ assert ends: place + width <= attest_q16_cache_part(heads, capacity, width);
    /*@ assert apart: attest_q16_vectors_apart(from, to, heads, capacity, width) ==>
          \separated(from + (source .. source + width - 1), to + (place .. place + width - 1)); */
    /*@ assert same: attest_q16_vectors_apart(from, to, heads, capacity, width) ==>
          \forall integer c; 0 <= c < width ==> attest_q16_vector_at(from, width, head, c) ==
            attest_q16_vector_at{Pre}(from, width, head, c); */
    //@ ghost Before:;
    copy_vector(from, source, width, to, place) /*@ ghost (capacity, head, at) */;
    /*@ assert beside: \forall integer e; 0 <= e && (e < place || place + width <= e) ==>
          attest_q16_element(to, e) == attest_q16_element{Before}(to, e); */
    /*@ assert this: attest_q16_vectors_apart(from, to, heads, capacity, width) ==>
          \forall integer c; 0 <= c < width ==>
          attest_q16_cached(to, capacity, width, head, at, c) ==
          attest_q16_vector_at{Pre}(from, width, head, c); */
    /*@ assert earlier: attest_q16_vectors_apart(from, to, heads, capacity, width) ==>
          attest_q16_rows_given{Pre, Here}(from, to, head, capacity, width, at); */
  }
}

attest_q16_status attest_q16_append(attest_q16_cache *cache, const int32_t *k, const int32_t *v) {
  if (!cache || !k || !v) return ATTEST_Q16_NULL;
  const attest_q16_cache c = *cache;
  if (!c.k || !c.v) return ATTEST_Q16_NULL;
  if (!cache_fits(cache)) return ATTEST_Q16_LIMIT;
  if (c.length == c.capacity) return ATTEST_Q16_FULL;
  //@ ghost attest_q16_cache_rows_inside(c.kv_heads, c.capacity, c.width);
  //@ ghost attest_q16_cache_rows_inside(c.kv_heads, c.capacity, c.value_width);
  copy_row(k, c.kv_heads, c.capacity, c.width, c.length, c.k);
  /*@ assert token: attest_q16_token_apart(c, k, v) ==> \forall integer e;
        0 <= e < attest_q16_vectors(c.kv_heads, c.value_width) ==>
        attest_q16_element(v, e) == attest_q16_element{Pre}(v, e); */
  /*@ assert values: attest_q16_token_apart(c, k, v) ==> \forall integer e;
        0 <= e < attest_q16_cache_values(c) ==>
        attest_q16_element(c.v, e) == attest_q16_element{Pre}(c.v, e); */
  //@ ghost Keys:;
  copy_row(v, c.kv_heads, c.capacity, c.value_width, c.length, c.v);
  /*@ assert keys: attest_q16_token_apart(c, k, v) ==> \forall integer e;
        0 <= e < attest_q16_cache_keys(c) ==>
        attest_q16_element(c.k, e) == attest_q16_element{Keys}(c.k, e); */
  /*@ assert k_given: attest_q16_token_apart(c, k, v) ==> attest_q16_rows_given{Pre, Here}(
        k, c.k, c.kv_heads, c.capacity, c.width, c.length); */
  /*@ assert k_others: attest_q16_token_apart(c, k, v) ==> attest_q16_others_same{Pre, Here}(
        c.k, c.kv_heads, c.capacity, c.width, c.length); */
  /*@ assert v_given: attest_q16_token_apart(c, k, v) ==> attest_q16_rows_given{Pre, Here}(
        v, c.v, c.kv_heads, c.capacity, c.value_width, c.length); */
  /*@ assert v_others: attest_q16_token_apart(c, k, v) ==> attest_q16_others_same{Pre, Here}(
        c.v, c.kv_heads, c.capacity, c.value_width, c.length); */
  /*@ assert appended: attest_q16_token_apart(c, k, v) ==>
        attest_q16_appended{Pre, Here}(c, k, v); */
  cache->length = c.length + 1U;
  return ATTEST_Q16_OK;
}

/*@ ghost
  // the last of `length` rows of the last head ends within the cache
  /@ requires 1 <= heads <= 65536 && length <= capacity <= 65536 && 1 <= width <= 1024;
     requires heads * capacity * width <= 4294967295 && head == capacity * width;
     assigns \nothing;
     ensures attest_q16_end(heads, length, width, head, width) <=
       attest_q16_cache_part(heads, capacity, width); @/
  static inline void attest_q16_cache_inside(uint32_t heads, uint32_t capacity, uint32_t length,
                                             uint32_t width, uint32_t head) {
    attest_q16_product_grows(heads, head);
    attest_q16_products_order(length, capacity, width);
    /@ assert whole: heads * head == heads * capacity * width; @/
    /@ assert rest: (heads - 1) * head == heads * head - head; @/
    /@ assert rows: (length - 1) * width + width == length * width; @/
  }

  /@ assigns \nothing;
     ensures attest_q16_end(heads, 1, width, width, width) ==
       attest_q16_vectors(heads, width); @/
  static inline void attest_q16_vectors_end(uint32_t heads, uint32_t width) {
    /@ assert rest: (heads - 1) * width + width == heads * width; @/
  }

  // elements of the tensors of a step
  /@ requires attest_q16_cache_ok(c) && attest_q16_step_sizes(c, q_heads, s);
     requires attest_q16_step_strides(c, s);
     assigns \nothing;
     ensures q: attest_q16_whole(s.q_heads, s.q_len, s.width, s.q) ==
       attest_q16_vectors(q_heads, c.width);
     ensures out: attest_q16_whole(s.q_heads, s.q_len, s.value_width, s.out) ==
       attest_q16_vectors(q_heads, c.value_width);
     ensures k: attest_q16_whole(s.kv_heads, s.kv_len, s.width, s.k) <=
       attest_q16_cache_keys(c);
     ensures v: attest_q16_whole(s.kv_heads, s.kv_len, s.value_width, s.v) <=
       attest_q16_cache_values(c); @/
  static inline void attest_q16_step_extents(attest_q16_cache c, uint32_t q_heads,
                                             attest_q16_shape s) {
    attest_q16_vectors_end(q_heads, c.width);
    attest_q16_vectors_end(q_heads, c.value_width);
    attest_q16_cache_inside(c.kv_heads, c.capacity, c.length, c.width, s.k.head);
    attest_q16_cache_inside(c.kv_heads, c.capacity, c.length, c.value_width, s.v.head);
  }

  // and their elements can be counted
  /@ requires attest_q16_cache_ok(c) && attest_q16_step_sizes(c, q_heads, s);
     requires attest_q16_step_strides(c, s) && 1 <= q_heads <= 65536;
     assigns \nothing;
     ensures q: attest_q16_tensor_fits(s.q_heads, s.q_len, s.width, s.q);
     ensures k: s.kv_len >= 1 ==>
       attest_q16_tensor_fits(s.kv_heads, s.kv_len, s.width, s.k) &&
       attest_q16_tensor_fits(s.kv_heads, s.kv_len, s.value_width, s.v); @/
  static inline void attest_q16_step_fits(attest_q16_cache c, uint32_t q_heads,
                                          attest_q16_shape s) {
    attest_q16_step_extents(c, q_heads, s);
    /@ assert vectors: 0 <= (q_heads - 1) * c.width <= 65536 * 1024; @/
  }

  // so it can be run
  /@ requires attest_q16_cache_ok(c) && attest_q16_step_sizes(c, q_heads, s);
     requires attest_q16_step_strides(c, s) && attest_q16_step_arrays(c, q, out, a);
     requires 1 <= q_heads <= 65536 && attest_q16_cache_valid(c) &&
       \valid_read(q + (0 .. attest_q16_vectors(q_heads, c.width) - 1)) &&
       \valid(out + (0 .. attest_q16_vectors(q_heads, c.value_width) - 1)) &&
       attest_q16_step_apart(c, q, q_heads, out);
     assigns \nothing;
     ensures readable: attest_q16_readable(s, a);
     ensures writable: attest_q16_writable(s, a);
     ensures apart: attest_q16_arrays_apart(s, a);
     ensures out: attest_q16_whole(s.q_heads, s.q_len, s.value_width, s.out) ==
       attest_q16_vectors(q_heads, c.value_width); @/
  static inline void attest_q16_step_ready(attest_q16_cache c, const int32_t *q,
                                           uint32_t q_heads, int32_t *out, attest_q16_shape s,
                                           attest_q16_arrays a) {
    attest_q16_step_extents(c, q_heads, s);
  }
*/

/*@ ghost
  // the problem of a step as a value
  /@ requires attest_q16_cache_ok(c);
     assigns \nothing;
     ensures is: attest_q16_is_step(c, q_heads, scale, left, \result);
     ensures seen: attest_q16_step_sees(c, left, \result); @/
  static inline attest_q16_shape attest_q16_the_step(attest_q16_cache c, uint32_t q_heads,
                                                     attest_q16_scale scale, int32_t left) {
    /@ assert k_head: 0 <= c.capacity * c.width <= 65536 * 1024; @/
    /@ assert v_head: 0 <= c.capacity * c.value_width <= 65536 * 1024; @/
    attest_q16_shape s;
    s.q_heads = q_heads;
    s.kv_heads = c.kv_heads;
    s.q_len = 1;
    s.kv_len = c.length;
    s.width = c.width;
    s.value_width = c.value_width;
    s.key_length = c.length;
    s.q.head = c.width;
    s.q.row = c.width;
    s.k.head = c.capacity * c.width;
    s.k.row = c.width;
    s.v.head = c.capacity * c.value_width;
    s.v.row = c.value_width;
    s.out.head = c.value_width;
    s.out.row = c.value_width;
    s.mask.head = 0;
    s.mask.row = 0;
    s.scale = scale;
    s.causal = 1;
    s.window = left >= 0;
    s.left = left;
    s.right = -1;
    s.offset = (int32_t)c.length - 1;
    return s;
  }
*/

/* Writes it down. */
/*@ requires \valid_read(c) && attest_q16_cache_ok(*c) && \valid(s) && \separated(c, s);
    assigns *s;
    ensures s->q_heads == q_heads && s->kv_heads == \old(c->kv_heads) && s->q_len == 1 &&
      s->kv_len == \old(c->length);
    ensures s->width == \old(c->width) && s->value_width == \old(c->value_width) &&
      s->key_length == \old(c->length);
    ensures s->q.head == \old(c->width) && s->q.row == \old(c->width);
    ensures s->k.head == attest_q16_cache_head(\old(c->capacity), \old(c->width)) &&
      s->k.row == \old(c->width);
    ensures s->v.head == attest_q16_cache_head(\old(c->capacity), \old(c->value_width)) &&
      s->v.row == \old(c->value_width);
    ensures s->out.head == \old(c->value_width) && s->out.row == \old(c->value_width);
    ensures s->mask.head == 0 && s->mask.row == 0;
    ensures s->scale == scale;
    ensures s->causal == 1 && s->window == (left >= 0 ? 1 : 0) && s->left == left &&
      s->right == -1 && s->offset == \old(c->length) - 1;
*/
static void write_step(const attest_q16_cache *c, uint32_t q_heads, attest_q16_scale scale,
                       int32_t left, attest_q16_shape *s) {
  //@ assert k_head: 0 <= c->capacity * c->width <= 65536 * 1024;
  //@ assert v_head: 0 <= c->capacity * c->value_width <= 65536 * 1024;
  const uint32_t k_head = c->capacity * c->width, v_head = c->capacity * c->value_width;
  s->q_heads = q_heads;
  s->kv_heads = c->kv_heads;
  s->q_len = 1;
  s->kv_len = c->length;
  s->width = c->width;
  s->value_width = c->value_width;
  s->key_length = c->length;
  s->q.head = c->width;
  s->q.row = c->width;
  s->k.head = k_head;
  s->k.row = c->width;
  s->v.head = v_head;
  s->v.row = c->value_width;
  s->out.head = c->value_width;
  s->out.row = c->value_width;
  s->mask.head = 0;
  s->mask.row = 0;
  s->scale = scale;
  s->causal = 1;
  s->window = left >= 0;
  s->left = left;
  s->right = -1;
  s->offset = (int32_t)c->length - 1;
}

/* Puts the problem of a step where no array of it is; what the inputs of its heads are stays. */
/*@ requires \valid_read(c) && attest_q16_cache_ok(*c) && \valid(p) && \separated(c, p);
    requires 1 <= q_heads <= 65536 && c->kv_heads <= q_heads;
    requires attest_q16_groups(q_heads, c->kv_heads);
    requires attest_q16_step_arrays(*c, a.q, a.out, a);
    requires attest_q16_step_beside(*c, q_heads, a, p);
    assigns *p;
    ensures is: attest_q16_is_step(\old(*c), q_heads, scale, left, *p);
    ensures seen: attest_q16_step_sees(\old(*c), left, *p);
    ensures stay: \forall integer w, attest_q16_head g; 0 <= w < q_heads &&
      attest_q16_is_head(*p, a, w, g) ==> attest_q16_head_kept{Pre, Post}(g);
*/
static void place_step(const attest_q16_cache *c, uint32_t q_heads, attest_q16_scale scale,
                       int32_t left, attest_q16_shape *p) /*@ ghost (attest_q16_arrays a) */ {
  //@ ghost const attest_q16_cache cache = *c;
  //@ ghost const attest_q16_shape s = attest_q16_the_step(cache, q_heads, scale, left);
  //@ ghost attest_q16_step_extents(cache, q_heads, s);
  //@ ghost attest_q16_step_fits(cache, q_heads, s);
  //@ ghost attest_q16_elements_are(s, a);
  write_step(c, q_heads, scale, left, p);
  //@ assert sizes: attest_q16_step_sizes(cache, q_heads, *p);
  //@ assert q_strides: p->q == s.q;
  //@ assert k_strides: p->k == s.k;
  //@ assert v_strides: p->v == s.v;
  //@ assert out_strides: p->out == s.out;
  //@ assert mask_strides: p->mask == s.mask;
  //@ assert sight: attest_q16_step_sight(cache, left, *p) && p->scale == scale;
  //@ assert is: *p == s;
  //@ ghost attest_q16_elements_are(s, a);
  /*@ assert q: \forall integer e;
        0 <= e < attest_q16_whole(s.q_heads, s.q_len, s.width, s.q) ==>
        attest_q16_element{Pre}(a.q, e) == attest_q16_element(a.q, e); */
  /*@ assert k: \forall integer e;
        0 <= e < attest_q16_whole(s.kv_heads, s.kv_len, s.width, s.k) ==>
        attest_q16_element{Pre}(a.k, e) == attest_q16_element(a.k, e); */
  /*@ assert v: \forall integer e;
        0 <= e < attest_q16_whole(s.kv_heads, s.kv_len, s.value_width, s.v) ==>
        attest_q16_element{Pre}(a.v, e) == attest_q16_element(a.v, e); */
  /*@ assert counts: \forall integer w, attest_q16_head g;
        attest_q16_is_head(s, a, w, g) ==> g.kv_len <= 65536 && g.width <= 1024; */
  //@ ghost attest_q16_kv_heads_inside(s.q_heads, s.kv_heads);
  //@ ghost attest_q16_heads_inside(s.q_heads, s.q_len, s.width, s.q);
  //@ ghost attest_q16_heads_inside(s.kv_heads, s.kv_len, s.width, s.k);
  //@ ghost attest_q16_heads_inside(s.kv_heads, s.kv_len, s.value_width, s.v);
  /*@ assert queries: \forall integer w, i, c, attest_q16_head g;
        0 <= w < s.q_heads && attest_q16_is_head(s, a, w, g) && 0 <= i < g.q_len &&
        0 <= c < g.width ==>
        attest_q16_query_at{Pre}(g, i, c) == attest_q16_query_at{Here}(g, i, c); */
  /*@ assert keys: \forall integer w, j, c, attest_q16_head g;
        0 <= w < s.q_heads && attest_q16_is_head(s, a, w, g) && 0 <= j < g.kv_len &&
        0 <= c < g.width ==>
        attest_q16_key_at{Pre}(g, j, c) == attest_q16_key_at{Here}(g, j, c); */
  /*@ assert values: \forall integer w, j, c, attest_q16_head g;
        0 <= w < s.q_heads && attest_q16_is_head(s, a, w, g) && 0 <= j < g.kv_len &&
        0 <= c < g.value_width ==>
        attest_q16_value_at{Pre}(g, j, c) == attest_q16_value_at{Here}(g, j, c); */
  /*@ assert stay: \forall integer w, attest_q16_head g; 0 <= w < s.q_heads &&
        attest_q16_is_head(s, a, w, g) ==> attest_q16_head_kept{Pre, Here}(g); */
}

/*@ // for attest_q16_decode_shape, among whose other facts the provers do not always find it
    lemma attest_q16_same_factors{A, B}: \forall attest_q16_head g, integer i, j, c;
      attest_q16_query_at{A}(g, i, c) == attest_q16_query_at{B}(g, i, c) &&
      attest_q16_key_at{A}(g, j, c) == attest_q16_key_at{B}(g, j, c) ==>
      attest_q16_product_at{A}(g, i, j, c) == attest_q16_product_at{B}(g, i, j, c); */

void attest_q16_decode_shape(const attest_q16_cache *c, uint32_t q_heads, attest_q16_scale scale,
                             int32_t left, attest_q16_shape *p)
    /*@ ghost (attest_q16_arrays a) */ {
  place_step(c, q_heads, scale, left, p) /*@ ghost (a) */;
  /*@ ghost
    /@ loop invariant 0 <= c <= 1024;
       loop invariant dots: \forall attest_q16_head g, integer i, j, n;
         attest_q16_head_kept{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= j < g.kv_len &&
         n <= c && n <= g.width ==>
         attest_q16_dot_to{Pre}(g, i, j, n) == attest_q16_dot_to{Here}(g, i, j, n);
       loop assigns c;
       loop variant 1024 - c; @/
    for (uint32_t c = 0; c < 1024U; c++) {
      /@ assert queries: \forall attest_q16_head g, integer i;
           attest_q16_head_kept{Pre, Here}(g) && 0 <= i < g.q_len && c < g.width ==>
           attest_q16_query_at{Pre}(g, i, c) == attest_q16_query_at{Here}(g, i, c); @/
      /@ assert keys: \forall attest_q16_head g, integer j;
           attest_q16_head_kept{Pre, Here}(g) && 0 <= j < g.kv_len && c < g.width ==>
           attest_q16_key_at{Pre}(g, j, c) == attest_q16_key_at{Here}(g, j, c); @/
      /@ assert factors: \forall attest_q16_head g, integer i, j;
           attest_q16_head_kept{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= j < g.kv_len &&
           c < g.width ==>
           attest_q16_query_at{Pre}(g, i, c) == attest_q16_query_at{Here}(g, i, c) &&
           attest_q16_key_at{Pre}(g, j, c) == attest_q16_key_at{Here}(g, j, c); @/
      /@ assert products: \forall attest_q16_head g, integer i, j;
           attest_q16_head_kept{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= j < g.kv_len &&
           c < g.width ==>
           attest_q16_product_at{Pre}(g, i, j, c) == attest_q16_product_at{Here}(g, i, j, c); @/
    }
    /@ assert scores: \forall attest_q16_head g, integer i, j;
         attest_q16_head_kept{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= j < g.kv_len ==>
         attest_q16_whole_at{Pre}(g, i, j) == attest_q16_whole_at{Here}(g, i, j) &&
         attest_q16_fraction_at{Pre}(g, i, j) == attest_q16_fraction_at{Here}(g, i, j); @/
    /@ assert seen: \forall attest_q16_head g, integer i, j;
         attest_q16_seen{Pre}(g, i, j) == attest_q16_seen{Here}(g, i, j); @/
    /@ assert wholes: \forall attest_q16_head g, integer i, j;
         attest_q16_head_kept{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= j < g.kv_len ==>
         attest_q16_seen_whole{Pre}(g, i, j) == attest_q16_seen_whole{Here}(g, i, j); @/
    /@ loop invariant 0 <= n <= 65536;
       loop invariant tops: \forall attest_q16_head g, integer i, m;
         attest_q16_head_kept{Pre, Here}(g) && 0 <= i < g.q_len && m <= n &&
         m <= g.kv_len ==>
         attest_q16_row_top{Pre}(g, i, m) == attest_q16_row_top{Here}(g, i, m);
       loop assigns n;
       loop variant 65536 - n; @/
    for (uint32_t n = 0; n < 65536U; n++) {}
    /@ assert weights: \forall attest_q16_head g, integer i, j;
         attest_q16_head_kept{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= j < g.kv_len ==>
         attest_q16_weight_in{Pre}(g, i, j) == attest_q16_weight_in{Here}(g, i, j); @/
    /@ assert parts: \forall attest_q16_head g, integer i, c, j;
         attest_q16_head_kept{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= c < g.value_width &&
         0 <= j < g.kv_len ==>
         attest_q16_part_at{Pre}(g, i, c, j) == attest_q16_part_at{Here}(g, i, c, j); @/
    /@ loop invariant 0 <= n <= 65536;
       loop invariant totals: \forall attest_q16_head g, integer i, m;
         attest_q16_head_kept{Pre, Here}(g) && 0 <= i < g.q_len && m <= n &&
         m <= g.kv_len ==>
         attest_q16_row_total{Pre}(g, i, m) == attest_q16_row_total{Here}(g, i, m);
       loop invariant sums: \forall attest_q16_head g, integer i, c, m;
         attest_q16_head_kept{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= c < g.value_width &&
         m <= n && m <= g.kv_len ==>
         attest_q16_row_weighted{Pre}(g, i, c, m) == attest_q16_row_weighted{Here}(g, i, c, m);
       loop assigns n;
       loop variant 65536 - n; @/
    for (uint32_t n = 0; n < 65536U; n++) {}
    /@ assert outputs: \forall attest_q16_head g, integer i, c;
         attest_q16_head_kept{Pre, Here}(g) && 0 <= i < g.q_len && 0 <= c < g.value_width ==>
         attest_q16_output_at{Pre}(g, i, c) == attest_q16_output_at{Here}(g, i, c); @/
  */
}

/* attest_q16_run, whose contract is here about the values of s and a. */
/*@ requires \valid_read(s) && \valid_read(a) && *s == shape && *a == arrays;
    requires attest_q16_readable(shape, arrays) && attest_q16_writable(shape, arrays);
    requires attest_q16_arrays_apart(shape, arrays) && arrays.weights == \null;
    requires shape.q_len == 1 && \separated(s, arrays.out + (0 ..
      attest_q16_whole(shape.q_heads, shape.q_len, shape.value_width, shape.out) - 1));
    requires tile <= 65536 && (words != \null ==> \valid(words + (0 .. count - 1)));
    assigns words[0 .. count - 1], arrays.out[0 ..
      attest_q16_whole(shape.q_heads, shape.q_len, shape.value_width, shape.out) - 1];
    ensures done: \result == ATTEST_Q16_OK ==> \forall integer w, i, c, attest_q16_head g;
      0 <= w < shape.q_heads && attest_q16_is_head(shape, arrays, w, g) && 0 <= i < g.q_len &&
      0 <= c < g.value_width ==>
      attest_q16_out_at{Post}(g, i, c) == attest_q16_output_at{Pre}(g, i, c);
    ensures hold: \result == ATTEST_Q16_OK ==>
      attest_q16_heads_hold(shape, arrays, shape.q_heads);
*/
static attest_q16_status run_step(const attest_q16_shape *s, const attest_q16_arrays *a,
                                  uint32_t tile, uint64_t *words, uint32_t count)
    /*@ ghost (attest_q16_shape shape, attest_q16_arrays arrays) */ {
  return attest_q16_run(s, a, tile, words, count);
}

attest_q16_status attest_q16_decode(const attest_q16_cache *cache, const int32_t *q,
                                    uint32_t q_heads, attest_q16_scale scale, int32_t left,
                                    int32_t *out, uint32_t tile, uint64_t *scratch,
                                    uint32_t scratch_count) {
  if (!cache || !q || !out) return ATTEST_Q16_NULL;
  const int32_t *const k = cache->k, *const v = cache->v;
  if (!k || !v) return ATTEST_Q16_NULL;
  if (!cache_fits(cache)) return ATTEST_Q16_LIMIT;
  if (tile == 0) return ATTEST_Q16_SCRATCH;
  if (q_heads == 0) return ATTEST_Q16_SHAPE;
  if (q_heads > ATTEST_Q16_MAX_HEADS) return ATTEST_Q16_LIMIT;
  if (q_heads % cache->kv_heads != 0) return ATTEST_Q16_SHAPE;
  //@ ghost const attest_q16_cache c = *cache;
  attest_q16_arrays a;
  a.q = q;
  a.k = k;
  a.v = v;
  a.mask = (const uint8_t *)0;
  a.out = out;
  a.weights = (int32_t *)0;
  //@ ghost const attest_q16_arrays arrays = a;
  attest_q16_shape s;
  //@ assert some: c.kv_heads <= q_heads;
  attest_q16_decode_shape(cache, q_heads, scale, left, &s) /*@ ghost (arrays) */;
  //@ ghost const attest_q16_shape shape = s;
  //@ ghost attest_q16_step_ready(c, q, q_heads, out, shape, arrays);
  const uint32_t keys = tile < ATTEST_Q16_MAX_KEYS ? tile : ATTEST_Q16_MAX_KEYS;
  const attest_q16_status status =
    run_step(&s, &a, keys, scratch, scratch_count) /*@ ghost (shape, arrays) */;
  /*@ assert outputs: status == ATTEST_Q16_OK ==> \forall integer w, i, e, attest_q16_head g;
        0 <= w < q_heads && attest_q16_is_head(shape, arrays, w, g) && 0 <= i < g.q_len &&
        0 <= e < g.value_width ==>
        attest_q16_out_at(g, i, e) == attest_q16_output_at{Pre}(g, i, e); */
  /*@ assert done: status == ATTEST_Q16_OK ==>
        attest_q16_heads_done{Pre, Here}(shape, arrays, q_heads); */
  /*@ assert hold: status == ATTEST_Q16_OK ==>
        attest_q16_heads_hold(shape, arrays, q_heads); */
  return status;
}
