// SPDX-License-Identifier: Apache-2.0
#include "engine/core/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

/// "08:01:1234", the form in which /proc/locks names a file.
std::string placeOf(int descriptor) {
    struct stat info = {};
    if (::fstat(descriptor, &info) != 0) return {};
    char text[64];
    std::snprintf(text, sizeof text, "%02x:%02x:%llu", major(info.st_dev), minor(info.st_dev),
                  static_cast<unsigned long long>(info.st_ino));
    return text;
}

/// 0: unknown. A line is "1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF".
long processWithLock(const std::string& place) {
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        std::istringstream words(line);
        std::string number, kind, advisory, access, file;
        long process = 0;
        if (words >> number >> kind >> advisory >> access >> process >> file && kind == "FLOCK" &&
            file == place)
            return process;
    }
    return 0;
}

/// Throws: Error(Io) naming it.
int openFolder(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) return descriptor;
    throw Error(ErrorCode::Io,
                "Folder '" + folder.string() + "' can't be opened: " + std::strerror(errno) + ".",
                "Check its permissions.");
}

}  // namespace

bool isSameFile(int descriptor, const fs::path& path) {
    struct stat left = {}, right = {};
    return ::fstat(descriptor, &left) == 0 && ::lstat(path.c_str(), &right) == 0 &&
           left.st_ino == right.st_ino && left.st_dev == right.st_dev;
}

bool tryLock(int descriptor) {
    return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

std::string lockHolder(int descriptor) {
    const long process = processWithLock(placeOf(descriptor));
    if (process <= 0) return "another process";
    std::string name;
    std::ifstream comm("/proc/" + std::to_string(process) + "/comm");
    std::getline(comm, name);
    return "process " + std::to_string(process) + (name.empty() ? "" : " (" + name + ")");
}

FolderLock::FolderLock(const fs::path& folder) {
    ensureFolder(folder);
    descriptor_ = openFolder(folder);
    if (tryLock(descriptor_)) return;
    const std::string holder = lockHolder(descriptor_);
    ::close(descriptor_);
    throw Error(ErrorCode::State,
                "Folder '" + folder.string() + "' is in use: " + holder + " writes to it.",
                "Wait until it has finished, or choose another folder.");
}

FolderLock::~FolderLock() { ::close(descriptor_); }

bool FolderLock::isHeld(const fs::path& folder) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) return false;
    const int descriptor = openFolder(folder);
    const bool isFree = tryLock(descriptor);
    ::close(descriptor);
    return !isFree;
}

}  // namespace temper
