// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/training_parameters.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/error.h"
#include "engine/training/ort_classic/pipeline_cuts.h"

namespace temper::classic {
namespace {

void requireAtLeast(const char* name, int64_t value, int64_t least) {
    if (value >= least) return;
    throw Error(ErrorCode::InvalidInput, "'" + std::string(name) + "' is " + std::to_string(value) +
                                             "; expected at least " + std::to_string(least) + ".");
}

/// A number that follows from the group.
void requireOfGroup(const char* name, int64_t value, int64_t expected) {
    if (value == expected) return;
    throw Error(ErrorCode::InvalidInput,
                "'" + std::string(name) + "' is " + std::to_string(value) +
                    "; the session's group of ranks has " + std::to_string(expected) + ".",
                "Start the ranks with mpirun, and give the session their group.");
}

void requireProduct(const DistributedParameters& d) {
    const int64_t product = d.dataParallelSize * d.horizontalParallelSize * d.pipelineParallelSize;
    if (product == d.worldSize) return;
    throw Error(ErrorCode::InvalidInput,
                "'data_parallel_size', 'horizontal_parallel_size' and 'pipeline_parallel_size' "
                "make " +
                    std::to_string(product) + " ranks; 'world_size' is " +
                    std::to_string(d.worldSize) + ".",
                "Choose sizes whose product is the number of ranks.");
}

void requireNoPipeline(const char* name, bool isSet) {
    if (!isSet) return;
    throw Error(ErrorCode::InvalidInput,
                "'" + std::string(name) + "' is set, but 'pipeline_parallel_size' is 1.",
                "Omit it, or choose a number of stages.");
}

void checkPipeline(const DistributedParameters& d) {
    requireAtLeast("pipeline_parallel_size", d.pipelineParallelSize, 1);
    requireAtLeast("num_pipeline_micro_batches", d.pipelineMicroBatches, 1);
    if (d.pipelineParallelSize == 1) {
        requireNoPipeline("num_pipeline_micro_batches", d.pipelineMicroBatches > 1);
        requireNoPipeline("pipeline_cut_info_string", !d.pipelineCutInfo.empty());
        requireNoPipeline("sliced_schema", !d.slicedSchema.empty());
        requireNoPipeline("sliced_axes", !d.slicedAxes.empty());
        requireNoPipeline("sliced_tensor_names", !d.slicedTensorNames.empty());
        return;
    }
    const auto cuts = static_cast<int64_t>(parsePipelineCuts(d.pipelineCutInfo).size());
    if (cuts + 1 == d.pipelineParallelSize) return;
    throw Error(ErrorCode::InvalidInput,
                "'pipeline_parallel_size' is " + std::to_string(d.pipelineParallelSize) +
                    ", but 'pipeline_cut_info_string' has " + std::to_string(cuts) +
                    (cuts == 1 ? " cut" : " cuts") + "; expected one less than stages.",
                "Separate cuts by ','.");
}

void checkZero(const DistributedParameters& d) {
    if (d.zeroStage != 0 && d.zeroStage != 1) {
        throw Error(
            ErrorCode::InvalidInput,
            "'deepspeed_zero_stage' is " + std::to_string(d.zeroStage) + "; expected 0 or 1.");
    }
    if (d.zeroStage == 1 && d.enableAdasum) {
        throw Error(ErrorCode::InvalidInput,
                    "'enable_adasum' and 'deepspeed_zero_stage' are both set; expected one of "
                    "them.",
                    "Adasum needs the whole gradients on each rank.");
    }
}

void checkDistributed(const DistributedParameters& d, const Group& ranks) {
    requireAtLeast("data_parallel_size", d.dataParallelSize, 1);
    requireAtLeast("horizontal_parallel_size", d.horizontalParallelSize, 1);
    checkPipeline(d);
    requireOfGroup("world_size", d.worldSize, ranks.size());
    requireOfGroup("world_rank", d.worldRank, ranks.rank());
    requireProduct(d);
    requireAtLeast("local_size", d.localSize, 1);
    requireAtLeast("local_rank", d.localRank, 0);
    if (d.localRank >= d.localSize || d.localSize > d.worldSize) {
        throw Error(ErrorCode::InvalidInput,
                    "'local_rank' is " + std::to_string(d.localRank) + " of " +
                        std::to_string(d.localSize) + " ('local_size') of " +
                        std::to_string(d.worldSize) +
                        " ('world_size'); expected each to be below the next.",
                    "They are the ranks of one machine among those of all machines.");
    }
    checkZero(d);
}

/// `why` is what `name` does not go together with.
void refuseTogether(const char* name, int64_t value, const char* why) {
    throw Error(ErrorCode::Unsupported,
                "'" + std::string(name) + "' is " + std::to_string(value) + ", but " + why + ".",
                "Omit one of them.");
}

/// LAMB and Adasum need norms of whole weights.
void checkTogether(const TrainingParameters& parameters) {
    const DistributedParameters& d = parameters.distributed;
    if (d.horizontalParallelSize > 1) {
        const auto refuse = [&](const char* why) {
            refuseTogether("horizontal_parallel_size", d.horizontalParallelSize, why);
        };
        if (parameters.optimizerName == "LambOptimizer")
            refuse("LambOptimizer needs weights that are whole on each rank");
        if (d.enableAdasum) refuse("'enable_adasum' needs weights that are whole on each rank");
    }
    if (d.pipelineParallelSize > 1) {
        const auto refuse = [&](const char* why) {
            refuseTogether("pipeline_parallel_size", d.pipelineParallelSize, why);
        };
        if (parameters.lossScale != 0 || parameters.dynamicLossScale)
            refuse("stages do not scale the loss");
        if (parameters.useMixedPrecision) refuse("stages compute in float32 only");
        if (parameters.setGradientsAsGraphOutputs) refuse("stages do not output gradients");
    }
}

/// An unreachable share: activations are recomputed as far as possible.
constexpr double kMinMemory = 0.01;

void checkRecompute(const RecomputeParameters& recompute) {
    if (recompute.layers == 0) return;
    throw Error(ErrorCode::Unsupported,
                "'number_recompute_layers' is " + std::to_string(recompute.layers) +
                    "; models are cut by memory, not by layers: expected 0.",
                "Limit the memory with SessionOptions::memoryShare.");
}

/// Only Adam keeps moments.
void checkMoments(const TrainingParameters& parameters) {
    const DType moments = parameters.momentType;
    const bool isHalf = moments == DType::Float16 || moments == DType::BFloat16;
    if (moments != DType::Float32 && !isHalf) {
        throw Error(ErrorCode::InvalidInput, "The type of moments is " +
                                                 std::string(dtypeName(moments)) +
                                                 "; expected float32, float16 or bfloat16.");
    }
    if (!isHalf || parameters.optimizerName == "AdamOptimizer") return;
    throw Error(ErrorCode::InvalidInput,
                "The type of moments is " + std::string(dtypeName(moments)) +
                    ", but the optimizer '" + parameters.optimizerName + "' keeps none.",
                "Omit the type of moments.");
}

void checkCasts(const CastPropagation& casts) {
    if (casts.level < -1 || casts.level > 2) {
        throw Error(ErrorCode::InvalidInput, "'propagate_cast_ops_level' is " +
                                                 std::to_string(casts.level) +
                                                 "; expected -1, 0, 1 or 2.");
    }
    constexpr std::array kStrategies = {"None", "InsertAndReduce", "FloodFill"};
    if (std::find(kStrategies.begin(), kStrategies.end(), casts.strategy) != kStrategies.end()) {
        return;
    }
    throw Error(ErrorCode::InvalidInput, "'propagate_cast_ops_strategy' is '" + casts.strategy +
                                             "'; expected None, InsertAndReduce or FloodFill.");
}

void checkLossScale(const TrainingParameters& parameters) {
    if (parameters.dynamicLossScale) {
        if (parameters.lossScale != 0) {
            throw Error(ErrorCode::InvalidInput,
                        "A static and a dynamic loss scale are set; expected one of them.");
        }
        LossScaler scaler(*parameters.dynamicLossScale);
    } else if (parameters.lossScale != 0) {
        LossScaler scaler(parameters.lossScale);
    }
}

void checkWeights(const TrainingParameters& parameters) {
    if (parameters.lossOutputName.empty()) {
        throw Error(ErrorCode::InvalidInput, "'loss_output_name' is empty.",
                    "Specify the model output that is the loss.");
    }
    if (!parameters.weightsToTrain.empty() && !parameters.weightsNotToTrain.empty()) {
        throw Error(ErrorCode::InvalidInput,
                    "'weights_to_train' and 'weights_not_to_train' are both given; expected one of "
                    "them.",
                    "Specify either the weights that train or those that do not.");
    }
}

}  // namespace

void checkParameters(const TrainingParameters& parameters, const Group& ranks) {
    checkWeights(parameters);
    if (parameters.gradientAccumulationSteps < 1) {
        throw Error(ErrorCode::InvalidInput,
                    "'gradient_accumulation_steps' is " +
                        std::to_string(parameters.gradientAccumulationSteps) +
                        "; expected at least 1.");
    }
    checkLossScale(parameters);
    checkMoments(parameters);
    checkRecompute(parameters.recompute);
    checkCasts(parameters.casts);
    checkDistributed(parameters.distributed, ranks);
    checkTogether(parameters);
}

SessionOptions sessionOptionsOf(const TrainingParameters& parameters, SessionOptions options) {
    const RecomputeParameters& recompute = parameters.recompute;
    if (parameters.useMixedPrecision) options.precision = Precision::BFloat16;
    if (recompute.attentionDropout) options.recompute.emplace_back("Attention");
    if (recompute.gelu) options.recompute.emplace_back("GELU");
    if (recompute.transformerLayer && options.memoryShare >= 1) options.memoryShare = kMinMemory;
    return options;
}

}  // namespace temper::classic
