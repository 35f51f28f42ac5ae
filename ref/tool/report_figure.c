#include "report_figure.h"

#include <math.h>
#include <stdlib.h>

/* Places in the palette. */
enum { HIDDEN, CALM, CALM_SHADES = 96, OVER = CALM + CALM_SHADES, OVER_SHADES = 96,
       BROKEN = OVER + OVER_SHADES, VACUOUS };

/* Blues of falling lightness for what is within the allowance, orange to dark red beyond it: both
   can be told apart without telling red from green. */
static const attest_colour blues[] = {{247, 251, 255, 255}, {198, 219, 239, 255},
                                      {107, 174, 214, 255}, {33, 113, 181, 255},
                                      {8, 48, 107, 255}};
static const attest_colour reds[] = {{255, 187, 92, 255}, {255, 127, 42, 255}, {222, 45, 38, 255},
                                     {165, 15, 21, 255},  {91, 0, 16, 255}};
static const attest_colour broken_colour = {186, 0, 190, 255};
static const attest_colour vacuous_colour = {222, 205, 60, 255};

static unsigned char between(unsigned char a, unsigned char b, double part) {
  return (unsigned char)(a + part * (b - a) + 0.5);
}

/* part: from 0 to 1 along five colours. */
static attest_colour blend(const attest_colour *stops, double part) {
  const double at = 4 * part;
  const int i = at >= 4 ? 3 : (int)at;
  attest_colour c = {0, 0, 0, 255};

  c.red = between(stops[i].red, stops[i + 1].red, at - i);
  c.green = between(stops[i].green, stops[i + 1].green, at - i);
  c.blue = between(stops[i].blue, stops[i + 1].blue, at - i);
  return c;
}

/* --- the scale ------------------------------------------------------------------------------ */

void attest_scale_add(attest_scale *s, const attest_map *map) {
  for (size_t i = 0; map->cells != NULL && i < map->high * map->wide; i++) {
    const attest_cell *c = &map->cells[i];
    if (isinf(c->ratio))
      s->broken = 1;
    else if (c->ratio > 0 && (int)ceilf(log10f(c->ratio)) > s->over)
      s->over = (int)ceilf(log10f(c->ratio));
    if (c->ratio > 0)
      s->failing = 1;
    else if (c->vacuous)
      s->vacuous = 1;
    else if (!c->judged)
      s->hidden = 1;
    else if (c->ulps > 1 && (int)ceilf(log2f(c->ulps)) > s->top)
      s->top = (int)ceilf(log2f(c->ulps));
  }
}

void attest_scale_make(attest_scale *s) {
  if (s->top < 2)
    s->top = 2;
  if (s->over < 1)
    s->over = 1;
  for (int i = 0; i < CALM_SHADES; i++)
    s->palette[CALM + i] = blend(blues, i / (CALM_SHADES - 1.0));
  for (int i = 0; i < OVER_SHADES; i++)
    s->palette[OVER + i] = blend(reds, i / (OVER_SHADES - 1.0));
  s->palette[BROKEN] = broken_colour;
  s->palette[VACUOUS] = vacuous_colour;
}

/* The shade of a part of a scale. */
static int shade(double part, int shades) {
  if (!(part > 0))
    return 0;
  return part < 1 ? (int)(part * (shades - 1) + 0.5) : shades - 1;
}

static unsigned char index_of(const attest_scale *s, const attest_cell *c) {
  int at = HIDDEN;

  if (isinf(c->ratio))
    at = BROKEN;
  else if (c->ratio > 0)
    at = OVER + shade(log10((double)c->ratio) / s->over, OVER_SHADES);
  else if (c->vacuous)
    at = VACUOUS;
  else if (c->judged && !(c->ulps > 0.5f))
    at = CALM;
  else if (c->judged)
    at = CALM + shade((log2((double)c->ulps) + 1) / (s->top + 1), CALM_SHADES);
  return (unsigned char)at;
}

/* --- the legend ----------------------------------------------------------------------------- */

enum { BAR = 300, BAR_HIGH = 14, BAR_TOP = 22, LEGEND_HIGH = 58, BAR_APART = 60, LEFT = 8 };

static void hex(FILE *f, attest_colour c) {
  fprintf(f, "#%02x%02x%02x", c.red, c.green, c.blue);
}

static void gradient(FILE *f, const attest_colour *stops, const char *id) {
  fprintf(f, "<linearGradient id=\"%s\">", id);
  for (int i = 0; i <= 4; i++) {
    fprintf(f, "<stop offset=\"%g\" stop-color=\"", i / 4.0);
    hex(f, stops[i]);
    fprintf(f, "\"/>");
  }
  fprintf(f, "</linearGradient>\n");
}

void attest_figure_defs(FILE *f) {
  fprintf(f, "<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\n"
             "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
             "patternTransform=\"rotate(45)\"><path d=\"M0 0v6\" "
             "style=\"stroke:var(--hatch)\" stroke-width=\"4\"/></pattern>\n");
  gradient(f, blues, "calm");
  gradient(f, reds, "over");
  fprintf(f, "</defs></svg>\n");
}

static void bar(FILE *f, int x, const char *id) {
  fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"url(#%s)\" "
             "class=\"frame\"/>\n",
          x, BAR_TOP, BAR, BAR_HIGH, id);
}

static void tick(FILE *f, double x, const char *format, double value) {
  fprintf(f, "<path d=\"M%.1f %dv4\" class=\"line\"/><text x=\"%.1f\" y=\"%d\" class=\"mid\">", x,
          BAR_TOP + BAR_HIGH, x, BAR_TOP + BAR_HIGH + 17);
  fprintf(f, format, value);
  fprintf(f, "</text>\n");
}

/* A square with its meaning; returns the x after it. */
static int swatch(FILE *f, int x, const char *fill, const char *text, int width) {
  fprintf(f,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" %s class=\"frame\"/>"
          "<text x=\"%d\" y=\"%d\">%s</text>\n",
          x, BAR_TOP, BAR_HIGH, BAR_HIGH, fill, x + BAR_HIGH + 6, BAR_TOP + BAR_HIGH - 2, text);
  return x + BAR_HIGH + 6 + width;
}

void attest_figure_legend(FILE *f, const attest_scale *s, const char *format) {
  const int second = LEFT + BAR + BAR_APART;
  const int every = (s->top + 1) / 7 + 1, each = s->over / 7 + 1;
  int x = s->failing ? second + BAR + BAR_APART : second;
  char fill[64];

  fprintf(f, "<svg class=\"legend\" viewBox=\"0 0 1180 %d\" width=\"1180\" height=\"%d\" "
             "role=\"img\" aria-label=\"colours\">\n",
          LEGEND_HIGH, LEGEND_HIGH);
  bar(f, LEFT, "calm");
  fprintf(f, "<text x=\"%d\" y=\"%d\">within the allowance: error in ulp of %s</text>\n", LEFT,
          BAR_TOP - 7, format);
  tick(f, LEFT + 10, "&#8804; %g", 0.5);
  for (int e = every - 1; e <= s->top; e += every)
    if (e > 0 || s->top < 6)
      tick(f, LEFT + BAR * (e + 1.0) / (s->top + 1), "%g", ldexp(1, e));
  if (s->failing) {
    bar(f, second, "over");
    fprintf(f, "<text x=\"%d\" y=\"%d\">over the allowance: error over allowance</text>\n", second,
            BAR_TOP - 7);
    for (int e = 0; e <= s->over; e += each)
      tick(f, second + BAR * (double)e / s->over, "%g&#215;", pow(10, e));
  }
  if (s->broken) {
    snprintf(fill, sizeof fill, "fill=\"#%02x%02x%02x\"", broken_colour.red, broken_colour.green,
             broken_colour.blue);
    x = swatch(f, x, fill, "wrong by rule: NaN, infinity, not 0", 216);
  }
  if (s->vacuous) {
    snprintf(fill, sizeof fill, "fill=\"#%02x%02x%02x\"", vacuous_colour.red,
             vacuous_colour.green, vacuous_colour.blue);
    x = swatch(f, x, fill, "ill-conditioned", 104);
  }
  if (s->hidden)
    swatch(f, x, "fill=\"url(#hatch)\"", "hidden key", 80);
  fprintf(f, "</svg>\n");
}

/* --- a figure ------------------------------------------------------------------------------- */

enum { SIDE = 300, LEAST = 120, AXIS_LEFT = 52, AXIS_TOP = 34, AXIS_END = 12,
       TICK_APART = 34 };

/* Powers of two, so that lines stand where tiles begin. */
static size_t tick_step(size_t count, int length) {
  const size_t most = (size_t)(length / TICK_APART);
  size_t step = 1;

  while ((count - 1) / step >= most)
    step *= 2;
  return step;
}

static void axes(FILE *f, const attest_map *map, int width, int height, const char *columns) {
  const size_t down = tick_step(map->rows, height);
  const size_t across = tick_step(map->columns, width);

  for (size_t i = 0; i < map->rows; i += down) {
    const double y = AXIS_TOP + (double)height * (double)i / (double)map->rows;
    fprintf(f, "<path d=\"M%d %.1fh-4\" class=\"line\"/><text x=\"%d\" y=\"%.1f\" class=\"end\">"
               "%zu</text>\n",
            AXIS_LEFT, y, AXIS_LEFT - 7, y + 4, i);
  }
  for (size_t j = 0; j < map->columns; j += across) {
    const double x = AXIS_LEFT + (double)width * (double)j / (double)map->columns;
    fprintf(f, "<path d=\"M%.1f %dv-4\" class=\"line\"/><text x=\"%.1f\" y=\"%d\" class=\"mid\">"
               "%zu</text>\n",
            x, AXIS_TOP, x, AXIS_TOP - 7, j);
  }
  fprintf(f, "<text x=\"%d\" y=\"10\" class=\"axis\">%s &#8594;</text>\n", AXIS_LEFT, columns);
  fprintf(f, "<text transform=\"rotate(-90)\" x=\"%d\" y=\"10\" class=\"axis end\">&#8592; row"
             "</text>\n",
          -AXIS_TOP);
}

static int length_of(size_t cells, double cell) {
  const double length = (double)cells * cell;

  return length < LEAST ? LEAST : (int)(length + 0.5);
}

int attest_figure_svg(FILE *f, const attest_scale *scale, const attest_map *map,
                      const char *columns, attest_fault *fault) {
  const size_t longest = map->wide > map->high ? map->wide : map->high;
  const double cell = SIDE / (double)longest;
  const int width = length_of(map->wide, cell), height = length_of(map->high, cell);
  unsigned char *pixels = attest_allocate(map->wide * map->high, 1, "--report", fault);
  int result;

  if (pixels == NULL)
    return -1;
  for (size_t i = 0; i < map->wide * map->high; i++)
    pixels[i] = index_of(scale, &map->cells[i]);
  fprintf(f,
          "<svg class=\"map\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
          "aria-label=\"errors by row and %s\">\n"
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"url(#hatch)\"/>\n"
          "<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" preserveAspectRatio=\"none\" "
          "href=\"data:image/png;base64,",
          AXIS_LEFT + width + AXIS_END, AXIS_TOP + height + AXIS_END,
          AXIS_LEFT + width + AXIS_END, AXIS_TOP + height + AXIS_END, columns, AXIS_LEFT,
          AXIS_TOP, width, height, AXIS_LEFT, AXIS_TOP, width, height);
  result = attest_png_base64(f, pixels, map->wide, map->high, scale->palette);
  if (result != 0)
    ATTEST_FAIL(fault, "--report: a picture could not be made");
  fprintf(f,
          "\"/>\n<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
          "class=\"frame\"/>\n",
          AXIS_LEFT, AXIS_TOP, width, height);
  axes(f, map, width, height, columns);
  fprintf(f, "</svg>\n");
  free(pixels);
  return result;
}
