// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/elementwise/elementwise.h"
#include "engine/ops/op_set.h"

namespace temper {

OpSet standardOps() {
    OpSet ops;
    registerElementwise(ops);
    return ops;
}

}  // namespace temper
