/*
 * A disk that fails when it is told to. Preloaded into a server, it stands between the server and the C library, for files below one directory.
 * The file named by FAULTY_DISK_CONTROL holds two 32-bit numbers, which are looked at before every call: the mode, and milliseconds for mode 1.
 * Mode 0 is a good disk, 1 a slow one, 2 one that cannot sync, 3 one that is full.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { GOOD, SLOW, SYNC_FAILS, FULL };

static volatile int32_t *control;
static const char *directory;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FAULTY_DISK_CONTROL");
  directory = getenv("FAULTY_DISK_DIRECTORY");
  int file = path == NULL || directory == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *page = mmap(NULL, 8, PROT_READ, MAP_SHARED, file, 0);
  if (page != MAP_FAILED) control = page;
  close(file);
}

static int is_below(int file) {
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strncmp(path, directory, strlen(directory)) == 0;
}

static int fails(int file, int mode, int error) {
  int saved = errno;
  int hit = control != NULL && control[0] == mode && is_below(file);
  errno = hit ? error : saved;
  return hit;
}

static void wait_if_slow(int file) {
  int saved = errno;
  if (control != NULL && control[0] == SLOW && is_below(file)) usleep((useconds_t)control[1] * 1000);
  errno = saved;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define SYNC(name) \
  int name(int file) { \
    wait_if_slow(file); \
    return fails(file, SYNC_FAILS, EIO) ? -1 : REAL(name)(file); \
  }
SYNC(fsync)
SYNC(fdatasync)

ssize_t write(int file, const void *bytes, size_t count) {
  return fails(file, FULL, ENOSPC) ? -1 : REAL(write)(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
  return fails(file, FULL, ENOSPC) ? -1 : REAL(pwrite)(file, bytes, count, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
  return fails(file, FULL, ENOSPC) ? -1 : REAL(pwrite64)(file, bytes, count, at);
}
