// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/training/session/model_fingerprint.h"
#include "ui/messages/problem.h"

namespace temper::ui {

/// Why a state that was read from a checkpoint may not belong to the model (C001); empty if nothing
/// speaks for that. Takes a while for large models: not for the GUI thread.
Problem remarkOnCheckpoint(const Artifacts& artifacts, const CheckpointState& state);

}  // namespace temper::ui
