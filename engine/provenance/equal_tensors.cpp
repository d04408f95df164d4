// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/equal_tensors.h"

#include <algorithm>

#include "engine/provenance/computed_weights.h"
#include "engine/provenance/tying.h"

namespace temper {
namespace {

using Names = std::vector<std::string>;

/// The sources of a result that was computed from another parameter in the same way.
Names sourcesWith(const std::string& parameter, const Value& tensor, const Evidence& evidence) {
    Names sources = foldedFrom(tensor);
    std::erase_if(sources, [&](const std::string& name) { return evidence.isParameter(name); });
    sources.push_back(parameter);
    return sources;
}

/// Whether the tensor has other numbers than its parameter, or more.
bool isDerived(const Value& tensor, const Evidence& evidence, const OpCatalog& catalog) {
    const Names& own = evidence.parametersIn(tensor);
    return isComputed(tensor, evidence, catalog) ||
           (own.size() == 1 && repetitionOf(tensor, own.front()));
}

}  // namespace

Value* addEqualTensor(Graph& graph, const OpCatalog& catalog, const Evidence& evidence,
                      const Value& tensor, const std::string& parameter) {
    const bool derives = isDerived(tensor, evidence, catalog);
    Value* made = graph.addInitializer(graph.uniqueName(derives ? tensor.name() : parameter),
                                       tensor.constant().clone());
    markFoldedFrom(*made, derives ? sourcesWith(parameter, tensor, evidence) : Names{parameter});
    return made;
}

}  // namespace temper
