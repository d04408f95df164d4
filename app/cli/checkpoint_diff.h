// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/cli/cli_context.h"
#include "engine/ort/checkpoint_file.h"

namespace temper::cli {

/// How one parameter differs between two checkpoints.
struct ParameterDiff {
    std::string name;
    std::string mismatch;   ///< why it can't be compared (dtype, shape), or empty
    double firstNorm = 0;   ///< Euclidean
    double secondNorm = 0;  ///< Euclidean
    double changeNorm = 0;  ///< of the difference
    double maxChange = 0;   ///< largest absolute difference
};

struct CheckpointDiff {
    std::vector<ParameterDiff> parameters;  ///< of both, in the order of the first
    std::vector<std::string> onlyInFirst;
    std::vector<std::string> onlyInSecond;
};

CheckpointDiff compareCheckpoints(const CheckpointFile& first, const CheckpointFile& second);

Json toJson(const CheckpointDiff& diff);
void print(std::ostream& stream, const CheckpointDiff& diff);

}  // namespace temper::cli
