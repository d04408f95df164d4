// SPDX-License-Identifier: Apache-2.0
#include "engine/training/monitors/non_finite.h"

#include <algorithm>
#include <cmath>

#include "engine/core/shell_command.h"

namespace temper {
namespace {

/// "conv1" of "node 'conv1' (Conv)".
std::string quotedName(const std::string& origin) {
    const size_t begin = origin.find('\'');
    const size_t end = origin.rfind('\'');
    return begin < end ? origin.substr(begin + 1, end - begin - 1) : std::string();
}

bool reads(const Node& node, const Value* value) {
    return std::ranges::find(node.inputs(), value) != node.inputs().end();
}

/// The power with a trained exponent that the node is, or whose gradient it belongs to.
const Node* trainedPower(const TrainingSession& session, CheckpointState& state,
                         const std::string& origin) {
    const Graph& model = *session.artifacts().trainingModel;
    const auto nodes = model.nodes();
    const auto isOrigin = [&origin](const Node* node) { return node->describe() == origin; };
    const auto found = std::ranges::find_if(nodes, isOrigin);
    if (found == nodes.end()) return nullptr;
    for (const Node* node : nodes) {
        if (node->opType() != "Pow" || node->input(1) == nullptr) continue;
        const std::string& exponent = node->input(1)->name();
        if (!state.hasParameter(exponent) || !state.parameter(exponent).requiresGrad) continue;
        if (node == *found || reads(**found, node->input(0))) return node;
    }
    return nullptr;
}

std::string hintFor(TrainingSession& session, const std::string& origin) {
    const std::string name = quotedName(origin);
    if (origin.starts_with("input")) {
        return "The data contains NaN or infinity there: repair it, or skip such samples with the "
               "data option invalid=drop.";
    }
    if (origin.starts_with("parameter")) {
        return "An earlier step, or the model itself, is the cause: continue from a checkpoint "
               "before that with a lower learning rate, or freeze it with --freeze " +
               shellCommand({name}) + ".";
    }
    if (const Node* power = trainedPower(session, session.state(), origin)) {
        return "The exponent '" + power->input(1)->name() + "' of " + power->describe() +
               " is trained, but powers of negative numbers need integer exponents. Freeze it with "
               "--freeze " +
               shellCommand({power->input(1)->name()}) + " when generating the artifacts.";
    }
    return "Check the node's inputs; a lower learning rate, clipping (clip_norm) or clean data "
           "often help. Checkpoints from before it are good.";
}

/// `place` says when the number first occurred: "in step 3".
[[noreturn]] void fail(TrainingSession& session, const std::string& origin, double value,
                       const std::string& what, const std::string& place) {
    throw NonFiniteError(
        "The " + what + " is " + (std::isnan(value) ? "NaN " : "infinite ") + place +
            (origin.empty() ? "." : "; the first such value comes from " + origin + "."),
        hintFor(session, origin), quotedName(origin));
}

std::string originIn(TrainingSession& session, std::span<const Tensor> inputs) {
    return inputs.empty() ? std::string() : session.findNonFinite(inputs);
}

}  // namespace

NonFiniteError::NonFiniteError(const std::string& message, std::string hint, std::string node)
    : StepError("R001", message, std::move(hint), std::move(node)) {}

void requireFinite(TrainingSession& session, std::span<const Tensor> inputs, double value,
                   const char* what) {
    if (!std::isfinite(value)) throwNonFinite(session, value, what, originIn(session, inputs));
}

void throwNonFinite(TrainingSession& session, double value, const char* what,
                    const std::string& origin) {
    const int64_t step = session.state().optimizerState().step + 1;
    fail(session, origin, value, what, "in step " + std::to_string(step));
}

void requireFiniteEvaluation(TrainingSession& session, std::span<const Tensor> inputs,
                             double loss) {
    if (std::isfinite(loss)) return;
    const int64_t step = session.state().optimizerState().step;
    fail(session, originIn(session, inputs), loss, "loss of the evaluation",
         step == 0 ? "before the first step" : "after step " + std::to_string(step));
}

}  // namespace temper
