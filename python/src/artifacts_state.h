// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "python/src/bindings.h"
#include "python/src/shared_artifacts.h"

namespace temper::python {

/// Artifacts as pickle keeps them: the four files, of which the eval and the optimizer model may be
/// empty; the specification as JSON; trainable and frozen names; what gradients treat differently;
/// findings.
using ArtifactsState = std::tuple<std::vector<nb::bytes>, std::string,
                                  std::vector<std::vector<std::string>>, std::vector<Finding>>;

/// Throws: Error(Unsupported) for models above 2 GiB.
ArtifactsState stateOfArtifacts(const SharedArtifacts& artifacts);
/// Makes artifacts in the memory of `artifacts`, which has none yet.
void restoreArtifacts(SharedArtifacts& artifacts, const ArtifactsState& state);

}  // namespace temper::python
