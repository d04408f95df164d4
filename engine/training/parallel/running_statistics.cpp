// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parallel/running_statistics.h"

#include <algorithm>
#include <sstream>

namespace temper {
namespace {

bool mayChange(const Parameter& parameter) {
    return !parameter.requiresGrad && !parameter.staysAsItIs() &&
           parameter.data.dtype() == DType::Float32;
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

void RunningStatistics::read(std::vector<float>& numbers) const {
    for (const Statistic& each : all_) {
        const Tensor values = each.values.onHost();
        std::ranges::copy(values.values<float>(), numbers.begin() + each.begin);
    }
}

/// Those that train steps change.
void RunningStatistics::write(std::vector<float>& numbers) {
    for (Statistic& each : all_) {
        if (!changed_.contains(each.parameter)) continue;
        each.values.assign(Tensor::wrap(DType::Float32, each.values.shape(), nullptr,
                                        numbers.data() + each.begin));
    }
}

void RunningStatistics::beginStep() {
    read(before_);
    sums_.begin();
}

void RunningStatistics::beginSlice() { write(before_); }

void RunningStatistics::endSlice(float weight, bool isLast) {
    read(slice_);
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
    write(sum_);
}

}  // namespace temper
