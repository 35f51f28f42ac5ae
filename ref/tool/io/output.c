#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64

#include "output.h"

#include "error.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct attest_output {
  attest_output *next;
  FILE *stream;
  char *path;
  char *temporary;
  /* Together these two name the final place, however the path is spelt. */
  dev_t directory_device;
  ino_t directory_inode;
  const char *base;
};

/* Changed only while the signals below are blocked, so that the handler sees it whole. */
static attest_output *volatile open_outputs;

static const int ending_signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                                     SIGPIPE, SIGXCPU, SIGXFSZ};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof ending_signals[0] };

static void fill_ending(sigset_t *set) {
  sigemptyset(set);
  for (size_t i = 0; i < ENDING_SIGNALS; i++)
    sigaddset(set, ending_signals[i]);
}

static void hold_signals(sigset_t *before) {
  sigset_t ending;

  fill_ending(&ending);
  sigprocmask(SIG_BLOCK, &ending, before);
}

static void release_signals(const sigset_t *before) { sigprocmask(SIG_SETMASK, before, NULL); }

static void remove_temporaries(void) {
  for (const attest_output *o = open_outputs; o != NULL; o = o->next)
    unlink(o->temporary);
}

static void on_signal(int number) {
  remove_temporaries();
  /* SA_RESETHAND has put the default action back; it takes place on return from here. */
  raise(number);
}

int attest_output_cleanup_install(void) {
  struct sigaction action, before;
  int result = atexit(remove_temporaries) == 0 ? 0 : -1;

  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = (int)SA_RESETHAND;
  fill_ending(&action.sa_mask);
  for (size_t i = 0; i < ENDING_SIGNALS; i++) {
    if (sigaction(ending_signals[i], NULL, &before) != 0)
      result = -1;
    else if (before.sa_handler != SIG_IGN && sigaction(ending_signals[i], &action, NULL) != 0)
      result = -1;
  }
  return result;
}

static void unregister(const attest_output *output) {
  if (open_outputs == output) {
    open_outputs = output->next;
    return;
  }
  for (attest_output *o = open_outputs; o != NULL; o = o->next)
    if (o->next == output)
      o->next = output->next;
}

static void free_output(attest_output *output) {
  free(output->path);
  free(output->temporary);
  free(output);
}

void attest_output_abort(attest_output *output) {
  sigset_t before;

  if (output == NULL)
    return;
  if (output->stream != NULL)
    fclose(output->stream);
  hold_signals(&before);
  unlink(output->temporary);
  unregister(output);
  release_signals(&before);
  free_output(output);
}

/* Copies path, makes the temporary's template beside it and looks the directory up. */
static attest_output *new_output(const char *path, char *error, size_t error_size) {
  static const char template[] = ".attest-XXXXXX";
  const char *slash = strrchr(path, '/');
  const size_t directory = slash == NULL ? 0 : (size_t)(slash - path) + 1;
  attest_output *output = calloc(1, sizeof *output);
  struct stat status;

  if (output != NULL) {
    output->path = malloc(strlen(path) + 1);
    output->temporary = malloc(directory + sizeof template);
  }
  if (output == NULL || output->path == NULL || output->temporary == NULL) {
    attest_error(error, error_size, "%s: not enough memory for its name", path);
    goto failed;
  }
  strcpy(output->path, path);
  output->base = output->path + directory;
  memcpy(output->temporary, path, directory);
  output->temporary[directory] = '\0';
  if (stat(directory == 0 ? "." : output->temporary, &status) != 0) {
    attest_error(error, error_size, "%s: no output there: %s", path, strerror(errno));
    goto failed;
  }
  output->directory_device = status.st_dev;
  output->directory_inode = status.st_ino;
  memcpy(output->temporary + directory, template, sizeof template);
  return output;

failed:
  if (output != NULL)
    free_output(output);
  return NULL;
}

/* Whether path may be replaced or made; *mode gets the permission bits it has or should have. */
static int check_target(const char *path, mode_t *mode, char *error, size_t error_size) {
  struct stat status;

  if (lstat(path, &status) == 0) {
    if (S_ISDIR(status.st_mode))
      return attest_error(error, error_size, "%s: is a directory", path);
    if (!S_ISREG(status.st_mode))
      return attest_error(error, error_size, "%s: exists and is not a regular file", path);
    *mode = status.st_mode & 0777;
    return 0;
  }
  if (errno != ENOENT)
    return attest_error(error, error_size, "%s: no output there: %s", path, strerror(errno));
  *mode = umask(0);
  umask(*mode);
  *mode = 0666 & ~*mode;
  return 0;
}

int attest_output_open(const char *path, attest_output **output, char *error, size_t error_size) {
  attest_output *made;
  sigset_t before;
  mode_t mode;
  int descriptor, failure;

  *output = NULL;
  if (strcmp(path, "-") == 0)
    return attest_error(error, error_size, "-: standard output is not supported, name a file");
  if (path[0] == '\0' || path[strlen(path) - 1] == '/')
    return attest_error(error, error_size, "'%s': names no file", path);
  if (check_target(path, &mode, error, error_size) != 0)
    return -1;
  made = new_output(path, error, error_size);
  if (made == NULL)
    return -1;
  for (const attest_output *o = open_outputs; o != NULL; o = o->next)
    if (o->directory_device == made->directory_device &&
        o->directory_inode == made->directory_inode && strcmp(o->base, made->base) == 0) {
      free_output(made);
      return attest_error(error, error_size, "%s: is given for two outputs", path);
    }

  hold_signals(&before);
  descriptor = mkstemp(made->temporary);
  failure = errno;
  if (descriptor >= 0) {
    made->next = open_outputs;
    open_outputs = made;
  }
  release_signals(&before);
  if (descriptor < 0) {
    free_output(made);
    return attest_error(error, error_size, "%s: no output there: %s", path, strerror(failure));
  }
  /* Allowed to fail: file systems without permission bits refuse it, and then need none. */
  (void)fchmod(descriptor, mode);
  made->stream = fdopen(descriptor, "wb");
  if (made->stream == NULL) {
    attest_error(error, error_size, "%s: %s", path, strerror(errno));
    close(descriptor);
    attest_output_abort(made);
    return -1;
  }
  *output = made;
  return 0;
}

FILE *attest_output_stream(attest_output *output) { return output->stream; }

const char *attest_output_path(const attest_output *output) { return output->path; }

/* Brings the data to the disk and closes the stream. */
static int finish(attest_output *output, char *error, size_t error_size) {
  int failure = 0;

  errno = 0;
  if (ferror(output->stream) || fflush(output->stream) != 0)
    failure = errno != 0 ? errno : EIO;
  /* Some file systems do not know fsync; what they hold is as safe as they make it. */
  else if (fsync(fileno(output->stream)) != 0 && errno != EINVAL && errno != ENOTSUP)
    failure = errno;
  if (fclose(output->stream) != 0 && failure == 0)
    failure = errno;
  output->stream = NULL;
  if (failure != 0)
    return attest_error(error, error_size, "%s: %s", output->path, strerror(failure));
  return 0;
}

int attest_output_commit(attest_output **outputs, size_t count, char *error, size_t error_size) {
  sigset_t before;
  mode_t unused;
  int result = 0;

  for (size_t i = 0; i < count && result == 0; i++)
    if (outputs[i] != NULL)
      result = finish(outputs[i], error, error_size);
  /* What stood there may have changed since open; after the first rename it is too late. */
  for (size_t i = 0; i < count && result == 0; i++)
    if (outputs[i] != NULL)
      result = check_target(outputs[i]->path, &unused, error, error_size);

  hold_signals(&before);
  for (size_t i = 0; i < count && result == 0; i++) {
    attest_output *o = outputs[i];
    if (o == NULL)
      continue;
    if (rename(o->temporary, o->path) != 0) {
      result = attest_error(error, error_size, "%s: %s", o->path, strerror(errno));
      break;
    }
    unregister(o);
    free_output(o);
    outputs[i] = NULL;
  }
  release_signals(&before);
  for (size_t i = 0; i < count; i++) {
    attest_output_abort(outputs[i]);
    outputs[i] = NULL;
  }
  return result;
}
