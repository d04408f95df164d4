// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/bitwise/bitwise.h"

namespace temper {

void registerBitwise(OpSet& ops) {
    addBitwiseTypes(ops.catalog);
    addBitwiseKernels(ops.cpuKernels);
}

}  // namespace temper
