// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/body_check.h"

#include <algorithm>

#include "engine/core/counted.h"
#include "engine/ir/inlining.h"

namespace temper {
namespace {

using Problem = std::optional<std::string>;

Problem wrongInputs(const Graph& body, const char* attribute, size_t given) {
    if (body.inputs().size() == given) return std::nullopt;
    return "passes its " + std::string(attribute) + " " + counted(given, "input") + "; that has " +
           std::to_string(body.inputs().size());
}

/// ONNX Runtime has a value for each of them: none may be omitted, not even at the end.
Problem wrongOutputs(const Node& node, const char* attribute, size_t made) {
    if (node.outputs().size() != made) {
        return "has " + counted(node.outputs().size(), "output") + "; its " + attribute +
               " makes " + std::to_string(made);
    }
    if (made == 0) return "has no outputs; it needs at least one";
    const auto omitted = std::ranges::find(node.outputs(), nullptr);
    if (omitted == node.outputs().end()) return std::nullopt;
    return "leaves out its output " + std::to_string(omitted - node.outputs().begin()) +
           ", which its " + attribute + " makes";
}

Problem branchProblem(const Node& node, const char* attribute) {
    const Graph& branch = bodyOf(node, attribute);
    if (auto problem = wrongInputs(branch, attribute, 0)) return problem;
    return wrongOutputs(node, attribute, branch.outputs().size());
}

Problem ifProblem(const Node& node) {
    if (auto problem = branchProblem(node, "then_branch")) return problem;
    return branchProblem(node, "else_branch");
}

/// `states` enter and leave each iteration, `leading` outputs are the loop's own.
Problem stateProblem(const Node& node, size_t states, size_t leading) {
    const size_t made = bodyOf(node, "body").outputs().size();
    if (made < leading + states) {
        return "has " + counted(states, "state") + "; its body has " + counted(made, "output") +
               " and needs " + std::to_string(leading + states);
    }
    return wrongOutputs(node, "body", made - leading);
}

/// Inputs: the iteration number, the condition and the states; outputs: the condition and the
/// states.
Problem loopProblem(const Node& node) {
    const size_t inputs = std::max<size_t>(node.inputs().size(), 2);
    if (auto problem = wrongInputs(bodyOf(node, "body"), "body", inputs)) return problem;
    return stateProblem(node, inputs - 2, 1);
}

Problem scanProblem(const Node& node, int64_t opset) {
    const auto scanned = node.attribute<int64_t>("num_scan_inputs", 0);
    const size_t given = node.inputs().size() - (opset < 9 ? 1 : 0);
    if (scanned < 1 || static_cast<size_t>(scanned) > given) {
        return "has " + counted(given, "input") + " and scans " + std::to_string(scanned) +
               " of them (num_scan_inputs)";
    }
    if (auto problem = wrongInputs(bodyOf(node, "body"), "body", given)) return problem;
    return stateProblem(node, given - static_cast<size_t>(scanned), 0);
}

Problem mapProblem(const Node& node) {
    const Graph& body = bodyOf(node, "body");
    if (auto problem = wrongInputs(body, "body", node.inputs().size())) return problem;
    return wrongOutputs(node, "body", body.outputs().size());
}

}  // namespace

Problem bodyProblemOf(const Node& node, int64_t opset) {
    if (node.domain() != kOnnxDomain) return std::nullopt;
    if (node.opType() == "If") return ifProblem(node);
    if (node.opType() == "Loop") return loopProblem(node);
    if (node.opType() == "Scan") return scanProblem(node, opset);
    if (node.opType() == "SequenceMap") return mapProblem(node);
    return std::nullopt;
}

}  // namespace temper
