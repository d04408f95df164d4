// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// The keys that the queries of an attention see, decomposed. All of it broadcasts to the scores.
struct AttentionSight {
    /// A number for each query or each key: a value of the graph, or a known one.
    struct Positions {
        Value* value = nullptr;
        Tensor known = {};
    };
    /// A key is seen if lower < upper, or lower <= upper.
    struct Pair {
        Positions lower;
        Positions upper;
        bool isStrict = false;
    };
    /// Booleans.
    struct Mask {
        Value* value = nullptr;
        bool hides = false;  ///< true for hidden keys, not for seen ones
    };

    std::vector<Mask> masks;
    std::vector<Pair> pairs;
    bool infiniteHides = false;  ///< keys with a bias of minus infinity are hidden

    /// Adds a condition, which is true for keys that are seen (or, if it `hides`, hidden): as
    /// positions that it is computed from, if they say the same. `bias`: what is added to the
    /// scores; may be null.
    void add(Value* condition, bool hides, const Value* bias);

    /// Adds what hides keys from a bias that does nothing else. Returns: the number that is added
    /// to the scores of hidden keys; nothing, with nothing added, for a bias of another form.
    std::optional<double> addBias(const Value* bias);
};

/// Whether a number that is added to a score hides the key: the sum is the same for all scores.
bool hidesKeys(double number);

}  // namespace temper
