// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// The layer that determines a model's number of classes.
struct Head {
    std::string node;    ///< name, or that of its first output if it has none
    std::string op;      ///< "Gemm", "MatMul" or "Conv"
    std::string weight;  ///< name of the initializer
    std::string bias;    ///< or empty
    int64_t inputs = 0;  ///< input features of each class
    int64_t classes = 0;
};

/// The last matrix product or convolution before the model's only output, or before the named one;
/// only operators that reshape, pool or normalize may be between.
/// Throws: Error(InvalidInput) naming the node that is not a head, or the outputs to choose from.
Head findHead(const Graph& model, const OpCatalog& catalog, const std::string& output = {});

/// Gives the head another number of classes. Its weights are new, uniform in +-1/sqrt(inputs), the
/// same for the same seed. Types are inferred again.
/// Source: PyTorch, nn.Linear.reset_parameters() and nn.Conv2d.reset_parameters().
/// Throws: as findHead(); Error(InvalidInput) for a number below 1, for weights that are used
/// elsewhere, and naming the node after the head that needs the old number.
void replaceHead(Graph& model, const OpCatalog& catalog, int64_t classes, uint64_t seed,
                 const std::string& output = {});

}  // namespace temper
