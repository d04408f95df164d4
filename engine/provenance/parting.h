// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/provenance/sharing.h"

namespace temper {

/// A tensor that held several equal tensors of the exported module.
struct PartedTensor {
    std::string tensor;
    std::vector<std::string> made;  ///< the tensors that hold the others now
};

/// Exporters keep one of several initializers that are equal, which fresh layers often are: what
/// each node means by it, the operation that it was made for says. Each parameter gets a tensor of
/// its own again, under its name in the module, and so do constants among them. Also parts by node
/// what the user's choices name.
std::vector<PartedTensor> partMergedTensors(Graph& model, const OpCatalog& catalog,
                                            const SharingChoices& choices);

/// Running statistics that are one tensor with a parameter or with those of another norm, as those
/// of fresh layers are: each batch normalization gets tensors of its own for them.
void partStatistics(Graph& model);

}  // namespace temper
