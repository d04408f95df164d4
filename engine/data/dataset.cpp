// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset.h"

#include <algorithm>
#include <cstring>

#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/data/csv_table.h"
#include "engine/data/hash.h"

namespace temper {

bool Column::hasNamedClasses() const {
    for (size_t i = 0; i < classes.size(); ++i) {
        if (classes[i] != std::to_string(i)) return true;
    }
    return false;
}

bool Column::hasRenumberedClasses() const {
    return hasNamedClasses() && std::ranges::all_of(classes, [](const std::string& text) {
               return parseNumber(text).has_value();
           });
}

size_t Column::bytesPerSample() const {
    return static_cast<size_t>(elementsPerSample()) * dtypeSize(dtype);
}

std::shared_ptr<const Dataset> Dataset::inEpoch(int64_t) const { return nullptr; }

uint64_t Dataset::fingerprint(int64_t sample) const {
    uint64_t hash = 0;
    for (size_t column = 0; column < columns().size(); ++column) {
        if (columns()[column].isTarget) continue;
        const Tensor values = get(sample, column);
        hash = hashBytes({values.data(), values.byteSize()}, hash);
    }
    return hash;
}

std::string Dataset::origin(int64_t) const { return {}; }

std::string Dataset::problem(int64_t, bool) const { return {}; }

std::string nameOfSample(const Dataset& data, int64_t sample) {
    const std::string origin = data.origin(sample);
    return origin.empty() ? "sample " + std::to_string(sample) + " (counted from 0)" : origin;
}

Tensor Dataset::batch(size_t column, std::span<const int64_t> samples) const {
    const Column& info = columns()[column];
    Shape shape = {static_cast<int64_t>(samples.size())};
    shape.insert(shape.end(), info.shape.begin(), info.shape.end());
    Tensor tensor(info.dtype, std::move(shape));
    read(column, samples, tensor.mutableData());
    return tensor;
}

Tensor Dataset::get(int64_t sample, size_t column) const {
    return batch(column, {&sample, 1}).reshaped(columns()[column].shape);
}

std::optional<size_t> Dataset::findColumn(std::string_view name) const {
    for (size_t i = 0; i < columns().size(); ++i) {
        if (columns()[i].name == name) return i;
    }
    return std::nullopt;
}

size_t Dataset::columnIndex(std::string_view name) const {
    if (const std::optional<size_t> index = findColumn(name)) return *index;
    throw Error(ErrorCode::NotFound, "The data has no column '" + std::string(name) + "'.",
                "Its columns are " + joinedQuoted(columns(), &Column::name) + ".");
}

ArrayDataset::ArrayDataset(std::vector<Column> columns, std::vector<RowsPtr> arrays)
    : columns_(std::move(columns)), arrays_(std::move(arrays)) {
    TEMPER_ASSERT(columns_.size() == arrays_.size(), "each column has its array");
    for (size_t i = 0; i < columns_.size(); ++i) {
        const Shape& shape = arrays_[i]->shape();
        if (shape.empty()) {
            throw Error(ErrorCode::InvalidInput,
                        "Column '" + columns_[i].name +
                            "' is a single number; expected an array whose "
                            "first dimension counts the samples.");
        }
        if (i > 0 && shape[0] != size_) {
            throw Error(ErrorCode::InvalidInput,
                        "Column '" + columns_[i].name + "' has " + counted(shape[0], "sample") +
                            "; '" + columns_[0].name + "' has " + std::to_string(size_) + ".",
                        "All columns need the same first dimension.");
        }
        size_ = shape[0];
        columns_[i].dtype = arrays_[i]->dtype();
        columns_[i].shape.assign(shape.begin() + 1, shape.end());
    }
}

void ArrayDataset::read(size_t column, std::span<const int64_t> samples, std::byte* target) const {
    arrays_[column]->read(samples, target);
}

static std::vector<RowsPtr> arraysOf(const std::vector<Tensor>& tensors) {
    std::vector<RowsPtr> arrays;
    for (const Tensor& tensor : tensors) arrays.push_back(rowsOf(tensor));
    return arrays;
}

TensorDataset::TensorDataset(std::vector<Column> columns, const std::vector<Tensor>& tensors)
    : ArrayDataset(std::move(columns), arraysOf(tensors)) {}

}  // namespace temper
