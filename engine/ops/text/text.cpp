// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/text/text.h"

namespace temper {

void registerText(OpSet& ops) {
    addTextTypes(ops.catalog);
    addTextKernels(ops.cpuKernels);
}

}  // namespace temper
