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
    Artifacts artifacts;  ///< without an optimizer model: the groups have theirs
    std::vector<WeightGroup> groups;
    std::string lossScaleInput;  ///< float32 [1] that multiplies the loss; empty without scaling
    std::string differentiated;  ///< the loss, or the scaled loss
    double maxNorm = 0;          ///< gradients are clipped to this norm; 0: no clipping
};

/// Builds them. The outputs of the training and eval models are the differentiated loss, then the
/// outputs of the model. The parameters have to be checked first.
/// Throws: Error(InvalidInput) for names that the model lacks, weights that cannot be trained and
/// attributes that the optimizer lacks; Error(Unsupported) for an unknown optimizer.
ClassicArtifacts makeClassicArtifacts(const Graph& model, const TrainingParameters& parameters,
                                      const OpSet& ops);

/// Writes the models of the stages for which the parameters name a file. Throws: Error(Io).
void saveStages(const ClassicArtifacts& artifacts, const TrainingParameters& parameters);

}  // namespace temper::classic
