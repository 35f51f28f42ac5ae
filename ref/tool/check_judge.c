#include "check_judge.h"

#include "certify.h"

#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

/* --- heads ---------------------------------------------------------------------------------- */

static void free_maps(attest_rows_result *r) {
  for (int i = 0; i < ATTEST_SUBJECTS; i++)
    attest_map_end(&r->maps[i]);
}

/* Maps for rows first .. first + rows - 1 of a head, where they are wanted. */
static int start_maps(attest_rows_result *r, const attest_check *check, int wanted, size_t first,
                      size_t rows, attest_fault *fault) {
  memset(r, 0, sizeof *r);
  for (int i = ATTEST_PART_OUT; i <= ATTEST_PART_WEIGHTS && wanted; i++)
    if (check->subjects[i].got != NULL &&
        attest_map_start(&r->maps[i], first, rows, check->problem->shape.q_len,
                         attest_check_columns(check, i), fault) != 0) {
      free_maps(r);
      return -1;
    }
  return 0;
}

static void merge(attest_rows_result *all, const attest_rows_result *part) {
  for (int i = 0; i < ATTEST_PARTS; i++)
    attest_tally_merge(&all->tallies[i], &part->tallies[i]);
  for (int i = 0; i < ATTEST_RUNGS; i++)
    all->decided[i] += part->decided[i];
  for (int i = 0; i < ATTEST_SUBJECTS; i++)
    attest_map_place(&all->maps[i], &part->maps[i]);
}

/* Nonzero where a is worse off than b. */
static int worse_off(const attest_rows_result *a, const attest_rows_result *b) {
  const attest_rows_result *const both[2] = {a, b};
  double ratio[2] = {0, 0};
  size_t failing[2] = {0, 0};

  for (int n = 0; n < 2; n++)
    for (int i = 0; i < ATTEST_PARTS; i++) {
      const attest_tally *t = &both[n]->tallies[i];
      failing[n] += t->failing;
      if (t->worst.any && t->worst.judged.ratio > ratio[n])
        ratio[n] = t->worst.judged.ratio;
    }
  if ((failing[0] > 0) != (failing[1] > 0))
    return failing[0] > 0;
  return ratio[0] > ratio[1];
}

/* Takes over a head that is complete. */
static void keep(attest_outcome *o, attest_head_result *done) {
  size_t least = 0;
  int failing = 0;

  o->heads++;
  for (int i = 0; i < ATTEST_PARTS; i++) {
    attest_tally_merge(&o->total[i], &done->rows.tallies[i]);
    failing |= done->rows.tallies[i].failing > 0;
  }
  o->failing_heads += (size_t)failing;
  for (int i = 0; i < ATTEST_RUNGS; i++)
    o->decided[i] += done->rows.decided[i];
  if (o->kept < ATTEST_HEADS_KEPT) {
    o->kept_heads[o->kept++] = *done;
    return;
  }
  for (size_t i = 1; i < o->kept; i++)
    if (!worse_off(&o->kept_heads[i].rows, &o->kept_heads[least].rows))
      least = i;
  if (!worse_off(&done->rows, &o->kept_heads[least].rows)) {
    free_maps(&done->rows);
    return;
  }
  free_maps(&o->kept_heads[least].rows);
  memmove(&o->kept_heads[least], &o->kept_heads[least + 1],
          (o->kept - 1 - least) * sizeof *o->kept_heads);
  o->kept_heads[o->kept - 1] = *done;
}

/* --- the loop ------------------------------------------------------------------------------- */

/* Rows are handed out in blocks that no cell of a map crosses. */
typedef struct loop {
  const attest_check *check;
  int maps;
  size_t block, blocks; /* rows of a block, blocks of a head */
  attest_outcome *outcome;
  attest_head_result current; /* its blocks are merged in order */
  attest_progress *progress;
  attest_fault *fault;
  int failed;
} loop;

typedef struct block {
  size_t batch, head, first, rows;
} block;

static block block_at(const loop *l, size_t n) {
  const attest_shape *s = &l->check->problem->shape;
  block b;

  b.first = n % l->blocks * l->block;
  b.head = n / l->blocks % s->q_heads;
  b.batch = n / l->blocks / s->q_heads;
  b.rows = s->q_len - b.first < l->block ? s->q_len - b.first : l->block;
  return b;
}

static int has_failed(const loop *l) {
  int failed;

#ifdef _OPENMP
#pragma omp atomic read
#endif
  failed = l->failed;
  return failed;
}

/* Says it once. Called by one thread at a time. */
static void fail(loop *l, const attest_fault *fault) {
  if (has_failed(l))
    return;
  *l->fault = *fault;
#ifdef _OPENMP
#pragma omp atomic write
#endif
  l->failed = 1;
}

/* Called in the order of n, by one thread at a time. */
static void take(loop *l, size_t n, size_t total, const attest_rows_result *part) {
  const block b = block_at(l, n);
  attest_fault fault;

  if (b.first == 0) {
    if (start_maps(&l->current.rows, l->check, l->maps, 0, l->check->problem->shape.q_len,
                   &fault) != 0) {
      fail(l, &fault);
      return;
    }
    l->current.batch = b.batch;
    l->current.head = b.head;
  }
  merge(&l->current.rows, part);
  if (n % l->blocks == l->blocks - 1) {
    keep(l->outcome, &l->current);
    memset(&l->current, 0, sizeof l->current);
  }
  attest_progress_step(l->progress, (double)(n + 1), (double)total);
}

/* What one thread does; the loop is shared. */
static void work(loop *l, size_t total) {
  attest_row_judge judge;
  attest_rows_result part;
  attest_fault fault;
  int ready = attest_row_judge_start(&judge, l->check, &fault) == 0 &&
              start_maps(&part, l->check, l->maps, 0, l->block, &fault) == 0;

  if (!ready)
    memset(&part, 0, sizeof part);
#ifdef _OPENMP
#pragma omp for ordered schedule(dynamic, 1)
#endif
  for (size_t n = 0; n < total; n++) {
    const block b = block_at(l, n);
    int good = ready && !has_failed(l);
    if (good) {
      memset(part.tallies, 0, sizeof part.tallies);
      memset(part.decided, 0, sizeof part.decided);
      for (int i = 0; i < ATTEST_SUBJECTS; i++)
        attest_map_clear(&part.maps[i], b.first, b.rows);
      good = attest_row_judge_run(&judge, b.batch, b.head, b.first, b.rows, &part, &fault) == 0;
      ready = good;
    }
#ifdef _OPENMP
#pragma omp ordered
#endif
    {
      if (!ready)
        fail(l, &fault);
      else if (good && !has_failed(l))
        take(l, n, total, &part);
    }
  }
  free_maps(&part);
  attest_row_judge_end(&judge);
  /* MPFR keeps constants for each thread. */
  mpfr_free_cache();
}

int attest_check_judge(const attest_check *check, int maps, size_t threads,
                       attest_outcome *outcome, attest_progress *progress, attest_fault *fault) {
  const attest_shape *s = &check->problem->shape;
  const size_t step = maps ? attest_map_step(s->q_len) : 1, block_rows = 64;
  loop l = {0};
  size_t total;

  memset(outcome, 0, sizeof *outcome);
  outcome->kept_heads =
      attest_allocate(ATTEST_HEADS_KEPT, sizeof *outcome->kept_heads, "check", fault);
  if (outcome->kept_heads == NULL)
    return -1;
  l.check = check;
  l.maps = maps;
  l.block = (block_rows + step - 1) / step * step;
  if (l.block > s->q_len)
    l.block = s->q_len;
  l.blocks = l.block == 0 ? 0 : (s->q_len + l.block - 1) / l.block;
  l.outcome = outcome;
  l.progress = progress;
  l.fault = fault;
  total = s->batch * s->q_heads * l.blocks;
#ifdef _OPENMP
#pragma omp parallel num_threads(attest_threads(threads))
#else
  (void)threads;
#endif
  work(&l, total);
  free_maps(&l.current.rows);
  return l.failed ? -1 : 0;
}

void attest_outcome_free(attest_outcome *o) {
  for (size_t i = 0; i < o->kept; i++)
    free_maps(&o->kept_heads[i].rows);
  free(o->kept_heads);
  memset(o, 0, sizeof *o);
}

attest_verdict attest_outcome_verdict(const attest_outcome *o) {
  attest_verdict verdict = ATTEST_VERDICT_PASS;

  for (int i = 0; i < ATTEST_PARTS; i++)
    verdict = attest_verdict_worse(verdict, attest_tally_verdict(&o->total[i]));
  return verdict;
}
