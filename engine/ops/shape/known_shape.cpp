// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/shape/known_shape.h"

namespace temper {
namespace {

/// The dimensions with -1 for the only one that is not a number; nullopt if there are more, or if
/// an empty tensor makes -1 ambiguous.
std::optional<std::vector<int64_t>> reshapeTarget(const SymbolicShape& shape) {
    std::vector<int64_t> target;
    bool isOpen = false;
    bool isEmpty = false;
    for (const Dim& dim : shape) {
        if (!dim.isNumber() && isOpen) return std::nullopt;
        isOpen = isOpen || !dim.isNumber();
        isEmpty = isEmpty || dim.value == 0;
        target.push_back(dim.isNumber() ? dim.value : -1);
    }
    if (isEmpty) return std::nullopt;
    return target;
}

}  // namespace

Var knownShape(Var x) {
    const auto& shape = x.type().shape;
    const auto numbers = shape ? concreteShape(*shape) : std::nullopt;
    return numbers ? x.emitter().integers(*numbers) : shapeOf(x);
}

Var reshapeBack(Var gradient, Var x) {
    const auto& shape = x.type().shape;
    const auto target = shape ? reshapeTarget(*shape) : std::nullopt;
    return reshape(gradient, target ? x.emitter().integers(*target) : shapeOf(x));
}

Var zerosLike(Var x) {
    return x.emitter().op("ConstantOfShape", {knownShape(x)}, {{"value", Tensor(x.dtype(), {1})}});
}

std::optional<std::vector<int64_t>> knownIntegers(Var x) {
    if (x.value() == nullptr || !x.value()->isInitializer()) return std::nullopt;
    const Tensor wide = x.value()->constant().cast(DType::Int64);
    const auto values = wide.values<int64_t>();
    return std::vector<int64_t>(values.begin(), values.end());
}

}  // namespace temper
