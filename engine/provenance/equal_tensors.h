// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/ir/op_catalog.h"
#include "engine/provenance/evidence.h"

namespace temper {

/// An initializer with the numbers of a tensor, for a parameter that the exporter merged with the
/// tensor's own. It gets the parameter's name. If the tensor only derives from its own, it derives
/// from the other in the same way, and gets the tensor's name with a number.
Value* addEqualTensor(Graph& graph, const OpCatalog& catalog, const Evidence& evidence,
                      const Value& tensor, const std::string& parameter);

}  // namespace temper
