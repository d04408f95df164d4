// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/var.h"

#include "engine/autodiff/gradient.h"

namespace temper {
namespace {

Var binary(const char* op, Var a, Var b) { return a.emitter().op(op, {a, b}); }
Var unary(const char* op, Var x) { return x.emitter().op(op, {x}); }

/// ONNX moved the axes of Squeeze, Unsqueeze and ReduceSum from attribute to input in opset 13.
Var withAxes(const char* op, Var x, const std::vector<int64_t>& axes, Attributes attributes) {
    GradientEmitter& emitter = x.emitter();
    if (axes.empty()) return emitter.op(op, {x}, std::move(attributes));
    if (emitter.opset() >= 13)
        return emitter.op(op, {x, emitter.integers(axes)}, std::move(attributes));
    attributes.emplace("axes", axes);
    return emitter.op(op, {x}, std::move(attributes));
}

}  // namespace

const SymbolicShape& Var::shape() const {
    const auto& known = type().shape;
    if (known) return *known;
    throw Error(ErrorCode::Unsupported,
                "The rank of '" + value_->name() + "' is unknown; the gradient needs it.",
                "Export the model with shapes.");
}

Var operator+(Var a, Var b) { return binary("Add", a, b); }
Var operator-(Var a, Var b) { return binary("Sub", a, b); }
Var operator*(Var a, Var b) { return binary("Mul", a, b); }
Var operator/(Var a, Var b) { return binary("Div", a, b); }
Var operator-(Var a) { return unary("Neg", a); }
Var operator+(Var a, double b) { return a + numberLike(a, b); }
Var operator-(Var a, double b) { return a - numberLike(a, b); }
Var operator-(double a, Var b) { return numberLike(b, a) - b; }
Var operator*(Var a, double b) { return a * numberLike(a, b); }
Var operator/(Var a, double b) { return a / numberLike(a, b); }

Var exp(Var x) { return unary("Exp", x); }
Var log(Var x) { return unary("Log", x); }
Var sqrt(Var x) { return unary("Sqrt", x); }
Var abs(Var x) { return unary("Abs", x); }
Var sign(Var x) { return unary("Sign", x); }
Var sigmoid(Var x) { return unary("Sigmoid", x); }
Var pow(Var x, Var exponent) { return binary("Pow", x, exponent); }

Var greater(Var a, Var b) { return binary("Greater", a, b); }
Var less(Var a, Var b) { return binary("Less", a, b); }
Var equal(Var a, Var b) { return binary("Equal", a, b); }
Var logicalAnd(Var a, Var b) { return binary("And", a, b); }
Var logicalNot(Var a) { return unary("Not", a); }
Var where(Var condition, Var a, Var b) { return a.emitter().op("Where", {condition, a, b}); }

Var cast(Var x, DType dtype) {
    return x.emitter().op("Cast", {x}, {{"to", static_cast<int64_t>(dtype)}});
}

Var sum(Var x, const std::vector<int64_t>& axes, bool keepDims) {
    return withAxes("ReduceSum", x, axes, {{"keepdims", int64_t{keepDims}}});
}

Var transpose(Var x, const std::vector<int64_t>& permutation) {
    return x.emitter().op("Transpose", {x}, {{"perm", permutation}});
}

Var unsqueeze(Var x, const std::vector<int64_t>& axes) {
    return axes.empty() ? x : withAxes("Unsqueeze", x, axes, {});
}

Var squeeze(Var x, const std::vector<int64_t>& axes) {
    return axes.empty() ? x : withAxes("Squeeze", x, axes, {});
}

Var shapeOf(Var x) { return unary("Shape", x); }
Var sizeOf(Var x) { return unary("Size", x); }
Var reshape(Var x, Var shape) { return binary("Reshape", x, shape); }
Var expand(Var x, Var shape) { return binary("Expand", x, shape); }
Var reshapeLike(Var x, Var like) { return reshape(x, shapeOf(like)); }
Var numberLike(Var like, double value) { return like.emitter().number(value, like.dtype()); }

Var expandLike(Var x, Var like) { return expand(x, shapeOf(like)); }

Var concat(const std::vector<Var>& parts, int64_t axis) {
    return parts.front().emitter().op("Concat", parts, {{"axis", axis}});
}

Var matMul(Var a, Var b) { return binary("MatMul", a, b); }
Var identity(Var x) { return unary("Identity", x); }

}  // namespace temper
