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

/// Exporters keep only one of several equal initializers, which fresh layers often have: the
/// operation that a node was made for says which one it means. Each parameter gets a separate
/// tensor again, under its name in the module, and so do constants among them. Also splits by node
/// what the user's choices name.
std::vector<PartedTensor> partMergedTensors(Graph& model, const OpCatalog& catalog,
                                            const SharingChoices& choices);

/// Running statistics that are one tensor with a parameter or with those of another norm, as those
/// of fresh layers are: each batch normalization gets separate tensors for them.
void partStatistics(Graph& model, const OpCatalog& catalog);

}  // namespace temper
