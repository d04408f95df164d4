// SPDX-License-Identifier: Apache-2.0
#include "engine/data/rows.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/data/byte_order.h"

namespace temper {
namespace {

size_t rowBytes(DType dtype, const Shape& shape) {
    const Shape row(shape.begin() + (shape.empty() ? 0 : 1), shape.end());
    return static_cast<size_t>(numElements(row)) * dtypeSize(dtype);
}

class TensorRows : public Rows {
public:
    explicit TensorRows(Tensor tensor)
        : Rows(tensor.dtype(), tensor.shape()), tensor_(std::move(tensor)) {}

    const Tensor& tensor() const { return tensor_; }

    void read(std::span<const int64_t> rows, std::byte* target) const override {
        const size_t bytes = bytesPerRow();
        if (bytes == 0) return;
        for (const int64_t row : rows) {
            std::memcpy(target, tensor_.data() + static_cast<size_t>(row) * bytes, bytes);
            target += bytes;
        }
    }

private:
    Tensor tensor_;
};

/// Rows that are consecutive in the file and in the request.
struct Stretch {
    int64_t row = 0;
    size_t place = 0;  ///< of the first one, within the request
    size_t count = 0;
};

/// In file order.
std::vector<Stretch> stretchesOf(std::span<const int64_t> rows) {
    std::vector<Stretch> stretches;
    for (size_t i = 0; i < rows.size(); ++i) {
        const bool follows = i > 0 && rows[i] == rows[i - 1] + 1;
        if (!follows) stretches.push_back({rows[i], i, 0});
        ++stretches.back().count;
    }
    std::ranges::stable_sort(stretches, {}, &Stretch::row);
    return stretches;
}

class FileRows : public Rows {
public:
    explicit FileRows(StoredRows stored)
        : Rows(stored.dtype, stored.shape), stored_(std::move(stored)) {}

    void read(std::span<const int64_t> rows, std::byte* target) const override {
        const std::vector<Stretch> stretches = stretchesOf(rows);
        if (stretches.size() > 1) {
            for (const Stretch& each : stretches)
                stored_.file->announce(offsetOf(each), bytesOf(each));
        }
        for (const Stretch& each : stretches) {
            std::byte* const place = target + each.place * bytesPerRow();
            stored_.file->read(offsetOf(each), {place, bytesOf(each)});
        }
        stored_.file->requireUnchanged();
        finish({target, rows.size() * bytesPerRow()});
    }

private:
    uint64_t offsetOf(const Stretch& stretch) const {
        return stored_.offset + static_cast<uint64_t>(stretch.row) * bytesPerRow();
    }
    size_t bytesOf(const Stretch& stretch) const { return stretch.count * bytesPerRow(); }

    void finish(std::span<std::byte> bytes) const {
        swapByteOrder(bytes, stored_.swapUnit);
        if (dtype() == DType::Bool) normalizeBools(bytes);
    }

    StoredRows stored_;
};

class ConvertedRows : public Rows {
public:
    ConvertedRows(RowsPtr rows, DType dtype) : Rows(dtype, rows->shape()), rows_(std::move(rows)) {}

    void read(std::span<const int64_t> rows, std::byte* target) const override {
        const Shape row(shape().begin() + 1, shape().end());
        Tensor stored(rows_->dtype(), {std::ssize(rows), numElements(row)});
        rows_->read(rows, stored.mutableData());
        const Tensor converted = stored.cast(dtype());
        if (converted.byteSize() > 0) std::memcpy(target, converted.data(), converted.byteSize());
    }

private:
    RowsPtr rows_;
};

class ReshapedRows : public Rows {
public:
    ReshapedRows(RowsPtr rows, Shape shape)
        : Rows(rows->dtype(), std::move(shape)), rows_(std::move(rows)) {}

    void read(std::span<const int64_t> rows, std::byte* target) const override {
        rows_->read(rows, target);
    }

private:
    RowsPtr rows_;
};

}  // namespace

Rows::Rows(DType dtype, Shape shape)
    : dtype_(dtype), shape_(std::move(shape)), bytesPerRow_(rowBytes(dtype_, shape_)) {}

Tensor Rows::range(int64_t begin, int64_t end) const {
    std::vector<int64_t> rows(static_cast<size_t>(end - begin));
    std::iota(rows.begin(), rows.end(), begin);
    Shape shape = shape_;
    if (!shape.empty()) shape.front() = end - begin;
    Tensor tensor(dtype_, std::move(shape));
    read(rows, tensor.mutableData());
    return tensor;
}

RowsPtr rowsOf(Tensor tensor) { return std::make_shared<const TensorRows>(std::move(tensor)); }

RowsPtr rowsIn(StoredRows stored) { return std::make_shared<const FileRows>(std::move(stored)); }

RowsPtr castRows(RowsPtr rows, DType dtype) {
    if (rows->dtype() == dtype) return rows;
    if (const auto* inMemory = dynamic_cast<const TensorRows*>(rows.get()))
        return rowsOf(inMemory->tensor().cast(dtype));
    return std::make_shared<const ConvertedRows>(std::move(rows), dtype);
}

RowsPtr reshaped(RowsPtr rows, Shape shape) {
    TEMPER_ASSERT(numElements(shape) == numElements(rows->shape()) && shape[0] == rows->size(),
                  "rows keep their number and size");
    return std::make_shared<const ReshapedRows>(std::move(rows), std::move(shape));
}

}  // namespace temper
