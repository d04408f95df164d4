// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace temper::classic {

/// A piece of work of a stage: the forward or the backward pass of a micro-batch.
struct PipelineTurn {
    int64_t batch = 0;
    bool isBackward = false;

    bool operator==(const PipelineTurn&) const = default;
};

/// The turns of a stage: first as many forward passes as stages follow it, then backward and
/// forward passes in turn (1F1B), so that no more micro-batches are under way than that.
/// Source: Narayanan et al., PipeDream: Generalized Pipeline Parallelism (2019), section 3.2.
std::vector<PipelineTurn> turnsOf(int64_t stage, int64_t stages, int64_t batches);

}  // namespace temper::classic
