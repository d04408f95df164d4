// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "engine/core/saturated_cast.h"
#include "engine/ops/resize/resize.h"
#include "engine/ops/resize/resize_plan.h"
#include "engine/ops/shape/known_shape.h"

namespace temper {
namespace {

/// The gradient of one resize, axis by axis: y = M x along each, hence dx = transposed(M) dy.
class ResizeGradient {
public:
    explicit ResizeGradient(const GradientContext& node)
        : node_(node),
          emitter_(node.emitter()),
          form_(ResizeForm::of(node.node(), node.opset())),
          x_(node.input(0)),
          y_(node.output(0)) {
        if (!x_.type().shape) fail("the rank of its input", "Export the model with known ranks.");
        request_ = requestOf();
        chosen_ = form_.axesOf(x_.type().shape->size());
        request_.requireFit(chosen_.size());
    }

    Var of(Var gradient) const {
        std::vector<int64_t> factors(rank(), 1);
        for (size_t axis = 0; axis < rank(); ++axis) {
            if (isUntouched(axis)) continue;
            factors[axis] = repetitions(axis);
            if (factors[axis] == 1) gradient = throughMatrix(gradient, axis);
        }
        return sumRepetitions(gradient, factors);
    }

private:
    size_t rank() const { return x_.type().shape->size(); }
    const Dim& inputDim(size_t axis) const { return (*x_.type().shape)[axis]; }
    Dim outputDim(size_t axis) const {
        const auto& shape = y_.type().shape;
        return shape ? (*shape)[axis] : Dim::unknown();
    }

    [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
        throw Error(
            ErrorCode::Unsupported,
            "The gradient of " + node_.node().describe() + " needs " + what + ", which is unknown.",
            hint);
    }

    ResizeRequest requestOf() const {
        const auto read = [&](size_t input) -> const Tensor* {
            const Value* value = node_.input(input).value();
            return value->isInitializer() ? &value->constant() : nullptr;
        };
        const auto sizes = [](size_t) { return std::optional<std::vector<Dim>>(); };
        return ResizeRequest::of(node_.node(), form_, read, sizes);
    }

    bool cropsRegions() const { return form_.coordinates == ResizeCoordinates::TfCropAndResize; }

    /// Position of the axis among those that the inputs refer to; nullopt: it is not resized.
    std::optional<size_t> placeOf(size_t axis) const {
        const auto found = std::ranges::find(chosen_, static_cast<int64_t>(axis));
        if (found == chosen_.end()) return std::nullopt;
        return static_cast<size_t>(found - chosen_.begin());
    }

    /// Whether the output along this axis is the input, whatever its size.
    bool isUntouched(size_t axis) const {
        const auto place = placeOf(axis);
        if (!place) return true;
        if (const auto known = knownAxis(axis))
            return known->input == known->output &&
                   resizeTaps(form_, *known).isIdentity(known->input);
        const bool asScaled = request_.scales && (*request_.scales)[*place] == 1;
        const bool keepsSize = asScaled || inputDim(axis).sameAs(outputDim(axis));
        return keepsSize && resizeTaps(form_, {4, 4}).isIdentity(4) &&
               (!cropsRegions() || regionIsWhole(*place));
    }

    bool regionIsWhole(size_t place) const {
        return request_.roi && (*request_.roi)[place] == 0 &&
               (*request_.roi)[place + chosen_.size()] == 1;
    }

    /// All numbers of an axis, if they are known.
    std::optional<ResizeAxis> knownAxis(size_t axis) const {
        const Dim output = outputDim(axis);
        const size_t place = *placeOf(axis);
        if (!inputDim(axis).isNumber() || !output.isNumber()) return std::nullopt;
        if (cropsRegions() && !request_.roi) return std::nullopt;
        ResizeAxis known{inputDim(axis).value, output.value};
        if (request_.scales) {
            known.scale = (*request_.scales)[place];
            known.brokenOutput = static_cast<float>(known.input) * known.scale;
        } else if (form_.aspectRatio != AspectRatio::Stretch) {
            return knownByRatio(axis);
        } else if (isFromScales()) {
            return std::nullopt;
        } else if (known.input > 0) {
            known.scale = static_cast<float>(known.output) / static_cast<float>(known.input);
        }
        if (request_.roi) {
            known.roiStart = (*request_.roi)[place];
            known.roiEnd = (*request_.roi)[place + chosen_.size()];
        }
        return known;
    }

    /// The scale is that of the decisive axis, so all of them must be known.
    std::optional<ResizeAxis> knownByRatio(size_t axis) const {
        const auto shape = concreteShape(*x_.type().shape);
        if (!shape || !request_.isKnown) return std::nullopt;
        return resizeAxes(form_, request_, *shape)[axis];
    }

    bool isFromScales() const {
        const auto sizes = form_.sizesInput;
        return !request_.sizes && (!sizes || !node_.hasInput(*sizes));
    }

    /// How often each element is repeated, side by side, if the resize does only that;
    /// else 1.
    int64_t repetitions(size_t axis) const {
        if (form_.mode != ResizeMode::Nearest) return 1;
        if (const auto known = knownAxis(axis)) return repetitionsOf(*known);
        const bool followsFromScale = request_.scales && !cropsRegions() &&
                                      form_.coordinates != ResizeCoordinates::AlignCorners;
        if (!followsFromScale) return 1;
        const float scale = (*request_.scales)[*placeOf(axis)];
        const int64_t factor = saturatedCast<int32_t>(scale);
        if (static_cast<float>(factor) != scale) return 1;
        return repetitionsOf({4, 4 * factor, scale});
    }

    int64_t repetitionsOf(const ResizeAxis& axis) const {
        if (axis.input == 0 || axis.output % axis.input != 0) return 1;
        const int64_t factor = axis.output / axis.input;
        const ResizeTaps taps = resizeTaps(form_, axis);
        for (int64_t o = 0; o < axis.output; ++o) {
            const auto place = static_cast<size_t>(o);
            if (taps.isOutside[place] || taps.index[place] != o / factor) return 1;
        }
        return factor;
    }

    /// Elements of the input along an axis, as a vector of one number.
    Var sizeOf(Var value, size_t axis) const {
        const Dim& dim = (*value.type().shape)[axis];
        if (dim.isNumber()) return emitter_.integers({dim.value});
        return emitter_.op("Gather",
                           {shapeOf(value), emitter_.integers({static_cast<int64_t>(axis)})});
    }

    /// dx sums the repetitions of each element: dy as [..., size, factor, ...]. The other axes have
    /// the input's size already.
    Var sumRepetitions(Var gradient, const std::vector<int64_t>& factors) const {
        std::vector<Var> parts;
        std::vector<int64_t> summed;
        for (size_t axis = 0; axis < rank(); ++axis) {
            parts.push_back(sizeOf(x_, axis));
            if (factors[axis] == 1) continue;
            summed.push_back(static_cast<int64_t>(parts.size()));
            parts.push_back(emitter_.integers({factors[axis]}));
        }
        if (summed.empty()) return gradient;
        return sum(reshape(gradient, joined(parts)), summed, false);
    }

    /// One vector from several; a constant if all of them are, or all but one.
    Var joined(const std::vector<Var>& parts) const {
        std::vector<int64_t> numbers;
        for (const Var& part : parts) {
            const auto known = knownIntegers(part);
            numbers.push_back(known ? known->front() : -1);
        }
        const bool isEmpty = std::ranges::count(numbers, 0) > 0;
        if (!isEmpty && std::ranges::count(numbers, -1) <= 1) return emitter_.integers(numbers);
        return concat(parts, 0);
    }

    Var throughMatrix(Var gradient, size_t axis) const {
        const auto last = static_cast<int64_t>(rank()) - 1;
        const auto place = static_cast<int64_t>(axis);
        const Var spread = spreadMatrix(axis);  // [input, output]
        if (place == last - 1) return matMul(spread, gradient);
        const Var collect = collected(spread);
        if (place == last) return matMul(gradient, collect);
        std::vector<int64_t> order(rank());
        std::iota(order.begin(), order.end(), 0);
        std::swap(order[axis], order.back());
        return transpose(matMul(transpose(gradient, order), collect), order);
    }

    /// The transposed matrix; a constant if it is one.
    Var collected(Var spread) const {
        if (!spread.value()->isInitializer()) return transpose(spread, {1, 0});
        const Tensor& data = spread.value()->constant();
        const Tensor wide = data.cast(DType::Float64);
        const int64_t rows = data.shape()[0], columns = data.shape()[1];
        Tensor result(DType::Float64, {columns, rows});
        for (int64_t i = 0; i < rows * columns; ++i) {
            result.mutableValues<double>()[static_cast<size_t>(i % columns * rows + i / columns)] =
                wide.values<double>()[static_cast<size_t>(i)];
        }
        return emitter_.constant(result.cast(data.dtype()), "interpolation");
    }

    /// [input, output]: how an element of the input spreads over the output.
    Var spreadMatrix(size_t axis) const {
        const auto known = knownAxis(axis);
        if (!known) return spreadMatrixAtRunTime(axis);
        const ResizeTaps taps = resizeTaps(form_, *known);
        Tensor matrix(DType::Float64, {known->input, known->output});
        const auto values = matrix.mutableValues<double>();
        for (size_t i = 0; i < taps.index.size(); ++i) {
            const auto o = static_cast<int64_t>(i) / taps.count;
            if (taps.isOutside[static_cast<size_t>(o)]) continue;
            values[static_cast<size_t>(taps.index[i] * known->output + o)] += taps.weight[i];
        }
        return emitter_.constant(matrix.cast(x_.dtype()), "interpolation");
    }

    /// The same operator applied to the rows of an identity matrix.
    Var spreadMatrixAtRunTime(size_t axis) const {
        const Var size = sizeOf(x_, axis);
        const Var zeros = emitter_.op("ConstantOfShape", {concat({size, size}, 0)},
                                      {{"value", Tensor(x_.dtype(), {1})}});
        const Var unit = emitter_.op("EyeLike", {zeros});
        Attributes attributes = node_.node().attributes();
        for (const char* name : {"axes", "keep_aspect_ratio_policy", "scales"})
            attributes.erase(name);
        if (attributes.contains("extrapolation_value")) attributes["extrapolation_value"] = 0.0F;
        const std::string& op = node_.node().opType();
        if (const auto& scales = request_.scales) {
            const float scale = (*scales)[*placeOf(axis)];
            if (op == "Upsample" && emitter_.opset() < 9) {
                attributes["scales"] = std::vector<float>{1, scale};
                return emitter_.op(op, {unit}, attributes);
            }
            const Var both = emitter_.constant(Tensor::of<float>({2}, {1, scale}), "scales");
            if (!form_.roiInput) return emitter_.op(op, {unit, both}, attributes);
            return emitter_.op(op, {unit, regionOf(axis), both}, attributes);
        }
        return resizedTo(op, unit, concat({size, outputSize(axis)}, 0), axis, attributes);
    }

    Var resizedTo(const std::string& op, Var unit, Var sizes, size_t axis,
                  const Attributes& attributes) const {
        if (isFromScales() || form_.aspectRatio != AspectRatio::Stretch) {
            fail("the scales", "Export the model with fixed image sizes or constant scales.");
        }
        // Opset 11 and 12 recognize an absent input by its length.
        const Var none = emitter_.opset() < 13
                             ? emitter_.constant(Tensor(DType::Float32, {0}), "scales")
                             : Var();
        return emitter_.op(op, {unit, regionOf(axis), none, sizes}, attributes);
    }

    Var outputSize(size_t axis) const {
        if (outputDim(axis).isNumber()) return emitter_.integers({outputDim(axis).value});
        return emitter_.op("Gather",
                           {shapeOf(y_), emitter_.integers({static_cast<int64_t>(axis)})});
    }

    /// The region of this axis, and all of the axis before it.
    Var regionOf(size_t axis) const {
        if (!cropsRegions()) {
            return emitter_.opset() < 13 ? emitter_.constant(Tensor(DType::Float32, {0}), "region")
                                         : Var();
        }
        if (!request_.roi) fail("the region", "Make the region an initializer.");
        const size_t place = *placeOf(axis);
        const auto& roi = *request_.roi;
        return emitter_.constant(
            Tensor::of<float>({4}, {0, roi[place], 1, roi[place + chosen_.size()]}), "region");
    }

    const GradientContext& node_;
    GradientEmitter& emitter_;
    ResizeForm form_;
    Var x_;
    Var y_;
    ResizeRequest request_;
    std::vector<int64_t> chosen_;
};

Gradients resizeGradient(const GradientContext& node) {
    return {ResizeGradient(node).of(node.outputGradient(0))};
}

}  // namespace

void addResizeGradients(GradientRules& rules) {
    rules.add("", "Resize", resizeGradient);
    rules.add("", "Upsample", resizeGradient);
}

}  // namespace temper
