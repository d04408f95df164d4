// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/file_reader.h"
#include "engine/core/tensor.h"
#include "engine/data/npy_header.h"
#include "engine/data/zip_handles.h"

namespace temper {

/// One array of an archive, not yet read.
struct NpzEntry {
    uint64_t index = 0;  ///< within the archive
    std::string array;   ///< its name, without ".npy"
    std::string label;   ///< for errors
    uint64_t size = 0;   ///< bytes of the NPY file
    bool isStored = false;
    NpyHeader header;
};

/// An NPZ archive with its directory and headers read and checked: the size of the entries is known
/// and not more than an honest archive of this size can hold.
class NpzArchive {
public:
    /// Throws: Error(InvalidInput), Error(Unsupported) naming the archive and the array.
    NpzArchive(std::span<const std::byte> bytes, std::string name);
    explicit NpzArchive(const FileReader& file);

    const std::vector<NpzEntry>& entries() const { return entries_; }
    /// The decompressed array. Throws: Error(InvalidInput) if it is damaged.
    Tensor read(const NpzEntry& entry) const;
    /// The first bytes of the decompressed NPY file.
    std::vector<std::byte> head(const NpzEntry& entry) const;
    /// Calls take() with the decompressed NPY file, piece by piece. Throws: Error(InvalidInput) if
    /// it is damaged.
    void unpack(const NpzEntry& entry,
                const std::function<void(std::span<const std::byte>)>& take) const;

private:
    void readDirectory(size_t archiveSize);

    std::string name_;
    ZipArchive archive_;
    std::vector<NpzEntry> entries_;
};

}  // namespace temper
