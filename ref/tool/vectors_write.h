/* A case as files in its folder. */
#ifndef ATTEST_VECTORS_WRITE_H
#define ATTEST_VECTORS_WRITE_H

#include "vectors_answer.h"
#include "vectors_folder.h"
#include "vectors_input.h"

/* Reads the options of a case and sets the files q.npy and so on in the folder `directory`; the
   names are kept in memory[] and freed by the caller. */
int attest_case_options(const attest_case *c, const attest_folder *folder,
                        const attest_array arrays[ATTEST_CASE_ARRAYS], attest_options *options,
                        char *memory[ATTEST_CASE_ARRAYS], attest_fault *fault);

int attest_case_write_inputs(const attest_case *c, attest_folder *folder,
                             const attest_array arrays[ATTEST_CASE_ARRAYS], attest_fault *fault);

/* out_f64.npy and so on, the lower and upper ends, problem.json. */
int attest_case_write_answers(const attest_case *c, attest_folder *folder,
                              const attest_array arrays[ATTEST_CASE_ARRAYS],
                              const attest_problem *problem, const attest_case_answers *answers,
                              attest_fault *fault);

/* The name of a format in file names: f64, f32, f16, bf16, q16. */
const char *attest_case_format_name(size_t format);

/* Q16.16 as its integer; infinities saturate. 0, or -1 where a value is NaN. */
int attest_case_q16(const double *values, size_t count, int32_t *raw);

#endif
