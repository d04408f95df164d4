// SPDX-License-Identifier: Apache-2.0
#include "engine/core/file_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/core/error.h"

namespace temper {
namespace {

Error cannotBeRead(const std::string& name, const std::string& why) {
    return {ErrorCode::Io, "File '" + name + "' can't be read: " + why + "."};
}

Error changed(const std::string& name) {
    return {ErrorCode::Io,
            "File '" + name + "' was changed by another program while it was in use.",
            "Open it again."};
}

[[noreturn]] void throwOpenError(const std::filesystem::path& path) {
    if (errno == ENOENT || errno == ENOTDIR) {
        throw Error(ErrorCode::NotFound, "File '" + path.string() + "' does not exist.",
                    "Check the path.");
    }
    throw cannotBeRead(path.string(), std::strerror(errno));
}

bool isSameTime(const timespec& a, const timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

OpenedFile openForReading(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) throwOpenError(path);
    struct stat info = {};
    if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
        ::close(descriptor);
        throw Error(ErrorCode::InvalidInput, "'" + path.string() + "' is not a regular file.",
                    "Specify a file, not a folder, a pipe or a device.");
    }
    return {descriptor, static_cast<size_t>(info.st_size)};
}

std::shared_ptr<const FileReader> FileReader::open(const std::filesystem::path& path) {
    return std::make_shared<const FileReader>(openForReading(path).descriptor, path.string());
}

FileReader::FileReader(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)) {
    ::fstat(descriptor_, &opened_);
}

FileReader::~FileReader() { ::close(descriptor_); }

void FileReader::read(uint64_t offset, std::span<std::byte> target) const {
    while (!target.empty()) {
        const ssize_t got =
            ::pread(descriptor_, target.data(), target.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw cannotBeRead(name_, std::strerror(errno));
        if (got == 0) throw changed(name_);  // its size was checked before
        target = target.subspan(static_cast<size_t>(got));
        offset += static_cast<uint64_t>(got);
    }
}

void FileReader::announce(uint64_t offset, uint64_t bytes) const {
    ::posix_fadvise(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                    POSIX_FADV_WILLNEED);
}

void FileReader::requireUnchanged() const {
    struct stat now = {};
    const bool isSame = ::fstat(descriptor_, &now) == 0 && now.st_size == opened_.st_size &&
                        isSameTime(now.st_mtim, opened_.st_mtim);
    if (!isSame) throw changed(name_);
}

}  // namespace temper
