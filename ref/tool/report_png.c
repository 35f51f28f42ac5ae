#include "report_png.h"

#include <png.h>
#include <setjmp.h>

/* Bytes that do not yet make a group of three. */
typedef struct base64 {
  FILE *stream;
  unsigned char bytes[3];
  int count;
} base64;

static void put_group(base64 *b) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned n = (unsigned)b->bytes[0] << 16 | (unsigned)b->bytes[1] << 8 | b->bytes[2];

  for (int i = 0; i < 4; i++)
    fputc(i <= b->count ? digits[n >> (18 - 6 * i) & 63] : '=', b->stream);
  b->count = 0;
  b->bytes[0] = b->bytes[1] = b->bytes[2] = 0;
}

static void put_bytes(png_structp png, png_bytep bytes, png_size_t count) {
  base64 *b = png_get_io_ptr(png);

  for (png_size_t i = 0; i < count; i++) {
    b->bytes[b->count++] = bytes[i];
    if (b->count == 3)
      put_group(b);
  }
}

static void flush(png_structp png) { (void)png; }

static void quiet(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

static void fail(png_structp png, png_const_charp text) {
  (void)text;
  png_longjmp(png, 1);
}

int attest_png_base64(FILE *stream, const unsigned char *pixels, size_t width, size_t height,
                      const attest_colour palette[ATTEST_PALETTE]) {
  base64 state = {stream, {0, 0, 0}, 0};
  png_color colours[ATTEST_PALETTE];
  png_byte alpha[ATTEST_PALETTE];
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, fail, quiet);
  png_infop info = png == NULL ? NULL : png_create_info_struct(png);

  if (info == NULL) {
    png_destroy_write_struct(&png, NULL);
    return -1;
  }
  for (int i = 0; i < ATTEST_PALETTE; i++) {
    colours[i].red = palette[i].red;
    colours[i].green = palette[i].green;
    colours[i].blue = palette[i].blue;
    alpha[i] = palette[i].alpha;
  }
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return -1;
  }
  png_set_write_fn(png, &state, put_bytes, flush);
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_PALETTE,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_PLTE(png, info, colours, ATTEST_PALETTE);
  png_set_tRNS(png, info, alpha, ATTEST_PALETTE, NULL);
  png_write_info(png, info);
  for (size_t row = 0; row < height; row++)
    png_write_row(png, pixels + row * width);
  png_write_end(png, NULL);
  png_destroy_write_struct(&png, &info);
  if (state.count > 0)
    put_group(&state);
  return 0;
}
