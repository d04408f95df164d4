// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/run_properties.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

namespace temper {
namespace {

// Strings, so that looking one up in every step allocates nothing.
const std::string kLearningRate = "temper.learning_rate";
const std::string kFixedLearningRate = "temper.fixed_learning_rate";
const std::string kClasses = "temper.classes";
const std::string kSchedule = "temper.schedule";

}  // namespace

void keepLearningRate(CheckpointState& state, float learningRate) {
    state.properties()[kLearningRate] = learningRate;
}

std::optional<float> keptLearningRate(const CheckpointState& state) {
    return state.propertyAs<float>(kLearningRate);
}

void keepInitialRate(CheckpointFile& checkpoint, const RunSpec& run) {
    if (run.learningRate == kDefaultLearningRate) return;
    checkpoint.properties.emplace(kLearningRate, static_cast<float>(run.learningRate));
}

void keepFixedLearningRate(CheckpointState& state, std::optional<double> learningRate) {
    if (!learningRate) {
        state.properties().erase(kFixedLearningRate);
        return;
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", *learningRate);
    state.properties()[kFixedLearningRate] = text;
}

std::optional<double> fixedLearningRate(const CheckpointState& state) {
    const auto text = state.propertyAs<std::string>(kFixedLearningRate);
    if (!text) return std::nullopt;
    return std::strtod(text->c_str(), nullptr);
}

void keepSchedule(const LrSchedule& schedule, CheckpointState& state) {
    std::string text = schedule.state();
    if (!text.empty()) state.properties()[kSchedule] = std::move(text);
}

void restoreSchedule(LrSchedule& schedule, const CheckpointState& state) {
    if (const auto text = state.propertyAs<std::string>(kSchedule)) schedule.restore(*text);
}

void keepClassNames(CheckpointState& state, const Column& target) {
    if (!target.hasNamedClasses()) {
        state.properties().erase(kClasses);
        return;
    }
    using Json = nlohmann::json;
    state.properties()[kClasses] =
        Json(target.classes).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<std::string> keptClassNames(const CheckpointState& state) {
    return state.propertyAs<std::string>(kClasses);
}

std::vector<std::string> keptClasses(const CheckpointState& state) {
    const nlohmann::json names =
        nlohmann::json::parse(keptClassNames(state).value_or(""), nullptr, false);
    const auto isText = [](const nlohmann::json& name) { return name.is_string(); };
    if (!names.is_array() || !std::ranges::all_of(names, isText)) return {};
    return names.get<std::vector<std::string>>();
}

void forgetSchedule(CheckpointState& state) {
    keepFixedLearningRate(state, std::nullopt);
    state.properties().erase(kSchedule);
}

}  // namespace temper
