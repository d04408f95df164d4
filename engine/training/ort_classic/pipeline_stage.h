// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/training/ort_classic/pipeline_cuts.h"

namespace temper::classic {

/// A part of a model between two cuts.
struct PipelineStage {
    /// Its inputs are those of the model that it reads, and those of `received`; its outputs are
    /// those of `sent` that it makes, or for the last stage those of the model.
    std::shared_ptr<const Graph> model;
    std::vector<std::string> received;  ///< from the stage before
    std::vector<std::string> sent;      ///< to the next stage, also what is only passed on
};

/// Stage `index` of a model: the nodes that the values of its cut need, and no earlier stage has.
/// Types have to be inferred before. `trained`: the weights that train.
/// Throws: Error(NotFound) for a value that the model does not compute; Error(InvalidInput) for a
/// stage without nodes, for a value that a later stage needs but a cut does not pass on, and for a
/// reader that is not in a later stage; Error(Unsupported) for a trained weight that several stages
/// read, for a value between stages that is not a tensor of float32, integers or bools, and for
/// operators that compute something else in training (Dropout, BatchNormalization) before the last
/// stage, whose forward pass is computed twice.
PipelineStage stageOf(const Graph& model, const OpCatalog& catalog,
                      const std::vector<PipelineCut>& cuts, const std::vector<std::string>& trained,
                      size_t index);

}  // namespace temper::classic
