#define _POSIX_C_SOURCE 200809L

#include "onnx_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- paths ------------------------------------------------------------------------------- */

/* folder/name, to be freed. */
static char *path_of(const char *folder, const char *name, attest_fault *fault) {
  const size_t length = strlen(folder);
  const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
  const size_t size = length + strlen(name) + 2;
  char *path = attest_allocate(size, 1, folder, fault);

  if (path != NULL)
    snprintf(path, size, "%s%s%s", folder, slash, name);
  return path;
}

static char *copy_of(const char *path, attest_fault *fault) {
  const size_t size = strlen(path) + 1;
  char *copy = attest_allocate(size, 1, path, fault);

  if (copy != NULL)
    memcpy(copy, path, size);
  return copy;
}

static int exists(const char *path) {
  struct stat status;

  return stat(path, &status) == 0;
}

static int is_folder(const char *path) {
  struct stat status;

  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

void attest_onnx_paths_free(attest_onnx_paths *paths) {
  for (size_t i = 0; i < paths->count; i++)
    free(paths->at[i]);
  free(paths->at);
  memset(paths, 0, sizeof *paths);
}

/* Takes over path, which may be NULL with *fault set. */
static int add(attest_onnx_paths *paths, char *path, attest_fault *fault) {
  char **larger;

  if (path == NULL)
    return -1;
  larger = realloc(paths->at, (paths->count + 1) * sizeof *larger);
  if (larger == NULL) {
    free(path);
    return ATTEST_FAIL(fault, "not enough memory");
  }
  paths->at = larger;
  paths->at[paths->count++] = path;
  return 0;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Shorter first, so that test_data_set_10 comes after test_data_set_9. */
static int by_number(const void *a, const void *b) {
  const size_t first = strlen(*(char *const *)a), second = strlen(*(char *const *)b);

  return first != second ? (first > second) - (first < second) : by_name(a, b);
}

/* The folders in `folder` whose name starts with `start`, or not with a dot if that is "". */
static int list(const char *folder, const char *start, attest_onnx_paths *paths,
                attest_fault *fault) {
  DIR *stream = opendir(folder);
  const struct dirent *entry;
  int result = 0;

  if (stream == NULL)
    return ATTEST_FAIL(fault, "%s: %s", folder, strerror(errno));
  while (result == 0 && (errno = 0, entry = readdir(stream)) != NULL) {
    char *path;
    if (entry->d_name[0] == '.' || strncmp(entry->d_name, start, strlen(start)) != 0)
      continue;
    path = path_of(folder, entry->d_name, fault);
    if (path != NULL && !is_folder(path))
      free(path);
    else
      result = add(paths, path, fault);
  }
  if (result == 0 && errno != 0)
    result = ATTEST_FAIL(fault, "%s: %s", folder, strerror(errno));
  closedir(stream);
  if (result == 0 && paths->count > 0)
    qsort(paths->at, paths->count, sizeof *paths->at, start[0] == '\0' ? by_name : by_number);
  return result;
}

int attest_onnx_folders(const char *path, attest_onnx_paths *folders, attest_fault *fault) {
  char *model;
  int result;

  memset(folders, 0, sizeof *folders);
  if (!is_folder(path))
    return ATTEST_FAIL(fault, "%s: %s", path, exists(path) ? "not a folder" : strerror(errno));
  model = path_of(path, "model.onnx", fault);
  if (model == NULL)
    return -1;
  if (exists(model))
    result = add(folders, copy_of(path, fault), fault);
  else
    result = list(path, "", folders, fault);
  free(model);
  if (result == 0 && folders->count == 0)
    result = ATTEST_FAIL(fault, "%s: neither model.onnx nor a folder in it", path);
  if (result != 0)
    attest_onnx_paths_free(folders);
  return result;
}

/* --- one data set ------------------------------------------------------------------------ */

/* The arrays of the node's inputs and of the outputs to be judged. */
typedef struct data_set {
  attest_array inputs[ATTEST_ONNX_INPUTS], outputs[ATTEST_ONNX_OUTPUTS];
  char *input_paths[ATTEST_ONNX_INPUTS];
  int has_output[ATTEST_ONNX_OUTPUTS];
} data_set;

static void data_set_free(data_set *d) {
  for (int i = 0; i < ATTEST_ONNX_INPUTS; i++) {
    attest_array_free(&d->inputs[i]);
    free(d->input_paths[i]);
  }
  for (int i = 0; i < ATTEST_ONNX_OUTPUTS; i++)
    attest_array_free(&d->outputs[i]);
}

/* The index of a name in a list; its length where it is not there. */
static size_t find(const attest_onnx_names *names, const char *name) {
  size_t i = 0;

  while (i < names->count && strcmp(names->at[i], name) != 0)
    i++;
  return i;
}

static char *numbered(const char *set, const char *what, size_t number, attest_fault *fault) {
  char name[64];

  snprintf(name, sizeof name, "%s_%zu.pb", what, number);
  return path_of(set, name, fault);
}

static int load_input(const attest_onnx_model *model, const char *model_path, const char *set,
                      size_t i, data_set *d, attest_fault *fault) {
  const char *name = model->node_inputs.at[i];
  const size_t input = find(&model->graph_inputs, name);
  const size_t initializer = find(&model->initializers, name);
  const int is_input = input < model->graph_inputs.count;
  const int is_initializer = initializer < model->initializers.count;
  char *path;

  if (!is_input && !is_initializer)
    return ATTEST_FAIL(fault, "%s: the node's input %s comes from nowhere", model_path, name);
  path = is_input ? numbered(set, "input", input, fault) : copy_of(model_path, fault);
  if (path == NULL)
    return -1;
  d->input_paths[i] = path;
  /* An initializer is the default of an input of the same name. */
  if (is_initializer && (!is_input || !exists(path)))
    return attest_onnx_model_initializer(model, initializer, model_path, &d->inputs[i],
                                         ATTEST_TEXT(fault));
  return attest_onnx_tensor_read(path, &d->inputs[i], ATTEST_TEXT(fault));
}

static int load_output(const attest_onnx_model *model, const char *model_path, const char *set,
                       size_t number, data_set *d, attest_fault *fault) {
  const char *name = model->graph_outputs.at[number];
  const size_t output = name[0] == '\0' ? model->node_outputs.count
                                        : find(&model->node_outputs, name);
  char *path;
  int result;

  if (output == model->node_outputs.count)
    return ATTEST_FAIL(fault, "%s: the output %s does not come from the node", model_path, name);
  if (d->has_output[output])
    return ATTEST_FAIL(fault, "%s: the output %s is given twice", model_path, name);
  path = numbered(set, "output", number, fault);
  if (path == NULL)
    return -1;
  result = attest_onnx_tensor_read(path, &d->outputs[output], ATTEST_TEXT(fault));
  free(path);
  d->has_output[output] = result == 0;
  return result;
}

static int load(const attest_onnx_model *model, const char *model_path, const char *set,
                data_set *d, attest_fault *fault) {
  int result = 0;

  for (size_t i = 0; result == 0 && i < model->node_inputs.count; i++)
    if (model->node_inputs.at[i][0] != '\0')
      result = load_input(model, model_path, set, i, d, fault);
  for (size_t i = 0; result == 0 && i < model->graph_outputs.count; i++)
    result = load_output(model, model_path, set, i, d, fault);
  return result;
}

/* What is wrong with the problem as a whole, behind the name of the data set. */
static int within(const char *set, int result, attest_fault *fault) {
  attest_fault inner;

  if (result == 0)
    return 0;
  inner = *fault;
  ATTEST_FAIL(fault, "%s: %s", set, inner.text);
  return result;
}

static int judge_set(const attest_onnx_model *model, const attest_onnx_node *node,
                     const char *model_path, const char *set, int describe,
                     attest_onnx_report *report, attest_progress *progress,
                     attest_fault *fault) {
  attest_onnx_input inputs[ATTEST_ONNX_INPUTS];
  attest_onnx_problem problem;
  data_set d;
  int result;

  memset(&d, 0, sizeof d);
  memset(&problem, 0, sizeof problem);
  result = load(model, model_path, set, &d, fault);
  for (int i = 0; i < ATTEST_ONNX_INPUTS; i++) {
    inputs[i].name = d.input_paths[i];
    inputs[i].array = d.input_paths[i] == NULL ? NULL : &d.inputs[i];
  }
  if (result == 0)
    result = attest_onnx_problem_build(&problem, node, inputs, fault);
  for (int i = 0; result == 0 && i < ATTEST_ONNX_OUTPUTS; i++) {
    attest_onnx_verdict *verdict = &report->verdicts[report->count];
    if (!d.has_output[i])
      continue;
    result = within(set, attest_onnx_judge(&problem, i, &d.outputs[i], describe, verdict,
                                           progress, fault),
                    fault);
    /* A data set is named test_data_set_N. */
    attest_error(verdict->set, sizeof verdict->set, "%s", strrchr(set, '_') + 1);
    report->pass = report->pass && verdict->pass;
    report->count++;
  }
  attest_onnx_problem_free(&problem);
  data_set_free(&d);
  return result;
}

/* --- a folder ---------------------------------------------------------------------------- */

static int judge_model(const attest_onnx_model *model, const char *model_path,
                       const attest_onnx_paths *sets, int describe, attest_onnx_report *report,
                       attest_progress *progress, attest_fault *fault) {
  attest_onnx_node node;
  int result = attest_onnx_node_read(model, model_path, &node, fault);

  if (result != 0)
    return result;
  if (model->graph_outputs.count == 0)
    return ATTEST_FAIL(fault, "%s: the graph has no outputs", model_path);
  report->verdicts = attest_allocate(sets->count * ATTEST_ONNX_OUTPUTS, sizeof *report->verdicts,
                                     model_path, fault);
  if (report->verdicts == NULL)
    return -1;
  report->pass = 1;
  report->sets = sets->count;
  for (size_t i = 0; result == 0 && i < sets->count; i++)
    result = judge_set(model, &node, model_path, sets->at[i], describe, report, progress, fault);
  return result;
}

int attest_onnx_folder_judge(const char *folder, int describe, attest_onnx_report *report,
                             attest_progress *progress, attest_fault *fault) {
  attest_onnx_paths sets = {0};
  attest_onnx_model model;
  char *model_path = path_of(folder, "model.onnx", fault);
  int result = -1;

  memset(report, 0, sizeof *report);
  memset(&model, 0, sizeof model);
  if (model_path != NULL)
    result = attest_onnx_model_read(model_path, &model, ATTEST_TEXT(fault));
  report->opset = model.opset;
  if (result == 0)
    result = list(folder, "test_data_set_", &sets, fault);
  if (result == 0 && sets.count == 0)
    result = ATTEST_FAIL(fault, "%s: no test_data_set_N in it", folder);
  if (result == 0)
    result = judge_model(&model, model_path, &sets, describe, report, progress, fault);
  attest_onnx_paths_free(&sets);
  attest_onnx_model_free(&model);
  free(model_path);
  return result;
}

void attest_onnx_report_free(attest_onnx_report *report) {
  free(report->verdicts);
  memset(report, 0, sizeof *report);
}
