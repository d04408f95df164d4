// SPDX-License-Identifier: Apache-2.0
#include "engine/data/npz_rows.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/core/process_memory.h"
#include "engine/core/scratch_file.h"
#include "engine/data/npy_rows.h"
#include "engine/data/npz_archive.h"
#include "engine/data/npz_file.h"
#include "engine/data/zip_layout.h"

namespace temper {
namespace {

std::map<std::string, RowsPtr> inMemory(const std::map<std::string, Tensor>& arrays) {
    std::map<std::string, RowsPtr> rows;
    for (const auto& [name, tensor] : arrays) rows[name] = rowsOf(tensor);
    return rows;
}

/// Whether an uncompressed entry is at this place in the file.
bool liesAt(const FileReader& file, uint64_t offset, const NpzEntry& entry,
            const NpzArchive& archive) {
    if (!entry.isStored || offset > file.size() || entry.size > file.size() - offset) return false;
    const std::vector<std::byte> expected = archive.head(entry);
    std::vector<std::byte> found(expected.size());
    file.read(offset, found);
    return found == expected;
}

/// Verifies the checksum, as reading the array would.
void verify(const NpzArchive& archive, const NpzEntry& entry) {
    if (entry.size < memoryLimit() / 2) archive.unpack(entry, [](auto) {});
}

RowsPtr unpacked(const NpzArchive& archive, const NpzEntry& entry) {
    ScratchFile scratch(entry.label, entry.size);
    archive.unpack(entry, [&](std::span<const std::byte> piece) { scratch.write(piece); });
    return npyRowsIn(scratch.read(), 0, entry.header);
}

}  // namespace

std::map<std::string, RowsPtr> openNpzRows(const std::string& path, const FileResolver& resolver,
                                           size_t mostInMemory) {
    if (resolver) {
        if (const auto bytes = resolver(path)) return inMemory(parseNpz(*bytes, path));
    }
    const std::shared_ptr<const FileReader> file = FileReader::open(path);
    const NpzArchive archive(*file);
    const std::optional<std::vector<uint64_t>> offsets = entryOffsets(*file);
    std::map<std::string, RowsPtr> arrays;
    for (const NpzEntry& entry : archive.entries()) {
        RowsPtr& rows = arrays[entry.array];
        if (entry.size <= mostInMemory || entry.header.shape.empty()) {
            rows = rowsOf(archive.read(entry));
        } else if (offsets && entry.index < offsets->size() &&
                   liesAt(*file, (*offsets)[entry.index], entry, archive)) {
            verify(archive, entry);
            rows = npyRowsIn(file, (*offsets)[entry.index], entry.header);
        } else {
            rows = unpacked(archive, entry);
        }
    }
    return arrays;
}

}  // namespace temper
