// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/ir/graph.h"
#include "engine/ops/op_set.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/training/artifacts/artifact_plan.h"

namespace temper {

/// The graphs and the initial state that training starts from. The graphs are shared and immutable;
/// training changes only a CheckpointState.
struct Artifacts {
    std::shared_ptr<const Graph> trainingModel;
    std::shared_ptr<const Graph> evalModel;       ///< may be null
    std::shared_ptr<const Graph> optimizerModel;  ///< null for inference and eval only
    CheckpointFile checkpoint;
};

/// Builds the four artifacts as ONNX Runtime's generator does (spec/artifacts.md), with its known
/// defects fixed. The model is not changed.
/// Throws: Error with the first error finding of planArtifacts().
Artifacts generateArtifacts(const Graph& model, const OpSet& ops, const ArtifactSpec& spec,
                            blocks::Block* loss = nullptr);
/// The same from a plan that planArtifacts() made for this model and specification.
Artifacts generateArtifacts(const Graph& model, const OpSet& ops, const ArtifactSpec& spec,
                            const ArtifactPlan& plan);

}  // namespace temper
