// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "engine/core/error.h"
#include "engine/core/shape.h"

namespace temper {

/// How the elements of N inputs line up with those of an output that they are broadcast to.
///
/// Adjacent dimensions that every input treats alike are merged, so that the loops are as long as
/// possible; equal shapes become one loop.
template <size_t N>
class BroadcastPlan {
public:
    static constexpr size_t kMaxRank = 12;
    using Offsets = std::array<int64_t, N>;

    /// Throws: Error(Unsupported) for shapes that alternate more than kMaxRank times.
    BroadcastPlan(const Shape& output, const std::array<Shape, N>& inputs) {
        std::array<Shape, N> strides;
        for (size_t k = 0; k < N; ++k) strides[k] = broadcastStrides(output, inputs[k]);
        count_ = numElements(output);
        for (size_t axis = 0; axis < output.size(); ++axis) {
            if (output[axis] == 1) continue;
            if (!mergeWithLast(output[axis], axis, strides)) append(output[axis], axis, strides);
        }
        if (rank_ == 0) append(1, output.size(), strides);
    }

    int64_t count() const { return count_; }
    /// Whether the input is one number along the innermost loops.
    bool isNumber(size_t input) const { return strides_[input][rank_ - 1] == 0; }
    /// Elements of the innermost loops.
    int64_t inner() const { return dims_[rank_ - 1]; }

    struct Rows {
        int64_t repeats = 1;
        int64_t period = 1;
    };
    /// How the input's runs along the innermost dimension follow each other: run r of the output
    /// goes with run r / repeats % period of the input. Empty if they don't follow this pattern.
    std::optional<Rows> rowsOf(size_t input) const {
        const int64_t width = isNumber(input) ? 1 : inner();
        Rows rows;
        size_t axis = rank_ - 1;
        for (; axis > 0 && strides_[input][axis - 1] == 0; --axis) rows.repeats *= dims_[axis - 1];
        if (axis == 0) return Rows{};
        for (; axis > 0 && strides_[input][axis - 1] == width * rows.period; --axis)
            rows.period *= dims_[axis - 1];
        for (; axis > 0; --axis) {
            if (strides_[input][axis - 1] != 0) return std::nullopt;
        }
        return rows;
    }
    /// Whether input and output have the same layout.
    bool isFlat() const {
        return rank_ == 1 &&
               std::all_of(strides_.begin(), strides_.end(), [](const auto& s) { return s[0]; });
    }

    /// Cuts the output elements [begin, end) into runs along the innermost dimension and calls
    /// `f(first, length, offsets)`: the run's first element and where each input starts.
    template <typename F>
    void forRuns(int64_t begin, int64_t end, F&& f) const {
        if (begin >= end) return;
        std::array<int64_t, kMaxRank> index{};
        Offsets offsets{};
        locate(begin, index, offsets);
        const int64_t inner = dims_[rank_ - 1];
        while (begin < end) {
            const int64_t length = std::min(inner - index[rank_ - 1], end - begin);
            f(begin, length, offsets);
            begin += length;
            if (begin < end) advance(length, index, offsets);
        }
    }

private:
    static Shape broadcastStrides(const Shape& output, const Shape& input) {
        Shape strides(output.size(), 0);
        const Shape dense = stridesOf(input);
        const size_t extra = output.size() - input.size();
        for (size_t axis = 0; axis < input.size(); ++axis) {
            if (input[axis] != 1) strides[axis + extra] = dense[axis];
        }
        return strides;
    }

    bool mergeWithLast(int64_t dim, size_t axis, const std::array<Shape, N>& strides) {
        if (rank_ == 0) return false;
        for (size_t k = 0; k < N; ++k) {
            if (strides_[k][rank_ - 1] != strides[k][axis] * dim) return false;
        }
        dims_[rank_ - 1] *= dim;
        for (size_t k = 0; k < N; ++k) strides_[k][rank_ - 1] = strides[k][axis];
        return true;
    }

    void append(int64_t dim, size_t axis, const std::array<Shape, N>& strides) {
        if (rank_ == kMaxRank) {
            throw Error(ErrorCode::Unsupported,
                        "Broadcasting over more than 12 alternating dimensions is not supported.");
        }
        dims_[rank_] = dim;
        for (size_t k = 0; k < N; ++k) {
            strides_[k][rank_] = axis < strides[k].size() ? strides[k][axis] : 1;
        }
        ++rank_;
    }

    void locate(int64_t element, std::array<int64_t, kMaxRank>& index, Offsets& offsets) const {
        for (size_t axis = rank_; axis-- > 0;) {
            index[axis] = element % dims_[axis];
            element /= dims_[axis];
            for (size_t k = 0; k < N; ++k) offsets[k] += index[axis] * strides_[k][axis];
        }
    }

    /// Advances by `length` elements to the start of the next run.
    void advance(int64_t length, std::array<int64_t, kMaxRank>& index, Offsets& offsets) const {
        size_t axis = rank_ - 1;
        index[axis] += length;
        for (size_t k = 0; k < N; ++k) offsets[k] += length * strides_[k][axis];
        while (index[axis] == dims_[axis] && axis > 0) {
            for (size_t k = 0; k < N; ++k) {
                offsets[k] += strides_[k][axis - 1] - dims_[axis] * strides_[k][axis];
            }
            index[axis] = 0;
            ++index[--axis];
        }
    }

    size_t rank_ = 0;
    int64_t count_ = 0;
    std::array<int64_t, kMaxRank> dims_{};
    std::array<std::array<int64_t, kMaxRank>, N> strides_{};
};

}  // namespace temper
