// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace temper {

/// A formal input or output of an operator.
struct FormalArgument {
    bool isOutput = false;
    uint32_t index = 0;
    bool operator==(const FormalArgument&) const = default;
};

/// What ONNX Runtime needs to know of an operator's declaration to find its kernel in a model
/// without declarations.
struct KernelTypes {
    int32_t sinceVersion = 0;
    /// Type constraint ("T"), or name of an argument whose type is fixed, to what it binds.
    std::map<std::string, std::vector<FormalArgument>> constraints;
};

/// The declaration in force at `opset` of the domain ("" for ONNX, "com.microsoft").
/// Nullopt for an operator that is not in the table, e.g. a custom one.
/// Source: tools/make_kernel_types.py.
std::optional<KernelTypes> kernelTypesOf(std::string_view domain, std::string_view opType,
                                         int64_t opset);

}  // namespace temper
