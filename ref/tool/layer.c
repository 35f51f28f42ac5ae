/* attest layer: projections, attention of every head, and the output projection. */

#include "commands.h"
#include "engine.h"
#include "io.h"
#include "results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_WQ = ATTEST_OPT_OWN, OPT_WK, OPT_WV, OPT_WO };

static const char help[] =
    "usage: attest layer -x FILE --wq FILE.. --wk FILE.. --wv FILE.. [options] -o FILE\n"
    "\n"
    "An attention layer: Q = X Wq, K = X Wk, V = X Wv for every head, attention, then\n"
    "the heads side by side times Wo. Every sum runs from left to right. Files are\n"
    "FILE.npy, FILE.npz:NAME, or FILE.npz with one array.\n"
    "\n"
    "  -x FILE         (S, model) or (B, S, model)\n"
    "  --wq FILE..     one file (model, heads*width), or a file (model, width) for each\n"
    "                  head: --wq A B, or --wq A --wq B\n"
    "  --wk FILE.., --wv FILE..\n"
    "                  the same for the heads of keys and values\n"
    "  --wo FILE       (heads * width of v, out); without it the output is the heads\n"
    "                  side by side\n"
    "  -o FILE         the output, .npy, shaped as x with the width of wo\n"
    "  --heads N       query heads (as many as files of --wq)\n"
    "  --kv-heads M    heads of keys and values (as many as files of --wk or --wv if\n"
    "                  there are several, otherwise as --heads)\n"
    ATTEST_SCORE_HELP
    "  --bf16          uint16 arrays are bf16 numbers\n"
    "\n"
    ATTEST_ENGINE_HELP
    "                  Default: the format of x, or f64 if x holds integers.\n"
    ATTEST_RESULT_HELP
    "\n"
    "Exit code 0: done; 2: bad usage or input, and no output file is left.\n";

static const struct option table[] = {{"help", no_argument, NULL, ATTEST_OPT_HELP},
                                      ATTEST_SCORE_OPTIONS,
                                      ATTEST_ENGINE_OPTIONS,
                                      ATTEST_RESULT_OPTIONS,
                                      {"wq", required_argument, NULL, OPT_WQ},
                                      {"wk", required_argument, NULL, OPT_WK},
                                      {"wv", required_argument, NULL, OPT_WV},
                                      {"wo", required_argument, NULL, OPT_WO},
                                      {NULL, 0, NULL, 0}};

/* The files of one of --wq, --wk, --wv. */
typedef struct file_list {
  const char *option;
  const char **names;
  size_t count;
} file_list;

/* A matrix (rows, columns) in the working format. */
typedef struct matrix {
  size_t rows, columns;
  void *data;
} matrix;

enum { WQ, WK, WV, PROJECTIONS };

typedef struct layer_options {
  attest_options problem;
  attest_results results;
  const char *x, *wo;
  file_list files[PROJECTIONS];
} layer_options;

typedef struct layer {
  attest_layer_shape shape;
  size_t batch;
  int wide;
  attest_dtype dtype;
  attest_tensor x, wo;
  matrix w[PROJECTIONS];
} layer;

static int add_files(file_list *list, const char *first, int argc, char **argv,
                     attest_fault *fault) {
  for (const char *name = first; name != NULL; name = attest_next_value(argc, argv)) {
    const char **names = realloc(list->names, (list->count + 1) * sizeof *names);
    if (names == NULL)
      return ATTEST_FAIL(fault, "%s: not enough memory for its files", list->option);
    names[list->count++] = name;
    list->names = names;
  }
  return 0;
}

/* The output must not replace what it is made from. */
static int spare_inputs(const layer_options *o, attest_fault *fault) {
  const char *output = o->results.paths[0];

  if (attest_spare(output, o->x, fault) != 0 || attest_spare(output, o->wo, fault) != 0)
    return -1;
  for (int i = 0; i < PROJECTIONS; i++)
    for (size_t n = 0; n < o->files[i].count; n++)
      if (attest_spare(output, o->files[i].names[n], fault) != 0)
        return -1;
  return 0;
}

/* 0: go on; 1: help was asked for; -1: an error. */
static int parse(int argc, char **argv, layer_options *o, attest_fault *fault) {
  int id;

  memset(o, 0, sizeof *o);
  attest_options_start(&o->problem);
  o->files[WQ].option = "--wq";
  o->files[WK].option = "--wk";
  o->files[WV].option = "--wv";
  while ((id = attest_next_option(argc, argv, "+:hx:o:", table, fault)) >= 0) {
    int result;
    switch (id) {
    case ATTEST_OPT_HELP:
      return 1;
    case 'x':
      result = attest_once(&o->x, "-x", optarg, fault);
      break;
    case 'o':
      result = attest_once(&o->results.paths[0], "-o", optarg, fault);
      break;
    case ATTEST_OPT_BYTE_ORDER:
    case ATTEST_OPT_ORDER:
      result = attest_results_take(&o->results, id, optarg, fault);
      break;
    case OPT_WO:
      result = attest_once(&o->wo, "--wo", optarg, fault);
      break;
    case OPT_WQ:
    case OPT_WK:
    case OPT_WV:
      result = add_files(&o->files[WQ + (id - OPT_WQ)], optarg, argc, argv, fault);
      break;
    default:
      result = attest_options_take(&o->problem, id, optarg, fault);
    }
    if (result != 0)
      return -1;
  }
  if (id != -1)
    return -1;
  if (o->x == NULL)
    return ATTEST_FAIL(fault, "-x FILE is missing (attest layer --help)");
  for (int i = 0; i < PROJECTIONS; i++)
    if (o->files[i].count == 0)
      return ATTEST_FAIL(fault, "%s FILE is missing (attest layer --help)", o->files[i].option);
  if (o->results.paths[0] == NULL)
    return ATTEST_FAIL(fault, "-o FILE is missing (attest layer --help)");
  if (o->problem.oracle || o->problem.q16)
    return ATTEST_FAIL(fault, "--engine: a layer has naive and tiled");
  if (o->problem.dtype_given && o->problem.dtype == ATTEST_DT_I32)
    return ATTEST_FAIL(fault, "--dtype: q16 is not available for layers");
  return 0;
}

/* Appends the columns of t to those that *m has, of `columns` in all. */
static void place_columns(matrix *m, size_t columns, const attest_tensor *t, size_t size) {
  for (size_t i = 0; i < m->rows; i++)
    memcpy((char *)m->data + (i * columns + m->columns) * size,
           (const char *)t->data + i * t->dims[1] * size, t->dims[1] * size);
  m->columns += t->dims[1];
}

/* The files of a projection side by side as one matrix with l->x's width as rows. */
static int load_projection(layer *l, const layer_options *o, int which, attest_fault *fault) {
  const file_list *list = &o->files[which];
  const size_t model = l->x.dims[l->x.ndim - 1], size = attest_real_size(l->wide);
  char shape[ATTEST_SHAPE_TEXT], other[ATTEST_SHAPE_TEXT];
  matrix *m = &l->w[which];
  size_t columns = 0, first = 0;

  m->rows = model;
  for (size_t i = 0; i < list->count; i++) {
    const char *name = list->names[i];
    attest_tensor t;
    if (attest_tensor_load(&t, name, o->problem.bf16, l->wide, 2, 2, fault) != 0)
      return -1;
    attest_shape_text(2, t.dims, shape);
    if (t.dims[0] != model) {
      ATTEST_FAIL(fault, "%s: %s has %zu rows, but %s %s has model width %zu", name, shape,
                  t.dims[0], l->x.name, attest_shape_text(l->x.ndim, l->x.dims, other), model);
    } else if (i > 0 && t.dims[1] != first) {
      ATTEST_FAIL(fault, "%s: %s has %zu columns, but %s has %zu", name, shape, t.dims[1],
                  list->names[0], first);
    } else if (i == 0) {
      size_t count;
      first = t.dims[1];
      columns = first * list->count;
      if ((first != 0 && columns / first != list->count) ||
          attest_array_count(2, (const size_t[2]){model, columns}, &count) != 0)
        ATTEST_FAIL(fault, "%s: the files are too large together", list->option);
      else
        m->data = attest_allocate(count, size, list->option, fault);
    }
    if (m->data == NULL || t.dims[0] != model || t.dims[1] != first) {
      attest_tensor_free(&t);
      return -1;
    }
    place_columns(m, columns, &t, size);
    attest_tensor_free(&t);
  }
  return 0;
}

/* Width of a head of projection `which`, and that files and heads agree. */
static int head_width(const layer *l, const layer_options *o, int which, size_t heads,
                      const char *option, size_t *width, attest_fault *fault) {
  const file_list *list = &o->files[which];
  const matrix *m = &l->w[which];

  if (list->count > 1 && list->count != heads)
    return ATTEST_FAIL(fault, "%s: %zu files, but there are %zu heads (%s)", list->option,
                       list->count, heads, option);
  if (m->columns == 0 || m->columns % heads != 0)
    return ATTEST_FAIL(fault, "%s: %s has %zu columns, not a multiple of %zu heads (%s)",
                       list->option, list->names[0], m->columns, heads, option);
  *width = m->columns / heads;
  if (*width > ATTEST_MAX_WIDTH)
    return ATTEST_FAIL(fault, "%s: %s has heads of width %zu, the limit is %d", list->option,
                       list->names[0], *width, (int)ATTEST_MAX_WIDTH);
  return 0;
}

static int set_shape(layer *l, const layer_options *o, attest_fault *fault) {
  const file_list *f = o->files;
  const char *kv_option = o->problem.kv_heads != 0 ? "--kv-heads"
                          : f[WK].count > 1        ? "--wk"
                          : f[WV].count > 1        ? "--wv"
                                                   : "--heads";
  attest_layer_shape *s = &l->shape;
  size_t key_width = 0, cat;
  char shape[ATTEST_SHAPE_TEXT];

  s->model = l->x.dims[l->x.ndim - 1];
  s->len = l->x.dims[l->x.ndim - 2];
  l->batch = l->x.ndim == 3 ? l->x.dims[0] : 1;
  s->heads = o->problem.heads != 0 ? o->problem.heads : f[WQ].count;
  s->kv_heads = o->problem.kv_heads != 0 ? o->problem.kv_heads
                : f[WK].count > 1        ? f[WK].count
                : f[WV].count > 1        ? f[WV].count
                                         : s->heads;
  if (head_width(l, o, WQ, s->heads, o->problem.heads != 0 ? "--heads" : "--wq", &s->width,
                 fault) != 0 ||
      head_width(l, o, WK, s->kv_heads, kv_option, &key_width, fault) != 0 ||
      head_width(l, o, WV, s->kv_heads, kv_option, &s->value_width, fault) != 0)
    return -1;
  if (key_width != s->width)
    return ATTEST_FAIL(fault, "--wk: %s gives heads of width %zu, but --wq %s gives %zu",
                       f[WK].names[0], key_width, f[WQ].names[0], s->width);
  if (s->heads % s->kv_heads != 0)
    return ATTEST_FAIL(fault, "--heads: %zu is not a multiple of %zu (%s)", s->heads, s->kv_heads,
                       kv_option);
  cat = s->heads * s->value_width;
  s->out = cat;
  if (o->wo != NULL) {
    if (l->wo.dims[0] != cat)
      return ATTEST_FAIL(fault, "%s: %s has %zu rows, but the heads side by side %zu x %zu = %zu",
                         l->wo.name, attest_shape_text(2, l->wo.dims, shape), l->wo.dims[0],
                         s->heads, s->value_width, cat);
    s->out = l->wo.dims[1];
  }
  if (s->model == 0 || s->out == 0)
    return ATTEST_FAIL(fault, "%s: %s has width 0", s->model == 0 ? l->x.name : l->wo.name,
                       s->model == 0 ? attest_shape_text(l->x.ndim, l->x.dims, shape)
                                     : attest_shape_text(2, l->wo.dims, shape));
  s->scale_given = o->problem.scale_given;
  s->scale = o->problem.scale;
  s->softcap = o->problem.softcap;
  s->causal = o->problem.causal != ATTEST_CAUSAL_NONE;
  s->window = o->problem.window;
  s->left = o->problem.left;
  s->right = o->problem.right;
  /* As many keys as queries: every alignment is offset 0. */
  s->offset = o->problem.causal == ATTEST_CAUSAL_OFFSET ? o->problem.offset : 0;
  return 0;
}

static void free_layer(layer *l) {
  attest_tensor_free(&l->x);
  attest_tensor_free(&l->wo);
  for (int i = 0; i < PROJECTIONS; i++)
    free(l->w[i].data);
  memset(l, 0, sizeof *l);
}

static int load(layer *l, const layer_options *o, attest_fault *fault) {
  attest_array raw;

  memset(l, 0, sizeof *l);
  if (attest_tensor_read(o->x, o->problem.bf16, 2, 3, &raw, fault) != 0)
    return -1;
  l->dtype = o->problem.dtype_given ? o->problem.dtype : attest_default_dtype(raw.dtype);
  l->wide = l->dtype == ATTEST_DT_F64;
  if (attest_tensor_convert(&l->x, o->x, &raw, l->wide, fault) != 0)
    return -1;
  for (int i = 0; i < PROJECTIONS; i++)
    if (load_projection(l, o, i, fault) != 0)
      return -1;
  if (o->wo != NULL &&
      attest_tensor_load(&l->wo, o->wo, o->problem.bf16, l->wide, 2, 2, fault) != 0)
    return -1;
  return set_shape(l, o, fault);
}

#define DEFINE_RUN(NAME, REAL, SUFFIX)                                                          \
  static attest_status NAME(const layer *l, size_t batch, attest_engine engine, size_t tile,   \
                            void *out, void *scratch, size_t count) {                           \
    const attest_layer_shape *s = &l->shape;                                                    \
    const REAL *x = (const REAL *)l->x.data + batch * s->len * s->model;                        \
    REAL *to = (REAL *)out + batch * s->len * s->out;                                           \
    return attest_layer_##SUFFIX(s, x, l->w[WQ].data, l->w[WK].data, l->w[WV].data, l->wo.data, \
                                 to, engine, tile, scratch, count);                             \
  }
DEFINE_RUN(run_f32, float, f32)
DEFINE_RUN(run_f64, double, f64)

/* A guess at the seconds of one batch entry, for the progress line alone. */
static double guess(const attest_layer_shape *s) {
  const double per_second = 5e9, len = (double)s->len, heads = (double)s->heads;
  const double both = (double)s->width + (double)s->value_width;

  return len * (len * heads * both + (double)s->model * heads * both * 2 +
                heads * (double)s->value_width * (double)s->out) / per_second;
}

static int work(layer *l, const layer_options *o, attest_array *out, attest_fault *fault) {
  const attest_engine engine = attest_engine_for(o->problem.engine, l->shape.len);
  const size_t tile = o->problem.tile;
  const size_t count = l->wide ? attest_layer_scratch_f64(&l->shape, engine, tile)
                               : attest_layer_scratch_f32(&l->shape, engine, tile);
  attest_status status = ATTEST_OK;
  attest_progress progress;
  void *scratch;

  if (count == 0) {
    double dummy = 0;
    status = (l->wide ? run_f64 : run_f32)(l, 0, engine, tile, out->data, &dummy, 0);
    return attest_engine_fail(status, fault);
  }
  scratch = attest_engine_scratch(count, l->wide, fault);
  if (scratch == NULL)
    return -1;
  attest_progress_start(&progress, "layer");
  if (l->batch == 1)
    attest_progress_announce(&progress, guess(&l->shape));
  for (size_t b = 0; b < l->batch && status == ATTEST_OK; b++) {
    status = (l->wide ? run_f64 : run_f32)(l, b, engine, tile, out->data, scratch, count);
    attest_progress_step(&progress, (double)(b + 1), (double)l->batch);
  }
  attest_progress_end(&progress);
  free(scratch);
  return status == ATTEST_OK ? 0 : attest_engine_fail(status, fault);
}

static int load_and_work(layer_options *o, attest_fault *fault) {
  attest_results *r = &o->results;
  layer l;
  int result = load(&l, o, fault);

  if (result == 0) {
    size_t dims[ATTEST_ARRAY_MAX_DIMS];
    memcpy(dims, l.x.dims, sizeof dims);
    dims[l.x.ndim - 1] = l.shape.out;
    result = attest_results_allocate(r, 0, 1, l.wide, l.x.ndim, dims, fault);
  }
  if (result == 0)
    result = work(&l, o, &r->arrays[0], fault);
  if (result == 0)
    result = attest_results_commit(r, l.dtype, fault);
  free_layer(&l);
  return result;
}

int attest_command_layer(int argc, char **argv) {
  attest_fault fault;
  layer_options options;
  int result = parse(argc, argv, &options, &fault);

  if (result == 0)
    result = attest_engine_check_machine(&fault);
  if (result == 0)
    result = spare_inputs(&options, &fault);
  if (result == 0)
    result = attest_results_open(&options.results, &fault);
  if (result == 0)
    result = load_and_work(&options, &fault);
  attest_results_free(&options.results);
  for (int i = 0; i < PROJECTIONS; i++)
    free(options.files[i].names);
  if (result == 1) {
    fputs(help, stdout);
    return attest_finish_stdout("layer", ATTEST_EXIT_DONE);
  }
  return result == 0 ? ATTEST_EXIT_DONE : attest_report("layer", &fault);
}
