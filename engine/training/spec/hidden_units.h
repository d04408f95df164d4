// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace temper {

/// Units of each hidden layer, first to last; empty: no hidden layers. No value: as in the model.
using HiddenUnits = std::optional<std::vector<int64_t>>;

inline constexpr int64_t kMaxUnits = 65536;                     ///< of a hidden layer
inline constexpr size_t kMaxHiddenLayers = 64;                  ///< of a model
inline constexpr int64_t kMaxHiddenWeights = int64_t{1} << 28;  ///< of all hidden layers: 1 GiB

/// "8,4"; "none" for no hidden layers; empty for no value.
std::string hiddenUnitsText(const HiddenUnits& units);
/// Reads that text. Throws: Error(InvalidInput) naming it and what was expected.
HiddenUnits parseHiddenUnits(const std::string& text);

/// Throws: Error(InvalidInput) for a layer with fewer than 1 or more than kMaxUnits units, and for
/// more than kMaxHiddenLayers layers.
void requireBuildable(const std::vector<int64_t>& units);

}  // namespace temper
