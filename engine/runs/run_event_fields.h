// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>
#include <variant>

#include "engine/runs/run_event.h"

namespace temper {

/// The names of the events in a log, in RunFact's order.
inline constexpr std::array<std::string_view, std::variant_size_v<RunFact>> kEventNames{
    "start",   "step",  "epoch",  "eval",          "checkpoint",  "checkpoint_removed",
    "warning", "pause", "resume", "learning_rate", "rolled_back", "layers",
    "end"};

template <typename E, typename Event>
concept OrConst = std::same_as<std::remove_const_t<E>, Event>;

// The fields of each event, in the order of the log; the only place that names them.
// A visitor is called with a key and the member, which it reads or fills:
//   visit(key, member)           a field of every log
//   visit.optional(key, member)  missing in logs of older versions; the member then keeps its value
//   visit.ifSet(key, member)     written only if it is not empty

void visitFields(OrConst<StartedEvent> auto& event, auto&& visit) {
    visit("train_samples", event.trainSamples);
    visit("eval_samples", event.evalSamples);
    visit("total_steps", event.totalSteps);
    visit("steps_per_epoch", event.stepsPerEpoch);
    visit("first_step", event.firstStep);
    visit("trainable_parameters", event.trainableParameters);
    visit("parameters", event.parameters);
}

void visitFields(OrConst<StepEvent> auto& event, auto&& visit) {
    visit("step", event.step);
    visit("epoch", event.epoch);
    visit("loss", event.loss);
    visit("learning_rate", event.learningRate);
    visit("grad_norm", event.gradientNorm);
    visit("samples", event.samples);
    visit("step_seconds", event.stepSeconds);
    visit("data_wait_seconds", event.dataWaitSeconds);
    visit.optional("arena_bytes", event.arenaBytes);
}

void visitFields(OrConst<EpochEvent> auto& event, auto&& visit) {
    visit("step", event.step);
    visit("epoch", event.epoch);
    visit("loss", event.meanLoss);
    visit("seconds", event.seconds);
}

void visitFields(OrConst<EvalEvent> auto& event, auto&& visit) {
    visit("step", event.step);
    visit("epoch", event.epoch);
    visit("loss", event.loss);
    visit("metrics", event.metrics);
    visit("samples", event.samples);
    visit.optional("best", event.isBest);
    visit.optional("without_improvement", event.withoutImprovement);
    visit.ifSet("confusion_matrix", event.confusion);
}

void visitFields(OrConst<CheckpointEvent> auto& event, auto&& visit) {
    visit("step", event.step);
    visit("kind", event.kind);
    visit("path", event.path);
}

void visitFields(OrConst<CheckpointRemovedEvent> auto& event, auto&& visit) {
    visit("step", event.step);
    visit("path", event.path);
}

void visitFields(OrConst<WarningEvent> auto& event, auto&& visit) {
    visit("step", event.step);
    visit("message", event.message);
    visit("hint", event.hint);
}

void visitFields(OrConst<PausedEvent> auto& event, auto&& visit) { visit("step", event.step); }

void visitFields(OrConst<ResumedEvent> auto& event, auto&& visit) { visit("step", event.step); }

void visitFields(OrConst<LearningRateEvent> auto& event, auto&& visit) {
    visit("step", event.step);
    visit("learning_rate", event.learningRate);
    visit("follows_schedule", event.followsSchedule);
}

void visitFields(OrConst<RolledBackEvent> auto& event, auto&& visit) {
    visit("step", event.step);
    visit("from_step", event.fromStep);
}

void visitFields(OrConst<LayerStatistics> auto& layer, auto&& visit) {
    visit("name", layer.name);
    visit("elements", layer.elements);
    visit("weight_norm", layer.weightNorm);
    visit("grad_norm", layer.gradientNorm);
    visit("update_ratio", layer.updateRatio);
    visit("zero_weights", layer.zeroWeights);
    visit("zero_gradients", layer.zeroGradients);
    visit.optional("units", layer.units);
    visit.optional("dead_units", layer.deadUnits);
}

void visitFields(OrConst<LayersEvent> auto& event, auto&& visit) {
    visit("step", event.step);
    visit("interval", event.interval);
    visit("cost_share", event.costShare);
    visit("layers", event.layers);
}

void visitFields(OrConst<EndEvent> auto& event, auto&& visit) {
    visit("step", event.step);
    visit("outcome", event.outcome);
    visit("seconds", event.seconds);
    visit("message", event.message);
    visit("hint", event.hint);
    visit("node", event.node);
    visit.ifSet("code", event.code);
    visit.ifSet("good_step", event.goodStep);
}

}  // namespace temper
