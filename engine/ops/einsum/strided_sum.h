// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/checked.h"
#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/thread_pool.h"
#include "engine/core/wrapping.h"

namespace temper {

/// A walk over axes of any strides, the last axis fastest.
class StridedWalk {
public:
    struct Axis {
        int64_t count;
        int64_t stride;  ///< in elements; 0 repeats
    };
    static constexpr size_t kMaxRank = 24;

    /// Throws: Error(Unsupported) for more than kMaxRank axes.
    explicit StridedWalk(std::vector<Axis> axes) : axes_(std::move(axes)) {
        if (axes_.size() > kMaxRank) {
            throw Error(
                ErrorCode::Unsupported,
                "The sum has " + counted(axes_.size(), "dimension") + "; expected at most 24.");
        }
        for (const Axis& axis : axes_) count_ = checkedProduct(count_, axis.count);
    }

    int64_t count() const { return count_; }

    /// Calls f(offset) for the elements [begin, end) of the walk.
    template <typename F>
    void visit(int64_t begin, int64_t end, F&& f) const {
        std::array<int64_t, kMaxRank> index{};
        int64_t offset = locate(begin, index);
        for (int64_t i = begin; i < end; ++i) {
            f(offset);
            for (size_t axis = axes_.size(); axis-- > 0;) {
                offset += axes_[axis].stride;
                if (++index[axis] < axes_[axis].count) break;
                offset -= axes_[axis].stride * axes_[axis].count;
                index[axis] = 0;
            }
        }
    }

private:
    int64_t locate(int64_t element, std::array<int64_t, kMaxRank>& index) const {
        int64_t offset = 0;
        for (size_t axis = axes_.size(); axis-- > 0;) {
            index[axis] = element % axes_[axis].count;
            element /= axes_[axis].count;
            offset += index[axis] * axes_[axis].stride;
        }
        return offset;
    }

    std::vector<Axis> axes_;
    int64_t count_ = 1;
};

/// to[i...] = sum over j... of from[i..., j...], the result dense: transposition, diagonal,
/// broadcast and sum in one.
class StridedSum {
public:
    using Axis = StridedWalk::Axis;

    StridedSum(std::vector<Axis> kept, std::vector<Axis> summed)
        : kept_(std::move(kept)), summed_(std::move(summed)) {}

    /// Each result is summed by one thread in a fixed order, floating-point numbers in double.
    template <typename T>
    void run(const T* from, T* to, ThreadPool& pool) const {
        using Sum = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;
        const int64_t grain =
            std::max<int64_t>(kElementsPerTask / std::max<int64_t>(summed_.count(), 1), 1);
        pool.forRanges(kept_.count(), grain, [&](int64_t begin, int64_t end) {
            T* result = to + begin;
            kept_.visit(begin, end, [&](int64_t offset) {
                if (summed_.count() == 1) {
                    *result++ = from[offset];
                    return;
                }
                Sum sum{};
                summed_.visit(0, summed_.count(), [&](int64_t inner) {
                    sum = wrappingAdd(sum, static_cast<Sum>(from[offset + inner]));
                });
                *result++ = static_cast<T>(sum);
            });
        });
    }

private:
    static constexpr int64_t kElementsPerTask = 16384;

    StridedWalk kept_;
    StridedWalk summed_;
};

}  // namespace temper
