// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "engine/core/file_reader.h"

namespace temper {

/// The folder for large temporary files: the one that TMPDIR names, else the system's; /var/tmp if
/// that one is in memory.
std::filesystem::path scratchFolder();

/// A temporary file without a name; it disappears with its last reader or with the program, however
/// that ends. It is written once, then read.
class ScratchFile {
public:
    /// `name`: the name of its content, for errors. `bytes`: its final size, 0 if unknown. Throws:
    /// Error(Io) naming the folder and what is missing there.
    explicit ScratchFile(std::string name, uint64_t bytes = 0);
    ~ScratchFile();
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;

    /// Appends. Throws: Error(Io) if the disk is full.
    void write(std::span<const std::byte> bytes);
    /// What was written; nothing can be written after that.
    std::shared_ptr<const FileReader> read();

private:
    std::string name_;
    std::filesystem::path folder_;
    int descriptor_ = -1;
    uint64_t size_ = 0;
};

}  // namespace temper
