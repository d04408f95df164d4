// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/profile.h"

#include <utility>

namespace temper {

KernelCost& KernelCost::operator+=(const KernelCost& other) {
    count += other.count;
    seconds += other.seconds;
    flops += other.flops;
    bytes += other.bytes;
    return *this;
}

std::string Profile::Step::nodeName() const {
    const size_t begin = node.find('\'');
    const size_t end = node.rfind('\'');
    return begin < end ? node.substr(begin + 1, end - begin - 1) : node;
}

size_t Profile::addStep(const std::string& phase, const std::string& op, const std::string& node) {
    const auto [found, isNew] = numbers_.try_emplace({phase, op, node}, steps_.size());
    if (isNew) steps_.push_back({phase, op, node, {}});
    return found->second;
}

void Profile::addCall(Event call) {
    call.begin += std::exchange(waited_, {});
    const std::chrono::duration<double> taken = call.end - call.begin;
    steps_.at(call.step).cost += {1, taken.count(), call.flops, call.bytes};
    if (keepsTimeline_) timeline_.push_back(call);
}

double Profile::secondsOf(const std::string& phase) const {
    double seconds = 0;
    for (const Step& step : steps_) seconds += step.phase == phase ? step.cost.seconds : 0;
    return seconds;
}

}  // namespace temper
