/* Arrays for the tests of attest check: problems, another implementation, and its faults.

     faults make FILE DTYPE SEED MEAN SPREAD DIM...   numbers from MEAN - SPREAD to MEAN + SPREAD,
                                          rounded down for integers
     faults set IN OUT INDEX VALUE        element INDEX, in C order, becomes VALUE
     faults scale IN OUT FACTOR           every element times FACTOR
     faults hide FILE ROWS KEYS ROW       a bool mask of 1, all 0 in row ROW
     faults swap IN OUT HEAD HEAD         two heads of (B, H, S, D) change places
     faults flash Q K V OUT TILE P DTYPE [edge]
                     FlashAttention in float, causal, (1, H, S, D) with kv heads as q heads: running
                     maximum over tiles of TILE keys, weights rounded to P (f32 or bf16) before they
                     multiply V, output in DTYPE. edge: the first row of each tile of rows but the
                     first misses its own key
     faults saturate V OUT                case 13: all weights 1, sums in f16, OUT f16 (1, D)
     faults field JSON KEY...             a member of a JSON file: its text, number or "null"
     faults move JSON IN OUT N            the element of (B, H, S, D) where "worst" is becomes the
                                          exact answer and N allowances

   Exit 0, or 2 if anything goes wrong. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "half.h"
#include "io.h"

static char error[400];

static void die(const char *what) {
  fprintf(stderr, "faults: %s\n", what);
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

static size_t whole(const char *text) {
  char *end;
  const unsigned long long n = strtoull(text, &end, 10);
  if (end == text || *end) die("not a whole number");
  return (size_t)n;
}

static double number(const char *text) {
  char *end;
  const double x = strtod(text, &end);
  if (end == text || *end) die("not a number");
  return x;
}

static attest_dtype dtype(const char *name) {
  for (int d = ATTEST_DT_F64; d <= ATTEST_DT_BOOL; d++)
    if (strcmp(name, attest_dtype_name((attest_dtype)d)) == 0) return (attest_dtype)d;
  die("no such dtype");
  return ATTEST_DT_F64;
}

/* uint16 is what bf16 was written as. */
static double *read_array(const char *file, attest_array *a) {
  check(attest_io_read(file, a, error, sizeof error));
  if (a->dtype == ATTEST_DT_U16) a->dtype = ATTEST_DT_BF16;
  double *values = memory(a->count * sizeof *values);
  check(attest_array_to_f64(a, values, file, error, sizeof error));
  return values;
}

static void write_array(const char *file, attest_dtype kind, int ndim, const size_t *dims,
                        const double *values) {
  attest_array a;
  check(attest_array_from_f64(&a, kind, ndim, dims, values, file, error, sizeof error));
  check(attest_io_write_npy(file, &a, error, sizeof error));
  attest_array_free(&a);
}

static void write_like(const char *file, attest_array *like, double *values) {
  write_array(file, like->dtype, like->ndim, like->dims, values);
  attest_array_free(like);
  free(values);
}

static void make(int argc, char **argv) {
  size_t dims[ATTEST_ARRAY_MAX_DIMS], count;
  unsigned long long state = 0x9e3779b97f4a7c15u + whole(argv[2]);
  const double mean = number(argv[3]), spread = number(argv[4]);
  const attest_dtype kind = dtype(argv[1]);
  const int ndim = argc - 5;
  if (ndim > ATTEST_ARRAY_MAX_DIMS) die("too many dimensions");
  for (int n = 0; n < ndim; n++) dims[n] = whole(argv[5 + n]);
  if (attest_array_count(ndim, dims, &count) != 0) die("too large");
  double *values = memory(count * sizeof *values);
  for (size_t n = 0; n < count; n++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    values[n] = mean + spread * (((double)(state >> 46) - 131072) / 131072);
    if (kind >= ATTEST_DT_I32) values[n] = floor(values[n]);
  }
  write_array(argv[0], kind, ndim, dims, values);
  free(values);
}

static void set(char **argv) {
  attest_array a;
  double *values = read_array(argv[0], &a);
  if (whole(argv[2]) >= a.count) die("no such element");
  values[whole(argv[2])] = number(argv[3]);
  write_like(argv[1], &a, values);
}

static void scale(char **argv) {
  attest_array a;
  double *values = read_array(argv[0], &a);
  for (size_t n = 0; n < a.count; n++) values[n] *= number(argv[2]);
  write_like(argv[1], &a, values);
}

static void hide(char **argv) {
  const size_t dims[2] = {whole(argv[1]), whole(argv[2])};
  double *values = memory(dims[0] * dims[1] * sizeof *values);
  for (size_t n = 0; n < dims[0] * dims[1]; n++) values[n] = n / dims[1] != whole(argv[3]);
  write_array(argv[0], ATTEST_DT_BOOL, 2, dims, values);
  free(values);
}

static void swap(char **argv) {
  attest_array a;
  double *values = read_array(argv[0], &a);
  if (a.ndim != 4 || whole(argv[2]) >= a.dims[1] || whole(argv[3]) >= a.dims[1]) die("no heads");
  const size_t head = a.dims[2] * a.dims[3];
  double *x = values + whole(argv[2]) * head, *y = values + whole(argv[3]) * head;
  for (size_t b = 0; b < a.dims[0]; b++, x += a.dims[1] * head, y += a.dims[1] * head)
    for (size_t n = 0; n < head; n++) {
      const double t = x[n];
      x[n] = y[n];
      y[n] = t;
    }
  write_like(argv[1], &a, values);
}

/* --- another implementation ---------------------------------------------------------------- */

static float rounded(float x, int bf16) {
  uint16_t bits;
  if (!bf16) return x;
  attest_bf16_from_f64((double)x, &bits);
  return (float)attest_f64_from_bf16(bits);
}

typedef struct {
  const float *q, *k, *v;
  size_t keys, width, value_width, tile;
  int bf16, edge;
} flash_head;

/* One row over its visible keys, 0 .. i. */
static void flash_row(flash_head h, size_t i, float *p, float *out) {
  const float scale_of = 1 / sqrtf((float)h.width);
  const size_t last = h.edge && i > 0 && i % h.tile == 0 ? i : i + 1;
  float m = -INFINITY, l = 0;
  for (size_t c = 0; c < h.value_width; c++) out[c] = 0;
  for (size_t first = 0; first < last; first += h.tile) {
    const size_t end = first + h.tile < last ? first + h.tile : last;
    float top = m, back;
    for (size_t j = first; j < end; j++) {
      float s = 0;
      for (size_t c = 0; c < h.width; c++) s += h.q[i * h.width + c] * h.k[j * h.width + c];
      p[j - first] = s * scale_of;
      if (p[j - first] > top) top = p[j - first];
    }
    back = expf(m - top);
    l *= back;
    for (size_t c = 0; c < h.value_width; c++) out[c] *= back;
    for (size_t j = first; j < end; j++) {
      const float e = expf(p[j - first] - top);
      l += e;
      for (size_t c = 0; c < h.value_width; c++)
        out[c] += rounded(e, h.bf16) * h.v[j * h.value_width + c];
    }
    m = top;
  }
  for (size_t c = 0; c < h.value_width; c++) out[c] /= l;
}

static float *floats(const double *from, size_t count) {
  float *to = memory(count * sizeof *to);
  for (size_t n = 0; n < count; n++) to[n] = (float)from[n];
  return to;
}

static void flash(int argc, char **argv) {
  attest_array a[3];
  double *values[3];
  float *in[3];
  for (int n = 0; n < 3; n++) {
    values[n] = read_array(argv[n], &a[n]);
    if (a[n].ndim != 4) die("4 dimensions are wanted");
    in[n] = floats(values[n], a[n].count);
  }
  const size_t heads = a[0].dims[1], rows = a[0].dims[2], value_width = a[2].dims[3];
  const size_t dims[4] = {1, heads, rows, value_width};
  flash_head h = {0};
  h.keys = a[1].dims[2];
  h.width = a[0].dims[3];
  h.value_width = value_width;
  h.tile = whole(argv[4]);
  h.bf16 = strcmp(argv[5], "bf16") == 0;
  h.edge = argc > 7;
  if (rows > h.keys) die("too many rows");
  float *p = memory(h.tile * sizeof *p), *row = memory(value_width * sizeof *row);
  double *out = memory(heads * rows * value_width * sizeof *out);
  for (size_t n = 0; n < heads; n++) {
    h.q = in[0] + n * rows * h.width;
    h.k = in[1] + n * h.keys * h.width;
    h.v = in[2] + n * h.keys * value_width;
    for (size_t i = 0; i < rows; i++) {
      flash_row(h, i, p, row);
      for (size_t c = 0; c < value_width; c++)
        out[(n * rows + i) * value_width + c] = (double)row[c];
    }
  }
  write_array(argv[3], dtype(argv[6]), 4, dims, out);
  for (int n = 0; n < 3; n++) {
    attest_array_free(&a[n]);
    free(values[n]);
    free(in[n]);
  }
  free(p);
  free(row);
  free(out);
}

static double f16(double x) {
  uint16_t bits;
  attest_f16_from_f64(x, &bits);
  return attest_f64_from_f16(bits);
}

/* Sums that stop at the largest f16 number, as an accumulator of that format does. */
static double add_f16(double sum, double x) {
  const double s = f16(sum + x);
  return s > 65504 ? 65504 : s;
}

static void saturate(char **argv) {
  attest_array a;
  double *v = read_array(argv[0], &a);
  const size_t keys = a.dims[0], width = a.dims[1], dims[2] = {1, width};
  double *out = memory(width * sizeof *out), l = 0;
  for (size_t c = 0; c < width; c++) out[c] = 0;
  for (size_t j = 0; j < keys; j++) {
    l = add_f16(l, 1);
    for (size_t c = 0; c < width; c++) out[c] = add_f16(out[c], v[j * width + c]);
  }
  /* The divisor is the number of keys, which a kernel that knows all weights to be 1 may take. */
  for (size_t c = 0; c < width; c++) out[c] = f16(out[c] / (l < (double)keys ? (double)keys : l));
  write_array(argv[1], ATTEST_DT_F16, 2, dims, out);
  attest_array_free(&a);
  free(v);
  free(out);
}

/* --- JSON ----------------------------------------------------------------------------------- */

static json_t *load(const char *file) {
  json_error_t why;
  json_t *j = json_load_file(file, JSON_REJECT_DUPLICATES, &why);
  if (!j) die(why.text);
  return j;
}

static void field(int argc, char **argv) {
  json_t *root = load(argv[0]), *j = root;
  for (int n = 1; n < argc; n++) {
    j = json_object_get(j, argv[n]);
    if (!j) die("no such member");
  }
  if (json_is_string(j))
    puts(json_string_value(j));
  else if (json_is_integer(j))
    printf("%lld\n", (long long)json_integer_value(j));
  else if (json_is_real(j))
    printf("%.17g\n", json_real_value(j));
  else if (json_is_array(j))
    printf("%zu\n", json_array_size(j));
  else
    puts(json_is_null(j) ? "null" : json_is_true(j) ? "true" : json_is_false(j) ? "false" : "{}");
  json_decref(root);
}

static void move(char **argv) {
  static const char *const names[] = {"batch", "head", "row", "column"};
  json_t *root = load(argv[0]);
  json_t *worst = json_object_get(json_object_get(root, "output"), "worst");
  size_t at = 0;
  attest_array a;
  double *values = read_array(argv[1], &a);
  if (a.ndim != 4 || !json_is_object(worst)) die("no such element");
  for (int n = 0; n < 4; n++)
    at = at * a.dims[n] + (size_t)json_integer_value(json_object_get(worst, names[n]));
  values[at] = number(json_string_value(json_object_get(worst, "exact"))) +
               number(argv[3]) * json_number_value(json_object_get(worst, "allowance"));
  if (a.dtype == ATTEST_DT_I32) values[at] = nearbyint(values[at] * 65536); /* Q16.16 */
  json_decref(root);
  write_like(argv[2], &a, values);
}

int main(int argc, char **argv) {
  const char *what = argc > 2 ? argv[1] : "";
  if (strcmp(what, "make") == 0 && argc > 7)
    make(argc - 2, argv + 2);
  else if (strcmp(what, "set") == 0 && argc == 6)
    set(argv + 2);
  else if (strcmp(what, "scale") == 0 && argc == 5)
    scale(argv + 2);
  else if (strcmp(what, "hide") == 0 && argc == 6)
    hide(argv + 2);
  else if (strcmp(what, "swap") == 0 && argc == 6)
    swap(argv + 2);
  else if (strcmp(what, "flash") == 0 && argc >= 9)
    flash(argc - 2, argv + 2);
  else if (strcmp(what, "saturate") == 0 && argc == 4)
    saturate(argv + 2);
  else if (strcmp(what, "field") == 0)
    field(argc - 2, argv + 2);
  else if (strcmp(what, "move") == 0 && argc == 6)
    move(argv + 2);
  else
    die("bad usage");
  return 0;
}
