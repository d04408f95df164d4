// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/ir/type.h"

namespace temper {

class Graph;

/// The value of an ONNX attribute; a graph is the body of If, Loop, Scan or SequenceMap, a type
/// that of an Optional without content.
using Attribute =
    std::variant<int64_t, float, std::string, Tensor, std::vector<int64_t>, std::vector<float>,
                 std::vector<std::string>, std::shared_ptr<const Graph>, ValueType>;

/// Ordered by name, so that files are the same every time.
using Attributes = std::map<std::string, Attribute, std::less<>>;

/// "int", "floats", ... for messages.
std::string attributeKind(const Attribute& attribute);

}  // namespace temper
