// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/runtime/execution_plan.h"
#include "engine/runtime/kernels/fused_kernel.h"

namespace temper {

/// A step that may become part of another one.
struct FusionMember {
    size_t step = 0;
    RowForm form;  ///< in the rows of the group
};

/// The buffer of an operand of a kernel that formIn() knows.
inline uint32_t operandBuffer(const ExecutionPlan::Step& step, size_t operand) {
    return step.inputBuffers[step.inputBegins[operand]];
}

/// Makes one step from several and takes their kernels.
/// `isReadOutside`: by buffer, whether the caller or steps that are not members read it. Buffers
/// that nothing else reads are removed.
ExecutionPlan::Step fuseSteps(std::vector<ExecutionPlan::Step>& steps,
                              const std::vector<FusionMember>& members, const RowShape& shape,
                              std::vector<ExecutionPlan::Buffer>& buffers,
                              const std::vector<bool>& isReadOutside);

}  // namespace temper
