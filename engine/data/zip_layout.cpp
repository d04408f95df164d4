// SPDX-License-Identifier: Apache-2.0
#include "engine/data/zip_layout.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "engine/data/byte_order.h"

namespace temper {
namespace {

using Bytes = std::vector<std::byte>;

constexpr uint64_t kLocalHeader = 0x04034b50, kDirectoryEntry = 0x02014b50;
constexpr uint64_t kEnd = 0x06054b50, kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr size_t kLocalSize = 30, kEntrySize = 46, kEndSize = 22, kEnd64Size = 56;
constexpr size_t kLocatorSize = 20, kMaxComment = 0xFFFF;
constexpr uint64_t kSee64 = 0xFFFFFFFF;  ///< the number is in a 64-bit field elsewhere
constexpr uint64_t kExtra64 = 1;

/// The little-endian number of `size` bytes at `at`, which must be within `bytes`.
uint64_t number(std::span<const std::byte> bytes, size_t at, size_t size) {
    return littleEndian(bytes.subspan(at, size));
}

std::optional<Bytes> readAt(const FileReader& file, uint64_t offset, uint64_t bytes) {
    if (offset > file.size() || bytes > file.size() - offset) return std::nullopt;
    Bytes content(static_cast<size_t>(bytes));
    file.read(offset, content);
    return content;
}

struct Directory {
    uint64_t entries = 0;
    uint64_t size = 0;
    uint64_t offset = 0;
};

/// The 64-bit numbers before the end record at `end`.
std::optional<Directory> directory64(const FileReader& file, uint64_t end) {
    if (end < kLocatorSize) return std::nullopt;
    const auto locator = readAt(file, end - kLocatorSize, kLocatorSize);
    if (!locator || number(*locator, 0, 4) != kLocator64) return std::nullopt;
    const auto record = readAt(file, number(*locator, 8, 8), kEnd64Size);
    if (!record || number(*record, 0, 4) != kEnd64) return std::nullopt;
    return Directory{number(*record, 32, 8), number(*record, 40, 8), number(*record, 48, 8)};
}

/// Found by the end record, which only a comment follows.
std::optional<Directory> findDirectory(const FileReader& file) {
    const uint64_t most = std::min<uint64_t>(file.size(), kEndSize + kMaxComment);
    const uint64_t begin = file.size() - most;
    const auto tail = readAt(file, begin, most);
    for (size_t left = kEndSize; left <= most; ++left) {
        const auto end = std::span<const std::byte>(*tail).last(left);
        if (number(end, 0, 4) != kEnd || number(end, 20, 2) != left - kEndSize) continue;
        Directory directory{number(end, 10, 2), number(end, 12, 4), number(end, 16, 4)};
        const bool isLarge =
            directory.entries == 0xFFFF || directory.size == kSee64 || directory.offset == kSee64;
        return isLarge ? directory64(file, file.size() - left) : directory;
    }
    return std::nullopt;
}

/// The offset of the local header in the extra field of an entry. The 64-bit numbers are there in a
/// fixed order, but only those that did not fit.
std::optional<uint64_t> offset64(std::span<const std::byte> entry,
                                 std::span<const std::byte> extra) {
    while (extra.size() >= 4) {
        const uint64_t size = number(extra, 2, 2);
        if (size > extra.size() - 4) return std::nullopt;
        const auto field = extra.subspan(4, static_cast<size_t>(size));
        if (number(extra, 0, 2) == kExtra64) {
            size_t at = 0;
            for (const size_t before : {24, 20}) at += number(entry, before, 4) == kSee64 ? 8 : 0;
            if (at + 8 > field.size()) return std::nullopt;
            return number(field, at, 8);
        }
        extra = extra.subspan(4 + field.size());
    }
    return std::nullopt;
}

/// The offset of the content after a local header.
std::optional<uint64_t> contentOffset(const FileReader& file, uint64_t header) {
    const auto local = readAt(file, header, kLocalSize);
    if (!local || number(*local, 0, 4) != kLocalHeader) return std::nullopt;
    return header + kLocalSize + number(*local, 26, 2) + number(*local, 28, 2);
}

}  // namespace

std::optional<std::vector<uint64_t>> entryOffsets(const FileReader& archive) {
    const auto directory = findDirectory(archive);
    if (!directory) return std::nullopt;
    const auto bytes = readAt(archive, directory->offset, directory->size);
    if (!bytes) return std::nullopt;
    std::span<const std::byte> left(*bytes);
    std::vector<uint64_t> offsets;
    while (left.size() >= kEntrySize && number(left, 0, 4) == kDirectoryEntry) {
        const size_t name = number(left, 28, 2), extra = number(left, 30, 2);
        const size_t size = kEntrySize + name + extra + number(left, 32, 2);
        if (size > left.size()) return std::nullopt;
        std::optional<uint64_t> header = number(left, 42, 4);
        if (*header == kSee64) header = offset64(left, left.subspan(kEntrySize + name, extra));
        const auto content = header ? contentOffset(archive, *header) : std::nullopt;
        if (!content) return std::nullopt;
        offsets.push_back(*content);
        left = left.subspan(size);
    }
    if (offsets.size() != directory->entries) return std::nullopt;
    return offsets;
}

}  // namespace temper
