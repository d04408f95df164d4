// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/core/shape.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper::classic {

/// This rank's part of a weight: a run of its rows or columns.
struct WeightSlice {
    Shape whole;        ///< the weight's
    int64_t axis = 0;   ///< along which it is cut
    int64_t begin = 0;  ///< of the part, along the axis
    int64_t count = 0;

    bool operator==(const WeightSlice&) const = default;
};
using WeightSlices = std::map<std::string, WeightSlice>;

/// Cuts pairs of matrix products of a model over the ranks (tensor parallelism), so that each rank
/// computes a part of the units between them: the first product has its columns, the second its
/// rows, and the sum over the ranks is the whole. Between them may be elementwise operators with
/// their biases, and attention, whose heads are shared out. Everything else stays whole on each
/// rank. Collectives (collectives.h) connect the parts. Types have to be inferred before, and are
/// afterwards.
/// Returns: what was cut.
/// Throws: Error(Unsupported) if there is nothing to cut, naming the first pair that the number of
/// ranks does not divide or an operator that is in the way.
/// Source: Shoeybi et al., Megatron-LM (2019), section 3.
WeightSlices splitHorizontally(Graph& model, const OpCatalog& catalog, int rank, int ranks);

}  // namespace temper::classic
