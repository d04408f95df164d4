// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/ops/op_set.h"
#include "engine/training/ort_classic/classic_artifacts.h"
#include "engine/training/ort_classic/horizontal_split.h"
#include "engine/training/ort_classic/pipeline_stage.h"
#include "engine/training/ort_classic/rank_grid.h"
#include "engine/training/ort_classic/training_parameters.h"

namespace temper::classic {

/// What a rank trains of a model: all of it, unless other ranks share it.
struct RankModel {
    ClassicArtifacts classic;
    TrainingParameters parameters;       ///< without what concerns other stages
    WeightSlices slices;                 ///< the weights of which this rank has a part
    std::optional<PipelineStage> stage;  ///< if the model has several
};

/// Cuts the model horizontally, then into stages. Which weights train follows from the whole model.
/// Throws: as splitHorizontally(), stageOf() and makeClassicArtifacts(); Error(InvalidInput) for a
/// stage in which no weight trains.
RankModel rankModelOf(const Graph& model, const TrainingParameters& parameters, const OpSet& ops,
                      RankGrid& ranks);

}  // namespace temper::classic
