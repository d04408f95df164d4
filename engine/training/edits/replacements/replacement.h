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

/// A way to write nodes that gradients do not pass with operators that they do, so that the model
/// computes the same.
struct Replacement {
    std::vector<std::string> operators;  ///< of ONNX's domain
    std::string by;                      ///< "both branches and Where"
    /// Why this node can't be written so; absent where it can. Types are inferred.
    std::function<std::optional<std::string>(const Graph&, const Node&)> objection;
    /// Only where there is no objection. The node's outputs keep their names.
    std::function<void(Graph&, Node*, const OpCatalog&)> apply;
};

/// Every replacement; to add one, add a file and a line.
const std::vector<Replacement>& replacements();

Replacement conditionByWhere();

/// The replacement for a node; null where there is none that fits.
const Replacement* replacementFor(const Graph& model, const Node& node);

/// Names the replacement in the hints of errors about nodes without gradient that have one.
void offerReplacements(const Graph& model, std::vector<Finding>& findings);

/// Replaces the nodes that `choices` name: operators in any case, node names, patterns of them,
/// output names. Types are inferred. Operators of sequences may be named and stay: they become
/// plain tensors when artifacts are made (foldSequences()), without being chosen.
/// Source of the idea: ONNX function bodies.
/// Throws: Error(InvalidInput) for a choice that is for no node, or for one that can't be replaced.
void replaceNodes(Graph& model, const OpCatalog& catalog, const std::vector<std::string>& choices);

}  // namespace temper
