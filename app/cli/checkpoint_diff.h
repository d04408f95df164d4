// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "app/cli/cli_context.h"
#include "engine/ort/checkpoint_diff.h"
#include "engine/provenance/module_names.h"

namespace temper::cli {

/// `names` are those of the tensors in the module.
Json toJson(const CheckpointDiff& diff, const ModuleNames& names);
void print(std::ostream& stream, const CheckpointDiff& diff, const ModuleNames& names);

}  // namespace temper::cli
