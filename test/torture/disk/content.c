/*
 * What files held when they were last synced. Before a change, what it replaces goes to the end of the file's journal, <inode>.undo; when the file has
 * been synced, its journal is emptied. So a journal survives the process, as written pages in the kernel do, and is there for the next process on
 * the same files. losePower.ts puts back from it. It follows inodes: a file that is renamed takes it along.
 *
 * Not followed: mappings (SQLite keeps its -shm there, which it makes anew) and copies within the kernel (sendfile, copy_file_range): they count as synced.
 */
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* One change, followed by the bytes saved from `at` on. Those up to `at + length` which were not saved lay behind the end. */
struct undo {
  int64_t at, length, old_size, saved;
};

enum { FILES = 65536, LOCKS = 64 };
/* Beyond it the file is synced, as kernels do when they like. */
static const int64_t undo_bytes_max = 64 << 20;

static struct file files[FILES];
static pthread_mutex_t locks[LOCKS];

void lock(ino_t inode) { pthread_mutex_lock(&locks[inode % LOCKS]); }
void unlock(ino_t inode) { pthread_mutex_unlock(&locks[inode % LOCKS]); }

void give_up(const char *what) {
  fprintf(stderr, "the shim's journal in %s: %s: %s\n", journal, what, strerror(errno));
  abort();
}

static void drop(struct file *file) {
  if (file->undo >= 0) close(file->undo);
  *file = (struct file){.undo = -1};
}

void opened(int descriptor) {
  struct stat stat;
  if (descriptor >= FILES || fstat(descriptor, &stat) != 0) return;
  struct file *file = &files[descriptor];
  if (file->inode != 0) drop(file);
  *file = (struct file){.device = stat.st_dev, .inode = stat.st_ino, .is_directory = S_ISDIR(stat.st_mode), .undo = -1};
}

/* Closing is not followed, as it can be done past the C library; so whether it still is that file is asked each time. */
struct file *file_of(int descriptor) {
  if (descriptor < 0 || descriptor >= FILES || files[descriptor].inode == 0) return NULL;
  struct file *file = &files[descriptor];
  struct stat stat;
  if (fstat(descriptor, &stat) == 0 && stat.st_dev == file->device && stat.st_ino == file->inode) return file;
  drop(file);
  return NULL;
}

static void undo_path(char *path, size_t size, ino_t inode) {
  snprintf(path, size, "%s/%ju.undo", journal, (uintmax_t)inode);
}

/* A process that was killed may have left half an entry, before a change that it did not begin. */
static void cut_torn_end(int undo) {
  struct undo entry;
  struct stat stat;
  off_t end = 0;
  if (fstat(undo, &stat) != 0) give_up("fstat");
  while (pread(undo, &entry, sizeof entry, end) == sizeof entry && end + (off_t)sizeof entry + entry.saved <= stat.st_size) end += (off_t)sizeof entry + entry.saved;
  if (end < stat.st_size && REAL(ftruncate)(undo, end) != 0) give_up("cutting");
}

static void open_undo(struct file *file) {
  char path[4096];
  if (file->undo >= 0) return;
  undo_path(path, sizeof path, file->inode);
  file->undo = REAL(open)(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file->undo < 0) give_up(path);
  cut_torn_end(file->undo);
}

void forget_content(ino_t inode) {
  char path[4096];
  undo_path(path, sizeof path, inode);
  REAL(unlink)(path);
}

/* Also of files that are open for writing only. */
static void read_old(int descriptor, char *bytes, int64_t count, off_t at) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  int readable = REAL(open)(path, O_RDONLY | O_CLOEXEC);
  for (int64_t done = 0; done < count;) {
    ssize_t piece = pread(readable, bytes + done, (size_t)(count - done), at + done);
    if (piece <= 0) give_up("reading what will be replaced");
    done += piece;
  }
  close(readable);
}

static void save(struct file *file, int descriptor, off_t at, off_t length) {
  struct stat stat;
  if (fstat(descriptor, &stat) != 0) give_up("fstat");
  int64_t kept = stat.st_size - at;
  struct undo undo = {.at = at, .length = length, .old_size = stat.st_size, .saved = kept < 0 ? 0 : kept < length ? kept : length};
  char *bytes = undo.saved == 0 ? NULL : malloc((size_t)undo.saved);
  if (undo.saved > 0 && bytes == NULL) give_up("no memory");
  if (undo.saved > 0) read_old(descriptor, bytes, undo.saved, at);
  open_undo(file);
  struct iovec parts[] = {{&undo, sizeof undo}, {bytes, (size_t)undo.saved}};
  ssize_t whole = (ssize_t)sizeof undo + undo.saved;
  if (REAL(writev)(file->undo, parts, 2) != whole) give_up("writing");
  free(bytes);
  file->undo_bytes += whole;
}

static void empty_undo(struct file *file) {
  open_undo(file);
  if (REAL(ftruncate)(file->undo, 0) != 0) give_up("emptying");
  file->undo_bytes = 0;
}

static struct file *begin_change(int descriptor) {
  struct file *file = journal == NULL ? NULL : file_of(descriptor);
  if (file == NULL || file->is_directory) return NULL;
  lock(file->inode);
  if (file->undo_bytes > undo_bytes_max && REAL(fdatasync)(descriptor) == 0) empty_undo(file);
  return file;
}

struct file *before_write(int descriptor, off_t at, size_t count) {
  struct file *file = begin_change(descriptor);
  if (file != NULL) save(file, descriptor, at, (off_t)count);
  return file;
}

struct file *before_write_here(int descriptor, size_t count) {
  struct file *file = begin_change(descriptor);
  if (file == NULL) return NULL;
  struct stat stat;
  int appends = fcntl(descriptor, F_GETFL) & O_APPEND && fstat(descriptor, &stat) == 0;
  save(file, descriptor, appends ? stat.st_size : lseek(descriptor, 0, SEEK_CUR), (off_t)count);
  return file;
}

struct file *before_truncate(int descriptor, off_t size) {
  struct file *file = begin_change(descriptor);
  struct stat stat;
  if (file == NULL || fstat(descriptor, &stat) != 0) return file;
  if (size < stat.st_size) save(file, descriptor, size, stat.st_size - size);
  else save(file, descriptor, stat.st_size, size - stat.st_size);
  return file;
}

void after_change(struct file *file) {
  if (file != NULL) unlock(file->inode);
}

struct file *before_sync(int descriptor) {
  struct file *file = journal == NULL ? NULL : file_of(descriptor);
  if (file != NULL) lock(file->inode);
  return file;
}

void after_sync(struct file *file, int synced) {
  if (file == NULL) return;
  int saved = errno;
  if (synced && file->is_directory) forget_names(file->inode);
  else if (synced) empty_undo(file);
  unlock(file->inode);
  errno = saved;
}
