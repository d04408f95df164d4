// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/runtime/execution_plan.h"

namespace temper {

/// A plan under construction: its steps in the order of the graph. Each buffer is written by one
/// step, and by those that change it in place. Buffer 0 stands for omitted ones.
struct PlanDraft {
    std::vector<ExecutionPlan::Buffer> buffers = std::vector<ExecutionPlan::Buffer>(1);
    std::vector<ExecutionPlan::Step> steps;
    std::vector<ExecutionPlan::Port> inputs;
    std::vector<ExecutionPlan::Port> outputs;
    std::vector<std::pair<uint32_t, Tensor>> initialCopies;
    std::vector<std::pair<size_t, std::string>> changedInputs;  ///< see ExecutionPlan
    size_t arenaBytes = 0;
    size_t activationBytes = 0;

    uint32_t add(ExecutionPlan::Buffer buffer) {
        buffers.push_back(std::move(buffer));
        return static_cast<uint32_t>(buffers.size() - 1);
    }
};

}  // namespace temper
