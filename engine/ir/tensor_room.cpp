// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/tensor_room.h"

#include <algorithm>

#include "engine/core/process_memory.h"

namespace temper {

void requireRoom(const Value& value, const ValueType& type) {
    if (!type.shape) return;
    double bytes = std::max(static_cast<double>(dtypeSize(type.dtype)), 1.0);
    for (const Dim& dim : *type.shape) bytes *= std::max(static_cast<double>(dim.value), 1.0);
    if (bytes < 1e6) return;  // avoids building the text
    requireMemory("Value '" + value.name() + "' (" + formatType(type) + ")", bytes);
}

}  // namespace temper
