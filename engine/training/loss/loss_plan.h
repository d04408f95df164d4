// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/training/blocks/block.h"
#include "engine/training/loss/formula_builder.h"
#include "engine/training/spec/artifact_spec.h"

namespace temper {

/// The loss of a specification for one model: what it reads, and how it is built.
struct LossPlan {
    LossReads reads;
    std::vector<Finding> findings;  ///< A004, A005, A008, A020 to A022
    /// Adds the loss to the model, or to a copy of it. Returns: the loss, then further outputs of
    /// the training and eval models. Throws: Error for what planning could not foresee.
    std::function<blocks::Values(BlockModel&)> build;
};

/// Resolves the loss: a key of lossChoices(), "none", or a formula (see FormulaBuilder).
/// The model's types are inferred. Never throws for the user's choices.
LossPlan planLoss(const Graph& model, const OpCatalog& catalog, const ArtifactSpec& spec);

/// A block as the loss: it reads the named loss inputs, or the outputs of the model in order, those
/// that are tensors if any is.
LossPlan planLoss(const Graph& model, const OpCatalog& catalog, const ArtifactSpec& spec,
                  blocks::Block& loss);

}  // namespace temper
