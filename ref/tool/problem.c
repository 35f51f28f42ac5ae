#include "problem.h"

#include "io.h"

#include <stdlib.h>
#include <string.h>

attest_dtype attest_default_dtype(attest_dtype input) {
  switch (input) {
  case ATTEST_DT_F32:
  case ATTEST_DT_F16:
  case ATTEST_DT_BF16:
    return input;
  default:
    return ATTEST_DT_F64;
  }
}

/* "FILE (2, 3)" for messages about two files. */
enum { LABEL = 4200 };
static const char *label(const attest_tensor *t, char text[LABEL]) {
  char shape[ATTEST_SHAPE_TEXT];

  attest_error(text, LABEL, "%s %s", t->name, attest_shape_text(t->ndim, t->dims, shape));
  return text;
}

static int differ(const attest_tensor *a, const attest_tensor *b, const char *what, size_t in_a,
                  size_t in_b, attest_fault *fault) {
  char shape_a[ATTEST_SHAPE_TEXT], shape_b[ATTEST_SHAPE_TEXT];

  return ATTEST_FAIL(fault, "%s: %s has %zu %s, but %s %s has %zu", a->name,
                     attest_shape_text(a->ndim, a->dims, shape_a), in_a, what, b->name,
                     attest_shape_text(b->ndim, b->dims, shape_b), in_b);
}

static int load_q(attest_problem *p, const attest_options *o, attest_fault *fault) {
  attest_array raw;

  if (attest_tensor_read(o->q, o->bf16, 2, 4, &raw, fault) != 0)
    return -1;
  p->dtype = o->dtype_given ? o->dtype : attest_default_dtype(raw.dtype);
  if (o->q16) {
    if (o->dtype_given && o->dtype != ATTEST_DT_I32) {
      attest_array_free(&raw);
      return ATTEST_FAIL(fault, "--dtype: --engine q16 writes q16");
    }
    p->dtype = ATTEST_DT_I32;
  } else if (p->dtype == ATTEST_DT_I32 && !o->oracle) {
    attest_array_free(&raw);
    return ATTEST_FAIL(fault, "--dtype: q16 needs --engine oracle or q16");
  }
  p->wide = o->q16 ? ATTEST_WIDE_Q16
                   : o->oracle || p->dtype == ATTEST_DT_F64 ? ATTEST_WIDE : ATTEST_NARROW;
  p->stored = raw.dtype;
  if (attest_tensor_convert(&p->q, o->q, &raw, p->wide, fault) != 0)
    return -1;
  return attest_tensor_heads(&p->q, o->heads, "--heads", fault);
}

/* Loads k or v, and the past in front of it. *past_len: rows of the past. */
static int load_keys(attest_problem *p, const attest_options *o, const char *file,
                     const char *past_file, attest_tensor *now, size_t *past_len,
                     attest_fault *fault) {
  const size_t kv_heads = p->q.ndim == 3 && o->kv_heads == 0 ? p->q.heads : o->kv_heads;
  const char *option = o->kv_heads != 0 ? "--kv-heads" : "--heads";
  attest_tensor past;
  char text[LABEL];

  *past_len = 0;
  if (attest_tensor_load(now, file, o->bf16, p->wide, 2, 4, fault) != 0)
    return -1;
  if (now->ndim != p->q.ndim)
    return differ(now, &p->q, "dimensions", (size_t)now->ndim, (size_t)p->q.ndim, fault);
  if (attest_tensor_heads(now, kv_heads, option, fault) != 0)
    return -1;
  if (now->batch != p->q.batch)
    return differ(now, &p->q, "entries in the batch", now->batch, p->q.batch, fault);
  if (past_file == NULL)
    return 0;
  if (attest_tensor_load(&past, past_file, o->bf16, p->wide, 2, 4, fault) != 0)
    return -1;
  if (past.ndim != now->ndim && past.ndim != 4) {
    ATTEST_FAIL(fault, "%s: is %d-D, 4-D or the %d-D of %s is needed", past.name, past.ndim,
                now->ndim, label(now, text));
    attest_tensor_free(&past);
    return -1;
  }
  if (attest_tensor_heads(&past, past.ndim == 3 ? now->heads : 0, option, fault) != 0) {
    attest_tensor_free(&past);
    return -1;
  }
  *past_len = past.len;
  if (attest_tensor_append(&past, now, p->wide, fault) != 0) {
    attest_tensor_free(&past);
    return -1;
  }
  return 0;
}

static int check_pairs(const attest_problem *p, const attest_options *o, size_t past_k,
                       size_t past_v, attest_fault *fault) {
  char text[LABEL];

  if (p->q.width != p->k.width)
    return differ(&p->k, &p->q, "columns in a head", p->k.width, p->q.width, fault);
  if (p->k.heads != p->v.heads)
    return differ(&p->v, &p->k, "heads", p->v.heads, p->k.heads, fault);
  if (past_k != past_v)
    return ATTEST_FAIL(fault, "%s: %zu past rows, but %s has %zu", o->past_v, past_v, o->past_k,
                       past_k);
  if (p->k.len != p->v.len)
    return differ(&p->v, &p->k, "rows", p->v.len - past_v, p->k.len - past_k, fault);
  if (p->q.heads % p->k.heads != 0)
    return ATTEST_FAIL(fault, "%s: %zu heads are not a multiple of the %zu of %s", p->q.name,
                       p->q.heads, p->k.heads, label(&p->k, text));
  return 0;
}

static int load_key_lengths(attest_problem *p, const char *file, size_t past,
                            attest_fault *fault) {
  const size_t k_rows = p->k.len - past;
  char shape[ATTEST_SHAPE_TEXT], text[LABEL];
  int64_t *lengths = NULL;
  attest_array raw;
  int result = -1;

  if (attest_io_read(file, &raw, ATTEST_TEXT(fault)) != 0)
    return -1;
  attest_shape_text(raw.ndim, raw.dims, shape);
  if (raw.dtype != ATTEST_DT_I32 && raw.dtype != ATTEST_DT_I64 && raw.dtype != ATTEST_DT_U8 &&
      raw.dtype != ATTEST_DT_U16) {
    ATTEST_FAIL(fault, "%s: has %s elements, key lengths are integers", file,
                attest_dtype_name(raw.dtype));
    goto done;
  }
  if (raw.ndim > 1 || raw.count != p->q.batch) {
    ATTEST_FAIL(fault, "%s: %s does not hold one length for each of the %zu entries of %s", file,
                shape, p->q.batch, label(&p->q, text));
    goto done;
  }
  lengths = attest_allocate(raw.count, sizeof *lengths, file, fault);
  p->key_lengths = attest_allocate(raw.count, sizeof *p->key_lengths, file, fault);
  if (lengths == NULL || p->key_lengths == NULL ||
      attest_array_to_i64(&raw, lengths, file, ATTEST_TEXT(fault)) != 0)
    goto done;
  for (size_t b = 0; b < raw.count; b++) {
    if (lengths[b] < 0 || (uint64_t)lengths[b] > p->k.len) {
      ATTEST_FAIL(fault, "%s: element [%zu] = %lld is not from 0 to the %zu keys of %s%s", file, b,
                  (long long)lengths[b], p->k.len, label(&p->k, text),
                  p->k.len != k_rows ? " and its past" : "");
      goto done;
    }
    p->key_lengths[b] = (size_t)lengths[b];
  }
  result = 0;

done:
  free(lengths);
  attest_array_free(&raw);
  return result;
}

/* Strides of an array that broadcasts like NumPy against (B, H, Sq, Skv). */
static int broadcast(const attest_problem *p, const char *file, int ndim, const size_t *dims,
                     attest_mask_strides *strides, attest_fault *fault) {
  const size_t full[4] = {p->q.batch, p->q.heads, p->q.len, p->k.len};
  size_t *const places[4] = {&strides->batch, &strides->head, &strides->row, &strides->key};
  char shape[ATTEST_SHAPE_TEXT], against[ATTEST_SHAPE_TEXT];
  size_t step = 1;

  memset(strides, 0, sizeof *strides);
  for (int i = ndim - 1; i >= 0; i--) {
    const int axis = 4 - ndim + i;
    if (dims[i] != 1 && dims[i] != full[axis])
      return ATTEST_FAIL(fault,
                         "%s: %s does not broadcast to batch, heads, queries, keys = %s", file,
                         attest_shape_text(ndim, dims, shape),
                         attest_shape_text(4, full, against));
    if (dims[i] != 1)
      *places[axis] = step;
    step *= dims[i];
  }
  return 0;
}

static int load_mask(attest_problem *p, const attest_options *o, attest_fault *fault) {
  const char *file = o->mask;
  attest_array raw;
  int result = -1;

  if (attest_tensor_read(file, o->bf16, 1, 4, &raw, fault) != 0)
    return -1;
  switch (raw.dtype) {
  case ATTEST_DT_F64:
  case ATTEST_DT_F32:
  case ATTEST_DT_F16:
  case ATTEST_DT_BF16:
    if (broadcast(p, file, raw.ndim, raw.dims, &p->shape.bias, fault) == 0)
      return attest_tensor_convert(&p->bias, file, &raw, p->wide, fault);
    break;
  default:
    if (broadcast(p, file, raw.ndim, raw.dims, &p->shape.mask, fault) != 0)
      break;
    p->mask = attest_allocate(raw.count, 1, file, fault);
    if (p->mask != NULL)
      result = attest_array_to_bool(&raw, p->mask, file, ATTEST_TEXT(fault));
  }
  attest_array_free(&raw);
  return result;
}

/* Causal rule, window and their offset. Without an alignment of its own, --causal and --window
   count from the end of the keys where lengths are given, after the past where there is one, and
   from the first key otherwise. */
static void set_reach(attest_shape *s, const attest_options *o, size_t past) {
  s->causal = o->causal != ATTEST_CAUSAL_NONE;
  s->window = o->window;
  s->left = o->left;
  s->right = o->right;
  switch (o->causal) {
  case ATTEST_CAUSAL_TOP_LEFT:
    break;
  case ATTEST_CAUSAL_BOTTOM_RIGHT:
    s->align_end = 1;
    break;
  case ATTEST_CAUSAL_OFFSET:
    s->offset = o->offset;
    break;
  default:
    if (o->kv_len != NULL)
      s->align_end = 1;
    else
      s->offset = (int64_t)past;
  }
}

static int set_shape(attest_problem *p, const attest_options *o, size_t past,
                     attest_fault *fault) {
  attest_shape *s = &p->shape;
  size_t out_dims[4] = {p->q.batch, p->q.heads, p->q.len, p->v.width};
  size_t count;

  s->batch = p->q.batch;
  s->q_heads = p->q.heads;
  s->kv_heads = p->k.heads;
  s->q_len = p->q.len;
  s->kv_len = p->k.len;
  s->width = p->q.width;
  s->value_width = p->v.width;
  s->q = p->q.strides;
  s->k = p->k.strides;
  s->v = p->v.strides;
  s->scale_given = o->scale_given;
  s->scale = o->scale;
  s->softcap = o->softcap;
  s->key_lengths = p->key_lengths;
  set_reach(s, o, past);

  if (attest_array_count(4, out_dims, &count) != 0)
    return ATTEST_FAIL(fault, "%s: the output would be too large", p->q.name);
  p->out_ndim = p->q.ndim;
  if (p->q.ndim == 3) {
    s->out.head = p->v.width;
    s->out.row = p->q.heads * p->v.width;
    s->out.batch = s->out.row * p->q.len;
    memcpy(p->out_dims, (const size_t[4]){p->q.batch, p->q.len, s->out.row}, sizeof p->out_dims);
  } else {
    s->out.row = p->v.width;
    s->out.head = s->out.row * p->q.len;
    s->out.batch = s->out.head * p->q.heads;
    memcpy(p->out_dims, out_dims + 4 - p->q.ndim, (size_t)p->q.ndim * sizeof out_dims[0]);
  }
  p->weights_ndim = p->q.ndim == 2 ? 2 : 4;
  p->lse_ndim = p->weights_ndim - 1;
  out_dims[3] = p->k.len;
  memcpy(p->weights_dims, out_dims + 4 - p->weights_ndim,
         (size_t)p->weights_ndim * sizeof out_dims[0]);
  memcpy(p->lse_dims, p->weights_dims, (size_t)p->lse_ndim * sizeof out_dims[0]);
  return 0;
}

int attest_problem_load(attest_problem *p, const attest_options *o, attest_fault *fault) {
  size_t past_k = 0, past_v = 0;

  memset(p, 0, sizeof *p);
  if ((o->past_k == NULL) != (o->past_v == NULL))
    return ATTEST_FAIL(fault, "%s: needs %s as well", o->past_k != NULL ? "--past-k" : "--past-v",
                       o->past_k != NULL ? "--past-v" : "--past-k");
  if (load_q(p, o, fault) == 0 &&
      load_keys(p, o, o->k, o->past_k, &p->k, &past_k, fault) == 0 &&
      load_keys(p, o, o->v, o->past_v, &p->v, &past_v, fault) == 0 &&
      check_pairs(p, o, past_k, past_v, fault) == 0 &&
      (o->kv_len == NULL || load_key_lengths(p, o->kv_len, past_k, fault) == 0) &&
      (o->mask == NULL || load_mask(p, o, fault) == 0) && set_shape(p, o, past_k, fault) == 0)
    return 0;
  attest_problem_free(p);
  return -1;
}

void attest_problem_free(attest_problem *p) {
  attest_tensor_free(&p->q);
  attest_tensor_free(&p->k);
  attest_tensor_free(&p->v);
  attest_tensor_free(&p->bias);
  free(p->mask);
  free(p->key_lengths);
  p->mask = NULL;
  p->key_lengths = NULL;
}
