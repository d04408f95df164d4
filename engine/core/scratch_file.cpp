// SPDX-License-Identifier: Apache-2.0
#include "engine/core/scratch_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "engine/core/counted.h"
#include "engine/core/error.h"

namespace temper {
namespace {

constexpr const char* kOnDisk = "/var/tmp";
constexpr const char* kHint = "Free some space there, or set TMPDIR to a folder on another disk.";

bool liesInMemory(const std::filesystem::path& folder) {
    struct statfs info = {};
    return ::statfs(folder.c_str(), &info) == 0 && info.f_type == TMPFS_MAGIC;
}

/// A new file that only its descriptor leads to; -1 with errno if that is not possible.
int openUnnamed(const std::filesystem::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return descriptor;
    std::string name = (folder / "temper-XXXXXX").string();
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) ::unlink(name.c_str());
    return named;
}

void requireRoom(const std::filesystem::path& folder, const std::string& name, uint64_t bytes) {
    std::error_code error;
    const std::filesystem::space_info space = std::filesystem::space(folder, error);
    if (error || space.available >= bytes) return;
    throw Error(ErrorCode::Io,
                "'" + name + "' needs a temporary file of " + counted(bytes, "byte") +
                    "; folder '" + folder.string() + "' has room for " +
                    std::to_string(space.available) + ".",
                kHint);
}

}  // namespace

std::filesystem::path scratchFolder() {
    const char* chosen = std::getenv("TMPDIR");
    if (chosen != nullptr && *chosen != '\0') return chosen;
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    return error || liesInMemory(folder) ? std::filesystem::path(kOnDisk) : folder;
}

ScratchFile::ScratchFile(std::string name, uint64_t bytes)
    : name_(std::move(name)), folder_(scratchFolder()) {
    requireRoom(folder_, name_, bytes);
    descriptor_ = openUnnamed(folder_);
    if (descriptor_ >= 0) return;
    throw Error(ErrorCode::Io,
                "'" + name_ + "' needs a temporary file, which can't be created in folder '" +
                    folder_.string() + "': " + std::strerror(errno) + ".",
                "Set TMPDIR to another folder.");
}

ScratchFile::~ScratchFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void ScratchFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) {
            throw Error(ErrorCode::Io,
                        "The temporary file for '" + name_ + "' in folder '" + folder_.string() +
                            "' can't be written after " + counted(size_, "byte") + ": " +
                            std::strerror(errno) + ".",
                        kHint);
        }
        bytes = bytes.subspan(static_cast<size_t>(put));
        size_ += static_cast<uint64_t>(put);
    }
}

std::shared_ptr<const FileReader> ScratchFile::read() {
    return std::make_shared<const FileReader>(std::exchange(descriptor_, -1), name_);
}

}  // namespace temper
