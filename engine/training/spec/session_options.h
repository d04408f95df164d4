// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace temper {

/// What the training model computes products in; see toMixedPrecision().
enum class Precision { Float32, BFloat16 };
/// "fp32", "bf16".
const char* precisionName(Precision precision);
/// Throws: Error(InvalidInput) listing the names.
Precision parsePrecision(const std::string& name);

/// How a session computes.
struct SessionOptions {
    int threads = 0;             ///< 0: one per core; results do not depend on it
    uint64_t seed = 0;           ///< of shuffling, Dropout and other random operators
    std::string device = "cpu";  ///< what computes: one of devices()
    /// < 1: the share that is to do of the memory for activations (MemoryUse::activationBytes): the
    /// arena is to be smaller by the rest of it. Activations are computed again in the backward
    /// pass until it is, or as far as that goes; results are the same bits.
    double memoryShare = 1;
    /// Kinds of blocks (Block::kind: "GELU", "Attention", ...) whose activations are computed
    /// again.
    std::vector<std::string> recompute = {};
    /// Names of passes of the plan compiler (planPasses()) that are left out: for finding faults.
    std::vector<std::string> withoutPasses = {};
    /// Of training steps; parameters, gradients, the optimizer and the eval model are in float32.
    Precision precision = Precision::Float32;

    bool operator==(const SessionOptions&) const = default;
};

}  // namespace temper
