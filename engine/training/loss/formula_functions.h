// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/training/blocks/block_model.h"
#include "engine/training/loss/loss_formula.h"

namespace temper {

/// A function of one value, e.g. `mean(x)`.
struct TensorFunction {
    const char* name;
    bool takesAxis;
    bool keepsShape;
    Value* (*build)(BlockModel&, Value*, int64_t axis);
};

const std::vector<TensorFunction>& tensorFunctions();
/// Null if there is no function of that name.
const TensorFunction* findTensorFunction(std::string_view name);

/// Sums over parameters.
inline constexpr const char* kSquaresCall = "l2";
inline constexpr const char* kAmountsCall = "l1reg";
inline constexpr const char* kMeanCall = "mean";
inline constexpr const char* kSumCall = "sum";

/// The number that a term of only numbers evaluates to.
std::optional<double> numberOf(const LossTerm& term);

/// The ONNX operator for an operation on two terms.
const char* operatorOf(LossTerm::Kind kind);

}  // namespace temper
