// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/ops/op_set.h"

namespace temper {

/// DFT, STFT, HannWindow, HammingWindow, BlackmanWindow and MelWeightMatrix.
void registerSignal(OpSet& ops);

void addSignalTypes(OpCatalog& catalog);
void addSignalGradients(GradientRules& gradients);
void addFourierKernels(KernelRegistry& kernels);
void addWindowKernels(KernelRegistry& kernels);

/// Attributes of DFT. The axis was an attribute before opset 20 and is input 2 since.
struct DftAttributes {
    std::optional<int64_t> axis;  ///< absent since opset 20
    bool inverse = false;
    bool onesided = false;

    static DftAttributes of(const Node& node, int64_t opset);

    /// From one half of a spectrum to real numbers.
    bool isRealInverse() const { return inverse && onesided; }
    /// The length of the transform of `given` numbers, if the node gives none.
    int64_t defaultLength(int64_t given) const { return isRealInverse() ? 2 * (given - 1) : given; }
};

inline constexpr size_t kDftLength = 1;  ///< input of DFT
inline constexpr size_t kDftAxis = 2;
inline constexpr int64_t kDefaultDftAxis = -2;

inline constexpr size_t kFrameStep = 1;  ///< inputs of STFT
inline constexpr size_t kWindow = 2;
inline constexpr size_t kFrameLength = 3;

/// Numbers of the spectrum that are kept of a transform of `length`.
constexpr int64_t spectrumSize(int64_t length, bool onesided) {
    return onesided ? length / 2 + 1 : length;
}

}  // namespace temper
