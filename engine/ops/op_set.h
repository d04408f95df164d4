// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "engine/autodiff/gradient.h"
#include "engine/ir/op_catalog.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// Domain of the operators that are Temper's own.
inline constexpr std::string_view kTemperDomain = "temper";

/// All that Temper knows about operators: types, gradients and CPU kernels. A family's register
/// function adds to each of the three. Thread: constant once filled.
struct OpSet {
    OpCatalog catalog;
    GradientRules gradients;
    KernelRegistry cpuKernels;
};

/// Every operator family; see standard_ops.cpp for the list. Then those given to addOperators().
OpSet standardOps();

/// Adds operators to those of standardOps() from now on, e.g. a plugin's.
/// Thread: call before other threads call standardOps().
void addOperators(std::function<void(OpSet&)> family);

}  // namespace temper
