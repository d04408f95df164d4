// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <utility>
#include <vector>

#include "engine/ops/activation/activation.h"
#include "engine/ops/attention/attention_ops.h"
#include "engine/ops/bitwise/bitwise.h"
#include "engine/ops/control/control.h"
#include "engine/ops/conv/conv.h"
#include "engine/ops/einsum/einsum.h"
#include "engine/ops/elementwise/elementwise.h"
#include "engine/ops/fused/fused.h"
#include "engine/ops/indexing/indexing.h"
#include "engine/ops/legacy/legacy.h"
#include "engine/ops/linear_algebra/linear_algebra.h"
#include "engine/ops/loss/loss.h"
#include "engine/ops/matmul/matmul.h"
#include "engine/ops/normalization/normalization.h"
#include "engine/ops/op_set.h"
#include "engine/ops/ort_training/ort_training.h"
#include "engine/ops/pooling/pooling.h"
#include "engine/ops/quantization/quantization.h"
#include "engine/ops/random/random.h"
#include "engine/ops/rearranging/rearranging.h"
#include "engine/ops/recurrent/recurrent.h"
#include "engine/ops/reduction/reduction.h"
#include "engine/ops/regions/regions.h"
#include "engine/ops/resize/resize.h"
#include "engine/ops/sampling/sampling.h"
#include "engine/ops/shape/shape.h"
#include "engine/ops/signal/signal.h"
#include "engine/ops/softmax/softmax.h"
#include "engine/ops/text/text.h"
#include "engine/ops/update/update.h"
#include "engine/runtime/cpu/instruction_set.h"

namespace temper {
namespace {

std::vector<std::function<void(OpSet&)>>& addedFamilies() {
    static std::vector<std::function<void(OpSet&)>> families;
    return families;
}

}  // namespace

void addOperators(std::function<void(OpSet&)> family) {
    addedFamilies().push_back(std::move(family));
}

OpSet standardOps() {
    limitInstructionSet();
    OpSet ops;
    registerElementwise(ops);
    registerActivation(ops);
    registerReduction(ops);
    registerSoftmax(ops);
    registerLoss(ops);
    registerRandom(ops);
    registerUpdate(ops);
    registerIndexing(ops);
    registerShape(ops);
    registerControl(ops);
    registerConv(ops);
    registerMatmul(ops);
    registerNormalization(ops);
    registerPooling(ops);
    registerRecurrent(ops);
    registerEinsum(ops);
    registerSignal(ops);
    registerLinearAlgebra(ops);
    registerBitwise(ops);
    registerQuantization(ops);
    registerResize(ops);
    registerSampling(ops);
    registerRegions(ops);
    registerRearranging(ops);
    registerText(ops);
    registerOrtTraining(ops);
    registerLegacy(ops);
    registerAttentionOps(ops);
    registerFused(ops);  // made of the others
    for (const auto& family : addedFamilies()) family(ops);
    return ops;
}

}  // namespace temper
