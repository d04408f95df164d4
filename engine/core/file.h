// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/lost_pages.h"

namespace temper {

/// A file mapped read-only (private, copy-on-write) into memory. If another program truncates the
/// file, the lost part reads as zeros: see requireNoLostPages().
class MappedFile {
public:
    /// Throws: Error(NotFound) or Error(Io) naming the path.
    static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::span<const std::byte> bytes() const { return {data_, size_}; }

private:
    MappedFile() = default;
    std::byte* data_ = nullptr;
    size_t size_ = 0;
    std::optional<PageGuard> guard_;
};

/// The whole file, or its first `most` bytes. Throws: Error(NotFound) or Error(Io) naming the path.
std::string readFile(const std::filesystem::path& path,
                     size_t most = std::numeric_limits<size_t>::max());

/// Writes a file without a name (or, if the file system has no such files, under a temporary name
/// beside the target); commit() syncs it and puts it in the target's place. Without commit(), or if
/// the program is killed, the target stays as it was. The folder has to exist.
class AtomicFile {
public:
    /// Throws: Error(Io) naming the folder if it can't be written.
    explicit AtomicFile(std::filesystem::path target);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// Appends. Throws: Error(Io), e.g. for a full disk.
    void write(std::span<const std::byte> bytes);
    void write(std::string_view text);
    int64_t size() const { return size_; }

    /// Throws: Error(Io); the target then stays as it was.
    void commit();

private:
    bool putInPlace();

    std::filesystem::path target_;
    std::filesystem::path temporary_;  ///< empty: the file has no name
    int descriptor_ = -1;
    int64_t size_ = 0;
};

/// AtomicFile in one call.
void writeFileAtomically(const std::filesystem::path& target, std::string_view content);

/// Makes the folder and its parents if they are missing. Throws: Error(Io) naming it.
void ensureFolder(const std::filesystem::path& folder);

}  // namespace temper
