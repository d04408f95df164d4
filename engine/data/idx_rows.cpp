// SPDX-License-Identifier: Apache-2.0
#include "engine/data/idx_rows.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engine/core/scratch_file.h"
#include "engine/data/gzip.h"
#include "engine/data/idx_file.h"

namespace temper {
namespace {

std::vector<std::byte> headOf(const FileReader& file) {
    std::vector<std::byte> head(std::min(file.size(), kIdxHeadBytes));
    file.read(0, head);
    return head;
}

RowsPtr rowsInFile(std::shared_ptr<const FileReader> file) {
    const IdxHeader header = parseIdxHeader(headOf(*file), file->name());
    requireElements(file->name(), file->size() - header.dataOffset, header.shape, header.dtype);
    return rowsIn(
        {std::move(file), header.dataOffset, header.dtype, header.shape, dtypeSize(header.dtype)});
}

/// Keeps what is decompressed in memory while it is small.
class Unpacked {
public:
    Unpacked(std::string name, size_t mostInMemory)
        : name_(std::move(name)), mostInMemory_(mostInMemory) {}

    void add(std::span<const std::byte> piece) {
        if (!scratch_ && small_.size() + piece.size() > mostInMemory_) {
            scratch_.emplace(name_);
            scratch_->write(std::exchange(small_, {}));
        }
        if (scratch_) return scratch_->write(piece);
        small_.insert(small_.end(), piece.begin(), piece.end());
    }

    RowsPtr rows() {
        return scratch_ ? rowsInFile(scratch_->read()) : rowsOf(parseIdx(small_, name_));
    }

private:
    std::string name_;
    size_t mostInMemory_;
    std::vector<std::byte> small_;
    std::optional<ScratchFile> scratch_;
};

}  // namespace

RowsPtr openIdxRows(const std::string& path, const FileResolver& resolver, size_t mostInMemory) {
    if (resolver && resolver(path))
        return rowsOf(parseIdx(openUnpacked(path, resolver).bytes, path));
    std::shared_ptr<const FileReader> file = FileReader::open(path);
    if (isGzip(headOf(*file))) {
        Unpacked unpacked(path, mostInMemory);
        unpackGzip(*file, [&unpacked](std::span<const std::byte> piece) { unpacked.add(piece); });
        return unpacked.rows();
    }
    if (file->size() <= mostInMemory) return rowsOf(parseIdx(openDataFile(path).bytes, path));
    return rowsInFile(std::move(file));
}

}  // namespace temper
