#include "results.h"

#include <string.h>

int attest_results_take(attest_results *r, int id, const char *text, attest_fault *fault) {
  if (id == ATTEST_OPT_BYTE_ORDER) {
    if (strcmp(text, "little") != 0 && strcmp(text, "big") != 0)
      return ATTEST_FAIL(fault, "--byte-order: '%s' is not little or big", text);
    return attest_once(&r->byte_order, "--byte-order", text, fault);
  }
  if (strcmp(text, "C") != 0 && strcmp(text, "F") != 0)
    return ATTEST_FAIL(fault, "--order: '%s' is not C or F", text);
  return attest_once(&r->order, "--order", text, fault);
}

static attest_npy_layout layout_of(const attest_results *r) {
  const attest_npy_layout layout = {r->byte_order != NULL && strcmp(r->byte_order, "big") == 0,
                                    r->order != NULL && strcmp(r->order, "F") == 0};
  return layout;
}

int attest_results_open(attest_results *r, attest_fault *fault) {
  for (size_t i = 0; i < ATTEST_RESULTS; i++)
    if (r->paths[i] != NULL &&
        attest_output_open(r->paths[i], &r->outputs[i], ATTEST_TEXT(fault)) != 0)
      return -1;
  return 0;
}

int attest_results_allocate(attest_results *r, size_t i, int always, int wide, int ndim,
                            const size_t *dims, attest_fault *fault) {
  const attest_dtype dtype = wide ? ATTEST_DT_F64 : ATTEST_DT_F32;
  const char *name = r->paths[i] != NULL ? r->paths[i] : "output";
  size_t count;

  if (r->paths[i] == NULL && !always)
    return 0;
  if (attest_array_count(ndim, dims, &count) == 0 &&
      attest_memory_allows(count, attest_dtype_size(dtype), name, fault) != 0)
    return -1;
  return attest_array_create(&r->arrays[i], dtype, ndim, dims, name, ATTEST_TEXT(fault));
}

/* Q16.16 in int32, from the numbers it stands for. */
static int write_q16(attest_array *work, const char *path, attest_array *narrow,
                     attest_fault *fault) {
  double *values = work->data;
  for (size_t i = 0; i < work->count; i++) {
    if (values[i] != values[i])
      return ATTEST_FAIL(fault, "%s: element %zu is NaN, which q16 does not have", path, i);
    values[i] *= 65536;
  }
  return attest_array_from_f64(narrow, ATTEST_DT_I32, work->ndim, work->dims, values, path,
                               ATTEST_TEXT(fault));
}

static int write_one(attest_results *r, size_t i, attest_dtype dtype, attest_fault *fault) {
  attest_array *work = &r->arrays[i];
  attest_array narrow;

  if (work->dtype != dtype) {
    if (dtype == ATTEST_DT_I32) {
      if (write_q16(work, r->paths[i], &narrow, fault) != 0)
        return -1;
    } else if (work->dtype == ATTEST_DT_F64) {
      if (attest_array_from_f64(&narrow, dtype, work->ndim, work->dims, work->data, r->paths[i],
                                ATTEST_TEXT(fault)) != 0)
        return -1;
    } else if (attest_array_from_f32(&narrow, dtype, work->ndim, work->dims, work->data,
                                     r->paths[i], ATTEST_TEXT(fault)) != 0) {
      return -1;
    }
    attest_array_free(work);
    *work = narrow;
  }
  return attest_npy_write(attest_output_stream(r->outputs[i]), work, layout_of(r), r->paths[i],
                          ATTEST_TEXT(fault));
}

int attest_results_commit(attest_results *r, attest_dtype dtype, attest_fault *fault) {
  for (size_t i = 0; i < ATTEST_RESULTS; i++)
    if (r->outputs[i] != NULL && write_one(r, i, dtype, fault) != 0)
      return -1;
  return attest_output_commit(r->outputs, ATTEST_RESULTS, ATTEST_TEXT(fault));
}

void attest_results_free(attest_results *r) {
  for (size_t i = 0; i < ATTEST_RESULTS; i++) {
    attest_output_abort(r->outputs[i]);
    r->outputs[i] = NULL;
    attest_array_free(&r->arrays[i]);
  }
}
