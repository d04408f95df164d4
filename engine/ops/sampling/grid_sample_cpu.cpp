// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/ops/map_cpu.h"
#include "engine/ops/sampling/grid_form.h"
#include "engine/ops/sampling/sampling.h"

namespace temper {
namespace {

constexpr int kMaxAxes = 3;
constexpr int kMaxTaps = 64;
constexpr int64_t kElementsPerTask = 1 << 13;

/// Folds x into [low, high] as mirrors at both ends would. Source: ONNX, GridSample.
template <typename T>
T reflected(T x, T low, T high) {
    const T range = high - low;
    if (range <= 0) return low;
    if (x >= low && x <= high) return x;
    const T distance = x < low ? low - x : x - high;
    const T turns = std::floor(distance / range);
    const T rest = distance - turns * range;
    const bool isBackAtStart = std::fmod(turns, T{2}) == 0;
    return (x < low) == isBackAtStart ? low + rest : high - rest;
}

/// Positions along one axis of the image.
template <typename T>
class GridAxis {
public:
    GridAxis(const GridForm& form, int64_t size)
        : form_(form),
          polynomials_(TapPolynomials::of(form.mode)),
          size_(size),
          low_(form.alignsCorners ? T{0} : T{-0.5}),
          high_(static_cast<T>(size - 1) - low_) {}

    /// Elements around the normalized coordinate, -1 if there is none, and their weights.
    void taps(T normalized, int64_t* index, T* weight) const {
        const T position = placed(normalized);
        const T base = std::floor(position), t = position - base;
        for (int k = 0; k < form_.taps(); ++k) {
            index[k] = element(base + static_cast<T>(polynomials_.first + k));
            weight[k] = value(k, t);
        }
    }

private:
    T placed(T normalized) const {
        const T size = static_cast<T>(size_);
        const T exact = form_.alignsCorners ? (normalized + 1) / 2 * (size - 1)
                                            : ((normalized + 1) * size - 1) / 2;
        const T position = std::clamp(exact, -kFar, kFar);  // infinity has no fraction
        return form_.mode == GridMode::Nearest ? std::nearbyint(position) : position;
    }

    /// The padding is that of the elements, as in PyTorch and ORT: a position outside is not moved.
    int64_t element(T position) const {
        if (form_.padding == GridPadding::Reflection) position = reflected(position, low_, high_);
        const T last = static_cast<T>(size_ - 1);
        // The negation also catches NaN coordinates.
        const bool isInside = position >= 0 && position <= last;
        if (!isInside && form_.padding == GridPadding::Zeros) return -1;
        if (std::isnan(position)) return 0;
        return static_cast<int64_t>(std::clamp(position, T{0}, last));
    }

    T value(int k, T t) const {
        T sum = 0;
        for (size_t p = polynomials_.coefficients.size(); p-- > 0;)
            sum = sum * t + static_cast<T>(polynomials_.coefficients[p][static_cast<size_t>(k)]);
        return sum;
    }

    static constexpr T kFar = T{1e9};

    GridForm form_;
    TapPolynomials polynomials_;
    int64_t size_;
    T low_;
    T high_;
};

/// The elements of a plane that contribute to a value.
template <typename T>
struct PlaneTaps {
    int count = 0;
    std::array<int64_t, kMaxTaps> offset;
    std::array<T, kMaxTaps> weight;
};

template <typename T>
class GridSampleKernel final : public Kernel {
public:
    explicit GridSampleKernel(const PrepareContext& context) {
        const Shape& image = context.input(0).shape;
        const GridForm form = GridForm::of(context.node());
        for (size_t i = 2; i < image.size(); ++i) axes_.emplace_back(form, image[i]);
        strides_ = stridesOf(Shape(image.begin() + 2, image.end()));
        tapsPerAxis_ = form.taps();
        batch_ = image[0];
        channels_ = image[1];
        plane_ = numElements(std::span(image).subspan(2));
        samples_ = numElements(std::span(context.output(0).shape).subspan(2));
    }

    void run(const RunContext& context) const override {
        const int64_t grain = 1 + kElementsPerTask / (channels_ * tapsPerAxis_ + 1);
        context.pool().forRanges(batch_ * samples_, grain, [&](int64_t begin, int64_t end) {
            PlaneTaps<T> taps;
            for (int64_t i = begin; i < end; ++i) sample(context, i, taps);
        });
    }

private:
    void sample(const RunContext& context, int64_t i, PlaneTaps<T>& taps) const {
        const auto axes = static_cast<int64_t>(axes_.size());
        const int64_t n = i / samples_, q = i % samples_;
        find(context.in<T>(1) + i * axes, taps);
        const T* image = context.in<T>(0) + n * channels_ * plane_;
        T* output = context.out<T>(0) + n * channels_ * samples_ + q;
        for (int64_t c = 0; c < channels_; ++c, image += plane_, output += samples_) {
            T sum = 0;
            for (int k = 0; k < taps.count; ++k)
                sum += taps.weight[static_cast<size_t>(k)] *
                       image[taps.offset[static_cast<size_t>(k)]];
            *output = sum;
        }
    }

    /// The grid lists the innermost axis first.
    void find(const T* coordinates, PlaneTaps<T>& taps) const {
        taps.count = 1;
        taps.offset[0] = 0;
        taps.weight[0] = 1;
        for (size_t axis = 0; axis < axes_.size(); ++axis) {
            std::array<int64_t, 4> index;
            std::array<T, 4> weight;
            axes_[axis].taps(coordinates[axes_.size() - 1 - axis], index.data(), weight.data());
            multiply(taps, index, weight, strides_[axis]);
        }
    }

    void multiply(PlaneTaps<T>& taps, const std::array<int64_t, 4>& index,
                  const std::array<T, 4>& weight, int64_t stride) const {
        const PlaneTaps<T> outer = taps;
        taps.count = 0;
        for (int i = 0; i < outer.count; ++i) {
            for (int k = 0; k < tapsPerAxis_; ++k) {
                const auto from = static_cast<size_t>(i), tap = static_cast<size_t>(k);
                if (index[tap] < 0) continue;
                const auto to = static_cast<size_t>(taps.count++);
                taps.offset[to] = outer.offset[from] + index[tap] * stride;
                taps.weight[to] = outer.weight[from] * weight[tap];
            }
        }
    }

    std::vector<GridAxis<T>> axes_;
    Shape strides_;
    int tapsPerAxis_ = 1;
    int64_t batch_ = 0;
    int64_t channels_ = 0;
    int64_t plane_ = 0;
    int64_t samples_ = 0;
};

std::unique_ptr<Kernel> makeGridSample(const PrepareContext& context) {
    const auto spatial = static_cast<int>(context.input(0).shape.size()) - 2;
    if (spatial > kMaxAxes) {
        context.fail(ErrorCode::Unsupported, "The images have " + std::to_string(spatial) +
                                                 " spatial dimensions; expected at most 3.");
    }
    if (context.input(0).numElements() == 0 && context.output(0).numElements() > 0) {
        context.fail(ErrorCode::InvalidInput, "The images have no elements to sample.");
    }
    context.requireDType(1, context.input(0).dtype);
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() -> std::unique_ptr<Kernel> {
                             return std::make_unique<GridSampleKernel<T>>(context);
                         });
}

}  // namespace

void addGridSampleKernels(KernelRegistry& kernels) {
    kernels.add("", "GridSample", makeGridSample);
}

}  // namespace temper
