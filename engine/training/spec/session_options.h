// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace temper {

/// The type in which the training model computes products; see PlanOptions::multipliesBFloat16.
enum class Precision { Float32, BFloat16 };
/// "fp32", "bf16".
const char* precisionName(Precision precision);
std::vector<std::string> precisionNames();
/// Throws: Error(InvalidInput) listing the names.
Precision parsePrecision(const std::string& name);

/// How a session computes.
struct SessionOptions {
    int threads = 0;             ///< 0: one per core; results do not depend on it
    uint64_t seed = 0;           ///< of shuffling, Dropout and other random operators
    std::string device = "cpu";  ///< the device to compute on: one of devices()
    /// < 1: the wanted share of the memory for activations (MemoryUse::activationBytes): the arena
    /// has to shrink by the rest of it. Activations are recomputed in the backward pass until it
    /// does, or as far as possible; results are bit-identical.
    double memoryShare = 1;
    /// Kinds of blocks (Block::kind: "GELU", "Attention", ...) whose activations are recomputed.
    std::vector<std::string> recompute = {};
    /// Names of passes of the plan compiler (planPasses()) to skip: for finding faults.
    std::vector<std::string> withoutPasses = {};
    /// Of training steps; parameters, gradients, the optimizer and the eval model are in float32.
    Precision precision = Precision::Float32;
    /// Where the device does not multiply in bfloat16, it multiplies rounded numbers in float32,
    /// slowly: for tests.
    bool mayWidenBFloat16 = false;
    /// What the ranks divide among themselves: 0 nothing, 1 the optimizer's moments, 2 also
    /// the gradients. Results are the same bits. See ShardedOptimizer.
    int zeroStage = 0;

    bool operator==(const SessionOptions&) const = default;
};

/// Throws: Error(Unsupported) saying why if the device of a session can't compute so.
void requirePrecision(const SessionOptions& options);

}  // namespace temper
