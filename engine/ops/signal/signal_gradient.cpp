// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/ops/signal/signal.h"

namespace temper {
namespace {

/// The single integer of a constant input.
std::optional<int64_t> constantOf(const GradientContext& node, size_t input) {
    if (!node.hasInput(input)) return std::nullopt;
    const Tensor& data = node.input(input).value()->constant();
    if (data.empty() || data.numElements() != 1) return std::nullopt;
    return data.toInt64();
}

[[noreturn]] void failUnknown(const std::string& what) {
    throw Error(ErrorCode::Unsupported, what + " is unknown; the gradient needs it.",
                "Make it an initializer of the model, or export the model with fixed shapes.");
}

const SymbolicShape& shapeOfInput(const GradientContext& node, size_t input) {
    const auto& shape = node.input(input).type().shape;
    if (!shape) failUnknown("The shape of input " + std::to_string(input));
    return *shape;
}

/// The backward pass of DFT: the adjoint of y = F x is the conjugate transpose, which is the
/// transform in the other direction without its division by the length N.
class DftGradient {
public:
    explicit DftGradient(const GradientContext& node)
        : node_(node),
          attributes_(DftAttributes::of(node.node(), node.opset())),
          shape_(shapeOfInput(node, 0)) {
        int64_t axis = attributes_.axis.value_or(kDefaultDftAxis);
        if (!attributes_.axis && node.hasInput(kDftAxis)) {
            const auto given = constantOf(node, kDftAxis);
            if (!given) failUnknown("The axis");
            axis = *given;
        }
        axis_ = normalizeAxis(axis, static_cast<int64_t>(shape_.size()), node.node().describe());
        const Dim& dim = shape_[static_cast<size_t>(axis_)];
        if (dim.isNumber()) given_ = dim.value;
        if (given_) length_ = attributes_.defaultLength(*given_);
        if (node.hasInput(kDftLength)) length_ = constantOf(node, kDftLength);
        if (node.hasInput(kDftLength) && (!length_ || !given_)) {
            failUnknown("The length of the signal or of the transform");
        }
    }

    Var compute() const {
        const Var dy = node_.outputGradient(0);
        if (attributes_.isRealInverse()) return ofHalf(dy);
        const Var turned = transform(dy);
        const Var scaled = attributes_.inverse ? turned / scale(dy) : turned * scale(dy);
        return fitParts(fitLength(scaled, length_));
    }

private:
    /// y_t = 1/N sum over k of w_k Re(X_k exp(2 pi i k t / N)) with w = 1 for k = 0 and N / 2, else
    /// 2: the gradient is the half spectrum of dy, times w_k / N.
    Var ofHalf(Var dy) const {
        if (!length_) failUnknown("The length of the transform");
        const int64_t size = spectrumSize(*length_, true);
        Tensor weights(DType::Float64, {size});
        const auto numbers = weights.mutableValues<double>();
        std::ranges::fill(numbers, 2.0 / static_cast<double>(*length_));
        numbers.front() /= 2;
        if (*length_ % 2 == 0) numbers.back() /= 2;
        Shape alongAxis(shape_.size(), 1);
        alongAxis[static_cast<size_t>(axis_)] = size;
        const Var factors =
            node_.emitter().constant(weights.cast(dy.dtype()).reshaped(alongAxis), "weights");
        return fitParts(fitLength(transform(dy) * factors, size));
    }

    /// The transform of dy in the other direction; of a half spectrum with zeros for the rest.
    Var transform(Var dy) const {
        GradientEmitter& emitter = node_.emitter();
        Attributes attributes = {{"inverse", int64_t{!attributes_.inverse}}};
        std::vector<Var> inputs = {dy};
        if (attributes_.isRealInverse()) attributes.emplace("onesided", int64_t{1});
        if (attributes_.onesided) inputs.push_back(lengthScalar());
        if (node_.opset() < 20) {
            attributes.emplace("axis", axis_);
        } else {
            inputs.resize(2);
            inputs.push_back(emitter.constant(Tensor::scalar(axis_), "axis"));
        }
        return emitter.op("DFT", inputs, attributes);
    }

    /// N as an int64 scalar.
    Var lengthScalar() const {
        GradientEmitter& emitter = node_.emitter();
        if (length_) return emitter.constant(Tensor::scalar(*length_), "length");
        return emitter.op(
            "Gather", {shapeOf(node_.input(0)), emitter.constant(Tensor::scalar(axis_), "axis")},
            {{"axis", int64_t{0}}});
    }

    Var scale(Var dy) const {
        if (length_) return node_.emitter().number(static_cast<double>(*length_), dy.dtype());
        return cast(lengthScalar(), dy.dtype());
    }

    /// The signal was cut or filled with zeros to the length of the transform.
    Var fitLength(Var gradient, std::optional<int64_t> length) const {
        if (length == given_) return gradient;
        GradientEmitter& emitter = node_.emitter();
        if (*given_ < *length) return slice(gradient, axis_, *given_);
        std::vector<int64_t> pads(2 * shape_.size(), 0);
        pads[shape_.size() + static_cast<size_t>(axis_)] = *given_ - *length;
        return emitter.op("Pad", {gradient, emitter.integers(pads)});
    }

    /// Real signals have no imaginary part.
    Var fitParts(Var gradient) const {
        const Dim& parts = shape_.back();
        const auto last = static_cast<int64_t>(shape_.size()) - 1;
        if (parts.isNumber()) return parts.value == 2 ? gradient : slice(gradient, last, 1);
        GradientEmitter& emitter = node_.emitter();
        const Var count = emitter.op("Gather", {shapeOf(node_.input(0)), emitter.integers({last})},
                                     {{"axis", int64_t{0}}});
        return emitter.op("Slice",
                          {gradient, emitter.integers({0}), count, emitter.integers({last})});
    }

    Var slice(Var x, int64_t axis, int64_t end) const {
        GradientEmitter& emitter = node_.emitter();
        return emitter.op(
            "Slice", {x, emitter.integers({0}), emitter.integers({end}), emitter.integers({axis})});
    }

    const GradientContext& node_;
    DftAttributes attributes_;
    const SymbolicShape& shape_;
    int64_t axis_ = 0;
    std::optional<int64_t> given_;   ///< size of the axis
    std::optional<int64_t> length_;  ///< of the transform
};

/// The backward pass of STFT, which is a convolution of the signal with the waves of the spectrum,
/// each times the window: output channels are real and imaginary parts, the stride is the frame
/// step.
class StftGradient {
public:
    explicit StftGradient(const GradientContext& node) : node_(node) {
        const Dim& parts = shapeOfInput(node, 0).at(2);
        if (!parts.isNumber()) failUnknown("Whether the signal is real or complex");
        parts_ = parts.value;
        const auto step = constantOf(node, kFrameStep);
        if (!step) failUnknown("The frame step");
        step_ = *step;
        length_ = frameLength();
        spectrum_ = spectrumSize(length_, node.attribute<int64_t>("onesided", 1) != 0);
    }

    Gradients compute() const {
        const Var dy = node_.outputGradient(0);
        GradientEmitter& emitter = node_.emitter();
        const bool needsWindow = node_.needs(kWindow);
        const Var waves = emitter.constant(wavesOf().cast(dy.dtype()), "waves");
        const Var weights = node_.hasInput(kWindow) ? waves * node_.input(kWindow) : waves;
        const Var channels =
            transpose(reshape(dy, emitter.integers({0, 0, 2 * spectrum_})), {0, 2, 1});
        const std::vector<Var> outputs = emitter.add(
            kMicrosoftDomain, "ConvGrad", {channels, transpose(node_.input(0), {0, 2, 1}), weights},
            attributes(), {node_.needs(0), needsWindow});
        Gradients result(4);
        if (node_.needs(0)) result[0] = transpose(outputs[0], {0, 2, 1});
        if (needsWindow) result[kWindow] = sum(outputs[1] * waves, {0, 1}, false);
        return result;
    }

private:
    int64_t frameLength() const {
        if (const auto given = constantOf(node_, kFrameLength)) return *given;
        if (node_.hasInput(kWindow)) {
            const Dim& dim = shapeOfInput(node_, kWindow).at(0);
            if (dim.isNumber()) return dim.value;
        }
        failUnknown("The frame length");
    }

    Attributes attributes() const {
        return {{"kernel_shape", std::vector<int64_t>{length_}},
                {"strides", std::vector<int64_t>{step_}},
                {"pads", std::vector<int64_t>{0, 0}},
                {"dilations", std::vector<int64_t>{1}},
                {"group", int64_t{1}}};
    }

    /// [spectrum * (real, imaginary), parts of the signal, frame]: exp(-2 pi i k n / N)
    Tensor wavesOf() const {
        Tensor waves(DType::Float64, {2 * spectrum_, parts_, length_});
        double* to = waves.mutableValues<double>().data();
        for (int64_t row = 0; row < 2 * spectrum_ * parts_; ++row) {
            const int64_t k = row / parts_ / 2;
            const bool isImaginary = row / parts_ % 2 == 1, ofImaginary = row % parts_ == 1;
            for (int64_t n = 0; n < length_; ++n) {
                const double angle = 2 * std::numbers::pi * static_cast<double>(k * n % length_) /
                                     static_cast<double>(length_);
                if (isImaginary == ofImaginary) {
                    *to++ = std::cos(angle);
                } else {
                    *to++ = isImaginary ? -std::sin(angle) : std::sin(angle);
                }
            }
        }
        return waves;
    }

    const GradientContext& node_;
    int64_t parts_ = 1;
    int64_t step_ = 1;
    int64_t length_ = 0;
    int64_t spectrum_ = 0;
};

}  // namespace

void addSignalGradients(GradientRules& gradients) {
    gradients.add("", "DFT", [](const GradientContext& node) {
        return Gradients{DftGradient(node).compute()};
    });
    gradients.add("", "STFT",
                  [](const GradientContext& node) { return StftGradient(node).compute(); });
}

}  // namespace temper
