// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/rank_agreement.h"

#include <string>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/parallel/rank_facts.h"
#include "engine/training/session/module.h"

namespace temper::classic {
namespace {

/// Ranks that don't agree on these would wait for each other.
RankFacts sizesOf(const TrainingParameters& parameters) {
    const DistributedParameters& d = parameters.distributed;
    return {
        {"'data_parallel_size'", std::to_string(d.dataParallelSize)},
        {"'horizontal_parallel_size'", std::to_string(d.horizontalParallelSize)},
        {"'pipeline_parallel_size'", std::to_string(d.pipelineParallelSize)},
        {"'num_pipeline_micro_batches'", std::to_string(d.pipelineMicroBatches)},
        {"'pipeline_cut_info_string'", d.pipelineCutInfo},
        {"'deepspeed_zero_stage'", std::to_string(d.zeroStage)},
        {"'enable_adasum'", std::to_string(d.enableAdasum)},
        {"'gradient_accumulation_steps'", std::to_string(parameters.gradientAccumulationSteps)}};
}

std::string textOf(const std::vector<WeightGroup>& groups) {
    std::string text;
    for (const WeightGroup& group : groups)
        text += joined(group.weights) + '\n' + toText(*group.optimizerModel) + '\n';
    return text;
}

/// What stages have in common, too.
std::string configurationOf(const TrainingParameters& parameters, const SessionOptions& options) {
    return parameters.lossOutputName + ' ' + parameters.optimizerName + ' ' +
           std::to_string(options.seed) + ' ' + std::to_string(options.memoryShare) + ' ' +
           std::to_string(parameters.lossScale) + ' ' +
           std::to_string(parameters.dynamicLossScale.has_value());
}

void requireHost(temper::TrainingSession& session, const SessionOptions& options) {
    if (session.context().device->usesHostMemory()) return;
    throw Error(ErrorCode::Unsupported,
                "The device is '" + options.device +
                    "'; ranks that share a model exchange what is in the host's memory only.",
                kChooseHostMemory);
}

}  // namespace

void requireAgreement(RankGrid& ranks, temper::TrainingSession& session,
                      const ClassicArtifacts& classic, const TrainingParameters& parameters,
                      const SessionOptions& options) {
    requireSame(ranks.all(), sizesOf(parameters));
    if (ranks.model().size() > 1) requireHost(session, options);
    RankFacts facts = factsOf(session);
    facts.emplace_back("optimizer", textOf(classic.groups));
    requireSame(ranks.horizontal(), {facts.front(), facts.back()});  // front: the training model
    requireSame(ranks.data(), facts);
    requireSame(ranks.all(), {{"'max_norm_clip'", std::to_string(classic.maxNorm)},
                              {"configuration", configurationOf(parameters, options)}});
}

}  // namespace temper::classic
