// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/core/value_data.h"
#include "engine/ir/graph.h"

namespace temper {

// Values whose data the graph itself has: initializers, sequences of initializers, and optionals
// without content.

/// Nothing if a node has to compute it, or it is fed.
std::optional<ValueData> knownData(const Value& value);

/// Gives any value of the graph data, as Graph::makeInitializer() does; its name and readers stay.
void makeKnown(Graph& graph, Value* value, const ValueData& data);

}  // namespace temper
