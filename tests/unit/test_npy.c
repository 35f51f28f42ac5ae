/* Array files: what is read and written, every refusal with its exact line, and outputs that
   appear whole or not at all. All files are made here, in a directory of their own. */
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zip.h>

#include "array.h"
#include "error.h"
#include "io.h"
#include "npy.h"
#include "npz.h"

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif
#ifdef UNDER_ASAN
/* A request beyond all memory has to fail as it does without the sanitizer. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
#endif

static char directory[] = "/tmp/attest-test-XXXXXX";
static char start_directory[4096];

static void remove_all(void) {
  DIR *listing = opendir(".");
  const struct dirent *entry;

  while ((entry = readdir(listing)) != NULL)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
        unlink(entry->d_name) != 0)
      rmdir(entry->d_name);
  closedir(listing);
}

static int enter_directory(void **state) {
  (void)state;
  return getcwd(start_directory, sizeof start_directory) == NULL || mkdtemp(directory) == NULL ||
         chdir(directory) != 0;
}

static int leave_directory(void **state) {
  (void)state;
  remove_all();
  return chdir(start_directory) != 0 || rmdir(directory) != 0;
}

static int empty_directory(void **state) {
  (void)state;
  remove_all();
  return 0;
}

static size_t files_here(void) {
  DIR *listing = opendir(".");
  size_t count = 0;

  while (readdir(listing) != NULL)
    count++;
  closedir(listing);
  return count - 2;
}

static void write_file(const char *path, const void *bytes, size_t size) {
  FILE *f = fopen(path, "wb");

  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, size, f), size);
  assert_int_equal(fclose(f), 0);
}

static int file_holds(const char *path, const char *text) {
  char buffer[256];
  FILE *f = fopen(path, "rb");
  size_t size;

  if (f == NULL)
    return 0;
  size = fread(buffer, 1, sizeof buffer, f);
  fclose(f);
  return size == strlen(text) && memcmp(buffer, text, size) == 0;
}

/* --- .npy images ------------------------------------------------------------------------- */

typedef struct image {
  unsigned char bytes[2048];
  size_t size;
} image;

/* The header text as it stands, nothing added. */
static image make_image(int version, const char *header, const void *data, size_t data_size) {
  const size_t length = strlen(header);
  image made;

  memset(&made, 0, sizeof made);
  memcpy(made.bytes, "\x93NUMPY", 6);
  made.bytes[6] = (unsigned char)version;
  made.bytes[8] = (unsigned char)(length & 0xff);
  made.bytes[9] = (unsigned char)(length >> 8);
  made.size = version == 1 ? 10 : 12;
  memcpy(made.bytes + made.size, header, length);
  made.size += length;
  if (data_size > 0)
    memcpy(made.bytes + made.size, data, data_size);
  made.size += data_size;
  return made;
}

static image make_typed(const char *descr, const char *shape, const void *data, size_t data_size) {
  char header[256];

  snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n",
           descr, shape);
  return make_image(1, header, data, data_size);
}

static int parse(const image *source, attest_array *out, char *error, size_t error_size) {
  /* A block of exactly the right size, so that the sanitizer sees a read beyond it. */
  unsigned char *exact = malloc(source->size == 0 ? 1 : source->size);
  int result;

  memcpy(exact, source->bytes, source->size);
  result = attest_npy_parse(exact, source->size, "x.npy", out, error, error_size);
  free(exact);
  return result;
}

static attest_array parsed(image source) {
  attest_array array;
  char error[256] = "";

  if (parse(&source, &array, error, sizeof error) != 0)
    fail_msg("%s", error);
  return array;
}

static void refused(image source, const char *line) {
  attest_array array;
  char error[256] = "";

  assert_int_equal(parse(&source, &array, error, sizeof error), -1);
  assert_string_equal(error, line);
  assert_null(array.data);
}

static void header_refused(const char *header, const char *line) {
  char full[256];

  snprintf(full, sizeof full, "x.npy: bad .npy header: %s", line);
  refused(make_image(1, header, "", 0), full);
}

static void check_values(attest_array array, attest_dtype dtype, const double *values,
                         size_t count) {
  assert_int_equal(array.dtype, dtype);
  assert_int_equal(array.count, count);
  for (size_t i = 0; i < count; i++) {
    double got;
    assert_int_equal(attest_array_get(&array, i, &got), 0);
    assert_true(got == values[i] && signbit(got) == signbit(values[i]));
  }
  attest_array_free(&array);
  assert_null(array.data);
}

static void both_orders(const char *code, attest_dtype dtype, const void *little, size_t size,
                        const double *values, size_t count) {
  unsigned char big[64];
  char descr[4], shape[32];
  const size_t element = size / count;

  for (size_t i = 0; i < size; i++)
    big[i] = ((const unsigned char *)little)[i - i % element + element - 1 - i % element];
  snprintf(shape, sizeof shape, "(%zu,)", count);
  snprintf(descr, sizeof descr, "<%s", code);
  check_values(parsed(make_typed(descr, shape, little, size)), dtype, values, count);
  snprintf(descr, sizeof descr, ">%s", code);
  check_values(parsed(make_typed(descr, shape, big, size)), dtype, values, count);
}

static void test_types(void **state) {
  static const double floats[] = {1, -2.5, 0.0, -0.0};
  static const double ints[] = {1, -2, 305419896};
  static const double shorts[] = {1, 0x1234};
  static const double bytes[] = {0, 1, 255};
  (void)state;

  both_orders("f8", ATTEST_DT_F64,
              "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\x04\xc0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80", 32,
              floats, 4);
  both_orders("f4", ATTEST_DT_F32, "\0\0\x80\x3f\0\0\x20\xc0\0\0\0\0\0\0\0\x80", 16, floats, 4);
  both_orders("f2", ATTEST_DT_F16, "\0\x3c\0\xc1\0\0\0\x80", 8, floats, 4);
  both_orders("V2", ATTEST_DT_BF16, "\x80\x3f\x20\xc0\0\0\0\x80", 8, floats, 4);
  both_orders("i4", ATTEST_DT_I32, "\1\0\0\0\xfe\xff\xff\xff\x78\x56\x34\x12", 12, ints, 3);
  both_orders("i8", ATTEST_DT_I64,
              "\1\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff\x78\x56\x34\x12\0\0\0\0", 24,
              ints, 3);
  both_orders("u2", ATTEST_DT_U16, "\1\0\x34\x12", 4, shorts, 2);
  check_values(parsed(make_typed("|V2", "(4,)", "\x80\x3f\x20\xc0\0\0\0\x80", 8)),
               ATTEST_DT_BF16, floats, 4);
  check_values(parsed(make_typed("|u1", "(3,)", "\0\1\xff", 3)), ATTEST_DT_U8, bytes, 3);
  check_values(parsed(make_typed("|b1", "(2,)", "\0\1", 2)), ATTEST_DT_BOOL, bytes, 2);
}

static void test_uint16_as_bf16(void **state) {
  static const double floats[] = {1, -2.5};
  attest_array array = parsed(make_typed("<u2", "(2,)", "\x80\x3f\x20\xc0", 4));
  char error[128];
  (void)state;

  assert_int_equal(attest_array_as_bf16(&array, "x.npy", error, sizeof error), 0);
  assert_int_equal(attest_array_as_bf16(&array, "x.npy", error, sizeof error), 0);
  check_values(array, ATTEST_DT_BF16, floats, 2);
  array = parsed(make_typed("|u1", "(1,)", "\0", 1));
  assert_int_equal(attest_array_as_bf16(&array, "x.npy", error, sizeof error), -1);
  assert_string_equal(error, "x.npy: bf16 is read from u16 or V2, this is u8");
  attest_array_free(&array);
}

static void test_shapes(void **state) {
  attest_array array = parsed(make_typed("|u1", "()", "\7", 1));
  (void)state;

  assert_int_equal(array.ndim, 0);
  assert_int_equal(array.count, 1);
  attest_array_free(&array);
  array = parsed(make_typed("<f8", "(3, 0, 2)", "", 0));
  assert_int_equal(array.ndim, 3);
  assert_int_equal(array.dims[0], 3);
  assert_int_equal(array.count, 0);
  assert_non_null(array.data);
  attest_array_free(&array);
  array = parsed(make_typed("|u1", "(1, 1, 1, 1, 1, 1, 2, 3)", "abcdef", 6));
  assert_int_equal(array.ndim, 8);
  assert_int_equal(array.dims[7], 3);
  attest_array_free(&array);
  refused(make_typed("|u1", "(1, 1, 1, 1, 1, 1, 1, 1, 1)", "a", 1),
          "x.npy: more than 8 dimensions are not supported");
}

static void test_spellings(void **state) {
  static const char *const headers[] = {
      "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }          \n",
      "{'shape':(2,3),'descr':'|u1','fortran_order':False}\n",
      "{ \"fortran_order\" : False ,\t'shape' : ( 2 , 3 , ) , 'descr' : \"|u1\" , } \r\n",
      "\n{\n'shape': (2,\n3), 'fortran_order': False, 'descr': '|u1'}\n"};
  static const double values[] = {1, 2, 3, 4, 5, 6};
  (void)state;

  for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
    for (int version = 1; version <= 3; version++)
      check_values(parsed(make_image(version, headers[i], "\1\2\3\4\5\6", 6)), ATTEST_DT_U8, values,
                   6);
}

static void test_fortran_order(void **state) {
  /* Element (i, j, k) is 100 i + 10 j + k; the first index runs fastest in the file. */
  static const double c_order[] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23,
                                   100, 101, 102, 103, 110, 111, 112, 113, 120, 121, 122, 123};
  unsigned char data[48];
  size_t used = 0;
  (void)state;

  for (unsigned k = 0; k < 4; k++)
    for (unsigned j = 0; j < 3; j++)
      for (unsigned i = 0; i < 2; i++) {
        data[used++] = 0;
        data[used++] = (unsigned char)(100 * i + 10 * j + k);
      }
  check_values(
      parsed(make_image(
          1, "{'descr': '>u2', 'fortran_order': True, 'shape': (2, 3, 4), }\n", data, used)),
      ATTEST_DT_U16, c_order, 24);
  check_values(parsed(make_image(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (), }\n",
                                 "\xa", 1)),
               ATTEST_DT_U8, c_order + 4, 1);
  check_values(
      parsed(make_image(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (0, 3), }\n", "", 0)),
      ATTEST_DT_F64, c_order, 0);
}

/* Larger than the reader's chunk, and no multiple of it. */
static void test_fortran_order_large(void **state) {
  enum { ROWS = 301, COLUMNS = 997 };
  FILE *f = fopen("large.npy", "wb");
  const image header = make_image(
      1, "{'descr': '<u2', 'fortran_order': True, 'shape': (301, 997), }\n", "", 0);
  attest_array array;
  char error[256];
  (void)state;

  assert_int_equal(fwrite(header.bytes, 1, header.size, f), header.size);
  for (unsigned column = 0; column < COLUMNS; column++)
    for (unsigned row = 0; row < ROWS; row++) {
      const unsigned value = (row * 211 + column * 17) & 0xffff;
      putc((int)(value & 0xff), f);
      putc((int)(value >> 8), f);
    }
  assert_int_equal(fclose(f), 0);
  assert_int_equal(attest_npy_read_file("large.npy", &array, error, sizeof error), 0);
  for (unsigned row = 0; row < ROWS; row++)
    for (unsigned column = 0; column < COLUMNS; column++)
      assert_int_equal(((uint16_t *)array.data)[row * COLUMNS + column],
                       (row * 211 + column * 17) & 0xffff);
  attest_array_free(&array);
}

static void test_bad_start(void **state) {
  const image good = make_typed("|u1", "(2,)", "ab", 2);
  image bad = good;
  (void)state;

  bad.size = 0;
  refused(bad, "x.npy: not a .npy file, only 0 bytes");
  bad.size = 9;
  refused(bad, "x.npy: not a .npy file, only 9 bytes");
  bad = good;
  bad.bytes[0] = 'x';
  refused(bad, "x.npy: not a .npy file");
  bad = good;
  memcpy(bad.bytes, "PK\3\4", 4);
  refused(bad, "x.npy: not a .npy file but a zip archive (FILE.npz)");
  bad = good;
  bad.bytes[6] = 4;
  refused(bad, "x.npy: .npy version 4.0 is not supported");
  bad.bytes[6] = 0;
  refused(bad, "x.npy: .npy version 0.0 is not supported");
  bad.bytes[6] = 1;
  bad.bytes[7] = 1;
  refused(bad, "x.npy: .npy version 1.1 is not supported");
  bad = good;
  bad.bytes[6] = 2;
  bad.size = 11;
  refused(bad, "x.npy: ends inside the .npy header");
  bad = good;
  bad.bytes[9] = 0xff;
  refused(bad, "x.npy: the .npy header claims 65338 bytes, the file holds 60 more");
  bad = make_image(2, "", "", 0);
  bad.bytes[11] = 0xff;
  refused(bad, "x.npy: the .npy header claims 4278190080 bytes, the file holds 0 more");
}

static void test_long_header(void **state) {
  const size_t length = 70000;
  unsigned char *bytes = calloc(1, 12 + length);
  attest_array array;
  char error[128];
  (void)state;

  memcpy(bytes, "\x93NUMPY\2", 7);
  bytes[8] = (unsigned char)(length & 0xff);
  bytes[9] = (unsigned char)(length >> 8 & 0xff);
  bytes[10] = (unsigned char)(length >> 16);
  assert_int_equal(attest_npy_parse(bytes, 12 + length, "x.npy", &array, error, sizeof error), -1);
  assert_string_equal(error, "x.npy: a .npy header of 70000 bytes, at most 65536 are supported");
  free(bytes);
}

static void test_bad_dict(void **state) {
  (void)state;
  header_refused("", "not a dict");
  header_refused("[]\n", "not a dict");
  header_refused("{\n", "a quoted string is missing");
  header_refused("{}\n", "descr is missing");
  header_refused("{'descr': '|u1', 'shape': ()}\n", "fortran_order is missing");
  header_refused("{'descr': '|u1', 'fortran_order': False}\n", "shape is missing");
  header_refused("{'shape': (), 'fortran_order': False}\n", "descr is missing");
  header_refused("{'shape': (), 'shape': ()}\n", "shape is given twice");
  header_refused("{'descr': '|u1', 'descr': '|u1'}\n", "descr is given twice");
  header_refused("{'fortran_order': True, 'fortran_order': True}\n",
                 "fortran_order is given twice");
  header_refused("{'colour': 1}\n", "unknown key 'colour'");
  header_refused("{'colour\33[31m': 1}\n", "unknown key 'colour?[31m'");
  header_refused("{'': 1}\n", "unknown key ''");
  header_refused("{'shape", "a string does not end");
  header_refused("{'shape\n': ()}", "a string with an escape or a line break");
  header_refused("{'sh\\x61pe': ()}\n", "a string with an escape or a line break");
  header_refused("{shape: ()}\n", "a quoted string is missing");
  header_refused("{'shape' ()}\n", "a ':' is missing");
  header_refused("{'shape': () 'descr': '|u1'}\n", "the dict does not end");
  header_refused("{'shape': ()", "the dict does not end");
  header_refused("{'shape': (),", "a quoted string is missing");
  header_refused("{'shape': (),, }\n", "a quoted string is missing");
  header_refused("{, 'shape': ()}\n", "a quoted string is missing");
  header_refused("{'descr': '|u1', 'fortran_order': False, 'shape': ()} x\n",
                 "text after the dict");
  header_refused("{'descr': '|u1', 'fortran_order': False, 'shape': ()}",
                 "no line break at its end");
  header_refused("{'descr': '|u1', 'fortran_order': False, 'shape': ()}  ",
                 "no line break at its end");
}

static void test_bad_values(void **state) {
  (void)state;
  header_refused("{'fortran_order': false}\n", "fortran_order is neither True nor False");
  header_refused("{'fortran_order': 0}\n", "fortran_order is neither True nor False");
  header_refused("{'fortran_order': Falsehood}\n", "fortran_order is neither True nor False");
  header_refused("{'fortran_order': ", "fortran_order is neither True nor False");
  header_refused("{'shape': 3}\n", "shape is not a tuple");
  header_refused("{'shape': [3]}\n", "shape is not a tuple");
  header_refused("{'shape': (3)}\n", "shape is not a tuple");
  header_refused("{'shape': (3, 4}\n", "shape does not end");
  header_refused("{'shape': (3 4)}\n", "shape does not end");
  header_refused("{'shape': (3L,)}\n", "shape does not end");
  header_refused("{'shape': (3.0,)}\n", "shape does not end");
  header_refused("{'shape': (", "a dimension is not a number");
  header_refused("{'shape': (,)}\n", "a dimension is not a number");
  header_refused("{'shape': (3,,4)}\n", "a dimension is not a number");
  header_refused("{'shape': (True,)}\n", "a dimension is not a number");
  header_refused("{'shape': (+3,)}\n", "a dimension is not a number");
  header_refused("{'shape': (-3,)}\n", "a negative dimension");
  header_refused("{'shape': (03,)}\n", "a dimension starts with 0");
  header_refused("{'shape': (18446744073709551616,)}\n", "a dimension is out of range");
  header_refused("{'descr': [('a', '<f4')]}\n", "a structured type is not supported");
  header_refused("{'descr': f4}\n", "a quoted string is missing");
}

static void test_bad_types(void **state) {
  static const char *const types[] = {"f4",  "=f4", "|f4", "<c8", "<f16", "<i2", "<u4", "|O", "|S4",
                                      "<b1", ">u1", "<V4", "|V1", "|i1",  "",    "<",   "<M8[s]"};
  (void)state;

  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    char line[160];
    snprintf(line, sizeof line,
             "x.npy: type '%s' is not supported (f8, f4, f2, i4, i8, u2, u1, b1, V2)", types[i]);
    refused(make_typed(types[i], "(1,)", "abcdefgh", 8), line);
  }
}

static void test_wrong_size(void **state) {
  unsigned char data[512] = {0};
  (void)state;

  if (sizeof(size_t) == 8) {
    refused(make_typed("|u1", "(1152921504606846976,)", data, 512),
            "x.npy: header claims 1152921504606846976 elements of u8,"
            " the file holds 512 bytes of data");
    refused(make_typed("<f8", "(1073741824, 1073741824)", data, 512),
            "x.npy: header claims 1152921504606846976 elements of f64,"
            " the file holds 512 bytes of data");
    /* 2^61 elements of 8 bytes are 2^64 bytes, which is 0 to a careless product. */
    refused(make_typed("<f8", "(2305843009213693952,)", data, 0),
            "x.npy: header claims 2305843009213693952 elements of f64,"
            " the file holds 0 bytes of data");
  }
  refused(make_typed("<f8", "(4294967296, 4294967296)", data, 0),
          "x.npy: the product of the dimensions is out of range");
  refused(make_typed("<f8", "(0, 4294967296, 4294967296)", data, 0),
          "x.npy: the product of the dimensions is out of range");
  refused(make_typed("<f4", "(3, 2)", data, 23),
          "x.npy: header claims 6 elements of f32, the file holds 23 bytes of data");
  refused(make_typed("<f4", "(3, 2)", data, 25),
          "x.npy: header claims 6 elements of f32, the file holds 25 bytes of data");
  refused(make_typed("<f4", "(0,)", data, 1),
          "x.npy: header claims 0 elements of f32, the file holds 1 bytes of data");
  refused(make_typed("<f4", "()", data, 0),
          "x.npy: header claims 1 elements of f32, the file holds 0 bytes of data");
  refused(make_typed("|b1", "(3,)", "\0\1\2", 3),
          "x.npy: element 2 of a bool array has the byte 2");
}

typedef struct failing {
  image source;
  size_t at;
  size_t fails_at;
} failing;

static int read_until_failure(void *context, unsigned char *to, size_t size, char *error,
                              size_t error_size) {
  failing *f = context;

  assert_true(size <= f->source.size - f->at);
  if (f->at + size > f->fails_at)
    return attest_error(error, error_size, "the disk is gone");
  memcpy(to, f->source.bytes + f->at, size);
  f->at += size;
  return 0;
}

static void test_failing_reads(void **state) {
  const image good = make_image(
      2, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }\n",
      "abcdefghijklmnopqrstuvwx", 24);
  (void)state;

  for (size_t i = 0; i <= good.size; i++) {
    failing f = {good, 0, i};
    const attest_npy_source source = {read_until_failure, &f, good.size};
    attest_array array;
    char error[128] = "";
    const int result = attest_npy_read_source(&source, "x", &array, error, sizeof error);
    assert_int_equal(result, i < good.size ? -1 : 0);
    if (result != 0) {
      assert_string_equal(error, "the disk is gone");
      assert_null(array.data);
    }
    attest_array_free(&array);
  }
}

/* Every prefix of a good file is refused, and so is every file with one byte changed in its
   header, unless what it then says is good as well. */
static void test_damaged(void **state) {
  const image good = make_typed("<f4", "(3, 2)", "abcdefghijklmnopqrstuvwx", 24);
  attest_array array;
  char error[256];
  (void)state;

  for (size_t size = 0; size < good.size; size++) {
    image cut = good;
    cut.size = size;
    assert_int_equal(parse(&cut, &array, error, sizeof error), -1);
    assert_null(array.data);
  }
  for (size_t at = 0; at < good.size; at++)
    for (unsigned value = 0; value < 256; value++) {
      image bad = good;
      bad.bytes[at] = (unsigned char)value;
      error[0] = '\0';
      if (parse(&bad, &array, error, sizeof error) == 0) {
        assert_int_equal(array.count * attest_dtype_size(array.dtype), 24);
        attest_array_free(&array);
      } else {
        assert_memory_equal(error, "x.npy: ", 7);
        assert_null(strchr(error, '\n'));
      }
    }
}

/* --- files ------------------------------------------------------------------------------- */

static void unreadable(const char *spec, const char *line) {
  attest_array array;
  char error[512] = "";

  assert_int_equal(attest_io_read(spec, &array, error, sizeof error), -1);
  assert_string_equal(error, line);
  assert_null(array.data);
}

static void test_files(void **state) {
  static const double values[] = {1, 2, 3};
  image good = make_typed("|u1", "(3,)", "\1\2\3", 3);
  attest_array array;
  char error[256];
  (void)state;

  write_file("good.npy", good.bytes, good.size);
  assert_int_equal(attest_io_read("good.npy", &array, error, sizeof error), 0);
  check_values(array, ATTEST_DT_U8, values, 3);
  write_file("any name", good.bytes, good.size);
  assert_int_equal(attest_io_read("any name", &array, error, sizeof error), 0);
  check_values(array, ATTEST_DT_U8, values, 3);
  write_file("short.npy", good.bytes, good.size - 1);
  unreadable("short.npy",
             "short.npy: header claims 3 elements of u8, the file holds 2 bytes of data");
  write_file("long.npy", good.bytes, good.size + 1);
  unreadable("long.npy",
             "long.npy: header claims 3 elements of u8, the file holds 4 bytes of data");
  write_file("empty.npy", "", 0);
  unreadable("empty.npy", "empty.npy: not a .npy file, only 0 bytes");
  unreadable("none.npy", "none.npy: No such file or directory");
  unreadable("none\n.npy", "none?.npy: No such file or directory");
  unreadable("-", "-: standard input is not supported, name a file");
  unreadable("", "'': names no file");
  unreadable(".", ".: not a regular file");
  assert_int_equal(mkfifo("pipe.npy", 0600), 0);
  unreadable("pipe.npy", "pipe.npy: not a regular file");
  unreadable("/dev/null", "/dev/null: not a regular file");
}

static void test_error_buffers(void **state) {
  attest_array array;
  char small[8];
  (void)state;

  assert_int_equal(attest_io_read("none.npy", &array, NULL, 0), -1);
  assert_int_equal(attest_io_read("none.npy", &array, small, sizeof small), -1);
  assert_string_equal(small, "none...");
  assert_int_equal(attest_io_read("none.npy", &array, small, 1), -1);
  assert_string_equal(small, "");
}

/* --- .npz -------------------------------------------------------------------------------- */

typedef struct member {
  const char *name;
  const void *bytes;
  size_t size;
  int method;
} member;

static void write_npz(const char *path, const member *members, size_t count) {
  int code;
  zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);

  assert_non_null(archive);
  for (size_t i = 0; i < count; i++) {
    zip_source_t *source = zip_source_buffer(archive, members[i].bytes, members[i].size, 0);
    const zip_int64_t index = zip_file_add(archive, members[i].name, source, 0);
    assert_true(index >= 0);
    assert_int_equal(
        zip_set_file_compression(archive, (zip_uint64_t)index, members[i].method, 0), 0);
  }
  assert_int_equal(zip_close(archive), 0);
}

static void reads_npz(const char *spec, attest_dtype dtype, const double *values, size_t count) {
  attest_array array;
  char error[512];

  if (attest_io_read(spec, &array, error, sizeof error) != 0)
    fail_msg("%s", error);
  check_values(array, dtype, values, count);
}

static void test_npz(void **state) {
  static const double first[] = {1, 2, 3}, second[] = {4, 5, 6};
  const image a = make_typed("|u1", "(3,)", "\1\2\3", 3);
  const image b = make_typed("<u2", "(3,)", "\4\0\5\0\6\0", 6);
  const member members[] = {{"q.npy", a.bytes, a.size, ZIP_CM_STORE},
                            {"k.npy", b.bytes, b.size, ZIP_CM_DEFLATE},
                            {"odd name.npz:x", a.bytes, a.size, ZIP_CM_DEFLATE},
                            {"both", a.bytes, a.size, ZIP_CM_STORE},
                            {"both.npy", b.bytes, b.size, ZIP_CM_STORE},
                            {"text", "no array", 8, ZIP_CM_STORE}};
  (void)state;

  write_npz("six.npz", members, 6);
  reads_npz("six.npz:q", ATTEST_DT_U8, first, 3);
  reads_npz("six.npz:q.npy", ATTEST_DT_U8, first, 3);
  reads_npz("./six.npz:k", ATTEST_DT_U16, second, 3);
  reads_npz("six.npz:odd name.npz:x", ATTEST_DT_U8, first, 3);
  reads_npz("six.npz:both", ATTEST_DT_U8, first, 3);
  reads_npz("six.npz:both.npy", ATTEST_DT_U16, second, 3);
  unreadable("six.npz:text", "six.npz:text: not a .npy file, only 8 bytes");
  unreadable("six.npz:v", "six.npz: holds no array 'v'; it has 6: "
                          "q, k, odd name.npz:x, both, both, text");
  unreadable("six.npz:", "six.npz:: a name is missing after the ':'");
  unreadable("six.npz", "six.npz: holds 6 arrays, name one as FILE.npz:NAME: "
                        "q, k, odd name.npz:x, both, both, text");
  write_npz("one.npz", members + 1, 1);
  reads_npz("one.npz", ATTEST_DT_U16, second, 3);
  reads_npz("one.npz:k", ATTEST_DT_U16, second, 3);
  unreadable("none.npz:k", "none.npz: No such file or directory");
  assert_int_equal(mkdir("directory.npz", 0700), 0);
  unreadable("directory.npz:k", "directory.npz: not a regular file");
}

static void test_npz_many(void **state) {
  enum { MANY = 300 };
  static char names[MANY][16];
  member members[MANY];
  attest_array array;
  char error[2048];
  (void)state;

  for (size_t i = 0; i < MANY; i++) {
    const member made = {names[i], "", 0, ZIP_CM_STORE};
    snprintf(names[i], sizeof names[i], "array%zu.npy", i);
    members[i] = made;
  }
  write_npz("many.npz", members, MANY);
  assert_int_equal(attest_io_read("many.npz:x", &array, error, sizeof error), -1);
  assert_true(strlen(error) < 900);
  assert_string_equal(error + strlen(error) - 5, ", ...");
}

/* The archive as bytes; its central directory starts at *central. */
static size_t load(const char *path, unsigned char *bytes, size_t room, size_t *central) {
  FILE *f = fopen(path, "rb");
  const size_t size = fread(bytes, 1, room, f);

  fclose(f);
  for (*central = 0; *central + 4 < size; ++*central)
    if (memcmp(bytes + *central, "PK\1\2", 4) == 0)
      return size;
  fail();
  return 0;
}

static void test_npz_damaged(void **state) {
  const image a = make_typed("|u1", "(3,)", "\1\2\3", 3);
  const member stored = {"q.npy", a.bytes, a.size, ZIP_CM_STORE};
  const member packed = {"q.npy", a.bytes, a.size, ZIP_CM_DEFLATE};
  unsigned char good[2048], bad[2048];
  size_t size, central, data;
  attest_array array;
  char error[512], line[160];
  (void)state;

  write_npz("good.npz", &stored, 1);
  size = load("good.npz", good, sizeof good, &central);
  data = central - a.size;

  memcpy(bad, good, size);
  bad[data + a.size - 1] ^= 1;
  write_file("bad.npz", bad, size);
  unreadable("bad.npz:q", "bad.npz:q: CRC error");

  memcpy(bad, good, size);
  memcpy(bad + central + 24, "\0\0\0\x70", 4);
  write_file("bad.npz", bad, size);
  snprintf(line, sizeof line,
           "bad.npz:q: the archive claims 1879048192 bytes, more than %zu packed bytes can hold",
           a.size);
  unreadable("bad.npz:q", line);

  memcpy(bad + central + 20, "\0\0\0\x70", 4);
  write_file("bad.npz", bad, size);
  snprintf(line, sizeof line,
           "bad.npz:q: the archive claims 1879048192 packed bytes, the file holds %zu", size);
  unreadable("bad.npz:q", line);

  memcpy(bad, good, size);
  bad[8] = bad[central + 10] = 97;
  write_file("bad.npz", bad, size);
  unreadable("bad.npz:q", "bad.npz:q: zip compression method 97 is not supported");

  write_file("bad.npz", good, size - 10);
  assert_int_equal(attest_io_read("bad.npz:q", &array, error, sizeof error), -1);
  assert_memory_equal(error, "bad.npz: ", 9);

  /* One byte more or less than the member really has. */
  write_npz("packed.npz", &packed, 1);
  size = load("packed.npz", good, sizeof good, &central);
  memcpy(bad, good, size);
  bad[central + 24]++;
  write_file("bad.npz", bad, size);
  assert_int_equal(attest_io_read("bad.npz:q", &array, error, sizeof error), -1);
  bad[central + 24] = (unsigned char)(bad[central + 24] - 2);
  write_file("bad.npz", bad, size);
  assert_int_equal(attest_io_read("bad.npz:q", &array, error, sizeof error), -1);

  for (size_t at = 0; at < size; at++) {
    memcpy(bad, good, size);
    bad[at] ^= 0x55;
    write_file("bad.npz", bad, size);
    if (attest_io_read("bad.npz:q", &array, error, sizeof error) == 0)
      attest_array_free(&array);
    else
      assert_memory_equal(error, "bad.npz", 7);
  }
}

static void test_npz_twice(void **state) {
  const image a = make_typed("|u1", "(3,)", "\1\2\3", 3);
  const member two[] = {{"q1.npy", a.bytes, a.size, ZIP_CM_STORE},
                        {"q2.npy", a.bytes, a.size, ZIP_CM_STORE}};
  unsigned char bytes[4096];
  size_t size, central;
  (void)state;

  write_npz("two.npz", two, 2);
  size = load("two.npz", bytes, sizeof bytes, &central);
  for (size_t i = 0; i + 6 <= size; i++)
    if (memcmp(bytes + i, "q2.npy", 6) == 0)
      bytes[i + 1] = '1';
  write_file("two.npz", bytes, size);
  unreadable("two.npz:q1", "two.npz: holds the name 'q1' more than once");
}

static void test_npz_bomb(void **state) {
  enum { SIZE = 16 << 20 };
  const image a = make_typed("|u1", "(1152921504606846976,)", "", 0);
  unsigned char *bytes = calloc(1, SIZE);
  const member bomb = {"q.npy", bytes, SIZE, ZIP_CM_DEFLATE};
  char line[160];
  (void)state;

  memcpy(bytes, a.bytes, a.size);
  write_npz("bomb.npz", &bomb, 1);
  snprintf(line, sizeof line,
           "bomb.npz:q: header claims 1152921504606846976 elements of u8, the file holds %zu bytes"
           " of data",
           (size_t)SIZE - a.size);
  unreadable("bomb.npz:q", line);
  free(bytes);
}

static void test_npz_encrypted(void **state) {
  const image a = make_typed("|u1", "(3,)", "\1\2\3", 3);
  zip_t *archive;
  int code;
  (void)state;

  archive = zip_open("secret.npz", ZIP_CREATE, &code);
  assert_non_null(archive);
  assert_int_equal(
      zip_file_add(archive, "q.npy", zip_source_buffer(archive, a.bytes, a.size, 0), 0), 0);
  if (zip_file_set_encryption(archive, 0, ZIP_EM_AES_256, "word") != 0) {
    zip_discard(archive);
    skip();
  }
  assert_int_equal(zip_close(archive), 0);
  unreadable("secret.npz:q", "secret.npz:q: is encrypted");
}

/* --- arrays ------------------------------------------------------------------------------ */

static void test_create(void **state) {
  static const size_t two[] = {2, 3}, huge[] = {SIZE_MAX / 2, 3};
  static const size_t beyond[] = {(size_t)1 << (sizeof(size_t) * 8 - 5)};
  attest_array array;
  char error[128];
  (void)state;

  assert_int_equal(
      attest_array_create(&array, ATTEST_DT_F64, 2, two, "x", error, sizeof error), 0);
  assert_int_equal(array.count, 6);
  for (size_t i = 0; i < 6; i++)
    assert_true(((double *)array.data)[i] == 0);
  attest_array_free(&array);
  attest_array_free(&array);
  assert_int_equal(attest_array_create(&array, ATTEST_DT_F64, 9, two, "x", error, sizeof error),
                   -1);
  assert_string_equal(error, "x: 9 dimensions, at most 8 are supported");
  assert_int_equal(attest_array_create(&array, ATTEST_DT_F64, -1, two, "x", error, sizeof error),
                   -1);
  assert_int_equal(attest_array_create(&array, ATTEST_DT_U8, 2, huge, "x", error, sizeof error),
                   -1);
  assert_int_equal(
      attest_array_create(&array, ATTEST_DT_F64, 1, (const size_t[]){SIZE_MAX / 8}, "x", error,
                          sizeof error),
      -1);
  assert_null(array.data);
  /* Within the range of a size, but beyond any memory. */
  assert_int_equal(attest_array_create(&array, ATTEST_DT_F64, 1, beyond, "x", error,
                                       sizeof error),
                   -1);
  if (sizeof(size_t) == 8)
    assert_string_equal(error, "x: not enough memory for 4611686018427387904 bytes");
  assert_null(array.data);
  attest_array_free(&array);
}

/* The child may use 256 MiB more than nothing; the file is a hole of 1 GiB. */
static void test_no_memory_for_file(void **state) {
  const image header = make_typed("|u1", "(1073741824,)", "", 0);
  pid_t child;
  int status;
  (void)state;

#ifdef UNDER_ASAN
  skip();
#endif
  write_file("hole.npy", header.bytes, header.size);
  if (truncate("hole.npy", (off_t)header.size + 1073741824) != 0)
    skip();
  child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const struct rlimit limit = {256u << 20, 256u << 20};
    attest_array array;
    char error[128] = "";
    if (setrlimit(RLIMIT_AS, &limit) != 0)
      _exit(2);
    _exit(attest_io_read("hole.npy", &array, error, sizeof error) != -1 ||
          strcmp(error, "hole.npy: not enough memory for 1073741824 bytes") != 0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static attest_array from(attest_dtype dtype, const double *values, size_t count) {
  attest_array array;
  char error[256] = "";

  if (attest_array_from_f64(&array, dtype, 1, &count, values, "x", error, sizeof error) != 0)
    fail_msg("%s", error);
  return array;
}

static void not_from(attest_dtype dtype, double value, const char *line) {
  static const size_t dims[] = {2, 1};
  const double values[] = {0, value};
  const float narrow[] = {0, (float)value};
  attest_array array;
  char error[256] = "";

  assert_int_equal(
      attest_array_from_f64(&array, dtype, 2, dims, values, "x", error, sizeof error), -1);
  assert_string_equal(error, line);
  assert_null(array.data);
  if ((double)narrow[1] == value) {
    error[0] = '\0';
    assert_int_equal(
        attest_array_from_f32(&array, dtype, 2, dims, narrow, "x", error, sizeof error), -1);
    assert_string_equal(error, line);
    assert_null(array.data);
  }
}

static void test_from_f64(void **state) {
  static const double values[] = {0, 1, 255};
  static const double bools[] = {0, 1, 1};
  static const attest_dtype all[] = {ATTEST_DT_F64, ATTEST_DT_F32, ATTEST_DT_F16, ATTEST_DT_BF16,
                                     ATTEST_DT_I32, ATTEST_DT_I64, ATTEST_DT_U8,  ATTEST_DT_U16};
  (void)state;

  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    check_values(from(all[i], values, 3), all[i], values, 3);
  check_values(from(ATTEST_DT_BOOL, bools, 3), ATTEST_DT_BOOL, bools, 3);
  not_from(ATTEST_DT_F32, 1e39, "x: element [1,0] = 1e+39 overflows f32");
  not_from(ATTEST_DT_F16, 65520, "x: element [1,0] = 65520 overflows f16");
  not_from(ATTEST_DT_BF16, -3.4e38, "x: element [1,0] = -3.4e+38 overflows bf16");
  not_from(ATTEST_DT_I32, 0.5, "x: element [1,0] = 0.5 is not an integer");
  not_from(ATTEST_DT_I32, 2147483648.0, "x: element [1,0] = 2147483648 does not fit int32");
  not_from(ATTEST_DT_I32, -2147483649.0, "x: element [1,0] = -2147483649 does not fit int32");
  not_from(ATTEST_DT_I64, 0x1p63,
           "x: element [1,0] = 9.223372036854776e+18 does not fit an integer");
  not_from(ATTEST_DT_I64, INFINITY, "x: element [1,0] = inf does not fit an integer");
  not_from(ATTEST_DT_U8, -1, "x: element [1,0] = -1 does not fit uint8");
  not_from(ATTEST_DT_U8, 256, "x: element [1,0] = 256 does not fit uint8");
  not_from(ATTEST_DT_U16, 65536, "x: element [1,0] = 65536 does not fit uint16");
  not_from(ATTEST_DT_BOOL, 2, "x: element [1,0] = 2 is not a bool (0 or 1)");
}

static void test_special_values(void **state) {
  static const double values[] = {INFINITY, -INFINITY, NAN};
  static const struct {
    attest_dtype dtype;
    uint64_t bits[3];
  } formats[] = {
      {ATTEST_DT_F64,
       {UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000), UINT64_C(0x7ff8000000000000)}},
      {ATTEST_DT_F32, {0x7f800000, 0xff800000, 0x7fc00000}},
      {ATTEST_DT_F16, {0x7c00, 0xfc00, 0x7e00}},
      {ATTEST_DT_BF16, {0x7f80, 0xff80, 0x7fc0}}};
  (void)state;

  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    attest_array array = from(formats[i].dtype, values, 3);
    float narrow[3];
    double wide[3];
    char error[128];
    for (size_t j = 0; j < 3; j++) {
      uint64_t word = 0;
      uint32_t half_word;
      uint16_t short_word;
      if (attest_dtype_size(array.dtype) == 8) {
        word = ((uint64_t *)array.data)[j];
      } else if (attest_dtype_size(array.dtype) == 4) {
        memcpy(&half_word, (char *)array.data + 4 * j, 4);
        word = half_word;
      } else {
        memcpy(&short_word, (char *)array.data + 2 * j, 2);
        word = short_word;
      }
      assert_true(word == formats[i].bits[j]);
    }
    assert_int_equal(attest_array_to_f32(&array, narrow, "x", error, sizeof error), 0);
    assert_int_equal(attest_array_to_f64(&array, wide, "x", error, sizeof error), 0);
    assert_memory_equal(wide, formats[0].bits, sizeof wide);
    for (size_t j = 0; j < 3; j++) {
      uint32_t word;
      memcpy(&word, &narrow[j], 4);
      assert_true(word == formats[1].bits[j]);
    }
    attest_array_free(&array);
  }
}

static void test_to_floats(void **state) {
  static const double values[] = {0.1, -1e-320, 1e39};
  static const int64_t integers[] = {9007199254740992, INT64_MIN, 9007199254740993, INT64_MAX};
  static const size_t four[] = {2, 2};
  attest_array array = from(ATTEST_DT_F64, values, 3);
  double wide[4];
  float narrow[4];
  char error[128];
  (void)state;

  assert_int_equal(attest_array_to_f64(&array, wide, "x", error, sizeof error), 0);
  assert_memory_equal(wide, values, sizeof values);
  assert_int_equal(attest_array_to_f32(&array, narrow, "x", error, sizeof error), -1);
  assert_string_equal(error, "x: element [2] = 1e+39 overflows f32");
  assert_true(narrow[0] == 0.1f && narrow[1] == 0 && signbit(narrow[1]));
  attest_array_free(&array);

  assert_int_equal(
      attest_array_create(&array, ATTEST_DT_I64, 2, four, "x", error, sizeof error), 0);
  memcpy(array.data, integers, sizeof integers);
  assert_int_equal(attest_array_to_f64(&array, wide, "x", error, sizeof error), -1);
  assert_string_equal(error, "x: element [1,0] = 9007199254740993 is not exact in f64");
  assert_int_equal(attest_array_to_f32(&array, narrow, "x", error, sizeof error), -1);
  assert_string_equal(error, "x: element [1,0] = 9007199254740993 is not exact in f64");
  assert_int_equal(attest_array_get(&array, 1, wide), 0);
  assert_true(wide[0] == -0x1p63);
  assert_int_equal(attest_array_get(&array, 3, wide), -1);
  assert_true(wide[0] == 0x1p63);
  attest_array_free(&array);
}

static void test_to_integers(void **state) {
  static const double good[] = {-2147483648.0, 2147483647.0, -0.0}, half[] = {1, 0.5};
  static const double large[] = {2147483648.0}, infinite[] = {-INFINITY};
  attest_array array = from(ATTEST_DT_I64, good, 3);
  int32_t narrow[3];
  int64_t wide[3];
  char error[128];
  (void)state;

  assert_int_equal(attest_array_to_i32(&array, narrow, "x", error, sizeof error), 0);
  assert_true(narrow[0] == INT32_MIN && narrow[1] == INT32_MAX && narrow[2] == 0);
  attest_array_free(&array);
  array = from(ATTEST_DT_F64, good, 3);
  assert_int_equal(attest_array_to_i32(&array, narrow, "x", error, sizeof error), 0);
  assert_true(narrow[0] == INT32_MIN && narrow[1] == INT32_MAX && narrow[2] == 0);
  assert_int_equal(attest_array_to_i64(&array, wide, "x", error, sizeof error), 0);
  assert_true(wide[0] == INT32_MIN && wide[1] == INT32_MAX && wide[2] == 0);
  attest_array_free(&array);
  array = from(ATTEST_DT_I64, large, 1);
  assert_int_equal(attest_array_to_i32(&array, narrow, "x", error, sizeof error), -1);
  assert_string_equal(error, "x: element [0] = 2147483648 does not fit int32");
  ((int64_t *)array.data)[0] = INT64_MAX;
  assert_int_equal(attest_array_to_i64(&array, wide, "x", error, sizeof error), 0);
  assert_true(wide[0] == INT64_MAX);
  attest_array_free(&array);
  array = from(ATTEST_DT_F32, large, 1);
  assert_int_equal(attest_array_to_i32(&array, narrow, "x", error, sizeof error), -1);
  assert_string_equal(error, "x: element [0] = 2147483648 does not fit int32");
  attest_array_free(&array);
  array = from(ATTEST_DT_F16, half, 2);
  assert_int_equal(attest_array_to_i32(&array, narrow, "x", error, sizeof error), -1);
  assert_string_equal(error, "x: element [1] = 0.5 is not an integer");
  attest_array_free(&array);
  array = from(ATTEST_DT_BF16, infinite, 1);
  assert_int_equal(attest_array_to_i64(&array, wide, "x", error, sizeof error), -1);
  assert_string_equal(error, "x: element [0] = -inf does not fit int64");
  attest_array_free(&array);
}

static void test_masks(void **state) {
  static const double bools[] = {0, 1}, large[] = {0, 2};
  static const double hidden[] = {0, -INFINITY, -0.0}, bias[] = {0, -1e30}, visible[] = {INFINITY};
  static const attest_dtype types[] = {ATTEST_DT_BOOL, ATTEST_DT_U8, ATTEST_DT_I32, ATTEST_DT_I64,
                                       ATTEST_DT_U16};
  attest_array array;
  uint8_t got[3];
  char error[128];
  (void)state;

  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    array = from(types[i], bools, 2);
    assert_int_equal(attest_array_to_bool(&array, got, "x", error, sizeof error), 0);
    assert_true(got[0] == 0 && got[1] == 1);
    assert_int_equal(attest_array_to_mask(&array, got, "x", error, sizeof error), 0);
    assert_true(got[0] == 0 && got[1] == 1);
    attest_array_free(&array);
  }
  array = from(ATTEST_DT_U8, large, 2);
  assert_int_equal(attest_array_to_mask(&array, got, "x", error, sizeof error), -1);
  assert_string_equal(error, "x: element [1] = 2 is not a bool (0 or 1)");
  attest_array_free(&array);
  array = from(ATTEST_DT_F16, hidden, 3);
  assert_int_equal(attest_array_to_bool(&array, got, "x", error, sizeof error), -1);
  assert_string_equal(error, "x: a bool array is needed, this is f16");
  assert_int_equal(attest_array_to_mask(&array, got, "x", error, sizeof error), 0);
  assert_true(got[0] == 1 && got[1] == 0 && got[2] == 1);
  attest_array_free(&array);
  array = from(ATTEST_DT_F32, bias, 2);
  assert_int_equal(attest_array_to_mask(&array, got, "x", error, sizeof error), -1);
  assert_string_equal(error, "x: element [1] = -1.0000000150474662e+30 is a bias, not a mask "
                             "(0 or -inf)");
  attest_array_free(&array);
  array = from(ATTEST_DT_F64, visible, 1);
  assert_int_equal(attest_array_to_mask(&array, got, "x", error, sizeof error), -1);
  attest_array_free(&array);
}

/* --- writing ----------------------------------------------------------------------------- */

static void test_write_header(void **state) {
  static const size_t dims[] = {2, 3};
  static const char expected[] =
      "\x93NUMPY\1\0\x76\0"
      "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }"
      "                                                          \n"
      "\x80\x3f\0\x40\x40\x40\x80\x40\xa0\x40\xc0\x40";
  static const double values[] = {1, 2, 3, 4, 5, 6};
  attest_array array;
  unsigned char got[256];
  char error[128];
  FILE *f;
  (void)state;

  assert_int_equal(attest_array_from_f64(&array, ATTEST_DT_BF16, 2, dims, values, "x", error,
                                         sizeof error),
                   0);
  assert_int_equal(attest_io_write_npy("out.npy", &array, error, sizeof error), 0);
  f = fopen("out.npy", "rb");
  assert_int_equal(fread(got, 1, sizeof got, f), 140);
  fclose(f);
  assert_memory_equal(got, expected, 140);
  attest_array_free(&array);
  assert_int_equal(files_here(), 1);
}

static void test_write_and_read(void **state) {
  static const size_t dims[] = {1, 2, 1, 3, 1, 1, 1, 1};
  static const double values[] = {0, 1, 1, 0, 1, 0};
  static const attest_dtype all[] = {ATTEST_DT_F64, ATTEST_DT_F32, ATTEST_DT_F16,
                                     ATTEST_DT_I32, ATTEST_DT_I64, ATTEST_DT_U8,
                                     ATTEST_DT_U16, ATTEST_DT_BOOL};
  (void)state;

  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    for (int ndim = 0; ndim <= 8; ndim++) {
      attest_array array, back;
      char error[256];
      assert_int_equal(attest_array_from_f64(&array, all[i], ndim, dims, values, "x", error,
                                             sizeof error),
                       0);
      assert_int_equal(attest_io_write_npy("out.npy", &array, error, sizeof error), 0);
      assert_int_equal(attest_io_read("out.npy", &back, error, sizeof error), 0);
      assert_int_equal(back.dtype, all[i]);
      assert_int_equal(back.ndim, ndim);
      assert_memory_equal(back.dims, array.dims, sizeof back.dims);
      assert_memory_equal(back.data, array.data, array.count * attest_dtype_size(all[i]));
      attest_array_free(&array);
      attest_array_free(&back);
    }
  assert_int_equal(files_here(), 1);
}

/* Both byte orders and both orders of elements, more of them than one chunk holds. */
static void test_write_layouts(void **state) {
  static const size_t dims[] = {3, 1, 127, 101};
  static const attest_dtype all[] = {ATTEST_DT_F64, ATTEST_DT_F32, ATTEST_DT_F16,
                                     ATTEST_DT_I32, ATTEST_DT_I64, ATTEST_DT_BOOL};
  const size_t count = (size_t)3 * 127 * 101;
  double *values = malloc(count * sizeof *values);
  char error[256];
  (void)state;

  assert_non_null(values);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    for (int n = 0; n < 4; n++) {
      const attest_npy_layout layout = {n % 2, n / 2};
      attest_array array, back;
      unsigned char head[10 + 118];
      FILE *f = fopen("out.npy", "wb");
      for (size_t j = 0; j < count; j++)
        values[j] = all[i] == ATTEST_DT_BOOL ? (double)(j % 3 == 1) : (double)(j % 2039);
      assert_int_equal(attest_array_from_f64(&array, all[i], 4, dims, values, "x", error,
                                             sizeof error),
                       0);
      assert_non_null(f);
      assert_int_equal(attest_npy_write(f, &array, layout, "out.npy", error, sizeof error), 0);
      assert_int_equal(fclose(f), 0);
      assert_int_equal(attest_io_read("out.npy", &back, error, sizeof error), 0);
      assert_int_equal(back.dtype, all[i]);
      assert_memory_equal(back.dims, array.dims, sizeof back.dims);
      assert_memory_equal(back.data, array.data, array.count * attest_dtype_size(all[i]));
      f = fopen("out.npy", "rb");
      assert_int_equal(fread(head, 1, sizeof head, f), sizeof head);
      fclose(f);
      assert_int_equal(head[21], all[i] == ATTEST_DT_BOOL ? '|' : n % 2 ? '>' : '<');
      assert_int_equal(head[44], n / 2 ? 'T' : 'F');
      attest_array_free(&array);
      attest_array_free(&back);
    }
  free(values);
}

/* The very bytes: 1, 2, 3 over 4, 5, 6 as big-endian int32, columns first. */
static void test_write_big_fortran(void **state) {
  static const size_t dims[] = {2, 3};
  static const double values[] = {1, 2, 3, 4, 5, 6};
  static const unsigned char expected[] = {0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 2,
                                           0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 6};
  const attest_npy_layout layout = {1, 1};
  attest_array array;
  unsigned char got[256];
  char error[128];
  FILE *f = fopen("out.npy", "wb");
  (void)state;

  assert_int_equal(attest_array_from_f64(&array, ATTEST_DT_I32, 2, dims, values, "x", error,
                                         sizeof error),
                   0);
  assert_non_null(f);
  assert_int_equal(attest_npy_write(f, &array, layout, "out.npy", error, sizeof error), 0);
  fclose(f);
  f = fopen("out.npy", "rb");
  assert_int_equal(fread(got, 1, sizeof got, f), 128 + sizeof expected);
  fclose(f);
  assert_memory_equal(got + 128, expected, sizeof expected);
  attest_array_free(&array);
}

static void test_write_longest_header(void **state) {
  static const size_t dims[] = {0,        SIZE_MAX, 1, 1, 1, 1, 1, 1};
  attest_array array, back;
  char error[256];
  (void)state;

  memset(&array, 0, sizeof array);
  array.dtype = ATTEST_DT_BOOL;
  array.ndim = 8;
  for (int i = 0; i < 8; i++)
    array.dims[i] = SIZE_MAX;
  array.data = error;
  assert_int_equal(attest_io_write_npy("out.npy", &array, error, sizeof error), 0);
  assert_int_equal(attest_io_read("out.npy", &back, error, sizeof error), -1);
  assert_string_equal(error, "out.npy: the product of the dimensions is out of range");
  assert_int_equal(
      attest_array_create(&array, ATTEST_DT_U8, 8, dims, "x", error, sizeof error), 0);
  assert_int_equal(attest_io_write_npy("out.npy", &array, error, sizeof error), 0);
  assert_int_equal(attest_io_read("out.npy", &back, error, sizeof error), 0);
  assert_memory_equal(back.dims, dims, sizeof dims);
  attest_array_free(&array);
  attest_array_free(&back);
}

static attest_output *opened(const char *path) {
  attest_output *output;
  char error[256] = "";

  if (attest_output_open(path, &output, error, sizeof error) != 0)
    fail_msg("%s", error);
  return output;
}

static void not_opened(const char *path, const char *line) {
  attest_output *output = NULL;
  char error[256] = "";

  assert_int_equal(attest_output_open(path, &output, error, sizeof error), -1);
  assert_string_equal(error, line);
  assert_null(output);
}

static void test_output_refusals(void **state) {
  attest_output *output;
  (void)state;

  assert_int_equal(mkdir("d", 0700), 0);
  assert_int_equal(mkfifo("pipe", 0600), 0);
  assert_int_equal(symlink("elsewhere", "link"), 0);
  not_opened("-", "-: standard output is not supported, name a file");
  not_opened("", "'': names no file");
  not_opened("d", "d: is a directory");
  not_opened("d/", "'d/': names no file");
  not_opened("pipe", "pipe: exists and is not a regular file");
  not_opened("link", "link: exists and is not a regular file");
  not_opened("none/x", "none/x: no output there: No such file or directory");
  not_opened("pipe/x", "pipe/x: no output there: Not a directory");
  output = opened("x");
  not_opened("x", "x: is given for two outputs");
  not_opened("./d/../x", "./d/../x: is given for two outputs");
  attest_output_abort(output);
  attest_output_abort(opened("x"));
  assert_int_equal(files_here(), 3);
}

static void test_output_replaces(void **state) {
  attest_output *output;
  struct stat status;
  char error[256];
  (void)state;

  write_file("x", "old", 3);
  assert_int_equal(chmod("x", 0640), 0);
  output = opened("x");
  assert_string_equal(attest_output_path(output), "x");
  fputs("new", attest_output_stream(output));
  assert_true(file_holds("x", "old"));
  attest_output_abort(output);
  assert_true(file_holds("x", "old"));
  assert_int_equal(files_here(), 1);

  output = opened("x");
  fputs("new", attest_output_stream(output));
  assert_int_equal(attest_output_commit(&output, 1, error, sizeof error), 0);
  assert_null(output);
  assert_true(file_holds("x", "new"));
  assert_int_equal(stat("x", &status), 0);
  assert_int_equal(status.st_mode & 0777, 0640);
  assert_int_equal(files_here(), 1);

  {
    const mode_t before = umask(027);
    output = opened("y");
    umask(before);
  }
  assert_int_equal(attest_output_commit(&output, 1, error, sizeof error), 0);
  assert_int_equal(stat("y", &status), 0);
  assert_int_equal(status.st_mode & 0777, 0640);
}

static void test_output_together(void **state) {
  attest_output *outputs[3] = {NULL, NULL, NULL};
  char error[256];
  (void)state;

  assert_int_equal(mkdir("d", 0700), 0);
  outputs[0] = opened("x");
  outputs[2] = opened("d/y");
  fputs("one", attest_output_stream(outputs[0]));
  fputs("two", attest_output_stream(outputs[2]));
  assert_int_equal(attest_output_commit(outputs, 3, error, sizeof error), 0);
  assert_true(file_holds("x", "one") && file_holds("d/y", "two"));
  assert_int_equal(unlink("d/y"), 0);
  assert_int_equal(files_here(), 2);

  /* The second cannot be replaced any more, so the first is not either. */
  outputs[0] = opened("x");
  outputs[1] = opened("z");
  fputs("three", attest_output_stream(outputs[0]));
  assert_int_equal(mkdir("z", 0700), 0);
  assert_int_equal(attest_output_commit(outputs, 2, error, sizeof error), -1);
  assert_string_equal(error, "z: is a directory");
  assert_null(outputs[0]);
  assert_null(outputs[1]);
  assert_true(file_holds("x", "one"));
  assert_int_equal(files_here(), 3);

  attest_output_abort(NULL);
  assert_int_equal(attest_output_commit(outputs, 2, error, sizeof error), 0);
}

/* Runs one of the actions below in a child and returns its wait status. */
static int in_child(void (*action)(void)) {
  const pid_t child = fork();
  int status;

  assert_true(child >= 0);
  if (child == 0) {
    /* Under nohup or in the background some are ignored. */
    signal(SIGHUP, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    action();
    _exit(99);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static void open_three(void) {
  char error[256];
  attest_output *outputs[3];

  if (attest_output_cleanup_install() != 0 ||
      attest_output_open("a", &outputs[0], error, sizeof error) != 0 ||
      attest_output_open("b", &outputs[1], error, sizeof error) != 0 ||
      attest_output_open("c", &outputs[2], error, sizeof error) != 0)
    _exit(98);
  fputs("text", attest_output_stream(outputs[0]));
  attest_output_abort(outputs[1]);
  /* Three with the file that was here before. */
  if (files_here() != 3)
    _exit(97);
}

static void end_by_term(void) { open_three(), raise(SIGTERM); }
static void end_by_int(void) { open_three(), raise(SIGINT); }
static void end_by_hup(void) { open_three(), raise(SIGHUP); }
static void end_by_exit(void) { open_three(), exit(5); }

static void end_ignoring_hup(void) {
  signal(SIGHUP, SIG_IGN);
  open_three();
  raise(SIGHUP);
  exit(files_here() == 3 ? 6 : 96);
}

static void test_output_signals(void **state) {
  int status;
  (void)state;

  write_file("a", "old", 3);
  status = in_child(end_by_term);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  status = in_child(end_by_int);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  status = in_child(end_by_hup);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP);
  status = in_child(end_by_exit);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 5);
  status = in_child(end_ignoring_hup);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 6);
  assert_int_equal(files_here(), 1);
  assert_true(file_holds("a", "old"));
}

/* A file may have 4 KiB: the array does not fit, and neither does the text before its end. */
static void write_beyond_limit(void) {
  const struct rlimit limit = {4096, 4096};
  static const size_t count = 100000;
  attest_output *outputs[2];
  attest_array array;
  char error[256];

  signal(SIGXFSZ, SIG_IGN);
  if (attest_array_create(&array, ATTEST_DT_F64, 1, &count, "x", error, sizeof error) != 0 ||
      setrlimit(RLIMIT_FSIZE, &limit) != 0)
    _exit(1);
  if (attest_io_write_npy("x.npy", &array, error, sizeof error) != -1 ||
      strncmp(error, "x.npy: ", 7) != 0 || files_here() != 0)
    _exit(2);
  if (attest_output_open("y", &outputs[0], error, sizeof error) != 0 ||
      attest_output_open("z", &outputs[1], error, sizeof error) != 0)
    _exit(3);
  for (int i = 0; i < 5000; i++)
    putc('z', attest_output_stream(outputs[1]));
  if (attest_output_commit(outputs, 2, error, sizeof error) != -1 ||
      strncmp(error, "z: ", 3) != 0 || files_here() != 0)
    _exit(4);
  attest_array_free(&array);
  _exit(0);
}

static void test_output_full(void **state) {
  const int status = in_child(write_beyond_limit);
  (void)state;

  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_int_equal(files_here(), 0);
}

#define TEST(function) cmocka_unit_test_teardown(function, empty_directory)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_types),           TEST(test_uint16_as_bf16),  TEST(test_shapes),
      TEST(test_spellings),       TEST(test_fortran_order),   TEST(test_fortran_order_large),
      TEST(test_bad_start),       TEST(test_long_header),     TEST(test_bad_dict),
      TEST(test_bad_values),      TEST(test_bad_types),       TEST(test_wrong_size),
      TEST(test_failing_reads),   TEST(test_damaged),         TEST(test_files),
      TEST(test_error_buffers),
      TEST(test_npz),             TEST(test_npz_many),        TEST(test_npz_damaged),
      TEST(test_npz_twice),       TEST(test_npz_bomb),        TEST(test_npz_encrypted),
      TEST(test_create),          TEST(test_no_memory_for_file), TEST(test_from_f64),
      TEST(test_special_values),  TEST(test_to_floats),       TEST(test_to_integers),
      TEST(test_masks),           TEST(test_write_header),    TEST(test_write_and_read),
      TEST(test_write_layouts),        TEST(test_write_big_fortran),
      TEST(test_write_longest_header), TEST(test_output_refusals), TEST(test_output_replaces),
      TEST(test_output_together), TEST(test_output_signals),  TEST(test_output_full),
  };
  return cmocka_run_group_tests_name("npy", tests, enter_directory, leave_directory);
}
