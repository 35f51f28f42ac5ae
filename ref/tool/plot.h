/* Log-log line plots as SVG. */
#ifndef ATTEST_PLOT_H
#define ATTEST_PLOT_H

#include <stdio.h>

enum { ATTEST_PLOT_SERIES = 2, ATTEST_PLOT_POINTS = 24 };

/* Points (x, y) of a line, all positive; a point with y = 0 is left out. */
typedef struct attest_series {
  const char *name;
  int count;
  double x[ATTEST_PLOT_POINTS], y[ATTEST_PLOT_POINTS];
} attest_series;

/* One panel. format: how a power of ten of the y axis, times unit, is written, with one %g. */
typedef struct attest_panel {
  const char *title, *format;
  attest_series series[ATTEST_PLOT_SERIES];
} attest_panel;

/* A whole SVG file with the panels side by side; texts hold no < > &. Errors show in
   ferror(stream). */
void attest_plot_svg(FILE *stream, const char *title, const char *subtitle, const char *x_title,
                     const attest_panel *panels, int count);

#endif
