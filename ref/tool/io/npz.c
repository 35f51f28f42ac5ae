#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "npz.h"

#include "error.h"
#include "npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zip.h>

enum { DEFLATE_RATIO = 1032 }; /* the most deflate can do: 258 bytes from two bits */

/* The length of a member's name without a final ".npy". */
static size_t bare_length(const char *name) {
  const size_t length = strlen(name);

  return length > 4 && strcmp(name + length - 4, ".npy") == 0 ? length - 4 : length;
}

/* ": a, b, c", as far as it fits; the end of a longer list is left out. */
static void list_members(zip_t *archive, char *list, size_t list_size) {
  const zip_int64_t entries = zip_get_num_entries(archive, 0);
  size_t used = 0;

  list[0] = '\0';
  for (zip_int64_t i = 0; i < entries; i++) {
    const char *name = zip_get_name(archive, (zip_uint64_t)i, 0);
    size_t length;
    if (name == NULL)
      continue;
    length = bare_length(name);
    if (length > 200 || used + length + 16 > list_size) {
      snprintf(list + used, list_size - used, "%s...", used == 0 ? ": " : ", ");
      return;
    }
    used += (size_t)snprintf(list + used, list_size - used, "%s%.*s", used == 0 ? ": " : ", ",
                             (int)length, name);
  }
}

static int find_member(zip_t *archive, const char *path, const char *member, zip_uint64_t *index,
                       char *error, size_t error_size) {
  const zip_int64_t entries = zip_get_num_entries(archive, 0);
  const size_t wanted = member == NULL ? 0 : strlen(member);
  int exact = 0, with_ending = 0;
  char list[800];

  if (member == NULL && entries == 1) {
    *index = 0;
    return 0;
  }
  for (zip_int64_t i = 0; member != NULL && i < entries; i++) {
    const char *name = zip_get_name(archive, (zip_uint64_t)i, 0);
    if (name == NULL || strncmp(name, member, wanted) != 0)
      continue;
    if (name[wanted] == '\0') {
      *index = (zip_uint64_t)i;
      exact++;
    } else if (strcmp(name + wanted, ".npy") == 0) {
      if (exact == 0)
        *index = (zip_uint64_t)i;
      with_ending++;
    }
  }
  if (exact == 1 || (exact == 0 && with_ending == 1))
    return 0;
  if (exact > 1 || with_ending > 1)
    return attest_error(error, error_size, "%s: holds the name '%s' more than once", path, member);
  list_members(archive, list, sizeof list);
  if (member == NULL)
    return attest_error(error, error_size,
                        "%s: holds %" PRId64 " arrays, name one as FILE.npz:NAME%s",
                        path, (int64_t)entries, list);
  return attest_error(error, error_size, "%s: holds no array '%s'; it has %" PRId64 "%s", path,
                      member, (int64_t)entries, list);
}

typedef struct open_member {
  zip_file_t *file;
  const char *name;
} open_member;

static int read_member(void *context, unsigned char *to, size_t size, char *error,
                       size_t error_size) {
  open_member *m = context;

  while (size > 0) {
    const zip_int64_t got = zip_fread(m->file, to, size);
    if (got < 0)
      return attest_error(error, error_size, "%s: %s", m->name, zip_file_strerror(m->file));
    if (got == 0)
      return attest_error(error, error_size, "%s: shorter than the archive says", m->name);
    to += got;
    size -= (size_t)got;
  }
  return 0;
}

static int check_member(const zip_stat_t *stat, uint64_t archive_size, const char *name,
                        char *error, size_t error_size) {
  const zip_uint64_t needed =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  uint64_t most;

  if ((stat->valid & needed) != needed)
    return attest_error(error, error_size, "%s: the archive does not describe it", name);
  if (stat->encryption_method != ZIP_EM_NONE)
    return attest_error(error, error_size, "%s: is encrypted", name);
  if (stat->comp_method != ZIP_CM_STORE && stat->comp_method != ZIP_CM_DEFLATE)
    return attest_error(error, error_size, "%s: zip compression method %u is not supported", name,
                        (unsigned)stat->comp_method);
  if (stat->comp_size > archive_size)
    return attest_error(error, error_size,
                        "%s: the archive claims %" PRIu64 " packed bytes, the file holds %" PRIu64,
                        name, (uint64_t)stat->comp_size, archive_size);
  most = stat->comp_size;
  if (stat->comp_method == ZIP_CM_DEFLATE)
    most = most > UINT64_MAX / DEFLATE_RATIO ? UINT64_MAX : most * DEFLATE_RATIO;
  if (stat->size > most)
    return attest_error(error, error_size,
                        "%s: the archive claims %" PRIu64 " bytes, more than %" PRIu64
                        " packed bytes can hold",
                        name, (uint64_t)stat->size, (uint64_t)stat->comp_size);
  return 0;
}

static int read_index(zip_t *archive, zip_uint64_t index, uint64_t archive_size, const char *name,
                      attest_array *out, char *error, size_t error_size) {
  attest_npy_source source;
  open_member m;
  zip_stat_t stat;
  unsigned char extra;
  int result;

  if (zip_stat_index(archive, index, 0, &stat) != 0)
    return attest_error(error, error_size, "%s: %s", name, zip_strerror(archive));
  if (check_member(&stat, archive_size, name, error, error_size) != 0)
    return -1;
  m.name = name;
  m.file = zip_fopen_index(archive, index, 0);
  if (m.file == NULL)
    return attest_error(error, error_size, "%s: %s", name, zip_strerror(archive));
  source.read = read_member;
  source.context = &m;
  source.size = stat.size;
  result = attest_npy_read_source(&source, name, out, error, error_size);
  if (result == 0) {
    /* libzip compares the checksum when it meets the end. */
    const zip_int64_t got = zip_fread(m.file, &extra, 1);
    if (got != 0) {
      attest_array_free(out);
      result = attest_error(error, error_size, "%s: %s", name,
                            got > 0 ? "longer than the archive says" : zip_file_strerror(m.file));
    }
  }
  zip_fclose(m.file);
  return result;
}

int attest_npz_read(const char *path, const char *member, attest_array *out, char *error,
                    size_t error_size) {
  struct stat status;
  zip_uint64_t index = 0;
  zip_t *archive;
  char *name;
  int code = 0, result;

  memset(out, 0, sizeof *out);
  if (stat(path, &status) != 0)
    return attest_error(error, error_size, "%s: %s", path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return attest_error(error, error_size, "%s: not a regular file", path);
  archive = zip_open(path, ZIP_RDONLY, &code);
  if (archive == NULL) {
    zip_error_t reason;
    zip_error_init_with_code(&reason, code);
    result = attest_error(error, error_size, "%s: %s", path, zip_error_strerror(&reason));
    zip_error_fini(&reason);
    return result;
  }
  result = find_member(archive, path, member, &index, error, error_size);
  if (result == 0) {
    const char *inside = member != NULL ? member : zip_get_name(archive, index, 0);
    const size_t path_length = strlen(path);
    const size_t inside_length = inside == NULL ? 0 : bare_length(inside);
    name = malloc(path_length + inside_length + 2);
    if (name == NULL) {
      result = attest_error(error, error_size, "%s: not enough memory for its name", path);
    } else {
      memcpy(name, path, path_length);
      name[path_length] = ':';
      if (inside_length > 0)
        memcpy(name + path_length + 1, inside, inside_length);
      name[path_length + 1 + inside_length] = '\0';
      result = read_index(archive, index, (uint64_t)status.st_size, name, out, error, error_size);
      free(name);
    }
  }
  zip_discard(archive);
  return result;
}
