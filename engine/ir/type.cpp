// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/type.h"

namespace temper {

std::string formatShape(const SymbolicShape& shape) {
    std::string text = "[";
    for (size_t i = 0; i < shape.size(); ++i) {
        if (i > 0) text += ", ";
        const Dim& dim = shape[i];
        text += dim.isNumber() ? std::to_string(dim.value) : dim.isSymbol() ? dim.symbol : "?";
    }
    return text + "]";
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
    const std::string tensor =
        std::string(dtypeName(type.dtype)) + (type.shape ? formatShape(*type.shape) : "[...]");
    return type.isSequence ? "seq(" + tensor + ")" : tensor;
}

}  // namespace temper
