// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/depthwise/passes_cpu.h"

#include <algorithm>
#include <vector>

#include "engine/ops/conv/conv_direct.h"
#include "engine/ops/conv/depthwise/taps_cpu.h"
#include "engine/ops/conv/plain_passes_cpu.h"
#include "engine/ops/conv/prepared_weights_cpu.h"
#include "engine/ops/simd_cpu.h"
#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper {
namespace {

constexpr int64_t kStripFloats = 8 << 10;   ///< of results, which stay in the nearest cache
constexpr int64_t kTaskProducts = 1 << 18;  ///< that are worth a thread
constexpr int64_t kGradientTasks = 16;

constexpr int64_t quotientUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Results along an axis that see the same taps: all of them, but in the backward direction only
/// one of `stride` neighbours.
struct TapPhase {
    int64_t first = 0;  ///< the results are first, first + step, ...
    int64_t step = 1;
    int64_t outputs = 0;
    int64_t taps = 0;  ///< in the order of the pixels that they read
    int64_t firstTap = 0;
    int64_t tapStep = 1;
    int64_t stride = 1;  ///< of the pixels, from result to result
    int64_t start = 0;   ///< the pixel of the first tap of the first result

    /// Results before this position.
    int64_t countBefore(int64_t position) const {
        return quotientUp(std::max<int64_t>(position - first, 0), step);
    }
};

std::vector<TapPhase> tapPhases(const WindowAxis& axis, ConvDataPass::Direction direction) {
    if (direction == ConvDataPass::Direction::Forward)
        return {{.outputs = axis.output,
                 .taps = axis.kernel,
                 .stride = axis.stride,
                 .start = -axis.padBegin}};
    std::vector<TapPhase> phases;
    for (int64_t i = 0; i < axis.stride; ++i) {
        // Result f reads taps k, k + stride, ... with k = (f + padBegin) % stride.
        const int64_t remainder = (i + axis.padBegin) % axis.stride;
        const int64_t taps = std::max<int64_t>(quotientUp(axis.kernel - remainder, axis.stride), 0);
        phases.push_back({.first = i,
                          .step = axis.stride,
                          .outputs = quotientUp(std::max<int64_t>(axis.input - i, 0), axis.stride),
                          .taps = taps,
                          .firstTap = remainder + (taps - 1) * axis.stride,
                          .tapStep = -axis.stride,
                          .start = (i + axis.padBegin - remainder) / axis.stride - (taps - 1)});
    }
    return phases;
}

/// A plane is a block of channels of an image.
class DepthwiseDataPass final : public ConvDataPass {
public:
    DepthwiseDataPass(const ConvGeometry& g, Direction direction, bool weightsAreConstant)
        : planes_(g.batch * g.channels / kChannelBlock),
          blocks_(g.channels / kChannelBlock),
          taps_(g.axes[0].kernel * g.axes[1].kernel),
          columnTaps_(g.axes[1].kernel),
          rows_(tapPhases(g.axes[0], direction)),
          columns_(tapPhases(g.axes[1], direction)),
          weights_(g.channels * taps_, weightsAreConstant, scratch_) {
        const bool isForward = direction == Direction::Forward;
        fromHeight_ = isForward ? g.axes[0].input : g.axes[0].output;
        fromWidth_ = isForward ? g.axes[1].input : g.axes[1].output;
        toHeight_ = isForward ? g.axes[0].output : g.axes[0].input;
        toWidth_ = isForward ? g.axes[1].output : g.axes[1].input;
        for (const TapPhase& columns : columns_) inside_.push_back(columnTaps(columns).inside());
        const int64_t wanted = std::max<int64_t>(kStripFloats / (toWidth_ * kChannelBlock), 1);
        strips_ = quotientUp(toHeight_, wanted);
    }

    void run(ThreadPool& pool, const void* from, const void* weights, const float* bias, float* to,
             std::byte* scratch, const RangeFunction& finished) const override {
        const float* packed = weights_.get(scratch, [&](float* prepared) {
            pool.forEach(blocks_, [&](int64_t block) {
                const int64_t first = block * kChannelBlock * taps_;
                pack(static_cast<const float*>(weights) + first, prepared + first);
            });
        });
        const int64_t products = toHeight_ * toWidth_ * kChannelBlock * taps_ / strips_;
        pool.forRanges(planes_ * strips_, 1 + kTaskProducts / products,
                       [&](int64_t begin, int64_t end) {
                           for (int64_t i = begin; i < end; ++i)
                               runStrip(i / strips_, i % strips_, static_cast<const float*>(from),
                                        packed, bias, to, finished);
                       });
    }

private:
    /// Weights [kChannelBlock, taps] as [phases of rows, phases of columns, rows, columns,
    /// kChannelBlock].
    void pack(const float* weights, float* packed) const {
        for (const TapPhase& rows : rows_) {
            for (const TapPhase& columns : columns_) {
                for (int64_t i = 0; i < rows.taps * columns.taps; ++i, packed += kChannelBlock) {
                    const int64_t row = rows.firstTap + i / columns.taps * rows.tapStep;
                    const int64_t column = columns.firstTap + i % columns.taps * columns.tapStep;
                    for (int64_t c = 0; c < kChannelBlock; ++c)
                        packed[c] = weights[c * taps_ + row * columnTaps_ + column];
                }
            }
        }
    }

    void runStrip(int64_t plane, int64_t strip, const float* from, const float* weights,
                  const float* bias, float* to, const RangeFunction& finished) const {
        const int64_t block = plane % blocks_;
        const int64_t begin = toHeight_ * strip / strips_, end = toHeight_ * (strip + 1) / strips_;
        const int64_t toRow = toWidth_ * kChannelBlock;
        float* image = to + plane * toHeight_ * toRow;
        simd::TapRows taps;
        taps.bias = bias == nullptr ? nullptr : bias + block * kChannelBlock;
        taps.rowStrideX = fromWidth_ * kChannelBlock;
        taps.columnStrideY = static_cast<int64_t>(columns_.size()) * kChannelBlock;
        const float* kernels = weights + block * kChannelBlock * taps_;
        for (const TapPhase& rows : rows_) {
            taps.rowStepX = rows.stride * taps.rowStrideX;
            taps.rowStrideY = rows.step * toRow;
            for (size_t i = 0; i < columns_.size(); ++i) {
                taps.columns = columnTaps(columns_[i]);
                taps.inside = inside_[i];
                runRows(rows, rows.countBefore(begin), rows.countBefore(end), taps, kernels,
                        from + plane * fromHeight_ * taps.rowStrideX,
                        image + rows.first * toRow + columns_[i].first * kChannelBlock);
                kernels += rows.taps * columns_[i].taps * kChannelBlock;
            }
        }
        finished(plane * toHeight_ * toRow + begin * toRow,
                 plane * toHeight_ * toRow + end * toRow);
    }

    /// The results [begin, end) of a phase of rows: those whose taps are all inside at once.
    void runRows(const TapPhase& rows, int64_t begin, int64_t end, simd::TapRows& taps,
                 const float* kernels, const float* from, float* to) const {
        for (int64_t row = begin; row < end; row += taps.count) {
            const int64_t first = rows.start + row * rows.stride;
            const int64_t above = std::clamp<int64_t>(-first, 0, rows.taps),
                          inside = std::clamp<int64_t>(fromHeight_ - first, above, rows.taps);
            taps.count = 1;
            if (above == 0 && inside == rows.taps) {
                const int64_t more = (fromHeight_ - rows.taps - first) / rows.stride;
                taps.count = std::clamp<int64_t>(more + 1, 1, end - row);
            }
            taps.taps = inside - above;
            taps.x = from + (first + above) * taps.rowStrideX;
            taps.weights = kernels + above * taps.columns.taps * kChannelBlock;
            taps.y = to + row * taps.rowStrideY;
            simd::sumTaps(taps);
        }
    }

    simd::TapColumns columnTaps(const TapPhase& columns) const {
        return {fromWidth_, columns.outputs, columns.taps, columns.stride, columns.start};
    }

    int64_t planes_;
    int64_t blocks_;
    int64_t taps_;
    int64_t columnTaps_;
    std::vector<TapPhase> rows_;
    std::vector<TapPhase> columns_;
    std::vector<simd::TapColumns::Inside> inside_;  ///< of the phases of columns
    int64_t fromHeight_, fromWidth_, toHeight_, toWidth_;
    int64_t strips_ = 1;  ///< of a plane
    PreparedWeights weights_;
};

/// The images are cut into parts, each with sums of its own, if there are few blocks of channels.
class DepthwiseWeightsPass final : public ConvWeightsPass {
public:
    explicit DepthwiseWeightsPass(const ConvGeometry& g)
        : height_(g.axes[0]),
          width_(g.axes[1]),
          batch_(g.batch),
          blocks_(g.channels / kChannelBlock),
          taps_(height_.kernel * width_.kernel) {
        const int64_t rowFloats = (width_.output + height_.stride * width_.input) * kChannelBlock;
        stripRows_ = std::max<int64_t>(kStripFloats / rowFloats, 1);
        parts_ = std::min(batch_, quotientUp(kGradientTasks, blocks_));
        sums_ = scratch_.add(static_cast<size_t>(parts_ * g.channels * taps_) * sizeof(float));
    }

    void run(ThreadPool& pool, const void* images, const void* features, float* weights,
             std::byte* scratch) const override {
        auto* sums = reinterpret_cast<float*>(scratch + sums_);
        const int64_t size = taps_ * kChannelBlock;
        pool.forEach(blocks_ * parts_, [&](int64_t i) {
            sumPart(i % blocks_, i / blocks_, static_cast<const float*>(images),
                    static_cast<const float*>(features), sums + i * size);
        });
        pool.forEach(blocks_,
                     [&](int64_t block) { join(sums + block * size, weights + block * size); });
    }

private:
    void sumPart(int64_t block, int64_t part, const float* images, const float* features,
                 float* sums) const {
        std::fill_n(sums, taps_ * kChannelBlock, 0.0F);
        const int64_t end = batch_ * (part + 1) / parts_;
        for (int64_t n = batch_ * part / parts_; n < end; ++n) {
            const int64_t plane = n * blocks_ + block;
            const float* x = images + plane * height_.input * width_.input * kChannelBlock;
            const float* dy = features + plane * height_.output * width_.output * kChannelBlock;
            for (int64_t row = 0; row < height_.output; row += stripRows_)
                sumStrip(x, dy, row, std::min(row + stripRows_, height_.output), sums);
        }
    }

    /// The weights of a block [kChannelBlock, taps] from the sums of all parts.
    void join(float* sums, float* weights) const {
        const int64_t size = taps_ * kChannelBlock;
        for (int64_t part = 1; part < parts_; ++part)
            simd::add({sums}, {sums + part * blocks_ * size}, sums, size);
        for (int64_t tap = 0; tap < taps_; ++tap) {
            for (int64_t c = 0; c < kChannelBlock; ++c)
                weights[c * taps_ + tap] = sums[tap * kChannelBlock + c];
        }
    }

    void sumStrip(const float* x, const float* dy, int64_t begin, int64_t end, float* sums) const {
        simd::TapGradient gradient;
        gradient.columns = {width_.input, width_.output, width_.kernel, width_.stride,
                            -width_.padBegin};
        gradient.inside = gradient.columns.inside();
        gradient.rowStrideX = height_.stride * width_.input * kChannelBlock;
        gradient.rowStrideDy = width_.output * kChannelBlock;
        for (int64_t k = 0; k < height_.kernel; ++k) {
            const InsideRange inside = InsideRange::of(height_, k);
            const int64_t first = std::max(begin, inside.begin);
            gradient.rows = std::max<int64_t>(std::min(end, inside.end) - first, 0);
            gradient.x = x + (height_.start(first) + k) * width_.input * kChannelBlock;
            gradient.dy = dy + first * gradient.rowStrideDy;
            gradient.sums = sums + k * width_.kernel * kChannelBlock;
            if (gradient.rows > 0) simd::addTapGradients(gradient);
        }
    }

    WindowAxis height_;
    WindowAxis width_;
    int64_t batch_;
    int64_t blocks_;
    int64_t taps_;
    int64_t stripRows_ = 1;
    int64_t parts_ = 1;
    size_t sums_ = 0;
};

}  // namespace

bool suitsDepthwise(const ConvGeometry& g) {
    if (g.axes.size() != 2 || g.group != g.channels || g.features != g.channels ||
        g.channels % kChannelBlock != 0) {
        return false;
    }
    const auto moves = [](const WindowAxis& axis) {
        return axis.dilation == 1 && (axis.stride == 1 || axis.stride == 2);
    };
    const WindowAxis &height = g.axes[0], &width = g.axes[1];
    return moves(height) && moves(width) && (width.kernel == 3 || width.kernel == 5);
}

std::shared_ptr<const ConvDataPass> makeDepthwiseDataPass(const ConvGeometry& g,
                                                          ConvDataPass::Direction direction,
                                                          ConvForm form) {
    return withPlainImages(
        std::make_unique<const DepthwiseDataPass>(g, direction, form.weightsAreConstant), g,
        direction, form);
}

std::shared_ptr<const ConvWeightsPass> makeDepthwiseWeightsPass(const ConvGeometry& g,
                                                                ConvForm form) {
    return withPlainImages(std::make_unique<const DepthwiseWeightsPass>(g), g, form);
}

}  // namespace temper
