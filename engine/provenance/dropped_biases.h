// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/provenance/sharing.h"

namespace temper {

/// PyTorch's exporter leaves out biases that are zero, as those of fresh layers may be. Those that
/// the operation of a Conv, ConvTranspose or Gemm names, and that no tensor holds, are added again:
/// zeros, under their names in the module, except those that the user keeps as exported.
/// Returns: their names.
std::vector<std::string> restoreBiases(Graph& model, const OpCatalog& catalog,
                                       const SharingChoices& choices);

/// The names of all biases that restoreBiases() can add.
std::vector<std::string> namesOfDroppedBiases(const Graph& model, const OpCatalog& catalog);

}  // namespace temper
