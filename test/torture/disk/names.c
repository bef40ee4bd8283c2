/*
 * Names that were made, changed or removed since their directory was last synced, one line for each in <inode of the directory>.names:
 *     create PATH .        remove PATH HELD .        rename FROM TO HELD .    (HELD is - when nothing was replaced)
 * The dot tells whole lines from what a killed process left. HELD is a further link to the file that lost its name, so that its content is not lost with it: <inode of the directory>.<n>.held.
 *
 * A name needs a sync of its directory: syncing the file alone is not enough, although ext4 is kinder, since POSIX promises no more.
 * A line belongs to the directory of the new name. Removed directories count as synced.
 */
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Beyond it the directory is synced, as kernels do when they like. */
enum { HELD_MAX = 64 };

static void names_path(char *path, ino_t folder) {
  snprintf(path, PATH_MAX, "%s/%ju.names", journal, (uintmax_t)folder);
}

static void held_path(char *path, ino_t folder, int nth) {
  snprintf(path, PATH_MAX, "%s/%ju.%d.held", journal, (uintmax_t)folder, nth);
}

void forget_names(ino_t folder) {
  char path[PATH_MAX];
  struct stat stat;
  names_path(path, folder);
  REAL(unlink)(path);
  for (int nth = 0; held_path(path, folder, nth), lstat(path, &stat) == 0; nth++) {
    if (stat.st_nlink == 1) forget_content(stat.st_ino);
    REAL(unlink)(path);
  }
}

static void folder_of(char *folder, const char *path) {
  snprintf(folder, PATH_MAX, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash != NULL) *slash = 0;
}

/* Locks the directory of `path` and answers its inode; 0 when nothing is to be noted. */
static ino_t begin_naming(const char *path) {
  char folder[PATH_MAX];
  struct stat stat;
  if (journal == NULL || !is_below(path) || strcmp(path, directory) == 0) return 0;
  folder_of(folder, path);
  if (lstat(folder, &stat) != 0) return 0;
  lock(stat.st_ino);
  return stat.st_ino;
}

static void end_naming(ino_t folder) {
  if (folder != 0) unlock(folder);
}

static void note(ino_t folder, const char *format, ...) {
  char path[PATH_MAX], line[3 * PATH_MAX];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  names_path(path, folder);
  int file = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0 || REAL(write)(file, line, (size_t)length) != length) give_up(path);
  close(file);
}

static int exists(const char *path) {
  struct stat stat;
  return lstat(path, &stat) == 0;
}

static void sync_folder(ino_t folder, const char *path) {
  char name[PATH_MAX];
  folder_of(name, path);
  int file = REAL(open)(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0 || REAL(fsync)(file) != 0) give_up(name);
  close(file);
  forget_names(folder);
}

/* A further link to the file at `path`, which is about to lose that name. */
static void hold(char *held, ino_t folder, const char *path) {
  for (int nth = 0;; nth++) {
    if (nth == HELD_MAX) sync_folder(folder, path), nth = 0;
    held_path(held, folder, nth);
    if (REAL(link)(path, held) == 0) return;
    if (errno != EEXIST) give_up(held);
  }
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    va_list arguments; \
    va_start(arguments, flags); \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0; \
    va_end(arguments); \
    return is_below(path) ? open_below(REAL(name), path, flags, mode) : REAL(name)(path, flags, mode); \
  }

static int open_below(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
  ino_t folder = flags & O_CREAT ? begin_naming(path) : 0;
  int creates = folder != 0 && !exists(path);
  if (creates) note(folder, "\ncreate\t%s\t.", path);
  // Emptied by ourselves, so that what was there is saved.
  int empties = journal != NULL && flags & O_TRUNC && (flags & O_ACCMODE) != O_RDONLY && !creates;
  int file = real(path, empties ? flags & ~O_TRUNC : flags, mode);
  struct stat stat;
  if (creates && file >= 0 && fstat(file, &stat) == 0) forget_content(stat.st_ino);
  end_naming(folder);
  if (file < 0) return file;
  opened(file);
  if (empties && ftruncate(file, 0) != 0) give_up(path);
  return file;
}
OPEN(open)
OPEN(open64)

int link(const char *from, const char *to) {
  ino_t folder = begin_naming(to);
  if (folder != 0 && !exists(to)) note(folder, "\ncreate\t%s\t.", to);
  int failed = REAL(link)(from, to);
  end_naming(folder);
  return failed;
}

int mkdir(const char *path, mode_t mode) {
  ino_t folder = begin_naming(path);
  if (folder != 0 && !exists(path)) note(folder, "\ncreate\t%s\t.", path);
  int failed = REAL(mkdir)(path, mode);
  end_naming(folder);
  return failed;
}

int unlink(const char *path) {
  ino_t folder = begin_naming(path);
  struct stat stat;
  if (folder != 0 && lstat(path, &stat) == 0 && S_ISREG(stat.st_mode)) {
    char held[PATH_MAX];
    hold(held, folder, path);
    note(folder, "\nremove\t%s\t%s\t.", path, held);
  }
  int failed = REAL(unlink)(path);
  end_naming(folder);
  return failed;
}

int rename(const char *from, const char *to) {
  ino_t folder = begin_naming(to);
  if (folder != 0 && exists(from)) {
    char held[PATH_MAX] = "-";
    if (exists(to)) hold(held, folder, to);
    note(folder, "\nrename\t%s\t%s\t%s\t.", from, to, held);
  }
  int failed = REAL(rename)(from, to);
  end_naming(folder);
  return failed;
}
