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
    ModuleNames moduleNames = {};  ///< of parameters, constants that could train among them
    LossPlan loss;                 ///< what the loss reads, and how it is made
    /// What the user's straight-through choices mean here: operators, and names of node outputs.
    std::vector<std::string> straightThrough;
    std::vector<std::string> stopGradient = {};  ///< values that gradients take for constants
    /// Outputs of batch normalizations whose statistics stay as they are.
    std::vector<std::string> frozenStatistics = {};
    std::vector<Finding> findings;  ///< everything that is wrong or noteworthy; see severities
};

/// Resolves patterns and names, checks them all, infers types (findings T...), runs the
/// trainability analysis (G...) and tries every gradient rule: generateArtifacts() succeeds exactly
/// where no finding is an error. Never throws for the user's choices.
/// A001 a pattern matches nothing, A002 a name is in both lists, A003 it can't be trained, A004 the
/// prediction is not clear, A005 the target's name is taken, A006 an extra output is unknown or
/// given twice, A007 nothing trains, A008 the loss can't read the prediction, A009 a name ends like
/// one of the training graph's own, A010 a straight-through choice matches nothing that it could
/// be for, A012 a number of a parameter group is out of range, A013 (a warning) the loss applies
/// softmax or sigmoid to what has been through one already, A014 a choice to stop gradients is for
/// no node, A015 one to keep statistics is for no batch normalization, A020 the tokens
/// whose next ones are the labels can't be read or are not clear, A021 (for information) other
/// outputs are left aside, A022 (too) what labels are made of, A023 (too) that ONNX Runtime can't
/// load the artifacts (training_opset.h). G007 says, for information,
/// which parameters are frozen by such a choice. Remarks (W...) do not keep anything from training;
/// see findHiddenWeights(). `loss` stands for that of the specification: a block that reads the
/// values which `spec.lossInputs` names, or all outputs of the model in order.
ArtifactPlan planArtifacts(const Graph& model, const OpSet& ops, const ArtifactSpec& spec,
                           blocks::Block* loss = nullptr);

/// The gradient rules with the user's choices.
GradientRules chosenRules(const GradientRules& rules, const ArtifactPlan& plan);

}  // namespace temper
