/* A library to preload into a program. The first byte of the file SLOW_DISK says how the file system behaves: with "h"
   fsync and fdatasync hang, with "f" they fail; with "l" it has no locks, with "m" no shared memory. The folder SYNCED_FILES gets a copy of each file as of its last fsync: the least that
   a power cut leaves. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

static char mode(void) {
  char byte = 0;
  int file = open(getenv("SLOW_DISK"), O_RDONLY);
  if (file >= 0 && read(file, &byte, 1) < 1) byte = 0;
  close(file);
  return byte;
}

static void copy_synced(int fd) {
  const char *folder = getenv("SYNCED_FILES");
  char own[64], path[PATH_MAX + 1] = "", copy[PATH_MAX + 64], unfinished[PATH_MAX + 70];
  off_t at = 0;
  snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
  if (!folder || readlink(own, path, PATH_MAX) < 0) return;
  snprintf(copy, sizeof copy, "%s%s", folder, strrchr(path, '/'));
  snprintf(unfinished, sizeof unfinished, "%s.copy", copy);
  /* One process at a time, so that no older copy replaces a newer one. */
  int lock = open(folder, O_RDONLY);
  flock(lock, LOCK_EX);
  /* From the program's own descriptor: to close another one would drop its locks on the file. */
  int to = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  while (sendfile(to, fd, &at, 1 << 20) > 0) continue;
  close(to);
  if (at > 0) rename(unfinished, copy);
  close(lock);
}

static int synced(const char *name, int fd) {
  while (mode() == 'h') usleep(5000);
  if (mode() == 'f') {
    errno = EIO;
    return -1;
  }
  copy_synced(fd);
  return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
}

int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }

int fcntl64(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (command == F_SETLK && mode() == 'l') {
    errno = ENOLCK;
    return -1;
  }
  return ((int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl64"))(fd, command, argument);
}

void *mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
  if (fd >= 0 && (flags & MAP_SHARED) && mode() == 'm') {
    errno = ENODEV;
    return MAP_FAILED;
  }
  return ((void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap64"))(address, length, protection, flags,
                                                                                       fd, offset);
}
