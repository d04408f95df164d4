// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/training/spec/choice.h"

namespace temper {

/// Parameters that are trained differently from the rest.
struct ParameterGroup {
    std::string pattern;                     ///< which parameters: see NamePatterns
    double learningRateFactor = 1;           ///< times the learning rate of each step
    std::optional<double> weightDecay = {};  ///< replaces the optimizer's
    int64_t startStep = 0;  ///< until this many optimizer steps are done, the learning rate is 0

    bool operator==(const ParameterGroup&) const = default;
};

/// What determines the training artifacts.
struct ArtifactSpec {
    /// Parameter names or glob patterns. Both empty: every parameter of class Trainable trains.
    /// `trainable` empty: all but `frozen`. `frozen` empty: all others are frozen.
    std::vector<std::string> trainable;
    std::vector<std::string> frozen;
    Selection loss{"cross-entropy", {}};
    /// Names for the loss: the model output it reads, optionally the target's name. Empty: the
    /// model's only output.
    std::vector<std::string> lossInputs;
    Selection optimizer{"adamw", {}};
    /// A parameter belongs to the first group that matches it.
    std::vector<ParameterGroup> parameterGroups;
    /// False: parameters of at most one dimension (biases, scales of norms) do not decay, unless
    /// their group says so.
    bool decayBiasesAndNorms = true;
    /// Operators ("Round"), node names or patterns, names of node outputs: where the derivative is
    /// zero, the gradient passes these unchanged.
    std::vector<std::string> straightThrough;
    /// Node names or patterns, names of node outputs: gradients treat these values as constants.
    /// Parameters that get no other gradient are frozen.
    std::vector<std::string> stopGradient = {};
    /// Name patterns of batch normalizations, of their outputs or of their tensors: these keep
    /// their running statistics in training and normalize by them, as fine-tuning on small batches
    /// requires.
    std::vector<std::string> frozenStatistics = {};
    /// Further outputs of the training and eval models.
    std::vector<std::string> extraOutputs;
    std::string prefix;
    bool nominalCheckpoint = false;
    bool ortFormat = false;  ///< also write the models in ORT format (.ort)

    bool operator==(const ArtifactSpec&) const = default;
};

}  // namespace temper
