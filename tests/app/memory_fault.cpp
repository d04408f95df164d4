// SPDX-License-Identifier: Apache-2.0

// Preloaded into a program, makes it run out of memory as it opens a file. TEMPER_MEMORY_FAULT says
// in which rank of mpirun, and which file: "RANK:PATH", e.g. "1:/d.csv" for the first file whose
// path contains "/d.csv".
#include <dlfcn.h>
#include <fcntl.h>

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

bool isAtFault(const char* path) {
    const char* fault = std::getenv("TEMPER_MEMORY_FAULT");
    const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
    if (fault == nullptr || rank == nullptr) return false;
    const size_t digits = std::strlen(rank);
    return std::strncmp(fault, rank, digits) == 0 && fault[digits] == ':' &&
           std::strstr(path, fault + digits + 1) != nullptr;
}

mode_t modeOf(int flags, va_list arguments) {
    const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    return makes ? va_arg(arguments, mode_t) : 0;
}

int openOrThrow(const char* name, const char* path, int flags, mode_t mode) {
    if (isAtFault(path)) throw std::bad_alloc();
    using Open = int (*)(const char*, int, ...);
    return reinterpret_cast<Open>(dlsym(RTLD_NEXT, name))(path, flags, mode);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int open(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = modeOf(flags, arguments);
    va_end(arguments);
    return openOrThrow("open", path, flags, mode);
}

extern "C" [[gnu::visibility("default")]] int open64(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = modeOf(flags, arguments);
    va_end(arguments);
    return openOrThrow("open64", path, flags, mode);
}
