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

/// Infers the types of all values in topological order and writes them into the graph. Types that a
/// model declares for intermediate values and outputs are kept if inference knows less (unknown
/// operator, unknown dimension).
///
/// Returns: a finding for each operator that the catalog lacks (code "T001", a warning) and for
/// each node whose inputs contradict its operator (code "T002", an error).
std::vector<Finding> inferTypes(Graph& graph, const OpCatalog& catalog);

/// The integers (or truth values) of a value that a node computes, if they follow from shapes and
/// constants. Types have to be inferred before.
std::optional<std::vector<int64_t>> knownIntegers(const Graph& graph, const Value& value,
                                                  const OpCatalog& catalog);

/// Types of the outputs of a body for these types of its inputs and, by name, of its captures; a
/// captured constant takes part in shape arithmetic.
/// Throws: Error(InvalidInput) if the body contradicts itself.
struct CapturedValue {
    ValueType type;
    Tensor constant;  ///< empty() if it is unknown
};
std::vector<ValueType> inferBodyTypes(
    const Graph& body, const ModelInfo& model, const std::vector<ValueType>& inputs,
    const std::function<CapturedValue(const std::string&)>& captured, const OpCatalog& catalog);

/// Checks which inputs are sequences.
/// Throws: Error(InvalidInput) for a sequence if the operator takes a tensor, and the reverse.
void requireInputKinds(const OpInfo& info, const InferenceContext& context);

/// The numbers of a tensor of integers, as a shape under construction.
InferenceContext::Content contentOf(const Tensor& integers);

/// Infers the outputs of one node whose inputs have their types; what can't be inferred stays
/// unknown. Integer contents (shapes under construction) are traced back from the inputs.
/// Throws: Error(InvalidInput) if the inputs contradict the operator.
void inferNodeTypes(Graph& graph, const Node& node, const OpCatalog& catalog);
/// Whether inferNodeTypes() throws nothing: code that rewrites a node relies on it.
bool hasFittingTypes(Graph& graph, const Node& node, const OpCatalog& catalog);

}  // namespace temper
