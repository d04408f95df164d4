// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/tensor_contents.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <vector>

namespace temper {
namespace {

/// Scores this far below the others are zero after a softmax.
constexpr float kHidden = -1e4F;

template <typename Test>
bool allOf(const Tensor& tensor, const Test& test) {
    if (!isFloating(tensor.dtype())) return false;
    const Tensor numbers = tensor.dtype() == DType::Float32 ? tensor : tensor.cast(DType::Float32);
    return std::ranges::all_of(numbers.values<float>(), test);
}

constexpr float kRounding = 1e-3F;

bool isOnCircle(float x, float y) { return std::abs(x * x + y * y - 1) <= kRounding; }

/// Checks each number with the one `apart` positions further.
bool isOnCircle(std::span<const float> row, size_t first, size_t step, size_t apart) {
    for (size_t i = first; i + apart < row.size(); i += step) {
        if (!isOnCircle(row[i], row[i + apart])) return false;
    }
    return true;
}

/// Pairs of numbers in rows of `width`, `apart` from each other, one every `step` numbers.
struct Points {
    std::span<const float> numbers;
    size_t width = 0, step = 0, apart = 0;

    size_t count() const { return numbers.size() / 2; }
    double sum(size_t i) const { return x(i) + y(i); }
    double square(size_t i) const { return x(i) * x(i) + y(i) * y(i); }

private:
    size_t at(size_t i) const { return i / (width / 2) * width + i % (width / 2) * step; }
    double x(size_t i) const { return numbers[at(i)]; }
    double y(size_t i) const { return numbers[at(i) + apart]; }
};

/// Whether x * x + y * y = a * (x + y) + b: a circle around a point (c, c).
bool areOnOneCircle(const Points& points) {
    constexpr double kTolerance = 1e-5;
    size_t low = 0, high = 0;  // of the first four rows
    for (size_t i = 0; i < std::min(points.count(), 2 * points.width); ++i) {
        if (points.sum(i) < points.sum(low)) low = i;
        if (points.sum(i) > points.sum(high)) high = i;
    }
    const double range = points.sum(high) - points.sum(low);
    if (!(range > 0)) return false;
    const double slope = (points.square(high) - points.square(low)) / range;
    const double allowed = kTolerance * range * range;  // not of the distance from the origin
    for (size_t i = 0; i < points.count(); ++i) {
        const double expected = points.square(low) + slope * (points.sum(i) - points.sum(low));
        if (!(std::abs(points.square(i) - expected) <= allowed)) return false;
    }
    return true;
}

bool hasManyNumbers(std::span<const float> numbers) {
    constexpr size_t kMany = 16;  // fewer points may be on a circle by chance
    std::set<float> different;
    for (size_t i = 0; i < numbers.size() && different.size() < kMany; ++i)
        different.insert(numbers[i]);
    return different.size() == kMany;
}

/// The numbers at one index of an axis with `count` indices of `after` numbers each.
std::vector<float> sliceOf(std::span<const float> numbers, size_t count, size_t after,
                           size_t place) {
    std::vector<float> slice;
    for (size_t at = place * after; at < numbers.size(); at += count * after) {
        const auto part = numbers.subspan(at, after);
        slice.insert(slice.end(), part.begin(), part.end());
    }
    return slice;
}

enum class Spacing { One, Even, Other };

/// One number several times, or finite, evenly spaced numbers.
Spacing spacingOf(std::vector<float> numbers) {
    constexpr size_t kMinNumbers = 4;  // fewer are evenly spaced by chance
    constexpr float kRoundingOfRange = 1e-5F;
    if (!std::ranges::all_of(numbers, [](float each) { return std::isfinite(each); }))
        return Spacing::Other;
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    if (numbers.size() < 2) return Spacing::One;
    const float range = numbers.back() - numbers.front();
    const float step = range / static_cast<float>(numbers.size() - 1);
    for (size_t i = 1; i < numbers.size(); ++i) {
        const float apart = numbers[i] - numbers[i - 1];
        if (std::abs(apart - step) > kRoundingOfRange * range) return Spacing::Other;
    }
    return numbers.size() < kMinNumbers ? Spacing::Other : Spacing::Even;
}

bool isHidden(float number) { return number <= kHidden; }

}  // namespace

bool isFilledWith(const Tensor& tensor, float number) {
    return allOf(tensor, [number](float each) { return each == number; });
}

bool isUniform(const Tensor& tensor) {
    if (!isFloating(tensor.dtype()) || tensor.numElements() == 0) return false;
    const float first = tensor.dtype() == DType::Float32
                            ? tensor.values<float>().front()
                            : tensor.cast(DType::Float32).values<float>().front();
    return isFilledWith(tensor, first);
}

bool areWholeNumbers(const Tensor& tensor) {
    return allOf(tensor, [](float each) { return each == std::nearbyint(each); }) &&
           !isUniform(tensor);
}

bool isGrid(const Tensor& tensor) {
    if (tensor.dtype() != DType::Float32 || tensor.numElements() == 0) return false;
    const auto numbers = tensor.values<float>();
    size_t after = numbers.size();
    for (const int64_t places : tensor.shape()) {
        const auto count = static_cast<size_t>(places);
        after /= count;
        bool isEven = false, isOther = false;
        for (size_t place = 0; place < count && !isOther; ++place) {
            const Spacing spacing = spacingOf(sliceOf(numbers, count, after, place));
            isEven = isEven || spacing == Spacing::Even;
            isOther = spacing == Spacing::Other;
        }
        if (isEven && !isOther) return true;
    }
    return spacingOf({numbers.begin(), numbers.end()}) == Spacing::Even;
}

bool isMask(const Tensor& tensor) {
    return allOf(tensor, [](float each) { return each == 0 || isHidden(each); }) &&
           !isFilledWith(tensor, 0);
}

bool isPositionEncoding(const Tensor& tensor) {
    constexpr int64_t kMinElements = 16;
    if (tensor.dtype() != DType::Float32 || tensor.rank() < 2) return false;
    const auto width = static_cast<size_t>(tensor.shape().back());
    if (tensor.numElements() < kMinElements || width < 4 || width % 2 != 0) return false;
    const auto numbers = tensor.values<float>();
    bool areHalves = true, areNeighbours = true;
    for (size_t at = 0; at < numbers.size() && (areHalves || areNeighbours); at += width) {
        const auto row = numbers.subspan(at, width);
        areHalves = areHalves && isOnCircle(row, 0, 1, width / 2);
        areNeighbours = areNeighbours && isOnCircle(row, 0, 2, 1);
    }
    if (areHalves || areNeighbours) return !isUniform(tensor);
    const bool isScaled =
        areOnOneCircle({numbers, width, 2, 1}) || areOnOneCircle({numbers, width, 1, width / 2});
    return isScaled && hasManyNumbers(numbers);
}

bool areSinesAndCosines(const Tensor& a, const Tensor& b) {
    if (a.shape() != b.shape() || a.numElements() < 2) return false;
    if (a.dtype() != DType::Float32 || b.dtype() != DType::Float32) return false;
    const auto of = a.values<float>(), other = b.values<float>();
    for (size_t i = 0; i < of.size(); ++i) {
        if (!isOnCircle(of[i], other[i])) return false;
    }
    return !isUniform(a);
}

}  // namespace temper
