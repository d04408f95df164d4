// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/runtime/kernels/row_kernel.h"

namespace temper {

/// The rows that the members of a fused kernel process together.
struct RowShape {
    int64_t rows = 1;
    int64_t columns = 1;
    bool operator==(const RowShape&) const = default;
};

/// How a kernel computes over arrays of these rows; empty if it can't.
std::optional<RowForm> formIn(const RowShape& shape, const Kernel& kernel);

/// The maximum number of kernels of these rows in one step.
size_t mostMembers(const RowShape& shape, bool isWhole);

/// Whether all members have to see whole rows.
bool isWhole(const RowForm& form, const RowShape& shape);

/// Where a member of a fused kernel reads or writes an array.
struct FusedPlace {
    enum class Kind : uint8_t { Input, Output, Block };
    Kind kind = Kind::Input;
    size_t index = 0;  ///< of the fused step's inputs, outputs or of the blocks on the stack
};

struct FusedMember {
    std::unique_ptr<Kernel> kernel;  ///< a BlockKernel or a ColumnFoldKernel
    RowForm form;                    ///< in the rows of the fused kernel
    std::vector<FusedPlace> operands;
    FusedPlace output;
};

/// Runs its members block by block of a few rows: values that only they read are on the stack. The
/// bits are those of the members run one after another.
std::unique_ptr<Kernel> makeFusedKernel(const RowShape& shape, std::vector<FusedMember> members,
                                        KernelTraits traits);

}  // namespace temper
