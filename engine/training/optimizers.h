// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/ir/graph.h"
#include "engine/training/name_counter.h"
#include "engine/training/training_spec.h"

namespace temper {

/// The optimizer model of a choice: inputs learning_rate [1], step [1], params, gradients,
/// first_order_moments and, for AdamW, second_order_moments (sequences); one bool output.
/// `opset` is that of the forward model. Source: spec/artifacts.md section 7.
/// Throws: Error(InvalidInput) naming an unknown optimizer or hyperparameter.
std::unique_ptr<Graph> makeOptimizerModel(const Selection& optimizer, int64_t opset,
                                          NameCounter& names);

}  // namespace temper
