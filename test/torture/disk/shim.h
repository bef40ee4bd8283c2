/* What the parts of the shim share. See faultyDisk.c. */
#ifndef SHIM_H
#define SHIM_H
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <sys/types.h>

/* The file named by SHIM_CONTROL, looked at before every call: whoever writes it is obeyed at once. faultyDisk.ts knows the same layout. */
struct control {
  int32_t disk;
  int32_t slow_ms;
  int64_t clock_ms;
};

extern const volatile struct control *control; /* NULL: nothing is touched */
extern const char *directory;                  /* SHIM_DIRECTORY: absolute, without links; files are recognised by such paths alone */
extern const char *journal;                    /* SHIM_JOURNAL: a directory on the same file system; NULL: no journal is kept */

/* The C library's own. Looked up at each place once: the clock is asked a hundred thousand times a second. */
#define REAL(name) \
  (__extension__({ \
    static __typeof__(&name) real; \
    if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    real; \
  }))

/* Is it the directory, or in it? */
int is_below(const char *path);

/* An open file below the directory. */
struct file {
  dev_t device;
  ino_t inode;
  int is_directory;
  int undo;          /* its journal, -1 until needed */
  int64_t undo_bytes; /* written to it through this descriptor since the last sync */
};

/* NULL for all others, sockets included. */
struct file *file_of(int descriptor);
void opened(int descriptor);

/* Between before_ and after_ no other thread changes or syncs that file. All take NULL. */
struct file *before_write(int descriptor, off_t at, size_t count);
struct file *before_write_here(int descriptor, size_t count);
struct file *before_truncate(int descriptor, off_t size);
void after_change(struct file *file);
struct file *before_sync(int descriptor);
void after_sync(struct file *file, int synced);

void lock(ino_t inode);
void unlock(ino_t inode);
/* Of files that are gone or new: inodes are used again. */
void forget_content(ino_t inode);
void forget_names(ino_t folder);
/* The journal cannot lie: when it cannot be written, the process ends. */
_Noreturn void give_up(const char *what);

#endif
