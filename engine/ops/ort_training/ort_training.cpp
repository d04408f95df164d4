// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/ort_training/ort_training.h"

namespace temper {

void registerOrtTraining(OpSet& ops) {
    registerOlderLosses(ops);
    registerOlderOptimizers(ops);
    registerPaddedBatches(ops);
}

}  // namespace temper
