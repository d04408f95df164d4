// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/replacements/replacement.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/core/name_pattern.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/sequence_folding.h"

namespace temper {
namespace {

bool sameWord(const std::string& a, const std::string& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
        return std::tolower(x) == std::tolower(y);
    });
}

bool meansNode(const std::string& choice, const Node& node) {
    if (sameWord(choice, node.opType())) return true;
    if (!node.name().empty() && matchesPattern(choice, node.name())) return true;
    return std::ranges::any_of(node.outputs(), [&choice](const Value* output) {
        return output != nullptr && output->name() == choice;
    });
}

const Replacement* replacementOf(const Node& node) {
    if (!node.domain().empty()) return nullptr;
    for (const Replacement& each : replacements()) {
        if (std::ranges::find(each.operators, node.opType()) != each.operators.end()) return &each;
    }
    return nullptr;
}

std::string replaceableOperators() {
    return joined(replacements(), [](const Replacement& each) { return joined(each.operators); });
}

[[noreturn]] void refuseReplacement(const std::string& choice, const std::string& why) {
    throw Error(ErrorCode::InvalidInput, "'" + choice + "' can't be replaced: " + why + ".",
                "Give an operator (" + replaceableOperators() +
                    ") or the name of such a node, patterns allowed.");
}

/// The nodes that a choice matches; each can be replaced.
std::vector<std::string> outputsToReplace(const Graph& model, const std::string& choice) {
    const Node* other = nullptr;
    bool isSettled = false;
    std::vector<std::string> outputs;
    for (const Node* node : model.topologicalOrder()) {
        if (!meansNode(choice, *node)) continue;
        isSettled = isSettled || isOfSequences(*node);
        const Replacement* replacement = replacementOf(*node);
        if (replacement == nullptr) {
            other = node;
            continue;
        }
        if (const auto why = replacement->objection(model, *node)) {
            refuseReplacement(choice, node->describe() + ": " + *why);
        }
        outputs.push_back(node->output(0)->name());
    }
    if (!outputs.empty() || isSettled) return outputs;
    refuseReplacement(choice, other == nullptr
                                  ? std::string("no operator or node has this name")
                                  : other->describe() + " is not an operator with a replacement");
}

}  // namespace

const std::vector<Replacement>& replacements() {
    static const std::vector<Replacement> kReplacements = {
        conditionByWhere(),
    };
    return kReplacements;
}

const Replacement* replacementFor(const Graph& model, const Node& node) {
    const Replacement* replacement = replacementOf(node);
    if (replacement == nullptr || replacement->objection(model, node)) return nullptr;
    return replacement;
}

void offerReplacements(const Graph& model, std::vector<Finding>& findings) {
    for (Finding& found : findings) {
        if (!found.code.starts_with('G') || found.severity != Severity::Error) continue;
        for (const Node* node : model.nodes()) {
            if (node->qualifiedOp() != found.op || node->name() != found.node) continue;
            const Replacement* replacement = replacementFor(model, *node);
            if (replacement == nullptr) continue;
            found.hint += " Or replace it with operators that have a gradient: " + replacement->by +
                          " (--replace " + node->opType() + ").";
            break;
        }
    }
}

void replaceNodes(Graph& model, const OpCatalog& catalog, const std::vector<std::string>& choices) {
    if (choices.empty()) return;
    inferTypes(model, catalog);
    std::set<std::string> outputs;
    for (const std::string& choice : choices) {
        for (std::string& output : outputsToReplace(model, choice)) outputs.insert(output);
    }
    for (const std::string& output : outputs) {
        // A node may be gone after the replacement of another one.
        const Value* value = model.find(output);
        Node* node = value == nullptr ? nullptr : value->producer();
        const Replacement* replacement = node == nullptr ? nullptr : replacementFor(model, *node);
        if (replacement != nullptr) replacement->apply(model, node, catalog);
    }
    model.removeUnused();
    inferTypes(model, catalog);
}

}  // namespace temper
