// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <string>

#include "engine/ir/graph.h"

namespace temper {

/// Where the type of a value is said: in the model itself, or by the types of what it is made of.
enum class TypeSource { Given, Computed };

/// The element type that a value of this name and type is to have.
using ElementTypeOf = std::function<DType(const std::string& name, DType type, TypeSource source)>;

/// Changes element types: of inputs and initializers, in attributes that name a type or hold
/// numbers (given, by the name of the node's first output), and of what nodes make and bodies
/// capture (computed). Bodies are changed as well.
void changeElementTypes(Graph& graph, const ElementTypeOf& typeOf);

/// Whether one of the given types (TypeSource::Given), of bodies as well, is among `types`.
bool givesAnyOf(const Graph& graph, std::initializer_list<DType> types);

}  // namespace temper
