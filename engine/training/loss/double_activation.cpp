// SPDX-License-Identifier: Apache-2.0
#include "engine/training/loss/double_activation.h"

#include <string_view>

namespace temper {
namespace {

std::string_view nameOf(ProbabilityFunction function) {
    switch (function) {
        case ProbabilityFunction::Softmax: return "softmax";
        case ProbabilityFunction::Sigmoid: return "sigmoid";
        case ProbabilityFunction::None: break;
    }
    return {};
}

Finding warning(std::string_view applied, const Node& made) {
    Finding found;
    found.code = "A013";
    found.severity = Severity::Warning;
    found.node = made.name();
    found.op = made.qualifiedOp();
    found.message = "The loss applies " + std::string(applied) + " itself, but what it reads, '" +
                    made.output(0)->name() + "', is the result of " + made.opType() + ".";
    found.hint = "Let the loss read '" + made.input(0)->name() + "', the input of " +
                 made.describe() + "; the model stays as it is.";
    return found;
}

}  // namespace

const Node* makerOfNumbers(const Value* value, const OpCatalog& catalog) {
    while (value != nullptr && value->producer() != nullptr &&
           catalog.facts(*value->producer()).movesData) {
        value = value->producer()->input(0);
    }
    return value == nullptr ? nullptr : value->producer();
}

std::vector<Finding> findDoubleActivations(const Graph& withLoss, const OpCatalog& catalog,
                                           const GraphSet<Node>& own) {
    std::vector<Finding> findings;
    GraphSet<Node> reported;
    for (const Node* node : withLoss.nodes()) {
        const ProbabilityFunction applied = catalog.facts(*node).applies;
        if (own.contains(node) || applied == ProbabilityFunction::None) continue;
        const Node* made = makerOfNumbers(node->input(0), catalog);
        if (made == nullptr || !own.contains(made)) continue;
        if (!catalog.facts(*made).makesProbabilities) continue;
        if (reported.insert(made)) findings.push_back(warning(nameOf(applied), *made));
    }
    return findings;
}

}  // namespace temper
