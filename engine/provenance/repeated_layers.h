// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/provenance/sharing.h"

namespace temper {

/// A norm or a parameter that the exporter computed together with an equal one.
struct RepeatedLayer {
    std::string name;               ///< "blocks.0.norm2", "embeddings.distillation_token"
    std::vector<std::string> made;  ///< its tensors
};

/// Exporters compute equal expressions once: two fresh norms of one value are one node, and so are
/// two tokens of zeros that are expanded. Nodes that were made for the other one name a value that
/// the graph does not have. If exactly one norm or parameter of the module near such a node is
/// missing in the model, it gets a separate node and tensors.
std::vector<RepeatedLayer> restoreRepeatedLayers(Graph& model, const OpCatalog& catalog,
                                                 const SharingChoices& choices);

}  // namespace temper
