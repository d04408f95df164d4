// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/core/thread_pool.h"
#include "engine/runtime/cpu/gemm.h"

namespace temper {

/// C = alpha op(A) op(B) + beta C in single precision, for a B that is multiplied several times: it
/// is copied into panels once, which are read one number after the other.
class PanelProduct {
public:
    /// Whether multiplying panels is at least as fast as gemm().
    static bool suits(const MatrixProduct& product);

    explicit PanelProduct(const MatrixProduct& product);

    /// The name of the layout of the panels: all that decides what they hold.
    std::string layout() const;
    size_t panelBytes() const;
    /// `b`: as it is stored.
    void pack(ThreadPool& pool, const float* b, std::byte* panels) const;

    /// Of whole panels.
    const MatrixTiles& tiles() const { return tiles_; }
    /// Computes a tile of the C at `c`, on the calling thread.
    void multiply(const MatrixTiles::Tile& tile, float alpha, const float* a,
                  const std::byte* panels, float beta, float* c) const;

private:
    MatrixProduct product_;
    MatrixTiles tiles_;
};

}  // namespace temper
