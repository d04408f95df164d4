// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/ir/graph.h"

namespace temper::ui {

/// A network like an encoder: `blocks` times 25 nodes in nested scopes, with shortcuts, weights and
/// shape computations. Types are not inferred.
std::shared_ptr<const Graph> encoderModel(int blocks);

/// `nodes` nodes without scopes: mostly chains with some long edges, by seed.
std::shared_ptr<const Graph> tangledModel(int nodes, uint64_t seed);

/// `layers` layers of `width` nodes, each reading one or two of the layer before.
std::shared_ptr<const Graph> wideModel(int layers, int width, uint64_t seed);

}  // namespace temper::ui
