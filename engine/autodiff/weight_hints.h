// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/autodiff/trainability.h"

namespace temper {

/// Remarks about tensors that look like weights but do not train, and vice versa; none is an error:
/// W001 a tensor written into the model as a Constant is used as a weight, W002 a weight is an
/// integer tensor, W003 weights are inside the body of If, Loop or Scan, W004 the exporter merged
/// batch normalization into convolutions, W005 running statistics would train, S003 the exporter
/// computed parameters away (findFoldedAway()), S004 tensors may be one parameter, or one several
/// (findUnclearSharing()).
std::vector<Finding> findHiddenWeights(const Graph& graph, const OpCatalog& catalog,
                                       const std::vector<ParameterInfo>& parameters);

}  // namespace temper
