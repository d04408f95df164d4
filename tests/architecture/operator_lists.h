// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

namespace temper::test {

/// The operators in the tables of docs/operators.md, without their domains.
std::set<std::string> operatorsIn(const std::string& documentation);

/// Lists of operators in a source text, by line: "24: Clip, HardSigmoid, Relu". A list has at least
/// three different `operators`, as string literals that are
/// - elements of braced lists in one statement: {"Clip", "Relu"}, {{"Conv", 1}, {"Gemm", 2}};
/// - or compared within one definition of a function or class: op == "Clip", isCalled(node,
/// "Clip"). Names from which nodes are made don't count.
std::vector<std::string> operatorListsIn(const std::string& text,
                                         const std::set<std::string>& operators);

}  // namespace temper::test
