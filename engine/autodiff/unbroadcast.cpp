// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/unbroadcast.h"

#include <optional>

namespace temper {
namespace {

struct ReducedAxes {
    std::vector<int64_t> axes;  ///< in the gradient
    bool dropLeading = false;   ///< some of them do not exist in the target
};

/// The axes to sum over, if the symbolic shapes determine them.
std::optional<ReducedAxes> staticAxes(const SymbolicShape& target, const SymbolicShape& gradient) {
    if (gradient.size() < target.size()) return std::nullopt;
    const size_t extra = gradient.size() - target.size();
    ReducedAxes result;
    for (size_t i = 0; i < gradient.size(); ++i) {
        if (i < extra) {
            result.axes.push_back(static_cast<int64_t>(i));
            result.dropLeading = true;
            continue;
        }
        const Dim& wanted = target[i - extra];
        if (wanted.sameAs(gradient[i])) continue;
        if (wanted.value == 1) {
            result.axes.push_back(static_cast<int64_t>(i));
        } else if (!wanted.isNumber()) {
            return std::nullopt;
        }
    }
    return result;
}

Var sumStatically(Var target, Var gradient, const ReducedAxes& reduced) {
    if (reduced.axes.empty()) return gradient;
    const size_t extra = gradient.type().shape->size() - target.type().shape->size();
    if (!reduced.dropLeading) return sum(gradient, reduced.axes, true);
    if (reduced.axes.size() == extra) return sum(gradient, reduced.axes, false);
    std::vector<int64_t> leading;
    for (size_t i = 0; i < extra; ++i) leading.push_back(static_cast<int64_t>(i));
    return squeeze(sum(gradient, reduced.axes, true), leading);
}

/// Source: ORT's dynamic variant, spec gradients section 8.5.
Var sumDynamically(Var target, Var gradient) {
    GradientEmitter& emitter = gradient.emitter();
    const Var targetShape = shapeOf(target);
    const Var axes = emitter
                         .add(kMicrosoftDomain, "BroadcastGradientArgs",
                              {targetShape, shapeOf(gradient)}, {}, {true, false})
                         .front();
    const Attributes attributes = {{"keepdims", int64_t{1}}, {"noop_with_empty_axes", int64_t{1}}};
    const Var reduced = emitter.opset() >= 13
                            ? emitter.op("ReduceSum", {gradient, axes}, attributes)
                            : emitter.msOp("ReduceSumTraining", {gradient, axes}, attributes);
    return reshape(reduced, targetShape);
}

}  // namespace

Var sumToShapeOf(Var target, Var gradient) {
    const auto& wanted = target.type().shape;
    const auto& found = gradient.type().shape;
    // A scalar gradient of a one-element loss ([1] or []) needs no node: the seed broadcasts.
    if (wanted && found && found->empty()) return gradient;
    if (wanted && found) {
        if (const auto reduced = staticAxes(*wanted, *found)) {
            return sumStatically(target, gradient, *reduced);
        }
    }
    return sumDynamically(target, gradient);
}

}  // namespace temper
