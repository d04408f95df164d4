// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/tensor_contents.h"

#include <algorithm>
#include <cmath>

namespace temper {
namespace {

/// Scores that far below the others are zero after a softmax.
constexpr float kHidden = -1e4F;

template <typename Test>
bool allOf(const Tensor& tensor, const Test& test) {
    if (!isFloating(tensor.dtype())) return false;
    const Tensor numbers = tensor.dtype() == DType::Float32 ? tensor : tensor.cast(DType::Float32);
    return std::ranges::all_of(numbers.values<float>(), test);
}

constexpr float kRounding = 1e-3F;

bool isOnCircle(float x, float y) { return std::abs(x * x + y * y - 1) <= kRounding; }

/// Each number with the one that is `apart` places further.
bool isOnCircle(std::span<const float> row, size_t first, size_t step, size_t apart) {
    for (size_t i = first; i + apart < row.size(); i += step) {
        if (!isOnCircle(row[i], row[i + apart])) return false;
    }
    return true;
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

bool isMask(const Tensor& tensor) {
    return allOf(tensor, [](float each) { return each == 0 || isHidden(each); }) &&
           !isFilledWith(tensor, 0);
}

bool isPositionEncoding(const Tensor& tensor) {
    constexpr int64_t kFewestElements = 16;
    if (tensor.dtype() != DType::Float32 || tensor.rank() < 2) return false;
    const auto width = static_cast<size_t>(tensor.shape().back());
    if (tensor.numElements() < kFewestElements || width < 4 || width % 2 != 0) return false;
    const auto numbers = tensor.values<float>();
    bool areHalves = true, areNeighbours = true;
    for (size_t at = 0; at < numbers.size() && (areHalves || areNeighbours); at += width) {
        const auto row = numbers.subspan(at, width);
        areHalves = areHalves && isOnCircle(row, 0, 1, width / 2);
        areNeighbours = areNeighbours && isOnCircle(row, 0, 2, 1);
    }
    return (areHalves || areNeighbours) && !isUniform(tensor);
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
