// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/op_catalog.h"
#include "engine/provenance/evidence.h"

namespace temper {

/// Whether a tensor holds something computed from parameters instead of their numbers, according to
/// the exporter's metadata.
bool isComputed(const Value& tensor, const Evidence& evidence, const OpCatalog& catalog);

/// S003, for models of PyTorch's exporter that lost its metadata: that they are missing, and of the
/// trainable tensors, those with the name of an operation. They were computed from parameters that
/// are not in the model.
std::vector<Finding> findComputedWeights(const Graph& model,
                                         const std::vector<std::string>& trainable);

}  // namespace temper
