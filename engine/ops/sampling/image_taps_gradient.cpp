// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/sampling/image_taps_gradient.h"

#include "engine/ops/shape/known_shape.h"

namespace temper {
namespace {

Var floorOf(Var x) { return x.emitter().op("Floor", {x}); }

Var clamped(Var x, Var low, Var high) {
    return x.emitter().op("Min", {x.emitter().op("Max", {x, low}), high});
}

Var asNumber(Var condition, Var like) { return cast(condition, like.dtype()); }

/// A condition: true where x is outside [low, high].
Var isOutside(Var x, Var low, Var high) {
    return x.emitter().op("Or", {less(x, low), greater(x, high)});
}

/// The positions at which the image begins and ends, and at which it is mirrored.
struct Bounds {
    Var low;
    Var high;
    Var last;  ///< position of the last element

    static Bounds of(const GridForm& form, Var size) {
        const Var last = size - 1.0;
        if (form.alignsCorners) return {numberLike(size, 0), last, last};
        return {numberLike(size, -0.5), size - 0.5, last};
    }
};

/// x folded into the bounds.
Var reflected(Var x, const Bounds& bounds) {
    const Var range = bounds.high - bounds.low;
    // An image of one element with aligned corners has no range.
    const Var period = x.emitter().op("Max", {range * 2.0, numberLike(x, 1)});
    const Var distance = x - bounds.low;
    const Var rest = distance - period * floorOf(distance / period);
    const Var folded = where(greater(rest, range), period - rest, rest) + bounds.low;
    return where(isOutside(x, bounds.low, bounds.high), folded, x);
}

/// A coordinate in elements.
struct Position {
    Var value;
    Var slope;  ///< d value / d normalized coordinate

    static Position of(const GridForm& form, Var normalized, Var size) {
        const Var scale = (form.alignsCorners ? size - 1.0 : size) / 2.0;
        if (form.alignsCorners) return {(normalized + 1.0) * scale, scale};
        return {((normalized + 1.0) * size - 1.0) / 2.0, scale};
    }
};

/// sum over p of coefficients[p] t^p for each tap, or its derivative; [N, Q, K].
Var polynomial(const TapPolynomials& polynomials, int taps, Var t, bool derivative) {
    GradientEmitter& emitter = t.emitter();
    Var sum;
    for (size_t p = polynomials.coefficients.size(); p-- > (derivative ? 1U : 0U);) {
        Tensor row(DType::Float64, {taps});
        bool isZero = true;
        for (size_t k = 0; k < static_cast<size_t>(taps); ++k) {
            const double factor = derivative ? static_cast<double>(p) : 1;
            row.mutableValues<double>()[k] = factor * polynomials.coefficients[p][k];
            isZero = isZero && polynomials.coefficients[p][k] == 0;
        }
        if (isZero && !sum) continue;
        const Var constant = emitter.constant(row.cast(t.dtype()), "weights");
        sum = sum ? sum * t + constant : constant;
    }
    if (!sum) return t * 0.0;
    return sum.type().rank() == 1 ? sum + t * 0.0 : sum;
}

/// Elements that are outside get no weight; if the padding repeats elements, they get another
/// index.
AxisTaps boundedTaps(const GridForm& form, const Bounds& bounds, Var element, AxisTaps taps) {
    const Var zero = numberLike(element, 0);
    if (form.padding == GridPadding::Reflection) element = reflected(element, bounds);
    if (form.padding == GridPadding::Zeros) {
        const Var inside = asNumber(logicalNot(isOutside(element, zero, bounds.last)), taps.weight);
        taps.weight = taps.weight * inside;
        taps.slope = taps.slope * inside;
    }
    taps.index = cast(clamped(element, zero, bounds.last), DType::Int64);
    return taps;
}

Var tapOffsets(const TapPolynomials& polynomials, int taps, Var like) {
    Tensor offsets(DType::Float64, {taps});
    for (int k = 0; k < taps; ++k)
        offsets.mutableValues<double>()[static_cast<size_t>(k)] = polynomials.first + k;
    return like.emitter().constant(offsets.cast(like.dtype()), "taps");
}

AxisTaps tapsAround(const GridForm& form, const Bounds& bounds, const Position& position) {
    const TapPolynomials polynomials = TapPolynomials::of(form.mode);
    const Var base = floorOf(position.value), t = position.value - base;
    AxisTaps taps;
    taps.weight = polynomial(polynomials, form.taps(), t, false);
    taps.slope = polynomial(polynomials, form.taps(), t, true) * position.slope;
    return boundedTaps(form, bounds, base + tapOffsets(polynomials, form.taps(), t), taps);
}

}  // namespace

AxisTaps gridTaps(const GridForm& form, Var normalized, Var size) {
    const Var elements = cast(size, normalized.dtype());
    const Bounds bounds = Bounds::of(form, elements);
    const Position position = Position::of(form, normalized, elements);
    if (form.mode != GridMode::Nearest) return tapsAround(form, bounds, position);
    const Var rounded = normalized.emitter().op("Round", {position.value});
    const Var zeros = rounded * 0.0;
    return boundedTaps(form, bounds, rounded, {{}, zeros + 1.0, zeros});
}

AxisTaps positionTaps(Var position, Var size) {
    const GridForm form{GridMode::Linear, GridPadding::Zeros, true};
    const Var elements = cast(size, position.dtype());
    return tapsAround(form, Bounds::of(form, elements), {position, numberLike(position, 1)});
}

ImageTaps::ImageTaps(Var images, std::vector<AxisTaps> axes, const std::vector<Var>& sizes)
    : images_(images), axes_(std::move(axes)) {
    for (size_t axis = 0; axis < axes_.size(); ++axis) {
        const Var index = placed(axes_[axis].index, axis);
        index_ = index_ ? index_ * sizes[axis] + index : index;
    }
    index_ = firstLines() + index_;
    lines_ = images_.emitter().op("Flatten", {images_}, {{"axis", int64_t{2}}});
}

/// ORT's GatherNDGrad refuses these shapes; lines of all images together need no batch dimensions.
Var ImageTaps::firstLines() const {
    GradientEmitter& emitter = images_.emitter();
    const auto scalar = [&](int64_t value) {
        return emitter.constant(Tensor::scalar<int64_t>(value), "number");
    };
    const Var shape = knownShape(images_);
    const Var numbers =
        emitter.op("Range", {scalar(0), emitter.op("Gather", {shape, scalar(0)}), scalar(1)});
    std::vector<int64_t> others = {1};
    for (const int64_t axis : tapAxes()) others.push_back(axis);
    return unsqueeze(numbers * emitter.op("Gather", {shape, emitter.integers({1})}), others);
}

Var ImageTaps::placed(Var taps, size_t axis) const {
    std::vector<int64_t> others;
    for (size_t i = 0; i < axes_.size(); ++i) {
        if (i != axis) others.push_back(static_cast<int64_t>(i) + 2);
    }
    return unsqueeze(taps, others);
}

Var ImageTaps::product(size_t sloped) const {
    Var result;
    for (size_t axis = 0; axis < axes_.size(); ++axis) {
        const Var factor = placed(axis == sloped ? axes_[axis].slope : axes_[axis].weight, axis);
        result = result ? result * factor : factor;
    }
    return result;
}

std::vector<int64_t> ImageTaps::tapAxes() const {
    std::vector<int64_t> axes;
    for (size_t i = 0; i < axes_.size(); ++i) axes.push_back(static_cast<int64_t>(i) + 2);
    return axes;
}

Var ImageTaps::gathered() const {
    return images_.emitter().op("Gather", {lines_, index_}, {{"axis", int64_t{0}}});
}

Var ImageTaps::values() const {
    return sum(gathered() * unsqueeze(product(axes_.size()), {-1}), tapAxes(), false);
}

Var ImageTaps::imageGradient(Var dy) const {
    const Var spread = unsqueeze(dy, tapAxes()) * unsqueeze(product(axes_.size()), {-1});
    const Var lines = images_.emitter().msOp("GatherGrad", {knownShape(lines_), index_, spread},
                                             {{"axis", int64_t{0}}});
    return reshapeBack(lines, images_);
}

std::vector<Var> ImageTaps::coordinateGradients(Var dy) const {
    const auto last = static_cast<int64_t>(axes_.size()) + 2;
    const Var weighted = sum(gathered() * unsqueeze(dy, tapAxes()), {last}, false);
    std::vector<Var> gradients;
    for (size_t axis = 0; axis < axes_.size(); ++axis)
        gradients.push_back(sum(weighted * product(axis), tapAxes(), false));
    return gradients;
}

}  // namespace temper
