// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "engine/core/tensor.h"

namespace temper {

/// The header of an IDX array, whose elements are big-endian.
struct IdxHeader {
    DType dtype = DType::Undefined;
    Shape shape;
    size_t dataOffset = 0;
};

/// Enough bytes for any header.
constexpr size_t kIdxHeadBytes = 4 + 4 * 255;

/// Throws: Error(InvalidInput) if it is not such an array.
IdxHeader parseIdxHeader(std::span<const std::byte> bytes, const std::string& name);

/// Reads an IDX array, the format of MNIST and its relatives; `name` is for errors.
/// Source: yann.lecun.com/exdb/mnist, "The IDX file format".
/// Throws: Error(InvalidInput) for a damaged file.
Tensor parseIdx(std::span<const std::byte> bytes, const std::string& name);

/// The labels file of an images file and vice versa, derived from the name:
/// "train-images-idx3-ubyte.gz" and "train-labels-idx1-ubyte.gz"; nullopt for other names.
struct IdxPair {
    std::string images;
    std::string labels;
};
std::optional<IdxPair> idxPairOf(const std::string& path);

}  // namespace temper
