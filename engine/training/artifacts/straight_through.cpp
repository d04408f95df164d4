// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/straight_through.h"

#include <algorithm>
#include <cctype>

#include "engine/core/joined.h"
#include "engine/core/name_pattern.h"

namespace temper {
namespace {

bool sameLetters(const std::string& a, const std::string& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
        return std::tolower(x) == std::tolower(y);
    });
}

bool isMeant(const std::string& choice, const Node& node) {
    if (sameLetters(choice, node.opType())) return true;
    if (!node.name().empty() && matchesPattern(choice, node.name())) return true;
    const Value* output = node.output(0);
    return output != nullptr && output->name() == choice;
}

std::string operatorList(const GradientRules& rules) {
    return joined(rules.straightThroughOperators());
}

Finding refusal(const std::string& choice, const Node* meant, const GradientRules& rules) {
    const std::string who = "'" + choice + "' can't pass the gradient straight through: ";
    Finding finding{"A010",
                    Severity::Error,
                    "",
                    "",
                    who + "no operator or node has this name.",
                    "Give an operator (" + operatorList(rules) +
                        ") or the name of such a node, patterns allowed.",
                    {}};
    if (meant == nullptr) return finding;
    finding.node = meant->name();
    finding.op = meant->qualifiedOp();
    finding.message = who + meant->describe() + " is not an operator that supports this.";
    return finding;
}

}  // namespace

StraightThroughNodes resolveStraightThrough(const Graph& graph, const GradientRules& rules,
                                            const std::vector<std::string>& choices) {
    StraightThroughNodes result;
    for (const std::string& choice : choices) {
        const Node* meant = nullptr;
        bool found = false;
        for (const Node* node : graph.nodes()) {
            if (!isMeant(choice, *node)) continue;
            meant = node;
            if (!rules.maySendStraightThrough(*node)) continue;
            found = true;
            result.outputs.push_back(node->output(0)->name());
        }
        if (!found) result.findings.push_back(refusal(choice, meant, rules));
    }
    return result;
}

}  // namespace temper
