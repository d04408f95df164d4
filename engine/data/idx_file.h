// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "engine/core/tensor.h"

namespace temper {

/// Reads an IDX array, the format of MNIST and its relatives; `name` is for errors.
/// Source: yann.lecun.com/exdb/mnist, "The IDX file format".
/// Throws: Error(InvalidInput) for a damaged file.
Tensor parseIdx(std::span<const std::byte> bytes, const std::string& name);

/// The labels that belong to an images file and the other way round, told from the name:
/// "train-images-idx3-ubyte.gz" and "train-labels-idx1-ubyte.gz"; nullopt for other names.
struct IdxPair {
    std::string images;
    std::string labels;
};
std::optional<IdxPair> idxPairOf(const std::string& path);

}  // namespace temper
