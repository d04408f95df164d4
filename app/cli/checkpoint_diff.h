// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "app/cli/cli_context.h"
#include "engine/ort/checkpoint_diff.h"

namespace temper::cli {

Json toJson(const CheckpointDiff& diff);
void print(std::ostream& stream, const CheckpointDiff& diff);

}  // namespace temper::cli
