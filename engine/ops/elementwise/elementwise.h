// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Arithmetic, comparison, logic, rounding, trigonometry, Cast, Clip, Where, n-ary Min, Max, Sum
/// and Mean; ORT's DivGrad, Scale, ScaledSum and BatchScale.
void registerElementwise(OpSet& ops);

void registerElementwiseTypes(OpCatalog& catalog);

}  // namespace temper
