// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/ops/operator_table/operator_table.h"

#include <algorithm>

#include "engine/runtime/sequence_folding.h"
#include "engine/runtime/specialization.h"

namespace temper::test {
namespace {

/// Results that are never floating-point numbers, whatever the inputs are.
bool givesIntegers(const std::string& op) {
    static const std::set<std::string> kOperators = {
        "And",
        "ArgMax",
        "ArgMin",
        "BitShift",
        "BitwiseAnd",
        "BitwiseNot",
        "BitwiseOr",
        "BitwiseXor",
        "Equal",
        "Greater",
        "IsInf",
        "IsNaN",
        "GreaterOrEqual",
        "Less",
        "LessOrEqual",
        "Not",
        "NonZero",
        "Or",
        "Shape",
        "Size",
        "Xor",
        "NonMaxSuppression",
        "Multinomial",
        "SequenceLength",
        "OptionalHasElement",
        "All",
        "IsAllFinite",
        "IsFinite",
    };
    return kOperators.contains(op);
}

/// Operators on quantized numbers whose gradients nothing passes on.
bool isOnIntegers(const std::string& op) { return op == "QAttention" || op == "NhwcMaxPool"; }

/// It generates numbers from a shape, labels, a seed or nothing.
bool hasNoNumbersToFollow(const OpInfo& info) {
    return info.nonDifferentiableInputs.size() == info.maxInputs;
}

bool isOfTraining(const OperatorRow& row) {
    if (row.op.ends_with("Grad") || row.domain == "temper") return true;
    return row.domain == kMicrosoftDomain && (row.op.find("Grad") != std::string::npos ||
                                              row.op.find("Optimizer") != std::string::npos ||
                                              row.op.find("Accumulator") != std::string::npos ||
                                              row.op.find("Internal") != std::string::npos);
}

std::string whyNone(const OperatorRow& row, const OpInfo& info) {
    if (isOfTraining(row)) return "none: part of training graphs";
    if (givesIntegers(row.op) || isOnIntegers(row.op)) return "none: integers or booleans";
    if (hasNoNumbersToFollow(info)) return "none: does not depend on numbers";
    return "none: no rule";
}

std::string gradientOf(const OpSet& ops, const Node& node, const OperatorRow& row,
                       const OpInfo& info) {
    const GradientRules::Summary summary = ops.gradients.summaryOf(row.domain, row.op);
    if (summary.maySendStraightThrough) return std::string(kZeroGradient);
    if (summary.never) return "none: " + summary.never->reason;
    if (summary.hasRule || summary.hasTrainingForm) return "yes";
    if (isOfSequences(node) && !givesIntegers(row.op) && !hasNoNumbersToFollow(info))
        return "yes, by operators on tensors, if their number is known";
    const bool mayPass = !isOfTraining(row) && !givesIntegers(row.op) && !isOnIntegers(row.op);
    return ops.gradients.isLowered(node) && mayPass ? "yes, by simpler operators"
                                                    : whyNone(row, info);
}

std::string forwardOf(const OpSet& ops, const Node& node, const OpInfo& info) {
    if (ops.cpuKernels.knows(node) || isInlined(node)) return "yes";
    return info.lower != nullptr ? "by simpler operators" : "types only";
}

}  // namespace

std::vector<OperatorRow> operatorRows(const OpSet& ops) {
    std::vector<OperatorRow> rows;
    Graph graph;
    for (const OpInfo* info : ops.catalog.all()) {
        // The registries are queried by node.
        const Node* node =
            graph.addNode({info->opType, {}, {graph.uniqueName("y")}, {}, info->domain});
        OperatorRow row{info->domain, info->opType, forwardOf(ops, *node, *info), {}};
        row.gradient = gradientOf(ops, *node, row, *info);
        rows.push_back(std::move(row));
    }
    std::sort(rows.begin(), rows.end(), [](const OperatorRow& a, const OperatorRow& b) {
        return std::tie(a.domain, a.op) < std::tie(b.domain, b.op);
    });
    return rows;
}

}  // namespace temper::test
