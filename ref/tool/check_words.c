#include "check_words.h"

#include "oracle/exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *attest_place_words(int part, attest_place at, char text[ATTEST_PLACE_TEXT]) {
  const int used = snprintf(text, ATTEST_PLACE_TEXT, "batch %zu, head %zu, row %zu", at.batch,
                            at.head, at.row);

  if (part == ATTEST_PART_OUT || part == ATTEST_PART_WEIGHTS)
    snprintf(text + used, ATTEST_PLACE_TEXT - (size_t)used, ", %s %zu",
             part == ATTEST_PART_OUT ? "column" : "key", at.column);
  return text;
}

const char *attest_number_words(attest_format format, double x, char text[ATTEST_NUMBER_TEXT]) {
  static const int digits[] = {17, 9, 5, 4, 10};

  if (isnan(x))
    return strcpy(text, "nan");
  snprintf(text, ATTEST_NUMBER_TEXT, "%.*g", digits[format], x);
  return text;
}

const char *attest_size_words(double x, char text[ATTEST_NUMBER_TEXT]) {
  if (!isfinite(x))
    return strcpy(text, "unbounded");
  snprintf(text, ATTEST_NUMBER_TEXT, "%.4g", x);
  return text;
}

const char *attest_bin_words(size_t bin, char text[ATTEST_NUMBER_TEXT]) {
  const double limit = attest_bin_limit(bin);

  if (bin == 0)
    return strcpy(text, "correctly rounded");
  if (isinf(limit))
    return strcpy(text, "more, or wrong by rule");
  if (limit > 65536)
    snprintf(text, ATTEST_NUMBER_TEXT, "up to 2^%d", (int)bin - 2);
  else
    snprintf(text, ATTEST_NUMBER_TEXT, "up to %g", limit);
  return text;
}

size_t attest_bins_used(const attest_tally *tally) {
  size_t used = ATTEST_BINS;

  while (used > 1 && tally->bins[used - 1] == 0)
    used--;
  return used;
}

size_t attest_bins_empty(const attest_tally *tally, size_t bin) {
  enum { LEAST = 3 };
  size_t end = bin;

  while (end < ATTEST_BINS && tally->bins[end] == 0)
    end++;
  return end - bin >= LEAST && end < ATTEST_BINS ? end - bin : 0;
}

double attest_share(size_t part, size_t whole) {
  return whole == 0 ? 100 : 100 * (double)part / (double)whole;
}

/* --- digits --------------------------------------------------------------------------------- */

static void enclose(attest_exact *exact, const attest_check *check, int part, size_t index,
                    size_t column, mpfr_prec_t bits, mpfi_ptr x) {
  if (part == ATTEST_PART_OUT)
    attest_exact_output_at(exact, column, bits, x);
  else if (part == ATTEST_PART_WEIGHTS)
    attest_exact_weight_at(exact, index, bits, x);
  else
    attest_exact_lse_at(exact, check->lse_base, bits, x);
}

/* The precision grows until both ends have the same digits, which they never have where the exact
   number is 0 or half way; there the rounded number says as much. */
static void digits_of(attest_exact *exact, const attest_check *check, int part, size_t index,
                      const attest_finding *f, char text[ATTEST_NUMBER_TEXT]) {
  char other[ATTEST_NUMBER_TEXT];
  int same = 0;

  for (mpfr_prec_t bits = 192; bits <= 3072 && !same; bits *= 2) {
    mpfi_t x;
    mpfi_init2(x, bits);
    enclose(exact, check, part, index, f->at.column, bits, x);
    mpfr_snprintf(text, ATTEST_NUMBER_TEXT, "%.20Rg", &x->left);
    mpfr_snprintf(other, sizeof other, "%.20Rg", &x->right);
    same = strcmp(text, other) == 0;
    mpfi_clear(x);
  }
  if (!same)
    snprintf(text, ATTEST_NUMBER_TEXT, "%.20g", f->nearest);
}

int attest_exact_words(const attest_check *check, int part, const attest_finding *f,
                       char text[ATTEST_NUMBER_TEXT], attest_fault *fault) {
  const attest_shape *s = &check->problem->shape;
  attest_row_key *keys;
  attest_row_view view;
  attest_exact *exact;
  size_t index = 0;
  double rule;

  attest_number_words(ATTEST_FORMAT_F64, f->nearest, text);
  if (part == ATTEST_PART_SUMS)
    return 0;
  keys = attest_allocate(attest_row_capacity(s), sizeof *keys, "check", fault);
  if (keys == NULL)
    return -1;
  view = attest_row_at(s, &check->inputs, f->at.batch, f->at.head, f->at.row, keys);
  if (part == ATTEST_PART_WEIGHTS)
    while (index < view.count && view.keys[index].index != f->at.column)
      index++;
  /* What no arithmetic decides is told by its value. */
  if (view.kind != ATTEST_ROW_FINITE || (part == ATTEST_PART_WEIGHTS && index == view.count) ||
      (part == ATTEST_PART_OUT && attest_row_column_rule(&view, f->at.column, &rule))) {
    free(keys);
    return 0;
  }
  exact = attest_exact_start(&view);
  if (exact != NULL) {
    digits_of(exact, check, part, index, f, text);
    attest_exact_end(exact);
  } else {
    ATTEST_FAIL(fault, "check: not enough memory for a row");
  }
  free(keys);
  return exact != NULL ? 0 : -1;
}

/* --- one line ------------------------------------------------------------------------------- */

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

const char *attest_verdict_words(const attest_outcome *o, char text[ATTEST_LINE_TEXT]) {
  char place[ATTEST_PLACE_TEXT], size[ATTEST_NUMBER_TEXT];
  size_t vacuous = 0, elements = 0;

  for (int i = 0; i < ATTEST_PARTS; i++) {
    const attest_tally *t = &o->total[i];
    vacuous += t->vacuous;
    elements += t->elements;
    if (t->failing == 0)
      continue;
    attest_place_words(i, t->worst.at, place);
    if (isfinite(t->worst.judged.ratio))
      snprintf(text, ATTEST_LINE_TEXT,
               "%zu of %zu element%s of the %s over the allowance; worst: %s, error %s times its "
               "allowance",
               t->failing, t->elements, plural(t->elements), attest_part_name(i), place,
               attest_size_words(t->worst.judged.ratio, size));
    else
      snprintf(text, ATTEST_LINE_TEXT, "%zu of %zu element%s of the %s wrong; worst: %s",
               t->failing, t->elements, plural(t->elements), attest_part_name(i), place);
    return text;
  }
  if (vacuous > 0) {
    for (int i = ATTEST_PARTS - 1; i >= 0; i--)
      if (o->total[i].vacuous > 0)
        attest_place_words(i, o->total[i].loose.at, place);
    snprintf(text, ATTEST_LINE_TEXT,
             "no element fails, but the allowance of %zu of %zu says nothing; first: %s", vacuous,
             elements, place);
    return text;
  }
  snprintf(text, ATTEST_LINE_TEXT, "%zu element%s within the allowances of the claim", elements,
           plural(elements));
  return text;
}
