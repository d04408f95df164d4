// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/session/checkpoint_state.h"

namespace temper {

class TrainingSession;

/// What the parameters of a state mean in a model, as a short text that is the same on every
/// machine: how the operators between the inputs and the outputs are connected, with their
/// attributes and their small constants, and the names, types and shapes of the parameters. The
/// values of the parameters do not matter, nor does anything that does not change what is computed:
/// names of nodes and of other values, doc strings, sizes of inputs, the order of the nodes, the
/// loss, which parameters train.
std::string modelFingerprint(const Graph& evalModel, const CheckpointState& state);

/// Stores the fingerprint of the session's model in its state, as the string property
/// "temper.model_fingerprint": for checkpoints that are written from now on. Without an eval model
/// there is none.
void keepModelFingerprint(TrainingSession& session);

/// C001 (warning): the state comes from a checkpoint of another model, whose parameters have the
/// same names. Nothing is found if the state has no fingerprint, as in checkpoints of ONNX Runtime
/// and of artifacts, or if there is no eval model to compare with.
std::vector<Finding> checkpointFindings(const Artifacts& artifacts, const CheckpointState& state);

}  // namespace temper
