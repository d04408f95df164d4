// SPDX-License-Identifier: Apache-2.0
#include "engine/training/checkpoint_keeper.h"

#include <cmath>
#include <cstdio>

#include "engine/core/file.h"

namespace temper {
namespace {

constexpr const char* kBestLoss = "temper.best_loss";
constexpr const char* kWithoutImprovement = "temper.evaluations_without_improvement";

template <typename T>
std::optional<T> propertyOf(const CheckpointState& state, const char* name) {
    const auto found = state.properties().find(name);
    if (found == state.properties().end()) return std::nullopt;
    const T* value = std::get_if<T>(&found->second);
    return value == nullptr ? std::nullopt : std::optional<T>(*value);
}

}  // namespace

bool CheckpointKeeper::noteEvaluation(double loss) {
    const std::optional<float> best = propertyOf<float>(state_, kBestLoss);
    const auto rounded = static_cast<float>(loss);  // the precision that a checkpoint keeps
    const bool improved = std::isfinite(rounded) && (!best || rounded < *best);
    if (improved) state_.properties()[kBestLoss] = rounded;
    state_.properties()[kWithoutImprovement] =
        improved ? int64_t{0} : evaluationsWithoutImprovement() + 1;
    return improved;
}

int64_t CheckpointKeeper::evaluationsWithoutImprovement() const {
    return propertyOf<int64_t>(state_, kWithoutImprovement).value_or(0);
}

void CheckpointKeeper::forget() {
    state_.properties().erase(kBestLoss);
    state_.properties().erase(kWithoutImprovement);
}

std::filesystem::path CheckpointKeeper::saveStep(int64_t step) const {
    char name[48];
    std::snprintf(name, sizeof name, "step-%06lld.ckpt", static_cast<long long>(step));
    return save(name);
}

std::filesystem::path CheckpointKeeper::save(const std::string& name) const {
    ensureFolder(folder_);
    const std::filesystem::path path = folder_ / name;
    state_.save(path, true);
    return path;
}

}  // namespace temper
