// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/training/ort_classic/classic_artifacts.h"
#include "engine/training/ort_classic/rank_grid.h"
#include "engine/training/ort_classic/training_parameters.h"
#include "engine/training/session/training_session.h"

namespace temper::classic {

/// Neighbours run the same nodes, replicas begin with the same weights, all have the same
/// parameters. All ranks call it.
/// Throws: Error(InvalidInput) naming a rank and what differs; Error(Unsupported) for ranks that
/// share a model on another device than the processor.
void requireAgreement(RankGrid& ranks, temper::TrainingSession& session,
                      const ClassicArtifacts& classic, const TrainingParameters& parameters,
                      const SessionOptions& options);

}  // namespace temper::classic
