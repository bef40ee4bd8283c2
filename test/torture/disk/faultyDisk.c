/*
 * A machine whose disk fails, whose power is lost and whose clock jumps, when told to. Preloaded into a server, it stands between the server and the
 * C library, for files below one directory:
 *   faultyDisk.c  disks that are slow, cannot sync, or are full
 *   content.c     what is in files, and was not synced, can be put back: the undo journal
 *   names.c       the same for names in directories
 *   wallClock.c   the wall clock
 */
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { GOOD, SLOW, SYNC_FAILS, FULL };

const volatile struct control *control;
const char *directory;
const char *journal;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("SHIM_CONTROL");
  directory = getenv("SHIM_DIRECTORY");
  journal = getenv("SHIM_JOURNAL");
  int file = path == NULL || directory == NULL ? -1 : REAL(open)(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *page = mmap(NULL, sizeof *control, PROT_READ, MAP_SHARED, file, 0);
  if (page != MAP_FAILED) control = page;
  close(file);
}

int is_below(const char *path) {
  if (control == NULL) return 0;
  size_t length = strlen(directory);
  return strncmp(path, directory, length) == 0 && (path[length] == 0 || path[length] == '/');
}

static int fails(int file, int disk, int error) {
  if (control == NULL || control->disk != disk || file_of(file) == NULL) return 0;
  errno = error;
  return 1;
}

static void wait_if_slow(int file) {
  int saved = errno;
  if (control != NULL && control->disk == SLOW && file_of(file) != NULL) usleep((useconds_t)control->slow_ms * 1000);
  errno = saved;
}

/* Both sync the content: fdatasync leaves out what nobody needs to read it, and a new size is needed. */
#define SYNC(name) \
  int name(int file) { \
    wait_if_slow(file); \
    if (fails(file, SYNC_FAILS, EIO)) return -1; \
    struct file *changed = before_sync(file); \
    int failed = REAL(name)(file); \
    after_sync(changed, failed == 0); \
    return failed; \
  }
SYNC(fsync)
SYNC(fdatasync)

#define WRITE(name, parameters, arguments, before) \
  ssize_t name parameters { \
    if (fails(file, FULL, ENOSPC)) return -1; \
    struct file *changed = before; \
    ssize_t done = REAL(name) arguments; \
    after_change(changed); \
    return done; \
  }

static size_t sum(const struct iovec *parts, int count) {
  size_t bytes = 0;
  for (int part = 0; part < count; part++) bytes += parts[part].iov_len;
  return bytes;
}

WRITE(write, (int file, const void *bytes, size_t count), (file, bytes, count), before_write_here(file, count))
WRITE(pwrite, (int file, const void *bytes, size_t count, off_t at), (file, bytes, count, at), before_write(file, at, count))
WRITE(pwrite64, (int file, const void *bytes, size_t count, off64_t at), (file, bytes, count, at), before_write(file, at, count))
WRITE(writev, (int file, const struct iovec *parts, int count), (file, parts, count), before_write_here(file, sum(parts, count)))
WRITE(pwritev, (int file, const struct iovec *parts, int count, off_t at), (file, parts, count, at), before_write(file, at, sum(parts, count)))
WRITE(pwritev64, (int file, const struct iovec *parts, int count, off64_t at), (file, parts, count, at), before_write(file, at, sum(parts, count)))

#define TRUNCATE(name, offset) \
  int name(int file, offset size) { \
    struct file *changed = before_truncate(file, size); \
    int failed = REAL(name)(file, size); \
    after_change(changed); \
    return failed; \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)
