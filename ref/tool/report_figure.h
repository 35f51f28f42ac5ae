/* Pictures of the errors of a head, with one scale of colours for all of them. */
#ifndef ATTEST_REPORT_FIGURE_H
#define ATTEST_REPORT_FIGURE_H

#include "check_map.h"
#include "report_png.h"

#include <stdio.h>

/* Colours of what does not fail go by ulps, from half an ulp to 2^top; of what fails by error over
   allowance, from 1 to 10^over. */
typedef struct attest_scale {
  int top, over;
  int failing, broken, vacuous, hidden; /* whether there is something of that kind to be seen */
  attest_colour palette[ATTEST_PALETTE];
} attest_scale;

/* Zero-initialise, add every map, then make it. */
void attest_scale_add(attest_scale *scale, const attest_map *map);
void attest_scale_make(attest_scale *scale);

/* What the pictures of a page refer to, once, as SVG without a size. The page defines the colour
   --hatch. */
void attest_figure_defs(FILE *stream);

/* The legend, as SVG to stand in a page. format: plain text. */
void attest_figure_legend(FILE *stream, const attest_scale *scale, const char *format);

/* A map as SVG; columns: what stands to the right, "column" or "key". 0, or -1 with *fault set. */
int attest_figure_svg(FILE *stream, const attest_scale *scale, const attest_map *map,
                      const char *columns, attest_fault *fault);

#endif
