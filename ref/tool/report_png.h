/* Small pictures inside a page: PNG with a palette, written as base64. */
#ifndef ATTEST_REPORT_PNG_H
#define ATTEST_REPORT_PNG_H

#include <stddef.h>
#include <stdio.h>

enum { ATTEST_PALETTE = 256 };

typedef struct attest_colour {
  unsigned char red, green, blue, alpha;
} attest_colour;

/* pixels: (height, width) indices into the palette. Returns 0, or -1 where the picture could not be
   made; errors of the stream show in ferror(stream). */
int attest_png_base64(FILE *stream, const unsigned char *pixels, size_t width, size_t height,
                      const attest_colour palette[ATTEST_PALETTE]);

#endif
