// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/autodiff/gradient.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Converts the nodes that gradients from `loss` to `parameters` pass through to their training
/// form (MaxPool with its mask, BatchNormInternal, ...), and the nodes that always need it. Fused
/// operators on the way are lowered to operators with gradient rules. Types must be inferred first.
/// Returns: the loss, the same value even if another node makes it now.
Value* applyTrainingForms(Graph& graph, const OpCatalog& catalog, const GradientRules& rules,
                          Value* loss, const std::vector<Value*>& parameters);
/// The same for gradients from several values.
std::vector<Value*> applyTrainingForms(Graph& graph, const OpCatalog& catalog,
                                       const GradientRules& rules, std::vector<Value*> losses,
                                       const std::vector<Value*>& parameters);

/// Reverse mode: adds the nodes that compute d loss / d parameter to the graph.
///
/// The seed is a scalar initializer `<loss>_grad` of 1, of the loss's type. Gradients are named
/// `<value>_grad`; the parts of a value with several readers are summed by one Sum node
/// `AccumulateGrad_...`. Types must be inferred (inferTypes) and training forms applied first.
///
/// Returns: one gradient per parameter, in order, each named `<parameter>_grad` and typed like it.
/// Throws: Error(Unsupported) for a node without a rule, Error(InvalidInput) for a parameter that
/// does not influence the loss; analyzeTrainability() reports all of these beforehand.
/// Source: Griewank & Walther, Evaluating Derivatives (2008), chapter 3.
std::vector<Value*> buildGradients(Graph& graph, const OpCatalog& catalog,
                                   const GradientRules& rules, Value* loss,
                                   const std::vector<Value*>& parameters);

/// A value that gradients start from, and the gradient that it gets from outside.
struct GradientSeed {
    Value* value = nullptr;
    Value* gradient = nullptr;  ///< of the value's shape, or a scalar
};

/// The same for several values, each with its own seed: the gradients of
/// sum over the seeds of <gradient, value>, a vector-Jacobian product.
std::vector<Value*> buildGradients(Graph& graph, const OpCatalog& catalog,
                                   const GradientRules& rules,
                                   const std::vector<GradientSeed>& seeds,
                                   const std::vector<Value*>& parameters);

/// The same, with null for a parameter that no gradient reaches.
std::vector<Value*> buildArrivingGradients(Graph& graph, const OpCatalog& catalog,
                                           const GradientRules& rules,
                                           const std::vector<GradientSeed>& seeds,
                                           const std::vector<Value*>& parameters);

/// The scalar initializer `<loss>_grad` of 1 that a loss starts from.
Value* addLossSeed(Graph& graph, const Value& loss);

/// Tries every gradient rule between `outputs` and the parameters on the graph, which is changed.
/// Finds what analyzeTrainability() can't: rules that refuse a form, or give no gradient for an
/// input, only when they are applied.
///
/// Returns: a finding for each node whose rule refuses (G004), and for each parameter that no
/// gradient reaches although no node refuses (G003).
std::vector<Finding> tryGradients(Graph& graph, const OpCatalog& catalog,
                                  const GradientRules& rules, std::vector<Value*> outputs,
                                  const std::vector<Value*>& parameters);

}  // namespace temper
