// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace temper {

/// A choice about the model or its artifacts, besides the loss and the optimizer.
struct ArtifactChoice {
    std::string key;    ///< its place in JSON: "artifacts.frozen"
    std::string flag;   ///< "--freeze"
    std::string label;  ///< in reports and tables of runs: "Frozen parameters"
};

const std::vector<ArtifactChoice>& artifactChoices();

/// The choice of a flag.
const ArtifactChoice& artifactChoice(const std::string& flag);

}  // namespace temper
