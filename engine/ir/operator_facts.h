// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "engine/core/shape.h"
#include "engine/ir/graph.h"

namespace temper {

/// What kind of operator it is to a person reading a graph.
enum class OperatorFamily {
    Other,
    Convolution,
    Product,  ///< of matrices
    Recurrent,
    Activation,
    Normalization,
    Regularization,  ///< Dropout
    Pooling,         ///< one number from many places; also the means and sums that replace it
    Arrangement,     ///< moves, selects or measures elements
    Control,         ///< If, Loop, Scan: gradients enter its bodies
};

/// Where the units (neurons, channels) of a layer are in its weight: along one dimension or, for a
/// transposed convolution with groups, along one dimension of each part of the first.
struct UnitLayout {
    size_t axis = 0;
    int64_t groups = 1;  ///< parts of the dimensions before the axis that have separate units

    int64_t count(const Shape& shape) const { return groups * shape[axis]; }
    bool operator==(const UnitLayout&) const = default;
};

/// The functions that turn scores into probabilities.
enum class ProbabilityFunction { None, Softmax, Sigmoid };

/// Attribute of a product, only in training models for bfloat16: if it is 1, the results are
/// float32 sums of products of bfloat16 numbers.
inline constexpr const char* kWideResult = "wide_result";

/// Which processors compute a product of bfloat16 numbers faster than one of float32.
enum class NarrowGain {
    None,
    Tiles,  ///< those that multiply tiles: in float32, it needs fewer products
    All,
};

/// What other layers have to know about an operator, besides its types, gradient and kernels.
/// Declared where its type inference is registered; see OpCatalog::facts(). The defaults are right
/// for unknown operators.
struct OperatorFacts {
    OperatorFamily family = OperatorFamily::Other;

    /// Inputs that are weights if they are constant.
    std::set<size_t> weightInputs = {};
    /// For a layer with units: where its weight, input 1, has them; nullopt for nodes without
    /// units, such as MatMul with several matrices. Null for other operators.
    std::optional<UnitLayout> (*unitLayout)(const Node& node) = nullptr;
    /// For a normalization with parameters: the input that it multiplies by; it adds later ones.
    std::optional<size_t> scaleInput = {};
    /// Inputs that are running statistics: training measures them.
    std::set<size_t> statisticInputs = {};

    /// Inputs that are sequences; others are tensors.
    std::set<size_t> sequenceInputs = {};
    /// Any of its inputs may be a tensor, a sequence or an optional.
    bool takesSequences = false;

    /// Each element of the first output is computed from the elements of the inputs at its place,
    /// which are broadcast as for Add.
    bool isElementwise = false;
    /// The first output has the numbers of the first input, perhaps in another order, shape or
    /// type.
    bool movesData = false;
    /// It returns the sizes of its input, whose numbers it does not read.
    bool measuresShape = false;
    /// A unit whose output gets zero gradients has zero gradients at its input, too.
    bool keepsUnits = false;
    /// It may follow the last layer of a classifier: its output has the classes of its input.
    bool keepsClasses = false;
    /// Its derivative is exactly zero over a whole range of inputs.
    bool isFlatSomewhere = false;
    /// Its output is drawn at random, also in inference.
    bool isRandom = false;

    /// What it applies to its first input, alone or as part of a formula, as losses do.
    ProbabilityFunction applies = ProbabilityFunction::None;
    /// It applies only this: its output is probabilities.
    bool makesProbabilities = false;

    /// Of a product: the inputs that it multiplies, which may be bfloat16. Others are added.
    std::set<size_t> factors = {};
    /// Of a product; null: All.
    NarrowGain (*narrowGain)(const Node& node) = nullptr;

    std::optional<UnitLayout> unitsOf(const Node& node) const {
        return unitLayout == nullptr ? std::nullopt : unitLayout(node);
    }
    /// A layer with units whose input 2 is added to them.
    bool takesBias() const { return unitLayout != nullptr && weightInputs.contains(2); }
};

}  // namespace temper
