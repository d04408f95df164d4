// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/training_parameters.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/error.h"

namespace temper::classic {
namespace {

[[noreturn]] void needsDistributed(const std::string& name, const std::string& found,
                                   const std::string& expected) {
    throw Error(ErrorCode::Unsupported,
                "'" + name + "' is " + found +
                    ", which needs the distributed build; on one machine it must be " + expected +
                    ".",
                "To train on this machine, omit the parameter.");
}

void requireSize(const char* name, int64_t value, int64_t expected) {
    if (value == expected) return;
    if (value < 0 || (expected == 1 && value < 1)) {
        throw Error(ErrorCode::InvalidInput, "'" + std::string(name) + "' is " +
                                                 std::to_string(value) + "; expected at least " +
                                                 std::to_string(expected) + ".");
    }
    needsDistributed(name, std::to_string(value), std::to_string(expected));
}

void requireAbsent(const char* name, bool isSet) {
    if (isSet) needsDistributed(name, "set", "omitted");
}

void checkZero(int64_t stage) {
    if (stage == 0) return;
    if (stage == 1) needsDistributed("deepspeed_zero_stage", "1", "0");
    throw Error(ErrorCode::InvalidInput,
                "'deepspeed_zero_stage' is " + std::to_string(stage) + "; expected 0 or 1.");
}

void checkDistributed(const DistributedParameters& d) {
    requireSize("world_rank", d.worldRank, 0);
    requireSize("world_size", d.worldSize, 1);
    requireSize("local_rank", d.localRank, 0);
    requireSize("local_size", d.localSize, 1);
    requireSize("data_parallel_size", d.dataParallelSize, 1);
    requireSize("horizontal_parallel_size", d.horizontalParallelSize, 1);
    requireSize("pipeline_parallel_size", d.pipelineParallelSize, 1);
    requireSize("num_pipeline_micro_batches", d.pipelineMicroBatches, 1);
    checkZero(d.zeroStage);
    requireAbsent("pipeline_cut_info_string", !d.pipelineCutInfo.empty());
    requireAbsent("sliced_schema", !d.slicedSchema.empty());
    requireAbsent("sliced_axes", !d.slicedAxes.empty());
    requireAbsent("sliced_tensor_names", !d.slicedTensorNames.empty());
    requireAbsent("enable_adasum", d.enableAdasum);
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

void checkParameters(const TrainingParameters& parameters) {
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
    checkDistributed(parameters.distributed);
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
