// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/ops/op_set.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/ort_classic/training_parameters.h"

namespace temper::classic {

/// Weights that one optimizer model updates.
struct WeightGroup {
    std::shared_ptr<const Graph> optimizerModel;
    std::vector<std::string> weights;
};

/// What a classic session runs.
struct ClassicArtifacts {
    Artifacts artifacts;  ///< without optimizer model: the groups have theirs
    std::vector<WeightGroup> groups;
    std::string lossScaleInput;  ///< float32 [1] that multiplies the loss; empty without scaling
    std::string differentiated;  ///< the loss, or the scaled loss
    double maxNorm = 0;          ///< gradients are scaled to this norm at most; 0: not
};

/// Builds them. The outputs of the training and eval model are the differentiated loss, then the
/// outputs of the model. The parameters were checked.
/// Throws: Error(InvalidInput) for names that the model lacks, weights that can not be trained and
/// attributes that the optimizer lacks; Error(Unsupported) for an optimizer that is not there.
ClassicArtifacts makeClassicArtifacts(const Graph& model, const TrainingParameters& parameters,
                                      const OpSet& ops);

/// Writes the models of the stages that the parameters name a file for. Throws: Error(Io).
void saveStages(const ClassicArtifacts& artifacts, const TrainingParameters& parameters);

}  // namespace temper::classic
