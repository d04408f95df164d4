// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/recurrent/recurrent.h"
#include "engine/core/counted.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace temper {
namespace {

/// A name, what it stands for, and its default parameters: those of the ONNX operator of that name,
/// or those without effect.
struct NamedActivation {
    const char* name;
    RecurrentActivation activation;
    bool takesAlpha;
    bool takesBeta;
};

constexpr NamedActivation kActivations[] = {
    {"relu", {ActivationKind::Relu}, false, false},
    {"tanh", {ActivationKind::Tanh}, false, false},
    {"sigmoid", {ActivationKind::Sigmoid}, false, false},
    {"affine", {ActivationKind::Affine, 1, 0}, true, true},
    {"leakyrelu", {ActivationKind::LeakyRelu, 0.01F}, true, false},
    {"thresholdedrelu", {ActivationKind::ThresholdedRelu, 1}, true, false},
    {"scaledtanh", {ActivationKind::ScaledTanh, 1, 1}, true, true},
    {"hardsigmoid", {ActivationKind::HardSigmoid, 0.2F, 0.5F}, true, true},
    {"elu", {ActivationKind::Elu, 1}, true, false},
    {"softsign", {ActivationKind::Softsign}, false, false},
    {"softplus", {ActivationKind::Softplus}, false, false},
};

std::vector<RecurrentActivation> defaultActivations(CellKind kind) {
    const RecurrentActivation sigmoid{ActivationKind::Sigmoid}, tanh{ActivationKind::Tanh};
    switch (kind) {
        case CellKind::Lstm: return {sigmoid, tanh, tanh};
        case CellKind::Gru: return {sigmoid, tanh};
        case CellKind::Rnn: break;
    }
    return {tanh};
}

[[noreturn]] void failAttribute(const Node& node, const std::string& message) {
    throw Error(ErrorCode::InvalidInput, "Attribute " + message + " at " + node.describe() + ".");
}

const NamedActivation& namedActivation(const Node& node, std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const NamedActivation& known : kActivations) {
        if (name == known.name) return known;
    }
    failAttribute(
        node, "'activations' names '" + name + "', which is not a recurrent activation of ONNX");
}

/// Alpha and beta are consumed in order by the activations that have them.
std::vector<RecurrentActivation> namedActivations(const Node& node,
                                                  const std::vector<std::string>& names) {
    const auto alphas = node.attribute<std::vector<float>>("activation_alpha", {});
    const auto betas = node.attribute<std::vector<float>>("activation_beta", {});
    size_t alpha = 0, beta = 0;
    std::vector<RecurrentActivation> result;
    for (const std::string& name : names) {
        const NamedActivation known = namedActivation(node, name);
        result.push_back(known.activation);
        if (known.takesAlpha && alpha < alphas.size()) result.back().alpha = alphas[alpha++];
        if (known.takesBeta && beta < betas.size()) result.back().beta = betas[beta++];
    }
    return result;
}

void readDirection(const Node& node, RecurrentAttributes& attributes) {
    const auto direction = node.attribute<std::string>("direction", "forward");
    attributes.startsForward = direction != "reverse";
    attributes.directions = direction == "bidirectional" ? 2 : 1;
    if (direction == "forward" || direction == "reverse" || direction == "bidirectional") return;
    failAttribute(node, "'direction' is '" + direction +
                            "'; expected 'forward', 'reverse' or 'bidirectional'");
}

void readActivations(const Node& node, RecurrentAttributes& attributes) {
    const auto names = node.attribute<std::vector<std::string>>("activations", {});
    const std::vector<RecurrentActivation> defaults = defaultActivations(attributes.kind);
    if (names.empty()) {
        for (int64_t d = 0; d < attributes.directions; ++d) {
            attributes.activations.insert(attributes.activations.end(), defaults.begin(),
                                          defaults.end());
        }
        return;
    }
    const size_t expected = defaults.size() * static_cast<size_t>(attributes.directions);
    if (names.size() != expected) {
        failAttribute(node, "'activations' has " + counted(names.size(), "name") + "; expected " +
                                std::to_string(expected));
    }
    attributes.activations = namedActivations(node, names);
}

}  // namespace

int64_t gateCount(CellKind kind) {
    switch (kind) {
        case CellKind::Lstm: return 4;
        case CellKind::Gru: return 3;
        case CellKind::Rnn: break;
    }
    return 1;
}

CellKind cellKindOf(const Node& node) {
    if (node.opType().starts_with("LSTM")) return CellKind::Lstm;
    return node.opType().starts_with("GRU") ? CellKind::Gru : CellKind::Rnn;
}

RecurrentAttributes RecurrentAttributes::of(const Node& node) {
    RecurrentAttributes attributes;
    attributes.kind = cellKindOf(node);
    readDirection(node, attributes);
    attributes.hiddenSize = node.attribute<int64_t>("hidden_size");
    if (attributes.hiddenSize && *attributes.hiddenSize < 1) {
        failAttribute(node, "'hidden_size' is " + std::to_string(*attributes.hiddenSize) +
                                "; expected a number above 0");
    }
    readActivations(node, attributes);
    attributes.clip = node.attribute<float>("clip");
    if (attributes.clip && !(*attributes.clip > 0)) {
        failAttribute(
            node, "'clip' is " + std::to_string(*attributes.clip) + "; expected a number above 0");
    }
    attributes.couplesInputForget = node.attribute<int64_t>("input_forget", 0) != 0;
    attributes.linearBeforeReset = node.attribute<int64_t>("linear_before_reset", 0) != 0;
    // ORT's training operators have no layout.
    attributes.batchFirst =
        node.domain() != kMicrosoftDomain && node.attribute<int64_t>("layout", 0) == 1;
    return attributes;
}

const RecurrentActivation& RecurrentAttributes::activation(int64_t direction, size_t place) const {
    const size_t perDirection = activations.size() / static_cast<size_t>(directions);
    return activations[static_cast<size_t>(direction) * perDirection + place];
}

bool RecurrentAttributes::hasDefaultActivations() const {
    const std::vector<RecurrentActivation> defaults = defaultActivations(kind);
    for (size_t i = 0; i < activations.size(); ++i) {
        if (!(activations[i] == defaults[i % defaults.size()])) return false;
    }
    return true;
}

void registerRecurrent(OpSet& ops) {
    addRecurrentTypes(ops.catalog);
    addRecurrentGradients(ops.gradients);
    addRecurrentCpuKernels(ops.cpuKernels);
    addLstmGradCpuKernel(ops.cpuKernels);
    addGruGradCpuKernel(ops.cpuKernels);
}

}  // namespace temper
