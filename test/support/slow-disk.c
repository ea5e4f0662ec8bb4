/* A library that is preloaded into a program. The number in the file SLOW_DISK says how the program's fsync and fdatasync
   behave: at 0 as usual; at -1 none ends; at -3 each fails. At -2 nothing can be written; at -4 no read at a place ends. At -1 a file whose path has
   HUNG_FILE in it does not open either, and the look-up of a host whose name has HUNG_NAME in it does not end. The folder
   SYNCED_FILES gets a copy of each file as it was at its last fsync: the least that a power cut leaves. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static int wanted(void) {
  int number = 0;
  const char *path = getenv("SLOW_DISK");
  FILE *file = path ? fopen(path, "r") : NULL;
  if (file && fscanf(file, "%d", &number) != 1) number = 0;
  if (file) fclose(file);
  return number;
}

static void keep_copy(int fd) {
  const char *folder = getenv("SYNCED_FILES");
  char own[64], path[PATH_MAX + 1] = "", copy[PATH_MAX + 64], unfinished[PATH_MAX + 70];
  struct stat about;
  if (!folder || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return;
  snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
  if (readlink(own, path, PATH_MAX) < 0) return;
  snprintf(copy, sizeof copy, "%s%s", folder, strrchr(path, '/'));
  snprintf(unfinished, sizeof unfinished, "%s.copy", copy);
  int lock = open(folder, O_RDONLY);
  off_t place = 0;
  /* One after the other, so that no older copy takes the place of a newer one. */
  flock(lock, LOCK_EX);
  int to = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  /* From the program's own descriptor: a close of another one would drop its locks on the file. */
  while (sendfile(to, fd, &place, 1 << 20) > 0) continue;
  close(to);
  rename(unfinished, copy);
  close(lock);
}

static int wait_and(const char *name, int fd) {
  while (wanted() == -1) usleep(5000);
  if (wanted() == -3) {
    errno = EIO;
    return -1;
  }
  keep_copy(fd);
  return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
}

int fsync(int fd) { return wait_and("fsync", fd); }
int fdatasync(int fd) { return wait_and("fdatasync", fd); }

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t place) {
  if (wanted() == -2) {
    errno = ENOSPC;
    return -1;
  }
  return ((ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64"))(fd, bytes, size, place);
}

ssize_t pread64(int fd, void *bytes, size_t size, off64_t place) {
  while (wanted() == -4) usleep(5000);
  return ((ssize_t(*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64"))(fd, bytes, size, place);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  const char *hung = getenv("HUNG_FILE");
  va_start(rest, flags);
  int mode = va_arg(rest, int);
  va_end(rest);
  while (hung && strstr(path, hung) && wanted() == -1) usleep(5000);
  return ((int (*)(const char *, int, int))dlsym(RTLD_NEXT, "open64"))(path, flags, mode);
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  const char *hung = getenv("HUNG_NAME");
  while (hung && name && strstr(name, hung) && wanted() < 0) usleep(5000);
  return ((int (*)(const char *, const char *, const struct addrinfo *, struct addrinfo **))dlsym(
      RTLD_NEXT, "getaddrinfo"))(name, service, hints, found);
}
