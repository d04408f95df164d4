// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// Which keys the queries of an attention see, taken apart. All of it broadcasts to the scores.
struct AttentionSight {
    /// A number for each query or each key: a value of the graph, or one that is known.
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
        bool hides = false;  ///< true where a key is hidden, not where it is seen
    };

    std::vector<Mask> masks;
    std::vector<Pair> pairs;
    bool infiniteHides = false;  ///< keys with a bias of minus infinity are hidden

    /// Adds a condition, which is true where keys are seen (or, if it `hides`, hidden): what it is
    /// computed from, if positions say the same. `bias`: what is added to the scores; may be null.
    void add(Value* condition, bool hides, const Value* bias);

    /// Adds what hides keys of a bias that does nothing else. Returns: the number that is added to
    /// the scores of hidden keys; nothing, with nothing added, for a bias of another form.
    std::optional<double> addBias(const Value* bias);
};

/// Whether a number that is added to a score hides the key: the sum is the same for all scores.
bool hidesKeys(double number);

}  // namespace temper
