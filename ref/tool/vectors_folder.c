#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64

#include "vectors_folder.h"

#include "digest.h"
#include "npy.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char manifest[] = "MANIFEST.sha256";

/* --- signals ----------------------------------------------------------------------------- */

static volatile sig_atomic_t caught;

static const int ending_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof ending_signals[0] };
static struct sigaction before[ENDING_SIGNALS + 1];
static int held;

static void on_signal(int number) { caught = number; }

int attest_folder_signal(void) { return (int)caught; }

static void hold_signals(void) {
  struct sigaction action;

  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  caught = 0;
  for (int i = 0; i < ENDING_SIGNALS; i++) {
    sigaction(ending_signals[i], NULL, &before[i]);
    action.sa_handler = before[i].sa_handler == SIG_IGN ? SIG_IGN : on_signal;
    sigaction(ending_signals[i], &action, NULL);
  }
  /* A file beyond the limit is an error of write like a full disk. */
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, &before[ENDING_SIGNALS]);
  held = 1;
}

static void release_signals(void) {
  if (!held)
    return;
  for (int i = 0; i < ENDING_SIGNALS; i++)
    sigaction(ending_signals[i], &before[i], NULL);
  sigaction(SIGXFSZ, &before[ENDING_SIGNALS], NULL);
  held = 0;
}

/* --- the folder -------------------------------------------------------------------------- */

/* a + b + c in new memory. */
static char *join(const char *a, const char *b, const char *c, attest_fault *fault) {
  const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
  char *text = attest_allocate(size, 1, "a file's name", fault);

  if (text != NULL)
    snprintf(text, size, "%s%s%s", a, b, c);
  return text;
}

static int is_empty(const char *path, attest_fault *fault) {
  DIR *directory = opendir(path);
  const struct dirent *entry;
  int empty = 1;

  if (directory == NULL) {
    ATTEST_FAIL(fault, "%s: %s", path, strerror(errno));
    return 0;
  }
  while (empty && (entry = readdir(directory)) != NULL)
    empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
  closedir(directory);
  if (!empty)
    ATTEST_FAIL(fault, "%s: is not empty", path);
  return empty;
}

/* Whether the temporary can be renamed to path in the end. parent: the directory it lies in. */
static int check_place(const char *path, const char *parent, attest_fault *fault) {
  struct stat status, above;

  if (lstat(path, &status) != 0)
    return errno == ENOENT ? 0 : ATTEST_FAIL(fault, "%s: %s", path, strerror(errno));
  if (!S_ISDIR(status.st_mode))
    return ATTEST_FAIL(fault, "%s: exists and is not a directory", path);
  if (!is_empty(path, fault))
    return -1;
  if (stat(parent, &above) == 0 && above.st_dev != status.st_dev)
    return ATTEST_FAIL(fault, "%s: a file system is mounted there; name a new folder in it", path);
  return 0;
}

int attest_folder_open(attest_folder *folder, const char *path, attest_fault *fault) {
  const char *base;
  mode_t mask;
  size_t length = strlen(path);

  memset(folder, 0, sizeof *folder);
  while (length > 1 && path[length - 1] == '/')
    length--;
  folder->path = join(path, "", "", fault);
  if (folder->path == NULL)
    return -1;
  folder->path[length] = '\0';
  base = strrchr(folder->path, '/');
  base = base == NULL ? folder->path : base + 1;
  if (base[0] == '\0' || strcmp(base, ".") == 0 || strcmp(base, "..") == 0 ||
      strcmp(path, "-") == 0)
    return ATTEST_FAIL(fault, "'%s': names no new folder", path);
  folder->work = join(folder->path, "", ".attest-XXXXXX", fault);
  if (folder->work == NULL)
    return -1;
  strcpy(folder->work + (base - folder->path), ".");
  if (check_place(folder->path, folder->work, fault) != 0)
    goto failed;
  strcpy(folder->work + (base - folder->path), ".attest-XXXXXX");
  hold_signals();
  if (mkdtemp(folder->work) == NULL) {
    ATTEST_FAIL(fault, "%s: no output there: %s", folder->path, strerror(errno));
    goto failed;
  }
  mask = umask(0);
  umask(mask);
  if (chmod(folder->work, 0777 & ~mask) != 0)
    return ATTEST_FAIL(fault, "%s: %s", folder->path, strerror(errno));
  return 0;

failed:
  free(folder->work);
  folder->work = NULL;
  return -1;
}

char *attest_folder_name(const attest_folder *folder, const char *name, attest_fault *fault) {
  return join(folder->work, "/", name, fault);
}

static int fail_at(const attest_folder *folder, const char *name, int failure,
                   attest_fault *fault) {
  return ATTEST_FAIL(fault, "%s/%s: %s", folder->path, name, strerror(failure));
}

int attest_folder_make(attest_folder *folder, const char *name, attest_fault *fault) {
  char *path = attest_folder_name(folder, name, fault);
  int result;

  if (path == NULL)
    return -1;
  result = mkdir(path, 0777) == 0 ? 0 : fail_at(folder, name, errno, fault);
  free(path);
  return result;
}

static int remember(attest_folder *folder, const char *name, attest_fault *fault) {
  if (folder->count == folder->room) {
    const size_t room = folder->room == 0 ? 256 : 2 * folder->room;
    char **files = realloc(folder->files, room * sizeof *files);
    if (files == NULL)
      return ATTEST_FAIL(fault, "%s: not enough memory for its name", name);
    folder->files = files;
    folder->room = room;
  }
  folder->files[folder->count] = join(name, "", "", fault);
  if (folder->files[folder->count] == NULL)
    return -1;
  folder->count++;
  return 0;
}

FILE *attest_folder_create(attest_folder *folder, const char *name, attest_fault *fault) {
  char *path = attest_folder_name(folder, name, fault);
  FILE *file;

  if (path == NULL || remember(folder, name, fault) != 0) {
    free(path);
    return NULL;
  }
  file = fopen(path, "wb");
  if (file == NULL)
    fail_at(folder, name, errno, fault);
  free(path);
  return file;
}

int attest_folder_close(const char *name, FILE *file, attest_fault *fault) {
  int failure = 0;

  errno = 0;
  if (fflush(file) != 0 || ferror(file))
    failure = errno != 0 ? errno : EIO;
  if (fclose(file) != 0 && failure == 0)
    failure = errno;
  return failure == 0 ? 0 : ATTEST_FAIL(fault, "%s: %s", name, strerror(failure));
}

int attest_folder_write_array(attest_folder *folder, const char *name, const attest_array *array,
                              attest_fault *fault) {
  const attest_npy_layout usual = {0, 0};
  FILE *file = attest_folder_create(folder, name, fault);

  if (file == NULL)
    return -1;
  if (attest_npy_write(file, array, usual, name, ATTEST_TEXT(fault)) != 0) {
    fclose(file);
    return -1;
  }
  return attest_folder_close(name, file, fault);
}

int attest_folder_write_json(attest_folder *folder, const char *name, const json_t *json,
                             attest_fault *fault) {
  FILE *file;
  char *text;

  /* Through memory, since what jansson says about a failed write is not why it failed. */
  text = json != NULL ? json_dumps(json, JSON_INDENT(1)) : NULL;
  if (text == NULL)
    return ATTEST_FAIL(fault, "%s: not enough memory for its text", name);
  file = attest_folder_create(folder, name, fault);
  if (file == NULL) {
    free(text);
    return -1;
  }
  fprintf(file, "%s\n", text);
  free(text);
  return attest_folder_close(name, file, fault);
}

static int compare(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

int attest_folder_write_manifest(attest_folder *folder, attest_fault *fault) {
  const size_t count = folder->count;
  FILE *file = NULL;
  int result = 0;

  if (count > 0)
    qsort(folder->files, count, sizeof *folder->files, compare);
  file = attest_folder_create(folder, manifest, fault);
  if (file == NULL)
    return -1;
  for (size_t i = 0; i < count && result == 0; i++) {
    char sum[ATTEST_DIGEST_TEXT];
    char *path = attest_folder_name(folder, folder->files[i], fault);
    result = path != NULL ? attest_digest_file(path, sum, ATTEST_TEXT(fault)) : -1;
    if (result == 0)
      fprintf(file, "%s  %s\n", sum, folder->files[i]);
    free(path);
  }
  if (result != 0) {
    fclose(file);
    return -1;
  }
  return attest_folder_close(manifest, file, fault);
}

int attest_folder_commit(attest_folder *folder, attest_fault *fault) {
  if (caught != 0)
    return ATTEST_FAIL(fault, "%s: interrupted", folder->path);
  if (rename(folder->work, folder->path) != 0)
    return ATTEST_FAIL(fault, "%s: %s", folder->path, strerror(errno));
  free(folder->work);
  folder->work = NULL;
  return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk) {
  (void)status;
  (void)type;
  (void)walk;
  /* Goes on after an error, to remove as much as can be. */
  (void)remove(path);
  return 0;
}

void attest_folder_end(attest_folder *folder) {
  const int number = attest_folder_signal();
  const int raised = held && number != 0;

  if (folder->work != NULL)
    nftw(folder->work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  for (size_t i = 0; i < folder->count; i++)
    free(folder->files[i]);
  free(folder->files);
  free(folder->work);
  free(folder->path);
  memset(folder, 0, sizeof *folder);
  release_signals();
  if (raised)
    raise(number);
}
