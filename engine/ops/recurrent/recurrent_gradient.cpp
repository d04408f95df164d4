// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>
#include <vector>

#include "engine/ops/recurrent/recurrent_forms_gradient.h"

namespace temper {
namespace {

/// More steps than this would make a graph that takes longer to prepare than to run.
constexpr int64_t kMaxUnrolledSteps = 1024;

/// What keeps a node without a training operator from being unrolled.
std::optional<NonDifferentiable> whyNotUnrolled(const Node& node,
                                                const RecurrentAttributes& attributes) {
    const auto steps = fixedTimeSteps(node, attributes);
    const std::string form = "this form of " + node.opType() +
                             " is differentiated step by step, and its number of time steps is ";
    if (!steps) {
        return NonDifferentiable{form + "not fixed",
                                 "Export the model with a fixed sequence length, or freeze the "
                                 "parameters before it."};
    }
    if (*steps >= 1 && *steps <= kMaxUnrolledSteps) return std::nullopt;
    return NonDifferentiable{
        form + std::to_string(*steps) + "; expected 1 to " + std::to_string(kMaxUnrolledSteps),
        "Export the model with shorter sequences, or freeze the parameters "
        "before it."};
}

bool readsCells(const Node& node) {
    const Value* cells = node.output(2);
    return cells != nullptr && !cells->uses().empty();
}

std::optional<NonDifferentiable> whyNotSized(const Node& node,
                                             const RecurrentAttributes& attributes) {
    if (hiddenSizeOf(node, attributes)) return std::nullopt;
    return NonDifferentiable{"its hidden size is unknown",
                             "Export the model with the attribute 'hidden_size'."};
}

[[noreturn]] void refuse(const Node& node, const NonDifferentiable& why) {
    throw Error(ErrorCode::Unsupported, node.describe() + " has no gradient: " + why.reason + ".",
                why.remedy);
}

std::optional<NonDifferentiable> check(const Node& node) {
    const auto attributes = RecurrentAttributes::of(node);
    if (const auto why = whyNotSized(node, attributes)) return why;
    if (fitsTrainingOperator(node, attributes, readsCells(node))) return std::nullopt;
    return whyNotUnrolled(node, attributes);
}

/// Masks and the states at the ends of sequences need operators of opset 11; if they are missing,
/// steps are masked one by one.
bool needsNewerOpset(const Graph& graph, const Node& node) {
    return node.input(kInputLengths) != nullptr && graph.info().onnxOpset() < 11;
}

void makeDifferentiable(Graph& graph, Node* node) {
    const auto attributes = RecurrentAttributes::of(*node);
    const Value* cells = node->output(2);
    if (const auto why = whyNotSized(*node, attributes)) refuse(*node, *why);
    const bool wantsCells = readsCells(*node) || (cells != nullptr && cells->isGraphOutput());
    if (fitsTrainingOperator(*node, attributes, wantsCells) && !needsNewerOpset(graph, *node)) {
        return toTrainingOperators(graph, node);
    }
    if (const auto why = whyNotUnrolled(*node, attributes)) refuse(*node, *why);
    unroll(graph, node);
}

/// ORT's kernel computes dW and dR whether they are wanted or not.
/// Source: spec gradients 9.8, training_ops 11.2.
Gradients lstmTrainingGradient(const GradientContext& node) {
    const std::vector<Var> gradients = node.emitter().add(
        kMicrosoftDomain, "LSTMGrad",
        {node.input(0), node.input(1), node.input(2), Var(), node.input(kInputInitialH),
         node.input(kInputInitialC), node.output(0), node.output(3), node.output(4),
         node.outputGradient(0), node.outputGradient(1), node.outputGradient(2)},
        {{"hidden_size", node.attribute<int64_t>("hidden_size", 0)}},
        {node.needs(kInputX), true, true, node.needs(kInputB), node.needs(kInputInitialH),
         node.needs(kInputInitialC)});
    return {gradients[0], gradients[1], gradients[2], gradients[3],
            Var(),        gradients[4], gradients[5]};
}

/// Source: spec gradients 9.8, training_ops 11.4.
Gradients gruTrainingGradient(const GradientContext& node) {
    const std::vector<Var> gradients = node.emitter().add(
        kMicrosoftDomain, "GRUGrad",
        {node.input(0), node.input(1), node.input(2), node.input(kInputB), Var(),
         node.input(kInputInitialH), node.output(0), node.output(2), node.outputGradient(0),
         node.outputGradient(1)},
        {{"hidden_size", node.attribute<int64_t>("hidden_size", 0)},
         {"linear_before_reset", node.attribute<int64_t>("linear_before_reset", 0)}},
        {node.needs(kInputX), true, true, node.needs(kInputB), node.needs(kInputInitialH)});
    return {gradients[0], gradients[1], gradients[2], gradients[3], Var(), gradients[4]};
}

std::vector<int64_t> constantOf(const Value* value) {
    if (value == nullptr || value->constant().dtype() != DType::Int64) return {};
    const auto values = value->constant().values<int64_t>();
    return {values.begin(), values.end()};
}

/// SliceGrad over a whole dimension, backwards: a reversal.
bool isReversal(const Node& node) {
    const std::vector<int64_t> back = {-1}, end = constantOf(node.input(3));
    return constantOf(node.input(2)) == back && constantOf(node.input(5)) == back &&
           end == std::vector<int64_t>{std::numeric_limits<int64_t>::min() + 1};
}

/// dx = zeros with dy at the slice  =>  the gradient of dy is that slice. Slice goes backwards from
/// opset 10 on; before that, a reversal is undone by another one.
Gradients sliceGradGradient(const GradientContext& node) {
    std::vector<Var> inputs = {node.outputGradient(0)};
    if (node.opset() < 10) {
        if (!isReversal(node.node())) {
            throw Error(ErrorCode::Unsupported, "SliceGrad has no gradient before opset 10.",
                        "Export the model with opset 10 or later.");
        }
        inputs.push_back(node.input(1));
    }
    for (size_t i = 2; i < node.inputCount(); ++i) inputs.push_back(node.input(i));
    return {node.opset() < 10 ? node.emitter().msOp("SliceGrad", inputs)
                              : node.emitter().op("Slice", inputs)};
}

std::optional<int64_t> dimension(const Value* value, size_t axis) {
    if (value == nullptr || !value->type().shape || axis >= value->type().shape->size()) {
        return std::nullopt;
    }
    const Dim& dim = (*value->type().shape)[axis];
    return dim.isNumber() ? std::optional(dim.value) : std::nullopt;
}

}  // namespace

std::optional<int64_t> fixedTimeSteps(const Node& node, const RecurrentAttributes& attributes) {
    return dimension(node.input(kInputX), attributes.batchFirst ? 1 : 0);
}

std::optional<int64_t> hiddenSizeOf(const Node& node, const RecurrentAttributes& attributes) {
    return attributes.hiddenSize ? attributes.hiddenSize : dimension(node.input(kInputR), 2);
}

Value* timeFirst(Subgraph& graph, const RecurrentAttributes& attributes, Value* x) {
    return attributes.batchFirst ? graph.transpose(x, {1, 0, 2}) : x;
}

Value* directionFirst(Subgraph& graph, const RecurrentAttributes& attributes, Value* state) {
    if (state == nullptr || !attributes.batchFirst) return state;
    return graph.transpose(state, {1, 0, 2});
}

Value* sequenceInLayout(Subgraph& graph, const RecurrentAttributes& attributes, Value* y) {
    if (y == nullptr || !attributes.batchFirst) return y;
    return graph.transpose(y, {2, 0, 1, 3});
}

Value* stateInLayout(Subgraph& graph, const RecurrentAttributes& attributes, Value* state) {
    return directionFirst(graph, attributes, state);
}

void addRecurrentGradients(GradientRules& rules) {
    for (const char* op : {"RNN", "LSTM", "GRU"}) {
        rules.addTrainingForm(kOnnxDomain, op, makeDifferentiable);
        rules.addCheck(kOnnxDomain, op, check);
    }
    rules.add(kMicrosoftDomain, "SliceGrad", sliceGradGradient);
    rules.add(kMicrosoftDomain, "LSTMTraining", lstmTrainingGradient);
    rules.add(kMicrosoftDomain, "GRUTraining", gruTrainingGradient);
}

}  // namespace temper
