// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/reduction/reduction.h"

namespace temper {
namespace {

/// The axes of a reduction as its gradient needs them.
class ReducedAxes {
public:
    explicit ReducedAxes(const GradientContext& node)
        : node_(node), keepsDims_(node.attribute<int64_t>("keepdims", 1) != 0) {
        if (!node.hasInput(1)) {
            known_ = node.attribute<std::vector<int64_t>>("axes", {});
        } else if (const Tensor& given = node.input(1).value()->constant(); !given.empty()) {
            const Tensor wide = given.cast(DType::Int64);
            known_.emplace(wide.values<int64_t>().begin(), wide.values<int64_t>().end());
        }
        makePositive();
    }

    /// Whether the node passes its input through: empty axes that mean none, not all.
    bool isNoop() const {
        return known_ && known_->empty() &&
               node_.attribute<int64_t>("noop_with_empty_axes", 0) != 0;
    }

    /// A value of the output's shape, with the reduced dimensions back as 1.
    Var spread(Var reduced) const {
        if (keepsDims_ || (known_ && known_->empty())) return reduced;
        if (known_) return unsqueeze(reduced, *known_);
        return node_.emitter().op("Unsqueeze", {reduced, node_.input(1)});
    }

    /// Another reduction over the same axes that keeps the dimensions.
    Var reduce(const char* op, Var x) const {
        const Attributes attributes = {{"keepdims", int64_t{1}}};
        const bool isSum = std::string_view(op) == "ReduceSum";
        if (!known_) return node_.emitter().op(op, {x, node_.input(1)}, attributes);
        if (isSum) return sum(x, *known_, true);
        if (known_->empty()) return node_.emitter().op(op, {x}, attributes);
        if (node_.opset() >= 18) {
            return node_.emitter().op(op, {x, node_.emitter().integers(*known_)}, attributes);
        }
        return node_.emitter().op(op, {x}, {{"keepdims", int64_t{1}}, {"axes", *known_}});
    }

    /// Number of elements that go into one, if the shape determines it.
    std::optional<int64_t> count() const {
        const auto& shape = node_.input(0).type().shape;
        if (!shape || !known_) return std::nullopt;
        int64_t count = 1;
        for (size_t i = 0; i < shape->size(); ++i) {
            const bool isReduced =
                known_->empty() ||
                std::find(known_->begin(), known_->end(), static_cast<int64_t>(i)) != known_->end();
            if (!isReduced) continue;
            if (!(*shape)[i].isNumber()) return std::nullopt;
            count = productOf((*shape)[i], count).value;
        }
        return count;
    }

private:
    void makePositive() {
        const int64_t rank = node_.input(0).type().rank();
        if (!known_ || rank < 0) return;
        for (int64_t& axis : *known_) axis = axis < 0 ? axis + rank : axis;
    }

    const GradientContext& node_;
    bool keepsDims_;
    std::optional<std::vector<int64_t>> known_;
};

Gradients sumGradient(const GradientContext& node) {
    const ReducedAxes axes(node);
    const Var dy = node.outputGradient(0);
    return {axes.isNoop() ? dy : expandLike(axes.spread(dy), node.input(0))};
}

/// dx = dy / n; n comes from the sizes if the shapes are unknown.
Gradients meanGradient(const GradientContext& node) {
    const ReducedAxes axes(node);
    const Var dy = node.outputGradient(0);
    if (axes.isNoop()) return {dy};
    if (const auto count = axes.count(); count && *count > 0) {
        return {expandLike(axes.spread(dy) / static_cast<double>(*count), node.input(0))};
    }
    const Var count = sizeOf(node.input(0)) / sizeOf(dy);
    const Var scaled =
        node.emitter().msOp("Scale", {axes.spread(dy), count}, {{"scale_down", int64_t{1}}});
    return {expandLike(scaled, node.input(0))};
}

Var isEqual(const GradientContext& node, Var a, Var b) {
    if (node.opset() >= 11) return equal(a, b);
    return logicalAnd(logicalNot(less(a, b)), logicalNot(greater(a, b)));
}

/// The elements that are the extreme share the gradient equally.
Gradients extremeGradient(const GradientContext& node) {
    const ReducedAxes axes(node);
    const Var dy = node.outputGradient(0);
    if (axes.isNoop()) return {dy};
    const Var mask = cast(isEqual(node, node.input(0), axes.spread(node.output(0))), dy.dtype());
    return {mask * (axes.spread(dy) / axes.reduce("ReduceSum", mask))};
}

/// dx = dy times the product of the other elements, even if some of them are 0:
/// p is the product of the elements that are not; a single zero gets p, several zeros leave
/// nothing.
Gradients prodGradient(const GradientContext& node) {
    const ReducedAxes axes(node);
    const Var dy = node.outputGradient(0);
    if (axes.isNoop()) return {dy};
    const Var x = node.input(0);
    const Var zero = x.emitter().number(0.0, x.dtype());
    const Var one = x.emitter().number(1.0, x.dtype());
    const Var isZero = isEqual(node, x, zero);
    const Var nonZero = where(isZero, one, x);
    const Var product = axes.reduce("ReduceProd", nonZero);
    const Var zeros = axes.reduce("ReduceSum", cast(isZero, x.dtype()));
    const Var noZero = less(zeros, x.emitter().number(0.5, x.dtype()));
    const Var oneZero = less(zeros, x.emitter().number(1.5, x.dtype()));
    const Var atZero = where(oneZero, product, zero);
    const Var elsewhere = where(noZero, product / nonZero, zero);
    return {axes.spread(dy) * where(isZero, atZero, elsewhere)};
}

/// A rule from the formula of dx: f(dy, x, y), all of a shape that broadcasts to x.
template <typename F>
GradientRule formula(F f) {
    return [f](const GradientContext& node) {
        const ReducedAxes axes(node);
        return Gradients{
            f(axes.spread(node.outputGradient(0)), node.input(0), axes.spread(node.output(0)))};
    };
}

/// dx = x dy / y, 0 where y = 0
Var l2Gradient(Var dy, Var x, Var y) {
    const Var zero = y.emitter().number(0.0, y.dtype());
    const Var isPositive = greater(y, zero);
    const Var divisor = where(isPositive, y, y.emitter().number(1.0, y.dtype()));
    return x * where(isPositive, dy / divisor, zero);
}

/// The gradient of a sum over [.., i] is the sum over [i, ..].
Gradients cumSumGradient(const GradientContext& node) {
    const auto reverse = node.attribute<int64_t>("reverse", 0);
    const auto exclusive = node.attribute<int64_t>("exclusive", 0);
    return {node.emitter().op("CumSum", {node.outputGradient(0), node.input(1)},
                              {{"reverse", int64_t{reverse == 0}}, {"exclusive", exclusive}})};
}

/// y_j is the product of all x_i up to j; with P that of those that are not 0, and C_j the number
/// of zeros up to j,
///     dx_i = sum over j >= i of dy_j P_j [C_j = 0] / x_i     where x_i is not 0
///     dx_i = sum over j >= i of dy_j P_j [C_j = 1]           where it is
Gradients cumProdGradient(const GradientContext& node) {
    const auto reverse = node.attribute<int64_t>("reverse", 0);
    const Attributes forward = {{"reverse", reverse},
                                {"exclusive", node.attribute<int64_t>("exclusive", 0)}};
    Attributes backward = forward;
    backward["reverse"] = int64_t{reverse == 0};
    const auto running = [&](const char* op, Var x, const Attributes& attributes) {
        return node.emitter().op(op, {x, node.input(1)}, attributes);
    };
    const Var x = node.input(0);
    const auto number = [&](double value) { return numberLike(x, value); };
    const Var isZero = isEqual(node, x, number(0));
    const Var nonZero = where(isZero, number(1), x);
    const Var zeros = running("CumSum", cast(isZero, x.dtype()), forward);
    const Var terms = node.outputGradient(0) * running("CumProd", nonZero, forward);
    const Var hasNone = less(zeros, number(0.5)), hasMore = greater(zeros, number(1.5));
    const Var ofOthers = running("CumSum", where(hasNone, terms, number(0)), backward);
    const Var one = where(hasNone, number(0), where(hasMore, number(0), terms));
    return {where(isZero, running("CumSum", one, backward), ofOthers / nonZero)};
}

}  // namespace

void registerReductionGradients(GradientRules& rules) {
    rules.add("", "ReduceSum", sumGradient);
    rules.add(kMicrosoftDomain, "ReduceSumTraining", sumGradient);
    rules.add("", "ReduceMean", meanGradient);
    rules.add("", "ReduceMax", extremeGradient);
    rules.add("", "ReduceMin", extremeGradient);
    rules.add("", "ReduceProd", prodGradient);
    rules.add("", "ReduceL1", formula([](Var dy, Var x, Var) { return dy * sign(x); }));
    rules.add("", "ReduceL2", formula(l2Gradient));
    rules.add("", "ReduceSumSquare", formula([](Var dy, Var x, Var) { return x * (dy * 2.0); }));
    rules.add("", "ReduceLogSum", [](const GradientContext& node) {
        const ReducedAxes axes(node);
        return Gradients{
            expandLike(axes.spread(node.outputGradient(0) * exp(-node.output(0))), node.input(0))};
    });
    rules.add("", "ReduceLogSumExp", formula([](Var dy, Var x, Var y) { return dy * exp(x - y); }));
    rules.add("", "CumSum", cumSumGradient);
    rules.add("", "CumProd", cumProdGradient);
}

}  // namespace temper
