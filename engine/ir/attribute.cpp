// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/attribute.h"

#include <array>

namespace temper {

std::string attributeKind(const Attribute& attribute) {
    static constexpr std::array<const char*, 9> kNames = {
        "int", "float", "string", "tensor", "ints", "floats", "strings", "graph", "type_proto"};
    return kNames[attribute.index()];
}

}  // namespace temper
