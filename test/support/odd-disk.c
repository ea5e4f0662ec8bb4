/* A library to preload into a program. The letters in the file DISK say what is wrong with the file system: "h" fsync
   hangs, "f" it fails, "s" it fails for folders, "l" there are no locks, "m" no shared memory, "n" no hard links. The folder
   SYNCED_FILES gets a copy of each file as of its last fsync: the least that a power cut leaves. The program is killed
   before call KILL_AT of those that change keys.json or a file beside it whose name begins so; CALLS gets a line for each. */
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
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)
#define REFUSE(code, result) return errno = code, result

static int has(char fault) {
  char faults[8] = "";
  int file = REAL(open, getenv("DISK"), O_RDONLY);
  if (file < 0) return 0;
  if (read(file, faults, sizeof faults - 1) < 0) faults[0] = 0;
  close(file);
  return strchr(faults, fault) != 0;
}

static void count(const char *call, const char *path) {
  static int calls;
  const char *kill_at = getenv("KILL_AT"), *log = getenv("CALLS");
  if (!strstr(path, "keys.json") && strcmp(path, "folder")) return;
  if (kill_at && ++calls == atoi(kill_at)) kill(getpid(), SIGKILL);
  if (log) {
    int file = REAL(open, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dprintf(file, "%s %s\n", call, path);
    close(file);
  }
}

static void copy_synced(int fd, const char *path) {
  const char *folder = getenv("SYNCED_FILES");
  char copy[PATH_MAX + 64], unfinished[PATH_MAX + 70];
  off_t at = 0;
  if (!folder) return;
  snprintf(copy, sizeof copy, "%s%s", folder, strrchr(path, '/'));
  snprintf(unfinished, sizeof unfinished, "%s.copy", copy);
  /* One process at a time, so that no older copy replaces a newer one. */
  int lock = REAL(open, folder, O_RDONLY);
  flock(lock, LOCK_EX);
  /* From the program's own descriptor: to close another one would drop its locks on the file. */
  int to = REAL(open, unfinished, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  while (sendfile(to, fd, &at, 1 << 20) > 0) continue;
  close(to);
  if (at > 0) REAL(rename, unfinished, copy);
  close(lock);
}

/* Returns whether the disk refuses to sync the file. */
static int refuses_sync(int fd) {
  char own[64], path[PATH_MAX + 1] = "";
  struct stat status;
  snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
  if (readlink(own, path, PATH_MAX) < 0 || fstat(fd, &status)) return 1;
  while (has('h')) usleep(5000);
  count("sync", S_ISDIR(status.st_mode) ? "folder" : path);
  if (has('f')) REFUSE(EIO, 1);
  if (S_ISDIR(status.st_mode)) {
    if (has('s')) REFUSE(EINVAL, 1);
  } else {
    copy_synced(fd, path);
  }
  return 0;
}

int fsync(int fd) { return refuses_sync(fd) ? -1 : REAL(fsync, fd); }
int fdatasync(int fd) { return refuses_sync(fd) ? -1 : REAL(fdatasync, fd); }

#define OPEN(name)                                                                                                     \
  int name(const char *path, int flags, ...) {                                                                         \
    va_list more;                                                                                                      \
    va_start(more, flags);                                                                                             \
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;                                                          \
    va_end(more);                                                                                                      \
    if (flags & O_CREAT) count("create", path);                                                                        \
    return REAL(name, path, flags, mode);                                                                              \
  }
OPEN(open)
OPEN(open64)

int link(const char *from, const char *to) {
  count("link", to);
  if (has('n')) REFUSE(EPERM, -1);
  return REAL(link, from, to);
}

int rename(const char *from, const char *to) {
  count("rename", to);
  return REAL(rename, from, to);
}

int unlink(const char *path) {
  count("unlink", path);
  return REAL(unlink, path);
}

int fcntl64(int fd, int command, ...) {
  va_list more;
  va_start(more, command);
  void *argument = va_arg(more, void *);
  va_end(more);
  if (command == F_SETLK && has('l')) REFUSE(ENOLCK, -1);
  return REAL(fcntl64, fd, command, argument);
}

void *mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
  if (fd >= 0 && (flags & MAP_SHARED) && has('m')) REFUSE(ENODEV, MAP_FAILED);
  return REAL(mmap64, address, length, protection, flags, fd, offset);
}
