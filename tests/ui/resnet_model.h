// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/ir/graph.h"

namespace temper::ui {

/// ResNet-18 (He et al. 2015, table 1) with random weights: x float32[batch, 3, 224, 224] ->
/// logits float32[batch, 1000]; 11,689,512 trained parameters.
std::unique_ptr<Graph> resnet18();

}  // namespace temper::ui
