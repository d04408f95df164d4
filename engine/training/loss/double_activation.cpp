// SPDX-License-Identifier: Apache-2.0
#include "engine/training/loss/double_activation.h"

#include <string_view>

#include "engine/ir/origin.h"

namespace temper {
namespace {

/// What a node of the loss does to its first input; empty where it is neither.
std::string_view appliedBy(const Node& node) {
    const std::string& op = node.opType();
    // The forms of opsets that have no losses yet.
    if (op.starts_with("SoftmaxCrossEntropyLoss")) return "softmax";
    if (!node.domain().empty()) return {};
    if (op == "LogSoftmax" || op == "Softmax") return "softmax";
    if (op == "Sigmoid" || op == "Softplus") return "sigmoid";  // of which softplus is the log
    return {};
}

/// The node that computed the numbers of the value; null for inputs and weights.
const Node* maker(const Value* value) {
    while (value != nullptr && value->producer() != nullptr &&
           passesNumbersOn(*value->producer())) {
        value = value->producer()->input(0);
    }
    return value == nullptr ? nullptr : value->producer();
}

Finding warning(std::string_view applied, const Node& made) {
    Finding found;
    found.code = "A013";
    found.severity = Severity::Warning;
    found.node = made.name();
    found.op = made.qualifiedOp();
    found.message = "The loss applies " + std::string(applied) + " itself, but what it reads, '" +
                    made.output(0)->name() + "', has been through " + made.opType() + " already.";
    found.hint = "Let the loss read '" + made.input(0)->name() + "', the input of " +
                 made.describe() + "; the model stays as it is.";
    return found;
}

}  // namespace

std::vector<Finding> findDoubleActivations(const Graph& withLoss, const GraphSet<Node>& own) {
    std::vector<Finding> findings;
    GraphSet<Node> reported;
    for (const Node* node : withLoss.nodes()) {
        if (own.contains(node) || appliedBy(*node).empty()) continue;
        const Node* made = maker(node->input(0));
        if (made == nullptr || !own.contains(made) || !made->domain().empty()) continue;
        if (made->opType() != "Softmax" && made->opType() != "Sigmoid") continue;
        if (reported.insert(made)) findings.push_back(warning(appliedBy(*node), *made));
    }
    return findings;
}

}  // namespace temper
