#include "report.h"

#include "check_words.h"
#include "report_figure.h"

#include <math.h>
#include <string.h>

typedef struct page {
  FILE *f;
  const attest_options *options;
  const attest_check *check;
  const attest_claimed *claimed;
  const attest_outcome *outcome;
  attest_fault *fault;
} page;

/* File names and the like come from outside. */
static void put(FILE *f, const char *text) {
  for (; *text != '\0'; text++)
    switch (*text) {
    case '&':
      fputs("&amp;", f);
      break;
    case '<':
      fputs("&lt;", f);
      break;
    case '>':
      fputs("&gt;", f);
      break;
    case '"':
      fputs("&quot;", f);
      break;
    case '\'':
      fputs("&#39;", f);
      break;
    default:
      fputc((unsigned char)*text < 0x20 ? '?' : *text, f);
    }
}

static const char style[] =
    ":root{color-scheme:light dark;--ground:#fff;--card:#f6f7f9;--ink:#1b1f24;--soft:#5b6470;"
    "--line:#d5dae1;--bar:#2171b5;--good:#1a7f37;--bad:#c62828;--odd:#9a6700;--hatch:#d9dde3}\n"
    "@media(prefers-color-scheme:dark){:root{--ground:#15181c;--card:#1e2329;--ink:#e6e9ee;"
    "--soft:#9aa4b1;--line:#363d47;--bar:#6baed6;--good:#3fb950;--bad:#ff6b60;--odd:#d9b02c;"
    "--hatch:#39414b}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;max-width:1240px;padding:24px 28px 56px;"
    "background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,'DejaVu Sans',Verdana,"
    "Arial,sans-serif}\n"
    "h1{font-size:24px;margin:0 0 4px}h2{font-size:19px;margin:36px 0 10px;padding-top:16px;"
    "border-top:1px solid var(--line)}h3{font-size:15px;margin:20px 0 6px}p{margin:6px 0}\n"
    ".verdict{display:inline-block;padding:1px 10px;border-radius:5px;color:#fff;font-weight:600}"
    ".PASS{background:#1a7f37}.FAIL{background:#c62828}.ILL-CONDITIONED{background:#9a6700}\n"
    ".note{border-left:3px solid var(--odd);padding:2px 12px}.soft{color:var(--soft)}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 18px;margin:14px 0}"
    "dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}\n"
    ".cards{display:flex;flex-wrap:wrap;gap:12px;margin:10px 0}.card{background:var(--card);"
    "border:1px solid var(--line);border-radius:8px;padding:8px 16px}.card b{display:block;"
    "font-size:20px}.card b.bad{color:var(--bad)}.card b.odd{color:var(--odd)}\n"
    ".two{display:flex;flex-wrap:wrap;gap:12px 44px}.two>div{flex:1 1 420px}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:3px 14px 3px 0;"
    "text-align:right;border-bottom:1px solid var(--line)}th{font-weight:600;color:var(--soft)}"
    "td:first-child,th:first-child,td.text{text-align:left}.bad{color:var(--bad);font-weight:600}"
    ".scroll{overflow-x:auto}\n"
    ".bins td{border:0;padding:1px 10px 1px 0;white-space:nowrap}.bins .bar{width:100%;"
    "min-width:120px;padding:0}.bins i{display:block;height:13px;background:var(--bar);"
    "border-radius:2px;min-width:2px}.bins i.none{min-width:0}\n"
    ".maps{display:flex;flex-wrap:wrap;gap:22px}figure{margin:0}figcaption{font-size:14px;"
    "margin-bottom:6px}figcaption span{display:block;color:var(--soft);font-size:13px}"
    "figcaption span.bad{color:var(--bad)}\n"
    "svg{max-width:100%;display:block}svg text{font-size:12px;fill:var(--soft)}svg .mid{"
    "text-anchor:middle}svg .end{text-anchor:end}svg .line,svg .frame{stroke:var(--soft);"
    "stroke-width:1}svg .frame{stroke-opacity:.5}svg image{image-rendering:pixelated}"
    ".legend{margin:6px 0 14px}.defs{position:absolute}\n";

/* --- the head of the page ------------------------------------------------------------------- */

static void term(FILE *f, const char *name, const char *text) {
  fprintf(f, "<dt>%s</dt><dd>", name);
  put(f, text);
  fprintf(f, "</dd>\n");
}

static void write_options(const page *p) {
  const attest_options *o = p->options;
  const attest_shape *s = &p->check->problem->shape;
  const char *const names[] = {"q", "k", "v", "past keys", "past values", "key lengths", "mask"};
  const char *const files[] = {o->q, o->k, o->v, o->past_k, o->past_v, o->kv_len, o->mask};
  char text[200];

  for (int i = 0; i < 7; i++)
    if (files[i] != NULL)
      term(p->f, names[i], files[i]);
  snprintf(text, sizeof text,
           "batch %zu, heads %zu over %zu, %zu queries, %zu keys, width %zu, value width %zu",
           s->batch, s->q_heads, s->kv_heads, s->q_len, s->kv_len, s->width, s->value_width);
  term(p->f, "shape", text);
  if (s->causal || s->window) {
    const char *from = s->align_end ? " from the end of the keys" : "";
    if (s->window)
      snprintf(text, sizeof text, "%swindow %lld, %lld, offset %lld%s",
               s->causal ? "causal, " : "", (long long)s->left, (long long)s->right,
               (long long)s->offset, from);
    else
      snprintf(text, sizeof text, "causal, offset %lld%s", (long long)s->offset, from);
    term(p->f, "reach", text);
  }
  if (s->scale_given)
    snprintf(text, sizeof text, "%.17g", s->scale);
  else
    snprintf(text, sizeof text, "1/sqrt(%zu)", s->width);
  term(p->f, "scale", text);
  if (s->softcap > 0) {
    snprintf(text, sizeof text, "%.17g", s->softcap);
    term(p->f, "softcap", text);
  }
}

static void write_top(const page *p, const char *hint) {
  const char *verdict = attest_verdict_name(attest_outcome_verdict(p->outcome));
  char text[ATTEST_LINE_TEXT], claim[ATTEST_CLAIM_TEXT];
  FILE *f = p->f;

  fprintf(f,
          "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<title>attest check: %s</title>\n<style>\n%s</style></head>\n<body>\n",
          verdict, style);
  attest_figure_defs(f);
  fprintf(f, "<h1>attest check <span class=\"verdict %s\">%s</span></h1>\n<p>", verdict, verdict);
  put(f, attest_verdict_words(p->outcome, text));
  fprintf(f, "</p>\n");
  if (hint != NULL) {
    fprintf(f, "<p class=\"note\">");
    put(f, hint);
    fprintf(f, "</p>\n");
  }
  fprintf(f, "<dl>\n");
  attest_claim_words(p->claimed, p->check->problem, p->check->subjects[ATTEST_PART_OUT].format,
                     claim);
  term(f, "claim", claim);
  write_options(p);
  fprintf(f, "</dl>\n");
}

/* --- a part --------------------------------------------------------------------------------- */

static void card(FILE *f, const char *number, const char *text, const char *class) {
  fprintf(f, "<div class=\"card\"><b class=\"%s\">%s</b>%s</div>\n", class, number, text);
}

static void write_cards(const page *p, int part, const attest_tally *t) {
  char text[80], number[ATTEST_NUMBER_TEXT];

  fprintf(p->f, "<div class=\"cards\">\n");
  snprintf(text, sizeof text, "%zu", t->failing);
  snprintf(number, sizeof number, "of %zu over the allowance", t->elements);
  card(p->f, text, number, t->failing > 0 ? "bad" : "");
  snprintf(text, sizeof text, "%zu", t->vacuous);
  card(p->f, text, "ill-conditioned", t->vacuous > 0 ? "odd" : "");
  if (part != ATTEST_PART_SUMS) {
    snprintf(text, sizeof text, "%.2f %%", attest_share(t->correct, t->elements));
    card(p->f, text, "correctly rounded", "");
    card(p->f, attest_size_words(t->widest.judged.ulps, number), "ulp, largest error", "");
  }
  if (isfinite(t->worst.judged.ratio)) {
    snprintf(text, sizeof text, "%.3g", t->worst.judged.ratio);
    card(p->f, text, "largest error over allowance", t->worst.judged.ratio > 1 ? "bad" : "");
  }
  fprintf(p->f, "</div>\n");
}

static void line(FILE *f, const char *name, const char *text) {
  fprintf(f, "<tr><td>%s</td><td class=\"text\">", name);
  put(f, text);
  fprintf(f, "</td></tr>\n");
}

static int write_finding(const page *p, int part, const attest_finding *found) {
  const int sums = part == ATTEST_PART_SUMS;
  const attest_format format = p->check->subjects[sums ? ATTEST_PART_WEIGHTS : part].format;
  char text[ATTEST_PLACE_TEXT], number[ATTEST_NUMBER_TEXT], other[ATTEST_NUMBER_TEXT];

  fprintf(p->f, "<table>\n");
  line(p->f, "where", attest_place_words(part, found->at, text));
  line(p->f, "got", attest_number_words(sums ? ATTEST_FORMAT_F64 : format, found->got, number));
  if (attest_exact_words(p->check, part, found, number, p->fault) != 0)
    return -1;
  line(p->f, "exact", number);
  if (isfinite(found->judged.error)) {
    attest_size_words(found->judged.error, number);
    if (isfinite(found->judged.ulps))
      snprintf(text, sizeof text, "%s = %s ulp of %s", number,
               attest_size_words(found->judged.ulps, other), attest_format_name(format));
    else
      snprintf(text, sizeof text, "%s", number);
    line(p->f, "error", text);
  }
  if (isinf(found->allowance))
    snprintf(text, sizeof text, "none: nothing is promised here");
  else
    snprintf(text, sizeof text, "%.4g", found->allowance);
  line(p->f, "allowance", text);
  fprintf(p->f, "</table>\n");
  return 0;
}

static void write_histogram(const page *p, const attest_tally *t) {
  const size_t used = attest_bins_used(t);
  char label[ATTEST_NUMBER_TEXT];
  size_t most = 1;

  for (size_t i = 0; i < used; i++)
    most = t->bins[i] > most ? t->bins[i] : most;
  fprintf(p->f, "<table class=\"bins\">\n");
  for (size_t i = 0; i < used; i++) {
    const size_t empty = attest_bins_empty(t, i);
    if (empty > 0) {
      fprintf(p->f, "<tr><td>...</td></tr>\n");
      i += empty - 1;
      continue;
    }
    fprintf(p->f,
            "<tr><td>%s</td><td>%zu</td><td>%.2f %%</td><td class=\"bar\"><i%s "
            "style=\"width:%.1f%%\"></i></td></tr>\n",
            attest_bin_words(i, label), t->bins[i], attest_share(t->bins[i], t->elements),
            t->bins[i] == 0 ? " class=\"none\"" : "", 100 * (double)t->bins[i] / (double)most);
  }
  fprintf(p->f, "</table>\n");
}

static int write_maps(const page *p, int part) {
  const attest_outcome *o = p->outcome;
  attest_scale scale = {0};

  for (size_t i = 0; i < o->kept; i++)
    attest_scale_add(&scale, &o->kept_heads[i].rows.maps[part]);
  attest_scale_make(&scale);
  fprintf(p->f, "<h3>Errors by position</h3>\n");
  attest_figure_legend(p->f, &scale, attest_format_name(p->check->subjects[part].format));
  fprintf(p->f, "<div class=\"maps\">\n");
  for (size_t i = 0; i < o->kept; i++) {
    const attest_head_result *h = &o->kept_heads[i];
    const attest_tally *t = &h->rows.tallies[part];
    const attest_map *map = &h->rows.maps[part];
    if (map->cells == NULL || map->wide == 0 || map->high == 0)
      continue;
    fprintf(p->f, "<figure><figcaption>batch %zu, head %zu<span%s>", h->batch, h->head,
            t->failing > 0 ? " class=\"bad\"" : "");
    if (t->failing > 0)
      fprintf(p->f, "%zu of %zu over the allowance", t->failing, t->elements);
    else
      fprintf(p->f, "none over the allowance");
    fprintf(p->f, "</span>");
    if (map->down > 1 || map->across > 1)
      fprintf(p->f, "<span>largest of %zu &#215; %zu in a cell</span>", map->down, map->across);
    fprintf(p->f, "</figcaption>\n");
    if (attest_figure_svg(p->f, &scale, map, part == ATTEST_PART_OUT ? "column" : "key",
                          p->fault) != 0)
      return -1;
    fprintf(p->f, "</figure>\n");
  }
  fprintf(p->f, "</div>\n");
  return 0;
}

static void write_heads(const page *p, int part) {
  const attest_outcome *o = p->outcome;
  const int wide = part == ATTEST_PART_OUT || part == ATTEST_PART_WEIGHTS;
  char number[ATTEST_NUMBER_TEXT];

  fprintf(p->f, "<h3>Heads</h3>\n");
  if (o->kept < o->heads)
    fprintf(p->f, "<p class=\"soft\">%zu of %zu are listed, those worst off.</p>\n", o->kept,
            o->heads);
  fprintf(p->f, "<div class=\"scroll\"><table>\n<tr><th>batch, head</th><th>worst ulp</th>"
                "<th>error over allowance</th><th>failing</th><th>ill-conditioned</th>"
                "<th>correctly rounded</th><th>failing rows</th>%s</tr>\n",
          !wide                        ? ""
          : part == ATTEST_PART_OUT    ? "<th>failing columns</th>"
                                       : "<th>failing keys</th>");
  for (size_t i = 0; i < o->kept; i++) {
    const attest_head_result *h = &o->kept_heads[i];
    const attest_tally *t = &h->rows.tallies[part];
    const char *class = t->failing > 0 ? " class=\"bad\"" : "";
    fprintf(p->f, "<tr><td>%zu, %zu</td><td>%s</td>", h->batch, h->head,
            attest_size_words(t->widest.judged.ulps, number));
    if (isfinite(t->worst.judged.ratio))
      fprintf(p->f, "<td%s>%.3g</td>", class, t->worst.judged.ratio);
    else
      fprintf(p->f, "<td%s>wrong by rule</td>", class);
    fprintf(p->f, "<td%s>%zu of %zu</td><td>%zu</td><td>%.2f %%</td>", class, t->failing,
            t->elements, t->vacuous, attest_share(t->correct, t->elements));
    if (t->failing > 0)
      fprintf(p->f, "<td>%zu to %zu</td>", t->row_low, t->row_high);
    else
      fprintf(p->f, "<td></td>");
    if (wide && t->failing > 0)
      fprintf(p->f, "<td>%zu to %zu</td>", t->column_low, t->column_high);
    else if (wide)
      fprintf(p->f, "<td></td>");
    fprintf(p->f, "</tr>\n");
  }
  fprintf(p->f, "</table></div>\n");
}

static int write_part(const page *p, int part) {
  const attest_tally *t = &p->outcome->total[part];
  const attest_subject *s =
      &p->check->subjects[part == ATTEST_PART_SUMS ? ATTEST_PART_WEIGHTS : part];
  const char *verdict = attest_verdict_name(attest_tally_verdict(t));
  const char *name = attest_part_name(part);

  fprintf(p->f, "<h2>%c%s <span class=\"verdict %s\">%s</span></h2>\n<p class=\"soft\">",
          name[0] - 'a' + 'A', name + 1, verdict, verdict);
  put(p->f, s->file);
  fprintf(p->f, ", %s</p>\n", attest_format_name(s->format));
  write_cards(p, part, t);
  if (t->elements == 0)
    return 0;
  if ((part == ATTEST_PART_OUT || part == ATTEST_PART_WEIGHTS) && write_maps(p, part) != 0)
    return -1;
  fprintf(p->f, "<div class=\"two\"><div><h3>Worst by error over allowance</h3>\n");
  if (write_finding(p, part, &t->worst) != 0)
    return -1;
  fprintf(p->f, "</div>\n");
  if (part != ATTEST_PART_SUMS) {
    fprintf(p->f, "<div><h3>Errors in ulp</h3>\n");
    write_histogram(p, t);
    fprintf(p->f, "</div>\n");
  }
  fprintf(p->f, "</div>\n");
  write_heads(p, part);
  return 0;
}

int attest_report_write(FILE *stream, const attest_options *options, const attest_check *check,
                        const attest_claimed *claimed, const attest_outcome *outcome,
                        const char *hint, attest_fault *fault) {
  const page p = {stream, options, check, claimed, outcome, fault};

  write_top(&p, hint);
  for (int part = 0; part < ATTEST_PARTS; part++)
    if (check->subjects[part == ATTEST_PART_SUMS ? ATTEST_PART_WEIGHTS : part].got != NULL &&
        write_part(&p, part) != 0)
      return -1;
  fprintf(stream, "</body></html>\n");
  return 0;
}
