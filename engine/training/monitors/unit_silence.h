// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/training/monitors/unit_layout.h"

namespace temper {

/// For how many looks in a row the gradients of each unit of a weight were all exactly zero. The
/// first nonzero number ends a unit's look, so that live units cost almost nothing.
class UnitSilence {
public:
    /// A unit that is silent for this many looks in a row counts as dead: a unit that one sample in
    /// a hundred reaches is silent in a look at 32 samples with probability 72 %, in all of these
    /// with 4 %.
    static constexpr int64_t kLooks = 10;

    explicit UnitSilence(UnitLayout layout) : layout_(layout) {}

    /// `gradient`: float32, of the same shape each time.
    void look(const Tensor& gradient);

    int64_t looks() const { return looks_; }
    int64_t units() const { return static_cast<int64_t>(silent_.size()); }
    /// Units that were silent in the latest kLooks looks.
    int64_t dead() const;

private:
    UnitLayout layout_;
    int64_t looks_ = 0;
    std::vector<int64_t> silent_;     ///< looks in a row, per unit
    std::vector<int64_t> undecided_;  ///< units of one part whose numbers have been zero so far
};

}  // namespace temper
