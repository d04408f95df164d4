// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/name_pattern.h"
#include "engine/provenance/sharing.h"

namespace temper {

/// A number that a user may set; forms and command-line flags are generated from it.
struct HyperParameter {
    std::string key;    ///< "weight_decay"
    std::string label;  ///< "Weight decay"
    std::string unit;   ///< or empty
    double defaultValue = 0;
    double minimum = 0;
    double maximum = 0;
    std::string help;  ///< one sentence
    enum class Kind {
        Number,
        Switch,  ///< a number that is 0 or 1
        List  ///< numbers of the range, separated by commas where they are text; empty by default
    };
    Kind kind = Kind::Number;
};

/// A loss or optimizer that can be chosen by name.
struct Choice {
    std::string key;    ///< "cross-entropy"
    std::string label;  ///< "Cross entropy"
    std::string help;   ///< one sentence: what it is for
    std::vector<HyperParameter> hyperParameters;
};

/// The built-in losses and "none"; the first is the default.
const std::vector<Choice>& lossChoices();
/// The built-in optimizers and "none"; the first is the default.
const std::vector<Choice>& optimizerChoices();
/// The learning-rate schedules; the first is the default.
const std::vector<Choice>& scheduleChoices();

/// A choice and the hyperparameters that differ from its defaults.
struct Selection {
    std::string key;
    std::map<std::string, double> values;
    std::map<std::string, std::vector<double>> lists = {};

    /// The set value, or the choice's default.
    /// Throws: Error(InvalidInput) naming a key that the choice does not have.
    double value(const std::vector<Choice>& choices, const std::string& hyperParameter) const;
    /// The same for a list.
    std::vector<double> list(const std::vector<Choice>& choices,
                             const std::string& hyperParameter) const;
    bool isOn(const std::vector<Choice>& choices, const std::string& hyperParameter) const {
        return value(choices, hyperParameter) != 0;
    }
    bool operator==(const Selection&) const = default;
};

/// Throws: Error(InvalidInput) for a choice or hyperparameter that is not known, and for a number
/// out of its range.
void requireValid(const Selection& selection, const std::vector<Choice>& choices);

/// Parameters that are trained otherwise than the rest.
struct ParameterGroup {
    std::string pattern;                     ///< which parameters: see NamePatterns
    double learningRateFactor = 1;           ///< times the learning rate of each step
    std::optional<double> weightDecay = {};  ///< in place of the optimizer's

    bool operator==(const ParameterGroup&) const = default;
};

/// What decides the training artifacts.
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
    /// False: what has at most one dimension (biases, scales of norms) does not decay, unless its
    /// group says so.
    bool decayBiasesAndNorms = true;
    /// Operators ("Round"), node names and patterns of them, names of node outputs: where the
    /// derivative is zero, the gradient passes these unchanged.
    std::vector<std::string> straightThrough;
    /// Node names and patterns of them, names of node outputs: gradients take these values for
    /// constants. Parameters that get no other gradient are frozen.
    std::vector<std::string> stopGradient = {};
    /// Patterns of names of batch normalizations, of their outputs or of their tensors: these keep
    /// their running statistics in training and normalize by them, as fine-tuning on small batches
    /// wants it.
    std::vector<std::string> frozenStatistics = {};
    /// Further values that training and eval model give out.
    std::vector<std::string> extraOutputs;
    std::string prefix;
    bool nominalCheckpoint = false;
    bool ortFormat = false;  ///< write the models in ORT format (.ort), too

    bool operator==(const ArtifactSpec&) const = default;
};

/// What decides a run over artifacts.
struct RunSpec {
    std::string data;      ///< data specification of the training samples
    std::string evalData;  ///< of the evaluation samples; empty: none
    /// Model input to data column; inputs that are missing are bound by name, type and shape.
    std::map<std::string, std::string> binding;
    int64_t epochs = 10;
    int64_t steps = 0;  ///< > 0: optimizer steps to do, whatever the epochs
    int64_t batchSize = 32;
    double learningRate = 1e-3;
    Selection schedule{"constant", {}};
    int64_t accumulate = 1;  ///< batches whose gradients are averaged for one optimizer step
    double clipNorm = 0;     ///< > 0: gradients are scaled to this global norm at most
    double clipValue = 0;  ///< > 0: each number of the gradients is cut to [-clipValue, clipValue]
    double averageDecay = 0;       ///< > 0: a moving average of the weights is kept; 0.999
    bool evaluateAverage = false;  ///< evaluations look at the average, not at the weights
    uint64_t seed = 0;
    int threads = 0;                     ///< 0: one per core
    std::string precision = "fp32";      ///< or "bf16": see Precision
    double memoryShare = 1;              ///< of that for activations: see SessionOptions
    std::vector<std::string> recompute;  ///< kinds of blocks computed again: see SessionOptions
    std::vector<std::string> metrics;    ///< empty: those that fit the loss
    int64_t evaluateEvery = 0;           ///< optimizer steps; 0: at the end of each epoch
    int64_t saveEvery = 0;               ///< optimizer steps; 0: at the end of each epoch
    std::string saveFolder;              ///< empty: no checkpoints are written
    bool saveOnPause = false;            ///< a checkpoint at each pause
    std::string bestMetric = "loss";     ///< whose best evaluation is kept
    int64_t keepBest = 1;                ///< so many of the best evaluations: see BestCheckpoints
    int64_t earlyStopPatience = 0;       ///< evaluations without improvement; 0: off
    double earlyStopMinDelta = 0;        ///< improvements that are no larger do not count
    double timeLimit = 0;                ///< seconds without pauses, anew after each start; 0: none
    bool divergenceGuard = true;         ///< a finite loss that runs away fails: DivergenceWatch

    bool operator==(const RunSpec&) const = default;
};

/// Every choice of the user: plain data, JSON in and out.
struct TrainingSpec {
    std::string model;  ///< path of the forward model
    /// Inputs of the model, by the name in its file, that hold this number in every element instead
    /// of data: see fixInputs().
    std::map<std::string, double> fixedInputs = {};
    int64_t headClasses = 0;  ///< > 0: the model's head is replaced by one with so many classes
    /// Operators, node names, patterns of them, names of outputs: nodes without gradient that are
    /// replaced by others, see replaceNodes().
    std::vector<std::string> replace = {};
    /// Which tensors are one parameter, see restoreSharing().
    SharingChoices sharing = {};
    /// Batch normalizations that the exporter merged into layers and that are put back, see
    /// restoreNorms().
    std::vector<std::string> restoreNorms = {};
    /// Inputs and outputs of the model, by the name in its file, to their new names. All other
    /// choices use the new ones.
    std::map<std::string, std::string> rename = {};
    ArtifactSpec artifacts;
    RunSpec run;

    bool operator==(const TrainingSpec&) const = default;
};

/// Readable, stable JSON; unknown keys are errors that name them.
std::string toJson(const TrainingSpec& spec);
/// Throws: Error(InvalidInput) naming the key, what was found and what was expected.
TrainingSpec trainingSpecFromJson(std::string_view json);

}  // namespace temper
