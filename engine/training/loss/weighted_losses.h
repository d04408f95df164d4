// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/training/loss/loss_formula.h"

namespace temper {

/// A term of a loss that is a sum of losses: `0.4*mse(out1, target1)`.
struct WeightedLoss {
    double weight = 1;
    std::string loss;    ///< as in the formula: "mse", "cross_entropy"
    std::string output;  ///< the value that it reads
    std::string target;  ///< empty: the default name of the loss

    bool operator==(const WeightedLoss&) const = default;
};

/// The terms of a formula that is nothing but a weighted sum of losses of one output each, without
/// options; absent for any other formula.
std::optional<std::vector<WeightedLoss>> asWeightedLosses(const LossFormula& formula);

/// The formula of the terms, in order; names are quoted if necessary. Empty without terms.
std::string formulaOf(std::span<const WeightedLoss> terms);

}  // namespace temper
