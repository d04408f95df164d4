// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/autodiff/gradient.h"
#include "engine/ir/graph.h"

namespace temper {

// What the gradients of If, Loop and Scan share: a body of the backward pass is a copy of the
// forward body with its gradient graph.

/// The backward pass computes a body again and must get the same numbers.
/// `place` ends the sentence "draws random numbers in ...": "the branch of an If"; `advice` says
/// what to do instead.
/// Throws: Error(Unsupported) if a node in the body, or in bodies within it, would give different
/// numbers.
void requireRepeatable(const Graph& body, const GradientRules& rules, const std::string& place,
                       const std::string& advice);

/// Gives the values that the body captures the types that they have in the graph around it.
void typeCaptures(Graph& body, const Graph& around);

/// A value of the graph around the body, by its name; a value of the body with that name is
/// renamed.
Value* captureOf(Graph& body, const Value& outside, const ValueType& type);

/// Zeros of the shape and the element type of a value of the body.
Value* zerosOf(Graph& body, Value* like);

/// Removes captures that nothing in the body reads.
void removeUnreadCaptures(Graph& body);

/// Prefixes the names of a body's values, except for those that it or a body within it reads by
/// name: ONNX requires names that no graph around the body has.
void nameApart(Graph& body, const std::string& prefix);

}  // namespace temper
