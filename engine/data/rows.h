// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/core/file_reader.h"
#include "engine/core/tensor.h"

namespace temper {

/// An array whose first dimension counts rows, wherever it is stored.
/// Thread: any number of readers.
class Rows {
public:
    Rows(DType dtype, Shape shape);
    virtual ~Rows() = default;

    DType dtype() const { return dtype_; }
    const Shape& shape() const { return shape_; }  ///< [rows, ...]; [] for a scalar
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

/// How rows are stored in a file: row-major, without gaps.
struct StoredRows {
    std::shared_ptr<const FileReader> file;
    uint64_t offset = 0;
    DType dtype = DType::Undefined;
    Shape shape;
    size_t swapUnit = 1;  ///< bytes of elements to reverse together; 1 if the order is native
};

/// Rows that stay in their file until they are requested. Rows requested together are read from the
/// disk together, in file order.
/// read() throws: Error(Io) naming the file if it has changed since or can't be read.
RowsPtr rowsIn(StoredRows stored);

/// Rows as another element type: a tensor is converted at once, others when they are read.
RowsPtr castRows(RowsPtr rows, DType dtype);

/// The same rows in another shape with as many elements each.
RowsPtr reshaped(RowsPtr rows, Shape shape);

/// Rows of up to this many bytes in total are read into memory when a file is opened: reading them
/// row by row would save little.
constexpr size_t kMaxInMemory = 64 << 20;

}  // namespace temper
