// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/weight_hints.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <span>
#include <string_view>

#include "engine/core/joined.h"
#include "engine/core/shell_command.h"
#include "engine/ir/condition_inputs.h"
#include "engine/provenance/computed_weights.h"
#include "engine/provenance/folded_away.h"
#include "engine/provenance/sharing.h"
#include "engine/provenance/weight_slots.h"

namespace temper {
namespace {

Finding remark(const char* code, const Node& node, std::string message, std::string hint,
               std::vector<std::string> parameters) {
    message[0] = static_cast<char>(std::toupper(message[0]));
    return {code,
            Severity::Info,
            node.name(),
            node.qualifiedOp(),
            std::move(message),
            std::move(hint),
            std::move(parameters)};
}

std::string typed(const Value& value) {
    return "'" + value.name() + "' (" + formatType(value.type()) + ")";
}

/// W001 and W002.
void remarkOn(const Value& value, const ParameterInfo& info, const OpCatalog& catalog,
              std::vector<Finding>& findings) {
    if (info.parameterClass == ParameterClass::Trainable || value.constant().numElements() <= 1) {
        return;
    }
    const Node* reader = weightReader(value, catalog);
    if (reader == nullptr) return;
    if (info.trainsOnRequest && info.isWeight) {
        findings.push_back(remark(
            "W001", *reader,
            typed(value) + " is written into the model as a constant, and " + reader->describe() +
                " uses it as a weight: it is not trained.",
            "To train it, add its name or a pattern to the trainable parameters.", {value.name()}));
    } else if (info.parameterClass == ParameterClass::ShapeData && reader->opType() != "Gather") {
        findings.push_back(remark("W002", *reader,
                                  reader->describe() + " uses " + typed(value) +
                                      " as a weight: integers can't be trained.",
                                  "To train it, export the model before quantization.",
                                  {value.name()}));
    }
}

/// W003: floating-point tensors of some size, in all bodies of a node.
void collectWeights(const Node& node, std::vector<std::string>& names) {
    for (const auto& [key, attribute] : node.attributes()) {
        const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute);
        if (body == nullptr || *body == nullptr) continue;
        for (const Value* value : (*body)->initializers()) {
            const Tensor& data = value->constant();
            if (isFloating(data.dtype()) && data.numElements() > 1) names.push_back(value->name());
        }
        for (const Node* inner : (*body)->nodes()) collectWeights(*inner, names);
    }
}

void collectCaptured(const Graph& graph, const Node& node, std::vector<std::string>& names) {
    for (const Value* value : graph.capturedBy(node)) {
        if (value->isInitializer() && isFloating(value->type().dtype) &&
            value->constant().numElements() > 1) {
            names.push_back(value->name());
        }
    }
}

bool isControl(const Node& node, const OpCatalog& catalog) {
    return catalog.facts(node).family == OperatorFamily::Control;
}

/// Whether a control operator runs one of two bodies, rather than one body many times.
bool hasBranches(const Node& node) { return node.opType() == "If"; }

/// One boolean or number; data has more elements.
bool isSwitch(const Value* input) {
    const auto shape = input->type().shape ? concreteShape(*input->type().shape) : std::nullopt;
    return shape && numElements(*shape) == 1;
}

/// How to make parameters of the tensors in the bodies of a node.
std::string wayOutOfBodies(const Graph& graph, const Node& node, const OpCatalog& catalog) {
    if (!isControl(node, catalog)) {
        return "Export the model with the loop unrolled, or with an operator such as LSTM, to "
               "train them.";
    }
    if (!hasBranches(node)) return "Make them initializers of the main graph to train them.";
    const std::vector<const Value*> inputs = conditionInputs(graph, node, catalog);
    if (!std::ranges::all_of(inputs, isSwitch) || inputs.empty()) {
        return "Compute both branches (--replace If) to train them, if their results have the same "
               "shape.";
    }
    return "Set the input '" + inputs.front()->name() + "' to a constant (--fix-input " +
           shellCommand({inputs.front()->name() + "=VALUE"}) +
           "): the branch that it selects becomes part of the graph, and its weights are trained.";
}

/// "The branches of node '/if' (If) have 2 tensors of numbers of their own".
std::string tensorsOf(const Node& node, size_t count, bool isControl) {
    const std::string tensors =
        std::to_string(count) + (count == 1 ? " tensor" : " tensors") + " of numbers";
    if (!isControl) return "The body of " + node.describe() + " uses " + tensors;
    return hasBranches(node)
               ? "The branches of " + node.describe() + " have " + tensors + " of their own"
               : "The body of " + node.describe() + " has " + tensors + " of its own";
}

/// " ('a', 'b' and 3 more)".
std::string listOf(const std::vector<std::string>& names) {
    constexpr size_t kMax = 8;
    std::string list = joinedQuoted(std::span(names).first(std::min(names.size(), kMax)));
    if (names.size() > kMax) list += " and " + std::to_string(names.size() - kMax) + " more";
    return " (" + list + ")";
}

/// If, Loop and Scan have gradients for what their bodies read from the graph around them, not for
/// what is in them.
void remarkOnBodies(const Graph& graph, const OpCatalog& catalog, std::vector<Finding>& findings) {
    for (const Node* node : graph.nodes()) {
        std::vector<std::string> names;
        collectWeights(*node, names);
        const bool hasGradients = isControl(*node, catalog);
        if (!hasGradients) collectCaptured(graph, *node, names);
        if (names.empty()) continue;
        std::string message = tensorsOf(*node, names.size(), hasGradients) + listOf(names) +
                              ": they are not trained.";
        findings.push_back(remark("W003", *node, std::move(message),
                                  wayOutOfBodies(graph, *node, catalog), std::move(names)));
    }
}

/// Names that exporters give to what they computed: "onnx::Conv_497", "497", "..._fused_bn".
bool isMadeUp(const std::string& name) {
    const bool isNumber = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return std::isdigit(static_cast<unsigned char>(c)) != 0;
    });
    return isNumber || name.starts_with("onnx::Conv_") || name.ends_with("_fused_bn");
}

/// W004: a convolution whose weight and bias lost their names while the graph was folded, in a
/// model without batch normalization.
void remarkOnFolding(const Graph& graph, std::vector<Finding>& findings) {
    std::vector<std::string> names;
    const Node* first = nullptr;
    size_t count = 0;
    for (const Node* node : graph.nodes()) {
        if (node->opType() == "BatchNormalization") return;
        const Value* weight = node->input(1);
        const Value* bias = node->input(2);
        if (node->opType() != "Conv" || weight == nullptr || bias == nullptr) continue;
        if (!weight->isInitializer() || !bias->isInitializer()) continue;
        if (!isMadeUp(weight->name()) || !isMadeUp(bias->name())) continue;
        if (first == nullptr) first = node;
        ++count;
        names.insert(names.end(), {weight->name(), bias->name()});
    }
    if (first == nullptr) return;
    findings.push_back(
        remark("W004", *first,
               "The names of " + std::to_string(count) +
                   (count == 1 ? " convolution's" : " convolutions'") +
                   " weights were chosen by the exporter, and the model has no batch "
                   "normalization: it was probably merged into them.",
               "They can be trained as they are. To train batch normalization too, restore it with "
               "new statistics from the training samples (--restore-norm '*'), or export in "
               "training mode without constant folding (PyTorch: training=TrainingMode.TRAINING, "
               "do_constant_folding=False).",
               std::move(names)));
}

bool isNamedLikeStatistic(const std::string& name) {
    const auto endings = {"running_mean", "running_var", "moving_mean", "moving_variance"};
    return std::any_of(endings.begin(), endings.end(),
                       [&name](std::string_view ending) { return name.ends_with(ending); });
}

/// W005: a decomposed batch normalization leaves its statistics as parameters.
void remarkOnStatistics(const Graph& graph, const std::vector<ParameterInfo>& parameters,
                        std::vector<Finding>& findings) {
    std::vector<std::string> names;
    const Node* first = nullptr;
    for (const ParameterInfo& info : parameters) {
        const auto& uses = graph.at(info.name)->uses();
        const bool isTrained = info.parameterClass == ParameterClass::Trainable;
        if (!isTrained || uses.empty() || !isNamedLikeStatistic(info.name)) continue;
        if (first == nullptr) first = uses.front().node;
        names.push_back(info.name);
    }
    if (first == nullptr) return;
    std::string message = "'" + names.front() + "'";
    if (names.size() > 1) message += " and " + std::to_string(names.size() - 1) + " more";
    message += names.size() > 1 ? " are" : " is";
    findings.push_back(
        remark("W005", *first,
               message + " named like running statistics of a batch normalization that was "
                         "decomposed: gradients would train them like weights.",
               "Freeze them: statistics are measured, not trained.", std::move(names)));
}

std::vector<std::string> trainableOf(const std::vector<ParameterInfo>& parameters) {
    std::vector<std::string> names;
    for (const ParameterInfo& info : parameters)
        if (info.parameterClass == ParameterClass::Trainable) names.push_back(info.name);
    return names;
}

}  // namespace

std::vector<Finding> findHiddenWeights(const Graph& graph, const OpCatalog& catalog,
                                       const std::vector<ParameterInfo>& parameters) {
    std::vector<Finding> findings;
    for (const ParameterInfo& info : parameters) {
        remarkOn(*graph.at(info.name), info, catalog, findings);
    }
    remarkOnBodies(graph, catalog, findings);
    remarkOnFolding(graph, findings);
    remarkOnStatistics(graph, parameters, findings);
    std::ranges::move(findFoldedAway(graph, catalog), std::back_inserter(findings));
    std::ranges::move(findComputedWeights(graph, trainableOf(parameters)),
                      std::back_inserter(findings));
    std::ranges::move(findUnclearSharing(graph), std::back_inserter(findings));
    return findings;
}

}  // namespace temper
