// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/indexing/indexing.h"

namespace temper {

void registerIndexing(OpSet& ops) { addIndexingTypes(ops.catalog); }

}  // namespace temper
