// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ops/op_set.h"

namespace temper::test {

/// The derivative is zero wherever it exists, which is what the gradient says.
inline constexpr std::string_view kZeroGradient = "yes: zero, or straight-through by choice";

/// The registries' entries for an operator: one row of docs/operators.md without the tests.
struct OperatorRow {
    std::string domain;
    std::string op;
    std::string forward;   ///< "yes", "by simpler operators", "types only"
    std::string gradient;  ///< "yes", "yes, ...", "none: why"

    bool hasForward() const { return forward != "types only"; }
    bool hasGradient() const { return gradient.starts_with("yes"); }
    std::string qualifiedOp() const { return domain.empty() ? op : domain + "." + op; }
};

/// ONNX's domain first, each by name.
std::vector<OperatorRow> operatorRows(const OpSet& ops);

/// The cases that the tests covered for an operator; see tests/support/case_log.h.
struct OperatorCases {
    std::set<std::string> onnxTests;  ///< names
    std::set<std::string> dtypes;     ///< of inputs in ONNX's tests
    int gradientCases = 0;
    std::vector<std::string> shapes;  ///< of the gradients' inputs, without duplicates
    std::set<std::string> emitted;    ///< operators of the backward passes
};

/// By qualified operator. Throws: Error(Io).
std::map<std::string, OperatorCases> readCases(const std::filesystem::path& file);

/// Versions of ONNX's operators, by name. Throws: Error(Io).
std::map<std::string, std::vector<int64_t>> readVersions(const std::filesystem::path& file);

/// docs/operators.md.
std::string operatorDocument(const std::vector<OperatorRow>& rows,
                             const std::map<std::string, OperatorCases>& cases,
                             const std::map<std::string, std::vector<int64_t>>& versions);

/// Operator and gradient of each row of an existing document, to compare it with the registries.
std::map<std::string, std::string> documentedGradients(const std::string& document);

}  // namespace temper::test
