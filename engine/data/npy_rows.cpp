// SPDX-License-Identifier: Apache-2.0
#include "engine/data/npy_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/core/scratch_file.h"
#include "engine/data/npy_file.h"

namespace temper {
namespace {

/// The memory used at a time while an array is converted to rows.
constexpr size_t kBlockBytes = 32 << 20;

/// The places of a row's elements within it, in the order in which Fortran counts them.
std::vector<size_t> placesOf(const Shape& row) {
    std::vector<size_t> places(static_cast<size_t>(numElements(row)));
    Shape strides(row.size(), 1);
    for (size_t axis = row.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * row[axis];
    Shape index(row.size(), 0);
    int64_t place = 0;
    for (size_t& each : places) {
        each = static_cast<size_t>(place);
        for (size_t axis = 0; axis < row.size(); ++axis) {
            place += strides[axis];
            if (++index[axis] < row[axis]) break;
            place -= strides[axis] * row[axis];
            index[axis] = 0;
        }
    }
    return places;
}

/// Rows [begin, begin + count) of a column-major array: in the file each element of a row is
/// followed by the same element of the next row.
void readScattered(const FileReader& file, uint64_t offset, const NpyHeader& header,
                   const std::vector<size_t>& places, int64_t begin, std::span<std::byte> block) {
    const size_t size = dtypeSize(header.dtype), rowBytes = places.size() * size;
    const size_t count = block.size() / rowBytes;
    std::vector<std::byte> column(count * size);
    for (size_t element = 0; element < places.size(); ++element) {
        const auto first = static_cast<uint64_t>(header.shape[0]) * element;
        file.read(offset + (first + static_cast<uint64_t>(begin)) * size, column);
        for (size_t row = 0; row < count; ++row) {
            std::memcpy(block.data() + row * rowBytes + places[element] * size,
                        column.data() + row * size, size);
        }
    }
}

std::shared_ptr<const FileReader> rowMajor(const FileReader& file, uint64_t offset,
                                           const NpyHeader& header) {
    const std::vector<size_t> places =
        placesOf(Shape(header.shape.begin() + 1, header.shape.end()));
    const size_t rowBytes = places.size() * dtypeSize(header.dtype);
    const auto rows = static_cast<uint64_t>(header.shape[0]);
    ScratchFile scratch(file.name(), rows * rowBytes);
    const uint64_t perBlock = std::max<uint64_t>(1, kBlockBytes / rowBytes);
    std::vector<std::byte> block;
    for (uint64_t begin = 0; begin < rows; begin += perBlock) {
        block.resize(static_cast<size_t>(std::min(perBlock, rows - begin)) * rowBytes);
        readScattered(file, offset, header, places, static_cast<int64_t>(begin), block);
        scratch.write(block);
    }
    return scratch.read();
}

}  // namespace

NpyHeader readNpyHeader(const FileReader& file, uint64_t offset, uint64_t bytes,
                        const std::string& name) {
    std::vector<std::byte> head(static_cast<size_t>(std::min<uint64_t>(bytes, kNpyHeadBytes)));
    file.read(offset, head);
    NpyHeader header = parseNpyHeader(head, name);
    requireElements(name, bytes - header.dataOffset, header.shape, header.dtype);
    return header;
}

RowsPtr npyRowsIn(std::shared_ptr<const FileReader> file, uint64_t offset,
                  const NpyHeader& header) {
    offset += header.dataOffset;
    if (header.fortranOrder && header.shape.size() > 1 && numElements(header.shape) > 0) {
        file = rowMajor(*file, offset, header);
        offset = 0;
    }
    return rowsIn({std::move(file), offset, header.dtype, header.shape, header.swapUnit});
}

RowsPtr openNpyRows(const std::string& path, const FileResolver& resolver, size_t mostInMemory) {
    if (resolver) {
        if (const auto bytes = resolver(path)) return rowsOf(parseNpy(*bytes, path));
    }
    const std::shared_ptr<const FileReader> file = FileReader::open(path);
    const NpyHeader header = readNpyHeader(*file, 0, file->size(), path);
    if (file->size() <= mostInMemory || header.shape.empty()) return rowsOf(readNpy(path));
    return npyRowsIn(file, 0, header);
}

}  // namespace temper
