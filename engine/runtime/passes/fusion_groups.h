// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/runtime/execution_plan.h"
#include "engine/runtime/kernels/fused_kernel.h"

namespace temper {

/// Steps that will run at the position of the last one.
struct FusionGroup {
    std::vector<size_t> members;  ///< ascending
    RowShape shape;
    /// Accumulators that read what the members make; they run after the last member.
    std::vector<size_t> followers = {};
    bool isOpen = true;  ///< no other step has read what they make or changed what they read
};

/// The groups by the buffers of their steps: finds the groups that a step may relate to without
/// looking at all of them.
class FusionGroupIndex {
public:
    FusionGroupIndex(const std::vector<FusionGroup>& groups, size_t buffers)
        : groups_(groups), makers_(buffers), readers_(buffers) {}

    /// `step` is now a member or a follower of the group.
    void add(const ExecutionPlan::Step& step, size_t group) {
        makers_[step.outputBuffers[0]].push_back(group);
        for (const uint32_t buffer : step.inputBuffers) {
            if (buffer != 0) readers_[buffer].push_back(group);
        }
    }

    void collectMakers(uint32_t buffer, std::vector<size_t>& found) {
        collectOpen(makers_[buffer], found);
    }
    void collectReaders(uint32_t buffer, std::vector<size_t>& found) {
        collectOpen(readers_[buffer], found);
    }

private:
    /// Closed groups stay closed: they are forgotten.
    void collectOpen(std::vector<size_t>& groups, std::vector<size_t>& found) const {
        std::erase_if(groups, [this](size_t group) { return !groups_[group].isOpen; });
        found.insert(found.end(), groups.begin(), groups.end());
    }

    const std::vector<FusionGroup>& groups_;
    std::vector<std::vector<size_t>> makers_;  ///< by buffer
    std::vector<std::vector<size_t>> readers_;
};

}  // namespace temper
