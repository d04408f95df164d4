// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "engine/ir/op_catalog.h"

namespace temper {

/// Folds the BatchNormalizations of an inference model into the weights and biases of the Conv,
/// ConvTranspose or Gemm before them: with k = scale / sqrt(variance + epsilon), the weights of
/// each output channel become k w, its bias k (b - mean) + beta. Source: Jacob et al. 2018, section
/// 3.2, equation 14. The output of a folded batch norm keeps its name.
///
/// A batch norm stays if another operator precedes it, something else also reads its input, its
/// statistics or weights are not initializers, or it is in training mode.
/// Returns: how many were folded.
size_t foldBatchNorms(Graph& model, const OpCatalog& catalog);

}  // namespace temper
