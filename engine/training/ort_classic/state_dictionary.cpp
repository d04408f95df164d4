// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/state_dictionary.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "engine/core/error.h"

namespace temper::classic {
namespace {

/// ORT's name of a moment, and ours.
struct MomentName {
    const char* classic;
    const char* ours;
};
constexpr std::array<MomentName, 2> kMoments = {
    {{"Moment_1", "momentum0"}, {"Moment_2", "momentum1"}}};
constexpr const char* kCount = "Update_Count";
constexpr const char* kSharedCount = "Step";

/// "Moment_1" of "w" to "Moment_1_w".
std::string entryName(const std::string& key, const std::string& weight) {
    return weight == kSharedOptimizerState ? key : key + "_" + weight;
}

std::string describe(const Tensor& tensor) {
    return std::string(dtypeName(tensor.dtype())) + formatShape(tensor.shape());
}

void requireType(const std::string& name, const Tensor& found, DType dtype, const Shape& shape) {
    if (found.dtype() == dtype && found.shape() == shape) return;
    throw Error(ErrorCode::InvalidInput,
                "Checkpoint tensor '" + name + "' is " + describe(found) + "; expected " +
                    std::string(dtypeName(dtype)) + formatShape(shape) + ".",
                "Load the state of the same model and optimizer.");
}

/// The number of completed steps according to the counts of a dictionary.
class StepCount {
public:
    void add(const std::string& name, const Tensor& count) {
        requireType(name, count, DType::Int64, {1});
        const int64_t steps = count.values<int64_t>().front() - 1;
        if (steps < 0 || (steps_ && steps != *steps_)) {
            throw Error(ErrorCode::InvalidInput,
                        "Checkpoint tensor '" + name + "' is " + std::to_string(steps + 1) +
                            "; expected " + (steps_ ? std::to_string(*steps_ + 1) : "at least 1") +
                            ".",
                        "All weights are updated together: their counts are the same.");
        }
        steps_ = steps;
    }
    std::optional<int64_t> steps() const { return steps_; }

private:
    std::optional<int64_t> steps_;
};

}  // namespace

StateDictionary StateView::weights() const {
    StateDictionary result;
    for (const Parameter& parameter : state_.parameters()) {
        result[parameter.name] = parameter.data.clone();
    }
    return result;
}

OptimizerStates StateView::optimizerStates() const {
    OptimizerStates result;
    const OptimizerState& state = state_.optimizerState();
    for (const std::string& weight : updated_) {
        auto& entries = result[weight];
        for (const auto& [classic, ours] : kMoments) {
            entries[classic] = state.moments.at(weight).at(ours).clone();
        }
        if (!sharesStep_) entries[kCount] = Tensor::of<int64_t>({1}, {state.step + 1});
    }
    if (sharesStep_) {
        result[kSharedOptimizerState][kSharedCount] = Tensor::of<int64_t>({1}, {state.step + 1});
    }
    return result;
}

StateDictionary StateView::all() const {
    StateDictionary result = weights();
    for (const auto& [weight, entries] : optimizerStates()) {
        for (const auto& [key, data] : entries) result[entryName(key, weight)] = data;
    }
    return result;
}

bool StateView::isCount(const std::string& name) const {
    if (sharesStep_) return name == kSharedCount;
    return std::any_of(updated_.begin(), updated_.end(), [&](const std::string& weight) {
        return name == entryName(kCount, weight);
    });
}

Tensor* StateView::find(const std::string& name) {
    if (state_.hasParameter(name)) return &state_.parameter(name).data;
    for (const std::string& weight : updated_) {
        for (const auto& [classic, ours] : kMoments) {
            if (name != entryName(classic, weight)) continue;
            return &state_.optimizerState().moments.at(weight).at(ours);
        }
    }
    return nullptr;
}

void StateView::checkEntry(const std::string& name, const Tensor& data, bool strict) {
    if (const Tensor* target = find(name)) {
        requireType(name, data, target->dtype(), target->shape());
    } else if (strict) {
        throw Error(ErrorCode::InvalidInput,
                    "Checkpoint tensor '" + name + "' is not a known state tensor.",
                    "To skip unknown tensors, load without strict mode.");
    }
}

void StateView::load(const StateDictionary& dictionary, bool strict) {
    StepCount count;
    for (const auto& [name, data] : dictionary) {
        if (isCount(name)) {
            count.add(name, data);
        } else {
            checkEntry(name, data, strict);
        }
    }
    for (const auto& [name, data] : dictionary) {
        Tensor* target = isCount(name) ? nullptr : find(name);
        if (target == nullptr || data.byteSize() == 0) continue;
        target->assign(data);
    }
    if (count.steps()) state_.optimizerState().step = *count.steps();
}

void StateView::loadOptimizerStates(const OptimizerStates& states) {
    StateDictionary dictionary;
    for (const auto& [weight, entries] : states) {
        for (const auto& [key, data] : entries) dictionary[entryName(key, weight)] = data;
    }
    for (const auto& [name, data] : dictionary) {
        if (!state_.hasParameter(name)) continue;
        throw Error(ErrorCode::InvalidInput, "'" + name + "' is a weight, not optimizer state.");
    }
    load(dictionary, true);
}

}  // namespace temper::classic
