/* Weights as pictures: shades for a terminal, and an SVG. */
#ifndef ATTEST_HEATMAP_H
#define ATTEST_HEATMAP_H

#include <stdio.h>

typedef struct attest_heatmap {
  const char *title, *subtitle; /* plain text without < > & */
  int rows, columns;
  const double *values;          /* (rows, columns), from 0 to 1 */
  const unsigned char *hidden;   /* (rows, columns), nonzero: not visible */
} attest_heatmap;

/* A cell two columns wide for a weight from 0 to 1; never blank, so that a small weight can be told
   from a hidden key. */
const char *attest_heatmap_shade(double weight, int utf8);

/* What the shades mean, for a legend. */
const char *attest_heatmap_legend(int utf8);

/* A whole SVG file. Errors show in ferror(stream). */
void attest_heatmap_svg(FILE *stream, const attest_heatmap *map);

#endif
