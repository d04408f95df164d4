// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/ops/map_cpu.h"
#include "engine/ops/sampling/deform_conv.h"
#include "engine/ops/sampling/sampling.h"
#include "engine/runtime/cpu/gemm.h"

namespace temper {
namespace {

/// The four elements around a position and their weights; 0 for elements outside.
template <typename T>
struct Corners {
    std::array<int64_t, 4> offset{};
    std::array<T, 4> weight{};

    static Corners of(T y, T x, const WindowAxis& rows, const WindowAxis& columns) {
        Corners corners;
        if (!(y > T{-1} && y < static_cast<T>(rows.input) && x > T{-1} &&
              x < static_cast<T>(columns.input))) {
            return corners;
        }
        const auto top = static_cast<int64_t>(std::floor(y));
        const auto left = static_cast<int64_t>(std::floor(x));
        const T down = y - static_cast<T>(top), right = x - static_cast<T>(left);
        for (int64_t k = 0; k < 4; ++k) {
            const int64_t row = top + k / 2, column = left + k % 2;
            if (row < 0 || row >= rows.input || column < 0 || column >= columns.input) continue;
            const auto corner = static_cast<size_t>(k);
            corners.offset[corner] = row * columns.input + column;
            corners.weight[corner] =
                (k / 2 == 0 ? 1 - down : down) * (k % 2 == 0 ? 1 - right : right);
        }
        return corners;
    }

    T sample(const T* plane) const {
        return weight[0] * plane[offset[0]] + weight[1] * plane[offset[1]] +
               weight[2] * plane[offset[2]] + weight[3] * plane[offset[3]];
    }
};

/// Image by image: what the weights see becomes a matrix [channels * taps, places], by which they
/// are multiplied. Source: ONNX, DeformConv; Zhu et al., Deformable ConvNets v2 (2019).
template <typename T>
class DeformConvKernel final : public Kernel {
public:
    explicit DeformConvKernel(const PrepareContext& context)
        : g_(DeformGeometry::of(context.node(), context.input(0).shape, context.input(1).shape)),
          product_(productOf(g_)),
          tiles_(product_),
          hasBias_(context.hasInput(3)),
          hasMask_(context.hasInput(4)) {
        traits_.scratchBytes =
            static_cast<size_t>(g_.channels * g_.taps() * g_.places()) * sizeof(T);
        traits_.flops = g_.batch * g_.group * product_.flops();
    }

    void run(const RunContext& context) const override {
        auto* columns = reinterpret_cast<T*>(context.scratch());
        for (int64_t n = 0; n < g_.batch; ++n) {
            const int64_t rows = g_.offsetGroup * g_.taps();
            context.pool().forEach(rows,
                                   [&](int64_t row) { sampleRows(context, n, row, columns); });
            multiply(context, n, columns);
            addBias(context, n);
        }
    }

private:
    static MatrixProduct productOf(const DeformGeometry& g) {
        MatrixProduct product;
        product.m = g.features / g.group;
        product.n = g.places();
        product.k = g.channels / g.group * g.taps();
        product.setDenseStrides();
        return product;
    }

    /// One tap of all channels of an offset group.
    void sampleRows(const RunContext& context, int64_t n, int64_t row, T* columns) const {
        const int64_t part = row / g_.taps(), tap = row % g_.taps(), places = g_.places();
        const int64_t perPart = g_.channels / g_.offsetGroup, first = part * perPart;
        const int64_t rows = g_.offsetGroup * g_.taps();
        const T* offsets = context.in<T>(2) + (n * rows + row) * 2 * places;
        const T* mask = hasMask_ ? context.in<T>(4) + (n * rows + row) * places : nullptr;
        const T* image = context.in<T>(0) + (n * g_.channels + first) * g_.plane();
        for (int64_t q = 0; q < places; ++q) {
            const T y = static_cast<T>(g_.position(0, tap, q)) + offsets[q];
            const T x = static_cast<T>(g_.position(1, tap, q)) + offsets[places + q];
            const auto corners = Corners<T>::of(y, x, g_.axes[0], g_.axes[1]);
            const T factor = mask == nullptr ? T{1} : mask[q];
            for (int64_t c = 0; c < perPart; ++c) {
                columns[((first + c) * g_.taps() + tap) * places + q] =
                    factor * corners.sample(image + c * g_.plane());
            }
        }
    }

    void multiply(const RunContext& context, int64_t n, const T* columns) const {
        const int64_t count = tiles_.count();
        context.pool().forEach(g_.group * count, [&](int64_t i) {
            const int64_t part = i / count;
            const MatrixTiles::Tile tile = tiles_.tile(i % count);
            const T* weights = context.in<T>(1) + part * product_.m * product_.k;
            T* output = context.out<T>(0) + (n * g_.features + part * product_.m) * product_.n;
            gemm(tile.product, T{1}, weights + tile.offsetA,
                 columns + part * product_.k * product_.n + tile.offsetB, T{0},
                 output + tile.offsetC);
        });
    }

    void addBias(const RunContext& context, int64_t n) const {
        if (!hasBias_) return;
        const int64_t places = g_.places();
        T* output = context.out<T>(0) + n * g_.features * places;
        for (int64_t m = 0; m < g_.features; ++m) {
            const T bias = context.in<T>(3)[m];
            for (int64_t q = 0; q < places; ++q) output[m * places + q] += bias;
        }
    }

    DeformGeometry g_;
    MatrixProduct product_;
    MatrixTiles tiles_;
    bool hasBias_;
    bool hasMask_;
};

}  // namespace

void addDeformConvKernels(KernelRegistry& kernels) {
    kernels.add("", "DeformConv", [](const PrepareContext& context) {
        return visitFloating(context, context.input(0).dtype,
                             [&]<typename T>() -> std::unique_ptr<Kernel> {
                                 return std::make_unique<DeformConvKernel<T>>(context);
                             });
    });
}

}  // namespace temper
