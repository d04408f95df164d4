// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "engine/core/thread_pool.h"
#include "engine/runtime/constant_layouts.h"
#include "engine/runtime/cpu/gemm.h"

namespace temper {

/// C = alpha op(A) B + beta C in single precision, for a B that is the same in each run: the first
/// one copies it into panels, in which the others read it one number after the other.
/// Thread: any.
class PackedProduct {
public:
    /// Whether it is at least as fast as gemm().
    static bool suits(const MatrixProduct& product);

    /// `b`: the layouts of B, which get that in panels.
    PackedProduct(const MatrixProduct& product, LayoutsOfConstant& b);

    /// Of whole panels.
    const MatrixTiles& tiles() const { return tiles_; }
    /// B in panels, from `b` as it is stored.
    const float* panels(ThreadPool& pool, const float* b) const;
    /// Computes a tile of the C at `c`, on the calling thread.
    void multiply(const MatrixTiles::Tile& tile, float alpha, const float* a, const float* panels,
                  float beta, float* c) const;

private:
    MatrixProduct product_;
    MatrixTiles tiles_;
    std::shared_ptr<const FilledOnce> panels_;
};

}  // namespace temper
