/* A library to preload into a program, for a disk unlike most. With NO_LINKS set, it has no hard links. FOLDER_SYNC is the
   error number with which it refuses to sync a folder. The program is killed before the call KILL_AT, counted over those
   that change keys.json or a file beside it whose name begins so; CALLS gets a line for each of them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(type, name) ((type)dlsym(RTLD_NEXT, name))

static void count(const char *call, const char *path) {
  static int calls;
  const char *kill_at = getenv("KILL_AT"), *log = getenv("CALLS");
  if (!strstr(path, "keys.json") && strcmp(path, "folder")) return;
  if (kill_at && ++calls == atoi(kill_at)) kill(getpid(), SIGKILL);
  if (log) {
    int file = REAL(int (*)(const char *, int, ...), "open")(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dprintf(file, "%s %s\n", call, path);
    close(file);
  }
}

static int opened(const char *name, const char *path, int flags, mode_t mode) {
  if (flags & O_CREAT) count("create", path);
  return REAL(int (*)(const char *, int, ...), name)(path, flags, mode);
}

#define OPEN(name)                                                                                                     \
  int name(const char *path, int flags, ...) {                                                                         \
    va_list more;                                                                                                      \
    va_start(more, flags);                                                                                             \
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;                                                          \
    va_end(more);                                                                                                      \
    return opened(#name, path, flags, mode);                                                                           \
  }
OPEN(open)
OPEN(open64)

int link(const char *from, const char *to) {
  count("link", to);
  errno = EPERM;
  return getenv("NO_LINKS") ? -1 : REAL(int (*)(const char *, const char *), "link")(from, to);
}

int rename(const char *from, const char *to) {
  count("rename", to);
  return REAL(int (*)(const char *, const char *), "rename")(from, to);
}

int unlink(const char *path) {
  count("unlink", path);
  return REAL(int (*)(const char *), "unlink")(path);
}

int fsync(int fd) {
  char own[64], path[PATH_MAX + 1] = "";
  struct stat status;
  snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
  if (readlink(own, path, PATH_MAX) < 0 || fstat(fd, &status)) return -1;
  int is_folder = S_ISDIR(status.st_mode);
  count("sync", is_folder ? "folder" : path);
  errno = getenv("FOLDER_SYNC") ? atoi(getenv("FOLDER_SYNC")) : 0;
  return is_folder && errno ? -1 : REAL(int (*)(int), "fsync")(fd);
}
