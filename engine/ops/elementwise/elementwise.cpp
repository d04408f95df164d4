// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/elementwise/elementwise.h"

namespace temper {

void registerElementwise(OpSet& ops) { registerElementwiseTypes(ops.catalog); }

}  // namespace temper
