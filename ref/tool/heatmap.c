#include "heatmap.h"

#include <math.h>

const char *attest_heatmap_shade(double weight, int utf8) {
  static const char *const ascii[] = {"..", "::", "--", "==", "++", "**", "##", "%%", "@@"};
  static const char *const blocks[] = {"\xe2\x96\x91\xe2\x96\x91", "\xe2\x96\x92\xe2\x96\x92",
                                       "\xe2\x96\x93\xe2\x96\x93", "\xe2\x96\x88\xe2\x96\x88"};
  const int levels = utf8 ? 4 : 9;
  int level;

  level = weight > 0 ? (int)(weight * levels) : 0;
  if (!(weight < 1) || level >= levels)
    level = levels - 1;
  return utf8 ? blocks[level] : ascii[level];
}

const char *attest_heatmap_legend(int utf8) {
  return utf8 ? "\xe2\x96\x91 below 1/4, \xe2\x96\x92 below 1/2, "
                "\xe2\x96\x93 below 3/4, \xe2\x96\x88 above"
              : ". : - = + * # % @ in steps of 1/9";
}

typedef struct colour {
  int red, green, blue;
} colour;

/* From near white to dark blue, through colours whose lightness falls evenly. */
static colour colour_of(double weight) {
  static const colour stops[] = {{247, 251, 255}, {198, 219, 239}, {107, 174, 214},
                                 {33, 113, 181},  {8, 48, 107}};
  const double at = 4 * (weight < 0 ? 0 : weight > 1 ? 1 : weight);
  const int i = at >= 4 ? 3 : (int)at;
  const double part = at - i;
  colour c;

  c.red = (int)(stops[i].red + part * (stops[i + 1].red - stops[i].red) + 0.5);
  c.green = (int)(stops[i].green + part * (stops[i + 1].green - stops[i].green) + 0.5);
  c.blue = (int)(stops[i].blue + part * (stops[i + 1].blue - stops[i].blue) + 0.5);
  return c;
}

enum { CELL = 72, LEFT = 64, TOP = 108, GAP = 28, SCALE = 18, RIGHT = 64, BOTTOM = 52 };

static void cell(FILE *f, const attest_heatmap *map, int i, int j) {
  const int at = i * map->columns + j, x = LEFT + j * CELL, y = TOP + i * CELL;
  const double w = map->values[at];
  const colour c = colour_of(w);

  if (map->hidden[at]) {
    fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"url(#hidden)\"/>\n", x,
            y, CELL, CELL);
    return;
  }
  fprintf(f,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%02x%02x%02x\"/>\n"
          "<text x=\"%d\" y=\"%d\" class=\"value\" style=\"fill:%s\">",
          x, y, CELL, CELL, c.red, c.green, c.blue, x + CELL / 2, y + CELL / 2 + 5,
          w > 0.65 ? "#fff" : "#1b1b1b");
  /* Four digits where they say something, else the size alone. */
  if (w >= 0.00005 || w == 0)
    fprintf(f, "%.4f", w);
  else
    fprintf(f, "%.0e", w);
  fprintf(f, "</text>\n");
}

static void scale_bar(FILE *f, int x, int height) {
  enum { STEPS = 64 };

  for (int i = 0; i < STEPS; i++) {
    const int top = TOP + height * i / STEPS, end = TOP + height * (i + 1) / STEPS;
    const colour c = colour_of(1 - (i + 0.5) / STEPS);
    fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%02x%02x%02x\"/>\n", x,
            top, SCALE, end - top, c.red, c.green, c.blue);
  }
  fprintf(f,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n", x,
          TOP, SCALE, height);
  for (int i = 0; i <= 4; i++) {
    const int y = TOP + height * i / 4;
    fprintf(f,
            "<path d=\"M%d %dh5\" stroke=\"#888\"/>\n"
            "<text x=\"%d\" y=\"%d\" class=\"tick\">%.2f</text>\n",
            x + SCALE, y, x + SCALE + 9, y + 4, 1 - 0.25 * i);
  }
}

void attest_heatmap_svg(FILE *f, const attest_heatmap *map) {
  const int grid = map->columns * CELL, height = map->rows * CELL;
  const int width = LEFT + grid + GAP + SCALE + RIGHT;

  fprintf(f,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
          "viewBox=\"0 0 %d %d\" role=\"img\">\n"
          "<title>%s</title>\n"
          "<style>text{font-family:'DejaVu Sans',Verdana,Arial,sans-serif;fill:#1b1b1b}"
          ".title{font-size:18px;font-weight:bold}.sub{font-size:13px;fill:#555}"
          ".label{font-size:14px;text-anchor:middle}.value{font-size:14px;text-anchor:middle}"
          ".tick{font-size:12px;fill:#555}</style>\n"
          "<defs><pattern id=\"hidden\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate(45)\"><rect width=\"8\" height=\"8\" fill=\"#f2f2f2\"/>"
          "<path d=\"M0 0v8\" stroke=\"#dcdcdc\" stroke-width=\"3\"/></pattern></defs>\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
          "<text x=\"%d\" y=\"34\" class=\"title\">%s</text>\n"
          "<text x=\"%d\" y=\"56\" class=\"sub\">%s</text>\n",
          width, TOP + height + BOTTOM, width, TOP + height + BOTTOM, map->title, LEFT,
          map->title, LEFT, map->subtitle);
  for (int j = 0; j < map->columns; j++)
    fprintf(f, "<text x=\"%d\" y=\"%d\" class=\"label\">k%d</text>\n", LEFT + j * CELL + CELL / 2,
            TOP - 12, j);
  for (int i = 0; i < map->rows; i++) {
    fprintf(f, "<text x=\"%d\" y=\"%d\" class=\"label\">q%d</text>\n", LEFT - 22,
            TOP + i * CELL + CELL / 2 + 5, i);
    for (int j = 0; j < map->columns; j++)
      cell(f, map, i, j);
  }
  fprintf(f, "<path d=\"");
  for (int i = 0; i <= map->rows; i++)
    fprintf(f, "M%d %dh%d", LEFT, TOP + i * CELL, grid);
  for (int j = 0; j <= map->columns; j++)
    fprintf(f, "M%d %dv%d", LEFT + j * CELL, TOP, height);
  fprintf(f, "\" stroke=\"#fff\" stroke-width=\"2\" fill=\"none\"/>\n");
  scale_bar(f, LEFT + grid + GAP, height);
  fprintf(f,
          "<rect x=\"%d\" y=\"%d\" width=\"16\" height=\"16\" fill=\"url(#hidden)\"/>\n"
          "<text x=\"%d\" y=\"%d\" class=\"tick\">hidden key: weight exactly 0</text>\n"
          "</svg>\n",
          LEFT, TOP + height + 20, LEFT + 24, TOP + height + 32);
}
