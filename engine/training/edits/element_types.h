// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <string>

#include "engine/ir/graph.h"

namespace temper {

/// Where the type of a value comes from: the model itself, or the types of the values it is
/// computed from.
enum class TypeSource { Given, Computed };

/// The new element type of a value of this name and type.
using ElementTypeOf = std::function<DType(const std::string& name, DType type, TypeSource source)>;

/// Changes element types: of inputs and initializers, in attributes that name a type or hold
/// numbers (given, by the name of the node's first output), and of what nodes compute and bodies
/// capture (computed). Bodies are changed, too.
void changeElementTypes(Graph& graph, const ElementTypeOf& typeOf);

/// Whether any of the given types (TypeSource::Given), including those in bodies, is among `types`.
bool givesAnyOf(const Graph& graph, std::initializer_list<DType> types);

}  // namespace temper
