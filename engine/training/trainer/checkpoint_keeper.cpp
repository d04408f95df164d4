// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/checkpoint_keeper.h"

#include <algorithm>
#include <cmath>

#include "engine/core/file.h"
#include "engine/core/output_check.h"
#include "engine/training/session/weight_average.h"

namespace temper {
namespace {

constexpr const char* kBest = "temper.best_";                       ///< plus the metric's name
constexpr const char* kReference = "temper.early_stop_reference_";  ///< plus the metric's name
constexpr const char* kWithoutImprovement = "temper.evaluations_without_improvement";

/// Of the tensors, including the optimizer's; the rest of a file is small.
int64_t checkpointBytes(const CheckpointState& state, bool addsAverage) {
    size_t bytes = 0;
    for (const Parameter& parameter : state.parameters()) {
        bytes += parameter.data.byteSize();
        if (addsAverage && parameter.requiresGrad) bytes += parameter.data.byteSize();
    }
    for (const auto& [parameter, moments] : state.optimizerState().moments) {
        for (const auto& [name, moment] : moments) bytes += moment.byteSize();
    }
    return static_cast<int64_t>(bytes);
}

}  // namespace

void CheckpointKeeper::claim(const KeptOfRun& kept) {
    if (!writes()) return;
    lock_ = std::make_unique<FolderLock>(folder_);
    requireWritableFolder(folder_);
    requireReplaceable(folder_ / kLastName);
    if (kept.evaluates) requireReplaceable(folder_ / kBestName);
    replaced_.clear();
    if (isThere(kLastName)) replaced_.emplace_back(kLastName);
    if (kept.evaluates && isThere(kBestName)) replaced_.emplace_back(kBestName);
    const bool addsAverage = kept.averages && !WeightAverage::isThere(state_);
    requireFreeSpace(folder_, filesToCome(kept.evaluates) * checkpointBytes(state_, addsAverage));
}

bool CheckpointKeeper::isThere(const char* name) const {
    std::error_code ignored;
    return std::filesystem::exists(folder_ / name, ignored);
}

/// A file that replaces another coexists with it until it is complete.
int64_t CheckpointKeeper::filesToCome(bool evaluates) const {
    int64_t files = 1 + (isThere(kLastName) ? 0 : 1);
    if (evaluates) files += (isThere(kBestName) ? 0 : 1) + static_cast<int64_t>(best_.missing());
    return files;
}

bool CheckpointKeeper::isBetter(float value, std::optional<float> than, double by) const {
    if (!std::isfinite(value)) return false;
    if (!than) return true;
    return rule_.higherIsBetter ? value - *than > by : *than - value > by;
}

/// Small improvements add up: what counts is the distance from the last sufficient one.
Progress CheckpointKeeper::noteEvaluation(double value) {
    auto& properties = state_.properties();
    const std::string best = kBest + rule_.metric;
    const std::string reference = kReference + rule_.metric;
    const auto rounded = static_cast<float>(value);  // the precision of a checkpoint
    const std::optional<float> bestBefore = state_.propertyAs<float>(best);
    auto referenceBefore = state_.propertyAs<float>(reference);
    if (!referenceBefore) referenceBefore = bestBefore;  // of a checkpoint without one
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
