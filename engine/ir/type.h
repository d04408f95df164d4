// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/dtype.h"
#include "engine/core/shape.h"

namespace temper {

/// One dimension of a symbolic shape: a number, a named symbol ("batch") or unknown.
struct Dim {
    int64_t value = -1;  ///< >= 0 if the number is known
    std::string symbol;  ///< ONNX's dim_param, if there is one

    static Dim of(int64_t value) { return {value, {}}; }
    static Dim named(std::string symbol) { return {-1, std::move(symbol)}; }
    static Dim unknown() { return {}; }

    bool isNumber() const { return value >= 0; }
    bool isSymbol() const { return value < 0 && !symbol.empty(); }
    bool isUnknown() const { return value < 0 && symbol.empty(); }
    /// Known to be equal: the same number or the same symbol.
    bool sameAs(const Dim& other) const { return !isUnknown() && *this == other; }
    bool operator==(const Dim&) const = default;
};

/// Dimensions, outermost first.
using SymbolicShape = std::vector<Dim>;

/// "[batch, 3, ?]".
std::string formatShape(const SymbolicShape& shape);

SymbolicShape symbolicShape(const Shape& shape);

/// The numbers, if all are known.
std::optional<Shape> concreteShape(const SymbolicShape& shape);

/// The type of a Value. Undefined dtype: not inferred yet.
struct ValueType {
    DType dtype = DType::Undefined;
    std::optional<SymbolicShape> shape;  ///< absent: the rank is unknown
    bool isSequence = false;             ///< a sequence of tensors of `dtype`
    bool isOptional = false;             ///< an optional: a tensor or sequence, or nothing

    bool isKnown() const { return dtype != DType::Undefined; }
    bool isTensor() const { return !isSequence && !isOptional; }
    /// The same type of any shape.
    ValueType withoutShape() const { return {dtype, std::nullopt, isSequence, isOptional}; }
    /// Rank, or -1.
    int64_t rank() const { return shape ? static_cast<int64_t>(shape->size()) : -1; }
    /// Every dimension is a number.
    bool isStatic() const { return shape && concreteShape(*shape).has_value(); }
    bool operator==(const ValueType&) const = default;
};

/// "float32[batch, 10]", "seq(float32[...])", "optional(seq(float32[2]))".
std::string formatType(const ValueType& type);

}  // namespace temper
