// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/ir/graph.h"

namespace temper::test {

// The cases that the operator tests covered, one a line, for docs/operators.md. If the environment
// variable TEMPER_OPERATOR_CASES names a file, cases that pass are appended to it:
//
//     onnx      operator  dtypes of the inputs  name of the test
//     gradient  operator  shapes of the inputs  operators of the backward pass
//
// with tabs between the columns. tools/make_operator_docs.sh reads them.

/// Logs a recorded test of ONNX that passed.
void logOnnxCase(const Graph& model, const std::string& name);

/// Logs a gradient that passed: the forward nodes with concrete types, and the graph with the
/// backward pass of the same nodes.
void logGradientCase(const Graph& forward, const Graph& backward);

}  // namespace temper::test
