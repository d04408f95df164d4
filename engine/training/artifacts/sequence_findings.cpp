// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/sequence_findings.h"

#include <algorithm>
#include <optional>
#include <string>

#include "engine/runtime/sequence_folding.h"

namespace temper {
namespace {

/// The first reason among the consumers of a node's outputs, or of the node itself.
std::optional<std::string> reasonAt(const Graph& model, const Node& node,
                                    const OpCatalog& catalog) {
    if (auto why = whyNotFolded(model, node, catalog)) return node.describe() + ": " + *why;
    for (const Value* output : node.outputs()) {
        if (output == nullptr) continue;
        if (output->isGraphOutput()) return "'" + output->name() + "' is an output of the model";
        for (const Value::Use& use : output->uses()) {
            if (!isOfSequences(*use.node)) return use.node->describe() + " reads the sequence";
            if (auto why = reasonAt(model, *use.node, catalog)) return why;
        }
    }
    return std::nullopt;
}

const Node* nodeOf(const Graph& model, const Finding& finding) {
    const auto nodes = model.nodes();
    const auto found = std::ranges::find_if(nodes, [&finding](const Node* node) {
        return node->qualifiedOp() == finding.op && node->name() == finding.node;
    });
    return found == nodes.end() ? nullptr : *found;
}

}  // namespace

void explainSequences(const Graph& model, const OpCatalog& catalog,
                      std::vector<Finding>& findings) {
    for (Finding& finding : findings) {
        if (finding.severity != Severity::Error || finding.op.empty()) continue;
        const Node* node = nodeOf(model, finding);
        if (node == nullptr || !isOfSequences(*node)) continue;
        const auto why = reasonAt(model, *node, catalog);
        if (!why) continue;
        finding.hint +=
            " Sequences become plain tensors if their contents are known; here, " + *why +
            ". Build them from single tensors (SequenceConstruct, SplitToSequence), read them in "
            "the same graph, and use tensors of one shape if the data selects among them.";
    }
}

}  // namespace temper
