// SPDX-License-Identifier: Apache-2.0
#include <numbers>

#include "engine/ops/elementwise/elementwise.h"

namespace temper {
namespace {

using Context = GradientContext;

Var unary(const char* op, Var x) { return x.emitter().op(op, {x}); }
Var square(Var x) { return x * x; }

// Arithmetic

Gradients addGradient(const Context& node) {
    const Var dy = node.outputGradient(0);
    return {dy, dy};
}

Gradients subGradient(const Context& node) {
    const Var dy = node.outputGradient(0);
    return {dy, node.needs(1) ? -dy : Var()};
}

/// y = a b  =>  da = dy b, db = dy a
Gradients mulGradient(const Context& node) {
    const Var dy = node.outputGradient(0);
    return {node.needs(0) ? dy * node.input(1) : Var(), node.needs(1) ? dy * node.input(0) : Var()};
}

/// y = a / b  =>  da = dy / b, db = -da y
Gradients divGradient(const Context& node) {
    const Var da = node.outputGradient(0) / node.input(1);
    return {da, node.needs(1) ? -(da * node.output(0)) : Var()};
}

/// y = x^p  =>  dx = dy p x^(p - 1)
Var powBaseGradient(const Context& node, Var exponent) {
    const Var x = node.input(0);
    const auto& number = node.node().input(1)->constant();
    if (!number.empty() && number.numElements() == 1 && number.toDouble() == 2.0) {
        return node.outputGradient(0) * exponent * x;
    }
    return node.outputGradient(0) * exponent * pow(x, exponent - 1.0);
}

/// dp = dy y log(x), 0 where x <= 0
Var powExponentGradient(const Context& node) {
    const Var x = node.input(0);
    const Var positive = greater(x, numberLike(x, 0));
    const Var logarithm = log(where(positive, x, x.emitter().number(1.0, x.dtype())));
    return cast(node.outputGradient(0) * node.output(0) * logarithm, node.input(1).dtype());
}

Gradients powGradient(const Context& node) {
    Gradients result(2);
    if (node.needs(0)) {
        const DType dtype = node.input(0).dtype();
        const Var given = node.input(1);
        result[0] = powBaseGradient(node, given.dtype() == dtype ? given : cast(given, dtype));
    }
    if (node.needs(1)) result[1] = powExponentGradient(node);
    return result;
}

/// y = a - b trunc(a / b)  =>  da = dy, db = -dy trunc(a / b); the same with floor without fmod.
Gradients modGradient(const Context& node) {
    const Var dy = node.outputGradient(0);
    if (!node.needs(1)) return {dy};
    const Var quotient = node.input(0) / node.input(1);
    if (node.attribute<int64_t>("fmod", 0) == 0) return {dy, -(dy * unary("Floor", quotient))};
    return {dy, -(dy * sign(quotient) * unary("Floor", abs(quotient)))};
}

// n-ary

Gradients sumGradient(const Context& node) {
    return Gradients(node.inputCount(), node.outputGradient(0));
}

Gradients meanGradient(const Context& node) {
    const auto count = static_cast<double>(node.inputCount());
    return Gradients(node.inputCount(), node.outputGradient(0) / count);
}

/// ONNX compares floating-point numbers for equality since opset 11.
Var isEqual(const Context& node, Var a, Var b) {
    if (node.opset() >= 11) return equal(a, b);
    return logicalAnd(logicalNot(less(a, b)), logicalNot(greater(a, b)));
}

/// The inputs that reach the extreme share the gradient equally.
Gradients extremeGradient(const Context& node) {
    const Var dy = node.outputGradient(0);
    if (node.inputCount() == 1) return {dy};
    std::vector<Var> masks;
    for (size_t k = 0; k < node.inputCount(); ++k) {
        masks.push_back(cast(isEqual(node, node.input(k), node.output(0)), dy.dtype()));
    }
    const Var share = dy / node.emitter().op("Sum", masks);
    Gradients result(node.inputCount());
    for (size_t k = 0; k < result.size(); ++k) {
        if (node.needs(k)) result[k] = share * masks[k];
    }
    return result;
}

// Unary

Gradients castGradient(const Context& node) {
    const Var dy = node.outputGradient(0);
    const DType dtype = node.input(0).dtype();
    return {dy.dtype() == dtype ? dy : cast(dy, dtype)};
}

/// A rule from the formula of dx: f(dy, x, y).
template <typename F>
GradientRule formula(F f) {
    return [f](const Context& node) {
        return Gradients{f(node.outputGradient(0), node.input(0), node.output(0))};
    };
}

Var clipMask(const Context& node) {
    const Var x = node.input(0);
    const auto bound = [&](size_t input, const char* attribute) -> Var {
        if (node.hasInput(input)) return node.input(input);
        const auto number = node.node().attribute<float>(attribute);
        return number ? node.emitter().number(static_cast<double>(*number), x.dtype()) : Var();
    };
    const Var low = bound(1, "min");
    const Var high = bound(2, "max");
    const Var above = low ? logicalNot(less(x, low)) : Var();
    const Var below = high ? logicalNot(greater(x, high)) : Var();
    if (above && below) return logicalAnd(above, below);
    return above ? above : below;
}

/// dx = dy inside the bounds and on them, else 0
Gradients clipGradient(const Context& node) {
    const Var mask = clipMask(node);
    const Var dy = node.outputGradient(0);
    return {mask ? dy * cast(mask, dy.dtype()) : dy};
}

Gradients whereGradient(const Context& node) {
    const Var dy = node.outputGradient(0);
    const Var zero = numberLike(dy, 0);
    return {Var(), node.needs(1) ? where(node.input(0), dy, zero) : Var(),
            node.needs(2) ? where(node.input(0), zero, dy) : Var()};
}

Gradients scaledSumGradient(const Context& node) {
    Gradients result;
    for (size_t k = 0; k < node.inputCount(); ++k) {
        const auto scale = node.attribute<float>("scale_" + std::to_string(k), 1.0F);
        result.push_back(node.outputGradient(0) * static_cast<double>(scale));
    }
    return result;
}

/// y = x s or x / s  =>  dx = dy s or dy / s; s is a count, which has no gradient
Gradients scaleGradient(const Context& node) {
    return {node.emitter().msOp("Scale", {node.outputGradient(0), node.input(1)},
                                {{"scale_down", node.attribute<int64_t>("scale_down", 0)}})};
}

void addArithmetic(GradientRules& rules) {
    rules.add("", "Add", addGradient);
    rules.add("", "Sub", subGradient);
    rules.add("", "Mul", mulGradient);
    rules.add("", "Div", divGradient);
    rules.add("", "Pow", powGradient);
    rules.add("", "Mod", modGradient);
    rules.add("", "Sum", sumGradient);
    rules.add("", "Mean", meanGradient);
    rules.add("", "Min", extremeGradient);
    rules.add("", "Max", extremeGradient);
    rules.add("", "Where", whereGradient);
    rules.add(kMicrosoftDomain, "ScaledSum", scaledSumGradient);
    rules.add(kMicrosoftDomain, "Scale", scaleGradient);
}

void addUnary(GradientRules& rules) {
    rules.add("", "Identity", formula([](Var dy, Var, Var) { return dy; }));
    rules.add("", "Cast", castGradient);
    rules.add("", "CastLike", castGradient);
    rules.add("", "Clip", clipGradient);
    rules.add("", "Neg", formula([](Var dy, Var, Var) { return -dy; }));
    rules.add("", "Abs", formula([](Var dy, Var x, Var) { return dy * sign(x); }));
    rules.add("", "Exp", formula([](Var dy, Var, Var y) { return dy * y; }));
    rules.add("", "Log", formula([](Var dy, Var x, Var) { return dy / x; }));
    rules.add("", "Sqrt", formula([](Var dy, Var, Var y) { return dy / (y * 2.0); }));
    rules.add("", "Reciprocal", formula([](Var dy, Var, Var y) { return dy * -square(y); }));
    // d erf(x) / dx = 2 / sqrt(pi) exp(-x^2)
    rules.add("", "Erf", formula([](Var dy, Var x, Var) {
                  return dy * (exp(-square(x)) * (2.0 * std::numbers::inv_sqrtpi));
              }));
}

void addTrigonometry(GradientRules& rules) {
    rules.add("", "Sin", formula([](Var dy, Var x, Var) { return dy * unary("Cos", x); }));
    rules.add("", "Cos", formula([](Var dy, Var x, Var) { return -(dy * unary("Sin", x)); }));
    rules.add("", "Tan", formula([](Var dy, Var, Var y) { return dy * (square(y) + 1.0); }));
    rules.add("", "Asin", formula([](Var dy, Var x, Var) { return dy / sqrt(1.0 - square(x)); }));
    rules.add("", "Acos",
              formula([](Var dy, Var x, Var) { return -(dy / sqrt(1.0 - square(x))); }));
    rules.add("", "Atan", formula([](Var dy, Var x, Var) { return dy / (square(x) + 1.0); }));
    rules.add("", "Sinh", formula([](Var dy, Var x, Var) { return dy * unary("Cosh", x); }));
    rules.add("", "Cosh", formula([](Var dy, Var x, Var) { return dy * unary("Sinh", x); }));
    rules.add("", "Asinh", formula([](Var dy, Var x, Var) { return dy / sqrt(square(x) + 1.0); }));
    rules.add("", "Acosh", formula([](Var dy, Var x, Var) { return dy / sqrt(square(x) - 1.0); }));
    rules.add("", "Atanh", formula([](Var dy, Var x, Var) { return dy / (1.0 - square(x)); }));
}

}  // namespace

void registerElementwiseGradients(GradientRules& rules) {
    addArithmetic(rules);
    addUnary(rules);
    addTrigonometry(rules);
    rules.addNonDifferentiable(
        "BitCast", {"it reinterprets the bits of numbers", "Freeze the parameters before it."});
    for (const char* op : {"Sign", "Floor", "Ceil", "Round"}) {
        rules.addNonDifferentiable(op, {"its derivative is zero everywhere",
                                        "Freeze the parameters before it, or remove it."});
        rules.addStraightThrough(op);
    }
}

}  // namespace temper
