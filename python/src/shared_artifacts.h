// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/training/artifacts/artifacts.h"
#include "engine/training/rehearsal/chosen_gradients.h"

namespace temper::python {

/// Artifacts that were made or loaded. Their graphs are shared and never change.
struct SharedArtifacts {
    Artifacts artifacts;
    ArtifactSpec spec;  ///< that they were made with
    GradientChoices gradientChoices;
    std::vector<std::string> trainable;
    std::vector<std::string> frozen;
    std::vector<Finding> findings;
};

}  // namespace temper::python
