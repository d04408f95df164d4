// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/provenance/sharing.h"

namespace temper {

/// A layer that the exporter computed together with another, and its tensors.
struct RepeatedLayer {
    std::string module;  ///< "blocks.0.norm2"
    std::string first;   ///< the output of the node that computed both
    std::vector<std::string> made;
};

/// Exporters compute equal expressions once: two fresh norms of one value are one node. Nodes that
/// were made for the other norm name a value that the graph does not have. If exactly one norm of
/// the module near such a node is missing in the model, it gets a separate node and parameters.
std::vector<RepeatedLayer> restoreRepeatedLayers(Graph& model, const OpCatalog& catalog,
                                                 const SharingChoices& choices);

}  // namespace temper
