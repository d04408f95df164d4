// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/runtime/execution_plan.h"

namespace temper {

/// The plan of a graph whose operators all have kernels; if memory is short, the first of several
/// with the same results that is small enough.
/// Throws: see ExecutionPlan::compile().
std::shared_ptr<const ExecutionPlan> findPlan(const Graph& graph, const InputTypes& inputTypes,
                                              const OpCatalog& catalog,
                                              const KernelRegistry& kernels,
                                              const PlanOptions& options);

}  // namespace temper
