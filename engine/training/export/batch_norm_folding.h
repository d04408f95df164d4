// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "engine/ir/op_catalog.h"

namespace temper {

/// Puts the BatchNormalizations of a model for inference into the weights and biases of the Conv,
/// ConvTranspose or Gemm in front of them: with k = scale / sqrt(variance + epsilon) the weights of
/// each output channel become k w, its bias k (b - mean) + beta. Source: Jacob et al. 2018,
/// section 3.2, equation 14. What a batch norm gave out keeps its name.
///
/// Those stay whose operator is another one, whose input something else reads, too, whose
/// statistics or weights are no initializers, and those in training mode.
/// Returns: how many were put into weights.
size_t foldBatchNorms(Graph& model, const OpCatalog& catalog);

}  // namespace temper
