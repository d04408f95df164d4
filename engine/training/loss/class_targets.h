// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// An input whose numbers are classes of a prediction.
struct ClassTarget {
    std::string input;
    std::string prediction;  ///< the model's value that has the classes
    int64_t classes = 0;     ///< how many
    std::optional<int64_t> ignoredLabel = {};
    bool isPadded = false;  ///< a negative number is no label, as for CTC

    bool takes(int64_t label) const { return label < classes && (label >= 0 || isPadded); }
    bool operator==(const ClassTarget&) const = default;
};

/// The targets of all losses over classes in an eval (or training) model, derived from its nodes as
/// by describeLoss(): ours and ORT's, also several and those in formulas. Only inputs that a loss
/// reads as they are, and predictions with a known number of classes.
std::vector<ClassTarget> classTargets(const Graph& model);

}  // namespace temper
