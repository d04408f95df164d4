// SPDX-License-Identifier: Apache-2.0
#include "engine/training/monitors/unit_silence.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace temper {
namespace {

int64_t productOf(const Shape& shape, size_t begin, size_t end) {
    return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(begin),
                           shape.begin() + static_cast<std::ptrdiff_t>(end), int64_t{1},
                           std::multiplies<>());
}

bool isZero(const float* values, int64_t count) {
    return std::all_of(values, values + count, [](float value) { return value == 0; });
}

}  // namespace

/// The gradient as [parts, rows, units of a part, inner].
void UnitSilence::look(const Tensor& gradient) {
    const Shape& shape = gradient.shape();
    const int64_t units = shape[layout_.axis];
    const int64_t rows = productOf(shape, 0, layout_.axis) / layout_.groups;
    const int64_t inner = productOf(shape, layout_.axis + 1, shape.size());
    silent_.resize(static_cast<size_t>(layout_.count(shape)));
    for (int64_t& looks : silent_) ++looks;
    const float* values = gradient.values<float>().data();
    for (int64_t part = 0; part < layout_.groups; ++part) {
        undecided_.resize(static_cast<size_t>(units));
        std::iota(undecided_.begin(), undecided_.end(), int64_t{0});
        for (int64_t row = 0; row < rows && !undecided_.empty(); ++row) {
            const float* line = values + (part * rows + row) * units * inner;
            std::erase_if(undecided_, [&](int64_t unit) {
                if (isZero(line + unit * inner, inner)) return false;
                silent_[static_cast<size_t>(part * units + unit)] = 0;
                return true;
            });
        }
    }
    ++looks_;
}

int64_t UnitSilence::dead() const {
    return std::ranges::count_if(silent_, [](int64_t looks) { return looks >= kLooks; });
}

}  // namespace temper
