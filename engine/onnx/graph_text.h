// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/ir/graph.h"
#include "engine/onnx/model_file.h"

namespace temper {

struct TextOptions {
    /// The model header `<ir_version: 8, opset_import: ["" : 17]>`.
    bool header = true;
    /// Declare the types of intermediate values, too.
    bool valueTypes = true;
    /// Longer tensors are truncated with "...", and the text can't be parsed then; -1: never.
    int64_t maxTensorElements = -1;
};

/// A graph in ONNX's textual format: parseText() gives an equal graph, except for doc strings.
/// Literals are Constant nodes; names that are not identifiers are in double quotes.
/// Source: ONNX, docs/Syntax.md.
std::string toText(const Graph& graph, const TextOptions& options = {});

/// Parses ONNX's textual format, e.g.
///
///     <ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
///     agraph (float[N, 4] X) => (float[N, 3] Y) <float[4, 3] W = {1.0, 2.0, ...}> {
///         H = MatMul(X, W)
///         Y = Softmax<axis = -1>(H)
///     }
///
/// Without a header, opset 17 of ONNX and version 1 of each other domain in use are imported.
/// Types of outputs may be omitted, and so may the name of the graph; '#' starts a comment.
/// Functions may follow the graph and are inlined.
/// Throws: Error(InvalidInput) naming line and column.
std::unique_ptr<Graph> parseText(std::string_view text, const LoadOptions& options = {});

}  // namespace temper
