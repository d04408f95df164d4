// SPDX-License-Identifier: Apache-2.0
#include "engine/data/clean_data.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "engine/data/pieces.h"

namespace temper {
namespace {

constexpr int64_t kPiece = 256;

/// Bytes are always finite, and pictures costly to decode.
bool needsCheck(const Column& column) {
    return column.dtype == DType::Float32 || column.dtype == DType::Float64;
}

/// How many values of the column are classes, counted from 0; nothing if it has none.
std::optional<int64_t> classesIn(const Column& column, const TargetForm& model) {
    const bool hasClasses = model.kind == TargetForm::Kind::Classes && model.classes > 0;
    if (hasClasses && holdsClassIndices(column, model.classes)) return model.classes;
    if (column.classes.empty()) return std::nullopt;
    return std::ssize(column.classes);
}

bool isValid(double value, std::optional<int64_t> classes) {
    if (!std::isfinite(value)) return false;
    return !classes || (value >= 0 && value < static_cast<double>(*classes));
}

void markInvalid(const Column& column, std::optional<int64_t> classes, int64_t begin,
                 const Tensor& piece, std::vector<bool>& isBad) {
    const auto perSample = static_cast<size_t>(column.elementsPerSample());
    visitDType(piece.dtype(), [&]<typename T>() {
        const std::span<const T> values = piece.values<T>();
        for (size_t i = 0; i < values.size(); ++i) {
            if (isValid(static_cast<double>(values[i]), classes)) continue;
            isBad[static_cast<size_t>(begin) + i / perSample] = true;
        }
    });
}

}  // namespace

bool holdsClassIndices(const Column& column, int64_t classes) {
    if (!column.isTarget || !isInteger(column.dtype) || column.elementsPerSample() != 1)
        return false;
    const auto named = std::min(column.classes.size(), static_cast<size_t>(classes));
    for (size_t i = 0; i < named; ++i) {
        if (column.classes[i] != std::to_string(i)) return false;
    }
    return true;
}

std::vector<int64_t> validSamples(const Dataset& data, const TargetForm& model) {
    std::vector<bool> isBad(static_cast<size_t>(data.size()), false);
    for (size_t i = 0; i < data.columns().size(); ++i) {
        const Column& column = data.columns()[i];
        const std::optional<int64_t> classes = classesIn(column, model);
        if (!classes && !needsCheck(column)) continue;
        forEachPiece(data, i, [&](int64_t begin, const Tensor& piece) {
            markInvalid(column, classes, begin, piece, isBad);
        });
    }
    std::vector<int64_t> valid;
    for (size_t i = 0; i < isBad.size(); ++i) {
        if (!isBad[i]) valid.push_back(static_cast<int64_t>(i));
    }
    return valid;
}

std::vector<uint64_t> fingerprints(const Dataset& data, const Cancelled& cancelled) {
    std::vector<uint64_t> result;
    for (int64_t i = 0; i < data.size(); ++i) {
        if (i % kPiece == 0 && cancelled && cancelled()) break;
        result.push_back(data.fingerprint(i));
    }
    return result;
}

std::vector<int64_t> newSamples(const Dataset& data, std::set<uint64_t>& seen) {
    std::vector<int64_t> samples;
    const std::vector<uint64_t> all = fingerprints(data);
    for (size_t i = 0; i < all.size(); ++i) {
        if (seen.insert(all[i]).second) samples.push_back(static_cast<int64_t>(i));
    }
    return samples;
}

}  // namespace temper
