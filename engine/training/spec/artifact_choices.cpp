// SPDX-License-Identifier: Apache-2.0
#include "engine/training/spec/artifact_choices.h"

#include <algorithm>

#include "engine/core/error.h"

namespace temper {

const std::vector<ArtifactChoice>& artifactChoices() {
    static const std::vector<ArtifactChoice> kChoices = {
        {"fixed_inputs", "--fix-input", "Constant inputs"},
        {"free_batch", "--free-batch", "Any batch size"},
        {"head_classes", "--head-classes", "Classes of a new head"},
        {"hidden_units", "--hidden-units", "Hidden units"},
        {"replace", "--replace", "Replaced nodes"},
        {"sharing.tie", "--tie", "Tied tensors"},
        {"sharing.untie", "--untie", "Untied tensors"},
        {"sharing.part", "--part", "Tensors split by node"},
        {"sharing.keep_merged", "--keep-merged", "Tensors kept merged"},
        {"rename", "--rename", "New names"},
        {"restore_norms", "--restore-norm", "Restored batch norms"},
        {"artifacts.trainable", "--train", "Trainable parameters"},
        {"artifacts.frozen", "--freeze", "Frozen parameters"},
        {"artifacts.loss_inputs", "--loss-input", "Loss inputs"},
        {"artifacts.parameter_groups", "--group", "Parameter groups"},
        {"artifacts.decay_biases_and_norms", "--no-decay-on-biases-and-norms",
         "Weight decay of biases and norms"},
        {"artifacts.straight_through", "--straight-through", "Straight-through gradients"},
        {"artifacts.stop_gradient", "--stop-gradient", "Stopped gradients"},
        {"artifacts.frozen_statistics", "--freeze-statistics", "Frozen batch-norm statistics"},
        {"artifacts.extra_outputs", "--extra-output", "Extra outputs"},
        {"artifacts.prefix", "--prefix", "File name prefix"},
        {"artifacts.nominal_checkpoint", "--nominal-checkpoint", "Nominal checkpoint"},
        {"artifacts.ort_format", "--ort-format", "ORT format"},
    };
    return kChoices;
}

const ArtifactChoice& artifactChoice(const std::string& flag) {
    const auto found = std::ranges::find(artifactChoices(), flag, &ArtifactChoice::flag);
    TEMPER_ASSERT(found != artifactChoices().end(), "artifactChoices() has every flag");
    return *found;
}

}  // namespace temper
