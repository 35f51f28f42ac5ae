#include "plot.h"

#include <math.h>

enum { WIDTH = 400, HEIGHT = 320, LEFT = 84, TOP = 104, GAP = 150, RIGHT = 92, BOTTOM = 68 };

static const char *const colours[ATTEST_PLOT_SERIES] = {"#c0392b", "#2166ac"};

/* Logarithms of the ends of both axes: powers of two across, of ten upwards. */
typedef struct frame {
  int left;
  double x0, x1, y0, y1;
} frame;

static double at_x(const frame *f, double x) {
  return f->left + (log2(x) - f->x0) / (f->x1 - f->x0) * WIDTH;
}

static double at_y(const frame *f, double y) {
  return TOP + HEIGHT - (log10(y) - f->y0) / (f->y1 - f->y0) * HEIGHT;
}

static frame frame_of(const attest_panel *panel, int left) {
  frame f = {0};
  int any = 0;

  f.left = left;
  for (int s = 0; s < ATTEST_PLOT_SERIES; s++)
    for (int i = 0; i < panel->series[s].count; i++) {
      const double x = panel->series[s].x[i], y = panel->series[s].y[i];
      if (!(y > 0))
        continue;
      if (!any || log2(x) < f.x0)
        f.x0 = log2(x);
      if (!any || log2(x) > f.x1)
        f.x1 = log2(x);
      if (!any || log10(y) < f.y0)
        f.y0 = log10(y);
      if (!any || log10(y) > f.y1)
        f.y1 = log10(y);
      any = 1;
    }
  f.x0 = floor(f.x0);
  f.x1 = ceil(f.x1);
  f.y0 = floor(f.y0);
  f.y1 = ceil(f.y1);
  if (f.x1 - f.x0 < 1)
    f.x1 = f.x0 + 1;
  if (f.y1 - f.y0 < 1)
    f.y1 = f.y0 + 1;
  return f;
}

static void axes(FILE *out, const attest_panel *panel, const frame *f, const char *x_title) {
  const int steps = (int)(f->x1 - f->x0), every = steps > 8 ? 2 : 1;

  fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"panel\">%s</text>\n", f->left, TOP - 16,
          panel->title);
  for (int e = (int)f->y0; e <= (int)f->y1; e++) {
    const double y = at_y(f, pow(10, e));
    fprintf(out, "<path d=\"M%d %.1fh%d\" stroke=\"#ddd\"/>\n<text x=\"%d\" y=\"%.1f\" "
                 "class=\"tick\" text-anchor=\"end\">",
            f->left, y, WIDTH, f->left - 8, y + 4);
    fprintf(out, panel->format, pow(10, e));
    fprintf(out, "</text>\n");
  }
  for (int e = (int)f->x0; e <= (int)f->x1; e++) {
    const double x = at_x(f, pow(2, e));
    fprintf(out, "<path d=\"M%.1f %dv%d\" stroke=\"#eee\"/>\n", x, TOP, HEIGHT);
    if ((e - (int)f->x0) % every == 0)
      fprintf(out, "<text x=\"%.1f\" y=\"%d\" class=\"tick\" text-anchor=\"middle\">%.0f</text>\n",
              x, TOP + HEIGHT + 20, pow(2, e));
  }
  fprintf(out,
          "<path d=\"M%d %dv%dh%d\" stroke=\"#888\" fill=\"none\"/>\n"
          "<text x=\"%d\" y=\"%d\" class=\"tick\" text-anchor=\"middle\">%s</text>\n",
          f->left, TOP, HEIGHT, WIDTH, f->left + WIDTH / 2, TOP + HEIGHT + 44, x_title);
}

static void line(FILE *out, const attest_series *series, const frame *f, const char *colour,
                 double label_shift) {
  double last_x = 0, last_y = 0;
  int any = 0;

  fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"M", colour);
  for (int i = 0; i < series->count; i++)
    if (series->y[i] > 0) {
      last_x = at_x(f, series->x[i]);
      last_y = at_y(f, series->y[i]);
      fprintf(out, "%s%.1f %.1f", any ? "L" : "", last_x, last_y);
      any = 1;
    }
  fprintf(out, any ? "\"/>\n" : "0 0\"/>\n");
  for (int i = 0; i < series->count; i++)
    if (series->y[i] > 0)
      fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n",
              at_x(f, series->x[i]), at_y(f, series->y[i]), colour);
  if (any)
    fprintf(out,
            "<text x=\"%.1f\" y=\"%.1f\" class=\"name\" style=\"fill:%s\">%s</text>\n",
            last_x + 9, last_y + 4 + label_shift, colour, series->name);
}

/* The y of the last point of a line in pixels, or -1. */
static double end_of(const attest_series *series, const frame *f) {
  for (int i = series->count - 1; i >= 0; i--)
    if (series->y[i] > 0)
      return at_y(f, series->y[i]);
  return -1;
}

void attest_plot_svg(FILE *out, const char *title, const char *subtitle, const char *x_title,
                     const attest_panel *panels, int count) {
  const int width = LEFT + count * WIDTH + (count - 1) * GAP + RIGHT;
  const int height = TOP + HEIGHT + BOTTOM;

  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
          "viewBox=\"0 0 %d %d\" role=\"img\">\n"
          "<title>%s</title>\n"
          "<style>text{font-family:'DejaVu Sans',Verdana,Arial,sans-serif;fill:#1b1b1b}"
          ".title{font-size:18px;font-weight:bold}.sub{font-size:13px;fill:#555}"
          ".panel{font-size:14px;font-weight:bold}.tick{font-size:12px;fill:#555}"
          ".name{font-size:13px;font-weight:bold}</style>\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
          "<text x=\"24\" y=\"32\" class=\"title\">%s</text>\n"
          "<text x=\"24\" y=\"54\" class=\"sub\">%s</text>\n",
          width, height, width, height, title, title, subtitle);
  for (int p = 0; p < count; p++) {
    const attest_panel *panel = &panels[p];
    const frame f = frame_of(panel, LEFT + p * (WIDTH + GAP));
    const double apart = end_of(&panel->series[0], &f) - end_of(&panel->series[1], &f);
    /* Names that would touch move away from each other. */
    const double shift = fabs(apart) < 14 ? (apart > 0 ? 8 : -8) : 0;
    axes(out, panel, &f, x_title);
    line(out, &panel->series[0], &f, colours[0], shift);
    line(out, &panel->series[1], &f, colours[1], -shift);
  }
  fprintf(out, "</svg>\n");
}
