// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "engine/ops/indexing/indexing.h"
#include "engine/ops/shape/known_shape.h"

namespace temper {
namespace {

/// The backward pass of ScatterElements and ScatterND: y = x, combined with updates at the
/// indices. Gather reads at the indices what Scatter writes there.
class ScatterGradient {
public:
    ScatterGradient(const GradientContext& node, const char* scatter, const char* gather,
                    Attributes attributes)
        : node_(node),
          scatter_(scatter),
          gather_(gather),
          attributes_(std::move(attributes)),
          dy_(node.outputGradient(0)) {}

    Gradients compute() const {
        const auto reduction = node_.attribute<std::string>("reduction", "none");
        if (reduction == "none")
            return {needed(0) ? scatter(dy_, zeros(), "") : Var(), {}, there()};
        if (reduction == "add") return {dy_, {}, there()};
        return reduction == "mul" ? ofProduct() : ofExtreme();
    }

private:
    bool needed(size_t input) const { return node_.needs(input); }
    Var x() const { return node_.input(0); }
    Var updates() const { return node_.input(2); }
    Var number(double value) const { return node_.emitter().number(value, dy_.dtype()); }
    Var zeros() const { return zerosLike(updates()); }
    Var there() const { return needed(2) ? gather(dy_) : Var(); }

    Var gather(Var from) const {
        return node_.emitter().op(gather_, {from, node_.input(1)}, attributes_);
    }

    Var scatter(Var base, Var values, const char* reduction) const {
        Attributes attributes = attributes_;
        if (*reduction != 0) attributes.emplace("reduction", std::string(reduction));
        return node_.emitter().op(scatter_, {base, node_.input(1), values}, attributes);
    }

    Var asNumbers(Var condition) const { return cast(condition, dy_.dtype()); }

    /// x and the updates that reach the extreme share the gradient equally.
    Gradients ofExtreme() const {
        const Var y = node_.output(0);
        const Var isX = asNumbers(equal(x(), y)), isUpdate = asNumbers(equal(updates(), gather(y)));
        const Var share = dy_ / scatter(isX, isUpdate, "add");
        return {share * isX, {}, needed(2) ? gather(share) * isUpdate : Var()};
    }

    /// dx = dy times the product of its updates. An update's factor is the product of x and the
    /// other updates: the product without zeros, divided by the update; if one update is zero, only
    /// that one has a gradient, if more are, none has.
    Gradients ofProduct() const {
        const Var ones = expandLike(number(1.0), x());
        Gradients gradients(3);
        if (needed(0)) gradients[0] = dy_ * scatter(ones, updates(), "mul");
        if (!needed(2)) return gradients;
        const Var isZero = equal(updates(), number(0.0));
        const Var safe = where(isZero, number(1.0), updates());
        const Var zeroCount = scatter(zerosLike(x()), asNumbers(isZero), "add");
        const Var product = dy_ * x() * scatter(ones, safe, "mul");
        const Var withoutZero = gather(product * asNumbers(equal(zeroCount, number(0.0)))) / safe;
        const Var withOneZero = gather(product * asNumbers(equal(zeroCount, number(1.0))));
        gradients[2] = where(isZero, withOneZero, withoutZero);
        return gradients;
    }

    const GradientContext& node_;
    const char* scatter_;
    const char* gather_;
    Attributes attributes_;
    Var dy_;
};

Gradients scatterElementsGradient(const GradientContext& node) {
    const bool isOld = node.opset() < 11;
    if (isOld && node.needs(2)) {
        throw Error(ErrorCode::Unsupported,
                    "Updates of Scatter have no gradient in opset " + std::to_string(node.opset()) +
                        ", which lacks GatherElements.",
                    "Export the model with opset 11 or later.");
    }
    return ScatterGradient(node, isOld ? "Scatter" : "ScatterElements", "GatherElements",
                           {{"axis", node.attribute<int64_t>("axis", 0)}})
        .compute();
}

Gradients scatterNDGradient(const GradientContext& node) {
    return ScatterGradient(node, "ScatterND", "GatherND", {}).compute();
}

}  // namespace

void addScatterGradients(GradientRules& rules) {
    rules.add("", "Scatter", scatterElementsGradient);
    rules.add("", "ScatterElements", scatterElementsGradient);
    rules.add("", "ScatterND", scatterNDGradient);
}

}  // namespace temper
