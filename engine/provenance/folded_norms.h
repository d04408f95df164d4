// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ir/op_catalog.h"

namespace temper {

/// A batch normalization of the exported module that the exporter merged into the layer before it.
struct FoldedNorm {
    std::string path;       ///< in the module: "layer1.0.bn1"
    double epsilon = 1e-5;  ///< the defaults are PyTorch's
    double momentum = 0.9;  ///< ONNX's: of the running statistics, not of the batch's
};

/// The one that `layer` computes now: the operation that it was made for is a batch normalization,
/// and the model does not have its running mean. Nothing without the exporter's metadata.
std::optional<FoldedNorm> foldedNormOf(const Graph& model, const OpCatalog& catalog,
                                       const Node& layer);

/// All of a model, in the order of the nodes.
std::vector<FoldedNorm> findFoldedNorms(const Graph& model, const OpCatalog& catalog);

}  // namespace temper
