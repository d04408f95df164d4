// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph.h"

namespace temper {

class GradientEmitter;

/// A value in the gradient graph under construction; operators on it emit nodes.
/// An empty Var means "no gradient".
class Var {
public:
    Var() = default;
    Var(GradientEmitter* emitter, Value* value) : emitter_(emitter), value_(value) {}

    explicit operator bool() const { return value_ != nullptr; }
    Value* value() const { return value_; }
    GradientEmitter& emitter() const {
        TEMPER_ASSERT(emitter_ != nullptr, "there is a gradient to work with");
        return *emitter_;
    }
    const ValueType& type() const {
        TEMPER_ASSERT(value_ != nullptr, "there is a gradient to work with");
        return value_->type();
    }
    DType dtype() const { return type().dtype; }
    /// For rules that need it. Throws: Error(Unsupported) if the rank is unknown.
    const SymbolicShape& shape() const;
    int64_t rank() const { return static_cast<int64_t>(shape().size()); }

private:
    GradientEmitter* emitter_ = nullptr;
    Value* value_ = nullptr;
};

// Elementwise, with broadcasting.
Var operator+(Var a, Var b);
Var operator-(Var a, Var b);
Var operator*(Var a, Var b);
Var operator/(Var a, Var b);
Var operator-(Var a);
Var operator+(Var a, double b);
Var operator-(Var a, double b);
Var operator-(double a, Var b);
Var operator*(Var a, double b);
Var operator/(Var a, double b);

Var exp(Var x);
Var log(Var x);
Var sqrt(Var x);
Var abs(Var x);
Var sign(Var x);
Var sigmoid(Var x);
Var pow(Var x, Var exponent);

/// Booleans.
Var greater(Var a, Var b);
Var less(Var a, Var b);
Var equal(Var a, Var b);
Var logicalAnd(Var a, Var b);
Var logicalNot(Var a);
Var where(Var condition, Var a, Var b);
Var cast(Var x, DType dtype);

/// Sum over axes (all axes if the list is empty).
Var sum(Var x, const std::vector<int64_t>& axes, bool keepDims = true);
Var transpose(Var x, const std::vector<int64_t>& permutation);
Var unsqueeze(Var x, const std::vector<int64_t>& axes);
Var squeeze(Var x, const std::vector<int64_t>& axes);
/// The shape as int64 [rank].
Var shapeOf(Var x);
/// Number of elements as an int64 scalar.
Var sizeOf(Var x);
Var reshape(Var x, Var shape);
Var expand(Var x, Var shape);
/// Reshaped to the shape of `like`.
Var reshapeLike(Var x, Var like);
Var expandLike(Var x, Var like);
/// A scalar of the element type of `like`.
Var numberLike(Var like, double value);
Var concat(const std::vector<Var>& parts, int64_t axis);
Var matMul(Var a, Var b);
Var identity(Var x);

}  // namespace temper
