// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/shape.h"
#include "engine/core/thread_pool.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// The positions of a tensor's elements in a buffer; counted in elements, strides may be 0
/// (repeated elements) or negative.
struct StridedView {
    int64_t offset = 0;
    std::vector<int64_t> strides;
};

/// Copies a tensor from one strided view to another: Transpose, Slice, Expand, Concat and others
/// are just this. Adjacent axes are merged if both views allow it; transpositions go through square
/// tiles.
class StridedCopy {
public:
    /// `shape` is that of the copied tensor, strides of both views are by its axes.
    /// Throws: Error(Unsupported) for more than kMaxRank axes that can't be merged.
    StridedCopy(size_t elementSize, std::span<const int64_t> shape, const StridedView& from,
                const StridedView& to);

    void run(const void* from, void* to, ThreadPool& pool) const;

    /// Whether every element goes to its own place, without gaps, from the start of the buffers.
    bool isIdentity() const;

    /// Bytes that stay together.
    struct Block {
        size_t from = 0;  ///< where they begin, in bytes
        size_t to = 0;
        size_t bytes = 0;
    };
    /// The whole copy as one block; nullopt if it has gaps on either side.
    std::optional<Block> block() const;

    static constexpr size_t kMaxRank = 16;

private:
    struct Axis {
        int64_t count;
        int64_t from;  ///< bytes
        int64_t to;    ///< bytes
    };
    struct Cursor;

    void addAxis(const Axis& axis);
    void arrangeTiles();
    void copyRows(const std::byte* from, std::byte* to, ThreadPool& pool) const;
    void copyTiles(const std::byte* from, std::byte* to, ThreadPool& pool) const;
    int64_t outerCount(size_t innerAxes) const;

    size_t elementSize_;
    int64_t count_ = 1;
    int64_t fromOffset_;
    int64_t toOffset_;
    std::vector<Axis> axes_;
    bool isTiled_ = false;
};

/// Output 0 is input 0 with another shape: nothing is copied.
std::unique_ptr<Kernel> makeViewKernel();

/// A kernel that does this copy from input 0 to output 0: nothing if it is the identity, a
/// PartKernel if it is one block.
std::unique_ptr<Kernel> makeCopyKernel(const PrepareContext& context, StridedCopy copy);

/// Bytes of an element of an input. Throws: Error(Unsupported) for strings.
size_t elementSize(const PrepareContext& context, size_t input);

/// Writes `count` copies of one element.
void fillElements(void* to, int64_t count, const void* value, size_t elementSize, ThreadPool& pool);

/// Bytes that one task of a data movement should at least move.
inline constexpr int64_t kBytesPerTask = int64_t{1} << 16;

}  // namespace temper
