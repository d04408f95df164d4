// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace temper {

/// A regular file open for reading; the caller closes it.
struct OpenedFile {
    int descriptor = -1;
    size_t size = 0;
};

/// Does not wait for a writer if the name is that of a pipe.
/// Throws: Error(NotFound), Error(InvalidInput) if it is not a file, or Error(Io), naming the path.
OpenedFile openForReading(const std::filesystem::path& path);

/// A file that is read in pieces, at any position. Takes no memory and no addresses, whatever the
/// size of the file. Thread: any number of readers.
class FileReader {
public:
    /// Throws: as openForReading().
    static std::shared_ptr<const FileReader> open(const std::filesystem::path& path);
    /// Takes over the descriptor; `name` is for errors.
    FileReader(int descriptor, std::string name);
    ~FileReader();
    FileReader(const FileReader&) = delete;
    FileReader& operator=(const FileReader&) = delete;

    const std::string& name() const { return name_; }
    size_t size() const { return static_cast<size_t>(opened_.st_size); }
    int descriptor() const { return descriptor_; }

    /// Fills `target` from `offset` on. Throws: Error(Io) naming the file if it is shorter or can't
    /// be read.
    void read(uint64_t offset, std::span<std::byte> target) const;
    /// Announces what will be read soon: the disk begins to fetch it.
    void announce(uint64_t offset, uint64_t bytes) const;
    /// Throws: Error(Io) naming the file if another program has written to it since it was
    /// opened.
    void requireUnchanged() const;

private:
    int descriptor_;
    std::string name_;
    struct stat opened_ = {};
};

}  // namespace temper
