#include "check_print.h"
#include "check_words.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

static json_t *whole(size_t n) { return json_integer((json_int_t)n); }

static json_t *number(double x) {
  if (isnan(x))
    return json_string("nan");
  if (isinf(x))
    return json_string(x > 0 ? "inf" : "-inf");
  return json_real(x);
}

/* A file name need not be UTF-8, and JSON must. */
static json_t *name(const char *file) {
  json_t *j = json_string(file);
  char plain[1024];
  size_t n = 0;

  if (j != NULL)
    return j;
  for (; file[n] != '\0' && n < sizeof plain - 1; n++)
    plain[n] = (unsigned char)file[n] < 0x80 ? file[n] : '?';
  plain[n] = '\0';
  return json_string(plain);
}

/* NULL with *fault set where the digits cannot be had; json_null() where there is no element. */
static json_t *finding(const attest_check *check, int part, const attest_finding *f,
                       attest_fault *fault) {
  char exact[ATTEST_NUMBER_TEXT];
  json_t *j;

  if (!f->any)
    return json_null();
  if (attest_exact_words(check, part, f, exact, fault) != 0)
    return NULL;
  j = json_object();
  json_object_set_new(j, "batch", whole(f->at.batch));
  json_object_set_new(j, "head", whole(f->at.head));
  json_object_set_new(j, "row", whole(f->at.row));
  if (part == ATTEST_PART_OUT || part == ATTEST_PART_WEIGHTS)
    json_object_set_new(j, part == ATTEST_PART_OUT ? "column" : "key", whole(f->at.column));
  json_object_set_new(j, "got", number(f->got));
  json_object_set_new(j, "exact", json_string(exact));
  json_object_set_new(j, "nearest", number(f->nearest));
  json_object_set_new(j, "error", number(f->judged.error));
  json_object_set_new(j, "error_ulp", number(f->judged.ulps));
  json_object_set_new(j, "allowance", number(f->allowance));
  json_object_set_new(j, "error_over_allowance", number(f->judged.ratio));
  json_object_set_new(j, "fails", json_boolean(f->judged.fails));
  return j;
}

static json_t *histogram(const attest_tally *t) {
  const size_t used = attest_bins_used(t);
  json_t *bins = json_array();

  for (size_t i = 0; i < used; i++) {
    json_t *bin = json_object();
    json_object_set_new(bin, "up_to_ulp", number(attest_bin_limit(i)));
    json_object_set_new(bin, "count", whole(t->bins[i]));
    json_array_append_new(bins, bin);
  }
  return bins;
}

static void counts(json_t *j, const attest_tally *t) {
  json_object_set_new(j, "verdict", json_string(attest_verdict_name(attest_tally_verdict(t))));
  json_object_set_new(j, "elements", whole(t->elements));
  json_object_set_new(j, "failing", whole(t->failing));
  json_object_set_new(j, "ill_conditioned", whole(t->vacuous));
  json_object_set_new(j, "correctly_rounded", whole(t->correct));
}

/* NULL with *fault set. */
static json_t *part_of(const attest_check *check, int part, const attest_tally *t,
                       attest_fault *fault) {
  const attest_subject *s =
      &check->subjects[part == ATTEST_PART_SUMS ? ATTEST_PART_WEIGHTS : part];
  const attest_finding *const found[] = {&t->worst, &t->widest, &t->first, &t->loose};
  static const char *const names[] = {"worst", "worst_in_ulp", "first_failing",
                                      "first_ill_conditioned"};
  json_t *j = json_object();

  json_object_set_new(j, "file", name(s->file));
  json_object_set_new(j, "format", json_string(attest_format_name(s->format)));
  counts(j, t);
  for (int i = 0; i < 4; i++) {
    json_t *f = finding(check, part, found[i], fault);
    if (f == NULL) {
      json_decref(j);
      return NULL;
    }
    json_object_set_new(j, names[i], f);
  }
  json_object_set_new(j, "histogram", histogram(t));
  return j;
}

static json_t *claim_of(const attest_check *check, const attest_claimed *c) {
  const attest_format output = check->subjects[ATTEST_PART_OUT].format;
  char words[ATTEST_CLAIM_TEXT];
  json_t *j = json_object();

  attest_claim_words(c, check->problem, output, words);
  json_object_set_new(j, "words", json_string(words));
  json_object_set_new(j, "arithmetic", json_string(c->engine ? "attest" : "kernel"));
  json_object_set_new(j, "accum", json_string(attest_format_name(c->accum)));
  json_object_set_new(j, "output", json_string(attest_format_name(output)));
  if (c->engine)
    return j;
  json_object_set_new(j, "input",
                      json_string(c->input_given ? attest_format_name(c->input) : "stored"));
  json_object_set_new(j, "weights", json_string(attest_format_name(c->weight)));
  json_object_set_new(j, "exp_ulp", number(c->exp_ulps));
  json_object_set_new(j, "tile", whole(c->tile));
  return j;
}

static json_t *problem_of(const attest_shape *s) {
  json_t *j = json_object();

  json_object_set_new(j, "batch", whole(s->batch));
  json_object_set_new(j, "q_heads", whole(s->q_heads));
  json_object_set_new(j, "kv_heads", whole(s->kv_heads));
  json_object_set_new(j, "q_len", whole(s->q_len));
  json_object_set_new(j, "kv_len", whole(s->kv_len));
  json_object_set_new(j, "width", whole(s->width));
  json_object_set_new(j, "value_width", whole(s->value_width));
  return j;
}

static json_t *heads_of(const attest_check *check, const attest_outcome *o) {
  static const char *const keys[] = {"output", "weights", "lse", "row_sums"};
  json_t *heads = json_array();

  for (size_t i = 0; i < o->kept; i++) {
    const attest_head_result *h = &o->kept_heads[i];
    json_t *head = json_object();
    json_object_set_new(head, "batch", whole(h->batch));
    json_object_set_new(head, "head", whole(h->head));
    for (int part = 0; part < ATTEST_PARTS; part++) {
      const attest_tally *t = &h->rows.tallies[part];
      json_t *j;
      if (check->subjects[part == ATTEST_PART_SUMS ? ATTEST_PART_WEIGHTS : part].got == NULL)
        continue;
      j = json_object();
      counts(j, t);
      json_object_set_new(j, "worst_ulp", number(t->widest.judged.ulps));
      json_object_set_new(j, "worst_error_over_allowance", number(t->worst.judged.ratio));
      json_object_set_new(head, keys[part], j);
    }
    json_array_append_new(heads, head);
  }
  return heads;
}

static json_t *decided_of(const attest_outcome *o) {
  static const char *const names[] = {"rule", "f64", "double_double",
                                      "interval", "exact", "undecided"};
  json_t *j = json_object();

  for (int i = 0; i < ATTEST_RUNGS; i++)
    json_object_set_new(j, names[i], whole(o->decided[i]));
  return j;
}

int attest_check_print_json(const attest_check *check, const attest_claimed *claimed,
                            const attest_outcome *o, const char *hint, attest_fault *fault) {
  static const char *const keys[] = {"output", "weights", "lse", "row_sums"};
  const attest_verdict verdict = attest_outcome_verdict(o);
  char line[ATTEST_LINE_TEXT];
  json_t *j = json_object();
  int result = -1;

  json_object_set_new(j, "schema", json_string("attest-check"));
  json_object_set_new(j, "schema_version", json_integer(ATTEST_CHECK_SCHEMA));
  json_object_set_new(j, "verdict", json_string(attest_verdict_name(verdict)));
  json_object_set_new(j, "summary", json_string(attest_verdict_words(o, line)));
  json_object_set_new(j, "note", hint != NULL ? json_string(hint) : json_null());
  json_object_set_new(j, "claim", claim_of(check, claimed));
  json_object_set_new(j, "problem", problem_of(&check->problem->shape));
  for (int i = 0; i < ATTEST_PARTS; i++) {
    const int file = i == ATTEST_PART_SUMS ? ATTEST_PART_WEIGHTS : i;
    json_t *part = check->subjects[file].got == NULL
                       ? json_null()
                       : part_of(check, i, &o->total[i], fault);
    if (part == NULL)
      goto done;
    json_object_set_new(j, keys[i], part);
  }
  json_object_set_new(j, "heads_total", whole(o->heads));
  json_object_set_new(j, "heads_failing", whole(o->failing_heads));
  json_object_set_new(j, "heads", heads_of(check, o));
  json_object_set_new(j, "decided_by", decided_of(o));
  if (json_dumpf(j, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER) == 0) {
    printf("\n");
    result = 0;
  } else {
    ATTEST_FAIL(fault, "standard output: the JSON cannot be written");
  }

done:
  json_decref(j);
  return result;
}
