// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "python/src/descriptions.h"

namespace temper::python {

/// An ONNX model with inferred types; it never changes.
struct Model {
    std::shared_ptr<const Graph> graph;
    std::string origin;            ///< path, or "(memory)"
    std::vector<Finding> remarks;  ///< about reading it and about its types
};

Model openModel(const std::filesystem::path& path);

}  // namespace temper::python
