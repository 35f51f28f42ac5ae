/* A folder of many files that appears whole or not at all: made under a temporary name beside its
   place, and renamed at the end. One at a time. */
#ifndef ATTEST_VECTORS_FOLDER_H
#define ATTEST_VECTORS_FOLDER_H

#include "cli.h"

#include <jansson.h>
#include <stdio.h>

typedef struct attest_folder {
  char *path, *work; /* the final and the temporary name */
  char **files;      /* every file written, relative to the folder */
  size_t count, room;
} attest_folder;

/* Starts the folder that will be called path, which must not exist or be an empty directory. From
   here on the signals that end a program only set a flag. Returns 0, or -1 with *fault set. */
int attest_folder_open(attest_folder *folder, const char *path, attest_fault *fault);

/* The signal that came since then, 0 if none did: the work is to be left then. */
int attest_folder_signal(void);

/* "WORK/name" in memory to be freed; NULL with *fault set. */
char *attest_folder_name(const attest_folder *folder, const char *name, attest_fault *fault);

int attest_folder_make(attest_folder *folder, const char *name, attest_fault *fault);
int attest_folder_write_array(attest_folder *folder, const char *name, const attest_array *array,
                              attest_fault *fault);
int attest_folder_write_json(attest_folder *folder, const char *name, const json_t *json,
                             attest_fault *fault);

/* A file to be written by the caller, then closed by the function below, which also tells the
   errors of all writes; NULL with *fault set. */
FILE *attest_folder_create(attest_folder *folder, const char *name, attest_fault *fault);
int attest_folder_close(const char *name, FILE *file, attest_fault *fault);

/* Writes MANIFEST.sha256: "SUM  NAME", a line for every other file, sorted, as sha256sum -c reads
   it. */
int attest_folder_write_manifest(attest_folder *folder, attest_fault *fault);

/* Gives the folder its name. */
int attest_folder_commit(attest_folder *folder, attest_fault *fault);

/* Frees everything, removes what is not final, and gives the signals their old meaning; one that
   came meanwhile is raised again. Harmless on a folder of zero bytes. */
void attest_folder_end(attest_folder *folder);

#endif
