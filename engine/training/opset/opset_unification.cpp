// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "engine/core/error.h"
#include "engine/ir/body_types.h"
#include "engine/ir/type_inference.h"
#include "engine/training/opset/opset_conversion.h"
#include "engine/training/opset/opset_upgrade.h"
#include "engine/training/opset/opset_walk.h"

namespace temper {
namespace {

using Body = std::shared_ptr<const Graph>;

/// Visits nodes in bodies, too.
void forEachNode(Graph& graph, const std::function<void(Node&)>& change) {
    for (Node* node : graph.nodes()) {
        change(*node);
        for (const auto& [name, attribute] : Attributes(node->attributes())) {
            const Body* body = std::get_if<Body>(&attribute);
            if (body == nullptr || *body == nullptr) continue;
            const std::shared_ptr<Graph> copy = (*body)->clone();
            forEachNode(*copy, change);
            node->setAttribute(name, Body(copy));
        }
    }
}

void requireKnown(const std::string& owner, int64_t version) {
    if (version >= kOldestOpset && version <= kNewestOpset) return;
    throw Error(ErrorCode::Unsupported,
                owner + " uses version " + std::to_string(version) +
                    " of ONNX's operators; a model and its functions may have different versions "
                    "from " +
                    std::to_string(kOldestOpset) + " to " + std::to_string(kNewestOpset) + ".",
                "Export the model with all functions in one opset, or without functions.");
}

struct OpsetRange {
    int64_t oldest = 0;
    int64_t newest = 0;
};

OpsetRange opsetsOf(Graph& model) {
    const int64_t own = model.info().onnxOpset();
    requireKnown("The model", own);
    OpsetRange range{own, own};
    forEachNode(model, [&range](const Node& node) {
        const ForeignOpset* foreign = node.foreignOpset();
        if (foreign == nullptr) return;
        requireKnown("Function '" + foreign->function + "'", foreign->version);
        range.oldest = std::min(range.oldest, foreign->version);
        range.newest = std::max(range.newest, foreign->version);
    });
    return range;
}

/// Treats the model as one of the oldest opset: all newer nodes are then foreign.
void beginWithOldest(Graph& model, int64_t oldest) {
    const ModelInfo before = model.info();
    setOpset(model, oldest);
    forEachNode(model, [&](Node& node) {
        if (!node.domain().empty()) return;
        const int64_t version = before.opsetOf(node);
        const std::string function =
            node.foreignOpset() == nullptr ? "" : node.foreignOpset()->function;
        node.setForeignOpset(std::make_shared<const ForeignOpset>(
            ForeignOpset{function, version == oldest ? 0 : version}));
    });
}

void requireSoundTypes(Graph& model, const OpCatalog& catalog) {
    for (const Finding& finding : inferTypes(model, catalog)) {
        if (finding.severity == Severity::Error)
            throw Error(ErrorCode::InvalidInput, finding.message, finding.hint);
    }
}

}  // namespace

void unifyOpsets(Graph& model, const OpCatalog& catalog) {
    raiseOpset(model);
    const OpsetRange range = opsetsOf(model);
    requireSoundTypes(model, catalog);
    typeBodies(model, catalog);
    beginWithOldest(model, range.oldest);
    walkOpset(model, catalog, range.newest);
    forEachNode(model, [](Node& node) { node.setForeignOpset(nullptr); });
    model.info().irVersion = std::max(model.info().irVersion, irVersionOf(range.newest));
    requireSoundTypes(model, catalog);
}

std::function<void(Graph&)> opsetUnifier(const OpCatalog& catalog) {
    return [&catalog](Graph& model) { unifyOpsets(model, catalog); };
}

}  // namespace temper
