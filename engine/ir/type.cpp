// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/type.h"

#include "engine/core/joined.h"

namespace temper {

std::string formatShape(const SymbolicShape& shape) {
    const auto text = [](const Dim& dim) -> std::string {
        if (dim.isNumber()) return std::to_string(dim.value);
        return dim.isSymbol() ? dim.symbol : "?";
    };
    return "[" + joined(shape, text) + "]";
}

SymbolicShape symbolicShape(const Shape& shape) {
    SymbolicShape result;
    result.reserve(shape.size());
    for (const int64_t dim : shape) result.push_back(Dim::of(dim));
    return result;
}

std::optional<Shape> concreteShape(const SymbolicShape& shape) {
    Shape result;
    result.reserve(shape.size());
    for (const Dim& dim : shape) {
        if (!dim.isNumber()) return std::nullopt;
        result.push_back(dim.value);
    }
    return result;
}

std::string formatType(const ValueType& type) {
    std::string text =
        std::string(dtypeName(type.dtype)) + (type.shape ? formatShape(*type.shape) : "[...]");
    if (type.isSequence) text = "seq(" + text + ")";
    return type.isOptional ? "optional(" + text + ")" : text;
}

}  // namespace temper
