// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// What a tensor was in the program that PyTorch exported.
enum class InputKind { Parameter, Buffer, Other };

/// A line of the exporter's graph signature: `p_fc_weight: PARAMETER target='fc.weight'`.
struct SignatureEntry {
    std::string alias;  ///< its name among the arguments of operations
    InputKind kind = InputKind::Other;
    std::string target;  ///< its name in the module; empty for inputs
};

/// The inputs of the exported program, in its order; empty if the model has no signature.
std::vector<SignatureEntry> readSignature(const Graph& graph);

/// What the exporter wrote for a tensor that kept its name; nothing for others.
std::optional<InputKind> inputKindOf(const Value& value);

/// The names of everything that a tensor was computed from during the export; empty if it was not.
std::vector<std::string> foldedFrom(const Value& value);

/// The operation of PyTorch that a node was made for.
struct Operation {
    std::string target;                  ///< "torch.ops.aten.linear.default"; empty: unknown
    std::vector<std::string> arguments;  ///< values among its arguments, by their aliases
};
Operation operationOf(const Node& node);
/// The numbers written among its arguments, in their order.
std::vector<double> numbersAmongArguments(const Node& node);

/// Writes into a tensor's metadata that it is a parameter.
void markParameter(Value& value);

/// Writes into a tensor's metadata that it holds these parameters, as the exporter does for tensors
/// that it made from others.
void markFoldedFrom(Value& value, const std::vector<std::string>& names);

/// Writes into a tensor's metadata that it holds the numbers of this parameter, each once, in
/// whatever layout.
void markRestored(Value& value, const std::string& parameter);
bool isRestored(const Value& value);

}  // namespace temper
