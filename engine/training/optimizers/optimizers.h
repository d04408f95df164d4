// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/training/blocks/name_counter.h"
#include "engine/training/optimizers/parameter_groups.h"
#include "engine/training/spec/choice.h"

namespace temper {

/// The optimizer model of a choice: inputs learning_rate [1], step [1], params, gradients,
/// first_order_moments and, if it has two moments, second_order_moments (sequences); one bool
/// output. ONNX Runtime executes it: any optimizer other than its AdamWOptimizer and SGDOptimizerV2
/// is composed of these and of standard operators, and the model's metadata says which choice it
/// is.
/// `opset` is that of the forward model. Source: spec/artifacts.md section 7.
/// Throws: Error(InvalidInput) naming an unknown optimizer or hyperparameter.
std::unique_ptr<Graph> makeOptimizerModel(const Selection& optimizer, const OpCatalog& catalog,
                                          int64_t opset, NameCounter& names);

/// The same with one fused node of Temper's own, temper.OptimizerStep. With `groups` it has each
/// parameter's numbers, by name: groups are saved in this form. ONNX Runtime cannot execute it;
/// there, a model cannot tell the parameters apart, as their order in the sequences is undefined.
std::unique_ptr<Graph> makeFusedOptimizerModel(const Selection& optimizer, int64_t opset,
                                               const GroupedParameters* groups = nullptr);

/// What the engine runs for an optimizer model: the fused form of a composed one, or the model
/// itself. Throws: Error(InvalidInput) for metadata that names an unknown optimizer.
std::shared_ptr<const Graph> executableOptimizer(std::shared_ptr<const Graph> model);

/// The built-in optimizers and "none"; the first is the default.
const std::vector<Choice>& optimizerChoices();

}  // namespace temper
