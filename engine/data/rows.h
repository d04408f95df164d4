// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/core/file_reader.h"
#include "engine/core/tensor.h"

namespace temper {

/// An array whose first dimension counts rows, wherever it lies.
/// Thread: any number of readers.
class Rows {
public:
    Rows(DType dtype, Shape shape);
    virtual ~Rows() = default;

    DType dtype() const { return dtype_; }
    const Shape& shape() const { return shape_; }  ///< [rows, ...]; of a scalar []
    int64_t size() const { return shape_.empty() ? 1 : shape_.front(); }
    size_t bytesPerRow() const { return bytesPerRow_; }

    /// Copies the rows, one after the other, into `target`, which holds `rows.size() *
    /// bytesPerRow()` bytes.
    virtual void read(std::span<const int64_t> rows, std::byte* target) const = 0;
    /// Rows [begin, end) in memory.
    Tensor range(int64_t begin, int64_t end) const;

private:
    DType dtype_;
    Shape shape_;
    size_t bytesPerRow_;
};
using RowsPtr = std::shared_ptr<const Rows>;

/// Rows in memory.
RowsPtr rowsOf(Tensor tensor);

/// How rows lie in a file: row-major, without gaps.
struct StoredRows {
    std::shared_ptr<const FileReader> file;
    uint64_t offset = 0;
    DType dtype = DType::Undefined;
    Shape shape;
    size_t swapUnit = 1;  ///< bytes of elements to reverse together; 1 if the order is native
};

/// Rows that stay in their file until they are asked for. Those that are asked for together are
/// fetched from the disk together, in the order of their places.
/// read() throws: Error(Io) naming the file where it has changed since or can't be read.
RowsPtr rowsIn(StoredRows stored);

/// Rows as another element type: of a tensor at once, else when they are read.
RowsPtr castRows(RowsPtr rows, DType dtype);

/// The same rows under another shape of as many elements each.
RowsPtr reshaped(RowsPtr rows, Shape shape);

/// Rows of up to so many bytes in all are read into memory when a file is opened: what reads them
/// row by row would save little.
constexpr size_t kMaxInMemory = 64 << 20;

}  // namespace temper
