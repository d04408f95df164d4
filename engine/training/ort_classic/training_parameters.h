// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/distributed/group.h"
#include "engine/training/ort_classic/loss_scaler.h"
#include "engine/training/session/training_session.h"

namespace temper::classic {

/// Optimizer states by weight: {"Moment_1", "Moment_2", "Update_Count"} of Adam, and the first two
/// of Lamb, whose step is {"Step"} under kSharedOptimizerState. Counts are int64 [1] and start at
/// 1: they number the next step.
using OptimizerStates = std::map<std::string, std::map<std::string, Tensor>>;
inline constexpr const char* kSharedOptimizerState = "shared_optimizer_state";

/// How the work is distributed over the ranks of a Group, which the session gets. Without a group,
/// these defaults are the only possible values.
struct DistributedParameters {
    int64_t worldRank = 0;
    int64_t worldSize = 1;
    int64_t localRank = 0;
    int64_t localSize = 1;
    int64_t dataParallelSize = 1;
    int64_t horizontalParallelSize = 1;  ///< see splitHorizontally(); neighbours share a model
    int64_t pipelineParallelSize = 1;
    int64_t pipelineMicroBatches = 1;
    std::string pipelineCutInfo;
    /// How inputs are split into micro-batches.
    std::map<std::string, std::vector<int64_t>> slicedSchema;
    std::map<std::string, int64_t> slicedAxes;
    std::vector<std::string> slicedTensorNames;
    int64_t zeroStage = 0;      ///< 1: each rank keeps a part of the optimizer's state
    bool enableAdasum = false;  ///< see AdasumReduction; otherwise gradients are averaged
    /// Without effect: gradients are exchanged once for an update, never for each micro-batch.
    bool allreducePostAccumulation = false;
};

/// Which activations are recomputed in the backward pass instead of kept; results stay
/// bit-identical.
struct RecomputeParameters {
    bool attentionDropout = false;  ///< attn_dropout_recompute: blocks of attention
    bool gelu = false;              ///< gelu_recompute: blocks of GELU
    /// transformer_layer_recompute: whole segments of the model, as far as that saves memory.
    /// SessionOptions::memoryShare is another way to set how far.
    bool transformerLayer = false;
    int64_t layers = 0;  ///< number_recompute_layers; 0: all that help
};

/// Where half precision propagates through casts. Without mixed precision there are no casts, and
/// nothing to propagate.
struct CastPropagation {
    int64_t level = 1;               ///< -1 off, 0 only `allow`, 1 and 2: growing built-in lists
    std::vector<std::string> allow;  ///< operators, for level 0
    std::string strategy = "FloodFill";
};

/// The configuration of ORT's classic TrainingSession under our names; the comment of a field is
/// its name there if it differs. Source: spec/training_api.md section 10.1.
struct TrainingParameters {
    /// The value of the model that is differentiated: a single number.
    std::string lossOutputName;
    /// Names; at most one of the lists. Both empty: all float initializers that influence the loss,
    /// except those in `immutableWeights`.
    std::vector<std::string> weightsToTrain;
    std::vector<std::string> weightsNotToTrain;
    /// By operator and input: a scalar of this value there is not a weight.
    std::map<std::string, std::map<size_t, float>> immutableWeights;

    /// "SGDOptimizer", "AdamOptimizer" or "LambOptimizer"; empty: gradients only.
    std::string optimizerName;                       ///< training_optimizer_name
    std::string learningRateName = "Learning_Rate";  ///< lr_params_feed_name
    /// By weight: alpha, beta, lambda, epsilon, max_norm_clip, ratio_min, ratio_max.
    std::map<std::string, std::map<std::string, float>> optimizerAttributes;
    /// By weight: do_bias_correction, weight_decay_mode (0 before, 1 after the step).
    std::map<std::string, std::map<std::string, int64_t>> optimizerIntAttributes;
    OptimizerStates optimizerInitialState;  ///< set_optimizer_initial_state

    int64_t gradientAccumulationSteps = 1;
    /// Clips all gradients to the norm max_norm_clip (1).
    bool enableGradNormClip = true;
    float lossScale = 0;                               ///< 0: none
    std::optional<DynamicLossScale> dynamicLossScale;  ///< instead of lossScale
    /// Products in bfloat16; weights, gradients and outputs stay float32.
    bool useMixedPrecision = false;
    DType momentType = DType::Float32;  ///< use_fp16_moments: Float16; or BFloat16
    RecomputeParameters recompute;
    CastPropagation casts;
    /// Memory is always planned over the whole graph.
    bool useMemoryEfficientGradient = false;

    bool setGradientsAsGraphOutputs = false;
    /// Files for inspection; empty: not written. The model with selected weights and scaled loss;
    /// the same with gradients; and with their accumulation, the optimizer models next to it.
    std::filesystem::path modelAfterGraphTransformsPath;
    std::filesystem::path modelWithGradientGraphPath;
    std::filesystem::path modelWithTrainingGraphPath;

    DistributedParameters distributed;
};

/// Checks what does not need the model. `ranks`: those that train together.
/// Throws: Error(InvalidInput) for values that contradict each other or the ranks, or make no
/// sense, Error(Unsupported) for what is not available yet.
void checkParameters(const TrainingParameters& parameters, const Group& ranks);

/// `options` with the parameters' settings of precision and recomputation.
SessionOptions sessionOptionsOf(const TrainingParameters& parameters, SessionOptions options);

}  // namespace temper::classic
