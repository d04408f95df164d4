// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Rewrites nodes that gradients can't pass with operators that they can, so that the model
/// computes the same.
struct Replacement {
    std::vector<std::string> operators;  ///< of ONNX's domain
    std::string by;                      ///< "both branches and Where"
    /// Why this node can't be replaced; absent if it can. Types are inferred.
    std::function<std::optional<std::string>(const Graph&, const Node&)> objection;
    /// Only if there is no objection. The node's outputs keep their names.
    std::function<void(Graph&, Node*, const OpCatalog&)> apply;
};

/// All replacements; to add one, add a file and a line.
const std::vector<Replacement>& replacements();

Replacement conditionByWhere();

/// The replacement for a node; null if none fits.
const Replacement* replacementFor(const Graph& model, const Node& node);

/// Mentions the replacement in the hints of errors about nodes without a gradient that have one.
void offerReplacements(const Graph& model, std::vector<Finding>& findings);

/// Replaces the nodes that `choices` name: operators in any case, node names or patterns, output
/// names. Types are inferred. Operators of sequences may be named but stay: they become plain
/// tensors when artifacts are made (foldSequences()), whether chosen or not.
/// Source of the idea: ONNX function bodies.
/// Throws: Error(InvalidInput) for a choice that matches no node, or one that can't be replaced.
void replaceNodes(Graph& model, const OpCatalog& catalog, const std::vector<std::string>& choices);

}  // namespace temper
