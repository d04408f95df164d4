// SPDX-License-Identifier: Apache-2.0
#include "engine/core/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <random>
#include <tuple>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/file_lock.h"
#include "engine/core/file_reader.h"
#include "engine/core/output_check.h"

namespace temper {
namespace {

std::string reason() { return std::strerror(errno); }

std::filesystem::path folderOf(const std::filesystem::path& file) {
    return file.has_parent_path() ? file.parent_path() : ".";
}

std::string descriptorPath(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

/// A new file in the folder that has no name yet; -1 if the file system has no such files, or if it
/// could not get a name later.
int openUnnamed(const std::filesystem::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (descriptor < 0 || ::access(descriptorPath(descriptor).c_str(), F_OK) == 0)
        return descriptor;
    ::close(descriptor);
    return -1;
}

std::string randomName(const std::filesystem::path& target) {
    static std::atomic<uint32_t> number = std::random_device()();
    return target.string() + "." + std::to_string(++number);
}

/// Removes what a killed program left under its temporary name. A file in use is locked by its
/// writer; only the holder of its lock removes it.
bool removeLeftOver(const std::string& name) {
    const int descriptor = ::open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT;
    const bool isRemoved = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
                           isSameFile(descriptor, name) && ::unlink(name.c_str()) == 0;
    ::close(descriptor);
    return isRemoved;
}

bool linkTo(int descriptor, const std::string& name) {
    const std::string open = descriptorPath(descriptor);
    return ::linkat(AT_FDCWD, open.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

/// Gives an open file a name beside the target; empty if that fails. The name is always the same,
/// so that the next program removes what one killed at this point leaves; unless another program is
/// using it.
std::string nameUnnamed(int descriptor, const std::filesystem::path& target) {
    ::flock(descriptor, LOCK_EX | LOCK_NB);
    std::string name = target.string() + ".new";
    while (!linkTo(descriptor, name)) {
        if (errno != EEXIST) return {};
        if (!removeLeftOver(name)) name = randomName(target);
    }
    return name;
}

/// A new file beside the target. Not mkstemp(): its files have other permissions than new files and
/// are inherited by child processes.
std::pair<int, std::filesystem::path> openNamed(const std::filesystem::path& target) {
    for (;;) {
        const std::string name = randomName(target);
        const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) return {descriptor, name};
        if (errno != EEXIST) return {-1, {}};
    }
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
    const auto [descriptor, size] = openForReading(path);
    const std::shared_ptr<MappedFile> file(new MappedFile());
    file->size_ = size;
    if (size > 0) {
        void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
        if (data == MAP_FAILED) {
            const std::string why = reason();
            ::close(descriptor);
            throw Error(ErrorCode::Io,
                        "File '" + path.string() + "' can't be mapped: " + why + ".");
        }
        file->data_ = static_cast<std::byte*>(data);
        file->guard_.emplace(data, size, path);
    }
    ::close(descriptor);
    return file;
}

MappedFile::~MappedFile() {
    guard_.reset();
    if (data_ != nullptr) ::munmap(data_, size_);
}

std::string readFile(const std::filesystem::path& path, size_t most) {
    const auto [descriptor, fileSize] = openForReading(path);
    const size_t size = std::min(fileSize, most);
    std::string content(size, '\0');
    size_t done = 0;
    while (done < size) {
        const ssize_t got = ::read(descriptor, content.data() + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            const std::string why = reason();
            ::close(descriptor);
            throw Error(ErrorCode::Io, "File '" + path.string() + "' can't be read: " + why + ".");
        }
        if (got == 0) break;
        done += static_cast<size_t>(got);
    }
    ::close(descriptor);
    content.resize(done);
    return content;
}

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
    requireReplaceable(target_);
    // A file without a name disappears with the program, however that ends.
    descriptor_ = openUnnamed(folderOf(target_));
    if (descriptor_ < 0) std::tie(descriptor_, temporary_) = openNamed(target_);
    if (descriptor_ < 0) {
        throw Error(ErrorCode::Io,
                    "File '" + target_.string() + "' can't be written: " + reason() + ".",
                    "Check that the folder exists and is writable.");
    }
}

AtomicFile::~AtomicFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
    size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t put = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) {
            if (errno == EFAULT) requireNoLostPages();
            throw Error(ErrorCode::Io,
                        "File '" + target_.string() + "' can't be written: " + reason() + ".",
                        errno == ENOSPC ? "Free some space; nothing was changed." : "");
        }
        done += static_cast<size_t>(put);
    }
    size_ += static_cast<int64_t>(bytes.size());
}

void AtomicFile::write(std::string_view text) {
    write(std::as_bytes(std::span<const char>(text.data(), text.size())));
}

void AtomicFile::commit() {
    const bool isWritten = ::fsync(descriptor_) == 0 && putInPlace();
    const std::string why = reason();
    const bool isClosed = ::close(std::exchange(descriptor_, -1)) == 0;
    if (!isWritten || !isClosed) {
        throw Error(ErrorCode::Io, "File '" + target_.string() +
                                       "' can't be written: " + (isWritten ? reason() : why) + ".");
    }
    temporary_.clear();
    const int folder = ::open(folderOf(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        ::fsync(folder);
        ::close(folder);
    }
}

bool AtomicFile::putInPlace() {
    if (temporary_.empty()) {
        if (linkTo(descriptor_, target_.string())) return true;
        if (errno != EEXIST) return false;
        // A name can't be replaced by linking, so the file gets its own name first.
        temporary_ = nameUnnamed(descriptor_, target_);
    }
    return !temporary_.empty() && ::rename(temporary_.c_str(), target_.c_str()) == 0;
}

void writeFileAtomically(const std::filesystem::path& target, std::string_view content) {
    AtomicFile file(target);
    file.write(content);
    file.commit();
}

void ensureFolder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error || !std::filesystem::is_directory(folder)) {
        throw Error(ErrorCode::Io,
                    "Folder '" + folder.string() + "' can't be created: " +
                        (error ? error.message() : std::string("a file has this name")) + ".",
                    "Choose another folder or check its permissions.");
    }
}

}  // namespace temper
