// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/data/image_form.h"
#include "engine/ir/graph.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// The form of pictures that the first fitting type takes: [N, C, H, W], [N, H, W, C] with C of 1
/// or 3, or [N, F] with F pixels of a square. Nothing if none fits.
ImageForm imageFormOf(std::span<const ValueType> inputs);
/// For the inputs of a forward model.
ImageForm imageFormOf(const Graph& model);
/// For the inputs of the training model.
ImageForm imageFormOf(const TrainingSession& session);

}  // namespace temper
