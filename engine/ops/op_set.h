// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "engine/autodiff/gradient.h"
#include "engine/ir/op_catalog.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// All that Temper knows of operators: types, gradients and CPU kernels. A family's register
/// function adds to each of the three. Thread: constant after it was filled.
struct OpSet {
    OpCatalog catalog;
    GradientRules gradients;
    KernelRegistry cpuKernels;
};

/// Every operator family; see standard_ops.cpp for the list. Then what addOperators() was given.
OpSet standardOps();

/// Adds operators to those of standardOps() from now on, e.g. a plugin's.
/// Thread: to be called before others call standardOps().
void addOperators(std::function<void(OpSet&)> family);

}  // namespace temper
