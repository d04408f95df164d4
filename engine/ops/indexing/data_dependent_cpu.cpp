// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

#include "engine/ops/indexing/indexing.h"

namespace temper {
namespace {

// Operators whose number of results depends on their inputs' data: computed between plans.
// Source of the semantics: ONNX, docs/Operators.md.

/// Whether each element of a tensor is not zero.
std::vector<bool> isSet(const Tensor& tensor) {
    return visitDType(tensor.dtype(), [&]<typename T>() {
        std::vector<bool> result;
        for (const T& value : tensor.values<T>()) result.push_back(value != T{});
        return result;
    });
}

/// Indices of the elements that are not zero, a column each: [rank, count].
std::vector<ValueData> evaluateNonZero(const EvaluationContext& context) {
    const Tensor& x = context.tensor(0);
    const std::vector<bool> chosen = isSet(x);
    const auto count = static_cast<int64_t>(std::count(chosen.begin(), chosen.end(), true));
    Tensor result(DType::Int64, {x.rank(), count});
    const auto indices = result.mutableValues<int64_t>();
    int64_t column = 0;
    for (int64_t i = 0; i < x.numElements(); ++i) {
        if (!chosen[static_cast<size_t>(i)]) continue;
        int64_t rest = i;
        for (int64_t axis = x.rank() - 1; axis >= 0; --axis) {
            const int64_t size = x.shape()[static_cast<size_t>(axis)];
            indices[static_cast<size_t>(axis * count + column)] = rest % size;
            rest /= size;
        }
        ++column;
    }
    return {result};
}

/// A tensor as [outer, length, inner] around an axis; without an axis, as a flat list of its
/// elements.
struct Slices {
    int64_t outer = 1;
    int64_t length = 0;
    int64_t inner = 1;

    static Slices of(const Tensor& x, const std::optional<int64_t>& axisAttribute) {
        if (!axisAttribute) return {1, x.numElements(), 1};
        const auto axis =
            static_cast<size_t>(normalizeAxis(*axisAttribute, x.rank(), "Attribute 'axis'"));
        const std::span<const int64_t> dims(x.shape());
        return {numElements(dims.first(axis)), x.shape()[axis],
                numElements(dims.subspan(axis + 1))};
    }
};

/// The chosen slices of `x` along the axis, in this order.
Tensor gatherSlices(const Tensor& x, const std::optional<int64_t>& axis,
                    const std::vector<int64_t>& chosen) {
    const Slices from = Slices::of(x, axis);
    Shape shape = axis ? x.shape() : Shape{0};
    const auto position = axis ? static_cast<size_t>(normalizeAxis(*axis, x.rank(), "axis")) : 0;
    shape[position] = static_cast<int64_t>(chosen.size());
    Tensor result(x.dtype(), shape);
    const size_t bytes = static_cast<size_t>(from.inner) * dtypeSize(x.dtype());
    std::byte* to = result.mutableData();
    for (int64_t outer = 0; outer < from.outer && bytes > 0; ++outer) {
        for (const int64_t slice : chosen) {
            const auto at = static_cast<size_t>(outer * from.length + slice);
            std::memcpy(to, x.data() + at * bytes, bytes);
            to += bytes;
        }
    }
    // Texts are views of the characters of `x`; their copy owns its characters.
    return x.dtype() == DType::String ? result.clone() : result;
}

std::vector<ValueData> evaluateCompress(const EvaluationContext& context) {
    const Tensor& x = context.tensor(0);
    const auto axis = context.node.attribute<int64_t>("axis");
    const std::vector<bool> condition = isSet(context.tensor(1));
    const int64_t length = Slices::of(x, axis).length;
    std::vector<int64_t> chosen;
    for (size_t i = 0; i < condition.size(); ++i) {
        if (condition[i]) chosen.push_back(static_cast<int64_t>(i));
    }
    if (!chosen.empty() && chosen.back() >= length) {
        throw Error(ErrorCode::InvalidInput, "The condition chooses slice " +
                                                 std::to_string(chosen.back()) + "; the axis has " +
                                                 std::to_string(length) + ".");
    }
    return {gatherSlices(x, axis, chosen)};
}

/// Finds equal slices along an axis.
template <typename T>
class UniqueSlices {
public:
    UniqueSlices(const Tensor& x, const std::optional<int64_t>& axis)
        : values_(x.values<T>()), slices_(Slices::of(x, axis)) {}

    /// Positions of the slices, equal ones adjacent, in ascending order.
    std::vector<int64_t> sorted() const {
        std::vector<int64_t> order(static_cast<size_t>(slices_.length));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](int64_t a, int64_t b) { return compare(a, b) < 0; });
        return order;
    }

    bool isEqual(int64_t a, int64_t b) const { return compare(a, b) == 0; }

private:
    int compare(int64_t a, int64_t b) const {
        for (int64_t outer = 0; outer < slices_.outer; ++outer) {
            for (int64_t inner = 0; inner < slices_.inner; ++inner) {
                const T& x = at(outer, a, inner);
                const T& y = at(outer, b, inner);
                if (x < y) return -1;
                if (y < x) return 1;
            }
        }
        return 0;
    }
    const T& at(int64_t outer, int64_t slice, int64_t inner) const {
        return values_[static_cast<size_t>((outer * slices_.length + slice) * slices_.inner +
                                           inner)];
    }

    std::span<const T> values_;
    Slices slices_;
};

/// Slices that are equal, by the first of them.
struct Group {
    int64_t first = 0;
    std::vector<int64_t> members;
};

std::vector<Group> groupsOf(const Tensor& x, const std::optional<int64_t>& axis) {
    return visitDType(x.dtype(), [&]<typename T>() {
        const UniqueSlices<T> slices(x, axis);
        std::vector<Group> groups;
        for (const int64_t slice : slices.sorted()) {
            if (groups.empty() || !slices.isEqual(groups.back().first, slice)) {
                groups.push_back({slice, {}});
            }
            groups.back().members.push_back(slice);
        }
        return groups;
    });
}

Tensor vectorOf(const std::vector<int64_t>& values) {
    return Tensor::of<int64_t>({static_cast<int64_t>(values.size())},
                               std::span<const int64_t>(values));
}

std::vector<ValueData> evaluateUnique(const EvaluationContext& context) {
    const Tensor& x = context.tensor(0);
    const auto axis = context.node.attribute<int64_t>("axis");
    const bool isHalf = x.dtype() == DType::Float16 || x.dtype() == DType::BFloat16;
    std::vector<Group> groups = groupsOf(isHalf ? x.cast(DType::Float32) : x, axis);
    if (context.node.attribute<int64_t>("sorted", 1) == 0) {
        std::ranges::sort(groups, {}, &Group::first);
    }
    std::vector<int64_t> first, counts;
    std::vector<int64_t> inverse(static_cast<size_t>(Slices::of(x, axis).length));
    for (const Group& group : groups) {
        for (const int64_t member : group.members) {
            inverse[static_cast<size_t>(member)] = static_cast<int64_t>(first.size());
        }
        first.push_back(group.first);
        counts.push_back(static_cast<int64_t>(group.members.size()));
    }
    return {gatherSlices(x, axis, first), vectorOf(first), vectorOf(inverse), vectorOf(counts)};
}

struct Box {
    float top, left, bottom, right;

    /// From two opposite corners, or from the centre and the size.
    static Box of(std::span<const float> numbers, bool hasCentre) {
        if (hasCentre) {
            const float halfWidth = numbers[2] / 2, halfHeight = numbers[3] / 2;
            return {numbers[1] - halfHeight, numbers[0] - halfWidth, numbers[1] + halfHeight,
                    numbers[0] + halfWidth};
        }
        return {std::min(numbers[0], numbers[2]), std::min(numbers[1], numbers[3]),
                std::max(numbers[0], numbers[2]), std::max(numbers[1], numbers[3])};
    }
    float area() const { return (bottom - top) * (right - left); }
};

/// Intersection over union.
float overlap(const Box& a, const Box& b) {
    const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
    if (height <= 0 || width <= 0) return 0;
    const float common = height * width;
    return common / (a.area() + b.area() - common);
}

class NonMaxSuppression {
public:
    explicit NonMaxSuppression(const EvaluationContext& context)
        : boxes_(context.tensor(0)), scores_(context.tensor(1)) {
        hasCentre_ = context.node.attribute<int64_t>("center_point_box", 0) != 0;
        limit_ = number(context, 2).value_or(0);
        threshold_ = number(context, 3).value_or(0);
        lowest_ = number(context, 4);
        if (boxes_.rank() != 3 || scores_.rank() != 3 || boxes_.shape()[2] != 4 ||
            boxes_.shape()[0] != scores_.shape()[0] || boxes_.shape()[1] != scores_.shape()[2]) {
            throw Error(ErrorCode::InvalidInput,
                        "Boxes have shape " + formatShape(boxes_.shape()) + " and scores " +
                            formatShape(scores_.shape()) +
                            "; expected [batch, boxes, 4] and [batch, classes, boxes].");
        }
    }

    std::vector<ValueData> run() {
        for (int64_t batch = 0; batch < scores_.shape()[0]; ++batch) {
            for (int64_t c = 0; c < scores_.shape()[1]; ++c) selectClass(batch, c);
        }
        const auto rows = static_cast<int64_t>(selected_.size() / 3);
        return {Tensor::of<int64_t>({rows, 3}, std::span<const int64_t>(selected_))};
    }

private:
    static std::optional<double> number(const EvaluationContext& context, size_t input) {
        const Tensor& given = context.tensor(input);
        return given.empty() ? std::nullopt : std::optional(given.toDouble());
    }

    void selectClass(int64_t batch, int64_t c) {
        const int64_t count = boxes_.shape()[1];
        const auto scores = scores_.values<float>().subspan(
            static_cast<size_t>((batch * scores_.shape()[1] + c) * count),
            static_cast<size_t>(count));
        std::vector<int64_t> order;
        for (int64_t i = 0; i < count; ++i) {
            if (!lowest_ || scores[static_cast<size_t>(i)] > static_cast<float>(*lowest_)) {
                order.push_back(i);
            }
        }
        std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
            return scores[static_cast<size_t>(a)] > scores[static_cast<size_t>(b)];
        });
        std::vector<Box> kept;
        for (const int64_t i : order) {
            if (static_cast<double>(kept.size()) >= limit_) return;
            const Box box = boxAt(batch * count + i);
            const bool isCovered = std::ranges::any_of(kept, [&](const Box& other) {
                return overlap(box, other) > static_cast<float>(threshold_);
            });
            if (isCovered) continue;
            kept.push_back(box);
            selected_.insert(selected_.end(), {batch, c, i});
        }
    }

    Box boxAt(int64_t i) const {
        return Box::of(boxes_.values<float>().subspan(static_cast<size_t>(i) * 4, 4), hasCentre_);
    }

    const Tensor& boxes_;
    const Tensor& scores_;
    bool hasCentre_ = false;
    double limit_ = 0;
    double threshold_ = 0;
    std::optional<double> lowest_;
    std::vector<int64_t> selected_;
};

}  // namespace

void addDataDependentEvaluators(KernelRegistry& kernels) {
    kernels.addEvaluator(kOnnxDomain, "NonZero", evaluateNonZero);
    kernels.addEvaluator(kOnnxDomain, "Compress", evaluateCompress);
    kernels.addEvaluator(kOnnxDomain, "Unique", evaluateUnique);
    kernels.addEvaluator(kOnnxDomain, "NonMaxSuppression", [](const EvaluationContext& context) {
        return NonMaxSuppression(context).run();
    });
}

}  // namespace temper
