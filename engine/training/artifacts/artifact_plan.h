// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ops/op_set.h"
#include "engine/provenance/module_names.h"
#include "engine/training/blocks/block.h"
#include "engine/training/loss/loss_plan.h"
#include "engine/training/spec/artifact_spec.h"

namespace temper {

/// What a specification means for a model, before anything is built.
struct ArtifactPlan {
    std::vector<std::string> trainable;  ///< parameter names in initializer order
    std::vector<std::string> frozen;
    ModuleNames moduleNames = {};  ///< of parameters, including constants that could train
    LossPlan loss;                 ///< what the loss reads, and how it is built
    /// What the user's straight-through choices resolve to: operators, and names of node outputs.
    std::vector<std::string> straightThrough;
    std::vector<std::string> stopGradient = {};  ///< values that gradients treat as constants
    /// Outputs of batch normalizations whose statistics are frozen.
    std::vector<std::string> frozenStatistics = {};
    std::vector<Finding> findings;  ///< all errors and remarks; see their severities
};

/// Resolves patterns and names, checks them all, infers types (findings T...), runs the
/// trainability analysis (G...) and tries every gradient rule: generateArtifacts() succeeds if and
/// only if no finding is an error. Never throws for the user's choices.
/// A001 a pattern matches nothing, A002 a name is in both lists, A003 it can't be trained, A004 the
/// prediction is ambiguous, A005 the target's name is taken, A006 an extra output is unknown or
/// given twice, A007 nothing trains, A008 the loss can't read the prediction, A009 a name ends like
/// one of the training graph's own, A010 a straight-through choice matches nothing that it could
/// apply to, A012 a number of a parameter group is out of range, A013 (a warning) the loss applies
/// softmax or sigmoid to what has already been through one, A014 a choice to stop gradients matches
/// no node, A015 one to keep statistics matches no batch normalization, A020 the tokens that
/// provide the next-token labels can't be read or are ambiguous, A021 (info) other outputs are
/// ignored, A022 (info) what labels are made from, A023 (info) that ONNX Runtime can't load the
/// artifacts (training_opset.h). G007 (info) says which parameters are frozen by such a choice.
/// Remarks (W...) do not keep anything from training; see findHiddenWeights(). `loss` replaces that
/// of the specification: a block that reads the values named by `spec.lossInputs`, or all outputs
/// of the model in order.
ArtifactPlan planArtifacts(const Graph& model, const OpSet& ops, const ArtifactSpec& spec,
                           blocks::Block* loss = nullptr);

/// The gradient rules with the user's choices.
GradientRules chosenRules(const GradientRules& rules, const ArtifactPlan& plan);

}  // namespace temper
