/* A mutator that knows problem.h: header fields, elements, rows and mask bits, beside libFuzzer's own
   mutations. */
#include <string.h>

#include "target.h"

static uint32_t state;

static uint32_t draw(void) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}
static size_t below(size_t bound) { return bound > 0 ? draw() % bound : 0; }

static void change_field(uint8_t *data) {
  const size_t at = below(FUZZ_HEADER);
  switch (below(4)) {
    case 0: data[at]++; break;
    case 1: data[at]--; break;
    case 2: data[at] = (uint8_t)(data[at] ^ 1u << below(8)); break;
    default: data[at] = (uint8_t)draw(); break;
  }
}

/* An element as an integer. */
static uint64_t get(const uint8_t *at, size_t word) {
  uint64_t w = 0;
  for (size_t n = word; n-- > 0;) w = w << 8 | at[n];
  return w;
}
static void put(uint8_t *at, size_t word, uint64_t w) {
  for (size_t n = 0; n < word; n++, w >>= 8) at[n] = (uint8_t)(w & 255);
}

/* Neighbours are next integers: sign and size, as the formats are made. */
static uint64_t changed(uint64_t w, size_t word) {
  const int bits = word == 8 ? 52 : 23;
  const uint64_t one = 1, unit = one << bits, top = one << (8 * word - 1);
  switch (below(10)) {
    case 0: return w + 1;
    case 1: return w - 1;
    case 2: return w + draw() % 65 - 32;
    case 3: return w + unit;
    case 4: return w - unit;
    case 5: return w ^ top;
    case 6: return w ^ one << below(8 * word);
    case 7: return (w & ~(unit - 1)) | (below(2) ? below(16) : unit - 1 - below(4));
    case 8: return (w | (top - unit)) - below(2) * unit; /* special, or the largest exponent */
    default: return ((uint64_t)draw() << 32 ^ draw()) >> (word == 8 ? 0 : 32);
  }
}

static void change_element(uint8_t *data, const fuzz_layout *l, size_t t) {
  const size_t n = below(l->count[t]);
  uint8_t *const at = data + l->at[t] + n * l->word;
  if (below(5) == 0)
    memcpy(at, data + l->at[t] + below(l->count[t]) * l->word, l->word);
  else
    put(at, l->word, changed(get(at, l->word), l->word));
}

static void copy_row(uint8_t *data, const fuzz_layout *l, size_t t) {
  const size_t bytes = l->row[t] * l->word, rows = l->row[t] ? l->count[t] / l->row[t] : 0;
  if (rows < 2) return;
  memmove(data + l->at[t] + below(rows) * bytes, data + l->at[t] + below(rows) * bytes, bytes);
}

/* The same step for a whole column, or for all of a tensor: what hill climbing needs to move sums. */
static void change_many(uint8_t *data, const fuzz_layout *l, size_t t) {
  const size_t row = l->row[t] ? l->row[t] : 1, first = below(row), way = below(4);
  const size_t step = below(2) ? row : 1;
  for (size_t n = first; n < l->count[t]; n += step) {
    uint8_t *const at = data + l->at[t] + n * l->word;
    const uint64_t w = get(at, l->word), unit = (uint64_t)1 << (l->word == 8 ? 52 : 23);
    put(at, l->word, way == 0 ? w + 1 : way == 1 ? w - 1 : way == 2 ? w + unit : w - unit);
  }
}

static void change_mask(uint8_t *data, const fuzz_layout *l) {
  const size_t n = below(l->mask_count);
  uint8_t *const at = data + l->mask_at + n / 8;
  *at = (uint8_t)(*at ^ 1u << n % 8);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  fuzz_layout l;
  state = seed * 2654435761u + 1;
  if (state == 0) state = 1;
  if (below(5) == 0 || max_size < FUZZ_HEADER) return LLVMFuzzerMutate(data, size, max_size);
  if (size < FUZZ_HEADER) {
    memset(data + size, 0, FUZZ_HEADER - size);
    size = FUZZ_HEADER;
  }
  if (below(3) == 0) change_field(data);
  l = fuzz_layout_of(data, size, fuzz_target_format);
  if (l.total > max_size) return size;
  /* Elements that are not there yet: those before them once more. */
  for (; size < l.total; size++) data[size] = size < FUZZ_HEADER + 8 ? (uint8_t)draw() : data[size - 8];
  size = l.total;
  for (size_t n = 1 + below(4); n > 0; n--) {
    const size_t t = below(FUZZ_TENSORS);
    if (l.mask_count > 0 && below(6) == 0) change_mask(data, &l);
    if (l.count[t] == 0) continue;
    switch (below(8)) {
      case 0: copy_row(data, &l, t); break;
      case 1: change_many(data, &l, t); break;
      default: change_element(data, &l, t); break;
    }
  }
  return size;
}
