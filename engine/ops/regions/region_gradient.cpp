// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "engine/ops/regions/region_forms.h"
#include "engine/ops/regions/regions.h"
#include "engine/ops/shape/known_shape.h"

namespace temper {
namespace {

Var vectorOf(Var like, int64_t count) {
    Tensor numbers(DType::Float64, {count});
    std::iota(numbers.mutableValues<double>().begin(), numbers.mutableValues<double>().end(), 0.0);
    return like.emitter().constant(numbers.cast(like.dtype()), "counted");
}

Var larger(Var a, Var b) { return a.emitter().op("Max", {a, b}); }
Var smaller(Var a, Var b) { return a.emitter().op("Min", {a, b}); }
Var both(Var a, Var b) { return logicalAnd(a, b); }
Var atLeast(Var a, Var b) { return logicalNot(less(a, b)); }

/// Column `i` of the regions, [R, 1].
Var columnOf(Var regions, int64_t i) {
    return regions.emitter().op("Gather", {regions, regions.emitter().integers({i})},
                                {{"axis", int64_t{1}}});
}

/// The largest elements along the axes, which are kept.
Var maximumAlong(Var x, const std::vector<int64_t>& axes) {
    GradientEmitter& emitter = x.emitter();
    if (emitter.opset() < 18) return emitter.op("ReduceMax", {x}, {{"axes", axes}});
    return emitter.op("ReduceMax", {x, emitter.integers(axes)});
}

struct KnownImageSizes {
    std::optional<int64_t> batch;
    int64_t height = 0;
    int64_t width = 0;

    static KnownImageSizes of(const GradientContext& node) {
        const auto& shape = node.input(0).type().shape;
        if (shape && (*shape)[2].isNumber() && (*shape)[3].isNumber()) {
            KnownImageSizes sizes{std::nullopt, (*shape)[2].value, (*shape)[3].value};
            if ((*shape)[0].isNumber()) sizes.batch = (*shape)[0].value;
            return sizes;
        }
        throw Error(ErrorCode::Unsupported,
                    "The gradient of " + node.node().describe() +
                        " needs the size of the images, which is unknown.",
                    "Export the model with fixed image sizes.");
    }
};

/// The taps of the bins of all regions along one axis. Each sample has two elements.
struct BinTaps {
    Var index;    ///< int64 [R, bins, 2 * samples]
    Var weight;   ///< [R, bins, 2 * samples]
    Var isThere;  ///< bool [R, bins, 2 * samples]: the region has this sample
    Var samples;  ///< [R, 1]: in each bin
};

/// Builds them; the positions of the samples are those of RoiAlign's kernel.
class BinBuilder {
public:
    BinBuilder(const RoiAlignForm& form, Var low, Var high, int64_t bins, int64_t size)
        : form_(form), bins_(bins), size_(size), start_(edge(low)), bin_(binOf(edge(high))) {}

    BinTaps build() const {
        const bool isFixed = form_.samplingRatio > 0;
        const Var count =
            isFixed ? numberLike(bin_, static_cast<double>(form_.samplingRatio)) + bin_ * 0.0
                    : start_.emitter().op("Ceil", {bin_});
        const Var samples = larger(count, numberLike(count, 1));
        const Var step = unsqueeze(bin_ / samples, {2});  // [R, 1, 1]
        const Var begin =
            unsqueeze(start_, {2}) + unsqueeze(vectorOf(bin_, bins_), {1}) * unsqueeze(bin_, {2});
        const Var first = isFixed ? begin * 0.0 : firstInside(begin, step);
        // A step is at least half an element if there are several samples in a bin.
        const int64_t most = isFixed ? form_.samplingRatio : 2 * size_ + 3;
        const Var sample = first + vectorOf(bin_, most);  // [R, bins, most]
        const Var position = begin + (sample + 0.5) * step;
        const Var isThere = less(sample, unsqueeze(count, {2}));
        return taps(position, isThere, count);
    }

private:
    Var edge(Var corner) const {
        return corner * static_cast<double>(form_.spatialScale) - (form_.isHalfPixel ? 0.5 : 0.0);
    }

    Var binOf(Var end) const {
        Var size = end - start_;
        if (!form_.isHalfPixel) size = larger(size, numberLike(size, 1));
        return size / static_cast<double>(bins_);
    }

    /// The first sample of a bin that is not before the image: this bounds their number, however
    /// large a region is.
    Var firstInside(Var begin, Var step) const {
        const Var before = begin.emitter().op("Ceil", {(-1.0 - begin) / step - 0.5});
        return where(greater(step, numberLike(step, 0)), larger(before, numberLike(before, 0)),
                     numberLike(before, 0));
    }

    BinTaps taps(Var position, Var isThere, Var count) const {
        const auto size = static_cast<double>(size_);
        const Var isInside = both(atLeast(position, numberLike(position, -1)),
                                  logicalNot(greater(position, numberLike(position, size))));
        const Var zero = numberLike(position, 0), last = numberLike(position, size - 1);
        const Var place = smaller(larger(position, zero), last);
        const Var low = place.emitter().op("Floor", {place});
        const Var high = smaller(low + 1.0, last);
        const Var fraction = place - low;
        const Var counts = both(isThere, isInside);
        return {cast(concat({low, high}, 2), DType::Int64),
                concat({where(counts, 1.0 - fraction, zero), where(counts, fraction, zero)}, 2),
                concat({cast(isThere, DType::Int64), cast(isThere, DType::Int64)}, 2), count};
    }

    RoiAlignForm form_;
    int64_t bins_;
    int64_t size_;
    Var start_;
    Var bin_;  ///< length of a bin, [R, 1]
};

class RoiAlignGradient {
public:
    explicit RoiAlignGradient(const GradientContext& node)
        : node_(node),
          emitter_(node.emitter()),
          form_(RoiAlignForm::of(node.node(), node.opset())),
          image_(KnownImageSizes::of(node)),
          rows_(tapsOf(1, form_.height, image_.height)),
          columns_(tapsOf(0, form_.width, image_.width)) {}

    /// y = rows * x * transposed(columns) / samples, image by image.
    Var ofAverage(Var dy) const {
        const Var samples = larger(rows_.samples * columns_.samples, numberLike(dy, 1));
        const Var rows = matrixOf(rows_, form_.height, image_.height);
        const Var columns = matrixOf(columns_, form_.width, image_.width);
        const Var scaled = dy / unsqueeze(samples, {2, 3});
        const Var tall = matMul(transpose(rows, {0, 1, 3, 2}), scaled);  // [R, C, H, bins]
        if (image_.batch) return addedByProduct(tall, columns, *image_.batch);
        return emitter_.msOp("GatherGrad",
                             {shapeOf(node_.input(0)), node_.input(2), matMul(tall, columns)},
                             {{"axis", int64_t{0}}});
    }

    /// The gradient goes to the product that is the maximum; if several are, to all of them in
    /// equal parts.
    Var ofMaximum(Var dy) const {
        const Var lines = emitter_.op("Flatten", {channelsLast(node_.input(0))},
                                      {{"axis", int64_t{3}}});  // [N * H * W, C]
        const Var index = elementIndex();
        const Var values =
            emitter_.op("Gather", {lines, index}, {{"axis", int64_t{0}}}) * weights();
        const Var products = where(areThere(), values, numberLike(dy, -3e38));
        const Var isMaximum = cast(atLeast(products, maximumAlong(products, {2, 4})), dy.dtype());
        const Var share = unsqueeze(channelsLast(dy), {2, 4}) / sum(isMaximum, {2, 4});
        const Var gradient =
            emitter_.msOp("GatherGrad", {knownShape(lines), index, isMaximum * share * weights()},
                          {{"axis", int64_t{0}}});
        return transpose(reshape(gradient, knownShape(channelsLast(node_.input(0)))), {0, 3, 1, 2});
    }

private:
    static Var channelsLast(Var x) { return transpose(x, {0, 2, 3, 1}); }

    BinTaps tapsOf(int64_t column, int64_t bins, int64_t size) const {
        const Var regions = node_.input(1);
        return BinBuilder(form_, columnOf(regions, column), columnOf(regions, column + 2), bins,
                          size)
            .build();
    }

    /// Weights of all elements of the axis for each bin, [R, 1, bins, size].
    Var matrixOf(const BinTaps& taps, int64_t bins, int64_t size) const {
        const auto& regions = node_.input(1).type().shape;
        const Var shape =
            regions && (*regions)[0].isNumber()
                ? emitter_.integers({(*regions)[0].value, bins, size})
                : concat({emitter_.op("Gather", {shapeOf(node_.input(1)), emitter_.integers({0})}),
                          emitter_.integers({bins, size})},
                         0);
        const Var matrix = emitter_.msOp("GatherElementsGrad", {taps.weight, shape, taps.index},
                                         {{"axis", int64_t{2}}});
        return unsqueeze(matrix, {1});
    }

    /// Sums over the regions of each image within the product of matrices: [R, C, H, W] would be
    /// much larger than the images.
    Var addedByProduct(Var tall, Var columns, int64_t batch) const {
        Var byImage = unsqueeze(transpose(tall, {1, 2, 0, 3}), {0});  // [1, C, H, R, bins]
        if (batch != 1) {
            std::vector<int64_t> numbers(static_cast<size_t>(batch));
            std::iota(numbers.begin(), numbers.end(), 0);
            const Var images = unsqueeze(emitter_.integers(numbers), {1});
            const Var belongs = equal(unsqueeze(node_.input(2), {0}), images);  // [N, R]
            byImage = byImage * unsqueeze(cast(belongs, tall.dtype()), {1, 2, 4});
        }
        return matMul(reshape(byImage, emitter_.integers({0, 0, 0, -1})),
                      reshape(columns, emitter_.integers({-1, image_.width})));
    }

    /// Places of all taps in the lines of all images, [R, bins, taps, bins, taps].
    Var elementIndex() const {
        const Var image = unsqueeze(node_.input(2), {1, 2, 3, 4}) *
                          emitter_.integers({image_.height * image_.width});
        const Var row = unsqueeze(rows_.index, {3, 4}) * emitter_.integers({image_.width});
        return image + row + unsqueeze(columns_.index, {1, 2});
    }

    Var weights() const {
        return unsqueeze(unsqueeze(rows_.weight, {3, 4}) * unsqueeze(columns_.weight, {1, 2}), {5});
    }

    Var areThere() const {
        const Var counts = unsqueeze(rows_.isThere, {3, 4}) * unsqueeze(columns_.isThere, {1, 2});
        return greater(unsqueeze(counts, {5}), emitter_.integers({0}));
    }

    const GradientContext& node_;
    GradientEmitter& emitter_;
    RoiAlignForm form_;
    KnownImageSizes image_;
    BinTaps rows_;
    BinTaps columns_;
};

Gradients roiAlignGradient(const GradientContext& node) {
    const Var dy = node.outputGradient(0);
    if (!dy) return {};
    const RoiAlignGradient gradient(node);
    const bool takesMaximum = RoiAlignForm::of(node.node(), node.opset()).takesMaximum;
    return {takesMaximum ? gradient.ofMaximum(dy) : gradient.ofAverage(dy)};
}

std::optional<NonDifferentiable> checkRoiAlign(const Node& node) {
    const bool takesMaximum = node.attribute<std::string>("mode", "avg") == "max";
    if (!takesMaximum || node.attribute<int64_t>("sampling_ratio", 0) > 0) return std::nullopt;
    return NonDifferentiable{
        "its maximum is taken over a number of samples that depends on the regions "
        "(sampling_ratio 0)",
        "set sampling_ratio, or use the mode avg"};
}

// MaxRoiPool

/// Whether element h belongs to a bin of a region, [R, bins, size].
Var poolMask(Var low, Var high, float scale, int64_t bins, int64_t size) {
    const auto rounded = [&](Var corner) {
        const Var scaled = corner * static_cast<double>(scale);
        return sign(scaled) * scaled.emitter().op("Floor", {abs(scaled) + 0.5});
    };
    const Var start = rounded(low);
    const Var length = larger(rounded(high) - start + 1.0, numberLike(start, 1));
    const Var bin = length / static_cast<double>(bins);  // [R, 1]
    const Var places = vectorOf(bin, bins);
    const Var begin = bin.emitter().op("Floor", {places * bin}) + start;  // [R, bins]
    const Var end = bin.emitter().op("Ceil", {(places + 1.0) * bin}) + start;
    const Var element = vectorOf(bin, size);
    return both(atLeast(element, unsqueeze(begin, {2})), less(element, unsqueeze(end, {2})));
}

/// The elements of a bin that are its maximum share the gradient.
Gradients maxRoiPoolGradient(const GradientContext& node) {
    GradientEmitter& emitter = node.emitter();
    const MaxRoiPoolForm form = MaxRoiPoolForm::of(node.node());
    const KnownImageSizes image = KnownImageSizes::of(node);
    const Var x = node.input(0), regions = node.input(1);
    const Var index = reshape(cast(columnOf(regions, 0), DType::Int64), emitter.integers({-1}));
    const Var rows = poolMask(columnOf(regions, 2), columnOf(regions, 4), form.spatialScale,
                              form.height, image.height);
    const Var columns = poolMask(columnOf(regions, 1), columnOf(regions, 3), form.spatialScale,
                                 form.width, image.width);
    // [R, C, bins, bins, H, W]
    const Var inBin = both(unsqueeze(rows, {1, 3, 5}), unsqueeze(columns, {1, 2, 4}));
    const Var values = unsqueeze(emitter.op("Gather", {x, index}, {{"axis", int64_t{0}}}), {2, 3});
    const Var isMaximum =
        cast(both(inBin, atLeast(values, unsqueeze(node.output(0), {4, 5}))), x.dtype());
    const Var count = larger(sum(isMaximum, {4, 5}), numberLike(x, 1));
    const Var spread = isMaximum * (unsqueeze(node.outputGradient(0), {4, 5}) / count);
    return {emitter.msOp("GatherGrad", {knownShape(x), index, sum(spread, {2, 3}, false)},
                         {{"axis", int64_t{0}}})};
}

}  // namespace

void addRegionGradients(GradientRules& rules) {
    rules.add("", "RoiAlign", roiAlignGradient);
    rules.addCheck("", "RoiAlign", checkRoiAlign);
    rules.add("", "MaxRoiPool", maxRoiPoolGradient);
}

}  // namespace temper
