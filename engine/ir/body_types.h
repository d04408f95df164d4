// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/op_catalog.h"

namespace temper {

/// Gives the values inside the bodies of If, Loop, Scan and SequenceMap their element types, for
/// formats that require the type of every value. Values that have a type keep it; shapes, which may
/// change from one iteration to the next, stay open. The graph's own values have to be typed.
/// Throws: Error(InvalidInput) if a body contradicts itself.
void typeBodies(Graph& graph, const OpCatalog& catalog);

}  // namespace temper
