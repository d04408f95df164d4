// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Operators of ONNX Runtime's older training graphs, all of them defined by other operators: the
/// losses SoftmaxCrossEntropy and SparseSoftmaxCrossEntropy with their gradients, SGDOptimizer and
/// AdamOptimizer, PadAndUnflatten and FlattenAndUnpad, IsFinite, IsAllFinite, All and
/// MixedPrecisionScale.
void registerOrtTraining(OpSet& ops);

void registerOlderLosses(OpSet& ops);
void registerOlderOptimizers(OpSet& ops);
void registerPaddedBatches(OpSet& ops);

void inferOneHotLoss(InferenceContext& context);
void inferSparseLoss(InferenceContext& context);
void inferOlderLossGrad(InferenceContext& context);
void inferSgdOptimizer(InferenceContext& context);
void inferAdamOptimizer(InferenceContext& context);
void inferPadAndUnflatten(InferenceContext& context);
void inferFlattenAndUnpad(InferenceContext& context);
void inferIsFinite(InferenceContext& context);
void inferIsAllFinite(InferenceContext& context);
void inferAll(InferenceContext& context);
void inferMixedPrecisionScale(InferenceContext& context);

}  // namespace temper
