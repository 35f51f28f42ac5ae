/* Folders of ONNX's backend tests: model.onnx, and test_data_set_N with input_N.pb, output_N.pb. */
#ifndef ATTEST_ONNX_FOLDER_H
#define ATTEST_ONNX_FOLDER_H

#include "onnx_judge.h"

/* A list of paths, sorted; each is to be freed, as is the list. */
typedef struct attest_onnx_paths {
  size_t count;
  char **at;
} attest_onnx_paths;

void attest_onnx_paths_free(attest_onnx_paths *paths);

/* The test folders a path stands for: itself if it holds model.onnx, else the folders in it but
   those whose name starts with a dot. Returns 0, or -1 with *fault set. */
int attest_onnx_folders(const char *path, attest_onnx_paths *folders, attest_fault *fault);

typedef struct attest_onnx_report {
  int64_t opset;     /* 0 where the model could not be read */
  int pass;
  size_t sets, count;
  attest_onnx_verdict *verdicts; /* of every output of every data set, `count` */
} attest_onnx_report;

/* Judges every data set of a folder. Returns 0, or ATTEST_ONNX_BAD or ATTEST_ONNX_UNSUPPORTED with
   *fault set; *report is to be freed in any case. describe: as for attest_onnx_judge. */
int attest_onnx_folder_judge(const char *folder, int describe, attest_onnx_report *report,
                             attest_progress *progress, attest_fault *fault);

void attest_onnx_report_free(attest_onnx_report *report);

#endif
