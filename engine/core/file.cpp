// SPDX-License-Identifier: Apache-2.0
#include "engine/core/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "engine/core/error.h"

namespace temper {
namespace {

std::string reason() { return std::strerror(errno); }

[[noreturn]] void throwOpenError(const std::filesystem::path& path) {
    if (errno == ENOENT || errno == ENOTDIR) {
        throw Error(ErrorCode::NotFound, "File '" + path.string() + "' does not exist.",
                    "Check the path.");
    }
    throw Error(ErrorCode::Io, "File '" + path.string() + "' can't be read: " + reason() + ".");
}

/// Opens a regular file for reading and gives its size.
std::pair<int, size_t> openForReading(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throwOpenError(path);
    struct stat info = {};
    if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
        ::close(descriptor);
        throw Error(ErrorCode::InvalidInput, "'" + path.string() + "' is not a regular file.",
                    "Name a file, not a folder or a device.");
    }
    return {descriptor, static_cast<size_t>(info.st_size)};
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
    }
    ::close(descriptor);
    return file;
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) ::munmap(data_, size_);
}

std::string readFile(const std::filesystem::path& path) {
    const auto [descriptor, size] = openForReading(path);
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
    // Not mkstemp(): its files have other permissions than new files and pass on to child
    // processes.
    std::random_device random;
    do {
        temporary_ = target_.string() + "." + std::to_string(random());
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) {
        throw Error(ErrorCode::Io,
                    "File '" + target_.string() + "' can't be written: " + reason() + ".",
                    "Check that the folder exists and that you may write to it.");
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
    const bool synced = ::fsync(descriptor_) == 0;
    const bool closed = ::close(std::exchange(descriptor_, -1)) == 0;
    if (!synced || !closed || ::rename(temporary_.c_str(), target_.c_str()) != 0) {
        throw Error(ErrorCode::Io,
                    "File '" + target_.string() + "' can't be written: " + reason() + ".");
    }
    temporary_.clear();
    std::filesystem::path folder = target_.parent_path();
    if (folder.empty()) folder = ".";
    const int folderDescriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folderDescriptor >= 0) {
        ::fsync(folderDescriptor);
        ::close(folderDescriptor);
    }
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
                    "Folder '" + folder.string() + "' can't be made: " +
                        (error ? error.message() : std::string("a file has this name")) + ".",
                    "Name another folder or check its permissions.");
    }
}

}  // namespace temper
