#include "check_print.h"
#include "check_words.h"

#include <math.h>
#include <stdio.h>

static int print_finding(const attest_check *check, int part, const attest_finding *f,
                         attest_fault *fault) {
  const attest_format format =
      check->subjects[part == ATTEST_PART_SUMS ? ATTEST_PART_WEIGHTS : part].format;
  char place[ATTEST_PLACE_TEXT], number[ATTEST_NUMBER_TEXT];

  printf("    %s\n", attest_place_words(part, f->at, place));
  printf("    got        %s\n",
         attest_number_words(part == ATTEST_PART_SUMS ? ATTEST_FORMAT_F64 : format, f->got,
                             number));
  if (attest_exact_words(check, part, f, number, fault) != 0)
    return -1;
  printf("    exact      %s\n", number);
  if (isfinite(f->judged.error)) {
    printf("    error      %s", attest_size_words(f->judged.error, number));
    if (isfinite(f->judged.ulps))
      printf(" = %s ulp of %s", attest_size_words(f->judged.ulps, number),
             attest_format_name(format));
    printf("\n");
  }
  if (isinf(f->allowance))
    printf("    allowance  none: nothing is promised here\n");
  else if (isinf(f->judged.ratio))
    printf("    allowance  %.4g\n", f->allowance);
  else
    printf("    allowance  %.4g, error over allowance %.4g\n", f->allowance, f->judged.ratio);
  return 0;
}

static void print_histogram(const attest_tally *t) {
  const size_t used = attest_bins_used(t);
  char label[ATTEST_NUMBER_TEXT];
  size_t most = 1;

  for (size_t i = 0; i < used; i++)
    most = t->bins[i] > most ? t->bins[i] : most;
  printf("  errors in ulp\n");
  for (size_t i = 0; i < used; i++) {
    const int bar = (int)(40 * (double)t->bins[i] / (double)most + 0.5);
    const size_t empty = attest_bins_empty(t, i);
    if (empty > 0) {
      printf("    ...\n");
      i += empty - 1;
      continue;
    }
    printf("    %-21s %12zu  %6.2f %%%s%.*s\n", attest_bin_words(i, label), t->bins[i],
           attest_share(t->bins[i], t->elements), t->bins[i] > 0 ? "  " : "",
           t->bins[i] > 0 && bar == 0 ? 1 : bar, "########################################");
  }
}

static int print_part(const attest_check *check, int part, const attest_tally *t,
                      attest_fault *fault) {
  const attest_subject *s =
      &check->subjects[part == ATTEST_PART_SUMS ? ATTEST_PART_WEIGHTS : part];
  char place[ATTEST_PLACE_TEXT], number[ATTEST_NUMBER_TEXT];

  printf("\n%s of %s (%s): %s\n", attest_part_name(part), s->file, attest_format_name(s->format),
         attest_verdict_name(attest_tally_verdict(t)));
  printf("  %zu element%s, %zu over the allowance, %zu ill-conditioned", t->elements,
         t->elements == 1 ? "" : "s", t->failing, t->vacuous);
  if (part != ATTEST_PART_SUMS)
    printf(", %.2f %% correctly rounded", attest_share(t->correct, t->elements));
  printf("\n");
  if (t->elements == 0)
    return 0;
  printf("  worst by error over allowance\n");
  if (print_finding(check, part, &t->worst, fault) != 0)
    return -1;
  if (t->failing > 1)
    printf("  first of those that fail: %s\n", attest_place_words(part, t->first.at, place));
  if (t->vacuous > 0)
    printf("  first that is ill-conditioned: %s\n",
           attest_place_words(part, t->loose.at, place));
  if (part == ATTEST_PART_SUMS)
    return 0;
  printf("  largest error in ulp: %s at ", attest_size_words(t->widest.judged.ulps, number));
  printf("%s\n", attest_place_words(part, t->widest.at, place));
  print_histogram(t);
  return 0;
}

/* Where the failures are, by head, if they are not in all. */
static void print_heads(const attest_outcome *o) {
  enum { MOST = 16 };
  size_t shown = 0;

  if (o->failing_heads == 0 || o->heads == 1)
    return;
  printf("\n%zu of %zu heads fail\n", o->failing_heads, o->heads);
  for (size_t i = 0; i < o->kept && shown < MOST; i++) {
    const attest_head_result *h = &o->kept_heads[i];
    for (int part = 0; part < ATTEST_PARTS; part++) {
      const attest_tally *t = &h->rows.tallies[part];
      if (t->failing == 0)
        continue;
      printf("  batch %zu, head %zu, %s: %zu of %zu in rows %zu to %zu", h->batch, h->head,
             attest_part_name(part), t->failing, t->elements, t->row_low, t->row_high);
      if (part == ATTEST_PART_OUT || part == ATTEST_PART_WEIGHTS)
        printf(", %s %zu to %zu", part == ATTEST_PART_OUT ? "columns" : "keys", t->column_low,
               t->column_high);
      printf("\n");
      shown++;
    }
  }
  if (o->failing_heads > MOST)
    printf("  ...\n");
}

int attest_check_print_text(const attest_check *check, const attest_claimed *claimed,
                            const attest_outcome *o, const char *hint, attest_fault *fault) {
  const attest_shape *s = &check->problem->shape;
  char claim[ATTEST_CLAIM_TEXT], line[ATTEST_LINE_TEXT];

  printf("%s: %s\n", attest_verdict_name(attest_outcome_verdict(o)),
         attest_verdict_words(o, line));
  if (hint != NULL)
    printf("note: %s\n", hint);
  attest_claim_words(claimed, check->problem, check->subjects[ATTEST_PART_OUT].format, claim);
  printf("claim: %s\n", claim);
  printf("problem: batch %zu, heads %zu over %zu, %zu queries, %zu keys, width %zu, value width "
         "%zu\n",
         s->batch, s->q_heads, s->kv_heads, s->q_len, s->kv_len, s->width, s->value_width);
  for (int i = 0; i < ATTEST_PARTS; i++) {
    const int file = i == ATTEST_PART_SUMS ? ATTEST_PART_WEIGHTS : i;
    if (check->subjects[file].got != NULL &&
        print_part(check, i, &o->total[i], fault) != 0)
      return -1;
  }
  print_heads(o);
  return 0;
}
