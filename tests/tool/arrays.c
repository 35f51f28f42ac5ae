/* Array files for the tests of the command, and what it must compute from them.

     arrays make FILE DTYPE SEED DIM...    numbers in [-2, 2]; bool: 0 and 1; i64: see `whole`
     arrays whole FILE NUMBER...           one dimension of int64
     arrays nan FILE ROW                   row ROW (last dimension) of a float file becomes NaN
     arrays head IN OUT N                  the first N rows (second last dimension) of each matrix
     arrays tail IN OUT N                  the rest
     arrays join OUT A B                   columns of two matrices side by side
     arrays zip ARCHIVE NAME=FILE...       an .npz archive, stored
     arrays claim FILE DIM...              a header for so many f32, and no data
     arrays info FILE                      DTYPE DIM...
     arrays sums FILE                      each row must sum to 1 within the bound, or to 0
     arrays attend OUT DTYPE Q K V [OFFSET]   4-D attention by the library, causal with an OFFSET
     arrays layer OUT DTYPE X WQ WK WV WO HEADS KV_HEADS

   Exit 0; 1: `sums` found a row that does not; 2: anything else went wrong. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "attest.h"
#include "bound.h"
#include "io.h"

static char error[400];

static void die(const char *what) {
  fprintf(stderr, "arrays: %s\n", what);
  exit(2);
}

static void check(int result) {
  if (result != 0) die(error);
}

static void *memory(size_t bytes) {
  void *p = malloc(bytes > 0 ? bytes : 1);
  if (!p) die("out of memory");
  return p;
}

static size_t number(const char *text) {
  char *end;
  const unsigned long long n = strtoull(text, &end, 10);
  if (end == text || *end) die("not a number");
  return (size_t)n;
}

static attest_dtype dtype(const char *name) {
  for (int d = ATTEST_DT_F64; d <= ATTEST_DT_BOOL; d++)
    if (strcmp(name, attest_dtype_name((attest_dtype)d)) == 0) return (attest_dtype)d;
  die("no such dtype");
  return ATTEST_DT_F64;
}

static int dimensions(int argc, char **argv, size_t *dims) {
  if (argc > ATTEST_ARRAY_MAX_DIMS) die("too many dimensions");
  for (int n = 0; n < argc; n++) dims[n] = number(argv[n]);
  return argc;
}

static uint64_t draw(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void make(const char *file, const char *type, const char *seed, int argc, char **argv) {
  size_t dims[ATTEST_ARRAY_MAX_DIMS], count;
  const int ndim = dimensions(argc, argv, dims);
  const attest_dtype kind = dtype(type);
  uint64_t state = 0x9e3779b97f4a7c15u + number(seed);
  attest_array a;
  if (attest_array_count(ndim, dims, &count) != 0) die("too large");
  double *values = memory(count * sizeof *values);
  for (size_t n = 0; n < count; n++) {
    /* 17 bits in [-2, 2], rounded by the narrower formats */
    values[n] = ((double)(draw(&state) >> 46) - 131072) / 65536;
    if (kind == ATTEST_DT_BOOL) values[n] = values[n] > -1;
  }
  check(attest_array_from_f64(&a, kind, ndim, dims, values, file, error, sizeof error));
  check(attest_io_write_npy(file, &a, error, sizeof error));
  attest_array_free(&a);
  free(values);
}

static void whole(const char *file, int argc, char **argv) {
  const size_t count = (size_t)argc;
  double *values = memory(count * sizeof *values);
  attest_array a;
  for (size_t n = 0; n < count; n++) values[n] = (double)number(argv[n]);
  check(attest_array_from_f64(&a, ATTEST_DT_I64, 1, &count, values, file, error, sizeof error));
  check(attest_io_write_npy(file, &a, error, sizeof error));
  attest_array_free(&a);
  free(values);
}

static double *values_of(const char *file, attest_array *a) {
  check(attest_io_read(file, a, error, sizeof error));
  if (a->ndim < 1) die("a number without dimensions");
  double *values = memory(a->count * sizeof *values);
  check(attest_array_to_f64(a, values, file, error, sizeof error));
  return values;
}

static void write_like(const char *file, const attest_array *like, const size_t *dims,
                       const double *values) {
  attest_array a;
  check(attest_array_from_f64(&a, like->dtype, like->ndim, dims, values, file, error,
                              sizeof error));
  check(attest_io_write_npy(file, &a, error, sizeof error));
  attest_array_free(&a);
}

static void set_nan(const char *file, size_t row) {
  attest_array a;
  double *values = values_of(file, &a);
  const size_t width = a.dims[a.ndim - 1];
  for (size_t c = 0; c < width; c++) values[row * width + c] = (double)NAN;
  write_like(file, &a, a.dims, values);
  attest_array_free(&a);
  free(values);
}

static void cut(const char *from, const char *to, size_t rows, int tail) {
  attest_array a;
  double *values = values_of(from, &a);
  if (a.ndim < 2 || rows > a.dims[a.ndim - 2]) die("cannot cut there");
  const size_t width = a.dims[a.ndim - 1], all = a.dims[a.ndim - 2];
  const size_t kept = tail ? all - rows : rows, first = tail ? rows : 0;
  double *cut_values = memory(a.count * sizeof *cut_values);
  for (size_t m = 0; m < a.count / (all * width); m++)
    memcpy(cut_values + m * kept * width, values + (m * all + first) * width,
           kept * width * sizeof *values);
  a.dims[a.ndim - 2] = kept;
  write_like(to, &a, a.dims, cut_values);
  attest_array_free(&a);
  free(values);
  free(cut_values);
}

static void join(const char *to, const char *left, const char *right) {
  attest_array a, b;
  double *x = values_of(left, &a), *y = values_of(right, &b);
  if (a.ndim != 2 || b.ndim != 2 || a.dims[0] != b.dims[0]) die("no matrices of the same rows");
  const size_t wide = a.dims[1], more = b.dims[1];
  double *both = memory((a.count + b.count) * sizeof *both);
  for (size_t i = 0; i < a.dims[0]; i++) {
    memcpy(both + i * (wide + more), x + i * wide, wide * sizeof *x);
    memcpy(both + i * (wide + more) + wide, y + i * more, more * sizeof *y);
  }
  a.dims[1] = wide + more;
  write_like(to, &a, a.dims, both);
  attest_array_free(&a);
  attest_array_free(&b);
  free(x);
  free(y);
  free(both);
}

static void make_zip(const char *archive, int argc, char **argv) {
  int code;
  zip_t *z = zip_open(archive, ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (!z) die("cannot create the archive");
  for (int n = 0; n < argc; n++) {
    char *file = strchr(argv[n], '=');
    zip_source_t *source;
    zip_int64_t at;
    if (!file) die("NAME=FILE is wanted");
    *file++ = '\0';
    source = zip_source_file(z, file, 0, -1);
    if (!source || (at = zip_file_add(z, argv[n], source, 0)) < 0 ||
        zip_set_file_compression(z, (zip_uint64_t)at, ZIP_CM_STORE, 0) != 0)
      die("cannot add to the archive");
  }
  if (zip_close(z) != 0) die("cannot write the archive");
}

static void claim(const char *file, int argc, char **argv) {
  char dims[200] = "", header[400];
  size_t length = 0;
  FILE *f = fopen(file, "wb");
  if (!f) die("cannot write");
  for (int n = 0; n < argc; n++)
    length += (size_t)snprintf(dims + length, sizeof dims - length, "%s, ", argv[n]);
  const int text = snprintf(header, sizeof header,
                            "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", dims);
  const int padded = (10 + text + 1 + 63) / 64 * 64 - 10;
  fprintf(f, "%cNUMPY%c%c%c%c%-*s\n", 0x93, 1, 0, padded & 255, padded >> 8, padded - 1, header);
  if (fclose(f) != 0) die("cannot write");
}

static void info(const char *file) {
  attest_array a;
  check(attest_io_read(file, &a, error, sizeof error));
  printf("%s", attest_dtype_name(a.dtype));
  for (int n = 0; n < a.ndim; n++) printf(" %zu", a.dims[n]);
  puts("");
  attest_array_free(&a);
}

static int sums(const char *file) {
  attest_array a;
  double *values = values_of(file, &a);
  const size_t width = a.dims[a.ndim - 1];
  const attest_format format = a.dtype == ATTEST_DT_F64 ? ATTEST_FORMAT_F64 : ATTEST_FORMAT_F32;
  const attest_claim claim = attest_claim_engine(format, format);
  const attest_row_error sized = {.keys = (double)width, .kept = 1};
  const double allowed = attest_bound_row_sum(&claim, &sized, 0);
  int wrong = 0;
  for (size_t row = 0; row < a.count / width; row++) {
    long double sum = 0;
    for (size_t j = 0; j < width; j++) sum += values[row * width + j];
    if (sum != 0 && !(fabsl(sum - 1) <= allowed)) wrong = 1;
  }
  attest_array_free(&a);
  free(values);
  return wrong;
}

static float *floats_of(const double *from, size_t count) {
  float *to = memory(count * sizeof *to);
  for (size_t n = 0; n < count; n++) to[n] = (float)from[n];
  return to;
}

static void write_new(const char *file, attest_dtype kind, int ndim, const size_t *dims,
                      const double *values) {
  attest_array a;
  check(attest_array_from_f64(&a, kind, ndim, dims, values, file, error, sizeof error));
  check(attest_io_write_npy(file, &a, error, sizeof error));
  attest_array_free(&a);
}

static void attend(int argc, char **argv) {
  const attest_dtype kind = dtype(argv[1]);
  attest_array a[3];
  double *data[3];
  attest_shape s;
  attest_status status;
  for (int n = 0; n < 3; n++) {
    data[n] = values_of(argv[2 + n], &a[n]);
    if (a[n].ndim != 4) die("4 dimensions are wanted");
  }
  memset(&s, 0, sizeof s);
  s.batch = a[0].dims[0];
  s.q_heads = a[0].dims[1];
  s.kv_heads = a[1].dims[1];
  s.q_len = a[0].dims[2];
  s.kv_len = a[1].dims[2];
  s.width = a[0].dims[3];
  s.value_width = a[2].dims[3];
  if (argc > 5) {
    s.causal = 1;
    s.offset = (int64_t)strtoll(argv[5], NULL, 10);
  }
  if (attest_layout_bhsd(&s) != ATTEST_OK) die("layout");
  const size_t count = s.batch * s.q_heads * s.q_len * s.value_width;
  const size_t dims[4] = {s.batch, s.q_heads, s.q_len, s.value_width};
  double *out = memory(count * sizeof *out);
  if (kind == ATTEST_DT_F64) {
    const size_t need = attest_scratch_f64(&s, ATTEST_NAIVE, 1);
    double *scratch = memory(need * sizeof *scratch);
    const attest_arrays_f64 arrays = {data[0], data[1], data[2], NULL, NULL, out, NULL, NULL};
    status = attest_attention_f64(&s, &arrays, ATTEST_NAIVE, 1, scratch, need);
    free(scratch);
  } else {
    const size_t need = attest_scratch_f32(&s, ATTEST_NAIVE, 1);
    float *scratch = memory(need * sizeof *scratch), *got = memory(count * sizeof *got);
    float *q = floats_of(data[0], a[0].count), *k = floats_of(data[1], a[1].count),
          *v = floats_of(data[2], a[2].count);
    const attest_arrays_f32 arrays = {q, k, v, NULL, NULL, got, NULL, NULL};
    status = attest_attention_f32(&s, &arrays, ATTEST_NAIVE, 1, scratch, need);
    for (size_t n = 0; n < count; n++) out[n] = (double)got[n];
    free(q);
    free(k);
    free(v);
    free(got);
    free(scratch);
  }
  if (status != ATTEST_OK) die(attest_status_text(status));
  write_new(argv[0], kind, 4, dims, out);
  for (int n = 0; n < 3; n++) {
    attest_array_free(&a[n]);
    free(data[n]);
  }
  free(out);
}

static void layer(char **argv) {
  const attest_dtype kind = dtype(argv[1]);
  attest_array a[5];
  double *data[5];
  attest_layer_shape s;
  attest_status status;
  for (int n = 0; n < 5; n++) {
    data[n] = values_of(argv[2 + n], &a[n]);
    if (a[n].ndim != 2) die("2 dimensions are wanted");
  }
  memset(&s, 0, sizeof s);
  s.heads = number(argv[7]);
  s.kv_heads = number(argv[8]);
  s.len = a[0].dims[0];
  s.model = a[0].dims[1];
  s.width = a[1].dims[1] / s.heads;
  s.value_width = a[3].dims[1] / s.kv_heads;
  s.out = a[4].dims[1];
  s.causal = 1;
  const size_t dims[2] = {s.len, s.out}, count = s.len * s.out;
  double *out = memory(count * sizeof *out);
  if (kind == ATTEST_DT_F64) {
    const size_t need = attest_layer_scratch_f64(&s, ATTEST_NAIVE, 1);
    double *scratch = memory(need * sizeof *scratch);
    status = attest_layer_f64(&s, data[0], data[1], data[2], data[3], data[4], out, ATTEST_NAIVE, 1,
                              scratch, need);
    free(scratch);
  } else {
    const size_t need = attest_layer_scratch_f32(&s, ATTEST_NAIVE, 1);
    float *scratch = memory(need * sizeof *scratch), *got = memory(count * sizeof *got), *f[5];
    for (int n = 0; n < 5; n++) f[n] = floats_of(data[n], a[n].count);
    status = attest_layer_f32(&s, f[0], f[1], f[2], f[3], f[4], got, ATTEST_NAIVE, 1, scratch,
                              need);
    for (size_t n = 0; n < count; n++) out[n] = (double)got[n];
    for (int n = 0; n < 5; n++) free(f[n]);
    free(got);
    free(scratch);
  }
  if (status != ATTEST_OK) die(attest_status_text(status));
  write_new(argv[0], kind, 2, dims, out);
  for (int n = 0; n < 5; n++) {
    attest_array_free(&a[n]);
    free(data[n]);
  }
  free(out);
}

int main(int argc, char **argv) {
  const char *what = argc > 2 ? argv[1] : "";
  if (strcmp(what, "make") == 0 && argc > 5)
    make(argv[2], argv[3], argv[4], argc - 5, argv + 5);
  else if (strcmp(what, "whole") == 0)
    whole(argv[2], argc - 3, argv + 3);
  else if (strcmp(what, "nan") == 0 && argc == 4)
    set_nan(argv[2], number(argv[3]));
  else if (strcmp(what, "head") == 0 && argc == 5)
    cut(argv[2], argv[3], number(argv[4]), 0);
  else if (strcmp(what, "tail") == 0 && argc == 5)
    cut(argv[2], argv[3], number(argv[4]), 1);
  else if (strcmp(what, "join") == 0 && argc == 5)
    join(argv[2], argv[3], argv[4]);
  else if (strcmp(what, "zip") == 0)
    make_zip(argv[2], argc - 3, argv + 3);
  else if (strcmp(what, "claim") == 0)
    claim(argv[2], argc - 3, argv + 3);
  else if (strcmp(what, "info") == 0)
    info(argv[2]);
  else if (strcmp(what, "sums") == 0)
    return sums(argv[2]);
  else if (strcmp(what, "attend") == 0 && argc >= 7)
    attend(argc - 2, argv + 2);
  else if (strcmp(what, "layer") == 0 && argc == 11)
    layer(argv + 2);
  else
    die("bad usage; see the head of arrays.c");
  return 0;
}
