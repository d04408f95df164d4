// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace temper {

/// The newest opset of ONNX whose operators are in the table of schemas.
inline constexpr int64_t kNewestOpset = 28;

/// An input or output of an operator.
struct FormalParameter {
    enum class Kind { Required, Optional, Variadic };

    std::string name;
    Kind kind = Kind::Required;
    size_t least = 1;  ///< of a variadic one: the least number
};

struct FormalAttribute {
    std::string name;
    std::string kind;  ///< as attributeKind() names it
    bool isRequired = false;
};

/// The parameters and attributes of one version of an operator.
struct OperatorSchema {
    std::vector<FormalParameter> inputs;
    std::vector<FormalParameter> outputs;
    std::vector<FormalAttribute> attributes;
    /// Whether it may have further attributes: ONNX Runtime's own operators gain some without a new
    /// version, and nothing is known about versions newer than the table's.
    bool isOpen = false;

    /// Null if the operator has no such attribute.
    const FormalAttribute* attribute(std::string_view name) const;
};

/// The schema of an operator of ONNX or ONNX Runtime in this version of its domain's opset; nullopt
/// for operators that neither has. A version older than the first has the first one's schema.
/// Source: tools/make_operator_schemas.py.
std::optional<OperatorSchema> operatorSchemaOf(std::string_view domain, std::string_view opType,
                                               int64_t opset);

}  // namespace temper
