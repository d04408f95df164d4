// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/ort/checkpoint_file.h"

namespace temper {

/// How one parameter differs between two checkpoints. a and b are the values of the first and the
/// second, all in double precision:
struct ParameterDiff {
    std::string name;
    std::string type;                ///< "float32[3, 4]", of the first
    std::string mismatch;            ///< why it can't be compared (dtype, shape), or empty
    double firstNorm = 0;            ///< |a|, Euclidean
    double secondNorm = 0;           ///< |b|
    double changeNorm = 0;           ///< |b - a|
    double maxChange = 0;            ///< largest |b_i - a_i|; NaN if one of them is NaN
    double relative = 0;             ///< |b - a| / |a|; 0 if both are 0, infinite if only a is
    double cosine = 1;               ///< a.b / (|a| |b|); 1 if both are 0, 0 if one is
    std::vector<int64_t> histogram;  ///< of b_i - a_i: equal bins from -maxChange to maxChange

    static constexpr size_t kBins = 32;

    bool isSame() const { return mismatch.empty() && maxChange == 0; }
};

/// What two checkpoints have in common and what differs.
struct CheckpointDiff {
    std::vector<ParameterDiff> parameters;  ///< of both, in the order of the first
    std::vector<std::string> onlyInFirst;
    std::vector<std::string> onlyInSecond;

    /// Both have the same parameters, with the same types and shapes.
    bool sameStructure() const;
};

CheckpointDiff compareCheckpoints(const CheckpointFile& first, const CheckpointFile& second);

/// (1 - weight) * first + weight * second, for the floating-point parameters; others, the
/// optimizer's state and the properties are the first's. 0.5 is the average; weights outside [0, 1]
/// extrapolate. Throws: Error(InvalidInput) naming what only one of them has, or has in another
/// shape.
CheckpointFile interpolateCheckpoints(const CheckpointFile& first, const CheckpointFile& second,
                                      double weight);

}  // namespace temper
