// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/autodiff/gradient.h"
#include "engine/ir/graph.h"

namespace temper {

// What the gradients of If, Loop and Scan share: a body of the backward pass is a copy of the
// forward body with the gradient graph of it.

/// The backward pass computes a body once more, which has to give the same numbers.
/// `place` ends the sentence "draws random numbers in ...": "the branch of an If"; `advice` says
/// what to do instead.
/// Throws: Error(Unsupported) for a node that makes others, in the body or in bodies within it.
void requireRepeatable(const Graph& body, const GradientRules& rules, const std::string& place,
                       const std::string& advice);

/// What the body reads from the graph around it has the types that it has there.
void typeCaptures(Graph& body, const Graph& around);

/// A value of the graph around the body, by its name; a value of the body of that name gets
/// another.
Value* captureOf(Graph& body, const Value& outside, const ValueType& type);

/// Zeros of the shape and the element type of a value of the body.
Value* zerosOf(Graph& body, Value* like);

/// Forgets what the body captures and nothing in it reads.
void removeUnreadCaptures(Graph& body);

/// Puts a prefix in front of the names of a body's values, except for those that it or a body
/// within it reads by name: ONNX wants names that no graph around the body has.
void nameApart(Graph& body, const std::string& prefix);

}  // namespace temper
