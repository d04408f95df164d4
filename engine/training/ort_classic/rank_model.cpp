// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/rank_model.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/control_folding.h"
#include "engine/training/ort_classic/pipeline_cuts.h"
#include "engine/training/ort_classic/pipeline_runner.h"

namespace temper::classic {
namespace {

bool isAmong(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

/// The loss is its only output. Control flow that is decided before the model trains is gone, as
/// from the training model.
std::unique_ptr<Graph> modelOfLoss(const Graph& model, const std::vector<std::string>& trained,
                                   const std::string& loss, const OpSet& ops) {
    std::unique_ptr<Graph> whole =
        hasFoldableNodes(model) ? withFoldedControlFlow(model, ops.catalog, ops.cpuKernels, trained)
                                : model.clone();
    whole->setOutputs({whole->at(loss)});
    whole->removeUnused();
    inferTypes(*whole, ops.catalog);
    return whole;
}

/// What concerns other stages is left aside.
TrainingParameters parametersOf(const PipelineStage& stage, size_t index,
                                const std::vector<std::string>& trained,
                                TrainingParameters parameters) {
    if (!stage.sent.empty()) parameters.lossOutputName = kStageLoss;
    std::vector<std::string> own = trained;
    std::erase_if(own,
                  [&](const std::string& weight) { return stage.model->find(weight) == nullptr; });
    if (own.empty()) {
        throw Error(ErrorCode::InvalidInput,
                    "No weight trains in stage " + std::to_string(index) + " of the pipeline.",
                    "Change 'pipeline_cut_info_string', so that each stage has weights to train.");
    }
    const auto isOfOther = [&](const auto& entry) {
        return isAmong(trained, entry.first) && !isAmong(own, entry.first);
    };
    std::erase_if(parameters.optimizerAttributes, isOfOther);
    std::erase_if(parameters.optimizerIntAttributes, isOfOther);
    std::erase_if(parameters.optimizerInitialState, isOfOther);
    parameters.weightsNotToTrain.clear();
    parameters.weightsToTrain = std::move(own);
    return parameters;
}

void cutIntoStages(RankModel& rank, const Graph& model, const OpSet& ops, RankGrid& ranks) {
    std::vector<std::string> trained;
    for (const NamedTensor& weight : rank.classic.artifacts.checkpoint.trainable)
        trained.push_back(weight.name);
    const auto index = static_cast<size_t>(ranks.stages().rank());
    const auto whole = modelOfLoss(model, trained, rank.parameters.lossOutputName, ops);
    rank.stage =
        stageOf(*whole, ops.catalog, parsePipelineCuts(rank.parameters.distributed.pipelineCutInfo),
                trained, index);
    rank.parameters = parametersOf(*rank.stage, index, trained, std::move(rank.parameters));
    rank.classic = makeClassicArtifacts(*lossModelOf(*rank.stage), rank.parameters, ops);
    std::erase_if(rank.slices, [&](const auto& slice) {
        return rank.stage->model->find(slice.first) == nullptr;
    });
}

}  // namespace

RankModel rankModelOf(const Graph& model, const TrainingParameters& parameters, const OpSet& ops,
                      RankGrid& ranks) {
    RankModel rank;
    rank.parameters = parameters;
    if (ranks.model().size() == 1) {
        rank.classic = makeClassicArtifacts(model, parameters, ops);
        return rank;
    }
    const std::unique_ptr<Graph> part = model.clone();
    inferTypes(*part, ops.catalog);
    if (ranks.horizontal().size() > 1) {
        rank.slices = splitHorizontally(*part, ops.catalog, ranks.horizontal().rank(),
                                        ranks.horizontal().size());
    }
    rank.classic = makeClassicArtifacts(*part, parameters, ops);
    if (ranks.stages().size() > 1) cutIntoStages(rank, *part, ops, ranks);
    return rank;
}

}  // namespace temper::classic
