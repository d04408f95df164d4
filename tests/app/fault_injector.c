/* SPDX-License-Identifier: Apache-2.0 */

/* Preloaded into a program, makes one of its system calls fail. TEMPER_FAULT says which:
   "CALL:ERRNO:PATH:AFTER:COUNT", e.g. "write:28:/runs/:3:1": of the calls of write() on files whose
   path contains "/runs/" only the fourth fails with ENOSPC; with a COUNT of 0 all later ones fail,
   too. The CALL "kill" kills the program before that call of those that change files or folders.
   With the CALL "space" disks have AFTER bytes left. With the CALL "clock" the time of day jumps a
   day back and forth with each reading. If it happened, the file that TEMPER_FAULT_SEEN names is
   created. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static char call_name[16], path_part[256];
static int error_number, after, count;
static atomic_int calls;

#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static int mark(void) {
    const char* seen = getenv("TEMPER_FAULT_SEEN");
    if (seen != NULL) close(NEXT(open)(seen, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    return 1;
}

__attribute__((constructor)) static void read_fault(void) {
    const char* text = getenv("TEMPER_FAULT");
    if (text == NULL) return;
    if (sscanf(text, "%15[^:]:%d:%255[^:]:%d:%d", call_name, &error_number, path_part, &after,
               &count) != 5) {
        fprintf(stderr, "TEMPER_FAULT is '%s'\n", text);
        abort();
    }
}

static int is_change(const char* call) { return strcmp(call, "socket") != 0; }

static int fails(const char* call, const char* path) {
    const int kills = strcmp(call_name, "kill") == 0 && is_change(call);
    if ((!kills && strcmp(call, call_name) != 0) || strstr(path, path_part) == NULL) return 0;
    const int number = atomic_fetch_add(&calls, 1);
    if (number < after || (count > 0 && number >= after + count)) return 0;
    mark();
    if (kills) raise(SIGKILL);
    errno = error_number;
    return 1;
}

static int fails_open(const char* call, int descriptor) {
    char link[64], path[4096];
    if (strcmp(call, call_name) != 0 && strcmp(call_name, "kill") != 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = '\0';
    return fails(call, path);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
    return fails_open("write", descriptor) ? -1 : NEXT(write)(descriptor, bytes, size);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t offset) {
    return fails_open("pwrite", descriptor) ? -1 : NEXT(pwrite64)(descriptor, bytes, size, offset);
}

int fsync(int descriptor) { return fails_open("fsync", descriptor) ? -1 : NEXT(fsync)(descriptor); }

int fdatasync(int descriptor) {
    return fails_open("fsync", descriptor) ? -1 : NEXT(fdatasync)(descriptor);
}

int ftruncate64(int descriptor, off_t size) {
    return fails_open("truncate", descriptor) ? -1 : NEXT(ftruncate64)(descriptor, size);
}

int socket(int domain, int type, int protocol) {
    const int is_network = domain == AF_INET || domain == AF_INET6;
    return is_network && fails("socket", "network") ? -1 : NEXT(socket)(domain, type, protocol);
}

int rename(const char* from, const char* to) {
    return fails("rename", to) ? -1 : NEXT(rename)(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
    return fails("link", to) ? -1 : NEXT(linkat)(from_folder, from, to_folder, to, flags);
}

int unlink(const char* path) { return fails("unlink", path) ? -1 : NEXT(unlink)(path); }

int mkdir(const char* path, mode_t mode) {
    return fails("mkdir", path) ? -1 : NEXT(mkdir)(path, mode);
}

static int mode_of(int flags, va_list arguments) {
    const int makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    return makes ? va_arg(arguments, int) : 0;
}

/* Opening for writing only: reading has its own tests. */
static int fails_opening(const char* path, int flags) {
    return (flags & O_ACCMODE) != O_RDONLY && fails("open", path);
}

int open(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const int mode = mode_of(flags, arguments);
    va_end(arguments);
    return fails_opening(path, flags) ? -1 : NEXT(open)(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const int mode = mode_of(flags, arguments);
    va_end(arguments);
    return fails_opening(path, flags) ? -1 : NEXT(open64)(path, flags, mode);
}

int statvfs(const char* path, struct statvfs* disk) {
    const int result = NEXT(statvfs)(path, disk);
    if (result == 0 && strcmp(call_name, "space") == 0) {
        disk->f_frsize = 1;
        disk->f_bavail = after;
    }
    return result;
}

int statvfs64(const char* path, struct statvfs64* disk) {
    const int result = NEXT(statvfs64)(path, disk);
    if (result == 0 && strcmp(call_name, "space") == 0) {
        disk->f_frsize = 1;
        disk->f_bavail = after;
    }
    return result;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
    const int result = NEXT(clock_gettime)(clock, time);
    if (clock == CLOCK_REALTIME && strcmp(call_name, "clock") == 0 && mark())
        time->tv_sec += atomic_fetch_add(&calls, 1) % 2 == 0 ? 86400 : -86400;
    return result;
}
