// SPDX-License-Identifier: Apache-2.0
#include "engine/training/checkpoint_keeper.h"

#include <cmath>

#include "engine/core/file.h"

namespace temper {
namespace {

constexpr const char* kBest = "temper.best_";                       ///< and the figure's name
constexpr const char* kReference = "temper.early_stop_reference_";  ///< and the figure's name
constexpr const char* kWithoutImprovement = "temper.evaluations_without_improvement";

}  // namespace

bool CheckpointKeeper::isBetter(float value, std::optional<float> than, double by) const {
    if (!std::isfinite(value)) return false;
    if (!than) return true;
    return rule_.higherIsBetter ? value - *than > by : *than - value > by;
}

/// Small improvements add up: what counts is the distance from the last one that was large enough.
Progress CheckpointKeeper::noteEvaluation(double value) {
    auto& properties = state_.properties();
    const std::string best = kBest + rule_.metric;
    const std::string reference = kReference + rule_.metric;
    const auto rounded = static_cast<float>(value);  // the precision that a checkpoint keeps
    const std::optional<float> bestBefore = state_.propertyAs<float>(best);
    auto referenceBefore = state_.propertyAs<float>(reference);
    if (!referenceBefore) referenceBefore = bestBefore;  // of a checkpoint that has no other
    Progress progress;
    progress.isBest = isBetter(rounded, bestBefore, 0);
    if (progress.isBest) properties[best] = rounded;
    if (isBetter(rounded, referenceBefore, rule_.minDelta)) {
        properties[reference] = rounded;
    } else {
        progress.withoutImprovement =
            state_.propertyAs<int64_t>(kWithoutImprovement).value_or(0) + 1;
    }
    properties[kWithoutImprovement] = progress.withoutImprovement;
    return progress;
}

void CheckpointKeeper::forget() {
    std::erase_if(state_.properties(), [](const auto& property) {
        return property.first.starts_with(kBest) || property.first.starts_with(kReference) ||
               property.first == kWithoutImprovement;
    });
    BestCheckpoints::forget(state_);
}

std::filesystem::path CheckpointKeeper::save(const std::string& name) const {
    ensureFolder(folder_);
    const std::filesystem::path path = folder_ / name;
    state_.save(path, true);
    return path;
}

}  // namespace temper
