// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/runtime/execution_plan.h"
#include "engine/training/session/module.h"
#include "engine/training/spec/session_options.h"

namespace temper {

/// For the plan of a session's training steps, the only one that keeps activations.
/// Throws: Error(InvalidInput) for a memory share or a kind of blocks that does not exist; as
/// requirePrecision().
PlanOptions trainingPlanOptions(const SessionOptions& options, const ExecutionContext& context);

}  // namespace temper
