// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Overrides the exporter's metadata on which tensors are one parameter: names of tensors or of
/// parameters, or glob patterns of them.
struct SharingChoices {
    std::vector<std::string> tie = {};         ///< equal tensors train as one
    std::vector<std::string> untie = {};       ///< copies of one parameter train separately
    std::vector<std::string> part = {};        ///< each node that reads them gets its own tensor
    std::vector<std::string> keepMerged = {};  ///< nothing merged or computed is restored

    bool operator==(const SharingChoices&) const = default;
};

/// Undoes the exporter's changes to the sharing of parameters, before anything is derived from the
/// model: adds biases of zeros that it left out (restoreBiases()), splits tensors that it merged
/// because they were equal (partMergedTensors()), restores norms that were computed with an equal
/// one (restoreRepeatedLayers()) and parameters that it computed something from
/// (restoreFormulas()), ties copies that it made of one parameter (tieCopies()).
/// Returns: S001 what was tied, S002 what was split or restored, and the same codes for what stays
/// as the exporter left it because the user chose so. Throws: Error(NotFound) for a choice that
/// matches no initializer.
std::vector<Finding> restoreSharing(Graph& model, const OpCatalog& catalog,
                                    const SharingChoices& choices);

/// S004, for information: sharing that the model does not explain. Weights that are equal, or
/// transposes of each other, may be copies of one parameter; a weight that depends on the distance
/// of two positions may be a table of relative positions; a tensor of ones or zeros that several
/// norms or layers read may be several parameters that were equal.
std::vector<Finding> findUnclearSharing(const Graph& model);

}  // namespace temper
