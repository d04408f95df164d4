// SPDX-License-Identifier: Apache-2.0
#include "tests/support/case_log.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

namespace temper::test {
namespace {

/// The loss that a gradient check appends to the nodes of its case.
bool belongsToLoss(const Node& node) {
    const Value* output = node.output(0);
    return output != nullptr && output->name().starts_with("checked_");
}

/// Null if no log is requested.
const char* logFile() { return std::getenv("TEMPER_OPERATOR_CASES"); }

void append(const std::string& lines) { std::ofstream(logFile(), std::ios::app) << lines; }

std::string dtypesOf(const Node& node) {
    std::string text;
    for (const Value* input : node.inputs()) {
        if (input == nullptr || !input->type().isKnown()) continue;
        text += (text.empty() ? "" : " ") + std::string(dtypeName(input->type().dtype));
    }
    return text;
}

std::string shapesOf(const Node& node) {
    std::string text;
    for (const Value* input : node.inputs()) {
        if (input == nullptr || !input->type().shape) continue;
        text += (text.empty() ? "" : " ") + formatShape(*input->type().shape);
    }
    return text;
}

/// The operators of the backward nodes that a forward node's rule made.
std::string emittedFor(const Node& node, const Graph& backward) {
    std::string stem = node.name();
    for (const Value* output : node.outputs()) {
        if (stem.empty() && output != nullptr) stem = output->name();
    }
    stem += "_Grad/";
    std::set<std::string> operators;
    for (const Node* made : backward.nodes()) {
        if (made->isBackward() && made->name().starts_with(stem)) {
            operators.insert(made->qualifiedOp());
        }
    }
    std::string text;
    for (const std::string& op : operators) text += (text.empty() ? "" : ", ") + op;
    return text;
}

}  // namespace

void logOnnxCase(const Graph& model, const std::string& name) {
    if (logFile() == nullptr) return;
    std::string lines;
    for (const Node* node : model.nodes()) {
        lines += "onnx\t" + node->qualifiedOp() + "\t" + dtypesOf(*node) + "\t" + name + "\n";
    }
    append(lines);
}

void logGradientCase(const Graph& forward, const Graph& backward) {
    if (logFile() == nullptr) return;
    std::string lines;
    for (const Node* node : forward.nodes()) {
        if (belongsToLoss(*node)) continue;
        lines += "gradient\t" + node->qualifiedOp() + "\t" + shapesOf(*node) + "\t" +
                 emittedFor(*node, backward) + "\n";
    }
    append(lines);
}

}  // namespace temper::test
