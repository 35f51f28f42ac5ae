/* The C header of golden vectors for firmware tests. */
#ifndef ATTEST_VECTORS_HEADER_H
#define ATTEST_VECTORS_HEADER_H

#include "vectors_answer.h"
#include "vectors_folder.h"
#include "vectors_input.h"

enum { ATTEST_HEADER_CASES = 32 };

typedef struct attest_vectors_header {
  FILE *file;
  size_t count, bytes; /* cases so far, and their data */
  char *rows[ATTEST_HEADER_CASES]; /* of the table at the end */
} attest_vectors_header;

/* Starts attest_vectors.h. All functions return 0, or -1 with *fault set. */
int attest_header_start(attest_vectors_header *header, attest_folder *folder, uint64_t seed,
                        attest_fault *fault);

/* Adds a case; its answers in Q16.16 and f32 are there. */
int attest_header_add(attest_vectors_header *header, const attest_case *c,
                      const attest_array arrays[ATTEST_CASE_ARRAYS],
                      const attest_problem *problem, const attest_case_answers *answers,
                      attest_fault *fault);

int attest_header_finish(attest_vectors_header *header, attest_fault *fault);

/* Frees everything; harmless on zero bytes. */
void attest_header_end(attest_vectors_header *header);

#endif
