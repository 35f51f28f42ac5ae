#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "npy.h"

#include "error.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum {
  HEADER_MAX = 65536, /* NumPy's own for 8 dimensions stays below 300 bytes */
  CHUNK = 65536       /* a multiple of every element size */
};

typedef struct npy_header {
  attest_dtype dtype;
  int big_endian;
  int fortran;
  int ndim;
  size_t dims[ATTEST_ARRAY_MAX_DIMS];
  size_t count;
} npy_header;

/* --- the header's dict ------------------------------------------------------------------- */

typedef struct cursor {
  const char *at;
  const char *end;
  const char *name;
  char *error;
  size_t error_size;
} cursor;

static int fail(const cursor *c, const char *fault) {
  return attest_error(c->error, c->error_size, "%s: bad .npy header: %s", c->name, fault);
}

static void skip_space(cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
    c->at++;
}

static int take(cursor *c, char wanted) {
  skip_space(c);
  if (c->at == c->end || *c->at != wanted)
    return 0;
  c->at++;
  return 1;
}

/* A quoted string without escapes: its start, its length goes to *length; NULL on error. */
static const char *take_string(cursor *c, size_t *length) {
  const char *start;
  char quote;

  skip_space(c);
  if (c->at == c->end || (*c->at != '\'' && *c->at != '"')) {
    fail(c, "a quoted string is missing");
    return NULL;
  }
  quote = *c->at++;
  start = c->at;
  while (c->at < c->end && *c->at != quote) {
    if (*c->at == '\\' || *c->at == '\n') {
      fail(c, "a string with an escape or a line break");
      return NULL;
    }
    c->at++;
  }
  if (c->at == c->end) {
    fail(c, "a string does not end");
    return NULL;
  }
  *length = (size_t)(c->at - start);
  c->at++;
  return start;
}

static int is_word(const char *start, size_t length, const char *word) {
  return length == strlen(word) && memcmp(start, word, length) == 0;
}

static int take_descr(cursor *c, npy_header *header) {
  static const struct {
    char code[3];
    attest_dtype dtype;
  } codes[] = {{"f8", ATTEST_DT_F64}, {"f4", ATTEST_DT_F32}, {"f2", ATTEST_DT_F16},
               {"i4", ATTEST_DT_I32}, {"i8", ATTEST_DT_I64}, {"u2", ATTEST_DT_U16},
               {"u1", ATTEST_DT_U8},  {"b1", ATTEST_DT_BOOL}, {"V2", ATTEST_DT_BF16}};
  const char *text;
  size_t length;

  skip_space(c);
  if (c->at < c->end && *c->at == '[')
    return fail(c, "a structured type is not supported");
  text = take_string(c, &length);
  if (text == NULL)
    return -1;
  for (size_t i = 0; length == 3 && i < sizeof codes / sizeof codes[0]; i++) {
    const attest_dtype dtype = codes[i].dtype;
    /* '|' says that byte order has no meaning: for single bytes, and for V2, which the bf16 of
       ml_dtypes is written as ('<V2', or '|V2' once NumPy has read and written it again). */
    const int ordered = dtype != ATTEST_DT_U8 && dtype != ATTEST_DT_BOOL;
    const int unordered = !ordered || dtype == ATTEST_DT_BF16;
    if (!is_word(text + 1, 2, codes[i].code))
      continue;
    if ((ordered && (text[0] == '<' || text[0] == '>')) || (unordered && text[0] == '|')) {
      header->dtype = dtype;
      header->big_endian = text[0] == '>';
      return 0;
    }
  }
  return attest_error(c->error, c->error_size,
                      "%s: type '%.*s' is not supported (f8, f4, f2, i4, i8, u2, u1, b1, V2)",
                      c->name, length > 40 ? 40 : (int)length, text);
}

static int take_order(cursor *c, npy_header *header) {
  const char *start;
  size_t length;

  skip_space(c);
  start = c->at;
  while (c->at < c->end && ((*c->at >= 'a' && *c->at <= 'z') || (*c->at >= 'A' && *c->at <= 'Z')))
    c->at++;
  length = (size_t)(c->at - start);
  header->fortran = is_word(start, length, "True");
  if (!header->fortran && !is_word(start, length, "False"))
    return fail(c, "fortran_order is neither True nor False");
  return 0;
}

static int take_size(cursor *c, size_t *size) {
  const char *start;

  skip_space(c);
  if (c->at < c->end && *c->at == '-')
    return fail(c, "a negative dimension");
  start = c->at;
  *size = 0;
  while (c->at < c->end && *c->at >= '0' && *c->at <= '9') {
    const size_t digit = (size_t)(*c->at - '0');
    if (*size > (SIZE_MAX - digit) / 10)
      return fail(c, "a dimension is out of range");
    *size = *size * 10 + digit;
    c->at++;
  }
  if (c->at == start)
    return fail(c, "a dimension is not a number");
  if (*start == '0' && c->at - start > 1)
    return fail(c, "a dimension starts with 0");
  return 0;
}

static int take_shape(cursor *c, npy_header *header) {
  if (!take(c, '('))
    return fail(c, "shape is not a tuple");
  header->ndim = 0;
  while (!take(c, ')')) {
    if (header->ndim == ATTEST_ARRAY_MAX_DIMS)
      return attest_error(c->error, c->error_size,
                          "%s: more than %d dimensions are not supported", c->name,
                          ATTEST_ARRAY_MAX_DIMS);
    if (take_size(c, &header->dims[header->ndim]) != 0)
      return -1;
    header->ndim++;
    if (take(c, ','))
      continue;
    if (!take(c, ')'))
      return fail(c, "shape does not end");
    /* "(3)" is a number in Python, not a tuple. */
    if (header->ndim == 1)
      return fail(c, "shape is not a tuple");
    break;
  }
  return 0;
}

static int parse_dict(cursor *c, npy_header *header) {
  static const struct {
    const char *key;
    int (*take_value)(cursor *, npy_header *);
    const char *missing;
    const char *twice;
  } keys[] = {
      {"descr", take_descr, "descr is missing", "descr is given twice"},
      {"fortran_order", take_order, "fortran_order is missing", "fortran_order is given twice"},
      {"shape", take_shape, "shape is missing", "shape is given twice"}};
  enum { KEYS = sizeof keys / sizeof keys[0] };
  int seen[KEYS] = {0};

  if (!take(c, '{'))
    return fail(c, "not a dict");
  while (!take(c, '}')) {
    size_t length, i;
    const char *key = take_string(c, &length);
    if (key == NULL)
      return -1;
    for (i = 0; i < KEYS && !is_word(key, length, keys[i].key); i++)
      ;
    if (i == KEYS)
      return attest_error(c->error, c->error_size, "%s: bad .npy header: unknown key '%.*s'",
                          c->name, length > 40 ? 40 : (int)length, key);
    if (seen[i])
      return fail(c, keys[i].twice);
    seen[i] = 1;
    if (!take(c, ':'))
      return fail(c, "a ':' is missing");
    if (keys[i].take_value(c, header) != 0)
      return -1;
    if (take(c, ','))
      continue;
    if (!take(c, '}'))
      return fail(c, "the dict does not end");
    break;
  }
  for (size_t i = 0; i < KEYS; i++)
    if (!seen[i])
      return fail(c, keys[i].missing);
  skip_space(c);
  if (c->at != c->end)
    return fail(c, "text after the dict");
  if (c->end[-1] != '\n')
    return fail(c, "no line break at its end");
  return 0;
}

/* --- reading ----------------------------------------------------------------------------- */

static int read_header(const attest_npy_source *source, npy_header *header, const char *name,
                       char *error, size_t error_size) {
  static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
  static const unsigned char zip_magic[4] = {'P', 'K', 3, 4};
  unsigned char prefix[12];
  char text[HEADER_MAX];
  size_t prefix_size = 10, length;
  uint64_t left;
  cursor c;

  if (source->size < prefix_size)
    return attest_error(error, error_size, "%s: not a .npy file, only %" PRIu64 " bytes", name,
                        source->size);
  if (source->read(source->context, prefix, prefix_size, error, error_size) != 0)
    return -1;
  if (memcmp(prefix, zip_magic, sizeof zip_magic) == 0)
    return attest_error(error, error_size, "%s: not a .npy file but a zip archive (FILE.npz)",
                        name);
  if (memcmp(prefix, magic, sizeof magic) != 0)
    return attest_error(error, error_size, "%s: not a .npy file", name);
  if (prefix[6] < 1 || prefix[6] > 3 || prefix[7] != 0)
    return attest_error(error, error_size, "%s: .npy version %u.%u is not supported", name,
                        (unsigned)prefix[6], (unsigned)prefix[7]);
  length = (size_t)prefix[8] | (size_t)prefix[9] << 8;
  if (prefix[6] > 1) {
    prefix_size = 12;
    if (source->size < prefix_size)
      return attest_error(error, error_size, "%s: ends inside the .npy header", name);
    if (source->read(source->context, prefix + 10, 2, error, error_size) != 0)
      return -1;
    length |= (size_t)prefix[10] << 16 | (size_t)prefix[11] << 24;
  }
  left = source->size - prefix_size;
  if (length > left)
    return attest_error(error, error_size,
                        "%s: the .npy header claims %zu bytes, the file holds %" PRIu64 " more",
                        name, length, left);
  if (length > HEADER_MAX)
    return attest_error(error, error_size,
                        "%s: a .npy header of %zu bytes, at most %d are supported", name, length,
                        HEADER_MAX);
  if (source->read(source->context, (unsigned char *)text, length, error, error_size) != 0)
    return -1;
  left -= length;
  c.at = text;
  c.end = text + length;
  c.name = name;
  c.error = error;
  c.error_size = error_size;
  if (parse_dict(&c, header) != 0)
    return -1;
  if (attest_array_count(header->ndim, header->dims, &header->count) != 0)
    return attest_error(error, error_size, "%s: the product of the dimensions is out of range",
                        name);
  /* Divided rather than multiplied, since the product may not fit. */
  if (header->count > left / attest_dtype_size(header->dtype) ||
      header->count * attest_dtype_size(header->dtype) != left)
    return attest_error(error, error_size,
                        "%s: header claims %zu elements of %s, the file holds %" PRIu64
                        " bytes of data",
                        name, header->count, attest_dtype_name(header->dtype), left);
  return 0;
}

static int host_is_big_endian(void) {
  const uint16_t one = 1;
  unsigned char first;

  memcpy(&first, &one, 1);
  return first == 0;
}

static void swap_elements(unsigned char *bytes, size_t size, size_t count) {
  for (unsigned char *element = bytes; count > 0; count--, element += size)
    for (size_t i = 0; i < size / 2; i++) {
      const unsigned char kept = element[i];
      element[i] = element[size - 1 - i];
      element[size - 1 - i] = kept;
    }
}

/* Walks an array in Fortran order and knows where C order keeps each element. */
typedef struct walker {
  size_t position[ATTEST_ARRAY_MAX_DIMS];
  size_t stride[ATTEST_ARRAY_MAX_DIMS];
  size_t offset;
} walker;

static void walker_start(walker *w, const attest_array *array) {
  size_t stride = 1;

  memset(w, 0, sizeof *w);
  for (int i = array->ndim - 1; i >= 0; i--) {
    w->stride[i] = stride;
    stride *= array->dims[i];
  }
}

static void walker_next(walker *w, const attest_array *array) {
  for (int i = 0; i < array->ndim; i++) {
    w->offset += w->stride[i];
    if (++w->position[i] < array->dims[i])
      return;
    w->offset -= w->stride[i] * array->dims[i];
    w->position[i] = 0;
  }
}

static int read_data(const attest_npy_source *source, const npy_header *header,
                     attest_array *array, const char *name, char *error, size_t error_size) {
  const size_t size = attest_dtype_size(array->dtype);
  const int swap = header->big_endian != host_is_big_endian() && size > 1;
  unsigned char chunk[CHUNK];
  unsigned char *data = array->data;
  size_t done = 0;
  walker w;

  walker_start(&w, array);
  while (done < array->count) {
    const size_t left = array->count - done;
    const size_t n = left < CHUNK / size ? left : CHUNK / size;
    if (source->read(source->context, chunk, n * size, error, error_size) != 0)
      return -1;
    if (swap)
      swap_elements(chunk, size, n);
    if (!header->fortran) {
      memcpy(data + done * size, chunk, n * size);
    } else {
      for (size_t i = 0; i < n; i++) {
        memcpy(data + w.offset * size, chunk + i * size, size);
        walker_next(&w, array);
      }
    }
    done += n;
  }
  if (array->dtype == ATTEST_DT_BOOL)
    for (size_t i = 0; i < array->count; i++)
      if (data[i] > 1)
        return attest_error(error, error_size, "%s: element %zu of a bool array has the byte %u",
                            name, i, (unsigned)data[i]);
  return 0;
}

int attest_npy_read_source(const attest_npy_source *source, const char *name, attest_array *out,
                           char *error, size_t error_size) {
  npy_header header;

  memset(out, 0, sizeof *out);
  memset(&header, 0, sizeof header);
  if (read_header(source, &header, name, error, error_size) != 0)
    return -1;
  if (attest_array_create(out, header.dtype, header.ndim, header.dims, name, error,
                          error_size) != 0)
    return -1;
  if (read_data(source, &header, out, name, error, error_size) != 0) {
    attest_array_free(out);
    return -1;
  }
  return 0;
}

typedef struct memory {
  const unsigned char *at;
} memory;

static int read_memory(void *context, unsigned char *to, size_t size, char *error,
                       size_t error_size) {
  memory *m = context;

  (void)error;
  (void)error_size;
  if (size > 0)
    memcpy(to, m->at, size);
  m->at += size;
  return 0;
}

int attest_npy_parse(const unsigned char *bytes, size_t size, const char *name, attest_array *out,
                     char *error, size_t error_size) {
  memory m = {bytes};
  attest_npy_source source;

  source.read = read_memory;
  source.context = &m;
  source.size = size;
  return attest_npy_read_source(&source, name, out, error, error_size);
}

typedef struct open_file {
  FILE *stream;
  const char *path;
} open_file;

static int read_stream(void *context, unsigned char *to, size_t size, char *error,
                       size_t error_size) {
  open_file *f = context;

  if (fread(to, 1, size, f->stream) == size)
    return 0;
  return attest_error(error, error_size, "%s: %s", f->path,
                      ferror(f->stream) ? strerror(errno) : "became shorter while being read");
}

int attest_npy_read_file(const char *path, attest_array *out, char *error, size_t error_size) {
  struct stat status;
  open_file f;
  attest_npy_source source;
  int result;

  memset(out, 0, sizeof *out);
  /* Asked before opening, because opening a pipe without a writer would wait for one. */
  if (stat(path, &status) != 0)
    return attest_error(error, error_size, "%s: %s", path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return attest_error(error, error_size, "%s: not a regular file", path);
  f.path = path;
  f.stream = fopen(path, "rb");
  if (f.stream == NULL)
    return attest_error(error, error_size, "%s: %s", path, strerror(errno));
  if (fstat(fileno(f.stream), &status) != 0 || !S_ISREG(status.st_mode)) {
    result = attest_error(error, error_size, "%s: not a regular file", path);
  } else {
    source.read = read_stream;
    source.context = &f;
    source.size = (uint64_t)status.st_size;
    result = attest_npy_read_source(&source, path, out, error, error_size);
    if (result == 0 && getc(f.stream) != EOF) {
      attest_array_free(out);
      result = attest_error(error, error_size, "%s: became longer while being read", path);
    }
  }
  fclose(f.stream);
  return result;
}

/* --- writing ----------------------------------------------------------------------------- */

static const char *descr_of(attest_dtype dtype) {
  switch (dtype) {
  case ATTEST_DT_F64:
    return "f8";
  case ATTEST_DT_F32:
    return "f4";
  case ATTEST_DT_F16:
    return "f2";
  case ATTEST_DT_I32:
    return "i4";
  case ATTEST_DT_I64:
    return "i8";
  case ATTEST_DT_U8:
    return "u1";
  case ATTEST_DT_BOOL:
    return "b1";
  default:
    return "u2";
  }
}

enum { WRITTEN_HEADER = 384 }; /* 64 bytes around 8 dimensions of at most 20 digits each */

/* The whole header with its prefix, padded so that the data starts at a multiple of 64 bytes. */
static size_t make_header(const attest_array *array, attest_npy_layout layout,
                          unsigned char header[WRITTEN_HEADER]) {
  char text[WRITTEN_HEADER];
  int used = snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (",
                      attest_dtype_size(array->dtype) == 1 ? '|' : layout.big_endian ? '>' : '<',
                      descr_of(array->dtype), layout.fortran ? "True" : "False");
  size_t total, length;

  for (int i = 0; i < array->ndim; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, i == 0 ? "%zu," : " %zu,",
                     array->dims[i]);
  /* A tuple of two or more has no comma at its end in NumPy's own spelling. */
  if (array->ndim > 1)
    used--;
  used += snprintf(text + used, sizeof text - (size_t)used, "), }");
  total = (10 + (size_t)used + 1 + 63) / 64 * 64;
  length = total - 10;
  memset(header, ' ', total);
  memcpy(header, "\x93NUMPY\x01\x00", 8);
  header[8] = (unsigned char)(length & 0xff);
  header[9] = (unsigned char)(length >> 8);
  memcpy(header + 10, text, (size_t)used);
  header[total - 1] = '\n';
  return total;
}

/* Steps through an array with the first index running fastest: *offset is that of the element at
   `index`, which the steps keep. */
static void next_fortran(const attest_array *array, size_t index[ATTEST_ARRAY_MAX_DIMS],
                         size_t *offset) {
  size_t stride = array->count;
  for (int i = 0; i < array->ndim; i++) {
    stride /= array->dims[i];
    *offset += stride;
    if (++index[i] < array->dims[i])
      return;
    *offset -= stride * array->dims[i];
    index[i] = 0;
  }
}

int attest_npy_write(FILE *stream, const attest_array *array, attest_npy_layout layout,
                     const char *name, char *error, size_t error_size) {
  const size_t size = attest_dtype_size(array->dtype);
  const int swap = host_is_big_endian() != layout.big_endian && size > 1;
  const unsigned char *data = array->data;
  unsigned char header[WRITTEN_HEADER], chunk[CHUNK];
  const size_t header_size = make_header(array, layout, header);
  int good = fwrite(header, 1, header_size, stream) == header_size;

  if (!swap && !layout.fortran) {
    good = good && fwrite(data, size, array->count, stream) == array->count;
  } else {
    size_t index[ATTEST_ARRAY_MAX_DIMS] = {0}, offset = 0;
    for (size_t done = 0; good && done < array->count;) {
      const size_t left = array->count - done;
      const size_t n = left < CHUNK / size ? left : CHUNK / size;
      if (!layout.fortran)
        memcpy(chunk, data + done * size, n * size);
      for (size_t i = 0; layout.fortran && i < n; i++) {
        memcpy(chunk + i * size, data + offset * size, size);
        next_fortran(array, index, &offset);
      }
      if (swap)
        swap_elements(chunk, size, n);
      good = fwrite(chunk, size, n, stream) == n;
      done += n;
    }
  }
  return good ? 0 : attest_error(error, error_size, "%s: %s", name, strerror(errno));
}
