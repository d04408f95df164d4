// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// Whether this version of ONNX's opset has the operator. True for operators that no version has:
/// they belong to others.
bool hasOperator(std::string_view opType, int64_t opset);

/// The inputs and outputs of a node of ONNX's domain whose types its operator does not take in this
/// version of the opset, in order; a version older than the first has the first one's types. Values
/// of unknown types are taken, and all values of operators that ONNX does not have.
/// Source: tools/make_operator_schemas.py --types.
std::vector<const Value*> valuesNotTaken(const Node& node, int64_t opset);

}  // namespace temper
