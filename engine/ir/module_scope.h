// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// A module of the program that a model was exported from, or what names suggest of one.
struct ModuleScope {
    std::string name;       ///< within the module around it: "layers.0"
    std::string className;  ///< "torch.nn.modules.linear.Linear"; empty if it is not known

    /// "Linear"
    std::string_view shortClass() const;
};

/// The modules around a node, outermost first: from the metadata that PyTorch's exporter wrote
/// (`pkg.torch.onnx.name_scopes` with `class_hierarchy`, or `namespace`), otherwise from its name:
/// "/layer1/conv1/Conv" gives layer1, conv1; "encoder.0.attn.MatMul" gives encoder.0, attn. If the
/// node has no name, that of its first output counts.
std::vector<ModuleScope> modulesAround(const Node& node);

/// The path of the innermost module as Python writes it: "body.layers.0.linear1"; empty if the
/// exporter wrote none.
std::string modulePath(const Node& node);

/// A line of the program that a model was exported from.
struct SourceLine {
    std::string file;  ///< as the exporter wrote it
    int line = 0;
    std::string code;  ///< the text of the line; may be empty

    /// "model.py line 12"
    std::string describe() const;
};

/// The line that a node was made for, from `pkg.torch.onnx.stack_trace`: the innermost one outside
/// PyTorch, else the innermost one; nullopt if the exporter wrote none.
std::optional<SourceLine> sourceLineOf(const Node& node);

/// " of 'body.fc', model.py line 12", for messages; empty if the exporter wrote neither.
std::string placeInProgram(const Node& node);

}  // namespace temper
