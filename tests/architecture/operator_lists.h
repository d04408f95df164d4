// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

namespace temper::test {

/// The operators in the tables of docs/operators.md, without their domains.
std::set<std::string> operatorsIn(const std::string& documentation);

/// The operators in engine/onnx/operator_schemas.inc, without their domains.
std::set<std::string> operatorsInSchemas(const std::string& schemas);

/// Lists of operators in a source text, by line: "24: Clip HardSigmoid Relu". A list has different
/// `operators`, as string literals that are elements of braced lists, as in {"Clip", "Relu"} and
/// {{"Conv", 1}, {"Gemm", 2}}, or compared, as in op == "Clip" and isCalled(node, "Clip"):
/// - at least two in a statement;
/// - or at least three that are compared in a definition of a function or class.
/// Names from which nodes are made don't count.
std::vector<std::string> operatorListsIn(const std::string& text,
                                         const std::set<std::string>& operators);

}  // namespace temper::test
