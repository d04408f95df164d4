// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parallel/running_statistics.h"

#include <algorithm>
#include <sstream>

namespace temper {
namespace {

bool mayChange(const Parameter& parameter) {
    return !parameter.requiresGrad && !parameter.staysAsItIs() &&
           parameter.data.dtype() == DType::Float32 && parameter.data.isOnHost();
}

int64_t sizeOf(CheckpointState& state) {
    int64_t count = 0;
    for (const Parameter& parameter : state.parameters())
        count += mayChange(parameter) ? parameter.data.numElements() : 0;
    return count;
}

}  // namespace

RunningStatistics::RunningStatistics(CheckpointState& state, const SumTree& tree, int rank,
                                     ThreadPool& pool)
    : before_(static_cast<size_t>(sizeOf(state))),
      slice_(before_.size()),
      sum_(before_.size()),
      sums_(tree, rank, slice_.data(), std::ssize(slice_), pool) {
    int64_t begin = 0;
    for (const Parameter& parameter : state.parameters()) {
        if (!mayChange(parameter)) continue;
        all_.push_back({parameter.name, parameter.data, begin});
        begin += parameter.data.numElements();
    }
}

void RunningStatistics::write(const std::vector<float>& numbers, bool onlyChanged) {
    for (Statistic& each : all_) {
        if (onlyChanged && !changed_.contains(each.parameter)) continue;
        std::copy_n(numbers.begin() + each.begin, each.values.numElements(),
                    each.values.mutableValues<float>().begin());
    }
}

void RunningStatistics::beginStep() {
    for (const Statistic& each : all_)
        std::ranges::copy(each.values.values<float>(), before_.begin() + each.begin);
    sums_.begin();
}

void RunningStatistics::beginSlice() { write(before_, true); }

void RunningStatistics::endSlice(float weight, bool isLast) {
    for (const Statistic& each : all_)
        std::ranges::copy(each.values.values<float>(), slice_.begin() + each.begin);
    if (isLast) {
        sums_.finish(0, std::ssize(slice_), weight);
    } else {
        sums_.add(weight);
    }
}

void RunningStatistics::agree(Group& group) {
    std::string names;
    for (const std::string& name : changed_) names += name + '\n';
    for (const std::string& theirs : group.gather(names)) {
        std::istringstream lines(theirs);
        for (std::string name; std::getline(lines, name);) changed_.insert(name);
    }
    isAgreed_ = true;
}

void RunningStatistics::finishStep(Group& group, const SumTree& tree) {
    if (all_.empty()) return;
    if (!isAgreed_) agree(group);
    if (changed_.empty()) return;
    group.beginAllReduce(0, {tree, sums_.nodesFrom(0), std::ssize(sum_), sum_.data()})->wait();
    write(sum_, true);
}

}  // namespace temper
